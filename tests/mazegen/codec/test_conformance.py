"""Real files of three generations, against optima that were computed independently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mazegen import codec
from mazegen.core import rules
from mazegen.core.rules import Event, compile_board
from mazegen.errors import UnsupportedMechanism
from mazegen.search.solver import shortest_plan, solve

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "mazes"
INDEX = FOLDER / "INDEX.json"
ENTRIES: list[dict[str, Any]] = (
    json.loads(INDEX.read_text(encoding="utf-8"))["files"] if INDEX.exists() else []
)
PLAYABLE = [entry for entry in ENTRIES if entry["expected"] is not None]
RESERVED = [entry for entry in ENTRIES if entry["expected"] is None]

pytestmark = pytest.mark.skipif(not ENTRIES, reason="the conformance mazes are not beside this checkout")
each_playable = pytest.mark.parametrize("entry", PLAYABLE, ids=[entry["file"] for entry in PLAYABLE])


def test_the_index_lists_every_file() -> None:
    files = {path.name for path in FOLDER.glob("*.json")} - {INDEX.name}
    assert {entry["file"] for entry in ENTRIES} == files


@each_playable
def test_the_optimum_is_that_of_the_index(entry: dict[str, Any]) -> None:
    solution = solve(codec.load(FOLDER / entry["file"]))
    expected = (entry["expected"]["env_actions"], entry["expected"]["cell_moves"])
    assert (len(solution.actions), solution.cell_moves) == expected


@each_playable
def test_the_plan_replays_to_success(entry: dict[str, Any]) -> None:
    board = compile_board(codec.load(FOLDER / entry["file"]))
    plan = shortest_plan(board)
    assert plan is not None
    state, event = board.start, -1
    for action in plan:
        state, event, _ = rules.step(board, state, action)
    assert event == Event.DONE


@each_playable
def test_what_the_file_says_about_itself_arrives(entry: dict[str, Any]) -> None:
    maze = codec.load(FOLDER / entry["file"])
    assert [maze.cols, maze.rows] == entry["dimensions"]
    assert (maze.level_id, maze.max_steps) == (entry["task_id"], entry["max_steps"])
    counts = {kind: len(getattr(maze, kind)) for kind in ("keys", "doors", "switches", "gates")}
    assert counts == {kind: entry["counts"][kind] for kind in counts}


@each_playable
def test_the_file_is_stored_in_our_format_and_read_again(entry: dict[str, Any]) -> None:
    maze = codec.load(FOLDER / entry["file"])
    assert codec.loads(codec.dumps(maze)) == maze


@each_playable
def test_a_recorded_path_is_as_long_as_its_recorded_cost(entry: dict[str, Any]) -> None:
    maze = codec.load(FOLDER / entry["file"])
    if maze.validation is not None and maze.validation.optimal_path:
        assert len(maze.validation.optimal_path) == (maze.validation.optimal_cost or 0) + 1
        assert (maze.validation.optimal_path[0], maze.validation.optimal_path[-1]) == (maze.start, maze.goal)


@pytest.mark.parametrize("entry", RESERVED, ids=[entry["file"] for entry in RESERVED])
def test_exactly_the_files_with_reserved_mechanisms_are_unsupported(entry: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedMechanism, match="reserved and not built yet"):
        codec.load(FOLDER / entry["file"])
