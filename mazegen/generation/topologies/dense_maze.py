"""A maze of passages that fills the board: a growing tree, and loops where they are asked for.

Growing tree after J. Buck, "Mazes for Programmers" (2015): always going on from the newest room gives
the recursive backtracker's long corridors, from a random one many short dead ends.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# ruff: noqa: PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.directions import COL_STEP, ROW_STEP
from mazegen.core.random_draws import below, shuffle
from mazegen.generation.carving import NOTHING, carve_between, lattice, walk_distances

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def carve(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    loops: int,
    coverage: int,
    branching: int,
    reserve: int,
) -> tuple[int, int]:
    """Carve a tree over part of the rooms, then ``loops`` more passages; see the package docstring.

    ``coverage`` and ``branching`` are in 1/1000; ``reserve`` rooms are left as rock.
    """
    row_at, col_at = lattice(rng, floor.shape[0] // cols), lattice(rng, cols)
    height, width = row_at.shape[0], col_at.shape[0]
    wanted = (height * width * coverage + 999) // 1000 - reserve
    if wanted < 2:  # noqa: PLR2004 - start and goal
        return NOTHING, NOTHING
    tree = np.empty(wanted, np.int64)  # rooms as row * width + column of the lattice
    alive = np.empty(wanted, np.int64)  # those that may still have rock beside them
    tree[0] = alive[0] = below(rng, height * width)
    floor[row_at[tree[0] // width] * cols + col_at[tree[0] % width]] = 1
    size, growing = 1, 1
    while size < wanted:
        place = below(rng, growing) if below(rng, 1000) < branching else growing - 1
        room = alive[place]
        after = _rock_beside(floor, cols, rng, row_at, col_at, room)
        if after == NOTHING:
            growing -= 1
            alive[place] = alive[growing]
            continue
        carve_between(
            floor,
            cols,
            row_at[room // width] * cols + col_at[room % width],
            row_at[after // width] * cols + col_at[after % width],
        )
        tree[size] = alive[growing] = after
        size, growing = size + 1, growing + 1
    if not _add_loops(floor, cols, rng, row_at, col_at, loops):
        return NOTHING, NOTHING
    cells = floor.shape[0]
    distance, queue = np.empty(cells, np.int64), np.empty(cells, np.int64)
    room = tree[below(rng, size)]
    start = walk_distances(floor, cols, row_at[room // width] * cols + col_at[room % width], distance, queue)
    return start, walk_distances(floor, cols, start, distance, queue)


@inner
def _rock_beside(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    row_at: NDArray[np.int64],
    col_at: NDArray[np.int64],
    room: int,
) -> int:
    """A random neighbour of a room that is not carved yet, or NOTHING."""
    height, width = row_at.shape[0], col_at.shape[0]
    found, count = NOTHING, 0
    for direction in range(4):
        row, col = room // width + ROW_STEP[direction], room % width + COL_STEP[direction]
        if 0 <= row < height and 0 <= col < width and floor[row_at[row] * cols + col_at[col]] == 0:
            count += 1
            if below(rng, count) == 0:  # each of the candidates stays with the same chance
                found = row * width + col
    return found


@inner
def _add_loops(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    row_at: NDArray[np.int64],
    col_at: NDArray[np.int64],
    loops: int,
) -> bool:
    """Join ``loops`` pairs of carved rooms that have a wall between them, if there are as many."""
    if loops == 0:
        return True
    height, width = row_at.shape[0], col_at.shape[0]
    walls = np.empty(2 * height * width, np.int64)  # room * 2, plus 1 for the wall to the south
    count = 0
    for room in range(height * width):
        row, col = room // width, room % width
        cell = row_at[row] * cols + col_at[col]
        if (
            col + 1 < width
            and floor[cell]
            and not floor[cell + 1]
            and floor[row_at[row] * cols + col_at[col + 1]]
        ):
            walls[count], count = room * 2, count + 1
        if (
            row + 1 < height
            and floor[cell]
            and not floor[cell + cols]
            and floor[row_at[row + 1] * cols + col_at[col]]
        ):
            walls[count], count = room * 2 + 1, count + 1
    if count < loops:
        return False
    shuffle(rng, walls, count)
    for wall in walls[:loops]:
        row, col = (wall // 2) // width, (wall // 2) % width
        cell = row_at[row] * cols + col_at[col]
        if wall % 2:
            carve_between(floor, cols, cell, row_at[row + 1] * cols + col_at[col])
        else:
            carve_between(floor, cols, cell, row_at[row] * cols + col_at[col + 1])
    return True
