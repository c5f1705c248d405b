"""A run that is killed again and again comes to the very numbers of one that was left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.evaluation.transcript import replay

from ...llm.conftest import address  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from maze_gym.evaluation.result import EpisodeResult
    from maze_gym.evaluation.storage.run_reading import Run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="sessions are forked")

SCRIPT = Path(__file__).with_name("killed.py")
MODEL = "openai:say-move_forward"  # it answers every question alike, and counts 1,000 + 10 tokens
OPTIONS = (
    *("--policy", "random", "--policy", MODEL, "--levels", "smoke", "--episodes", "20"),
    *("--stall-limit", "8", "--price-in", "2", "--price-out", "10", "--concurrency", "3", "--seed", "5"),
)


def play(folder: Path, server: str, kills: int, *options: str) -> None:
    subprocess.run(
        [sys.executable, str(SCRIPT), str(kills), "11", str(folder), *OPTIONS, *options],
        env={**os.environ, "OPENAI_BASE_URL": server, "OPENAI_API_KEY": "k", "PYTHONWARNINGS": "ignore"},
        check=True,
        timeout=300,
    )


def lasting(outcome: EpisodeResult) -> tuple[Any, ...]:
    """What of an episode does not depend on when it was played."""
    totals = None if outcome.totals is None else {**outcome.totals, "latency_s": None}
    return outcome.episode, outcome.index, outcome.level, outcome.tags, totals, outcome.failures


def spent(run: Run) -> tuple[int, int, float]:
    """Calls, tokens and dollars of the episodes that count, from the ledger of calls."""
    calls = [call for call in run.calls() if not call.is_abandoned]
    tokens = sum((call.input_tokens or 0) + (call.output_tokens or 0) for call in calls)
    return len(calls), tokens, round(sum(call.cost_usd or 0 for call in calls), 9)


@pytest.mark.extra("urllib3", "llm")
def test_a_run_killed_at_random_moments_comes_to_the_same_totals(address: str, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    play(tmp_path / "alone", address, 0)
    play(tmp_path / "killed", address, 8)
    alone, killed = read_run(tmp_path / "alone"), read_run(tmp_path / "killed")
    assert killed.is_finished
    assert sum("began" in session for session in killed.sessions) > 4  # others did not come as far
    assert sum("ended" in session for session in killed.sessions) < 4
    assert list(map(lasting, killed.episodes)) == list(map(lasting, alone.episodes))
    assert spent(killed) == spent(alone)
    asked = sum(outcome.totals["queries"] for outcome in alone.episodes if outcome.totals)
    calls, tokens, cost_usd = spent(alone)
    assert (calls, tokens) == (asked, 1_010 * asked)
    assert cost_usd == pytest.approx(0.0021 * asked)
    assert killed.levels == alone.levels
    transcripts = dict(killed.transcripts())
    assert sorted(transcripts) == list(range(20))
    assert not replay(transcripts[7]).mismatch
    assert (tmp_path / "killed" / "summary.json").read_text() == (
        tmp_path / "alone" / "summary.json"
    ).read_text()
    assert any(call.is_abandoned for call in killed.calls())
