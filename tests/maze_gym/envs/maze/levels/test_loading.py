"""Mazes of a folder: those of a data set, whatever it keeps beside them and however long that is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from maze_gym.envs.maze.levels import load_mazes
from mazegen.codec.checked_json import MAX_BYTES
from mazegen.datasets.folder import BOOKKEEPING, MANIFEST
from mazegen.datasets.proving_again import validate_path
from mazegen.generate_dataset import generate_dataset
from mazegen.render_dataset import Rendering, items_in, render

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 6


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A data set whose manifest is as long as that of thousands of mazes."""
    folder = tmp_path / "set"
    generate_dataset(folder, COUNT, tier=1)
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["levels"][2]["remark"] = "x" * MAX_BYTES
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return folder


def test_a_data_set_of_any_size_is_loaded_drawn_and_proved(large: Path) -> None:
    mazes, skipped = load_mazes(large)
    assert len({maze.content_hash for maze in mazes}) == COUNT
    assert skipped == []
    drawn = list(render(items_in(large), large, Rendering(cell_px=8), workers=1))
    assert [each.outcome for each in drawn] == ["made"] * COUNT
    found = list(validate_path(large))
    assert [str(each.report) for each in found if not each.report.passed] == []
    assert len(found) == COUNT
    assert len(load_mazes(large)[0]) == COUNT


def test_only_what_is_there_for_mazes_is_tried(large: Path) -> None:
    for name in BOOKKEEPING - {MANIFEST}:
        (large / name).write_text('{"level_id": "a row"}\n')
    (large / "index.json").write_text("{}")
    mazes, skipped = load_mazes(large)
    assert len(mazes) == COUNT
    assert skipped == [("index.json", "is not a maze file")]
