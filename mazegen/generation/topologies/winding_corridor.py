"""One corridor that winds over the board: no junctions, exactly as many turns as asked for."""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# ruff: noqa: PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.core.compiling import compiled, inner
from mazegen.core.directions import COL_STEP, ROW_STEP
from mazegen.core.random_draws import below
from mazegen.generation.carving import NOTHING, carve_between, lattice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESTARTS = 200  # a corridor that ran into itself is begun anew


@compiled
def carve(
    floor: NDArray[np.uint8], cols: int, rng: NDArray[np.int64], turns: int, max_straight: int
) -> tuple[int, int]:
    """Carve a self-avoiding corridor of ``turns + 1`` straight pieces; see the package docstring."""
    row_at, col_at = lattice(rng, floor.shape[0] // cols), lattice(rng, cols)
    height, width = row_at.shape[0], col_at.shape[0]
    for _ in range(RESTARTS):
        floor[:] = 0
        row, col = below(rng, height), below(rng, width)
        start = row_at[row] * cols + col_at[col]
        floor[start] = 1
        direction = below(rng, 4)
        pieces = 0
        while pieces <= turns:
            if pieces > 0:
                direction = (direction + 1 + 2 * below(rng, 2)) & 3
            room = _free_steps(floor, cols, row_at, col_at, row, col, direction)
            if room == 0 and pieces > 0:
                direction ^= 2
                room = _free_steps(floor, cols, row_at, col_at, row, col, direction)
            if room == 0:
                break
            steps = 1 + below(rng, min(room, max_straight))
            before = row_at[row] * cols + col_at[col]
            row, col = row + ROW_STEP[direction] * steps, col + COL_STEP[direction] * steps
            carve_between(floor, cols, before, row_at[row] * cols + col_at[col])
            pieces += 1
        if pieces > turns:
            return start, row_at[row] * cols + col_at[col]
    return NOTHING, NOTHING


@inner
def _free_steps(
    floor: NDArray[np.uint8],
    cols: int,
    row_at: NDArray[np.int64],
    col_at: NDArray[np.int64],
    row: int,
    col: int,
    direction: int,
) -> int:
    """How many rooms ahead are still rock."""
    steps = 0
    row, col = row + ROW_STEP[direction], col + COL_STEP[direction]
    while 0 <= row < row_at.shape[0] and 0 <= col < col_at.shape[0]:
        if floor[row_at[row] * cols + col_at[col]]:
            break
        steps += 1
        row, col = row + ROW_STEP[direction], col + COL_STEP[direction]
    return steps
