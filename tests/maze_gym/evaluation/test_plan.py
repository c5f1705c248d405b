"""Runs of several policies over the same levels."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym import evaluation
from maze_gym.errors import (
    InvalidArgument,
    LevelsNotFound,
    MazeFormatError,
)
from maze_gym.evaluation import EndReason, EpisodeRecord, episode_seed
from maze_gym.evaluation.plan import GENERATED_EPISODES
from maze_gym.evaluation.storage.run_folder import describe
from mazegen import codec

from ..levels import ALL_KINDS, CORRIDOR, SHARED_MAZES, TALL

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three mazes, a maze that needs what is not built, and a JSON file that is none."""
    levels = tmp_path / "levels"
    levels.mkdir()
    for maze in (ALL_KINDS, CORRIDOR, TALL):
        codec.dump(maze, levels / f"{maze.level_id}.json")
    payload = codec.to_dict(CORRIDOR)
    payload["mechanisms"]["blocks"] = [{"id": "b1", "position": [2, 1], "pushable": True}]
    (levels / "reserved.json").write_text(json.dumps(payload))
    (levels / "index.json").write_text('{"files": []}')
    (levels / "notes.txt").write_text("not looked at")
    return levels


def test_oracle_is_perfect_on_the_bundled_suite() -> None:
    records = list(evaluation.play(evaluation.make_plan(["oracle"])))
    assert [record.end_reason for record in records] == [EndReason.SUCCESS] * len(records)
    assert all(record.steps == record.optimal_actions for record in records)


@pytest.mark.skipif(not SHARED_MAZES.is_dir(), reason="the shared mazes are not here")
def test_oracle_is_perfect_on_every_supported_shared_maze() -> None:
    expected = {
        row["task_id"]: row["expected"]["env_actions"]
        for row in json.loads((SHARED_MAZES / "INDEX.json").read_text())["files"]
        if row["expected"]
    }
    records = list(evaluation.play(evaluation.make_plan(["oracle"], levels=SHARED_MAZES)))
    assert {record.level_id: record.steps for record in records} == expected
    assert all(record.success for record in records)


def test_folder_is_played_in_order_and_what_is_left_out_is_named(folder: Path) -> None:
    run = evaluation.make_plan(["oracle"], levels=folder)
    assert [level.level_id for level in run.levels] == ["all_kinds", "corridor", "tall"]
    assert [(name, reason.split()[0]) for name, reason in run.skipped] == [
        ("index.json", "is"),
        ("reserved.json", "blocks"),
    ]


def test_broken_maze_in_a_folder_stops_the_run_before_it_begins(folder: Path) -> None:
    (folder / "a_broken.json").write_text('{"maze": {"dimensions": [5, 3], "start": [1, 1]}}')
    (folder / "b_broken.json").write_text('{"maze": {}, "version": "9"}')
    with pytest.raises(MazeFormatError) as caught:
        evaluation.make_plan(["oracle"], levels=folder)
    text = str(caught.value)
    assert "a_broken.json $.maze: lacks 'goal'" in text
    assert "b_broken.json $.version" in text


def test_empty_and_missing_sources_are_named(tmp_path: Path) -> None:
    with pytest.raises(LevelsNotFound, match=r"no \.json file"):
        evaluation.make_plan(["oracle"], levels=tmp_path)
    with pytest.raises(LevelsNotFound, match=r"bundled suites: .*starter"):
        evaluation.make_plan(["oracle"], levels="strater")


def test_one_file_is_one_level(folder: Path) -> None:
    run = evaluation.make_plan(["greedy"], levels=folder / "corridor.json")
    assert [record.success for record in evaluation.play(run)] == [True]


def test_all_policies_play_the_same_levels_and_seeds(folder: Path) -> None:
    run = evaluation.make_plan(["random", "greedy"], levels=folder, episodes=7, seed=4)
    records = list(evaluation.play(run))
    by_policy: dict[str, list[Any]] = {}
    for record in records:
        by_policy.setdefault(record.policy, []).append((record.level_id, record.seed))
    assert by_policy["random"] == by_policy["greedy"]
    assert [level for level, _ in by_policy["random"]][:4] == ["all_kinds", "corridor", "tall", "all_kinds"]


