"""The outcome table: it says what the rules do, wherever it says something."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazegen.core import rules
from mazegen.core.rules import Action, Event
from mazegen.vector import outcome_table
from mazegen.vector.outcome_table import (
    BEGUN,
    EVENT_MASK,
    EVENT_SHIFT,
    FACING_MASK,
    FACING_SHIFT,
    HAS_UNKNOWN,
    NO_EVENT,
    UNKNOWN_OUTCOME,
    USEFUL,
)

from ...strategies import Play, plays

if TYPE_CHECKING:
    from numpy.typing import NDArray


@functools.cache
def table(*, arrival: bool) -> NDArray[np.uint8]:
    """The table, made by the first test that needs it: nothing is compiled while tests are collected."""
    made: NDArray[np.uint8] = outcome_table.outcome_table(2, arrival)
    return made


def unpacked(outcome: int) -> tuple[bool, int, int]:
    """Whether the agent moved, its facing, and the event."""
    event = ((outcome >> EVENT_SHIFT) & EVENT_MASK) + NO_EVENT
    return bool(outcome & outcome_table.MOVED), (outcome >> FACING_SHIFT) & FACING_MASK, event


def row_of(codes: NDArray[np.uint8], strides: tuple[int, ...], cell: int, facing: int) -> int:
    """Row of the table for a pose."""
    rows = outcome_table.outcome_rows(codes, np.array(strides))
    return int(rows[cell * outcome_table.FACINGS + facing])


@given(play=plays(), arrival=st.booleans(), facing=st.integers(0, 3))
def test_a_known_outcome_is_what_the_rules_do(play: Play, arrival: bool, facing: int) -> None:  # noqa: FBT001
    _, board, state = play
    board = board._replace(arrival=arrival)
    state = state._replace(facing=facing)
    number = row_of(np.array(board.codes, np.uint8), board.strides, state.cell, facing)
    row = table(arrival=arrival)[number].tolist()
    assert row[HAS_UNKNOWN] == (UNKNOWN_OUTCOME in row[: len(Action)])
    for action in Action:
        after, event, _ = rules.step(board, state, action)
        if row[action] != UNKNOWN_OUTCOME:
            moved, facing2, event_there = unpacked(row[action])
            assert (moved, facing2, event_there) == (after.cell != state.cell, after.facing, event)
            assert after[2:] == state[2:]
        if not row[HAS_UNKNOWN]:
            assert row[USEFUL + action] == (after != state or event == Event.DONE)


@pytest.mark.parametrize("arrival", [True, False])
@pytest.mark.parametrize("index", [0, 7, 19])
def test_only_outcomes_of_things_depend_on_the_state(arrival: bool, index: int) -> None:  # noqa: FBT001
    codes = np.full((3, 3), rules.WALL, np.uint8)
    unknown = {
        (rules.KEY + index, rules.FREE): {Action.PICKUP},
        (rules.FREE, rules.KEY + index): set(),
        (rules.GOAL, rules.WALL): set(),
        (rules.FREE, rules.DOOR + index): {Action.MOVE_FORWARD},
        (rules.FREE, rules.GATE + index): {Action.MOVE_FORWARD},
        (rules.FREE, rules.SWITCH + index): {Action.TOGGLE},
        (rules.SWITCH + index, rules.GOAL): set(),
    }
    for (here, ahead), expected in unknown.items():
        codes[1, 1], codes[0, 1] = here, ahead
        row = table(arrival=arrival)[row_of(codes.reshape(-1), (-3, 1, 3, -1), 4, 0)]
        assert {action for action in Action if row[action] == UNKNOWN_OUTCOME} == expected


@pytest.mark.parametrize("facing", range(4))
def test_at_the_beginning_no_action_is_played(facing: int) -> None:
    row = table(arrival=True)[BEGUN + facing].tolist()
    assert [unpacked(row[action]) for action in Action] == [(False, facing, NO_EVENT)] * len(Action)


def test_each_env_has_a_row_of_its_own() -> None:
    assert len(table(arrival=True)) == outcome_table.OWN + 2
