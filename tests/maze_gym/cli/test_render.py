"""``maze-gym render``: pictures of files, folders and suites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from maze_gym import suites
from maze_gym.cli import app
from maze_gym.errors import InvalidArgument, LevelsNotFound
from mazegen import codec
from mazegen.rendering.canvas import PictureError

from ..levels import ALL_KINDS

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result


def render(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["render", *arguments])


def test_every_bundled_level_is_drawn_once(tmp_path: Path) -> None:
    out = tmp_path / "out"
    count = len(suites.load("starter"))
    first = render("starter", "--out", str(out), "--sheet", "--cell-px", "8")
    assert first.exit_code == 0, first.output
    assert f"{count} pictures in {out}; contact sheet: contact_sheet-1.png" in first.output.replace("\n", "")
    assert len(list((out / "starter").glob("*.png"))) == count
    again = render("starter", "--out", str(out), "--cell-px", "8")
    assert f"{count} of them there before" in again.output.replace("\n", "")


def test_a_single_file_and_its_path(tmp_path: Path) -> None:
    codec.dump(ALL_KINDS, tmp_path / "maze.json")
    done = render(str(tmp_path / "maze.json"), "--out", str(tmp_path), "--path", "--orientation")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "maze.png").is_file()


def test_a_broken_file_is_named_and_the_rest_is_drawn(tmp_path: Path) -> None:
    codec.dump(ALL_KINDS, tmp_path / "good.json")
    (tmp_path / "bad.json").write_text('{"maze": {}}', encoding="utf-8")
    done = render(str(tmp_path), "--out", str(tmp_path / "out"))
    assert done.exit_code == 1
    assert "bad: $.maze" in done.stderr
    assert "1 picture in" in done.output


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            ("nowhere",),
            LevelsNotFound,
            "no file or folder 'nowhere'; no suite or level of that name; bundled suites: ",
        ),
        (("starter", "--cell-px", "5000"), PictureError, "from 1 to 4096"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    arguments: tuple[str, ...], error: type[Exception], message: str, tmp_path: Path
) -> None:
    done = render(*arguments, "--out", str(tmp_path / "out"))
    assert isinstance(done.exception, error)
    assert message in str(done.exception)


@pytest.mark.parametrize("name", ["level.png", "level.SVG", "level.pdf"])
def test_a_picture_is_no_folder(name: str, tmp_path: Path) -> None:
    done = render("starter", "--out", str(tmp_path / name))
    assert isinstance(done.exception, InvalidArgument)
    assert f"--out is a folder, got {str(tmp_path / name)!r}; use {str(tmp_path / 'level')!r}" in str(
        done.exception
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_be_called_like_a_picture(tmp_path: Path) -> None:
    codec.dump(ALL_KINDS, tmp_path / "maze.json")
    (tmp_path / "sheets.png").mkdir()
    assert render(str(tmp_path / "maze.json"), "--out", str(tmp_path / "sheets.png")).exit_code == 0
    assert (tmp_path / "sheets.png" / "maze.png").is_file()


def test_an_unwritable_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = render("starter", "--out", str(tmp_path / "file"))
    assert isinstance(done.exception, PictureError)
    assert "cannot write pictures" in str(done.exception)
