"""Many games at once: the compiled loop of a vector env around ``rules.advance``, which knows what happens.

All boards are laid out on boards of one size, so that a cell is the same number in each. Importing this
module imports numba.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that. The
# functions take arrays one by one: bundles of them are counted at every use, and arrays handed to a function
# inside a loop at every turn. Therefore ``advance`` alone is given rows, and all else is looked up by pairs.
# ruff: noqa: PLR0913, PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba.extending import register_jitable

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.observation import Plane
from maze_gym.envs.pacman.rules import ATE, HOMES, NOTHING, PELLET, POWER_PELLET, Event
from mazegen.core.compiling import compiled, inlined

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLAYER, TIMER, SPENT, SCORE, STEPS, PHASE, LEFT, GHOSTS = range(8)  # columns of a fleet, and of starts
COLUMNS = 8
BEGINNING = -1  # in place of steps: the action is not played, for it only asks for the first observation
NO_EVENT = -1  # an episode has just begun
_ACTIONS, _PLANES = len(rules.Action), len(Plane)
_DOT, _POWER, _SPENT = int(Plane.DOT), int(Plane.POWER), int(Plane.SPENT)
_GHOSTS, _PLAYER = int(Plane.GHOSTS), int(Plane.PLAYER)
_OVER_LEAST = int(Event.DIED)  # events that end the game are the highest bits
_POINTS_PER_REWARD = rules.POINTS_PER_REWARD

# Compiled where they are called from compiled code, and plain everywhere else.
for _called in (
    rules.enter, rules.contact, rules.finish, rules.aim, rules.rolled, rules.choose, rules.ghosts_on,
    rules.send_home, rules.move_ghosts, rules.run_down,
):  # fmt: skip
    register_jitable(forceinline=True)(_called)


_advance = inlined(rules.advance)


@compiled
def restart(
    envs: NDArray[np.int64],
    count: int,
    steps: int,
    starts: NDArray[np.int32],
    tables: NDArray[np.int16],
    first_planes: NDArray[np.uint8],
    fleet: NDArray[np.int32],
    ghosts: NDArray[np.int16],
    lucks: NDArray[np.int64],
    slots: NDArray[np.int64],
    upcoming: NDArray[np.int64],
    upcoming_lucks: NDArray[np.int64],
    planes: NDArray[np.uint8],
) -> None:
    """Begin an episode in the first ``count`` of these envs, with the board and luck that are up next."""
    for index in range(count):
        env = envs[index]
        slot = upcoming[env]
        slots[env], lucks[env] = slot, upcoming_lucks[env]
        for column in range(COLUMNS):
            fleet[env, column] = starts[slot, column]
        fleet[env, STEPS] = steps
        for ghost in range(ghosts.shape[1]):
            ghosts[env, ghost] = tables[slot, HOMES, ghost]
        for place in range(planes.shape[1]):
            planes[env, place] = first_planes[slot, place]


@compiled
def observe(
    envs: NDArray[np.int64],
    count: int,
    limit: int,
    tables: NDArray[np.int16],
    fleet: NDArray[np.int32],
    slots: NDArray[np.int64],
    timers: NDArray[np.int32],
    scores: NDArray[np.int32],
    steps: NDArray[np.int32],
    masks: NDArray[np.int8],
    steps_left: NDArray[np.int64],
    dots_left: NDArray[np.int64],
) -> None:
    """Write what is seen besides the planes, and the action masks, of the first ``count`` of these envs."""
    for index in range(count):
        env = envs[index]
        player, slot = fleet[env, PLAYER], slots[env]
        timers[env], scores[env] = fleet[env, TIMER], fleet[env, SCORE]
        steps[env] = max(fleet[env, STEPS], 0)
        steps_left[env] = limit - steps[env]
        dots_left[env] = fleet[env, LEFT]
        for action in range(_ACTIONS):
            masks[env, action] = tables[slot, action, player] != player


@inlined
def _judge(
    limit: int,
    fleet: NDArray[np.int32],
    events: NDArray[np.int8],
    over: NDArray[np.int64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
) -> int:
    """Say which games are over, and how many."""
    ends = 0
    for env in range(events.shape[0]):
        ended = events[env] >= _OVER_LEAST
        late = not ended and fleet[env, STEPS] >= limit
        terminated[env], truncated[env] = ended, late
        if ended or late:
            over[ends] = env
            ends += 1
    return ends


@compiled
def play(
    actions: NDArray[np.int64],
    limit: int,
    tables: NDArray[np.int16],
    fleet: NDArray[np.int32],
    ghosts: NDArray[np.int16],
    lucks: NDArray[np.int64],
    slots: NDArray[np.int64],
    over: NDArray[np.int64],
    planes: NDArray[np.uint8],
    rewards: NDArray[np.float64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    events: NDArray[np.int8],
) -> int:
    """Play one action in each env; how many games are over, by their end or by ``limit``, see ``over``.

    In an env whose steps are at ``BEGINNING``, the action is not played.
    """
    size = planes.shape[1] // _PLANES
    for env in range(actions.shape[0]):
        fleet[env, STEPS] += 1
        rewards[env], events[env] = 0.0, NO_EVENT
        if fleet[env, STEPS] == BEGINNING + 1:
            continue
        slot, player, count = slots[env], np.int64(fleet[env, PLAYER]), fleet[env, GHOSTS]
        # Everybody leaves the planes, and comes back when all is decided.
        planes[env, _PLAYER * size + player] = 0
        for ghost in range(count):
            planes[env, _GHOSTS * size + ghosts[env, ghost]] = 0
            planes[env, _SPENT * size + ghosts[env, ghost]] = 0
        target = np.int64(tables[slot, actions[env], player])
        dot, power = _DOT * size + target, _POWER * size + target
        lies = PELLET if planes[env, dot] else POWER_PELLET if planes[env, power] else NOTHING
        left, timer = np.int64(fleet[env, LEFT]), np.int64(fleet[env, TIMER])
        spent, phase = np.int64(fleet[env, SPENT]), np.int64(fleet[env, PHASE])
        timer, spent, events[env], points, phase, lucks[env] = _advance(
            tables[slot], ghosts[env, :count], player, target, lies, left, timer, spent, phase, lucks[env]
        )
        if events[env] & ATE:
            planes[env, dot] = planes[env, power] = 0
            fleet[env, LEFT] -= 1
        planes[env, _PLAYER * size + target] = 1
        for ghost in range(count):
            planes[env, _GHOSTS * size + ghosts[env, ghost]] += 1
            planes[env, _SPENT * size + ghosts[env, ghost]] += spent >> ghost & 1
        fleet[env, PLAYER], fleet[env, TIMER], fleet[env, SPENT] = target, timer, spent
        fleet[env, SCORE] += points
        fleet[env, PHASE], rewards[env] = phase, points / _POINTS_PER_REWARD
    return _judge(limit, fleet, events, over, terminated, truncated)
