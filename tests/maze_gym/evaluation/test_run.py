"""A run in one call: its result, its folder, and how it ends early."""

from __future__ import annotations

import json
import sys
from itertools import islice
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import maze_gym
from maze_gym import evaluation
from maze_gym.errors import (
    InvalidArgument,
    MissingExtra,
    RunStopped,
    StopReason,
)
from maze_gym.evaluation import play_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from maze_gym.evaluation.result import Played


def test_one_call_gives_the_records_and_their_table() -> None:
    result = maze_gym.evaluate(["greedy", "oracle"], levels="smoke", episodes=3)
    assert {policy: len(played) for policy, played in result.records.items()} == {"greedy": 3, "oracle": 3}
    assert [record.success for record in result.records["oracle"]] == [True] * 3
    assert [summary.policy for summary in result.summaries] == ["greedy", "oracle"]
    assert str(result) == result.table
    assert ["oracle", "3/3"] in [line.split()[:2] for line in result.table.splitlines()]
    assert (result.skipped, result.stopped, result.out) == ((), None, None)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_one_call_plays_what_the_plan_says(concurrency: int) -> None:
    plan = evaluation.make_plan(["random", "greedy"], levels="smoke", episodes=4, seed=2)
    result = maze_gym.evaluate(plan, concurrency=concurrency)
    assert [record for played in result.records.values() for record in played] == list(evaluation.play(plan))
    assert result.plan == plan


def test_one_name_is_enough() -> None:
    assert list(maze_gym.evaluate("oracle", levels="smoke", episodes=1).records) == ["oracle"]


def test_a_run_in_a_folder_is_gone_on_with_and_not_played_twice(tmp_path: Path) -> None:
    played = maze_gym.evaluate("oracle-chat", levels="smoke", episodes=2, out=tmp_path / "run")
    lines = (tmp_path / "run" / "episodes.jsonl").read_text()
    again = maze_gym.evaluate("oracle-chat", levels="smoke", episodes=2, out=tmp_path / "run", resume=True)
    assert (tmp_path / "run" / "episodes.jsonl").read_text() == lines
    assert again.records == played.records
    assert again.out == tmp_path / "run"
    assert [row["successes"] for row in json.loads((tmp_path / "run" / "summary.json").read_text())] == [2]
    sessions = [json.loads(line) for line in (tmp_path / "run" / "sessions.jsonl").read_text().splitlines()]
    assert [each["why"] for each in sessions if "ended" in each] == ["finished", "finished"]


def test_a_run_that_stops_keeps_what_had_ended_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops_after_two(*arguments: Any, **how: Any) -> Iterator[Played]:
        yield from islice(play_run(*arguments, **how), 2)
        raise RunStopped(StopReason.REFUSED, "no <such> key")

    monkeypatch.setattr("maze_gym.evaluation.run.play_run", stops_after_two)
    for out in (None, tmp_path / "run"):
        result = maze_gym.evaluate("oracle", levels="smoke", episodes=4, out=out)
        assert len(result.records["oracle"]) == 2
        assert result.stopped is not None
        assert result.stopped.why == StopReason.REFUSED
        assert result.table.endswith("stopped: no <such> key after 2 of 4 episodes; the table shows those")
        assert "no &lt;such&gt; key" in result._repr_html_()


def test_an_interrupted_run_in_a_folder_says_so_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **how: Any) -> Iterator[Played]:
        yield from islice(play_run(*arguments, **how), 1)
        raise KeyboardInterrupt

    monkeypatch.setattr("maze_gym.evaluation.run.play_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        maze_gym.evaluate("oracle", levels="smoke", episodes=3, out=tmp_path)
    assert json.loads((tmp_path / "sessions.jsonl").read_text().splitlines()[-1])["why"] == "interrupted"
    monkeypatch.undo()
    result = maze_gym.evaluate("oracle", levels="smoke", episodes=3, out=tmp_path, resume=True)
    assert len(result.records["oracle"]) == 3


def test_a_notebook_shows_the_table_with_every_name_escaped(tmp_path: Path) -> None:
    script = tmp_path / "<b>.jsonl"
    script.write_text('"Action: done"\n' * 2)
    result = maze_gym.evaluate(f"scripted:{script}", levels="smoke", episodes=1)
    html = result._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;.jsonl" in html
    assert html.count("<tr>") == 2
    assert "unscored: 1 of 1 episode" in html


def test_a_frame_has_a_row_for_each_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    result = maze_gym.evaluate("search", env_id="PacmanArray-v0", episodes=2)
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    rows = result.to_frame()
    assert [row["steps"] for row in rows] == [record.steps for record in result.records["search"]]
    metrics = dict(result.records["search"][0].metrics)
    assert metrics
    assert {f"metric_{name}": value for name, value in metrics.items()}.items() <= rows[0].items()


def test_a_frame_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    result = maze_gym.evaluate("oracle", levels="smoke", episodes=1)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="pip install pandas"):
        result.to_frame()


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"resume": True}, "resume needs out"),
        ({"concurrency": 0}, "concurrency must be from 1"),
        ({"seed": -1}, "seed must be 0 or more"),
    ],
)
def test_one_call_refuses_what_makes_no_sense(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        maze_gym.evaluate("oracle", **choice)


def test_a_plan_leaves_no_room_for_other_choices() -> None:
    plan = evaluation.make_plan(["oracle"], levels="smoke")
    with pytest.raises(InvalidArgument, match="a plan says what is played"):
        maze_gym.evaluate(plan, seed=1)
