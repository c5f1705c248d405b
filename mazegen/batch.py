"""Many mazes at once: the compiled loops of a vector env, over ``rules.apply`` and nothing else.

Grids of three small numbers a cell are kept up to date cell by cell: what a thing looks like in either of
its states comes from the pool of mazes, so nothing here knows what the numbers mean.

All mazes of a pool are laid out on boards of one size, with wall below and to the right, so that a cell is
the same number in each. Importing this module imports numba.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that. The
# functions take arrays one by one: bundles of them are counted at every use, and arrays handed to a function
# inside a loop at every turn. Indexing with unsigned numbers leaves out the question whether to count from
# the end.
# ruff: noqa: PLR0913, PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numba import njit

from mazegen import rules
from mazegen.carving import inner
from mazegen.fleet import (
    BEGINNING,
    CELL,
    CODE,
    COLORS,
    FACING,
    KEYS,
    LIMIT,
    LOCKS,
    NO_EVENT,
    NUMBERS,
    ON,
    OPENED,
    PLACE,
    SET,
    STEPS,
    TAKEN,
    UNSET,
    catch_up,
    line_up,
    restart,
)
from mazegen.kernels import ACTIONS, DONE_EVENT, MOVE_FORWARD, compiled, forget_stale_code
from mazegen.rules import DOOR, FREE, GATE, KEY, SWITCH, WALL

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

F = TypeVar("F", bound="Callable[..., object]")

TRAIT_SHIFT = 32  # a link and a trait share 64 bits; masks stay below 2**20
_LINK_MASK = (1 << TRAIT_SHIFT) - 1
_Index = np.uint64


def _inlined(function: F) -> F:
    """Compile a function into whoever calls it; unasked, the compiler finds the rules too long for that.

    Not cached on disk: numba would not tell it from the same function compiled without this wish.
    """
    return cast("F", njit(nogil=True, forceinline=True)(function))


apply = _inlined(rules.apply)


@compiled
def first_wrong(actions: NDArray[np.int64], bound: int) -> int:
    """Index of the first number that is not from 0 to ``bound - 1``, or -1."""
    wrong = False
    for index in range(actions.shape[0]):
        wrong |= (actions[index] < 0) | (actions[index] >= bound)  # no branch, so many go at a time
    if wrong:
        for index in range(actions.shape[0]):
            if actions[index] < 0 or actions[index] >= bound:
                return index
    return -1


@inner
def take_steps(
    actions: NDArray[np.int64],
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    success: float,
    strides: NDArray[np.int64],
    codes: NDArray[np.uint8],
    links: NDArray[np.int64],
    fleet: NDArray[np.int32],
    slots: NDArray[np.int64],
    rewards: NDArray[np.float64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    events: NDArray[np.int8],
    over: NDArray[np.int64],
    changed: NDArray[np.int64],
    stirred: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Play one action in each env; the numbers of three kinds of envs, and in each array how many there are.

    In ``over`` the episode is over, in ``changed`` a thing has changed, in ``stirred`` anything at all: there
    the agent may see something else than before.
    """
    ends, changes, stirs = 0, 0, 0
    for index in range(actions.shape[0]):
        env = _Index(index)
        steps = fleet[env, STEPS] + 1
        fleet[env, STEPS] = steps
        if steps == BEGINNING + 1:
            rewards[env], terminated[env], truncated[env], events[env] = 0.0, False, False, NO_EVENT
            stirred[_Index(stirs)] = index
            stirs += 1
            continue
        cell, facing, slot = np.int64(fleet[env, CELL]), np.int64(fleet[env, FACING]), _Index(slots[env])
        taken, opened, on = (
            np.int64(fleet[env, TAKEN]),
            np.int64(fleet[env, OPENED]),
            np.int64(fleet[env, ON]),
        )
        ahead_cell = cell + strides[_Index(facing)]
        here, ahead = np.int64(codes[slot, _Index(cell)]), np.int64(codes[slot, _Index(ahead_cell)])
        linked = links[slot, _Index(ahead)] if SWITCH <= ahead < WALL else 0
        moved, facing2, taken2, opened2, on2, event = apply(
            actions[env], facing, here, ahead, linked & _LINK_MASK, linked >> TRAIT_SHIFT, arrival,
            taken, opened, on,
        )  # fmt: skip
        fleet[env, CELL] = ahead_cell if moved else cell
        fleet[env, FACING] = facing2
        is_changed = (taken2 != taken) | (opened2 != opened) | (on2 != on)
        stirred[_Index(stirs)] = index
        stirs += moved | (facing2 != facing) | is_changed  # no branch: nobody could foretell it
        if is_changed:
            fleet[env, TAKEN], fleet[env, OPENED], fleet[env, ON] = taken2, opened2, on2
            changed[_Index(changes)] = index
            changes += 1
        won = event == DONE_EVENT
        late = (not won) & (steps >= fleet[env, LIMIT])
        rewards[env] = success if won else 0.0
        terminated[env], truncated[env], events[env] = won, late, event
        if won | late:
            over[_Index(ends)] = index
            ends += 1
    return ends, changes, stirs


