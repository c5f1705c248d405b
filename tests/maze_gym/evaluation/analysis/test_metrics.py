"""Numbers over episodes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.evaluation import EndReason, EpisodeRecord, summarise, wilson_interval

EPISODE = EpisodeRecord(
    env_id="MazeNLU-v0",
    policy="someone",
    level_id="somewhere",
    content_hash="",
    seed=0,
    end_reason=EndReason.SUCCESS,
    success=True,
    steps=10,
    optimal_actions=10,
    total_reward=1.0,
    actions=(),
    events=(),
)
FAILURE = replace(EPISODE, success=False, end_reason=EndReason.TIMEOUT, steps=40)
UNSCORED = replace(EPISODE, success=None, end_reason=EndReason.PROVIDER_ERROR, steps=3)


def test_summary_of_a_mixture_is_what_one_reckons_by_hand() -> None:
    summary = summarise("someone", [EPISODE, replace(EPISODE, steps=20), FAILURE, UNSCORED])
    assert (summary.episodes, summary.unscored, summary.successes) == (3, 1, 2)
    assert summary.success_rate == pytest.approx(2 / 3)
    assert summary.mean_steps == pytest.approx(70 / 3)
    assert summary.steps_over_optimal == pytest.approx(1.5)
    assert summary.spl == pytest.approx((1 + 0.5 + 0) / 3)
    assert summary.end_reasons == {"provider_error": 1, "success": 2, "timeout": 1}


def test_without_scored_episodes_nothing_is_made_up() -> None:
    summary = summarise("someone", [UNSCORED])
    assert (summary.success_rate, summary.interval, summary.mean_steps, summary.spl) == (None,) * 4


def test_unknown_optimum_is_left_out_of_what_needs_it() -> None:
    summary = summarise("someone", [replace(EPISODE, optimal_actions=None)])
    assert (summary.success_rate, summary.spl, summary.steps_over_optimal) == (1.0, None, None)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # published tables of the Wilson score interval
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (50, 100, 0.4038, 0.5962),
    ],
)
def test_wilson_interval_agrees_with_tables(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_interval_holds_the_rate(counts: tuple[int, int]) -> None:
    successes, trials = counts
    interval = wilson_interval(successes, trials)
    assert interval is not None
    assert -1e-12 <= interval[0] <= successes / trials <= interval[1] <= 1 + 1e-12


def test_wilson_interval_of_nothing_is_none() -> None:
    assert wilson_interval(0, 0) is None
