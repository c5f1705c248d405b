"""The bundled suite: sizes, splits without overlap, right solutions, rates of walkers, the same bytes."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maze_gym.envs.sparc.generation.difficulty import content_of, score_of
from maze_gym.envs.sparc.generation.generator import RULE_NAMES
from maze_gym.envs.sparc.levels.datasets import SPLITS, load_puzzles, manifest
from maze_gym.envs.sparc.rules.constraints import obeys
from maze_gym.envs.sparc.rules.puzzle import LEVELS, Kind, Puzzle, level_of
from maze_gym.envs.sparc.rules.symmetry import symmetry_hash
from maze_gym.envs.sparc.search.solver import enumerate_solutions

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

TOOL = Path(__file__).parents[5] / "tools" / "spatial_suite.py"
MAX_BYTES = 2_000_000


@cache
def tool() -> ModuleType:
    """The script that builds the suite."""
    spec = importlib.util.spec_from_file_location("spatial_suite", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def everything() -> dict[str, tuple[Puzzle, ...]]:
    """All splits."""
    return {split: load_puzzles(f"spatial-{split}") for split in SPLITS}


def test_the_suite_is_its_test_split_of_a_hundred_puzzles_a_level() -> None:
    puzzles = load_puzzles("spatial")
    assert puzzles is load_puzzles("spatial-test")
    assert Counter(puzzle.level for puzzle in puzzles) == dict.fromkeys(LEVELS, 100)
    assert puzzles[241].puzzle_id == "spatial-L3-042"
    assert [len(load_puzzles(f"spatial-{split}")) for split in SPLITS] == [500, 300, 100]


def test_no_puzzle_occurs_twice_in_any_split_however_it_is_turned() -> None:
    puzzles = [puzzle for split in everything().values() for puzzle in split]
    assert len({puzzle.puzzle_id for puzzle in puzzles}) == len(puzzles) == 900
    assert len({symmetry_hash(puzzle) for puzzle in puzzles}) == len(puzzles)


def test_all_stored_solutions_obey_the_rules() -> None:
    for split in everything().values():
        for puzzle in split:
            assert puzzle.solutions
            assert len(set(puzzle.solutions)) == len(puzzle.solutions) <= 48
            assert all(obeys(puzzle, path) for path in puzzle.solutions), puzzle.puzzle_id


def test_stored_solutions_are_all_there_are() -> None:
    for puzzle in load_puzzles("spatial")[::9]:
        assert tuple(enumerate_solutions(puzzle)) == puzzle.solutions, puzzle.puzzle_id


def test_levels_are_those_of_the_scores_and_every_rule_occurs() -> None:
    puzzles = load_puzzles("spatial")
    rules: Counter[str] = Counter()
    for puzzle in puzzles:
        assert puzzle.score == score_of(content_of(puzzle))
        assert puzzle.level == level_of(puzzle.score)
        rules.update({symbol.kind.name.lower() for _, symbol in puzzle.symbols})
        rules.update({"gap": bool(puzzle.gaps), "dot": bool(puzzle.dots)})
    assert all(rules[rule] >= 10 for rule in RULE_NAMES)
    counts = {
        symbol.count for puzzle in puzzles for _, symbol in puzzle.symbols if symbol.kind == Kind.TRIANGLE
    }
    assert counts == {1, 2, 3, 4}


def test_walkers_without_a_plan_get_as_far_as_on_public_puzzles() -> None:
    """A random walk solves 2.97 % of the public puzzles, ever less by level; a shortest line 10.0 %."""
    rows: list[dict[str, Any]] = [manifest()["splits"]["test"]["levels"][str(level)] for level in LEVELS]
    puzzles = load_puzzles("spatial")
    for level, row in zip(LEVELS, rows, strict=True):
        assert row == tool().figures([puzzle for puzzle in puzzles if puzzle.level == level])
    walks = [row["random_walk"] for row in rows]
    assert walks[0] > walks[1] > walks[2] > max(walks[3:])
    assert 1.5 < sum(walks) / len(walks) < 4.5
    assert 2 < sum(row["shortest_line"] for row in rows) / len(rows) < 15


def test_the_tool_builds_the_first_puzzles_of_each_level_again() -> None:
    stored = {puzzle.puzzle_id: puzzle for puzzle in load_puzzles("spatial")}
    for level in LEVELS:
        for number in (1, 2):
            puzzle = tool().build("test", level, number, set())
            assert puzzle == stored[puzzle.puzzle_id]


def test_files_are_what_the_tool_writes_for_their_puzzles() -> None:
    for split, puzzles in everything().items():
        text = (tool().FOLDER / f"{split}.jsonl").read_text(encoding="utf-8")
        assert text == tool().text_of(puzzles)


def test_the_suite_stays_small() -> None:
    assert sum(path.stat().st_size for path in tool().FOLDER.iterdir()) < MAX_BYTES


def test_the_table_names_our_rates_and_the_public_ones(capsys: pytest.CaptureFixture[str]) -> None:
    tool().print_table(load_puzzles("spatial-validation"))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(LEVELS) + 1
    assert "2.97 %" in lines[-1]
    assert "10.00 %" in lines[-1]
