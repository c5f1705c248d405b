"""What is foretold of actions: what the rules do, wherever it says anything at all."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazegen.core import rules
from mazegen.core.rules import Action, Event
from mazegen.vector import outcome_table as foresight
from mazegen.vector.outcome_table import (
    ASK,
    ASKS,
    BEGUN,
    EVENT_MASK,
    EVENT_SHIFT,
    FACING_MASK,
    FACING_SHIFT,
    NO_EVENT,
    USEFUL,
)

from ...strategies import Play, plays

if TYPE_CHECKING:
    from numpy.typing import NDArray


@functools.cache
def table(*, arrival: bool) -> NDArray[np.uint8]:
    """What is foretold, made when the first test asks: nothing is compiled while tests are collected."""
    return foresight.foretell(2, arrival)


def unpacked(told: int) -> tuple[bool, int, int]:
    """Whether the agent moved, its facing, and the event."""
    event = ((told >> EVENT_SHIFT) & EVENT_MASK) + NO_EVENT
    return bool(told & foresight.MOVED), (told >> FACING_SHIFT) & FACING_MASK, event


def row_of(codes: NDArray[np.uint8], strides: tuple[int, ...], cell: int, facing: int) -> int:
    """Row of the table for a pose."""
    rows = foresight.situations(codes, np.array(strides))
    return int(rows[cell * foresight.FACINGS + facing])


@given(play=plays(), arrival=st.booleans(), facing=st.integers(0, 3))
def test_what_is_foretold_is_what_the_rules_do(play: Play, arrival: bool, facing: int) -> None:  # noqa: FBT001
    _, board, state = play
    board = board._replace(arrival=arrival)
    state = state._replace(facing=facing)
    number = row_of(np.array(board.codes, np.uint8), board.strides, state.cell, facing)
    row = table(arrival=arrival)[number].tolist()
    assert row[ASKS] == (ASK in row[: len(Action)])
    for action in Action:
        after, event, _ = rules.step(board, state, action)
        if row[action] != ASK:
            moved, facing2, told_event = unpacked(row[action])
            assert (moved, facing2, told_event) == (after.cell != state.cell, after.facing, event)
            assert after[2:] == state[2:]
        if not row[ASKS]:
            assert row[USEFUL + action] == (after != state or event == Event.DONE)


@pytest.mark.parametrize("arrival", [True, False])
@pytest.mark.parametrize("index", [0, 7, 19])
def test_the_rules_are_asked_only_about_things(arrival: bool, index: int) -> None:  # noqa: FBT001
    codes = np.full((3, 3), rules.WALL, np.uint8)
    asked = {
        (rules.KEY + index, rules.FREE): {Action.PICKUP},
        (rules.FREE, rules.KEY + index): set(),
        (rules.GOAL, rules.WALL): set(),
        (rules.FREE, rules.DOOR + index): {Action.MOVE_FORWARD},
        (rules.FREE, rules.GATE + index): {Action.MOVE_FORWARD},
        (rules.FREE, rules.SWITCH + index): {Action.TOGGLE},
        (rules.SWITCH + index, rules.GOAL): set(),
    }
    for (here, ahead), expected in asked.items():
        codes[1, 1], codes[0, 1] = here, ahead
        row = table(arrival=arrival)[row_of(codes.reshape(-1), (-3, 1, 3, -1), 4, 0)]
        assert {action for action in Action if row[action] == ASK} == expected


@pytest.mark.parametrize("facing", range(4))
def test_at_the_beginning_no_action_is_played(facing: int) -> None:
    row = table(arrival=True)[BEGUN + facing].tolist()
    assert [unpacked(row[action]) for action in Action] == [(False, facing, NO_EVENT)] * len(Action)


def test_each_env_has_a_row_of_its_own() -> None:
    assert len(table(arrival=True)) == foresight.OWN + 2
