"""Where a ghost goes, as tables: for each target and each cell the best moves, in order of preference."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from maze_gym.envs.pacman.layouts import Layout

Table: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]

# Of equally good moves the first: LEFT, RIGHT, UP, DOWN. The sample of the README shows that LEFT goes before
# DOWN; the rest is our choice among the twelve orders that agree with it.
_UP, _DOWN, _LEFT, _RIGHT = range(4)
PREFERENCE = (_LEFT, _RIGHT, _UP, _DOWN)
FAR = 1 << 16  # more than any distance on a board; between cells that no way joins


def toward_table(layout: Layout, *, by_path: bool) -> Table:
    """Per target and cell the moves that shorten the distance; the cell itself where none does."""
    return tuple(
        tuple(_closer(layout, distances, cell) for cell in range(layout.cells))
        for distances in _all_distances(layout, by_path=by_path)
    )


def away_table(layout: Layout, *, by_path: bool) -> Table:
    """Per target and cell the moves that lengthen the distance most; the cell itself where none does."""
    return tuple(
        tuple(_farther(layout, distances, cell) for cell in range(layout.cells))
        for distances in _all_distances(layout, by_path=by_path)
    )


def corner_cells(layout: Layout) -> tuple[int, int, int, int]:
    """The floor cells nearest to the corners: top right, top left, bottom right, bottom left."""
    last_row, last_col = layout.rows - 1, layout.cols - 1
    floor = [cell for cell in range(layout.cells) if not layout.walls >> cell & 1]

    def nearest(row: int, col: int) -> int:
        return min(floor, key=lambda cell: abs(cell // layout.cols - row) + abs(cell % layout.cols - col))

    return nearest(0, last_col), nearest(0, 0), nearest(last_row, last_col), nearest(last_row, 0)


def path_distances(layout: Layout, source: int) -> list[int]:
    """Steps from a cell to every cell, ``FAR`` where no way leads; ways are as long in both directions."""
    distances = [FAR] * layout.cells
    if layout.walls >> source & 1:
        return distances
    distances[source] = 0
    queue = deque((source,))
    while queue:
        cell = queue.popleft()
        for beside in layout.neighbours(cell):
            if distances[beside] == FAR:
                distances[beside] = distances[cell] + 1
                queue.append(beside)
    return distances


def _all_distances(layout: Layout, *, by_path: bool) -> list[list[int]]:
    if by_path:
        return [path_distances(layout, target) for target in range(layout.cells)]
    places = [layout.position(cell) for cell in range(layout.cells)]
    return [[abs(row - to_row) + abs(col - to_col) for row, col in places] for to_row, to_col in places]


def _closer(layout: Layout, distances: list[int], cell: int) -> tuple[int, ...]:
    around = layout.neighbours(cell)
    best = tuple(around[way] for way in PREFERENCE if distances[around[way]] < distances[cell])
    return best or (cell,)


def _farther(layout: Layout, distances: list[int], cell: int) -> tuple[int, ...]:
    around = layout.neighbours(cell)
    farthest = max(distances[beside] for beside in around)
    if farthest <= distances[cell]:
        return (cell,)
    return tuple(around[way] for way in PREFERENCE if distances[around[way]] == farthest)
