"""What can be read is judged, right or wrong; only what cannot be read is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maze_gym.ending import EndReason
from maze_gym.evaluation import ExperimentRunner, replay
from maze_gym.game import Coordinates, ReplyFormat
from maze_gym.llm.config import ExperimentConfig, Querying
from maze_gym.llm.querying import FUTILE_PLANS
from maze_gym.policies.llm import LLMPolicy
from maze_gym.wrappers import TextView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.llm.messages import Message

WORLDS = ("MazeNLU-v0", "SpatialGym-v0", "PacmanArray-v0")
PLANS = (Querying.FULL_TRAJECTORY, Querying.SUBGOAL)
POSITIONS = ReplyFormat.COORDINATES


class Answers:
    """A chat that gives these replies, the last one for ever, and counts how often it was asked."""

    name = "answers"

    def __init__(self, replies: Sequence[str]) -> None:
        self.replies, self.asked = list(replies), 0

    def __call__(self, _: tuple[Message, ...]) -> str:
        self.asked += 1
        return self.replies[min(self.asked, len(self.replies)) - 1]


def run(env_id: str, replies: Sequence[str], **config: Any) -> tuple[Any, Answers]:
    """The record of an episode that is answered like that."""
    env, chat = gym.make(env_id), Answers(replies)
    settings = ExperimentConfig(**config)
    record = ExperimentRunner(settings, env, LLMPolicy(chat, settings, env=env)).run(seed=0)
    assert replay(record).mismatch == ""
    return record, chat


def spatial_path() -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """The positions of a right answer to the first puzzle, and where it begins."""
    env = gym.make("SpatialGym-v0")
    _, info = env.reset(seed=0)
    while "is_success" not in info:
        *_, info = env.step(env.unwrapped.optimal_action())  # type: ignore[attr-defined]  # of a world
    return list(info["path"]), info["path"][0]


def answer(positions: Sequence[tuple[int, int]]) -> str:
    return "#### " + ", ".join(f"({row}, {col})" for row, col in positions)


@pytest.mark.parametrize("wrong", ["jump", "off the board", "elsewhere", "no move", "crosses itself"])
def test_a_wrong_path_is_an_answer_and_no_other_one_is_asked_for(wrong: str) -> None:
    path, start = spatial_path()
    replies = {
        "jump": answer([start, path[-1]]),
        "off the board": answer([(99, 99)]),
        "elsewhere": answer([path[1], path[2]]),
        "no move": answer([start]),
        "crosses itself": answer([*path[:3], path[1]]),
    }
    record, chat = run(
        "SpatialGym-v0",
        [replies[wrong], answer(path)],
        querying=Querying.FULL_TRAJECTORY,
        reply_format=POSITIONS,
        retries=2,
    )
    assert (chat.asked, record.episode.success, record.episode.total_reward) == (1, False, 0.0)
    assert record.episode.end_reason == EndReason.PLAN_EXHAUSTED
    assert record.episode.detail.startswith("the plan ran out after")
    assert record.totals["parse_retries"] == 0


def test_what_holds_no_answer_is_asked_again_and_then_the_right_path_counts() -> None:
    path, _ = spatial_path()
    record, chat = run(
        "SpatialGym-v0",
        ["I do not know.", answer(path[:1]) + ", (1, ", answer(path)],
        querying=Querying.FULL_TRAJECTORY,
        reply_format=POSITIONS,
        retries=2,
    )
    assert (chat.asked, record.episode.success) == (3, True)


def test_a_text_view_judges_like_the_policy() -> None:
    path, start = spatial_path()
    config = ExperimentConfig(querying=Querying.FULL_TRAJECTORY, reply_format=POSITIONS, retries=2)
    view = TextView(gym.make("SpatialGym-v0"), config)
    view.reset(seed=0)
    step = view.step(answer([start, path[-1]]))
    assert (step.truncated, step.info["end_reason"], step.info["is_success"]) == (
        True,
        "plan_exhausted",
        False,
    )


def test_part_of_a_way_is_played_as_far_as_it_goes_and_the_rest_is_told() -> None:
    path, _ = spatial_path()
    seen: list[str] = []
    env = gym.make("SpatialGym-v0")
    config = ExperimentConfig(querying=Querying.SUBGOAL, reply_format=POSITIONS, retries=0)

    def chat(messages: tuple[Message, ...]) -> str:
        seen.append(messages[-1].text)
        return answer([*path[:2], path[-1]]) if len(seen) == 1 else answer(path[1:])

    record = ExperimentRunner(config, env, LLMPolicy(chat, config, env=env)).run(seed=0)
    assert record.episode.success
    assert [query["attempt"] for query in record.queries] == [0, 0]
    assert "Your last plan could not be followed to its end: no single move leads from" in seen[1]


def test_plans_that_lead_nowhere_come_to_an_end() -> None:
    for limit, asked in ((None, FUTILE_PLANS), (3, 3)):
        record, chat = run(
            "SpatialGym-v0",
            [answer([(99, 99)])],
            querying=Querying.SUBGOAL,
            reply_format=POSITIONS,
            failure_limit=limit,
        )
        assert (chat.asked, record.episode.end_reason, record.episode.steps) == (asked, EndReason.STALLED, 0)
    view = TextView(
        gym.make("SpatialGym-v0"), ExperimentConfig(querying=Querying.SUBGOAL, reply_format=POSITIONS)
    )
    view.reset(seed=0)
    steps = [view.step(answer([(99, 99)])) for _ in range(FUTILE_PLANS)]
    assert [step.truncated for step in steps] == [False] * (FUTILE_PLANS - 1) + [True]
    assert steps[-1].info["end_reason"] == "stalled"


@pytest.mark.parametrize("querying", PLANS)
@pytest.mark.parametrize("env_id", WORLDS)
@given(data=st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_plan_of_any_actions_is_judged_even_where_they_are_not_open(
    env_id: str, querying: Querying, data: st.DataObject
) -> None:
    """Though the prompt lists the actions that are open: one that is not is no reason to ask again."""
    env = gym.make(env_id)
    names = env.unwrapped.action_names  # type: ignore[attr-defined]  # of a world
    plan = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=6))
    several = {"MazeNLU-v0": "ACTIONS: {}", "SpatialGym-v0": "ACTIONS: {}", "PacmanArray-v0": "ACTIONS: {}"}
    record, _ = run(
        env_id,
        [several[env_id].format(", ".join(plan))],
        querying=querying,
        reply_format=ReplyFormat.ACTIONS,
        show_legal_actions=True,
        retries=2,
        stall_limit=5,
    )
    assert record.totals["parse_retries"] == 0
    assert all("failure" not in query for query in record.queries)
    if querying == Querying.FULL_TRAJECTORY:
        assert len(record.queries) == 1


@given(cells=st.lists(st.tuples(st.integers(-2, 12), st.integers(-2, 12)), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_list_of_positions_is_one_answer(cells: list[tuple[int, int]]) -> None:
    record, chat = run(
        "SpatialGym-v0",
        [answer(cells)],
        querying=Querying.FULL_TRAJECTORY,
        reply_format=POSITIONS,
        coordinates=Coordinates.ROW_COL,
        retries=3,
    )
    assert chat.asked == 1
    assert "failure" not in record.queries[0]
