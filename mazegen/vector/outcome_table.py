"""What actions lead to where it depends on nothing but what lies here and ahead: a table made by the rules.

The rules branch at every action, and where actions are random no processor can predict which way; that costs
more than all else in a step. But most outcomes are the same in every state of keys, doors and switches. They
are worked out here once, by ``rules.apply`` itself, and looked up; where the state matters, the table says
``UNKNOWN_OUTCOME``, and the rules are applied. Importing this module imports numba.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that.
# ruff: noqa: PLR0917 - up to ten arrays
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core import rules
from mazegen.core.compiling import compiled, inlined, inner
from mazegen.core.rules import ACTIONS, CODES, DONE_EVENT, DOOR, FREE, GATE, GOAL, KEY, SWITCH, WALL
from mazegen.vector.arrays import (
    ARRIVAL,
    BOARD_CODES,
    CELLS,
    LINK_MASK,
    LINKS,
    MASKS,
    ON,
    OPENED,
    OUTCOME_ROW,
    POSE,
    SLOT,
    STRIDES,
    TAKEN,
    TRAIT_SHIFT,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

FACINGS, FACING_BITS = 4, 2
NO_EVENT = -1  # an episode has just begun
UNKNOWN_OUTCOME = 255  # in place of an outcome that depends on the state
# Where what is in a packed outcome.
MOVED, FACING_SHIFT, FACING_MASK, EVENT_SHIFT, EVENT_MASK, CHANGES_SHIFT = 1, 1, 3, 3, 15, 7
HAS_UNKNOWN, USEFUL, TABLE_COLUMNS = 7, 8, 16  # columns of the table, and how many there are
_FIRST_OF_KIND = (FREE, GOAL, KEY, SWITCH, DOOR, GATE, WALL)
_KINDS = len(_FIRST_OF_KIND)
_KIND_OF_CODE = np.searchsorted(_FIRST_OF_KIND, np.arange(CODES), side="right") - 1
BEGUN = (
    _KINDS**2 * FACINGS
)  # first of four rows, one a facing, in which no action is played: an episode begins
OWN = BEGUN + FACINGS  # first of the rows that belong to one env each
_STATES_OF_ONE = 1 << 5  # of a link, a trait, a key, a door and a switch
_Index = np.uint64


apply = inlined(rules.apply)


def outcome_rows(codes: NDArray[np.uint8], strides: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(cells * 4,) row of ``outcome_table`` for each cell and facing.

    Args:
        codes: (cells,) what each cell holds.
        strides: (4,) what to add to a cell to look north, east, south, west. Nobody stands at the edge of a
            board, so it does not matter what is said of looking over it.
    """
    kinds = _KIND_OF_CODE[codes]
    ahead = kinds[(np.arange(len(codes))[:, None] + strides) % len(codes)]
    rows = (kinds[:, None] * _KINDS + ahead) * FACINGS + np.arange(FACINGS)
    return rows.astype(np.uint8).reshape(-1)


