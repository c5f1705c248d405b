"""``maze-gym evaluate`` with models, ``maze-gym parse`` and ``maze-gym replay`` as a user meets them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym.evaluation import build_runner
from maze_gym.llm.backends import ScriptedChat
from mazegen import codec

from ..levels import ALL_KINDS
from .test_cli import run

if TYPE_CHECKING:
    from pathlib import Path

    from maze_gym.evaluation import Transcript


def record_of(replies: list[str], env_id: str = "MazeNLU-v0", **config: Any) -> Transcript:
    levels: dict[str, Any] = {"maze": codec.to_dict(ALL_KINDS)} if env_id == "MazeNLU-v0" else {}
    runner = build_runner(config, gym.make(env_id, **levels), ScriptedChat(replies))
    record = runner.run(seed=0)
    runner.close()
    return record


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
    code, shown, _ = run(capsys, monkeypatch, "parse", str(transcripts))
    assert code == 0
    assert shown.startswith("1. MOVE_FORWARD")
    assert "sub-goal: the next step is" in shown
    assert "NO_MARKER" not in shown
    assert "otherwise" not in shown
    again = ("evaluate", "--policy", f"scripted:{transcripts}", *options, "--json")
    code, shown, _ = run(capsys, monkeypatch, *again)
    assert code == 0
    assert json.loads(shown)["results"][0]["successes"] == 4


def test_parse_reads_a_record_as_its_run_did(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was asked for, in which world, what was legal, where positions begin: all as in the run."""
    records = [
        record_of(["FINAL_OUTPUT: TOGGLE", "FINAL_OUTPUT: TURN_LEFT"], show_legal_actions=True),
        record_of(["SUB_GOAL: x\nACTIONS: TURN_LEFT, DONE"], querying="subgoal"),
        record_of(["Final: 9", "Final: 3"], "SpatialGym-v0"),
        record_of(["#### (9, 9), (9, 8)"], "SpatialGym-v0", reply_format="coordinates"),
    ]
    kinds = [query.get("failure", {}).get("kind") for record in records for query in record.queries]
    assert kinds == ["illegal", None, None, None, None, "unknown_action", None, None, "illegal", None]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{record.to_json()}\n" for record in records))
    code, shown, err = run(capsys, monkeypatch, "parse", str(path))
    assert (code, err) == (0, "")
    assert [line for line in shown.splitlines() if line[0] != " "] == [
        "1. ILLEGAL: TOGGLE is not among the legal actions",
        "2. TURN_LEFT",
        "3. TURN_LEFT, DONE",
        "4. UNKNOWN_ACTION: '9' is no action",
        "5. DOWN",
        "6. ILLEGAL: (9, 9) is not on the board",
    ]
    assert "otherwise" not in shown
    code, shown, _ = run(capsys, monkeypatch, "parse", str(path), "--json")
    assert [("recorded" in json.loads(line)) for line in shown.splitlines()] == [False] * 6


def test_parse_says_where_the_run_read_a_reply_otherwise(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fields = record_of(["FINAL_OUTPUT: TURN_LEFT", "FINAL_OUTPUT: TURN_RIGHT"]).to_dict()
    del fields["queries"][0]["parsed"]
    fields["queries"][0]["failure"] = {"kind": "no_marker", "detail": "\x1b[31m"}
    fields["queries"][1]["parsed"]["actions"] = [5, 0]
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(fields))
    _, shown, _ = run(capsys, monkeypatch, "parse", str(path))
    assert (
        "1. TURN_LEFT\n   read from: FINAL_OUTPUT: TURN_LEFT\n   the run read it otherwise: NO_MARKER: "
        in shown
    )
    assert "   the run read it otherwise: DONE, TURN_LEFT\n" in shown
    assert shown.replace("\n", " ").isprintable()
    _, shown, _ = run(capsys, monkeypatch, "parse", str(path), "--json")
    assert json.loads(shown.splitlines()[1])["recorded"] == {"actions": ["DONE", "TURN_LEFT"], "subgoal": ""}
    _, shown, _ = run(capsys, monkeypatch, "parse", str(path), "--format", "final")
    assert "2. NO_MARKER: no line begins with Final:" in shown
    assert "   the run read it otherwise: DONE, TURN_LEFT\n" in shown
    _, shown, _ = run(capsys, monkeypatch, "parse", str(path), "--env", "SpatialGym-v0")
    assert "otherwise" not in shown  # another world's actions


