"""The one episode loop and its record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym import __version__
from maze_gym.errors import InvalidArgument, PolicyStopped
from maze_gym.evaluation import EndReason, EpisodeRecord, run_episode, summarise
from maze_gym.llm import ExperimentConfig
from maze_gym.policies import make_policy
from maze_gym.policies.llm import LLMPolicy
from mazegen import codec
from mazegen.core.rules import Action

from ..levels import ALL_KINDS, CORRIDOR, TALL, TRAP
from ..llm.hallway import Hallway

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mazegen.core.maze import Maze


class Scripted:
    """Takes the given actions, then stops for the given reason."""

    name = "scripted"

    def __init__(self, actions: Sequence[int], reason: EndReason = EndReason.PLAN_EXHAUSTED) -> None:
        self.actions, self.reason = actions, reason
        self.turn = 0

    def reset(self, seed: int | None = None) -> None:
        del seed
        self.turn = 0

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:
        del observation, info
        if self.turn == len(self.actions):
            raise PolicyStopped(self.reason, "no more")
        self.turn += 1
        return self.actions[self.turn - 1]


def make(maze: Maze, **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("MazeNLU-v0", maze=codec.to_dict(maze), **kwargs)


def test_oracle_succeeds_in_exactly_the_optimum_and_the_record_replays() -> None:
    env = make(ALL_KINDS)
    record = run_episode(env, make_policy("oracle", env), seed=5)
    assert (record.end_reason, record.success) == (EndReason.SUCCESS, True)
    assert record.steps == record.optimal_actions == len(record.actions) == len(record.events)
    assert record.total_reward == 1.0
    assert (record.env_id, record.level_id, record.seed) == ("MazeNLU-v0", "all_kinds", 5)
    assert (record.content_hash, record.version) == (ALL_KINDS.content_hash, __version__)
    replayed = run_episode(env, Scripted(record.actions), seed=record.seed)
    assert replayed.events == record.events
    assert replayed.end_reason is EndReason.SUCCESS


def test_step_limit_is_a_timeout() -> None:
    env = make(TALL, max_steps=4)
    record = run_episode(env, Scripted([0] * 10))
    assert (record.end_reason, record.success, record.steps) == (EndReason.TIMEOUT, False, 4)


@pytest.mark.parametrize("reason", [EndReason.PARSE_FAILED, EndReason.PLAN_EXHAUSTED, EndReason.FAILED])
def test_a_policy_that_stops_has_failed_for_its_reason(reason: EndReason) -> None:
    record = run_episode(make(TALL), Scripted([0, 1], reason))
    assert (record.end_reason, record.success, record.steps) == (reason, False, 2)


@pytest.mark.parametrize("reason", [EndReason.PROVIDER_ERROR, EndReason.ABORTED])
def test_what_is_no_fault_of_the_policy_is_unscored(reason: EndReason) -> None:
    assert run_episode(make(TALL), Scripted([], reason)).success is None


def test_oracle_in_a_dead_state_has_failed() -> None:
    class Blunder(Scripted):
        def __init__(self, env: gym.Env[Any, Any]) -> None:
            super().__init__([2, 3, 0, 2])
            self.oracle = make_policy("oracle", env)

        def act(self, observation: Any, info: Mapping[str, Any]) -> int:
            if self.turn < len(self.actions):
                return super().act(observation, info)
            return self.oracle.act(observation, info)

    env = make(TRAP)
    record = run_episode(env, Blunder(env))
    assert (record.end_reason, record.steps) == (EndReason.FAILED, 4)


def test_stalling_ends_the_episode_and_turning_is_no_progress() -> None:
    record = run_episode(make(TALL, max_steps=100), Scripted([0] * 50), stall_limit=5)
    assert record.end_reason is EndReason.STALLED
    assert record.steps == 5  # the start has been seen before the first step


def test_both_limits_allow_equally_many_futile_steps_from_the_start() -> None:
    env = make(TALL, max_steps=100, finish="done_action")
    limits: tuple[dict[str, Any], ...] = ({"stall_limit": 5}, {"failure_limit": 5})
    assert [run_episode(env, Scripted([Action.DONE] * 9), **limit).steps for limit in limits] == [5, 5]


def test_new_states_keep_an_episode_alive() -> None:
    env = make(TALL)
    record = run_episode(env, make_policy("oracle", env), stall_limit=2)
    assert record.end_reason is EndReason.SUCCESS


@pytest.mark.parametrize("name", ["stall_limit", "failure_limit"])
def test_a_model_is_held_to_the_limits_of_its_config(name: str) -> None:
    env = make(CORRIDOR)
    own: dict[str, Any] = {name: 2}
    given: dict[str, Any] = {name: 3}
    policy = LLMPolicy(lambda _: "FINAL_OUTPUT: PICKUP", ExperimentConfig(**own), env=env)
    record = run_episode(env, policy, seed=0)
    assert (record.end_reason, record.steps) == (EndReason.STALLED, 2)
    assert run_episode(env, policy, seed=0, **given).steps == 3


@pytest.mark.parametrize("env_id", ["SpatialGym-v0", "PacmanArray-v0"])
def test_a_world_measures_every_episode_however_it_ended(env_id: str) -> None:
    env = gym.make(env_id)
    played = run_episode(env, make_policy("greedy", env), seed=1)
    broken_off = run_episode(env, Scripted([]), seed=1)
    assert (broken_off.end_reason, broken_off.steps) == (EndReason.PLAN_EXHAUSTED, 0)
    assert set(broken_off.metrics) == set(played.metrics)
    name = "solved" if env_id == "SpatialGym-v0" else "win"
    assert broken_off.metrics[name] == 0
    right = run_episode(env, make_policy("oracle" if name == "solved" else "search", env), seed=1)
    assert summarise("mixed", [right, *[broken_off] * 4]).metrics[name] == pytest.approx(0.2)


def test_stall_limit_needs_a_world_and_a_positive_number() -> None:
    with pytest.raises(InvalidArgument, match="at least 1"):
        run_episode(make(TALL), Scripted([]), stall_limit=0)
    with pytest.raises(InvalidArgument, match="world of this suite"):
        run_episode(gym.make("CartPole-v1"), Scripted([]), stall_limit=3)


def test_failures_in_a_row_end_the_episode() -> None:
    """PICKUP finds nothing, TOGGLE reaches nothing, DONE is not yet true: the world says that each failed."""
    for futile, event in (
        (Action.PICKUP, "NOTHING"),
        (Action.TOGGLE, "NOTHING"),
        (Action.DONE, "WRONG_DONE"),
    ):
        record = run_episode(
            make(TALL, max_steps=100, finish="done_action"), Scripted([futile] * 9), failure_limit=4
        )
        assert (record.end_reason, record.success) == (EndReason.STALLED, False)
        assert record.events == (event,) * 4


def test_an_action_that_works_ends_a_row_of_failures_even_if_it_is_no_progress() -> None:
    actions = [Action.PICKUP, Action.PICKUP, Action.TURN_LEFT] * 3
    record = run_episode(make(TALL, max_steps=100), Scripted(actions), failure_limit=3)
    assert (record.end_reason, record.steps) == (EndReason.PLAN_EXHAUSTED, 9)


def test_both_stall_rules_count_side_by_side() -> None:
    record = run_episode(make(TALL, max_steps=100), Scripted([0, 0, 3, 3, 3]), stall_limit=6, failure_limit=3)
    assert (record.end_reason, record.steps) == (EndReason.STALLED, 5)
    earlier = run_episode(make(TALL, max_steps=100), Scripted([3] * 9), stall_limit=8, failure_limit=2)
    assert (earlier.end_reason, earlier.steps) == (EndReason.STALLED, 2)


def test_failures_are_told_by_any_world_of_text() -> None:
    record = run_episode(Hallway(), Scripted([0, 0, 0, 0, 1]), failure_limit=2)
    assert (record.end_reason, record.events) == (EndReason.STALLED, ("MOVED", "BLOCKED", "BLOCKED"))


def test_failure_limit_needs_a_world_of_text_and_a_positive_number() -> None:
    with pytest.raises(InvalidArgument, match="failure_limit must be at least 1"):
        run_episode(make(TALL), Scripted([]), failure_limit=0)
    with pytest.raises(InvalidArgument, match=r"maze_gym\.game\.TextGame, got CartPole"):
        run_episode(gym.make("CartPole-v1"), Scripted([]), failure_limit=3)


def test_loop_works_on_any_gymnasium_env() -> None:
    env = gym.make("CartPole-v1", max_episode_steps=3)
    record = run_episode(env, make_policy("random", env), seed=0)
    assert (record.end_reason, record.steps, record.optimal_actions) == (EndReason.TIMEOUT, 3, None)


def test_steps_are_reported_as_they_happen() -> None:
    seen: list[int] = []
    run_episode(make(CORRIDOR), Scripted([2, 2]), on_step=seen.append)
    assert seen == [1, 2]


def test_record_survives_json() -> None:
    record = run_episode(make(ALL_KINDS, max_steps=3), Scripted([0, 1, 2]), seed=1)
    line = record.to_json()
    assert "\n" not in line
    assert EpisodeRecord.from_json(line) == record
    assert json.loads(line)["events"] == list(record.events)


@pytest.mark.parametrize("line", ["", "{}", "[]", "3", '{"end_reason": "no such"}', "{"])
def test_a_line_that_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(InvalidArgument, match="not an episode record"):
        EpisodeRecord.from_json(line)


def test_actions_of_a_record_are_plain_integers() -> None:
    env = make(TALL)
    record = run_episode(env, make_policy("random", env), seed=0)
    assert {type(action) for action in record.actions} == {int}
    assert set(record.actions) <= set(map(int, Action))
