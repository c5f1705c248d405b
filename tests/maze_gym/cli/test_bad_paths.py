"""Whatever is wrong with a path, whichever command it is given to: words, the path, and exit code 2."""

from __future__ import annotations

import errno
import gzip
import itertools
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

from maze_gym import cli
from mazegen import codec, render_dataset
from mazegen.__main__ import main as mazegen_main
from mazegen.core.file_errors import in_words, why

from ..levels import CORRIDOR

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = "BAD"  # in a command, where the bad path goes
LEVELS, OUT = "levels", "out"  # in a command, paths that are in order

# Commands that read what a path names; a folder is meant in those of the second list, a file elsewhere.
READ = {
    "solve": ("solve", HERE),
    "solve spatial": ("solve", HERE, "--env", "SpatialGym-v0"),
    "solve a board": ("solve", HERE, "--env", "PacmanArray-v0"),
    "validate": ("validate", HERE),
    "render": ("render", HERE, "--out", OUT),
    "render spatial": ("render", HERE, "--out", OUT, "--env", "SpatialGym-v0"),
    "render a board": ("render", HERE, "--out", OUT, "--env", "PacmanArray-v0"),
    "play": ("play", "--level", HERE),
    "play a board": ("play", "--level", HERE, "--env", "PacmanArray-v0"),
    "evaluate": ("evaluate", "--levels", HERE),
    "evaluate spatial": ("evaluate", "--levels", HERE, "--env", "SpatialGym-v0"),
    "evaluate a script": ("evaluate", "--levels", LEVELS, "--policy", f"scripted:{HERE}"),
    "plan": ("plan", "--levels", HERE, "--policy", "oracle"),
    "replay": ("replay", HERE),
    "parse": ("parse", HERE),
    "parse lines": ("parse", f"{HERE}.jsonl"),
    "train": ("train", "--levels", HERE, "--out", OUT, "--steps", "1"),
    "export chat": ("export", "chat", "--levels", HERE, "--out", OUT),
    "export minari": ("export", "minari", "--levels", HERE, "--out", OUT),
    "generate": ("generate", "--spec", HERE, "--count", "1", "--out", OUT),
    "python -m mazegen validate": ("mazegen", "validate", HERE),
    "python -m mazegen generate": ("mazegen", "generate", "--spec", HERE, "--count", "1", "--out", OUT),
    "render_dataset": ("render_dataset", HERE, "--out", OUT),
}
READ_FOLDERS = {
    "report": ("report", HERE),
    "compare": ("compare", HERE),
    "leaderboard": ("leaderboard", HERE),
    "export a run": ("export", "chat", "--run", HERE, "--out", OUT),
    "evaluate a trained policy": ("evaluate", "--levels", LEVELS, "--policy", f"sb3:{HERE}"),
}
WRITE_FOLDERS = {
    "render": ("render", LEVELS, "--out", HERE),
    "render a board": ("render", "classic", "--out", HERE),
    "evaluate": ("evaluate", "--levels", LEVELS, "--policy", "oracle", "--out", HERE),
    "train": ("train", "--levels", LEVELS, "--out", HERE, "--steps", "1"),
    "export chat": ("export", "chat", "--levels", LEVELS, "--out", HERE),
    "export minari": ("export", "minari", "--levels", LEVELS, "--out", HERE),
    "generate": ("generate", "--tier", "1", "--count", "1", "--out", HERE),
    "python -m mazegen generate": ("mazegen", "generate", "--tier", "1", "--count", "1", "--out", HERE),
    "render_dataset": ("render_dataset", LEVELS, "--out", HERE),
}
WRITE_FILES = {
    "play": ("play", "--level", LEVELS, "--record", HERE),
    "edit": ("edit", HERE),
}

# Read or written by the same function as an option that is tried.
ALIKE = {("play", "--screenshots"), ("report", "--out"), ("plan", "--levels"), ("export chat", "--levels")}

NO_FILE = ["absent", "in no folder", "under a file", "too long", "a circle of links", "a NUL"]
WRONG_CONTENT = ["Latin-1", "empty", "binary", "a torn gzip file"]
NEEDS = {"train": pytest.mark.extra("torch", "rl"), "export minari": pytest.mark.extra("minari", "minari")}
TAKES_ANY_TEXT = {"parse"}  # one reply, whatever its bytes are


def test_every_option_that_takes_a_path_is_tried_here() -> None:
    tried = set(ALIKE)
    for words in itertools.chain(
        *(each.values() for each in (READ, READ_FOLDERS, WRITE_FOLDERS, WRITE_FILES))
    ):
        name = " ".join(words[:2]) if words[0] == "export" else words[0]
        before = next(before for before, word in itertools.pairwise(words) if HERE in word)
        tried.add((name, before if before.startswith("-") else "an argument"))
    for name, command in _commands(typer.main.get_command(cli.app)):
        for option in command.params:
            if re.search("FILE|FOLDER|DIR|RUN|RECORD", option.metavar or ""):
                names = option.opts if option.param_type_name == "option" else ["an argument"]
                assert tried & {(name, each) for each in names}, f"{name} {names}"


