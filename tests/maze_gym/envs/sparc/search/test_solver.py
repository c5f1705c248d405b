"""The solver finds what walking everywhere finds, no more and no less."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.levels.datasets import load_puzzles
from maze_gym.envs.sparc.levels.record import from_record
from maze_gym.envs.sparc.rules import Event
from maze_gym.envs.sparc.search import solver
from maze_gym.errors import InvalidArgument, SearchLimitExceeded

from .. import puzzles as boards

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Path, Puzzle

OPEN = boards.board("S + + + + \n + N + N + \n + + + + + \n + N + N + \n + + + + E")
SMALL = 9  # rule cells, up to which brute force takes no time
PLAIN_PYTHON = """
import json, sys
from maze_gym.envs.sparc.search import solver
from maze_gym.envs.sparc.levels.datasets import load_puzzles
from maze_gym.envs.sparc.search.kernels import search
puzzles = [each for each in load_puzzles("spatial-validation") if each.height * each.width <= 6][:6]
assert not hasattr(search, "py_func")
json.dump([solver.enumerate_solutions(each) for each in puzzles], sys.stdout)
"""


@given(boards.puzzles())
def test_it_finds_exactly_the_lines_that_obey_all_rules(puzzle: Puzzle) -> None:
    found = solver.enumerate_solutions(puzzle)
    assert len(set(found)) == len(found)
    assert set(found) == boards.brute_force(puzzle)


@boards.needs_sample
def test_public_puzzles_have_exactly_their_stored_solutions() -> None:
    for record in boards.sample_records():
        puzzle = from_record(record)
        found = solver.enumerate_solutions(puzzle)
        assert sorted(found) == sorted(puzzle.solutions), puzzle.puzzle_id


def test_bundled_puzzles_have_exactly_the_solutions_that_brute_force_finds() -> None:
    puzzles = [each for each in load_puzzles("spatial-validation") if each.height * each.width <= SMALL]
    kinds = {symbol.kind for puzzle in puzzles for _, symbol in puzzle.symbols}
    assert len(puzzles) >= 40
    assert len(kinds) >= 4
    for puzzle in puzzles:
        assert set(puzzle.solutions) == boards.brute_force(puzzle), puzzle.puzzle_id


@given(boards.puzzles(), st.integers(1, 4))
def test_a_limit_gives_the_first_of_them(puzzle: Puzzle, limit: int) -> None:
    everything = solver.enumerate_solutions(puzzle)
    assert solver.enumerate_solutions(puzzle, limit) == everything[:limit]
    assert solver.count_solutions(puzzle, limit) == len(everything[:limit])
    assert solver.count_solutions(puzzle) == len(everything)


@given(boards.puzzles(max_cells=6), st.lists(st.sampled_from(rules.Action), max_size=12))
def test_a_line_can_be_completed_if_some_solution_begins_with_it(
    puzzle: Puzzle, actions: list[rules.Action]
) -> None:
    solutions = boards.brute_force(puzzle)
    state = rules.initial_state(puzzle)
    for action in (None, *actions):
        if action is not None:
            state = rules.step(puzzle, state, action, backtracking=False).state
        path = state.path
        rests = [line[len(path) :] for line in solutions if line[: len(path)] == path]
        assert solver.is_completable(puzzle, path) == bool(rests)
        rest = solver.shortest_completion(puzzle, path)
        if rests:
            assert rest in rests
            assert len(rest) == min(map(len, rests))
        else:
            assert rest is None


def test_every_prefix_of_a_stored_solution_is_completed_by_moves_to_the_end() -> None:
    for puzzle in load_puzzles("spatial-validation")[::10]:
        for path in puzzle.solutions[:2]:
            for length in range(1, len(path) + 1):
                rest = solver.shortest_completion(puzzle, path[:length])
                assert rest is not None
                assert len(rest) <= len(path) - length
                assert (*path[:length], *rest) in puzzle.solutions


def test_lines_come_in_the_same_order_every_time() -> None:
    first = solver.enumerate_solutions(OPEN)
    assert first == solver.enumerate_solutions(OPEN)
    assert len(first) == 12


def test_a_search_beyond_its_bound_says_so() -> None:
    with pytest.raises(SearchLimitExceeded, match="'drawn' is too large: it takes more than 5 extensions"):
        solver.enumerate_solutions(OPEN, bound=5)


@pytest.mark.parametrize("value", [0, -1, True, 1.5])
def test_limits_must_be_positive_integers(value: int) -> None:
    with pytest.raises(InvalidArgument, match="limit must be a positive integer"):
        solver.count_solutions(OPEN, value)
    with pytest.raises(InvalidArgument, match="bound must be a positive integer"):
        solver.enumerate_solutions(OPEN, bound=value)


@pytest.mark.parametrize("path", [(), ((4, 4),), ((0, 0), (0, 2)), ((0, 0), (0, 1), (0, 0))])
def test_a_path_that_is_no_line_is_refused(path: Path) -> None:
    with pytest.raises(InvalidArgument, match="must follow the lanes of 'drawn'"):
        solver.is_completable(OPEN, path)


def test_a_finished_line_is_completed_by_nothing_if_it_obeys_the_rules() -> None:
    puzzle = boards.board("S + E \n + N . \n + + +")
    right, wrong = boards.walk(puzzle, "DDRRUU"), boards.walk(puzzle, "RR")
    assert solver.shortest_completion(puzzle, right) == ()
    assert solver.shortest_completion(puzzle, wrong) is None
    assert not solver.is_completable(puzzle, wrong)


@given(boards.puzzles(max_cells=6))
def test_the_shortest_is_found_by_ever_longer_lines_too(puzzle: Puzzle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_SHORTENING_BOUND", 1)
        rest = solver.shortest_completion(puzzle, (puzzle.start,))
        lengths = [len(path) - 1 for path in boards.brute_force(puzzle)]
        assert (len(rest) if rest is not None else None) == (min(lengths) if lengths else None)


@given(boards.puzzles(max_cells=6))
def test_where_no_search_suffices_some_line_is_found_if_there_is_one(puzzle: Puzzle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_SHORTENING_BOUND", 1)
        patch.setattr(solver, "_LENGTHENING_BOUND", 1)
        rest = solver.shortest_completion(puzzle, (puzzle.start,))
        solutions = boards.brute_force(puzzle)
        assert (rest is None) == (not solutions)
        assert rest is None or (puzzle.start, *rest) in solutions


def test_plain_python_finds_the_same_in_the_same_order() -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PLAIN_PYTHON], check=True, capture_output=True, text=True, env=environment
    )
    puzzles = [each for each in load_puzzles("spatial-validation") if each.height * each.width <= 6][:6]
    expected = json.loads(json.dumps([solver.enumerate_solutions(each) for each in puzzles]))
    assert json.loads(done.stdout) == expected


def test_a_solution_found_is_solved_when_it_is_played() -> None:
    puzzle = load_puzzles("spatial-validation")[0]
    state, event = rules.initial_state(puzzle), Event.MOVED
    rest = solver.shortest_completion(puzzle, state.path)
    assert rest is not None
    for there in rest:
        action = puzzle.lanes[state.path[-1]].index(there)
        state, event = rules.step(puzzle, state, action, backtracking=False)
    assert event == Event.SOLVED
