"""Levels that an env draws: generated from a spec or a tier, numbered as in Procgen, or fixed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym import registration
from maze_gym.envs import GridWorldEnv
from maze_gym.envs.maze.env import MAX_LEVELS_KEPT
from maze_gym.envs.maze.levels.sources import GeneratedLevels
from maze_gym.errors import InvalidArgument, LevelsNotFound, MazeFormatError
from maze_gym.policies import make_policy
from mazegen import codec
from mazegen.generation.spec import MazeGenSpec
from mazegen.generation.tiers import TIERS

from ....levels import ALL_KINDS, CORRIDOR

if TYPE_CHECKING:
    from pathlib import Path

SPEC = {"topology": "dense_maze", "chain": "k", "rows": 9, "cols": 11}


def hashes(env: GridWorldEnv, seeds: range) -> list[str]:
    return [env.reset(seed=seed)[1]["level_hash"] for seed in seeds]


@pytest.mark.parametrize("kwargs", [{"spec": SPEC}, {"tier": 2}], ids=["spec", "tier"])
def test_a_seed_names_a_level_and_different_seeds_give_different_levels(kwargs: dict[str, Any]) -> None:
    first, again = hashes(GridWorldEnv(**kwargs), range(40)), hashes(GridWorldEnv(**kwargs), range(40))
    assert first == again
    assert len(set(first)) > 38


def test_a_spec_object_and_its_json_make_the_same_env() -> None:
    spec = MazeGenSpec.from_dict(SPEC)
    assert hashes(GridWorldEnv(spec=spec), range(5)) == hashes(GridWorldEnv(spec=SPEC), range(5))


def test_num_levels_bounds_the_training_set_and_start_level_moves_it() -> None:
    train = set(hashes(GridWorldEnv(spec=SPEC, num_levels=5), range(60)))
    held_out = set(hashes(GridWorldEnv(spec=SPEC, num_levels=5, start_level=5), range(60)))
    assert len(train) == len(held_out) == 5
    assert train.isdisjoint(held_out)


def test_ranges_that_overlap_share_their_levels() -> None:
    levels = GeneratedLevels(spec=MazeGenSpec.from_dict(SPEC), num_levels=3)
    later = GeneratedLevels(spec=MazeGenSpec.from_dict(SPEC), num_levels=3, start_level=2)
    assert levels.level(2) == later.level(0)


@pytest.mark.parametrize("tier", TIERS)
def test_every_tier_is_played_and_solved_by_the_oracle(tier: int) -> None:
    env = GridWorldEnv(tier=tier)
    oracle = make_policy("oracle", env)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        assert env.observation_space.contains(observation)
        assert env.maze.difficulty_tier == tier
        low, high = TIERS[tier].optimal_actions
        assert low <= info["optimal_actions"] <= high
        terminated, steps = False, 0
        while not terminated:
            terminated, steps = env.step(oracle.act(None, {}))[2], steps + 1
        assert steps == info["optimal_actions"]


def test_the_env_keeps_only_so_many_levels() -> None:
    env = GridWorldEnv(spec=SPEC)
    for seed in range(MAX_LEVELS_KEPT + 10):
        env.reset(seed=seed)
    assert len(env._levels) == MAX_LEVELS_KEPT


@pytest.mark.parametrize(
    "preset",
    [preset for preset in registration.PRESETS if preset.world == "MazeNLU-v0"],
    ids=lambda preset: preset.id,
)
def test_every_preset_keeps_what_its_name_says(preset: registration.Preset) -> None:
    env = gym.make(preset.id)
    env.reset(seed=1)
    maze = env.unwrapped.maze  # type: ignore[attr-defined]  # a world of ours
    _, family, size, _ = preset.id.split("-")
    assert size == f"{maze.rows}x{maze.cols}"
    expected = {"Navigation": (0, 0), "KeyDoor": (1, 0), "SwitchGate": (0, 1), "Chain": (2, 1)}[family]
    assert (len(maze.doors), len(maze.gates)) == expected
    assert json.loads(env.spec.to_json())["kwargs"] == preset.kwargs  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"tier": 0}, "tier must be one of 1, 2, 3, 4, 5"),
        ({"tier": 2, "suite": "starter"}, "suite and tier"),
        ({"spec": {"topology": "dense_maze", "chian": "k"}}, "did you mean 'chain'"),
        ({"spec": {"topology": "moebius_strip"}}, "dense_maze"),
        ({"spec": SPEC, "num_levels": 0}, "num_levels must be an integer from 1"),
        ({"spec": SPEC, "start_level": -1}, "start_level must be an integer from 0"),
        ({"spec": SPEC, "num_levels": 2.0}, "num_levels"),
        ({"num_levels": 3}, "need spec or tier"),
        ({"suite": "starter", "start_level": 3}, "need spec or tier"),
    ],
)
def test_wrong_sources_are_named(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        GridWorldEnv(**kwargs)


def test_a_suite_that_does_not_exist_lists_those_that_do() -> None:
    with pytest.raises(LevelsNotFound, match="starter"):
        GridWorldEnv(suite="stater")


def test_shards_hold_a_maze_a_line(tmp_path: Path) -> None:
    shard = tmp_path / "train-00000.jsonl"
    shard.write_text("".join(json.dumps(codec.to_dict(maze)) + "\n" for maze in (ALL_KINDS, CORRIDOR)))
    for source in (shard, tmp_path):
        assert GridWorldEnv(mazes=source).source.count == 2
    with shard.open("a") as file:
        file.write("{}\n")
    with pytest.raises(MazeFormatError, match=r"train-00000\.jsonl:3"):
        GridWorldEnv(mazes=shard)