@inner
def redraw(
    envs: NDArray[np.int64],
    count: int,
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    links: NDArray[np.int64],
    things: NDArray[np.int64],
    colors: NDArray[np.int64],
    fleet: NDArray[np.int32],
    slots: NDArray[np.int64],
    grids: NDArray[np.uint8],
    held: NDArray[np.uint8],
    touched: NDArray[np.bool_],
) -> None:
    """Write every thing of these envs as it is now, and the keys that are held."""
    for index in range(count):
        env = envs[index]
        slot = slots[env]
        taken, opened, on = (
            np.int64(fleet[env, TAKEN]),
            np.int64(fleet[env, OPENED]),
            np.int64(fleet[env, ON]),
        )
        touched[env] = True
        for thing in range(things.shape[1]):
            code = things[slot, thing, CODE]
            if code == FREE:
                break
            linked = links[slot, code]
            link, trait = linked & _LINK_MASK, linked >> TRAIT_SHIFT
            look = SET if is_set(code, link, trait, arrival, taken, opened, on) else UNSET
            place = things[slot, thing, PLACE] * NUMBERS
            for number in range(NUMBERS):
                grids[env, place + number] = things[slot, thing, look + number]
        for color in range(COLORS):
            keys, used = taken & colors[slot, color, KEYS], opened & colors[slot, color, LOCKS]
            held[env, color] = bits(keys) - bits(used)


@inner
def is_set(
    code: int,
    link: int,
    trait: int,
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    taken: int,
    opened: int,
    on: int,
) -> bool:
    """Whether a key is taken, a switch is on, a door or a gate is open."""
    if code < SWITCH:
        return (taken >> (code - KEY)) & 1 != 0
    if code < DOOR:
        return (on >> (code - SWITCH)) & 1 != 0
    if code < GATE:
        return (opened >> (code - DOOR)) & 1 != 0
    return apply(MOVE_FORWARD, 0, FREE, code, link, trait, arrival, taken, opened, on)[0]


