"""Where a ghost goes, as tables: for each target and each cell the best moves, in order of preference."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
    from maze_gym.envs.pacman.rules.layout import Layout

# Of equally good moves the first: LEFT, RIGHT, UP, DOWN. The sample of the README shows that LEFT goes before
# DOWN; the rest is our choice among the twelve orders that agree with it.
_UP, _DOWN, _LEFT, _RIGHT = range(4)
PREFERENCE = (_LEFT, _RIGHT, _UP, _DOWN)
STAY = 4  # where no way is better
COUNT_BITS = WAY_BITS = 3  # of a code: how many ways there are, then each
COUNT_MASK = WAY_MASK = (1 << 3) - 1
FAR = 1 << 16  # more than any distance on a board; between cells that no way joins


def way_rows(layout: Layout, mind: GhostBehaviour) -> Iterator[tuple[int, ...]]:
    """Two rows a target: per cell the way of a ghost to near the target, and to get away from it.

    That is the cell that it goes to, its own where none is better; or, where luck decides, a code of all ways
    that are as good. The rows of ghosts that never flee are twice the same.
    """
    around = [layout.neighbours(cell) for cell in range(layout.cells)]
    for distances in _all_distances(layout, by_path=mind.chase == "path"):
        near = [_closer(around, distances, cell) for cell in range(layout.cells)]
        far = [_farther(around, distances, cell) for cell in range(layout.cells)] if mind.flee else near
        for best in (near, far):
            if mind.random_ties:
                yield tuple(map(code, best))
            else:
                yield tuple(around[cell][ways[0]] if ways else cell for cell, ways in enumerate(best))


def code(ways: tuple[int, ...]) -> int:
    """How many ways there are, then each of them, in one small number; ``STAY`` where there is none."""
    ways = ways or (STAY,)
    return len(ways) | sum(way << (COUNT_BITS + WAY_BITS * index) for index, way in enumerate(ways))


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


def _closer(around: list[tuple[int, int, int, int]], distances: list[int], cell: int) -> tuple[int, ...]:
    """The ways that shorten the distance."""
    return tuple(way for way in PREFERENCE if distances[around[cell][way]] < distances[cell])


def _farther(around: list[tuple[int, int, int, int]], distances: list[int], cell: int) -> tuple[int, ...]:
    """The ways that lengthen the distance most."""
    farthest = max(distances[beside] for beside in around[cell])
    if farthest <= distances[cell]:
        return ()
    return tuple(way for way in PREFERENCE if distances[around[cell][way]] == farthest)
