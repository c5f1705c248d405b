"""A main route across the board that leaves rock on both hands for the vaults off it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled
from mazegen.core.random_draws import below
from mazegen.generation.carving import NOTHING, carve_between, lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRAIGHT_ON = 400  # of 1000: how often the route keeps its lane at a column


@compiled
def carve(floor: NDArray[np.uint8], cols: int, rng: NDArray[np.int64]) -> tuple[int, int]:
    """Carve a route from one side of the board to the other; see the package docstring.

    The vaults are dug when it is known where the doors stand: a vault lies off the zone of its step.
    """
    row_at, col_at = lattice(rng, floor.shape[0] // cols), lattice(rng, cols)
    upright = below(rng, 2) == 1
    backwards = below(rng, 2) == 1
    lane_at, along_at = (col_at, row_at) if upright else (row_at, col_at)
    lane_stride, along_stride = (1, cols) if upright else (cols, 1)
    lanes, length = lane_at.shape[0], along_at.shape[0]
    if length < 2:  # noqa: PLR2004 - start and goal
        return NOTHING, NOTHING
    along = np.empty(length, np.int64)
    for column in range(length):
        along[column] = along_at[length - 1 - column if backwards else column] * along_stride
    across = lane_at * lane_stride
    band = 1 + lanes // 2  # lanes the route may use; the rest is kept for the vaults
    first = below(rng, lanes - band + 1) if band < lanes else 0
    band = min(band, lanes)
    lane = first + below(rng, band)
    start = along[0] + across[lane]
    for column in range(1, length):
        if below(rng, 1000) >= STRAIGHT_ON:
            other = first + below(rng, band)
            carve_between(floor, cols, along[column - 1] + across[lane], along[column - 1] + across[other])
            lane = other
        carve_between(floor, cols, along[column - 1] + across[lane], along[column] + across[lane])
    return start, along[length - 1] + across[lane]
