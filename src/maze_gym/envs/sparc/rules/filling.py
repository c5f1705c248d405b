"""Whether polyominoes fill what they have to fill: a plain function of numbers that is also compiled.

``constraints`` calls it with lists, ``kernels`` compiles it and calls it with arrays. A shape is a run of
offsets (downs, rights) from its first cell in reading order, ``begins[shape]`` to ``begins[shape + 1]``;
neither rotation nor reflection is allowed.
"""

# One flat loop: compiled code and plain Python have to be one source, and arrays are counted at every use.
# ruff: noqa: C901, PLR0912, PLR0913, PLR0917

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence


def fills(
    begins: Sequence[int],
    downs: Sequence[int],
    rights: Sequence[int],
    supply: MutableSequence[int],
    debts: Sequence[int],
    width: int,
    demand: MutableSequence[int],
    tried: MutableSequence[int],
    laid: MutableSequence[int],
    tries: MutableSequence[int],
) -> bool:
    """Whether the ylops can be laid so that the polyominoes then meet the demand exactly.

    First each ylop is laid somewhere on the board and asks for one more on each cell below it. Then the first
    cell with demand can only be met by the first cell of some polyomino: each of them is tried there.

    Args:
        begins: (shapes + 1,) where the offsets of each shape begin.
        downs: rows below the shape's first cell.
        rights: columns to the right of it; may be negative.
        supply: (shapes,) how many polyominoes there are of each; changed.
        debts: the shape of each ylop.
        width: rule cells from left to right.
        demand: how often each rule cell must be covered, row by row; changed. In sum it must be the cells of
            the polyominoes less those of the ylops.
        tried: scratch, one for each ylop and polyomino.
        laid: scratch of the same size.
        tries: (1,) how many pieces may still be tried; counted down. Where it comes to 0 the search was given
            up, and what is returned means nothing.
    """
    cells, shapes, ylops, levels = len(demand), len(supply), len(debts), len(tried)
    level = fresh = shape = 0
    while 0 <= level < levels and tries[0] > 0:
        is_ylop = level < ylops
        if fresh == level:  # a piece that is to be laid for the first time below those that lie
            tried[level] = cell = 0
            while not is_ylop and cell < cells and demand[cell] == 0:
                cell += 1
            laid[level] = cell
        else:  # take back what was laid last
            shape = debts[level] if is_ylop else tried[level] - 1
            for part in range(begins[shape], begins[shape + 1]):
                demand[laid[level] + downs[part] * width + rights[part]] += -1 if is_ylop else 1
            if not is_ylop:
                supply[shape] += 1
        fits = False
        while not fits and laid[level] < cells and tried[level] < (cells if is_ylop else shapes):
            shape = debts[level] if is_ylop else tried[level]
            if is_ylop:
                laid[level] = tried[level]
            tried[level] += 1
            tries[0] -= 1
            fits = is_ylop or supply[shape] > 0
            for part in range(begins[shape], begins[shape + 1]):
                col = laid[level] % width + rights[part]
                at = laid[level] + downs[part] * width + rights[part]
                if col < 0 or col >= width or at >= cells or (not is_ylop and demand[at] <= 0):
                    fits = False
        if not fits:
            level -= 1
            continue
        for part in range(begins[shape], begins[shape + 1]):
            demand[laid[level] + downs[part] * width + rights[part]] += 1 if is_ylop else -1
        if not is_ylop:
            supply[shape] -= 1
        level += 1
        fresh = level
    return level == levels
