"""Pictures of many mazes: whole or not at all, resumable, the same however many work on them."""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mazegen import codec, render_dataset
from mazegen.codec.checked_json import MAX_BYTES
from mazegen.datasets.folder import BOOKKEEPING, PICTURES
from mazegen.render_dataset import Item, Rendering, items_in, main, render, write_contact_sheets
from mazegen.rendering import png
from mazegen.rendering.canvas import MissingPainter, PictureError
from mazegen.rendering.contact_sheet import SheetLayout, contact_sheets
from mazegen.rendering.frames import FrameComposer, FrameSize
from mazegen.rendering.picture import parse

if TYPE_CHECKING:
    from pathlib import Path

SOLVABLE = parse("########\n#>rR0=*#\n#......#\n########", level_id="solvable")
STUCK = parse("######\n#>#.*#\n######", level_id="stuck")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "mazes"
    (source / "deep").mkdir(parents=True)
    codec.dump(SOLVABLE, source / "b.json")
    codec.dump(STUCK, source / "deep" / "a.json")
    return source


def outcomes(folder: Path, out: Path, rendering: Rendering | None = None, workers: int = 1) -> dict[str, str]:
    return {each.name: each.outcome for each in render(items_in(folder), out, rendering, workers=workers)}


def test_a_picture_is_the_frame_that_an_agent_sees(folder: Path, tmp_path: Path) -> None:
    assert outcomes(folder, tmp_path / "out") == {"b": "made", "deep/a": "made"}
    composer = FrameComposer(SOLVABLE)
    frame = composer.frame(composer.drawing.board.start)
    assert (tmp_path / "out" / "b.png").read_bytes() == png.encode(frame, level=6)


def test_what_is_there_is_kept_and_what_changed_is_made_anew(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcomes(folder, out)
    assert outcomes(folder, out) == {"b": "kept", "deep/a": "kept"}
    codec.dump(replace(SOLVABLE, goal=SOLVABLE.goal._replace(row=2)), folder / "b.json")
    assert outcomes(folder, out) == {"b": "made", "deep/a": "kept"}
    assert set(outcomes(folder, out, Rendering(cell_px=8)).values()) == {"made"}
    (out / "b.png").unlink()
    assert outcomes(folder, out, Rendering(cell_px=8)) == {"b": "made", "deep/a": "kept"}


def test_a_run_that_was_broken_off_goes_on(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    next(iter(render(items_in(folder), out, workers=1)))
    with (out / PICTURES).open("a", encoding="utf-8") as file:
        file.write('{"picture": "deep/a.png", "dig')  # the power went
    assert outcomes(folder, out) == {"b": "kept", "deep/a": "made"}
    assert [path.name for path in out.rglob(".*")] == []


def test_several_processes_make_the_same_pictures(folder: Path, tmp_path: Path) -> None:
    outcomes(folder, tmp_path / "one", workers=1)
    outcomes(folder, tmp_path / "two", workers=2)
    for name in ("b.png", "deep/a.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_each_line_of_a_shard_is_a_picture(folder: Path, tmp_path: Path) -> None:
    lines = [json.dumps(codec.to_dict(maze)) for maze in (STUCK, SOLVABLE)]
    (folder / "train-00000.jsonl").write_text("\n".join([*lines, "{}"]) + "\n", encoding="utf-8")
    drawn = {
        "b": "made", "deep/a": "made", "train-00000/00001": "made", "train-00000/00002": "made",
        "train-00000/00003": "skipped",
    }  # fmt: skip
    assert outcomes(folder, folder / "pictures", workers=2) == drawn
    one, another = folder / "pictures" / "b.png", folder / "pictures" / "train-00000" / "00002.png"
    assert one.read_bytes() == another.read_bytes()
    assert set(outcomes(folder, folder / "pictures").values()) == {
        "kept",
        "skipped",
    }  # its own list is no shard
    shard = {"train-00000/00001": "made", "train-00000/00002": "made", "train-00000/00003": "skipped"}
    assert outcomes(folder / "train-00000.jsonl", tmp_path / "out") == shard
    mazes = list(render_dataset.readable_mazes(items_in(folder / "train-00000.jsonl")))
    assert [maze.level_id for maze in mazes] == ["stuck", "solvable"]


def test_files_that_are_not_mazes_are_named(folder: Path, tmp_path: Path) -> None:
    (folder / "index.json").write_text("{}", encoding="utf-8")
    (folder / "broken.json").write_text('{"maze": {"dimensions": [3]}}', encoding="utf-8")
    (folder / "torn.json").write_text("{", encoding="utf-8")
    payload = json.loads(codec.dumps(SOLVABLE))
    payload["mechanisms"]["hazards"] = [{"id": "lava", "position": [1, 1]}]
    (folder / "lava.json").write_text(json.dumps(payload), encoding="utf-8")
    results = {each.name: each for each in render(items_in(folder), tmp_path / "out", workers=1)}
    assert results["index"][1:3] == ("skipped", "is not a maze file")
    assert results["broken"].outcome == results["torn"].outcome == "failed"
    assert "$.maze" in results["broken"].note
    assert results["lava"].outcome == "skipped"
    assert "hazards" in results["lava"].note
    mazes = list(render_dataset.readable_mazes(items_in(folder)))
    assert [maze.level_id for maze in mazes] == ["solvable", "stuck"]


def test_what_a_data_set_keeps_beside_its_mazes_is_not_drawn(folder: Path, tmp_path: Path) -> None:
    for name in BOOKKEEPING:
        (folder / name).write_text('{"level_id": "a row"}\n' * 3, encoding="utf-8")
        (folder / "deep" / name).write_bytes(b" " * (MAX_BYTES + 1))
    assert outcomes(folder, tmp_path / "out") == {"b": "made", "deep/a": "made"}


def test_a_path_is_drawn_where_there_is_one(folder: Path, tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain", tmp_path / "marked"
    outcomes(folder, plain)
    results = {
        each.name: each for each in render(items_in(folder), marked, Rendering(with_path=True), workers=1)
    }
    assert (plain / "b.png").read_bytes() != (marked / "b.png").read_bytes()
    assert "drawn without a path" in results["deep/a"].note
    assert (plain / "deep/a.png").read_bytes() == (marked / "deep/a.png").read_bytes()


@pytest.mark.extra("matplotlib", "plot")
@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_vector_files_hold_the_same_scene_with_path(kind: render_dataset.Format, tmp_path: Path) -> None:
    rendering = Rendering(kind, with_path=True, orientation=True)
    (result,) = render([Item("maze", SOLVABLE)], tmp_path, rendering, workers=1)
    assert (result.outcome, result.note) == ("made", "")
    assert (tmp_path / f"maze.{kind}").stat().st_size > 2000


def test_vector_files_without_matplotlib_fail_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPainter, match="maze-gym"):
        list(render([Item("maze", SOLVABLE)], tmp_path, Rendering("svg")))


def test_a_folder_that_cannot_be_written_to_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PictureError, match=r"cannot write pictures to '.*file'"):
        list(render([Item("maze", SOLVABLE)], tmp_path / "file"))


def test_a_picture_that_would_be_too_large_is_reported_and_the_rest_is_drawn(tmp_path: Path) -> None:
    walls = bytes(row in (0, 127) or col in (0, 127) for row in range(128) for col in range(128))
    huge = replace(SOLVABLE, rows=128, cols=128, walls=walls, goal=SOLVABLE.goal)
    results = list(render([Item("huge", huge), Item("small", SOLVABLE)], tmp_path, Rendering(cell_px=40)))
    assert [each.outcome for each in results] == ["failed", "made"]
    assert "use at most 31 px a cell" in results[0].note


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"format": "gif"}, "png, svg, pdf, got 'gif'"),
        ({"cell_px": 0}, "got 0"),
        ({"cell_px": 5000}, "got 5000"),
    ],
)
def test_a_rendering_checks_itself(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PictureError, match=message):
        Rendering(**arguments)  # type: ignore[arg-type]  # that they do not fit is the point


