"""How the generator cuts a region into polyominoes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.envs.sparc.rules.puzzle import STEPS, extent, normalized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.sparc.generation.random_stream import RandomStream
    from maze_gym.envs.sparc.rules.puzzle import Position

SIDE = 4  # the public records write a shape into 4 x 4 cells
# Cells of a shape, and how often such shapes occur in the public sample.
_SIZES, _WEIGHTS = (1, 2, 3, 4, 5), (17, 28, 41, 44, 17)
_DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def shape_id(cells: tuple[Position, ...]) -> int:
    """The id of a shape, as the public records make it: bit ``4 * column + row`` for each cell.

    >>> shape_id(((0, 0), (0, 1)))
    17
    """
    return sum(1 << (SIDE * col + row) for row, col in normalized(cells))


def cut(dice: RandomStream, cells: Iterable[Position], *, connected: bool) -> list[tuple[Position, ...]]:
    """Cut cells (row, col of rule cells, counted without the lanes between) into shapes of 1 to 5 cells.

    Args:
        dice: draws sizes and forms.
        cells: what to cut up.
        connected: whether the cells of a shape must share sides; else they may also touch at corners.
    """
    left = set(cells)
    pieces = []
    steps = STEPS if connected else (*STEPS, *_DIAGONALS)
    while left:
        # The most enclosed cell first: later no piece could reach it.
        first = min(left, key=lambda cell: (len(_beside(cell, left, STEPS)), cell))
        piece = [first]
        left.remove(first)
        size = dice.weighted(_SIZES, _WEIGHTS)
        while len(piece) < size:
            options = sorted({other for cell in piece for other in _beside(cell, left, steps)})
            options = [other for other in options if max(extent((*piece, other))) <= SIDE]
            if not options:
                break
            piece.append(dice.choice(options))
            left.remove(piece[-1])
        pieces.append(tuple(sorted(piece)))
    return pieces


def _beside(cell: Position, left: set[Position], steps: tuple[tuple[int, int], ...]) -> list[Position]:
    row, col = cell
    return [(row + down, col + right) for down, right in steps if (row + down, col + right) in left]
