"""Several routes side by side, each in lanes of its own, between a trunk at either end.

With a chain, the goal lies at the end of a stem behind the second trunk: only there can a blocker
stand that no route goes around.
"""

# Compiled functions take no keywords, and int and np.int64 mix freely in them.
# ruff: noqa: PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.random_draws import below, combination
from mazegen.generation.carving import NOTHING, carve_between, lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def carve(
    floor: NDArray[np.uint8], cols: int, rng: NDArray[np.int64], routes: int, wander: int, steps: int
) -> tuple[int, int]:
    """Carve ``routes`` disjoint routes; see the package docstring.

    ``wander`` is in 1/1000; ``steps`` is how many blockers the stem must have room for, each
    with what opens it.
    """
    row_at, col_at = lattice(rng, floor.shape[0] // cols), lattice(rng, cols)
    upright = below(rng, 2) == 1  # routes run along columns of the board
    backwards = below(rng, 2) == 1
    lane_at, along_at = (col_at, row_at) if upright else (row_at, col_at)
    lane_stride, along_stride = (1, cols) if upright else (cols, 1)
    lanes, length = lane_at.shape[0], along_at.shape[0]
    last = length - (2 if steps > 0 else 1)
    if lanes < max(routes, steps) or last < 2:  # noqa: PLR2004 - two trunks and a column between
        return NOTHING, NOTHING
    along = np.empty(length, np.int64)  # cell offset of each column of the routes, first trunk first
    for column in range(length):
        along[column] = along_at[length - 1 - column if backwards else column] * along_stride
    across = lane_at * lane_stride
    bounds = np.empty(routes + 1, np.int64)  # the lanes from bounds[n] to bounds[n + 1] are route n's
    bounds[0], bounds[routes] = 0, lanes
    cuts = combination(rng, routes - 1, lanes - 1)
    for cut in range(routes - 1):
        bounds[cut + 1] = cuts[cut] + 1
    low_in, high_in, low_out, high_out = lanes, 0, lanes, 0
    for route in range(routes):
        first, size = bounds[route], bounds[route + 1] - bounds[route]
        lane = first + below(rng, size)
        low_in, high_in = min(low_in, lane), max(high_in, lane)
        for column in range(1, last + 1):
            carve_between(floor, cols, along[column - 1] + across[lane], along[column] + across[lane])
            if column < last and below(rng, 1000) < wander:
                other = first + below(rng, size)
                carve_between(floor, cols, along[column] + across[lane], along[column] + across[other])
                lane = other
        low_out, high_out = min(low_out, lane), max(high_out, lane)
    carve_between(floor, cols, along[0] + across[low_in], along[0] + across[high_in])
    carve_between(floor, cols, along[last] + across[low_out], along[last] + across[high_out])
    start = along[0] + across[low_in + below(rng, high_in - low_in + 1)]
    lane = low_out + below(rng, high_out - low_out + 1)
    goal = along[last] + across[lane]
    if steps > 0:
        goal = _carve_stem(floor, cols, rng, across, lane, along[last], along[last + 1], steps)
    return (start, goal) if goal != NOTHING else (NOTHING, NOTHING)


@inner
def _carve_stem(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    across: NDArray[np.int64],
    lane: int,
    trunk: int,
    beyond: int,
    steps: int,
) -> int:
    """Carve the stem from ``lane`` of the last trunk into the column beyond it and along that to the goal.

    Returns the goal, or ``NOTHING`` where the lanes leave no room for ``steps`` blockers on either side.
    """
    down, up = across.shape[0] - 1 - lane, lane
    forward = below(rng, 2) == 1
    if (down if forward else up) < steps - 1:
        forward = not forward
    room = down if forward else up
    if room < steps - 1:
        return NOTHING
    turn = beyond + across[lane]
    carve_between(floor, cols, trunk + across[lane], turn)
    reach = steps - 1 + below(rng, room - steps + 2)
    goal = beyond + across[lane + (reach if forward else -reach)]
    carve_between(floor, cols, turn, goal)
    return goal
