"""A fleet of envs and the beginnings of its episodes, compiled.

A fleet is one row of integers an env. Its mazes live in a pool of arrays, one slot a maze, that nobody
writes to while they are played; an episode begins by copying from its slot. Importing this module imports
numba.
"""

# Compiled functions take arrays one by one: bundles of them are counted at every use.
# ruff: noqa: PLR0913, PLR0917

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.core.compiling import compiled
from mazegen.core.maze import KEY_COLORS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Columns of a fleet, and of starts: cell * 4 + facing; the masks of ``rules.State``; steps left; actions of a
# shortest plan, -1 where there is none; row of ``outcome_table.foretell``; which maze of the pool.
POSE, TAKEN, OPENED, ON, LEFT, PLAN, SITUATION, SLOT = range(8)
FLEET_COLUMNS = 8  # half a cache line
CODE, PLACE, UNSET, SET = 0, 1, 2, 5  # columns of a thing; UNSET and SET are the first of three numbers each
THING_COLUMNS = 8
NUMBERS = 3  # of a cell of a grid
KEYS, LOCKS = 0, 1  # columns of the colours of a maze
COLORS = len(KEY_COLORS)
NO_SLOT = -1
BEGINNING = -1  # in place of steps: the action is not played, for it only asks for the first observation
MAX_STEPS = 2**31 - 2  # what a column of a fleet holds


@compiled
def catch_up(
    touched: NDArray[np.bool_],
    grids_before: NDArray[np.uint8],
    held_before: NDArray[np.uint8],
    optima_before: NDArray[np.int64],
    grids: NDArray[np.uint8],
    held: NDArray[np.uint8],
    optima: NDArray[np.int64],
) -> None:
    """Of two sets of arrays that take turns, bring the older one to where the other is."""
    for env in range(touched.shape[0]):
        if touched[env]:
            touched[env] = False
            optima[env] = optima_before[env]
            for place in range(grids.shape[1]):
                grids[env, place] = grids_before[env, place]
            for color in range(COLORS):
                held[env, color] = held_before[env, color]


@compiled
def restart(
    envs: NDArray[np.int64],
    count: int,
    steps: int,
    starts: NDArray[np.int32],
    first_grids: NDArray[np.uint8],
    first_held: NDArray[np.uint8],
    fleet: NDArray[np.int32],
    upcoming: NDArray[np.int64],
    grids: NDArray[np.uint8],
    held: NDArray[np.uint8],
    optima: NDArray[np.int64],
    touched: NDArray[np.bool_],
) -> None:
    """Begin an episode, in the slot that is up next, in the first ``count`` of these envs."""
    for index in range(count):
        env = envs[index]
        slot = upcoming[env]
        upcoming[env], touched[env] = NO_SLOT, True
        for column in range(FLEET_COLUMNS):
            fleet[env, column] = starts[slot, column]
        fleet[env, LEFT] -= steps
        fleet[env, SLOT] = slot
        optima[env] = fleet[env, PLAN]
        for place in range(grids.shape[1]):
            grids[env, place] = first_grids[slot, place]
        for color in range(COLORS):
            held[env, color] = first_held[slot, color]


@compiled
def line_up(
    envs: NDArray[np.int64],
    count: int,
    is_ready: NDArray[np.bool_],
    draws: NDArray[np.int64],
    drawn: NDArray[np.int64],
    upcoming: NDArray[np.int64],
    wanting: NDArray[np.int64],
) -> int:
    """Give each of these envs the slot of its next draw; how many have to be helped from outside.

    Args:
        envs: numbers of envs.
        count: how many of them.
        is_ready: (levels,) whether the slot of the same number holds the level.
        draws: (envs, block) numbers of levels that were drawn in advance.
        drawn: (envs,) how many of them are used up.
        upcoming: (envs,) receives the slots.
        wanting: (envs,) receives the envs whose draws are used up or whose level is not ready.
    """
    missing = 0
    for index in range(count):
        env = envs[index]
        slot = NO_SLOT
        if drawn[env] < draws.shape[1]:
            number = draws[env, drawn[env]]
            if number < is_ready.shape[0] and is_ready[number]:
                slot = number
                drawn[env] += 1
        upcoming[env] = slot
        if slot == NO_SLOT:
            wanting[missing] = env
            missing += 1
    return missing
