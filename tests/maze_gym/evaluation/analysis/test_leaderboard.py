"""Everybody on one board."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from maze_gym.errors import LevelsNotFound
from maze_gym.evaluation.analysis.leaderboard import leaderboard
from maze_gym.game import Disguise
from maze_gym.play.recording import append_record

from ...levels import ALL_KINDS, CORRIDOR, TALL
from ..played_runs import level_folder, play

if TYPE_CHECKING:
    from pathlib import Path


def test_people_models_and_references_share_a_board_and_the_best_is_first(tmp_path: Path) -> None:
    levels = level_folder(tmp_path / "levels", [ALL_KINDS, CORRIDOR, TALL])
    runs = tmp_path / "runs"
    first = play(runs / "first", ["random", "oracle"], levels)
    play(runs / "deeper" / "second", ["oracle-chat"], levels)
    for outcome in first.episodes[3:5]:  # the oracle's first two, played by a person
        append_record(replace(outcome.episode, policy="human"), runs / "anna.jsonl")
    (board,) = leaderboard(runs)
    assert (board.env_id, board.levels) == ("MazeNLU-v0", 3)
    assert [(row.label, row.kind) for row in board.rows][:2] == [
        ("oracle", "reference"),
        ("oracle-chat", "language model"),
    ]
    assert (board.rows[-1].label, board.rows[-1].kind) == ("human @ anna", "person")  # played two of three
    assert board.rows[-1].rate.trials == 2
    assert {row.label for row in board.rows} == {"random", "oracle", "oracle-chat", "human @ anna"}


def test_other_levels_are_another_board(tmp_path: Path) -> None:
    for number, maze in enumerate((CORRIDOR, TALL)):
        levels = level_folder(tmp_path / f"levels{number}", [maze])
        play(tmp_path / "runs" / str(number), ["oracle"], levels)
    assert [board.levels for board in leaderboard(tmp_path / "runs")] == [1, 1]


def test_runs_with_and_without_disguises_share_a_board(tmp_path: Path) -> None:
    levels = level_folder(tmp_path / "levels", [CORRIDOR, TALL])
    plain = play(tmp_path / "runs" / "plain", ["oracle"], levels)
    play(tmp_path / "runs" / "disguised", ["oracle"], levels, augment=(Disguise.ROTATE,))
    (board,) = leaderboard(tmp_path / "runs")
    assert board.levels == 2
    assert str(plain.config["level_set"]).startswith(board.name)
    assert [row.rate.trials for row in board.rows] == [2, 2]


def test_a_recording_alone_has_a_board_of_its_own(tmp_path: Path) -> None:
    levels = level_folder(tmp_path / "levels", [CORRIDOR])
    run = play(tmp_path / "run", ["oracle"], levels)
    (tmp_path / "people").mkdir()
    append_record(replace(run.episodes[0].episode, policy="human+undo"), tmp_path / "people" / "ben.jsonl")
    (board,) = leaderboard(tmp_path / "people")
    assert [row.label for row in board.rows] == ["human+undo @ ben"]


def test_files_that_are_something_else_are_left_aside(tmp_path: Path) -> None:
    levels = level_folder(tmp_path / "levels", [CORRIDOR])
    play(tmp_path / "runs" / "one", ["oracle"], levels)
    (tmp_path / "runs" / "config.json").write_text("[1, 2]")
    (tmp_path / "runs" / "mazes.jsonl").write_text(json.dumps({"maze": 1}) + "\n")
    (tmp_path / "runs" / "bytes.jsonl").write_bytes(b"\xff\xfe\n")
    assert len(leaderboard(tmp_path / "runs")) == 1


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LevelsNotFound, match=r"neither runs .* nor recordings"):
        leaderboard(tmp_path)
