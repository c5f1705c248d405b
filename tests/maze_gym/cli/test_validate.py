"""``maze-gym validate`` and ``python -m mazegen validate`` are one command by two names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from maze_gym.cli import app
from mazegen import codec
from mazegen.__main__ import main
from mazegen.errors import NoMazeFiles
from mazegen.generate_dataset import generate_dataset

from ..levels import ALL_KINDS, CORRIDOR

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file that is valid, one that is not, a shard with one of each, and a data set."""
    codec.dump(CORRIDOR, tmp_path / "good.json")
    bad = codec.to_dict(ALL_KINDS) | {"validation": {"is_valid": True, "reasons": [], "optimal_cost": 1}}
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    lines = [json.dumps(each) + "\n" for each in (codec.to_dict(CORRIDOR), bad)]
    (tmp_path / "shard.jsonl").write_text("".join(lines))
    generate_dataset(tmp_path / "set", 4, tier=1)
    return tmp_path


@pytest.mark.parametrize("options", [(), ("--verbose",), ("--json",)], ids=["words", "verbose", "json"])
@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("good.json",), 0),
        (("bad.json",), 1),
        (("good.json", "bad.json"), 1),
        (("shard.jsonl",), 1),
        (("set",), 0),
        (("good.json", "set", "shard.jsonl"), 1),
    ],
    ids=["valid", "not valid", "two files", "shard", "data set", "all kinds"],
)
def test_both_command_lines_say_the_same(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    names: tuple[str, ...],
    code: int,
    options: tuple[str, ...],
) -> None:
    arguments = ["validate", *(str(folder / name) for name in names), *options]
    one = CliRunner().invoke(app, arguments)
    assert (main(arguments), one.exit_code) == (code, code)
    assert capsys.readouterr().out == one.stdout
    for name in names:
        assert (str(folder / name) in one.stdout) or (name, options) == ("set", ())


def test_success_is_said_and_a_fault_names_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(folder / "set")]) == 0
    assert capsys.readouterr().out == "4 mazes: all valid\n"
    assert main(["validate", str(folder / "shard.jsonl")]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{folder / 'shard.jsonl'}:2: ")
    assert said.endswith("2 mazes: 1 NOT valid\n")


def test_where_no_maze_is_nothing_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").touch()
    for path in (tmp_path / "empty.jsonl", tmp_path):
        assert main(["validate", str(path)]) == 2
        assert capsys.readouterr().err == f"error: {str(path)!r} holds no maze\n"
        done = CliRunner().invoke(app, ["validate", str(path)])
        assert isinstance(done.exception, NoMazeFiles)
