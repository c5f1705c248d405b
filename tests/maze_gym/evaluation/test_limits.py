"""Budgets and rates, under a clock that a test moves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.errors import InvalidArgument, RunStopped, StopReason
from maze_gym.evaluation.limits import ERRORS_IN_A_ROW, WINDOW_S, Control, Limits, RateLimiter


class Clock:
    """Time that passes when somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def call(**changes: Any) -> dict[str, Any]:
    return {
        "policy": "p", "input_tokens": 100, "output_tokens": 10, "cost_usd": 0.5, "error": "", **changes,
    }  # fmt: skip


@given(
    requests=st.none() | st.integers(1, 6),
    tokens=st.none() | st.integers(1, 1_000),
    asked=st.lists(
        st.tuples(st.floats(0, 40), st.integers(0, 600), st.floats(0, 1)), min_size=1, max_size=40
    ),
)
def test_no_minute_sees_more_than_is_allowed(
    requests: int | None, tokens: int | None, asked: list[tuple[float, int, float]]
) -> None:
    """Requests come at any time, cost at most what was booked, and are sent when the limiter says."""
    clock = Clock()
    limiter = RateLimiter(requests, tokens, clock)
    sent: list[tuple[float, int]] = []
    for pause, booked, share in asked:
        clock.wait(pause)
        ticket = limiter.book(booked)
        assert ticket.at >= max([clock(), *(at for at, _ in sent)])
        sent.append((ticket.at, int(booked * share)))
        limiter.settle(ticket, int(booked * share))
    for begin, _ in sent:
        window = [cost for at, cost in sent if begin <= at < begin + WINDOW_S]
        assert requests is None or len(window) <= requests
        assert tokens is None or sum(window) <= tokens or len(window) == 1


def test_nobody_waits_longer_than_the_rate_demands() -> None:
    clock = Clock()
    limiter = RateLimiter(3, None, clock)
    times = [limiter.book(1).at for _ in range(7)]
    assert times == pytest.approx([100.0] * 3 + [160.0] * 3 + [220.0], abs=1e-4)
    free = RateLimiter(None, None, clock)
    assert free.is_open


def test_tokens_that_were_not_used_are_free_again() -> None:
    clock = Clock()
    limiter = RateLimiter(None, 1_000, clock)
    ticket = limiter.book(1_000)
    limiter.settle(ticket, 10)
    assert limiter.book(990).at == clock()
    assert limiter.book(1).at == pytest.approx(clock() + WINDOW_S)
    assert limiter.book(5_000).at == pytest.approx(
        clock() + 2 * WINDOW_S
    )  # larger than the limit: it goes alone


def test_the_control_waits_and_says_how_long() -> None:
    clock = Clock()
    control = Control(Limits(requests_per_minute=1), clock=clock, nap=clock.wait)
    ticket, waited = control.begin_request(10)
    assert (clock(), waited) == (100.0, 0.0)
    control.end_request(ticket, 10)
    _, waited = control.begin_request(10)
    assert clock() == pytest.approx(160.0)
    assert waited == pytest.approx(60.0)
    assert Control(clock=clock, nap=clock.wait).begin_request(10) == (None, 0.0)


@pytest.mark.parametrize(
    ("limits", "reason", "message"),
    [
        (Limits(max_cost=1.0), StopReason.COST, r"\$1.0000 of \$1 are spent"),
        (Limits(max_total_tokens=200), StopReason.TOKENS, "220 of 200 tokens are used"),
    ],
)
def test_a_budget_ends_the_run_before_the_next_call(limits: Limits, reason: StopReason, message: str) -> None:
    heard: list[Any] = []
    control = Control(limits, on_call=heard.append)
    for _ in range(2):
        control.check()
        control.note(call())
    with pytest.raises(RunStopped, match=message) as caught:
        control.check()
    assert caught.value.why == reason
    assert len(heard) == control.calls == 2


def test_earlier_sessions_count() -> None:
    control = Control(Limits(max_cost=1.0))
    control.count(call(cost_usd=1.5))
    assert control.calls == 0
    with pytest.raises(RunStopped, match=r"\$1.5000 of \$1"):
        control.check()


def test_time_runs_out_while_somebody_waits() -> None:
    clock = Clock()
    control = Control(Limits(max_time_s=5), clock=clock, nap=clock.wait)
    with pytest.raises(RunStopped, match="5 s are over") as caught:
        control.sleep(60)
    assert caught.value.why == StopReason.TIME
    assert clock() == pytest.approx(105, abs=0.3)


def test_a_stop_reaches_whoever_waits_and_the_first_reason_holds() -> None:
    clock = Clock()

    def nap(seconds: float) -> None:
        clock.wait(seconds)
        if clock() > 103:
            control.stop(StopReason.INTERRUPTED, "enough")
            control.stop(StopReason.TIME, "later")

    control = Control(clock=clock, nap=nap)
    with pytest.raises(RunStopped, match="enough"):
        control.sleep(60)
    assert clock() < 104


def test_a_server_that_is_down_ends_the_run() -> None:
    control = Control()
    for _ in range(ERRORS_IN_A_ROW - 1):
        control.note(call(error="no route", input_tokens=None, output_tokens=None, cost_usd=None))
    control.note(call())
    for _ in range(ERRORS_IN_A_ROW - 1):
        control.note(call(error="no route"))
    with pytest.raises(RunStopped, match=f"{ERRORS_IN_A_ROW} calls in a row failed; the last one: no route"):
        control.note(call(error="no route"))


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_limits_are_positive(value: float) -> None:
    with pytest.raises(InvalidArgument, match="max_cost must be more than 0"):
        Limits(max_cost=value)
