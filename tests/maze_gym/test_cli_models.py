"""``maze-gym evaluate`` with models, ``maze-gym parse`` and ``maze-gym replay`` as a user meets them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .test_cli import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_evaluate_parse_replay_and_script(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    options = (
        *("--prompting", "verbose", "--observation", "text_image", "--context", "last3", "--cell-px", "6"),
        *("--querying", "subgoal", "--levels", "starter", "--episodes", "4"),
    )
    code, shown, _ = run(
        capsys, monkeypatch, "evaluate", "--policy", "oracle-chat", *options, "--out", str(out)
    )
    assert code == 0
    assert "4/4" in shown
    transcripts = out / "transcripts.jsonl"
    code, shown, err = run(capsys, monkeypatch, "replay", str(transcripts))
    assert (code, err) == (0, "")
    assert len(shown.splitlines()) == 4
    assert "states are as recorded" in shown
    code, shown, _ = run(capsys, monkeypatch, "parse", str(transcripts), "--querying", "subgoal")
    assert code == 0
    assert shown.startswith("1. MOVE_FORWARD")
    assert "sub-goal: the next step is" in shown
    again = ("evaluate", "--policy", f"scripted:{transcripts}", *options, "--json")
    code, shown, _ = run(capsys, monkeypatch, *again)
    assert code == 0
    assert json.loads(shown)["results"][0]["successes"] == 4


def test_replay_fails_where_a_record_differs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    run(capsys, monkeypatch, "evaluate", "--policy", "oracle-chat", "--episodes", "1", "--out", str(out))
    path = out / "transcripts.jsonl"
    record = json.loads(path.read_text())
    record["steps"][1]["state"]["col"] += 1
    path.write_text(json.dumps(record))
    code, shown, err = run(capsys, monkeypatch, "replay", str(path))
    assert code == 1
    assert "step 2: col was" in shown
    assert "1 of 1 runs differ" in err
    path.write_text("")
    assert run(capsys, monkeypatch, "replay", str(path))[0] == 2


def test_parse_shows_why_and_never_steers_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    replies = [
        "FINAL_OUTPUT: \x1b[31mDONE\x1b[0m",
        "FINAL_OUTPUT: \x07\x9b31m jump \x08 [red]",
        "SUB_GOAL: \x1b]0;owned\x07x\nFINAL_OUTPUT: TURN_LEFT",
        "\u202e\x00",
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    code, shown, _ = run(capsys, monkeypatch, "parse", str(path))
    assert code == 0
    assert shown.replace("\n", " ").isprintable()
    assert [line.split(":")[0] for line in shown.splitlines() if line[0] != " "] == [
        "1. DONE",
        "2. UNKNOWN_ACTION",
        "3. TURN_LEFT",
        "4. EMPTY",
    ]
    code, shown, _ = run(capsys, monkeypatch, "parse", str(path), "--json")
    assert json.loads(shown.splitlines()[0])["actions"] == ["DONE"]
    assert json.loads(shown.splitlines()[3])["failure"] == "empty"


def test_parse_reads_one_text_and_names_a_wrong_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "reply.txt"
    path.write_bytes(b"Hm.\n\xff\n<action>2</action>\n")
    code, shown, _ = run(capsys, monkeypatch, "parse", str(path), "--format", "action_tag")
    assert (code, shown.splitlines()[0]) == (0, "1. MOVE_FORWARD")
    wrong = tmp_path / "replies.jsonl"
    wrong.write_text('"x"\n{}\n')
    code, _, err = run(capsys, monkeypatch, "parse", str(wrong))
    assert code == 2
    assert "line 2: neither a text" in err


def test_wrong_models_and_windows_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = run(capsys, monkeypatch, "evaluate", "--policy", "opnai:gpt")
    assert code == 2
    assert "did you mean 'openai" in err
    code, _, err = run(capsys, monkeypatch, "evaluate", "--policy", "oracle-chat", "--context", "last")
    assert code == 2
    assert "context_window must be" in err
    assert len(err.splitlines()) == 1