def test_replay_fails_where_a_record_differs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fields = record_of(["FINAL_OUTPUT: TURN_LEFT", "FINAL_OUTPUT: MOVE_FORWARD"]).to_dict()
    fields["steps"][1]["state"]["col"] += 1
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(fields))
    code, shown, err = run(capsys, monkeypatch, "replay", str(path))
    assert code == 1
    assert "step 2: col was" in shown
    assert "1 of 1 runs differ" in err
    path.write_text("\n")
    code, _, err = run(capsys, monkeypatch, "replay", str(path))
    assert code == 2
    assert err == f"maze-gym: error: {path} holds no record; a run keeps them of language models alone\n"


def test_the_folder_of_a_run_stands_for_its_transcripts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    call = ("evaluate", "--policy", "oracle-chat", "--levels", "smoke", "--episodes", "2")
    assert run(capsys, monkeypatch, *call, "--out", str(folder))[0] == 0
    for command in ("replay", "parse"):
        of_folder = run(capsys, monkeypatch, command, str(folder))
        assert of_folder[0] == 0
        assert of_folder == run(capsys, monkeypatch, command, str(folder / "transcripts.jsonl"))
        code, _, err = run(capsys, monkeypatch, command, str(tmp_path))
        assert code == 2
        assert err == (
            f"maze-gym: error: {tmp_path} holds no run: there is no transcripts.jsonl in it; "
            "give a folder that maze-gym evaluate --out wrote\n"
        )


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("replay", "not a record of a run: the field format must be 'maze_gym run 1', and there is none; "),
        ("parse", "neither a text, nor a recorded reply, nor a record of a run, "),
    ],
)
def test_bare_episodes_are_no_records_and_where_those_are_is_said(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
    why: str,
) -> None:
    path = tmp_path / "me.jsonl"  # as play --record writes, and episodes.jsonl of a run holds
    path.write_text(record_of(["FINAL_OUTPUT: TURN_LEFT"]).episode.to_json() + "\n")
    code, _, err = run(capsys, monkeypatch, command, str(path))
    assert code == 2
    assert err.startswith(f"maze-gym: error: {path}, line 1: {why}")
    assert "transcripts.jsonl" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("command", ["replay", "parse"])
@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (b'{"format": "maze_gym run 1", "queries": [', ""),  # a killed run ends so
        (b'{"queries": []}\n', "not a record of a run"),
        (b'{"queries": [], "\xff": 0}\n', ""),
        (b"[" * 100_000, ""),
        (b'{"queries": "recipe"}\n', ""),
    ],
)
def test_a_damaged_line_is_named_and_those_above_it_are_told(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
    damage: bytes,
    why: str,
) -> None:
    sound = record_of(["FINAL_OUTPUT: TURN_LEFT"]).to_json()
    path = tmp_path / "records.jsonl"
    path.write_bytes(sound.encode() + b"\n" + damage)
    code, shown, err = run(capsys, monkeypatch, command, str(path))
    assert code == 2
    assert shown.startswith("1. TURN_LEFT" if command == "parse" else "all_kinds")
    assert err.startswith(f"maze-gym: error: {path}, line 2: ")
    assert why in err
    assert len(err.splitlines()) == 1
    assert len(err) < 1000


@pytest.mark.parametrize(
    ("path_in_it", "value"),
    [("recipe", {}), ("steps", [{}]), ("episode", {}), ("config", {"querying": "never"}), ("queries", [{}])],
)
def test_a_damaged_record_is_named_by_whichever_command_needs_it_whole(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    path_in_it: str,
    value: object,
) -> None:
    fields = record_of(["FINAL_OUTPUT: TURN_LEFT"]).to_dict()
    fields[path_in_it] = value
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(fields))
    for command in ("replay", "parse") if path_in_it not in {"config", "queries"} else ("parse",):
        code, _, err = run(capsys, monkeypatch, command, str(path))
        assert code == 2
        assert err.startswith(f"maze-gym: error: {path}, line 1: ")
        assert len(err.splitlines()) == 1


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
