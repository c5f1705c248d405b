"""Moves, undo, dead ends and regions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.rules import Action, Event, State
from maze_gym.errors import InvalidArgument

from .. import puzzles as boards

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Puzzle

# The line goes around; behind the gap lies a dead end.
PUZZLE = boards.board(
    """
    S + + G +
    + N + N +
    + . + + E
    """
)
ACTIONS = st.lists(st.sampled_from(Action), max_size=40)


def play(puzzle: Puzzle, names: str, *, backtracking: bool = False) -> tuple[State, list[Event]]:
    """The state and all events after actions named by R, U, L, D."""
    state, events = rules.initial_state(puzzle), []
    for name in names:
        state, event = rules.step(puzzle, state, "RULD".index(name), backtracking=backtracking)
        events.append(event)
    return state, events


def test_a_line_moves_one_position_at_a_time_until_the_end() -> None:
    state, events = play(PUZZLE, "DDRRRR")
    assert events == [Event.MOVED] * 5 + [Event.SOLVED]
    assert state.path == ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4))
    assert rules.is_over(PUZZLE, state)


def test_an_end_with_a_broken_rule_is_a_failure() -> None:
    assert play(PUZZLE, "RRDDRR")[1] == [Event.MOVED] * 5 + [Event.FAILED]


def test_edges_of_the_board_gaps_rule_cells_and_the_line_itself_block() -> None:
    state, events = play(PUZZLE, "RRR")
    assert events == [Event.MOVED, Event.MOVED, Event.BLOCKED]
    for blocked in (Action.UP, Action.LEFT, Action.RIGHT):
        assert rules.step(PUZZLE, state, blocked, backtracking=False) == (state, Event.BLOCKED)
    first = rules.step(PUZZLE, rules.initial_state(PUZZLE), Action.RIGHT, backtracking=False).state
    assert rules.step(PUZZLE, first, Action.DOWN, backtracking=False).event == Event.BLOCKED


def test_a_line_that_has_arrived_cannot_be_changed() -> None:
    for backtracking in (False, True):
        state, _ = play(PUZZLE, "DDRRRR", backtracking=backtracking)
        assert rules.legal_actions(PUZZLE, state, backtracking=backtracking) == ()
        for action in Action:
            outcome = rules.step(PUZZLE, state, action, backtracking=backtracking)
            assert outcome == (state, Event.BLOCKED)


def test_a_dead_end_is_an_event_of_its_own_unless_moves_can_be_taken_back() -> None:
    board = boards.board(
        """
        + + +
        + N G
        S + +
        + N +
        + E +
        """
    )
    assert play(board, "UURR")[1] == [Event.MOVED, Event.MOVED, Event.MOVED, Event.DEAD_END]
    state, events = play(board, "UURR", backtracking=True)
    assert events == [Event.MOVED] * 4
    assert rules.legal_actions(board, state, backtracking=True) == (Action.LEFT,)
    assert rules.legal_actions(board, state, backtracking=False) == ()


def test_only_the_last_move_can_be_taken_back_and_frees_its_position() -> None:
    state, events = play(PUZZLE, "DDRRULL", backtracking=True)
    assert events[-3:] == [Event.MOVED, Event.BLOCKED, Event.BLOCKED]
    before, events = play(PUZZLE, "DDRRUD", backtracking=True)
    assert events[-1] == Event.UNDONE
    assert before.path == state.path[:-1]
    assert play(PUZZLE, "DDRRUDU", backtracking=True)[0] == state


@given(boards.puzzles(), ACTIONS)
def test_legal_actions_are_those_that_change_the_state(puzzle: Puzzle, actions: list[Action]) -> None:
    for backtracking in (False, True):
        state = rules.initial_state(puzzle)
        for action in actions:
            outcomes = {each: rules.step(puzzle, state, each, backtracking=backtracking) for each in Action}
            legal = tuple(each for each in Action if outcomes[each].event != Event.BLOCKED)
            assert rules.legal_actions(puzzle, state, backtracking=backtracking) == legal
            assert all(outcomes[each].state == state for each in Action if each not in legal)
            state = outcomes[action].state


@given(boards.puzzles(), ACTIONS)
def test_going_there_and_back_restores_the_state_exactly(puzzle: Puzzle, actions: list[Action]) -> None:
    state = rules.initial_state(puzzle)
    for action in actions:
        after, event = rules.step(puzzle, state, action, backtracking=True)
        if event == Event.MOVED:
            back = rules.step(puzzle, after, (action + 2) % 4, backtracking=True)
            assert back == (state, Event.UNDONE)
        state = after


@given(boards.puzzles(), ACTIONS)
def test_a_line_never_leaves_the_lanes_and_never_meets_itself(puzzle: Puzzle, actions: list[Action]) -> None:
    state = rules.initial_state(puzzle)
    for action in actions:
        state, event = rules.step(puzzle, state, action, backtracking=True)
        assert len(set(state.path)) == len(state.path)
        assert set(state.path) <= puzzle.lanes.keys()
        assert (state.path[-1] == puzzle.end) == rules.is_over(puzzle, state)
        if event in {Event.SOLVED, Event.FAILED}:
            break


@pytest.mark.parametrize("action", [-1, 4])
def test_actions_out_of_range_are_refused(action: int) -> None:
    with pytest.raises(InvalidArgument, match="from 0 to 3"):
        rules.step(PUZZLE, rules.initial_state(PUZZLE), action, backtracking=False)


def test_gaps_do_not_separate_regions_but_the_line_does() -> None:
    assert rules.regions(PUZZLE, boards.walk(PUZZLE, "DDRRRR")) == (((1, 1), (1, 3)),)
    board = boards.board(
        """
        + + S + +
        + N G N +
        + + E + +
        """
    )
    assert rules.regions(board, ()) == (((1, 1), (1, 3)),)
    assert rules.regions(PUZZLE, boards.walk(PUZZLE, "RRDDRR")) == (((1, 1),), ((1, 3),))


@given(boards.puzzles(), ACTIONS)
def test_regions_are_the_classes_of_cells_without_the_line_between(
    puzzle: Puzzle, actions: list[Action]
) -> None:
    state = rules.initial_state(puzzle)
    for action in actions:
        state = rules.step(puzzle, state, action, backtracking=False).state
    found = rules.regions(puzzle, state.path)
    cells = [(row, col) for row in range(1, puzzle.rows, 2) for col in range(1, puzzle.cols, 2)]
    assert Counter(cell for region in found for cell in region) == Counter(cells)
    # An independent way: join pairs until nothing changes.
    label = {cell: number for number, cell in enumerate(cells)}
    pairs = [
        ((row, col), (row + down, col + right))
        for row, col in cells
        for down, right in ((2, 0), (0, 2))
        if (row + down, col + right) in label and (row + down // 2, col + right // 2) not in state.path
    ]
    for _ in cells:
        for one, two in pairs:
            label[one] = label[two] = min(label[one], label[two])
    assert len(set(label.values())) == len(found)
    assert all(len({label[cell] for cell in region}) == 1 for region in found)
