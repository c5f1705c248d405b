"""``render``, ``solve`` and ``list`` for worlds that are no mazes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from maze_gym.cli import app
from maze_gym.envs.sparc.levels.record import to_record
from maze_gym.envs.sparc.rules.puzzle import Puzzle
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

CORNER = Puzzle("corner 1", 1, 1, (2, 0), (0, 0), dots=((1, 0),))
HOPELESS = Puzzle("hopeless", 1, 1, (2, 0), (0, 0), gaps=((1, 0), (1, 2)))
SPATIAL = ("--env", "SpatialGym-v0")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def puzzles(folder: Path) -> Path:
    file = folder / "puzzles.jsonl"
    file.write_text(
        "".join(json.dumps(to_record(each)) + "\n" for each in (CORNER, HOPELESS)), encoding="utf-8"
    )
    return file


def test_puzzles_are_solved_one_after_the_other(tmp_path: Path) -> None:
    told = run("solve", puzzles(tmp_path), *SPATIAL)
    assert told.exit_code == 0
    assert told.stdout == "corner 1  2 actions\nUP x2\nhopeless  no plan leads to success\n"
    lines = run("solve", puzzles(tmp_path), *SPATIAL, "--json").stdout.splitlines()
    assert [json.loads(line)["plan"] for line in lines] == [["UP", "UP"], None]


def test_what_only_mazes_have_is_refused_of_other_worlds(tmp_path: Path) -> None:
    told = run("solve", puzzles(tmp_path), *SPATIAL, "--done-action")
    assert isinstance(told.exception, InvalidArgument)
    assert str(told.exception) == "--done-action is for mazes, not for SpatialGym-v0"


def test_worlds_without_exact_search_say_so() -> None:
    told = run("solve", "classic", "--env", "PacmanArray-v0")
    assert isinstance(told.exception, InvalidArgument)
    assert "no exact search" in str(told.exception)


def test_levels_of_any_world_become_pictures(tmp_path: Path) -> None:
    told = run("render", puzzles(tmp_path), "--out", tmp_path / "pictures", *SPATIAL)
    assert told.stdout == f"2 pictures in {tmp_path / 'pictures'}\n"
    assert (tmp_path / "pictures" / "corner-1.png").read_bytes().startswith(b"\x89PNG")
    assert run("render", "classic", "--out", tmp_path, "--env", "PacmanArray-v0").exit_code == 0
    for option in (("--sheet",), ("--path",), ("--format", "svg"), ("--workers", "2")):
        told = run("render", puzzles(tmp_path), "--out", tmp_path, *SPATIAL, *option)
        assert isinstance(told.exception, InvalidArgument)
        assert "are for mazes, not for SpatialGym-v0" in str(told.exception)


def test_list_names_the_levels_of_every_world() -> None:
    shown = CliRunner().invoke(app, ["list"], env={"COLUMNS": None}).stdout
    shown = re.sub(" +", " ", shown)
    for words in (
        "SpatialGym-v0",
        "SpatialGym-Backtracking-v0",
        "spatial SpatialGym-v0 500",
        "classic PacmanArray-v0 1",
    ):
        assert words in shown