@inner
def bits(mask: int) -> int:
    """How many bits are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@compiled
def observe(
    envs: NDArray[np.int64],
    count: int,
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    strides: NDArray[np.int64],
    cells: NDArray[np.int64],
    codes: NDArray[np.uint8],
    links: NDArray[np.int64],
    fleet: NDArray[np.int32],
    slots: NDArray[np.int64],
    positions: NDArray[np.int64],
    facings: NDArray[np.int64],
    masks: NDArray[np.int8],
    steps_left: NDArray[np.int64],
) -> None:
    """Write pose, action mask and steps left of the first ``count`` of these envs.

    A mask is 1 for what changes the state or succeeds. ``cells`` (cells, 2): row and column of each cell.
    """
    for index in range(count):
        env = _Index(envs[_Index(index)])
        cell, facing, slot = np.int64(fleet[env, CELL]), np.int64(fleet[env, FACING]), _Index(slots[env])
        taken, opened, on = (
            np.int64(fleet[env, TAKEN]),
            np.int64(fleet[env, OPENED]),
            np.int64(fleet[env, ON]),
        )
        positions[env, 0], positions[env, 1] = cells[_Index(cell), 0], cells[_Index(cell), 1]
        facings[env] = facing
        steps_left[env] = fleet[env, LIMIT] - max(fleet[env, STEPS], 0)
        here = np.int64(codes[slot, _Index(cell)])
        ahead = np.int64(codes[slot, _Index(cell + strides[_Index(facing)])])
        linked = links[slot, _Index(ahead)] if SWITCH <= ahead < WALL else 0
        link, trait = linked & _LINK_MASK, linked >> TRAIT_SHIFT
        for action in range(ACTIONS):
            moved, facing2, taken2, opened2, on2, event = apply(
                action, facing, here, ahead, link, trait, arrival, taken, opened, on
            )
            is_other = (facing2 != facing) | (taken2 != taken) | (opened2 != opened) | (on2 != on)
            masks[env, _Index(action)] = moved | is_other | (event == DONE_EVENT)


@compiled
def play(
    actions: NDArray[np.int64],
    due: int,
    everyone: NDArray[np.int64],
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    success: float,
    alternates: bool,  # noqa: FBT001
    strides: NDArray[np.int64],
    cells: NDArray[np.int64],
    codes: NDArray[np.uint8],
    links: NDArray[np.int64],
    things: NDArray[np.int64],
    colors: NDArray[np.int64],
    starts: NDArray[np.int32],
    shortest: NDArray[np.int64],
    first_grids: NDArray[np.uint8],
    first_held: NDArray[np.uint8],
    is_ready: NDArray[np.bool_],
    fleet: NDArray[np.int32],
    slots: NDArray[np.int64],
    optima: NDArray[np.int64],
    draws: NDArray[np.int64],
    drawn: NDArray[np.int64],
    upcoming: NDArray[np.int64],
    wanting: NDArray[np.int64],
    over: NDArray[np.int64],
    changed: NDArray[np.int64],
    stirred: NDArray[np.int64],
    touched: NDArray[np.bool_],
    held: NDArray[np.uint8],
    before: NDArray[np.uint8],
    grids: NDArray[np.uint8],
    positions: NDArray[np.int64],
    facings: NDArray[np.int64],
    rewards: NDArray[np.float64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    masks: NDArray[np.int8],
    steps_left: NDArray[np.int64],
    events: NDArray[np.int8],
) -> tuple[int, int, int]:
    """One step of every env; how many episodes are over, how many envs want a level, how many are stirred.

    The first ``due`` envs of ``over`` begin an episode in place of playing their action; after the call it
    names those whose episode is over now, ``wanting`` those that ``line_up`` could not serve, and ``stirred``
    is as in ``take_steps``. Grids are written to ``grids``; of two that take turns, ``before`` is the other
    one, else it is the same.
    """
    if alternates:
        catch_up(touched, before, grids)
    restart(
        over, due, BEGINNING, starts, shortest, first_grids, first_held, fleet, slots, upcoming, optima,
        grids, held, touched,
    )  # fmt: skip
    missing = line_up(over, due, is_ready, draws, drawn, upcoming, wanting)
    ends, changes, stirs = take_steps(
        actions, arrival, success, strides, codes, links, fleet, slots, rewards, terminated, truncated,
        events, over, changed, stirred,
    )  # fmt: skip
    redraw(changed, changes, arrival, links, things, colors, fleet, slots, grids, held, touched)
    observe(
        everyone, everyone.shape[0], arrival, strides, cells, codes, links, fleet, slots, positions, facings,
        masks, steps_left,
    )  # fmt: skip
    return ends, missing, stirs


forget_stale_code(
    "batch",
    ("actions.py", "maze.py", "rules.py", "kernels.py", "carving.py", "fleet.py", "batch.py"),
    (play,),
)
