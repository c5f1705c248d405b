"""Bundled levels: what is published, whole and proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from maze_gym import suites
from maze_gym.errors import LevelsNotFound
from mazegen import codec
from mazegen.core import rules
from mazegen.core.rules import Action, Event
from mazegen.datasets.proving_again import validate_path
from mazegen.search import solver

SUITES = suites.names()


def test_the_default_suite_is_there() -> None:
    assert "starter" in SUITES


@pytest.mark.parametrize("suite", SUITES)
def test_manifest_and_files_agree(suite: str) -> None:
    rows = suites.manifest(suite)["levels"]
    mazes = suites.load(suite)
    assert [maze.level_id for maze in mazes] == [row["level_id"] for row in rows]
    assert len({maze.content_hash for maze in mazes}) == len(mazes)


@pytest.mark.parametrize("suite", SUITES)
def test_every_level_carries_a_witness_that_replays_and_is_optimal(suite: str) -> None:
    for maze, row in zip(suites.load(suite), suites.manifest(suite)["levels"], strict=True):
        assert maze.validation is not None
        assert maze.validation.is_valid
        plan = [Action[name] for name in maze.validation.optimal_actions]
        board = rules.compile_board(maze)
        state, events = board.start, []
        for action in plan:
            state, event, _ = rules.step(board, state, int(action))
            events.append(event)
        assert events.index(Event.DONE) == len(plan) - 1
        solution = solver.solve(maze)
        assert len(solution.actions) == len(plan) == row["optimal_actions"]
        assert maze.validation.optimal_cost == solution.cell_moves


@pytest.mark.parametrize("suite", SUITES)
def test_every_level_is_proved_again_and_is_as_the_manifest_says(suite: str) -> None:
    found = list(validate_path(Path(suites.__file__).parent / suite))
    assert len(found) == len(suites.manifest(suite)["levels"])
    assert [str(each.report) for each in found if not each.report.passed] == []
    assert {each.report.checks[-1].name for each in found} == {"claim:manifest"}


def test_a_level_that_was_tampered_with_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    maze = suites.load("starter")[0]
    monkeypatch.setattr(codec, "loads", lambda *_args, **_kwargs: maze)
    with pytest.raises(LevelsNotFound, match="hash differs"):
        suites.load("starter")


def test_unknown_suite_lists_those_there_are() -> None:
    with pytest.raises(LevelsNotFound, match="starter"):
        suites.manifest("nope")
