"""Files of others are read or refused in words, whatever is in them: no traceback, no endless memory."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maze_gym import cli
from mazegen.core import bounded_files
from mazegen.errors import UnreadableFile

from .evaluation.played_runs import level_folder, play
from .levels import CORRIDOR, TALL

if TYPE_CHECKING:
    from pathlib import Path

CONTENTS = {
    "nothing": b"",
    "NUL": b"\0" * 100,
    "no UTF-8": b'{"a": "\xff\xfe"}\n',
    "half": b'{"maze": {"dimensions": [',
    "deep": b"[" * 200_000 + b"\n",
    "deep objects": b'{"a":' * 100_000 + b"\n",
    "a long number": b"1" * 20_000 + b"\n",
    "no number": b"NaN\n",
    "infinity": b'{"format": 1e999, "levels": 1e999, "provider_retries": 1e999, "reply": "x"}\n',
    "a list": b"[1, [2], {}]\n",
    "a text": b'"text"\n',
    "wrong kinds": b'{"episode": {"seed": []}, "queries": 7, "config": [], "levels": {"a": 1}, "usage": 3}\n',
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "squeezed": b"\x1f\x8b\x08\x00" + bytes(range(256)),
    "a long line": b"x" * 3_000_000,
    "control characters": "\u202e\x1b[31m\x9b\n".encode() * 3,
}
COMMANDS = {
    "maze.json": [
        "solve {file}", "validate {file}", "evaluate --levels {file} --policy random", "plan --levels {file}",
        "render {file} --out {out}", "generate --count 2 --spec {file} --out {out}",
        "export chat --levels {file} --out {out}",
    ],
    "mazes.jsonl": [
        "validate {file}", "render {file} --out {out}", "evaluate --levels {file} --policy random",
        "parse {file}", "replay {file}", "evaluate --levels {levels} --policy scripted:{file}",
        "evaluate --env SpatialGym-v0 --levels {file} --policy random", "leaderboard {folder}",
    ],
    "layout.txt": [
        "evaluate --env PacmanArray-v0 --levels {file} --policy random", "parse {file}",
        "render {file} --env PacmanArray-v0 --out {out}",
    ],
    "manifest.json": ["validate {folder}", "generate --count 2 --tier 1 --out {folder}"],
    ".progress.jsonl": ["generate --count 2 --tier 1 --out {folder}", "validate {folder}"],
    "policy.json": ["evaluate --levels {levels} --policy sb3:{folder}"],
    "config.json": ["report {folder}", "compare {folder}", "leaderboard {folder}", "replay {folder}"],
}  # fmt: skip
RUN_FILES = (
    "config.json",
    "episodes.jsonl",
    "levels.jsonl",
    "calls.jsonl",
    "transcripts.jsonl",
    "models.json",
    "sessions.jsonl",
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("untrusted")
    play(root / "run", ["greedy", "oracle-chat"], level_folder(root / "levels", [CORRIDOR, TALL]))
    return root


def ends_in_words(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Run a command; what it says on stderr. An error is one line and 1 or 2, never a traceback."""
    monkeypatch.setattr(sys, "argv", ["maze-gym", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    captured = capsys.readouterr()
    assert end.value.code in {None, 0, 1, 2, 4}  # 4: a script that answers nothing
    assert len(captured.err) < 3_000
    if end.value.code == 2:
        assert captured.err.count("\n") == 1
        assert captured.err.startswith("maze-gym: error: ")
    return captured.err


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    ("name", "command"), [(name, each) for name, some in COMMANDS.items() for each in some]
)
def test_a_file_of_anything_is_told_of_in_words(  # noqa: PLR0917 - the fixtures among them
    name: str,
    command: str,
    content: str,
    played: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / name).write_bytes(CONTENTS[content])
    (folder / "policy.npz").write_bytes(b"") if name == "policy.json" else None
    places = {"file": folder / name, "folder": folder, "out": tmp_path / "out", "levels": played / "levels"}
    ends_in_words([each.format(**places) for each in command.split()], monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("file", RUN_FILES)
def test_a_run_of_others_is_told_of_in_words(
    file: str,
    content: str,
    played: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for each in (played / "run").iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    (tmp_path / file).write_bytes(CONTENTS[content])
    policies = "--policy greedy --policy oracle-chat"
    again = f"evaluate --levels {played / 'levels'} {policies} --out {tmp_path} --resume"
    for command in (
        f"report {tmp_path} --format csv -o {tmp_path}/t",
        f"compare {tmp_path}",
        f"replay {tmp_path}",
        again,
    ):
        ends_in_words(command.split(), monkeypatch, capsys)


json_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=9,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    line=json_values, where=st.sampled_from(["reply", "usage", "queries", "episode", "latency_s", "wait_s"])
)
def test_a_script_of_any_values_is_told_of_in_words(
    line: Any,
    where: str,
    played: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = tmp_path / "script.jsonl"
    fields = {"reply": "FINAL_OUTPUT: DONE", where: line}
    script.write_text(json.dumps(fields) + "\n" + json.dumps(line) + "\n", encoding="utf-8")
    command = f"evaluate --levels {played / 'levels'} --episodes 1 --policy scripted:{script}"
    ends_in_words(command.split(), monkeypatch, capsys)


BOUNDED = """
import resource, sys
from maze_gym import cli
from mazegen.core import bounded_files
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
import maze_gym.evaluation, maze_gym.llm.backends, mazegen.search.solver, numba
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (700 << 20), now + (700 << 20)))
cli.main()
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="limits memory as Linux does")  # noqa: PTH110
@pytest.mark.parametrize(
    "command",
    [
        "solve {file}.json",
        "validate {file}.json",
        "validate {file}.jsonl",
        "replay {file}.jsonl",
        "parse {file}.txt",
        "evaluate --levels {file}.jsonl --policy random",
        "generate --count 2 --spec {file}.json --out x",
        "evaluate --policy scripted:{file}.jsonl",
        "evaluate --env PacmanArray-v0 --levels {file}.txt --policy random",
        "evaluate --env SpatialGym-v0 --levels {file}.jsonl --policy random",
    ],
)
def test_a_file_without_an_end_takes_no_memory_without_end(command: str, tmp_path: Path) -> None:
    place = tmp_path / "endless"
    for ending in ("json", "jsonl", "txt"):
        with (tmp_path / f"endless.{ending}").open("wb") as file:
            file.truncate(8 << 30)  # zeros that take no room on the disk, and no line ends
    arguments = [sys.executable, "-c", BOUNDED, *command.format(file=place).split()]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120)
    assert "Traceback" not in ended.stderr
    assert ended.returncode in {1, 2}, ended.stderr
    assert "endless" in ended.stderr + ended.stdout


def test_lines_and_files_have_an_end() -> None:
    lines = bounded_files.bounded_lines(io.BytesIO(b"1234\n12345\n"), "it", 5)
    assert next(lines) == b"1234\n"
    with pytest.raises(UnreadableFile, match="it, line 2: longer than 5 bytes"):
        next(lines)
    assert bounded_files.bounded(io.BytesIO(b"12345"), 5, "it") == b"12345"
    with pytest.raises(UnreadableFile, match="it is larger than 4 bytes"):
        bounded_files.bounded(io.BytesIO(b"12345"), 4, "it")