@compiled
def outcome_table(envs: int, arrival: bool) -> NDArray[np.uint8]:  # noqa: FBT001 - compiled functions take no keywords
    """What actions lead to, for each thing here, thing ahead and facing.

    Args:
        envs: how many more rows there are, one for each env, which ``apply_rules`` fills in.
        arrival: see ``rules.apply``.

    Returns:
        (OWN + envs, 16). In columns 0 to 5 the outcome of each action as ``packed``, or ``UNKNOWN_OUTCOME``
        where it depends on the state or changes a thing; in column ``HAS_UNKNOWN`` whether one of them does.
        If none does, from column ``USEFUL`` on 1 for each action that changes the state or succeeds.
    """
    table = np.zeros((OWN + envs, TABLE_COLUMNS), np.uint8)
    for row in range(BEGUN):
        facing, pair = row % FACINGS, row // FACINGS
        here, ahead = _FIRST_OF_KIND[pair // _KINDS], _FIRST_OF_KIND[pair % _KINDS]
        is_known = True
        for action in range(ACTIONS):
            outcome = _outcome_in_any_state(action, facing, here, ahead, arrival)
            table[row, action] = outcome
            is_known &= outcome != UNKNOWN_OUTCOME
        table[row, HAS_UNKNOWN] = not is_known
        for action in range(ACTIONS):
            table[row, USEFUL + action] = is_known and is_useful(table[row, action], facing)
    for facing in range(FACINGS):
        for action in range(ACTIONS):
            table[BEGUN + facing, action] = packed(False, facing, NO_EVENT, False)  # noqa: FBT003
    return table


@inner
def packed(moved: bool, facing: int, event: int, changes: bool) -> int:  # noqa: FBT001
    """An outcome as one number: whether the agent moved, its facing, the event, whether things changed."""
    return moved | facing << FACING_SHIFT | (event - NO_EVENT) << EVENT_SHIFT | changes << CHANGES_SHIFT


@inner
def is_useful(outcome: int, facing: int) -> bool:
    """Whether an outcome is a success or another state than before."""
    turned = ((outcome >> FACING_SHIFT) & FACING_MASK) ^ facing
    is_other = (outcome & MOVED) | (outcome >> CHANGES_SHIFT) | turned
    return (is_other != 0) | ((outcome >> EVENT_SHIFT) & EVENT_MASK == DONE_EVENT - NO_EVENT)


@inner
def _outcome_in_any_state(action: int, facing: int, here: int, ahead: int, arrival: bool) -> int:  # noqa: FBT001
    """The outcome, ``packed``; ``UNKNOWN_OUTCOME`` if it depends on the state or changes a thing."""
    outcome = UNKNOWN_OUTCOME
    for state in range(_STATES_OF_ONE):
        link, trait, taken = state & 1, (state >> 1) & 1, (state >> 2) & 1
        opened, on = (state >> 3) & 1, state >> 4
        moved, facing2, taken2, opened2, on2, event = apply(
            action, facing, here, ahead, link, trait, arrival, taken, opened, on
        )
        changes = (taken2 != taken) | (opened2 != opened) | (on2 != on)
        now = packed(moved, facing2, event, changes)
        if changes or (state != 0 and now != outcome):
            return UNKNOWN_OUTCOME
        outcome = now
    return outcome


@inner
def apply_rules(
    envs: NDArray[np.int64],
    count: int,
    settings: NDArray[np.int64],
    table: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    mechanisms: NDArray[np.int64],
    states: NDArray[np.int32],
    flags: NDArray[np.int8],
) -> None:
    """Find out by the rules what each action would lead to in these envs; write it into their own rows.

    The arrays are described in ``arrays``; of ``flags`` the action masks are written.
    """
    codes = BOARD_CODES * ((settings.shape[0] - CELLS) // 2)
    for index in range(count):
        env = _Index(envs[_Index(index)])
        row, slot, pose = env + _Index(OWN), _Index(states[env, SLOT]), np.int64(states[env, POSE])
        cell, facing = pose >> FACING_BITS, pose & FACING_MASK
        here = boards[slot, _Index(codes + cell)]
        ahead = boards[slot, _Index(codes + cell + settings[_Index(STRIDES + facing)])]
        linked = mechanisms[slot, _Index(LINKS + ahead)]
        taken, opened, on = (
            np.int64(states[env, TAKEN]),
            np.int64(states[env, OPENED]),
            np.int64(states[env, ON]),
        )
        mask = _Index(MASKS * states.shape[0]) + env * _Index(ACTIONS)
        for action in range(ACTIONS):
            moved, facing2, taken2, opened2, on2, event = apply(
                action, facing, np.int64(here), np.int64(ahead), linked & LINK_MASK, linked >> TRAIT_SHIFT,
                settings[ARRIVAL] != 0, taken, opened, on,
            )  # fmt: skip
            changes = (taken2 != taken) | (opened2 != opened) | (on2 != on)
            outcome = packed(moved, facing2, event, changes)
            table[row, _Index(action)] = outcome
            flags[mask + _Index(action)] = is_useful(outcome, facing)
        states[env, OUTCOME_ROW] = row
