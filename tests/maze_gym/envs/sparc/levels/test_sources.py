"""Where puzzles come from, and in which order they are played."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from maze_gym import evaluation
from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.levels import BundledPuzzles, FixedPuzzles, in_turns, load, load_levels
from maze_gym.envs.sparc.levels.datasets import BUNDLED
from maze_gym.envs.sparc.levels.record import to_record
from maze_gym.envs.sparc.rules.puzzle import PuzzleError
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.registration import PRESETS, is_preset, preset_kwargs

from ..small import CORNER, EXAMPLE, TWO_CELLS

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_the_bundled_suite_is_played_one_of_each_level_in_turn() -> None:
    found = load_levels("spatial")
    puzzles = [level.options["puzzle"] for level in found.levels]
    assert [puzzle.level for puzzle in puzzles[:10]] == [1, 2, 3, 4, 5] * 2
    assert Counter(puzzle.level for puzzle in puzzles) == dict.fromkeys((1, 2, 3, 4, 5), 100)
    assert [level.content_hash for level in found.levels] == [puzzle.content_hash for puzzle in puzzles]
    for level in (1, 4):  # within a level the order of the suite is kept
        names = [puzzle.puzzle_id for puzzle in puzzles if puzzle.level == level]
        assert names == [puzzle.puzzle_id for puzzle in load("spatial") if puzzle.level == level]


def test_a_suite_can_be_narrowed_to_some_difficulties() -> None:
    puzzles = [level.options["puzzle"] for level in load_levels("spatial-train:3,5").levels]
    assert [puzzle.level for puzzle in puzzles[:4]] == [3, 5, 3, 5]
    assert {puzzle.level for puzzle in puzzles} == {3, 5}
    for wrong in ("spatial:6", "spatial:", "spatial:hard"):
        with pytest.raises(InvalidArgument, match="difficulty must list levels from 1 to 5"):
            load_levels(wrong)


def test_turns_go_on_without_the_levels_that_have_run_out() -> None:
    assert [puzzle.puzzle_id for puzzle in in_turns([TWO_CELLS, CORNER, EXAMPLE])] == [
        EXAMPLE.puzzle_id,  # of no level
        CORNER.puzzle_id,
        TWO_CELLS.puzzle_id,
    ]
    many = in_turns([TWO_CELLS, CORNER, CORNER, CORNER])
    assert [puzzle.level for puzzle in many] == [1, 2, 1, 1]


def test_a_file_of_records_is_a_set_of_levels(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", to_record(CORNER), to_record(TWO_CELLS, short=True))
    found = load_levels(path)
    assert [level.level_id for level in found.levels] == ["corner", "two cells"]
    run = evaluation.make_plan(["oracle"], env_id="SpatialGym-v0", levels=path)
    records = list(evaluation.play(run))
    assert [record.success for record in records] == [True, True]
    assert [record.optimal_actions for record in records] == [2, None]


def test_difficulty_keeps_what_is_asked_for() -> None:
    env = SpatialGymEnv(difficulty=[2, 5])
    levels = [env.source.puzzle(number).level for number in range(env.source.count)]
    assert levels == [2, 5] * 100
    assert SpatialGymEnv(difficulty=3).source.count == 100


def test_bad_files_name_the_line_the_puzzle_and_the_field(tmp_path: Path) -> None:
    broken = to_record(CORNER) | {
        "id": "broken",
        "puzzle_array": [["S", "+", "E"], ["+", "N", "+"], ["+", "+"]],
    }
    with pytest.raises(
        InvalidArgument, match=r"bad\.jsonl, line 2: puzzle 'broken': puzzle_array: row 2 has 2"
    ):
        load_levels(write(tmp_path / "bad.jsonl", to_record(CORNER), broken))
    with pytest.raises(LevelsNotFound, match=r"no puzzles 'spacial'.*did you mean 'spatial'"):
        load_levels("spacial")
    with pytest.raises(LevelsNotFound, match=r"empty\.jsonl holds no puzzle"):
        load_levels(write(tmp_path / "empty.jsonl"))
    with pytest.raises(PuzzleError, match="must hold exactly one S"):
        SpatialGymEnv(
            puzzles=[{"id": "x", "puzzle_array": [["+", "+", "E"], ["+", "N", "+"], ["+", "+", "+"]]}]
        )


def test_a_preset_that_only_changes_rules_plays_its_world_s_levels() -> None:
    run = evaluation.make_plan(["oracle"], env_id="SpatialGym-Backtracking-v0", episodes=3)
    assert [level.level_id for level in run.levels[:3]] == [f"spatial-L{level}-001" for level in (1, 2, 3)]
    assert all(record.success for record in evaluation.play(run))
    assert not is_preset("SpatialGym-Backtracking-v0")
    assert preset_kwargs("SpatialGym-Backtracking-v0") == {}
    assert {preset.id for preset in PRESETS if not preset.generates} == {"SpatialGym-Backtracking-v0"}


def test_generated_puzzles_are_the_same_for_every_policy_and_their_level_can_be_asked_for() -> None:
    run = evaluation.make_plan(["oracle", "greedy"], env_id="SpatialGym-Generated-v0", episodes=3)
    records = list(evaluation.play(run))
    assert [record.content_hash for record in records[:3]] == [record.content_hash for record in records[3:]]
    assert all(record.success and record.steps == record.optimal_actions for record in records[:3])
    run = evaluation.make_plan(["oracle"], env_id="SpatialGym-v0", tier=2, episodes=2)
    assert all(record.success for record in evaluation.play(run))


@pytest.mark.parametrize("suite", BUNDLED)
def test_a_bundled_suite_that_is_read_when_it_is_played_is_the_same_suite(suite: str) -> None:
    lazy, whole = BundledPuzzles(suite), FixedPuzzles(in_turns(load(suite)))
    assert lazy.count == whole.count
    assert lazy.frame.holds(whole.frame)
    assert [lazy.puzzle(number) for number in range(lazy.count)] == list(whole.puzzles)
    assert lazy.named(whole.puzzles[7].puzzle_id) is lazy.puzzle(7)
