"""Shortest plans, and the walker that looks at no symbol."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.levels.record import from_record
from maze_gym.envs.sparc.rules import Event, State
from maze_gym.envs.sparc.rules.puzzle import Puzzle
from maze_gym.envs.sparc.search.plans import careless_action, shortest_plan

from ..puzzles import brute_force, needs_sample, puzzles, sample_records
from ..small import ACTIONS, CORNER, EXAMPLE, play


def fewest(puzzle: Puzzle, path: tuple[tuple[int, int], ...], *, backtracking: bool) -> int | None:
    """Length of a shortest plan, by breadth-first search over ``rules.step``."""
    queue = deque([(State(path), 0)])
    seen = {State(path)}
    while queue:
        state, steps = queue.popleft()
        for action in rules.legal_actions(puzzle, state, backtracking=backtracking):
            after, event = rules.step(puzzle, state, action, backtracking=backtracking)
            if event == Event.SOLVED:
                return steps + 1
            if event != Event.FAILED and after not in seen:
                seen.add(after)
                queue.append((after, steps + 1))
    return None


@given(puzzle=puzzles(max_side=2, max_cells=4), actions=ACTIONS, backtracking=st.booleans())
def test_plans_are_shortest_from_wherever_the_line_is(
    puzzle: Puzzle,
    actions: list[int],
    backtracking: bool,  # noqa: FBT001 - drawn by name
) -> None:
    state = rules.initial_state(puzzle)
    for action in actions[:12]:
        after = rules.step(puzzle, state, action, backtracking=False).state
        state = state if rules.is_over(puzzle, after) else after
    plan = shortest_plan(puzzle, state.path, backtracking=backtracking)
    expected = fewest(puzzle, state.path, backtracking=backtracking)
    assert (None if plan is None else len(plan)) == expected
    event = None
    for action in plan or ():
        state, event = rules.step(puzzle, state, action, backtracking=backtracking)
    assert event == (None if plan is None else Event.SOLVED)


def test_no_plan_leads_on_from_a_finished_line() -> None:
    assert shortest_plan(CORNER, CORNER.solutions[0], backtracking=True) is None


def test_the_oracle_goes_back_where_it_can_and_gives_up_where_it_cannot() -> None:
    free, strict = SpatialGymEnv(puzzle=CORNER, backtracking=True), SpatialGymEnv(puzzle=CORNER)
    for env in (free, strict):
        env.reset()
        assert env.remaining_actions() == env.fewest_moves() == 2
        env.step(0)
    assert (free.optimal_action(), free.remaining_actions()) == (2, 3)
    assert (strict.optimal_action(), strict.remaining_actions()) == (None, None)
    total, _ = play(free, (2, 1, 1))
    assert total == 1.0
    assert free.remaining_actions() == 0
    assert free.fewest_moves() == 2


@given(puzzle=puzzles(max_side=3, max_cells=6))
def test_the_careless_walker_takes_a_shortest_way_whatever_the_symbols_say(puzzle: Puzzle) -> None:
    bare = Puzzle("bare", puzzle.height, puzzle.width, puzzle.start, puzzle.end, puzzle.gaps)
    ways = brute_force(bare)
    if not ways:
        return
    state, steps = rules.initial_state(puzzle), 0
    while not rules.is_over(puzzle, state):
        action = careless_action(puzzle, state.path, backtracking=False)
        state, steps = rules.step(puzzle, state, action, backtracking=False).state, steps + 1
    assert steps == min(map(len, ways)) - 1


def test_the_careless_walker_does_something_where_there_is_no_way() -> None:
    cut_off = Puzzle("cut off", 1, 2, (0, 0), (0, 4), gaps=((0, 3), (1, 4)))
    assert careless_action(cut_off, ((0, 0),), backtracking=False) in (0, 3)
    assert careless_action(cut_off, ((0, 0), (0, 1)), backtracking=True) in (0, 2)


@needs_sample
def test_who_ignores_the_rules_solves_no_more_than_have_a_shortest_way_among_their_solutions() -> None:
    """The reference counts 50 of all 500 public puzzles; here the bound is taken on the sample itself."""
    board = [from_record(record) for record in sample_records()]
    env = SpatialGymEnv(puzzles=board)
    solved = possible = 0
    for puzzle in board:
        env.reset(options={"puzzle": puzzle})
        info: dict[str, Any] = {}
        while "is_success" not in info:
            *_, info = env.step(env.greedy_action())
        moves = len(info["path"]) - 1
        is_among = moves == len(min(puzzle.solutions, key=len)) - 1
        assert info["metrics"]["reached_end"] == 1.0
        assert is_among or not info["is_success"]
        solved += info["is_success"]
        possible += is_among
    assert 0 < solved <= possible


@pytest.mark.parametrize("backtracking", [False, True])
def test_oracle_solves_the_example_in_fewest_moves(backtracking: bool) -> None:  # noqa: FBT001 - a parameter
    env = SpatialGymEnv(puzzle=EXAMPLE, backtracking=backtracking)
    env.reset()
    fewest_moves, steps = env.fewest_moves(), 0
    info: dict[str, Any] = {}
    while "is_success" not in info:
        action = env.optimal_action()
        assert action is not None
        *_, info = env.step(action)
        steps += 1
    assert info["is_success"]
    assert steps == fewest_moves
