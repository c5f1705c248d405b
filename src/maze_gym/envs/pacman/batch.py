"""Many games at once: the compiled loop of a vector env, over the scalar functions of ``rules``.

It keeps the order of things that ``rules.step`` keeps, and decides nothing itself. All boards are laid out
on boards of one size, so that a cell is the same number in each. Importing this module imports numba.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that. The
# functions take arrays one by one: bundles of them are counted at every use, and arrays handed to a function
# inside a loop at every turn.
# ruff: noqa: PLR0913, PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numba import njit

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.observation import Plane
from maze_gym.envs.pacman.rules import BLOCKED, FLEE, NOTHING, PELLET, POWER_PELLET, SCATTER, Event
from mazegen.kernels import compiled, forget_stale_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

F = TypeVar("F", bound="Callable[..., object]")

PLAYER, TIMER, SPENT, SCORE, STEPS, PHASE, LEFT = range(7)  # columns of a fleet, and of starts
COLUMNS = 8
GHOSTS, FLEES, SCATTERS, TIES = range(4)  # columns of the traits of a board
BEGINNING = -1  # in place of steps: the action is not played, for it only asks for the first observation
NO_EVENT = -1  # an episode has just begun
# Where a ghost may go, in 16 bits: how many equally good moves there are, then each as an action.
COUNT_BITS, MOVE_BITS = 3, 2
_COUNT, _MOVE = (1 << COUNT_BITS) - 1, (1 << MOVE_BITS) - 1
_ACTIONS = len(rules.Action)
_DOT, _POWER, _SPENT = int(Plane.DOT), int(Plane.POWER), int(Plane.SPENT)
_GHOSTS, _PLAYER = int(Plane.GHOSTS), int(Plane.PLAYER)
_OVER_LEAST = int(Event.DIED)  # events that end the game are the highest bits
_CYCLE_STEPS, _POINTS_PER_REWARD = rules.CYCLE_STEPS, rules.POINTS_PER_REWARD
_FACTOR, _STEP = np.uint64(rules.LUCK_FACTOR), np.uint64(rules.LUCK_STEP)
_MASK, _SHIFT = np.uint64(rules.LUCK_MASK), np.uint64(rules.LUCK_SHIFT)


def _inlined(function: F) -> F:
    """Compile a function into whoever calls it."""
    return cast("F", njit(nogil=True, forceinline=True)(function))


_enter, _contact, _finish = _inlined(rules.enter), _inlined(rules.contact), _inlined(rules.finish)
_aim, _rolled = _inlined(rules.aim), _inlined(rules.rolled)


@compiled
def restart(
    envs: NDArray[np.int64],
    count: int,
    steps: int,
    starts: NDArray[np.int32],
    homes: NDArray[np.int16],
    first_planes: NDArray[np.uint8],
    fleet: NDArray[np.int32],
    ghosts: NDArray[np.int16],
    lucks: NDArray[np.uint64],
    slots: NDArray[np.int64],
    upcoming: NDArray[np.int64],
    upcoming_lucks: NDArray[np.uint64],
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
            ghosts[env, ghost] = homes[slot, ghost]
        for place in range(planes.shape[1]):
            planes[env, place] = first_planes[slot, place]


@compiled
def observe(
    envs: NDArray[np.int64],
    count: int,
    limit: int,
    moves: NDArray[np.int16],
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
            masks[env, action] = moves[slot, action, player] != player


@compiled
def play(  # noqa: C901, PLR0912, PLR0915 - the rules in the order in which they happen
    actions: NDArray[np.int64],
    limit: int,
    moves: NDArray[np.int16],
    toward: NDArray[np.uint16],
    away: NDArray[np.uint16],
    corners: NDArray[np.int16],
    traits: NDArray[np.int64],
    homes: NDArray[np.int16],
    fleet: NDArray[np.int32],
    ghosts: NDArray[np.int16],
    lucks: NDArray[np.uint64],
    slots: NDArray[np.int64],
    over: NDArray[np.int64],
    planes: NDArray[np.uint8],
    rewards: NDArray[np.float64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    events_: NDArray[np.int8],
) -> int:
    """Play one action in each env; how many games are over, by their end or by ``limit``, see ``over``.

    In an env whose steps are at ``BEGINNING``, the action is not played.
    """
    ends, size = 0, planes.shape[1] // 6
    for env in range(actions.shape[0]):
        steps = fleet[env, STEPS] + 1
        fleet[env, STEPS] = steps
        if steps == BEGINNING + 1:
            rewards[env], terminated[env], truncated[env], events_[env] = 0.0, False, False, NO_EVENT
            continue
        slot, player = slots[env], np.int64(fleet[env, PLAYER])
        timer, spent, left = np.int64(fleet[env, TIMER]), np.int64(fleet[env, SPENT]), fleet[env, LEFT]
        count, phase, luck = traits[slot, GHOSTS], np.int64(fleet[env, PHASE]), lucks[env]
        # Everybody leaves the planes, and comes back when all is decided.
        planes[env, _PLAYER * size + player] = 0
        for ghost in range(count):
            planes[env, _GHOSTS * size + ghosts[env, ghost]] = 0
            planes[env, _SPENT * size + ghosts[env, ghost]] = 0
        target = np.int64(moves[slot, actions[env], player])
        lies = NOTHING
        if target == player:
            lies = BLOCKED
        elif planes[env, _DOT * size + target]:
            lies, left = PELLET, left - 1
            planes[env, _DOT * size + target] = 0
        elif planes[env, _POWER * size + target]:
            lies, left = POWER_PELLET, left - 1
            planes[env, _POWER * size + target] = 0
        timer, spent, events, points = _enter(lies, timer, spent)
        met = 0
        for ghost in range(count):
            if ghosts[env, ghost] == target:
                met |= 1 << ghost
        resting = 0
        if met:
            spent, events, points = _contact(met, timer, spent, events, points)
            if timer:
                resting = met
                for ghost in range(count):
                    if met >> ghost & 1:
                        ghosts[env, ghost] = homes[slot, ghost]
        if left == 0:
            events, points = _finish(events, points)
        if events < _OVER_LEAST:
            aimed = _aim(timer, phase, traits[slot, FLEES], traits[slot, SCATTERS])
            met = 0
            for ghost in range(count):
                if resting >> ghost & 1:
                    continue
                here = ghosts[env, ghost]
                towards = np.int64(corners[slot, ghost & 3]) if aimed == SCATTER else target
                ways = (
                    np.int64(away[slot, towards, here])
                    if aimed == FLEE
                    else np.int64(toward[slot, towards, here])
                )
                equal = ways & _COUNT
                if equal:
                    chosen = 0
                    if equal > 1 and traits[slot, TIES]:
                        luck = _rolled(luck, _FACTOR, _STEP, _MASK)
                        chosen = np.int64((luck >> _SHIFT) % np.uint64(equal))
                    here = moves[slot, ways >> (COUNT_BITS + MOVE_BITS * chosen) & _MOVE, here]
                    ghosts[env, ghost] = here
                if here == target:
                    met |= 1 << ghost
            if met:
                spent, events, points = _contact(met, timer, spent, events, points)
                if timer:
                    for ghost in range(count):
                        if met >> ghost & 1:
                            ghosts[env, ghost] = homes[slot, ghost]
            if traits[slot, SCATTERS]:
                phase = (phase + 1) % _CYCLE_STEPS
        planes[env, _PLAYER * size + target] = 1
        for ghost in range(count):
            planes[env, _GHOSTS * size + ghosts[env, ghost]] += 1
            planes[env, _SPENT * size + ghosts[env, ghost]] += spent >> ghost & 1
        fleet[env, PLAYER], fleet[env, TIMER], fleet[env, SPENT] = target, timer, spent
        fleet[env, SCORE] += points
        fleet[env, PHASE], fleet[env, LEFT], lucks[env] = phase, left, luck
        ended = events >= _OVER_LEAST
        late = not ended and steps >= limit
        rewards[env] = points / _POINTS_PER_REWARD
        terminated[env], truncated[env], events_[env] = ended, late, events
        if ended or late:
            over[ends] = env
            ends += 1
    return ends


_HERE = Path(__file__).parent
forget_stale_code(
    "pacman",
    ("kernels.py", *(str(_HERE / name) for name in ("rules.py", "observation.py", "batch.py"))),
    (play,),
)
