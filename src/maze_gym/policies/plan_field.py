"""Fields of values over a board: how good each cell is as a first step towards what is worth reaching.

The compiled heart of the planner network. Every cell has a code; each channel of the network holds, for
each code, a worth and a cost. A cell's value is the best of its own worth and its neighbours' values, less
its cost:

    value(cell) = max(worth(cell), max over the four neighbours of value) - cost(cell)

which is value iteration on a grid (Tamar et al., "Value Iteration Networks", 2016), in costs instead of a
discount, so that a step matters as much far away as near by. The gradient runs back along the best path.
Importing this module imports numba; under ``NUMBA_DISABLE_JIT=1`` it is plain, slow Python.
"""

# Compiled functions take arrays one by one: bundles of them are counted at every use.
# ruff: noqa: PLR0917

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import fast

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETTLED = np.float32(1e-3)  # a sweep that raises all values together by less than this is the last one
SLACK = np.float32(1e-4)  # a neighbour has to be better by this much for a path to go on through it
MAX_SWEEPS = 256  # each settles all cells that a path reaches without turning back; mazes need about five


@fast
def fill_values(
    codes: NDArray[np.uint8],
    worth: NDArray[np.float32],
    cost: NDArray[np.float32],
    cols: int,
    values: NDArray[np.float32],
) -> None:
    """Fill in the value of every cell.

    Args:
        codes: (boards, cells) of cells in row-major order; the outer ring stays as it is.
        worth: (codes, channels) of reaching a cell.
        cost: (codes, channels) of entering it, above 0.
        cols: cells in a row.
        values: (boards, cells, channels) receives the values.
    """
    boards, cells = codes.shape
    channels = worth.shape[1]
    width = cols - 2
    inner = (cells // cols - 2) * width
    for board in range(boards):
        for cell in range(cells):
            code = codes[board, cell]
            for channel in range(channels):
                values[board, cell, channel] = worth[code, channel] - cost[code, channel]
        for sweep in range(MAX_SWEEPS):
            raised = np.float32(0)
            for index in range(inner):
                place = inner - 1 - index if sweep % 2 else index  # there and back
                cell = (place // width + 1) * cols + place % width + 1
                code = codes[board, cell]
                for channel in range(channels):
                    upright = max(values[board, cell - cols, channel], values[board, cell + cols, channel])
                    across = max(values[board, cell - 1, channel], values[board, cell + 1, channel])
                    before = values[board, cell, channel]
                    after = max(max(upright, across) - cost[code, channel], before)
                    raised += after - before
                    values[board, cell, channel] = after
            if raised < SETTLED:
                break


@fast
def add_gradients(
    codes: NDArray[np.uint8],
    worth: NDArray[np.float32],
    cols: int,
    values: NDArray[np.float32],
    places: NDArray[np.int64],
    upstream: NDArray[np.float32],
    worth_gradient: NDArray[np.float32],
    cost_gradient: NDArray[np.float32],
) -> None:
    """Add up what the values at some places owe to each worth and cost.

    Args:
        codes: as for ``fill_values``, which has filled ``values``.
        worth: as there.
        cols: as there.
        values: as there.
        places: (boards, places) cells whose values were used.
        upstream: (boards, places, channels) gradient of the loss by those values.
        worth_gradient: (codes, channels) is added to.
        cost_gradient: likewise.
    """
    boards, cells = codes.shape
    rows = cells // cols
    for board in range(boards):
        for place in range(places.shape[1]):
            for channel in range(worth.shape[1]):
                share = upstream[board, place, channel]
                cell = places[board, place]
                for _ in range(cells):
                    code = codes[board, cell]
                    cost_gradient[code, channel] -= share
                    best, onward = worth[code, channel] + SLACK, -1
                    if 0 < cell // cols < rows - 1 and 0 < cell % cols < cols - 1:
                        for neighbour in (cell - cols, cell + cols, cell - 1, cell + 1):
                            if values[board, neighbour, channel] > best:
                                best, onward = values[board, neighbour, channel], neighbour
                    if onward < 0:
                        worth_gradient[code, channel] += share
                        break
                    cell = onward
