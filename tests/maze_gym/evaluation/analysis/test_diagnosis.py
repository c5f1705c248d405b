"""What went wrong, step by step: the oracle beside an episode."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest
from hypothesis import given

from maze_gym.errors import SearchLimitExceeded
from maze_gym.evaluation import EndReason, EpisodeRecord, run_episode
from maze_gym.evaluation.analysis.diagnosis import Diagnosis, FailureClass, Reviewer, classify
from maze_gym.game import EpisodeSpec, Measured, text_game
from maze_gym.play.recording import ReplayedPerson
from maze_gym.policies import make_policy
from mazegen import codec
from mazegen.core import rules
from mazegen.core.rules import Action
from mazegen.search import solver

from ....strategies import Play, plays
from ...levels import ALL_KINDS, CORRIDOR, TALL, TRAP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mazegen.core.maze import Maze

LEFT, RIGHT, FORWARD, PICKUP, TOGGLE, DONE = (int(action) for action in Action)


PAGE = Path(__file__).parents[4] / "docs" / "read-a-report.md"


def played(maze: Maze, actions: Sequence[int], **arguments: Any) -> tuple[EpisodeRecord, EpisodeSpec]:
    """An episode of these actions."""
    env = gym.make("MazeNLU-v0", maze=maze, **arguments)
    record = run_episode(env, ReplayedPerson("someone", actions))
    return record, text_game(env).recipe()


def diagnosed(maze: Maze, actions: Sequence[int], **arguments: Any) -> Diagnosis:
    return Reviewer().review(*played(maze, actions, **arguments))


def test_the_oracle_makes_no_mistake() -> None:
    for maze in (CORRIDOR, ALL_KINDS, TALL, TRAP):
        plan = [int(action) for action in solver.solve(maze).actions]
        found = diagnosed(maze, plan)
        assert (found.failure, found.regret, found.first_mistake, found.dead_at) == (
            FailureClass.NONE,
            0,
            None,
            None,
        )
        assert found.progress == 1
        assert [step.remaining for step in found.steps] == list(range(len(plan) - 1, -1, -1))
        assert found.fewest_moves == solver.solve(maze).cell_moves


def test_a_detour_is_a_regret_at_its_step() -> None:
    found = diagnosed(CORRIDOR, [LEFT, RIGHT, FORWARD, FORWARD])
    assert [step.regret for step in found.steps] == [2, 0, 0, 0]
    assert found.first_mistake == 1
    assert found.steps[0].best == FORWARD


def test_bumping_into_a_wall_costs_one_and_is_counted_apart() -> None:
    found = diagnosed(CORRIDOR, [LEFT, FORWARD, PICKUP, FORWARD, FORWARD], max_steps=5)
    assert (found.blocked, found.failed, found.moves) == (3, 4, 0)
    assert found.failure == FailureClass.BUMPING
    assert found.progress == 0


def test_the_point_of_no_return_is_named() -> None:
    # The key opens either door and is used up; the left door leads nowhere.
    plan = [int(action) for action in solver.solve(TRAP).actions]
    board = rules.compile_board(TRAP)
    field = solver.DistanceField(board)
    dead = [
        (state, action)
        for state, action in _walks(board, depth=9)
        if not field.is_dead(state) and field.is_dead(rules.step(board, state, action).state)
    ]
    assert dead, "this level has no trap within reach"
    actions = _way_to(board, *dead[0])
    found = diagnosed(TRAP, [*actions, LEFT, LEFT], max_steps=len(actions) + 2)
    assert found.dead_at == len(actions)
    assert found.failure == FailureClass.DEAD_END
    assert [step.remaining for step in found.steps[-3:]] == [None, None, None]
    assert [step.best for step in found.steps[-2:]] == [None, None]
    assert diagnosed(TRAP, plan).dead_at is None


def _walks(board: rules.Board, depth: int) -> list[tuple[rules.State, int]]:
    seen, layer, pairs = {board.start}, [board.start], []
    for _ in range(depth):
        following = []
        for state in layer:
            for action in range(len(Action)):
                outcome = rules.step(board, state, action)
                if outcome.event == rules.Event.DONE:
                    continue
                pairs.append((state, action))
                if outcome.state not in seen:
                    seen.add(outcome.state)
                    following.append(outcome.state)
        layer = following
    return pairs


def _way_to(board: rules.Board, target: rules.State, last: int) -> list[int]:
    ways: dict[rules.State, list[int]] = {board.start: []}
    queue = [board.start]
    for state in queue:
        if state == target:
            return [*ways[state], last]
        for action in range(len(Action)):
            outcome = rules.step(board, state, action)
            if outcome.event != rules.Event.DONE and outcome.state not in ways:
                ways[outcome.state] = [*ways[state], action]
                queue.append(outcome.state)
    raise AssertionError


def test_going_back_and_forth_is_a_loop_and_turning_on_the_spot_is_none() -> None:
    back_and_forth = [RIGHT, RIGHT, FORWARD] * 6
    found = diagnosed(TALL, [LEFT, FORWARD, *back_and_forth], max_steps=20)
    assert found.most_visits >= 3
    assert found.failure == FailureClass.LOOPING
    assert diagnosed(TALL, [LEFT] * 20, max_steps=20).most_visits == 1


def test_saying_done_elsewhere_is_counted() -> None:
    found = diagnosed(TALL, [LEFT, DONE, LEFT, LEFT, RIGHT, LEFT], max_steps=6, finish="done_action")
    assert (found.wrong_dones, found.failure) == (1, FailureClass.WRONG_DONE)


@given(plays())
def test_regrets_add_up_to_the_steps_beyond_the_way_covered(play: Play) -> None:
    board, field = play.board, solver.DistanceField(play.board)
    if field.distance(board.start) is None:
        return
    record, recipe = played(
        play.maze, [LEFT, FORWARD, TOGGLE, FORWARD, PICKUP, RIGHT, FORWARD, LEFT], max_steps=8
    )
    found = Reviewer().review(record, recipe)
    alive = [step for step in found.steps if step.regret is not None]
    assert all(step.regret is not None and step.regret >= 0 for step in alive)
    left = alive[-1].remaining if alive else found.optimal
    assert found.optimal is not None
    assert left is not None
    assert found.regret == len(alive) - (found.optimal - left)
    assert (found.dead_at is None) == (len(alive) == len(found.steps))


def test_a_record_that_the_world_does_not_repeat_is_named_and_not_judged() -> None:
    record, recipe = played(CORRIDOR, [LEFT, RIGHT, FORWARD, FORWARD])
    forged = replace(record, events=("TURNED", "MOVED", *record.events[2:]))
    found = Reviewer().review(forged, recipe)
    assert "step 2: recorded event 'MOVED', now 'TURNED'" in found.mismatch
    assert len(found.steps) == 1
    beyond = replace(record, actions=(*record.actions, LEFT), events=(*record.events, "TURNED"))
    assert "step 5" in Reviewer().review(beyond, recipe).mismatch


def test_a_world_that_is_not_measured_is_replayed_without_an_oracle() -> None:
    env = gym.make("PacmanArray-v0", max_steps=40)
    record = run_episode(env, make_policy("greedy", env, 0), seed=1)
    assert not isinstance(env.unwrapped, Measured)
    found = Reviewer().review(record, text_game(env).recipe())
    assert not found.mismatch
    assert (found.measured, found.optimal, found.progress, found.dead_at) == (False, None, None, None)
    assert len(found.steps) == record.steps
    assert found.moves > 0


def test_a_level_too_large_to_search_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: object, **__: object) -> None:
        msg = "too many"
        raise SearchLimitExceeded(msg)

    record, recipe = played(CORRIDOR, [FORWARD, FORWARD])
    monkeypatch.setattr(solver, "DistanceField", too_large)
    assert not Reviewer().review(record, recipe).measured


def test_states_are_shown_at_the_start_and_after_each_step() -> None:
    record, recipe = played(CORRIDOR, [FORWARD, FORWARD])
    seen: list[Any] = []
    Reviewer().review(record, recipe, lambda world: seen.append(world.snapshot()["col"]))
    assert seen == [1, 2, 3]


RECORD = EpisodeRecord(
    env_id="MazeNLU-v0",
    policy="someone",
    level_id="somewhere",
    content_hash="",
    seed=0,
    end_reason=EndReason.TIMEOUT,
    success=False,
    steps=4,
    optimal_actions=2,
    total_reward=0.0,
    actions=(0, 0, 0, 0),
    events=("TURNED",) * 4,
)


@pytest.mark.parametrize(
    ("changes", "known", "expected"),
    [
        ({"success": True, "end_reason": EndReason.SUCCESS}, {}, FailureClass.NONE),
        ({"success": None, "end_reason": EndReason.PROVIDER_ERROR}, {}, FailureClass.UNSCORED),
        ({"success": None, "end_reason": EndReason.ABORTED}, {}, FailureClass.UNSCORED),
        ({"end_reason": EndReason.PARSE_FAILED}, {"dead_at": 1}, FailureClass.UNPARSABLE),
        ({}, {"dead_at": 1, "most_visits": 9}, FailureClass.DEAD_END),
        ({"end_reason": EndReason.FAILED}, {}, FailureClass.LOST),
        ({"events": ("BLOCKED", "BLOCKED", "MOVED", "MOVED")}, {}, FailureClass.BUMPING),
        ({}, {"most_visits": 3}, FailureClass.LOOPING),
        ({"end_reason": EndReason.PLAN_EXHAUSTED}, {}, FailureClass.PLAN_RAN_OUT),
        ({"events": ("WRONG_DONE", "MOVED", "MOVED", "MOVED")}, {}, FailureClass.WRONG_DONE),
        ({}, {}, FailureClass.OUT_OF_STEPS),
        ({"steps": 0, "actions": (), "events": ()}, {}, FailureClass.OUT_OF_STEPS),
    ],
)
def test_each_failure_has_its_class(
    changes: dict[str, Any], known: dict[str, Any], expected: FailureClass
) -> None:
    assert classify(replace(RECORD, **changes), **known) == expected


def test_mazes_that_come_from_records_alone_can_be_made_again() -> None:
    record, recipe = played(ALL_KINDS, [FORWARD])
    assert recipe.make["maze"] == codec.to_dict(ALL_KINDS)
    assert Reviewer().review(record, recipe).mismatch == ""


def test_the_page_names_what_episodes_are_lost_to_in_the_order_in_which_it_is_decided() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sentence = text.partition("**What episodes were lost to**")[2].partition("\n*")[0]
    assert re.findall(r"`([^`]+)`", sentence) == [str(each) for each in FailureClass]