def test_runs_repeat_to_the_letter_and_differ_by_seed(folder: Path) -> None:
    def lines(seed: int) -> list[str]:
        run = evaluation.make_plan(["random"], levels=folder, episodes=6, seed=seed)
        return [record.to_json() for record in evaluation.play(run)]

    assert lines(1) == lines(1) != lines(2)


def test_neighbouring_runs_share_no_episode_seed() -> None:
    seeds = [{episode_seed(run, index) for index in range(50)} for run in range(20)]
    assert all(len(each) == 50 for each in seeds)
    assert all(first.isdisjoint(second) for first, second in pairwise(seeds))


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"policies": []}, "at least one policy"),
        ({"policies": ["oracel"]}, "did you mean 'oracle'"),
        ({"policies": ["oracle"], "episodes": 0}, "episodes must be at least 1"),
        ({"policies": ["oracle"], "seed": -1}, "seed must be 0 or more"),
        ({"policies": ["oracle"], "env_id": "Maze-v9"}, "MazeNLU-v0"),
    ],
)
def test_wrong_plans_are_refused_with_what_would_be_right(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        evaluation.make_plan(**kwargs)


def test_a_policy_named_twice_plays_once() -> None:
    assert evaluation.make_plan(["oracle", "oracle"]).policies == ("oracle",)


def test_level_set_hash_changes_with_the_levels(folder: Path) -> None:
    whole = describe(evaluation.make_plan(["oracle"], levels=folder))
    (folder / "tall.json").unlink()
    assert describe(evaluation.make_plan(["oracle"], levels=folder))["level_set"] != whole["level_set"]


@pytest.mark.parametrize(
    "kwargs", [{"env_id": "MazeNLU-KeyDoor-9x9-v0"}, {"tier": 1}], ids=["preset", "tier"]
)
def test_generated_levels_are_the_same_for_every_policy(kwargs: dict[str, Any]) -> None:
    run = evaluation.make_plan(["oracle", "greedy"], episodes=6, **kwargs)
    records = list(evaluation.play(run))
    assert [record.content_hash for record in records[:6]] == [record.content_hash for record in records[6:]]
    assert len({record.content_hash for record in records}) == 6
    assert all(record.steps == record.optimal_actions for record in records[:6])
    assert describe(run)["levels"] == []


def test_generated_levels_come_a_hundred_at_a_time_unless_told_otherwise() -> None:
    assert evaluation.make_plan(["oracle"], tier=3).episodes == GENERATED_EPISODES


def test_a_preset_plays_levels_that_are_named(folder: Path) -> None:
    run = evaluation.make_plan(["oracle"], env_id="MazeNLU-KeyDoor-9x9-v0", levels=folder)
    assert [record.level_id for record in evaluation.play(run)] == ["all_kinds", "corridor", "tall"]


def test_tier_and_levels_exclude_each_other() -> None:
    with pytest.raises(InvalidArgument, match="levels of its own"):
        evaluation.make_plan(["oracle"], tier=2, levels="starter")
    with pytest.raises(InvalidArgument, match="levels of its own"):
        evaluation.make_plan(["oracle"], tier=2, env_id="MazeNLU-KeyDoor-9x9-v0")
    with pytest.raises(InvalidArgument, match="no difficulty tiers"):
        evaluation.make_plan(["oracle"], tier=2, env_id="PacmanArray-v0")


def test_the_measures_of_the_world_itself_are_kept_and_averaged() -> None:
    run = evaluation.make_plan(["greedy", "search"], env_id="PacmanArray-v0")
    records = {record.policy: record for record in evaluation.play(run)}
    assert records["search"].metrics["win"] == 1
    survival = records["greedy"].metrics["survival"]
    assert survival is not None
    assert 0 < survival < 1
    for name, record in records.items():
        assert EpisodeRecord.from_json(record.to_json()) == record
        assert evaluation.summarise(name, [record, record]).metrics == record.metrics
