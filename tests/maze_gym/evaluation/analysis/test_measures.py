"""Metrics reckoned by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest

from maze_gym.evaluation import EndReason, EpisodeRecord, run_episode
from maze_gym.evaluation.analysis.diagnosis import Reviewer
from maze_gym.evaluation.analysis.evidence import Evidence, Talk
from maze_gym.evaluation.analysis.measures import METRICS, latency_percentiles, measure
from maze_gym.evaluation.analysis.metrics import success_rate, summarise
from maze_gym.game import text_game
from maze_gym.play.recording import ReplayedPerson
from mazegen.core.rules import Action

from ...levels import CORRIDOR, TALL

LEFT, RIGHT, FORWARD, PICKUP, TOGGLE, DONE = (int(action) for action in Action)
RECORD = EpisodeRecord(
    env_id="MazeNLU-v0",
    policy="someone",
    level_id="somewhere",
    content_hash="somewhere",
    seed=0,
    end_reason=EndReason.SUCCESS,
    success=True,
    steps=4,
    optimal_actions=2,
    total_reward=1.0,
    actions=(0, 1, 2, 2),
    events=("TURNED", "TURNED", "MOVED", "DONE"),
)
LOST = replace(
    RECORD, success=False, end_reason=EndReason.TIMEOUT, events=("BLOCKED", "WRONG_DONE", "TURNED", "MOVED")
)
UNSCORED = replace(RECORD, success=None, end_reason=EndReason.PROVIDER_ERROR, steps=1)


def query(**fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.5}
    return {"step": 0, "attempt": 0, "reply": "x", "usage": usage, "latency_s": 1.0, "wait_s": 0.0, **fields}


TALK = Talk.of(
    [
        query(latency_s=1.0),
        query(failure={"kind": "no_marker"}, latency_s=2.0),
        query(attempt=1, failure={"kind": "illegal"}, provider_retries=2, wait_s=3.0, latency_s=3.0),
        query(attempt=2, latency_s=10.0),
        {"step": 1, "attempt": 0, "error": "the server is gone"},
    ]
)


def evidence(record: EpisodeRecord = RECORD, **fields: Any) -> Evidence:
    return Evidence(record, **fields)


@pytest.mark.parametrize(
    ("key", "value", "among"),
    [
        ("spl", 0.25, 2),  # 2/4 and 0
        ("steps", 4, 2),
        ("steps_over_optimal", 2, 1),
        ("extra_steps", 2, 1),
        ("optimal_rate", 0, 2),
        ("blocked_rate", 1 / 8, 8),
        ("wrong_done_rate", 0.5, 2),
        ("progress", None, 0),
        ("queries", None, 0),
    ],
)
def test_numbers_of_records_alone(key: str, value: float | None, among: float) -> None:
    assert measure(key, [evidence(), evidence(LOST), evidence(UNSCORED)]) == (value, among)


@pytest.mark.parametrize(
    ("key", "value", "among"),
    [
        ("unparsable_rate", 1 / 4, 4),
        ("illegal_rate", 1 / 3, 3),
        ("retry_rate", 2 / 4, 4),
        ("queries", 4, 1),
        ("input_tokens", 400, 1),
        ("output_tokens", 40, 1),
        ("cost_usd", 2.0, 1),
        ("latency_mean", 4.0, 4),
        ("wait_s", 3.0, 1),
        ("provider_retries", 2, 1),
        ("provider_errors", 1, 1),
        ("tokens_per_success", 440, 1),
    ],
)
def test_numbers_of_what_was_said_keep_the_kinds_of_failure_apart(
    key: str, value: float, among: float
) -> None:
    found = measure(key, [evidence(talk=TALK)])
    assert found.value == pytest.approx(value)
    assert found.among == among


def test_money_spent_on_unscored_episodes_counts_and_their_failures_do_not() -> None:
    both = [evidence(talk=TALK), evidence(UNSCORED, talk=TALK)]
    assert measure("cost_usd", both) == (2.0, 2)
    assert measure("retry_rate", both).among == 4
    assert success_rate(both).trials == 1


def test_what_the_provider_did_not_say_is_unknown_and_not_zero() -> None:
    silent = Talk.of(
        [query(usage={"input_tokens": None, "output_tokens": None, "cost_usd": None}, latency_s=None)]
    )
    for key in ("input_tokens", "output_tokens", "cost_usd", "latency_mean"):
        assert measure(key, [evidence(talk=silent)]).value is None
    assert latency_percentiles([evidence(talk=silent)]) == ()


def test_percentiles_are_over_replies_and_not_over_episodes() -> None:
    assert latency_percentiles([evidence(talk=TALK)], (50, 100)) == (2.5, 10.0)


def test_nothing_is_made_up_for_nobody() -> None:
    assert all(metric.over([]) == (None, 0) for metric in METRICS)


def reviewed(maze: Any, actions: list[int], **arguments: Any) -> Evidence:
    env = gym.make("MazeNLU-v0", maze=maze, **arguments)
    record = run_episode(env, ReplayedPerson("someone", actions))
    return Evidence(record, Reviewer().review(record, text_game(env).recipe()))


def test_numbers_of_the_oracle() -> None:
    detour = reviewed(CORRIDOR, [LEFT, RIGHT, FORWARD, FORWARD])  # 4 actions where 2 are enough, 2 cells
    stuck = reviewed(CORRIDOR, [FORWARD, LEFT, LEFT, LEFT], max_steps=4)  # half of the way
    found = [detour, stuck]
    assert measure("progress", found) == (0.75, 2)
    assert measure("spl_cells", found) == (0.5, 2)
    assert measure("soft_spl", found).value == pytest.approx((0.5 + 0.5 * 0.5) / 2)
    assert measure("dead_rate", found) == (0.0, 2)
    assert measure("loop_rate", found) == (0.0, 2)
    assert measure("first_mistake", found) == (1.5, 2)
    assert stuck.diagnosis is not None
    assert measure("regret", found) == ((2 + stuck.diagnosis.regret) / 8, 8)


def test_actions_without_effect_hold_the_blocked_ones() -> None:
    found = [reviewed(TALL, [PICKUP, RIGHT, FORWARD, FORWARD], max_steps=4)]
    assert measure("futile_rate", found).value == 0.75
    assert measure("blocked_rate", found).value == 0.5


def test_every_metric_has_a_name_of_its_own() -> None:
    assert (
        len({metric.key for metric in METRICS}) == len({metric.title for metric in METRICS}) == len(METRICS)
    )


def test_repeated_levels_widen_the_interval_of_a_summary() -> None:
    apart = [replace(RECORD, content_hash=str(number), success=number % 2 == 0) for number in range(20)]
    alike = [replace(each, content_hash=str(number % 4)) for number, each in enumerate(apart)]
    one, two = summarise("someone", apart).interval, summarise("someone", alike).interval
    assert one is not None
    assert two is not None
    assert two[1] - two[0] > one[1] - one[0]
