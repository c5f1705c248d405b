"""Compiled tools of the layouts: the lattice of rooms, corridors and tunnels.

A floor is one byte a cell in row-major order, 1 where one can walk. Layouts carve on a lattice whose
rooms have a wall between them, so that two passages touch only where they were joined on purpose.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# ruff: noqa: PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import inner
from mazegen.core.directions import COL_STEP, ROW_STEP
from mazegen.core.random_draws import below

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOTHING = -1
ANY_SIDE, LEFT, RIGHT = 0, 1, 2
TUNNEL_TRIES = 24


@inner
def lattice(rng: NDArray[np.int64], side: int) -> NDArray[np.int64]:
    """Coordinates of the lattice's rooms along a side of the board, two cells apart.

    An even side has one line of cells to spare; it goes to a random place, so that the whole board
    is used and corridors across it are one cell longer.
    """
    rooms = (side - 1) // 2
    spare_from = rooms if side % 2 else 1 + below(rng, rooms)
    at = np.empty(rooms, np.int64)
    for room in range(rooms):
        at[room] = 1 + 2 * room + (1 if room >= spare_from else 0)
    return at


@inner
def carve_line(floor: NDArray[np.uint8], first: int, last: int, step: int) -> None:
    """Open the cells from ``first`` to ``last``, both included; ``step`` is +-1 or +-cols."""
    cell = first
    floor[cell] = 1
    while cell != last:
        cell += step
        floor[cell] = 1


@inner
def carve_between(floor: NDArray[np.uint8], cols: int, first: int, last: int) -> None:
    """Open the straight line between two cells of one row or one column."""
    if first // cols == last // cols:
        carve_line(floor, first, last, 1 if last >= first else -1)
    else:
        carve_line(floor, first, last, cols if last >= first else -cols)


@inner
def open_sides(floor: NDArray[np.uint8], cols: int, cell: int) -> int:
    """How many of the four neighbours of a cell can be walked on."""
    return floor[cell - cols] + floor[cell + 1] + floor[cell + cols] + floor[cell - 1]


@inner
def stride(cols: int, direction: int) -> int:
    """What to add to a cell to go one step in a direction."""
    return ROW_STEP[direction] * cols + COL_STEP[direction]


@inner
def can_tunnel(floor: NDArray[np.uint8], cols: int, cell: int, direction: int) -> bool:
    """Whether the next cell is rock inside the ring that touches no floor but the cell one stands on."""
    rows = floor.shape[0] // cols
    row, col = cell // cols + ROW_STEP[direction], cell % cols + COL_STEP[direction]
    if row < 1 or col < 1 or row > rows - 2 or col > cols - 2:
        return False
    after = row * cols + col
    return floor[after] == 0 and open_sides(floor, cols, after) == 1


@inner
def tunnel(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    mouth: int,
    first_direction: int,
    length: int,
    cells: NDArray[np.int64],
) -> bool:
    """Dig a side branch of exactly ``length`` cells from a floor cell into solid rock.

    Args:
        floor: (cells,) changed only if the tunnel could be dug.
        cols: width of the board.
        rng: (4,) stream.
        mouth: the floor cell it starts beside.
        first_direction: where to start, or NOTHING for any.
        length: how many cells.
        cells: (at least length,) receives the cells, from the mouth inwards.
    """
    dug, cell = 0, mouth
    while dug < length:
        start = below(rng, 4)
        found = NOTHING
        for turn in range(4):
            direction = (start + turn) & 3
            fits = first_direction in (NOTHING, direction) or dug > 0
            if fits and can_tunnel(floor, cols, cell, direction):
                found = direction
                break
        if found == NOTHING:
            for back in range(dug):
                floor[cells[back]] = 0
            return False
        cell += stride(cols, found)
        floor[cell] = 1
        cells[dug] = cell
        dug += 1
    return True


@inner
def walk_distances(
    floor: NDArray[np.uint8], cols: int, source: int, distance: NDArray[np.int64], queue: NDArray[np.int64]
) -> int:
    """Steps from ``source`` over the floor to every cell, NOTHING where none leads; the farthest cell.

    ``distance`` and ``queue`` are (cells,) and are overwritten.
    """
    distance[:] = NOTHING
    distance[source] = 0
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        cell = queue[head]
        head += 1
        for direction in range(4):
            after = cell + stride(cols, direction)
            if floor[after] and distance[after] == NOTHING:
                distance[after] = distance[cell] + 1
                queue[tail] = after
                tail += 1
    return queue[tail - 1]
