"""Many mazes at once: the compiled loops of a vector env, over ``rules.apply`` and nothing else.

Grids of three small numbers a cell are kept up to date cell by cell: what a thing looks like in either of
its states comes from the pool of mazes, so nothing here knows what the numbers mean.

All mazes of a pool are laid out on boards of one size, with wall below and to the right, so that a cell is
the same number in each. Importing this module imports numba.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that. No array is
# cut out of another inside a loop: that would be counted at every turn. Indexing with unsigned numbers leaves
# out the question whether to count from the end.
# ruff: noqa: PLR0913, PLR0917 - up to ten arrays
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.rules import ACTIONS, DONE_EVENT, DOOR, FREE, GATE, KEY, MOVE_FORWARD, SWITCH
from mazegen.vector.arrays import (
    ARRIVAL,
    BOARD_CODES,
    CELLS,
    CHANGED,
    CODE,
    COLORS,
    DONE,
    EVENTS,
    EVERYONE,
    FACINGS_PART,
    IS_OUTDATED,
    KEY_MASKS,
    LINK_MASK,
    LINKS,
    LOCK_MASKS,
    MASKS,
    NARROW_VIEW,
    NUMBERS,
    ON,
    OPENED,
    OUTCOME_ROW,
    OUTCOME_ROWS,
    PENDING_RESETS,
    PLACE,
    POSE,
    REWARDS,
    SET,
    SLOT,
    STEPS_LEFT,
    STEPS_LEFT_PART,
    STRIDES,
    SUCCESS,
    TAKEN,
    TERMINATED,
    THING_COLUMNS,
    THINGS,
    TRAIT_SHIFT,
    TRUNCATED,
    UNDECIDED,
    UNSET,
    VIEW_CHANGED,
)
from mazegen.vector.env_states import BEGINNING, line_up, restart
from mazegen.vector.outcome_table import (
    CHANGES_SHIFT,
    EVENT_MASK,
    EVENT_SHIFT,
    FACING_BITS,
    FACING_MASK,
    FACING_SHIFT,
    FACINGS,
    HAS_UNKNOWN,
    MOVED,
    NO_EVENT,
    USEFUL,
    apply,
    apply_rules,
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
    settings: NDArray[np.int64],
    table: NDArray[np.uint8],
    states: NDArray[np.int32],
    lists: NDArray[np.int64],
    rewards: NDArray[np.float64],
    flags: NDArray[np.int8],
) -> tuple[int, int, int]:
    """Play one action in each env; how many episodes are over, things change in how many, and how many views.

    The rows ``DONE``, ``CHANGED`` and, where agents see their surroundings only, ``VIEW_CHANGED`` of
    ``lists`` name the envs. The arrays are described in ``arrays``; ``rewards`` (envs,) is a part of
    ``numbers``.
    """
    done, changes, views = 0, 0, 0
    envs, narrow = actions.shape[0], settings[NARROW_VIEW] != 0
    for index in range(envs):
        env = _Index(index)
        pose, left = np.int64(states[env, POSE]), states[env, STEPS_LEFT] - 1
        outcome = np.int64(table[_Index(states[env, OUTCOME_ROW]), _Index(actions[env])])
        facing = (outcome >> FACING_SHIFT) & FACING_MASK
        event = ((outcome >> EVENT_SHIFT) & EVENT_MASK) + NO_EVENT
        step = (outcome & MOVED) * settings[_Index(STRIDES + facing)] * FACINGS
        pose2 = (pose & ~FACING_MASK | facing) + step
        states[env, POSE], states[env, STEPS_LEFT] = pose2, left
        won = event == DONE_EVENT
        late = (not won) & (left <= 0)
        rewards[env] = success if won else 0.0
        flags[_Index(EVENTS * envs) + env] = event
        flags[_Index(TERMINATED * envs) + env], flags[_Index(TRUNCATED * envs) + env] = won, late
        if narrow:
            lists[VIEW_CHANGED, _Index(views)] = index
            views += (pose2 != pose) | (outcome >> CHANGES_SHIFT != 0) | (event == NO_EVENT)
        if outcome >> CHANGES_SHIFT:
            lists[CHANGED, _Index(changes)] = index
            changes += 1
        if won | late:
            lists[DONE, _Index(done)] = index
            done += 1
    return done, changes, views


@inner
def change_things(
    envs: NDArray[np.int64],
    count: int,
    actions: NDArray[np.int64],
    settings: NDArray[np.int64],
    table: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    mechanisms: NDArray[np.int64],
    states: NDArray[np.int32],
) -> None:
    """Do to the things of these envs what the actions do, whose other consequences are there already."""
    codes = BOARD_CODES * ((settings.shape[0] - CELLS) // 2)
    for index in range(count):
        env = _Index(envs[_Index(index)])
        action, slot, pose = actions[env], _Index(states[env, SLOT]), np.int64(states[env, POSE])
        cell, facing = pose >> FACING_BITS, pose & FACING_MASK
        stride = settings[_Index(STRIDES + facing)]
        if table[_Index(states[env, OUTCOME_ROW]), _Index(action)] & MOVED:
            cell -= stride  # where it came from
        here, ahead = boards[slot, _Index(codes + cell)], boards[slot, _Index(codes + cell + stride)]
        linked = mechanisms[slot, _Index(LINKS + ahead)]
        taken, opened, on = states[env, TAKEN], states[env, OPENED], states[env, ON]
        _, _, taken, opened, on, _ = apply(
            action, facing, np.int64(here), np.int64(ahead), linked & LINK_MASK, linked >> TRAIT_SHIFT,
            settings[ARRIVAL] != 0, np.int64(taken), np.int64(opened), np.int64(on),
        )  # fmt: skip
        states[env, TAKEN], states[env, OPENED], states[env, ON] = taken, opened, on


@inner
def redraw(
    envs: NDArray[np.int64],
    count: int,
    settings: NDArray[np.int64],
    mechanisms: NDArray[np.int64],
    states: NDArray[np.int32],
    lists: NDArray[np.int64],
    shown: NDArray[np.uint8],
) -> None:
    """Write every thing of these envs as it is now, and the keys that are held."""
    arrival = settings[ARRIVAL] != 0
    width = (settings.shape[0] - CELLS) // 2 * NUMBERS
    for index in range(count):
        env = envs[index]
        slot = states[env, SLOT]
        taken, opened, on = (
            np.int64(states[env, TAKEN]),
            np.int64(states[env, OPENED]),
            np.int64(states[env, ON]),
        )
        lists[IS_OUTDATED, env] = 1
        for thing in range(THINGS, mechanisms.shape[1], THING_COLUMNS):
            code = mechanisms[slot, thing + CODE]
            if code == FREE:
                break
            linked = mechanisms[slot, LINKS + code]
            link, trait = linked & LINK_MASK, linked >> TRAIT_SHIFT
            look = SET if is_set(code, link, trait, arrival, taken, opened, on) else UNSET
            place = _Index(env * width + mechanisms[slot, thing + PLACE] * NUMBERS)
            for number in range(NUMBERS):
                shown[place + _Index(number)] = mechanisms[slot, thing + look + number]
        held = _Index(states.shape[0] * width + env * COLORS)
        for color in range(COLORS):
            keys = taken & mechanisms[slot, KEY_MASKS + color]
            used = opened & mechanisms[slot, LOCK_MASKS + color]
            shown[held + _Index(color)] = bits(keys) - bits(used)


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
def write_poses(
    envs: NDArray[np.int64],
    count: int,
    settings: NDArray[np.int64],
    table: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    states: NDArray[np.int32],
    lists: NDArray[np.int64],
    numbers: NDArray[np.int64],
    flags: NDArray[np.int8],
) -> int:
    """Write pose, steps left and action mask of these envs; how many, ``UNDECIDED``, need the rules."""
    undecided, all_envs = 0, states.shape[0]
    for index in range(count):
        env = _Index(envs[_Index(index)])
        pose = np.int64(states[env, POSE])
        place = _Index(CELLS + 2 * (pose >> FACING_BITS))
        row = _Index(boards[_Index(states[env, SLOT]), _Index(OUTCOME_ROWS + pose)])
        states[env, OUTCOME_ROW] = row
        pair, mask = _Index(2) * env, _Index(MASKS * all_envs) + env * _Index(ACTIONS)
        numbers[pair], numbers[pair + _Index(1)] = settings[place], settings[place + _Index(1)]
        numbers[_Index(FACINGS_PART * all_envs) + env] = pose & FACING_MASK
        numbers[_Index(STEPS_LEFT_PART * all_envs) + env] = states[env, STEPS_LEFT]
        # All are read before one is written, so that they are moved at once.
        (
            flags[mask], flags[mask + _Index(1)], flags[mask + _Index(2)],
            flags[mask + _Index(3)], flags[mask + _Index(4)], flags[mask + _Index(5)],
        ) = (
            table[row, USEFUL], table[row, USEFUL + 1], table[row, USEFUL + 2],
            table[row, USEFUL + 3], table[row, USEFUL + 4], table[row, USEFUL + 5],
        )  # fmt: skip
        if table[row, HAS_UNKNOWN]:
            lists[UNDECIDED, _Index(undecided)] = env
            undecided += 1
    return undecided


@compiled
def observe(
    envs: NDArray[np.int64],
    settings: NDArray[np.int64],
    table: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    mechanisms: NDArray[np.int64],
    states: NDArray[np.int32],
    lists: NDArray[np.int64],
    numbers: NDArray[np.int64],
    flags: NDArray[np.int8],
) -> None:
    """Write what these envs see, and find out what each action would lead to.

    A mask is 1 for what changes the state or succeeds. The arrays are described in ``arrays``; rewards,
    events and the flags of an end stay as they are.
    """
    undecided = write_poses(envs, envs.shape[0], settings, table, boards, states, lists, numbers, flags)
    apply_rules(lists[UNDECIDED], undecided, settings, table, boards, mechanisms, states, flags)


@compiled
def play(
    actions: NDArray[np.int64],
    settings: NDArray[np.int64],
    table: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    mechanisms: NDArray[np.int64],
    states: NDArray[np.int32],
    lists: NDArray[np.int64],
    shown: NDArray[np.uint8],
    numbers: NDArray[np.int64],
    flags: NDArray[np.int8],
) -> tuple[int, int, int]:
    """One step of every env; how many episodes are over, how many envs need a level, how many views changed.

    Of the row ``DONE``, the first envs begin an episode in place of playing their action: as many as the row
    ``PENDING_RESETS`` says. After the call it names those whose episode is over now, ``NEEDS_LEVEL`` those
    that ``line_up`` could not serve, and ``VIEW_CHANGED`` is as in ``take_steps``. ``shown`` holds what was
    seen before and is brought up to date. The arrays are described in ``arrays``.
    """
    done, pending, envs = lists[DONE], lists[PENDING_RESETS, 0], states.shape[0]
    restart(done, pending, BEGINNING, settings, boards, mechanisms, states, lists, shown)
    missing = line_up(done, pending, mechanisms, lists)
    rewards = numbers[REWARDS * envs :].view(np.float64)
    success = settings[SUCCESS : SUCCESS + 1].view(np.float64)[0]
    ends, changes, views = take_steps(actions, success, settings, table, states, lists, rewards, flags)
    changed = lists[CHANGED]
    change_things(changed, changes, actions, settings, table, boards, mechanisms, states)
    redraw(changed, changes, settings, mechanisms, states, lists, shown)
    observe(lists[EVERYONE], settings, table, boards, mechanisms, states, lists, numbers, flags)
    return ends, missing, views