def test_nothing_to_draw_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        items_in(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"holds no \.json or \.jsonl file"):
        items_in(tmp_path)


def test_contact_sheets_show_every_maze_in_order() -> None:
    layout = SheetLayout(columns=2, rows=2, thumb_px=60, gap_px=4)
    mazes = [SOLVABLE, STUCK, replace(STUCK, level_id="a name that is far too long for so small a picture")]
    first, second = contact_sheets([*mazes, SOLVABLE, STUCK], layout)
    assert first.shape == (*layout.page_px(2), 3)
    assert second.shape == (*layout.page_px(1), 3)
    composer = FrameComposer(STUCK, size=FrameSize(box=(60, 60)))
    thumb = composer.frame(composer.drawing.board.start)
    np.testing.assert_array_equal(first[4:64, 68:128], thumb)
    np.testing.assert_array_equal(second[4:64, 4:64], thumb)
    assert (second[4:64, 68:128] == 255).all()


@pytest.mark.parametrize("arguments", [{"columns": 0}, {"columns": 40, "thumb_px": 400}])
def test_a_sheet_that_could_not_be_painted_is_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(PictureError):
        SheetLayout(**arguments)


def test_the_script_draws_a_folder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main([str(folder), "--out", str(out), "--sheet", "--cell-px", "8", "--path"]) == 0
    said = capsys.readouterr().err
    assert "2 of 2 mazes drawn" in said
    assert "drawn without a path" in said
    assert (out / "contact_sheet-1.png").is_file()
    (folder / "torn.json").write_text("{", encoding="utf-8")
    assert main([str(folder), "--out", str(out)]) == 1
    assert main([str(tmp_path / "nowhere"), "--out", str(out)]) == 2
    assert "error: there is no file or folder" in capsys.readouterr().err


def test_the_script_runs_as_a_file(monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path) -> None:
    script = render_dataset.__file__
    monkeypatch.setattr(sys, "argv", ["render_dataset", str(folder / "b.json"), "--out", str(tmp_path / "o")])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(script, run_name="__main__")
    assert end.value.code == 0
    assert (tmp_path / "o" / "b.png").is_file()


def test_pages_are_numbered(tmp_path: Path) -> None:
    layout = SheetLayout(columns=1, rows=1, thumb_px=30, gap_px=2)
    paths = write_contact_sheets([SOLVABLE, STUCK], tmp_path, layout)
    assert [path.name for path in paths] == ["contact_sheet-1.png", "contact_sheet-2.png"]
