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

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.rules import DOOR, FREE, GATE, KEY, SWITCH
from mazegen.search.kernels import DONE_EVENT, MOVE_FORWARD
from mazegen.vector.env_states import (
    BEGINNING,
    CODE,
    COLORS,
    KEYS,
    LEFT,
    LOCKS,
    NUMBERS,
    ON,
    OPENED,
    PLACE,
    POSE,
    SET,
    SITUATION,
    SLOT,
    TAKEN,
    UNSET,
    catch_up,
    line_up,
    restart,
)
from mazegen.vector.outcome_table import (
    ASKS,
    CHANGES_SHIFT,
    EVENT_MASK,
    EVENT_SHIFT,
    FACING_BITS,
    FACING_MASK,
    FACING_SHIFT,
    FACINGS,
    LINK_MASK,
    MOVED,
    NO_EVENT,
    TRAIT_SHIFT,
    USEFUL,
    apply,
    ask,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Index = np.uint64


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
    success: float,
    strides: NDArray[np.int64],
    table: NDArray[np.uint8],
    fleet: NDArray[np.int32],
    rewards: NDArray[np.float64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    events: NDArray[np.int8],
    over: NDArray[np.int64],
    changed: NDArray[np.int64],
    stirred: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Play one action in each env; the numbers of three kinds of envs, and in each array how many there are.

    In ``over`` the episode is over; in ``changed`` a thing changes; in ``stirred``, if there is room for it,
    anything at all, so that the agent may see something else than before.
    """
    ends, changes, stirs = 0, 0, 0
    for index in range(actions.shape[0]):
        env = _Index(index)
        pose, left = np.int64(fleet[env, POSE]), fleet[env, LEFT] - 1
        told = np.int64(table[_Index(fleet[env, SITUATION]), _Index(actions[env])])
        facing, event = (told >> FACING_SHIFT) & FACING_MASK, ((told >> EVENT_SHIFT) & EVENT_MASK) + NO_EVENT
        pose2 = (pose & ~FACING_MASK | facing) + (told & MOVED) * strides[_Index(facing)] * FACINGS
        fleet[env, POSE], fleet[env, LEFT] = pose2, left
        won = event == DONE_EVENT
        late = (not won) & (left <= 0)
        rewards[env] = success if won else 0.0
        terminated[env], truncated[env], events[env] = won, late, event
        if stirred.shape[0]:
            stirred[_Index(stirs)] = index
            stirs += (pose2 != pose) | (told >> CHANGES_SHIFT != 0) | (event == NO_EVENT)
        if told >> CHANGES_SHIFT:
            changed[_Index(changes)] = index
            changes += 1
        if won | late:
            over[_Index(ends)] = index
            ends += 1
    return ends, changes, stirs


@inner
def change_things(
    envs: NDArray[np.int64],
    count: int,
    actions: NDArray[np.int64],
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    strides: NDArray[np.int64],
    table: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    links: NDArray[np.int64],
    fleet: NDArray[np.int32],
) -> None:
    """Do to the things of these envs what the actions do, whose other consequences are there already."""
    for index in range(count):
        env = _Index(envs[_Index(index)])
        action, slot, pose = actions[env], _Index(fleet[env, SLOT]), np.int64(fleet[env, POSE])
        cell, facing = pose >> FACING_BITS, pose & FACING_MASK
        if table[_Index(fleet[env, SITUATION]), _Index(action)] & MOVED:
            cell -= strides[_Index(facing)]  # where it came from
        here, ahead = codes[slot, _Index(cell)], codes[slot, _Index(cell + strides[_Index(facing)])]
        linked = links[slot, _Index(ahead)]
        taken, opened, on = fleet[env, TAKEN], fleet[env, OPENED], fleet[env, ON]
        _, _, taken, opened, on, _ = apply(
            action, facing, np.int64(here), np.int64(ahead), linked & LINK_MASK, linked >> TRAIT_SHIFT,
            arrival, np.int64(taken), np.int64(opened), np.int64(on),
        )  # fmt: skip
        fleet[env, TAKEN], fleet[env, OPENED], fleet[env, ON] = taken, opened, on


@inner
def redraw(
    envs: NDArray[np.int64],
    count: int,
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    links: NDArray[np.int64],
    things: NDArray[np.int64],
    colors: NDArray[np.int64],
    fleet: NDArray[np.int32],
    grids: NDArray[np.uint8],
    held: NDArray[np.uint8],
    touched: NDArray[np.bool_],
) -> None:
    """Write every thing of these envs as it is now, and the keys that are held."""
    for index in range(count):
        env = envs[index]
        slot = fleet[env, SLOT]
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
            link, trait = linked & LINK_MASK, linked >> TRAIT_SHIFT
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


@inner
def see(
    envs: NDArray[np.int64],
    count: int,
    cells: NDArray[np.int64],
    table: NDArray[np.uint8],
    situations: NDArray[np.uint8],
    fleet: NDArray[np.int32],
    positions: NDArray[np.int64],
    facings: NDArray[np.int64],
    masks: NDArray[np.int8],
    steps_left: NDArray[np.int64],
    asking: NDArray[np.int64],
) -> int:
    """Write pose, action mask and steps left of these envs; how many, named in ``asking``, need the rules."""
    asks = 0
    for index in range(count):
        env = _Index(envs[_Index(index)])
        pose = np.int64(fleet[env, POSE])
        cell, row = _Index(pose >> FACING_BITS), _Index(situations[_Index(fleet[env, SLOT]), _Index(pose)])
        fleet[env, SITUATION] = row
        positions[env, 0], positions[env, 1], facings[env] = (
            cells[cell, 0],
            cells[cell, 1],
            pose & FACING_MASK,
        )
        steps_left[env] = fleet[env, LEFT]
        # All are read before one is written, so that they are moved at once.
        masks[env, 0], masks[env, 1], masks[env, 2], masks[env, 3], masks[env, 4], masks[env, 5] = (
            table[row, USEFUL], table[row, USEFUL + 1], table[row, USEFUL + 2],
            table[row, USEFUL + 3], table[row, USEFUL + 4], table[row, USEFUL + 5],
        )  # fmt: skip
        if table[row, ASKS]:
            asking[_Index(asks)] = env
            asks += 1
    return asks


@compiled
def observe(
    envs: NDArray[np.int64],
    count: int,
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    strides: NDArray[np.int64],
    cells: NDArray[np.int64],
    table: NDArray[np.uint8],
    situations: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    links: NDArray[np.int64],
    fleet: NDArray[np.int32],
    asking: NDArray[np.int64],
    positions: NDArray[np.int64],
    facings: NDArray[np.int64],
    masks: NDArray[np.int8],
    steps_left: NDArray[np.int64],
) -> None:
    """Write what the first ``count`` of these envs see, and find out what each action would lead to.

    A mask is 1 for what changes the state or succeeds. ``cells`` (cells, 2): row and column of each cell;
    ``table`` is that of ``outcome_table.foretell``.
    """
    asks = see(
        envs, count, cells, table, situations, fleet, positions, facings, masks, steps_left, asking
    )  # fmt: skip
    ask(asking, asks, arrival, strides, codes, links, fleet, table, masks)


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
    table: NDArray[np.uint8],
    situations: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    links: NDArray[np.int64],
    things: NDArray[np.int64],
    colors: NDArray[np.int64],
    starts: NDArray[np.int32],
    first_grids: NDArray[np.uint8],
    first_held: NDArray[np.uint8],
    is_ready: NDArray[np.bool_],
    fleet: NDArray[np.int32],
    draws: NDArray[np.int64],
    drawn: NDArray[np.int64],
    upcoming: NDArray[np.int64],
    wanting: NDArray[np.int64],
    over: NDArray[np.int64],
    changed: NDArray[np.int64],
    stirred: NDArray[np.int64],
    asking: NDArray[np.int64],
    touched: NDArray[np.bool_],
    boards_before: NDArray[np.uint8],
    held_before: NDArray[np.uint8],
    optima_before: NDArray[np.int64],
    boards: NDArray[np.uint8],
    held: NDArray[np.uint8],
    optima: NDArray[np.int64],
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
    is as in ``take_steps``. Grids and what is held are brought up to date; of two sets that take turns, those
    from ``before`` are the newer ones, else they are the same.
    """
    envs = everyone.shape[0]
    grids = boards.reshape(envs, first_grids.shape[1])
    if alternates:
        catch_up(touched, boards_before.reshape(grids.shape), held_before, optima_before, grids, held, optima)
    restart(
        over, due, BEGINNING, starts, first_grids, first_held, fleet, upcoming, grids, held, optima,
        touched,
    )  # fmt: skip
    missing = line_up(over, due, is_ready, draws, drawn, upcoming, wanting)
    ends, changes, stirs = take_steps(
        actions, success, strides, table, fleet, rewards, terminated, truncated, events, over, changed,
        stirred,
    )  # fmt: skip
    change_things(changed, changes, actions, arrival, strides, table, codes, links, fleet)
    redraw(changed, changes, arrival, links, things, colors, fleet, grids, held, touched)
    observe(
        everyone, envs, arrival, strides, cells, table, situations, codes, links, fleet,
        asking, positions, facings, masks, steps_left,
    )  # fmt: skip
    return ends, missing, stirs
