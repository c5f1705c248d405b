"""Everything that a server can do to a run: every episode stays accounted for, and none is scored for it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym import evaluation
from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, RunStopped, StopReason
from maze_gym.evaluation.limits import Control, Limits
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.llm.backends.server import Patience, Prices, Service
from maze_gym.llm.config import ExperimentConfig

from ..llm.conftest import address  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from pathlib import Path

    from maze_gym.evaluation import EvalPlan
    from maze_gym.evaluation.storage.run_reading import Run

pytestmark = pytest.mark.extra("urllib3", "llm")

IMPATIENT = Service(Prices(2.0, 10.0), timeout_s=0.5, patience=Patience(max_retries=1))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, address: str) -> None:  # noqa: F811 - the fixture
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    for name in ("MAZE_GYM_PRICE_IN", "MAZE_GYM_PRICE_OUT"):
        monkeypatch.delenv(name, raising=False)


def plan(model: str, episodes: int = 3, **config: Any) -> EvalPlan:
    settings = {"stall_limit": 5, "retries": 1} | config
    return evaluation.make_plan(
        [f"openai:{model}"], levels="smoke", episodes=episodes, config=ExperimentConfig(**settings)
    )


def play(
    path: Path, run: EvalPlan, limits: Limits | None = None, service: Service = IMPATIENT, **how: Any
) -> tuple[Run, RunStopped | None]:
    """Play into a folder; the run as it is there, and what stopped it."""
    stopped = None
    with RunFolder(path, run, resume=True) as folder:
        control = Control(limits, on_call=folder.add_call, on_model=folder.check_model)
        for call in folder.calls():
            control.count(call)
        done = frozenset(folder.done)
        try:
            for played in evaluation.play_run(
                run, control, service=service, done=done, take=str(folder.session), **how
            ):
                folder.add(played)
        except RunStopped as stop:
            stopped = stop
    return read_run(path), stopped


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("busy-999", "slow down"),  # 429 with Retry-After, for ever
        ("broken", "boom"),  # 500
        ("resetting", "IncompleteRead|reset by peer"),  # in the middle of the answer
        ("sleepy", "timed out"),  # it hangs
        ("garbled", "the answer is no completion: {"),  # no whole JSON
        ("empty", "choices=\\[\\]"),
        ("page", "<html>"),  # of another content type
        ("dropping", "closed connection"),  # no answer at all
        ("saying-42", "the answer is no completion: "),  # neither a text nor parts of one
        ('saying-{"a": 1}', "the answer is no completion: "),
        ('saying-["FINAL_OUTPUT: DONE"]', "the answer is no completion: "),
    ],
)
def test_what_a_provider_does_wrong_is_accounted_for_and_never_scored(
    model: str, said: str, tmp_path: Path
) -> None:
    run, stopped = play(tmp_path, plan(model), concurrency=3)
    assert stopped is None
    assert run.is_finished
    assert [outcome.episode.end_reason for outcome in run.episodes] == [EndReason.PROVIDER_ERROR] * 3
    assert [outcome.episode.success for outcome in run.episodes] == [None] * 3
    summary = evaluation.summarise(run.policies[0], [outcome.episode for outcome in run.episodes])
    assert (summary.episodes, summary.unscored, summary.success_rate) == (0, 3, None)
    calls = list(run.calls())
    assert len(calls) == 3
    for call, outcome in zip(calls, run.episodes, strict=True):
        assert call.provider_retries == 1
        assert outcome.totals is not None
        assert outcome.totals["provider_errors"] == 1
        assert outcome.totals["provider_retries"] == 1
        assert "did not answer in 2 attempts" in call.error
    assert re.search(said, calls[0].error, re.IGNORECASE), calls[0].error
    assert len(list(run.transcripts())) == 3


def test_a_busy_server_is_waited_for_and_the_waiting_is_kept_apart(tmp_path: Path) -> None:
    service = IMPATIENT._replace(patience=Patience(max_retries=5))
    run, stopped = play(tmp_path, plan("busy-3", episodes=1, stall_limit=2), service=service)
    assert stopped is None
    first, *others = run.calls()
    assert (first.provider_retries, first.error) == (3, "")
    assert first.wait_s == pytest.approx(0.03)
    assert all(call.provider_retries == 0 for call in others)


def test_a_megabyte_of_reply_is_read_like_any_other(tmp_path: Path) -> None:
    run, stopped = play(tmp_path, plan("huge-turn_left", episodes=1), service=IMPATIENT._replace(timeout_s=9))
    assert stopped is None
    assert run.episodes[0].episode.end_reason == EndReason.STALLED  # it turns on the spot
    ((_, record),) = run.transcripts()
    assert len(record.queries[0]["reply"]) > 1_000_000


def test_a_reply_in_parts_is_read_like_any_other(tmp_path: Path) -> None:
    """The texts of it are what was said; a thought among them is not."""
    run, stopped = play(tmp_path, plan("parts-turn_left", episodes=1))
    assert stopped is None
    assert run.episodes[0].failures == {}
    ((_, record),) = run.transcripts()
    assert {query["reply"] for query in record.queries} == {"FINAL_OUTPUT: TURN_LEFT"}


def test_a_model_that_never_finishes_fails_by_itself(tmp_path: Path) -> None:
    """It was asked and answered, with no answer in it: that is the model's, and no provider's fault."""
    run, stopped = play(tmp_path, plan("endless", episodes=1))
    assert stopped is None
    assert run.episodes[0].episode.end_reason == EndReason.PARSE_FAILED
    assert run.episodes[0].failures == {"no_marker": 2}
    lines = (tmp_path / "calls.jsonl").read_text().splitlines()
    assert all('"finish_reason": "length"' in line for line in lines)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("locked", "bad key Bearer"),
        ("poor", "no money"),
        ("unknown", "The model 'unknown' does not exist"),  # 404
        ("unlisted", "no provider has it"),  # told by its code alone
    ],
)
def test_what_is_refused_to_every_question_stops_the_whole_run_at_once(
    model: str, said: str, tmp_path: Path
) -> None:
    run, stopped = play(tmp_path, plan(model, episodes=50), concurrency=4)
    assert stopped is not None
    assert (stopped.why, run.episodes) == (StopReason.REFUSED, ())
    assert said in str(stopped)
    assert "sk-secret" not in str(stopped)
    calls = list(run.calls())
    assert 1 <= len(calls) <= 4  # those that were on their way
    assert all(call.is_abandoned for call in calls)


def test_a_budget_stops_a_run_which_then_goes_on_to_the_same_end(tmp_path: Path) -> None:
    run = plan("say-turn_left", episodes=4, stall_limit=4)
    whole, _ = play(tmp_path / "whole", run)
    cost = sum(call.cost_usd or 0 for call in whole.calls())
    part, stopped = play(tmp_path / "part", run, Limits(max_cost=0.6 * cost))
    assert stopped is not None
    assert stopped.why == StopReason.COST
    spent = sum(call.cost_usd or 0 for call in part.calls())
    assert 0.6 * cost <= spent < 0.6 * cost + 0.0022  # one call at most beyond the limit
    assert 0 < len(part.episodes) < 4
    again, stopped = play(tmp_path / "part", run, Limits(max_cost=0.6 * cost))
    assert stopped is not None  # what was spent before counts
    assert len(list(again.calls())) == len(list(part.calls()))
    end, stopped = play(tmp_path / "part", run, Limits(max_cost=2 * cost))
    assert (stopped, end.is_finished) == (None, True)
    assert [each.episode for each in end.episodes] == [each.episode for each in whole.episodes]
    counted = [call for call in end.calls() if not call.is_abandoned]
    assert sum(call.cost_usd or 0 for call in counted) == pytest.approx(cost)


@pytest.mark.parametrize("limits", [Limits(max_total_tokens=10**9), Limits(max_cost=10**9)])
def test_a_server_that_does_not_count_cannot_be_limited(limits: Limits, tmp_path: Path) -> None:
    _, stopped = play(tmp_path, plan("uncounted-done"), limits)
    assert stopped is not None
    assert stopped.why == StopReason.UNTOLD
    assert "does not tell how many tokens" in str(stopped)


def test_replies_in_one_order_are_neither_resumed_nor_played_at_once(tmp_path: Path) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text('"FINAL_OUTPUT: DONE"\n' * 100)
    run = evaluation.make_plan([f"scripted:{script}"], levels="smoke", episodes=2)
    with pytest.raises(InvalidArgument, match="gives its replies in one order"):
        list(evaluation.play_run(run, concurrency=2))
    with pytest.raises(InvalidArgument, match="gives its replies in one order"):
        list(evaluation.play_run(run, done={(f"scripted:{script}", 0)}))


def test_records_of_a_run_are_played_again_in_any_order(tmp_path: Path) -> None:
    recorded, _ = play(tmp_path / "first", plan("say-turn_left", episodes=3), concurrency=3)
    script = os.fspath(tmp_path / "first" / "transcripts.jsonl")
    run = evaluation.make_plan(
        [f"scripted:{script}"],
        levels="smoke",
        episodes=3,
        config=ExperimentConfig(stall_limit=5, retries=1),
    )
    again, _ = play(tmp_path / "again", run, concurrency=2)
    assert [each.episode.actions for each in again.episodes] == [
        each.episode.actions for each in recorded.episodes
    ]
