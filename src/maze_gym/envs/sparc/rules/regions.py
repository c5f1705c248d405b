"""Regions: the parts into which a line cuts the rule cells of a board."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.sparc.rules.puzzle import Position, Puzzle

Region: TypeAlias = "tuple[Position, ...]"
_Beside: TypeAlias = "dict[Position, tuple[tuple[Position, Position], ...]]"

DEFINITION = (
    "A region is a group of rule cells: two rule cells side by side belong to the same region unless the "
    "line passes between them. Gaps do not separate regions; the border of the board does."
)


def regions(puzzle: Puzzle, path: Iterable[Position]) -> tuple[Region, ...]:
    """The regions of a line, in reading order of their first cells; cells are (row, col), sorted.

    >>> from maze_gym.envs.sparc.rules.puzzle import Puzzle
    >>> regions(Puzzle("two cells", 1, 2, (0, 2), (2, 2)), [(0, 2), (1, 2), (2, 2)])
    (((1, 1),), ((1, 3),))
    """
    beside = _beside(puzzle.height, puzzle.width)
    line = set(path)
    seen: set[Position] = set()
    found = []
    for first in beside:
        if first in seen:
            continue
        seen.add(first)
        cells = [first]
        for cell in cells:  # grows while it is read
            for between, other in beside[cell]:
                if between not in line and other not in seen:
                    seen.add(other)
                    cells.append(other)
        found.append(tuple(sorted(cells)))
    return tuple(found)


@lru_cache(maxsize=256)
def _beside(height: int, width: int) -> _Beside:
    """For each rule cell, in reading order: its neighbours, each after the edge that lies between."""
    cells = [(row, col) for row in range(1, 2 * height, 2) for col in range(1, 2 * width, 2)]
    inside = set(cells)
    return {
        (row, col): tuple(
            ((row + down, col + right), (row + 2 * down, col + 2 * right))
            for down, right in ((0, 1), (-1, 0), (0, -1), (1, 0))
            if (row + 2 * down, col + 2 * right) in inside
        )
        for row, col in cells
    }