def _commands(group: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for each, command in group.commands.items():
        full = f"{name} {each}".strip()
        if hasattr(command, "commands"):
            yield from _commands(command, full)
        else:
            yield full, command


@pytest.fixture
def bad(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A path that is bad in the way of the parameter."""
    kind = request.param
    (tmp_path / "file").write_text("{}", encoding="utf-8")
    path = {
        "absent": tmp_path / "absent",
        "in no folder": tmp_path / "nowhere" / "absent",
        "under a file": tmp_path / "file" / "below",
        "a file": tmp_path / "file",
        "too long": tmp_path / ("n" * 300),
        "a NUL": tmp_path / "with\0nul",
    }.get(kind, tmp_path / "bad")
    contents = {
        "Latin-1": '{"name": "Tür"}'.encode("latin-1"),
        "empty": b"",
        "binary": bytes(range(256)),
        "a torn gzip file": gzip.compress(b"{}" * 100)[:-9],
    }
    if kind in contents:
        path.write_bytes(contents[kind])
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a circle of links":
        path.symlink_to(path)
    return path


def run(arguments: tuple[str, ...], bad: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command with the bad path in its place; the exit code."""
    levels = tmp_path / "good"
    levels.mkdir()
    codec.dump(CORRIDOR, levels / "corridor.json")
    places = {LEVELS: str(levels), OUT: str(tmp_path / "out")}
    if f"{HERE}.jsonl" in arguments and len(bad.name) < 200 and bad.is_file():
        bad = bad.rename(bad.with_suffix(".jsonl")).with_suffix("")
    command, *rest = [places.get(each, each.replace(HERE, str(bad))) for each in arguments]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    if command == "mazegen":
        return mazegen_main(rest)
    if command == "render_dataset":
        return render_dataset.main(rest)
    monkeypatch.setattr(sys, "argv", ["maze-gym", command, *rest])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return int(end.value.code or 0)


def check_words(said: str, bad: Path) -> None:
    """No numbers of the system, no Python, the name of the file."""
    assert "Traceback" not in said
    assert not re.search(r"Errno|\[\d+\]|codec can't|Error:|\w+\(.*=|render_mode|gym\.make", said), said
    assert bad.name[:40] in said or "NUL" in said, said


def cases(commands: dict[str, tuple[str, ...]], kinds: list[str]) -> list[object]:
    return [
        pytest.param(arguments, kind, id=f"{name}: {kind}", marks=NEEDS.get(name, ()))
        for name, arguments in commands.items()
        for kind in kinds
        if not (kind in WRONG_CONTENT and name in TAKES_ANY_TEXT)
    ]


@pytest.mark.parametrize(
    ("arguments", "bad"),
    [
        *cases(READ, [*NO_FILE, "a folder", *WRONG_CONTENT]),
        *cases(READ_FOLDERS, [*NO_FILE, "a file", "a folder"]),
    ],
    indirect=["bad"],
)
def test_what_cannot_be_read_is_told_in_words(
    arguments: tuple[str, ...],
    bad: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run(arguments, bad, tmp_path, monkeypatch)
    captured = capsys.readouterr()
    is_verdict = code == 1 and arguments[0] in {"validate", "render", "render_dataset", "mazegen"}
    assert code == 2 or is_verdict, captured
    check_words(captured.out + captured.err if is_verdict else captured.err, bad)


@pytest.mark.parametrize(
    ("arguments", "bad"),
    [
        *cases(WRITE_FOLDERS, ["a file", "under a file", "too long", "a circle of links", "a NUL"]),
        *cases(WRITE_FILES, ["a folder", "in no folder", "under a file", "too long", "a NUL"]),
    ],
    indirect=["bad"],
)
def test_what_cannot_be_written_is_told_in_words(
    arguments: tuple[str, ...],
    bad: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run(arguments, bad, tmp_path, monkeypatch)
    err = capsys.readouterr().err
    assert code == 2, err
    check_words(err, bad)


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_every_number_of_the_system_has_words(number: int, tmp_path: Path) -> None:
    """Permissions and full disks cannot be had in a test that may run as root."""
    error = OSError(number, os.strerror(number), str(tmp_path / "level.json"))
    said = in_words(error)
    assert "level.json" in said
    assert "; " in said  # what to do
    assert str(number) not in said.replace(str(tmp_path), "").replace("level.json", "")
    assert "rrno" not in said
    assert why(error) in said or why(OSError(number, os.strerror(number))) != ""


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_what_the_disk_refuses_while_a_command_works_is_told_in_words(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: int, __: bytes) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", refuse)
    command = ("evaluate", "--levels", LEVELS, "--policy", "oracle", "--out", HERE)
    assert run(command, tmp_path / "run", tmp_path, monkeypatch) == 2
    err = capsys.readouterr().err
    check_words(err, tmp_path / "run")
    assert why(OSError(number, "")) in err


def test_a_close_name_in_the_same_folder_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "first_level.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FileNotFoundError) as caught:
        codec.load(tmp_path / "first_levle.json")
    assert f"did you mean {str(tmp_path / 'first_level.json')!r}?" in in_words(caught.value)


REACHED_FROM_A_SHELL = ("cli", "policies", "play", "edit", "evaluation", "training", "llm")


@pytest.mark.parametrize("folder", REACHED_FROM_A_SHELL)
def test_what_a_shell_can_come_to_holds_no_advice_in_python(folder: str) -> None:
    """Messages of the command line, of policies, of play and of windows reach people who write no Python."""
    for path in sorted((Path(cli.__file__).parents[2] / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r'^\s*(?:msg = |raise .*\()?\(?f?"(.*)"', text, re.MULTILINE):
            advice = re.search(r"gym\.make|render_mode=|max_\w+=|\b[a-z]+_[a-z_]+=['\"{(0-9]", line)
            assert advice is None, f"{path.name}: {line}"
