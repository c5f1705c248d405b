"""What actions lead to where it depends on nothing but what lies here and ahead: a table made by the rules.

The rules branch at every action, and where actions are random no processor can foretell which way; that costs
more than all else in a step. But most outcomes are the same in every state of keys, doors and switches. They
are worked out here once, by ``rules.apply`` itself, and looked up; where the state matters, the table says
``ASK``, and the rules are asked. Importing this module imports numba.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that. Arrays are
# taken one by one: bundles of them are counted at every use.
# ruff: noqa: PLR0913, PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core import rules
from mazegen.core.compiling import compiled, inlined, inner
from mazegen.core.rules import ACTIONS, CODES, DONE_EVENT, DOOR, FREE, GATE, GOAL, KEY, SWITCH, WALL
from mazegen.vector.env_states import ON, OPENED, POSE, SITUATION, SLOT, TAKEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

FACINGS, FACING_BITS = 4, 2
NO_EVENT = -1  # an episode has just begun
ASK = 255  # in place of an outcome that the rules have to be asked for
# Where what is in a packed outcome.
MOVED, FACING_SHIFT, FACING_MASK, EVENT_SHIFT, EVENT_MASK, CHANGES_SHIFT = 1, 1, 3, 3, 15, 7
ASKS, USEFUL, TABLE_COLUMNS = 7, 8, 16  # columns of the table, and how many there are
_FIRST_OF_KIND = (FREE, GOAL, KEY, SWITCH, DOOR, GATE, WALL)
_KINDS = len(_FIRST_OF_KIND)
_KIND_OF_CODE = np.searchsorted(_FIRST_OF_KIND, np.arange(CODES), side="right") - 1
BEGUN = (
    _KINDS**2 * FACINGS
)  # first of four rows, one a facing, in which no action is played: an episode begins
OWN = BEGUN + FACINGS  # first of the rows that belong to one env each
_STATES_OF_ONE = 1 << 5  # of a link, a trait, a key, a door and a switch
TRAIT_SHIFT = 32  # a link and a trait share 64 bits; masks stay below 2**20
LINK_MASK = (1 << TRAIT_SHIFT) - 1
_Index = np.uint64


apply = inlined(rules.apply)


def situations(codes: NDArray[np.uint8], strides: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(cells * 4,) row of ``foretell`` for each cell and facing.

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
def foretell(envs: int, arrival: bool) -> NDArray[np.uint8]:  # noqa: FBT001 - compiled functions take no keywords
    """What actions lead to in each situation.

    Args:
        envs: how many more rows there are, for each env one to be filled in where the rules have to be asked.
        arrival: see ``rules.apply``.

    Returns:
        (OWN + envs, 16). In columns 0 to 5 the outcome of each action as ``packed``, or ``ASK`` where it
        depends on the state or changes a thing; in column ``ASKS`` whether one of them says so. If none does,
        from column ``USEFUL`` on 1 for each action that changes the state or succeeds.
    """
    table = np.zeros((OWN + envs, TABLE_COLUMNS), np.uint8)
    for row in range(BEGUN):
        facing, pair = row % FACINGS, row // FACINGS
        here, ahead = _FIRST_OF_KIND[pair // _KINDS], _FIRST_OF_KIND[pair % _KINDS]
        is_known = True
        for action in range(ACTIONS):
            told = _told_of_any_state(action, facing, here, ahead, arrival)
            table[row, action] = told
            is_known &= told != ASK
        table[row, ASKS] = not is_known
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
def is_useful(told: int, facing: int) -> bool:
    """Whether an outcome is a success or another state than before."""
    is_other = (told & MOVED) | (told >> CHANGES_SHIFT) | (((told >> FACING_SHIFT) & FACING_MASK) ^ facing)
    return (is_other != 0) | ((told >> EVENT_SHIFT) & EVENT_MASK == DONE_EVENT - NO_EVENT)


@inner
def _told_of_any_state(action: int, facing: int, here: int, ahead: int, arrival: bool) -> int:  # noqa: FBT001
    """The outcome of an action, ``packed``; ``ASK`` if it depends on the state or changes a thing."""
    told = ASK
    for state in range(_STATES_OF_ONE):
        link, trait, taken = state & 1, (state >> 1) & 1, (state >> 2) & 1
        opened, on = (state >> 3) & 1, state >> 4
        moved, facing2, taken2, opened2, on2, event = apply(
            action, facing, here, ahead, link, trait, arrival, taken, opened, on
        )
        changes = (taken2 != taken) | (opened2 != opened) | (on2 != on)
        now = packed(moved, facing2, event, changes)
        if changes or (state != 0 and now != told):
            return ASK
        told = now
    return told


@inner
def ask(
    envs: NDArray[np.int64],
    count: int,
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    strides: NDArray[np.int64],
    codes: NDArray[np.uint8],
    links: NDArray[np.int64],
    fleet: NDArray[np.int32],
    table: NDArray[np.uint8],
    masks: NDArray[np.int8],
) -> None:
    """Ask the rules what each action would lead to in these envs, and write it into their own rows."""
    for index in range(count):
        env = _Index(envs[_Index(index)])
        row, slot, pose = env + _Index(OWN), _Index(fleet[env, SLOT]), np.int64(fleet[env, POSE])
        cell, facing = pose >> FACING_BITS, pose & FACING_MASK
        here, ahead = codes[slot, _Index(cell)], codes[slot, _Index(cell + strides[_Index(facing)])]
        linked = links[slot, _Index(ahead)]
        taken, opened, on = (
            np.int64(fleet[env, TAKEN]),
            np.int64(fleet[env, OPENED]),
            np.int64(fleet[env, ON]),
        )
        for action in range(ACTIONS):
            moved, facing2, taken2, opened2, on2, event = apply(
                action, facing, np.int64(here), np.int64(ahead), linked & LINK_MASK, linked >> TRAIT_SHIFT,
                arrival, taken, opened, on,
            )  # fmt: skip
            changes = (taken2 != taken) | (opened2 != opened) | (on2 != on)
            told = packed(moved, facing2, event, changes)
            table[row, _Index(action)], masks[env, _Index(action)] = told, is_useful(told, facing)
        fleet[env, SITUATION] = row
