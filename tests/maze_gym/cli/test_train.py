"""``maze-gym train``, and the policy that comes of it in ``maze-gym evaluate``."""

from __future__ import annotations

import inspect
import json
import shlex
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from maze_gym.cli import app
from maze_gym.cli.train import ON_TRAINING_LEVELS, TrainOptions, train
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.plan import choose_levels
from maze_gym.registration import WORLDS
from maze_gym.training import TrainConfig
from maze_gym.training.levels import GUIDED, training_envs
from mazegen import codec

from ..levels import ALL_KINDS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.extra("stable_baselines3", "rl")
TINY = [
    *("--steps", "256", "--envs", "8", "--rollout", "16", "--batch-size", "64"),
    *("--eval-every", "128", "--eval-episodes", "4"),
]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def level(tmp_path: Path) -> str:
    path = tmp_path / "level.json"
    codec.dump(ALL_KINDS, path)
    return str(path)


@pytest.mark.extra("tensorboard", "rl")
@pytest.mark.extra("matplotlib", "plot")
def test_a_trained_policy_is_evaluated_like_any_other(tmp_path: Path, level: str) -> None:
    out = tmp_path / "run"
    told = run("train", "--levels", level, "--out", str(out), "--tensorboard", *TINY)
    assert "tested on its training levels, 4 episodes" in told
    assert f"--policy sb3:{out}" in told
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert list((out / "tensorboard").rglob("events.out.tfevents*"))
    told = run("evaluate", "--levels", level, "--policy", f"sb3:{out}", "--json")
    (result,) = json.loads(told)["results"]
    assert result["policy"] == f"sb3:{out}"
    assert result["episodes"] == 1


def test_json_lines_and_resuming(tmp_path: Path, level: str) -> None:
    command = ("train", "--levels", level, "--out", str(tmp_path / "run"), "--json", *TINY)
    lines = [json.loads(line) for line in run(*command).splitlines()]
    assert [line["steps"] for line in lines] == [0, 128, 256]
    (again,) = (json.loads(line) for line in run(*command, "--resume").splitlines())
    assert again["greedy"] == lines[-1]["greedy"]
    with pytest.raises(InvalidArgument, match="already holds a run"):
        run(*command)


def test_a_tier_has_levels_of_its_own_to_be_tested_on(tmp_path: Path) -> None:
    command = ("train", "--tier", "1", "--num-levels", "3", "--out", str(tmp_path / "run"), *TINY)
    result = CliRunner().invoke(app, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "tested on 4 levels: " in result.stdout
    assert ON_TRAINING_LEVELS not in result.stderr
    assert json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))["held_out"] is True


@pytest.mark.parametrize(
    "chosen",
    [
        ("--tier", "1", "--network", "view"),
        ("--levels", "LEVEL", "--network", "view"),
        ("--env", "MazeNLU-KeyDoor-9x9-v0", "--network", "flat"),
        ("--env", "SpatialGym-v0"),
        ("--env", "SpatialGym-v0", "--tier", "1"),
        ("--env", "PacmanArray-Random-v0", "--num-levels", "3"),
    ],
    ids=" ".join,
)
def test_the_command_that_it_prints_plays_the_policy(
    tmp_path: Path, level: str, chosen: tuple[str, ...]
) -> None:
    wanted = [level if each == "LEVEL" else each for each in chosen]
    out = tmp_path / "a run"
    told = run("train", *wanted, "--out", str(out), *TINY)
    program, *command = shlex.split(told.splitlines()[-1].partition("play it: ")[2])
    assert program == "maze-gym"
    played = json.loads(run(*command, "--episodes", "1", "--json"))
    assert played["results"][0]["policy"] == f"sb3:{out}"
    config = TrainConfig.from_dict(json.loads((out / "config.json").read_text(encoding="utf-8"))["config"])
    tier = config.env_kwargs.get("tier")
    levels = choose_levels(config.env_id, config.levels, tier).levels
    assert played["config"]["env_id"] == config.env_id
    assert [level_id for level_id, _ in played["config"]["levels"]] == [each.level_id for each in levels]
    assert (played["config"]["generated"] or {}).get("tier") == tier


@pytest.mark.slow
def test_spatial_gym_is_trained_to_the_end_by_the_defaults(tmp_path: Path) -> None:
    lines = run(
        "train", "--env", "SpatialGym-v0", "--steps", "64", "--out", str(tmp_path / "run"), "--json"
    ).splitlines()
    assert [json.loads(line)["steps"] for line in lines] == [0, 256 * 64]


def test_it_says_once_where_it_is_tested_on_its_training_levels(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["train", "--out", str(tmp_path / "run"), *TINY], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert result.stderr == f"maze-gym: {ON_TRAINING_LEVELS}\n"
    assert result.stdout.count("tested on its training levels, 4 episodes: ") == 3


@pytest.mark.parametrize("world", [world.id for world in WORLDS])
def test_every_world_is_trained_by_the_defaults(tmp_path: Path, world: str) -> None:
    config = TrainOptions(out=tmp_path, env=world).config()
    envs = training_envs(config)
    assert envs.num_envs == TrainConfig().envs
    envs.close()


def test_the_command_and_the_config_have_the_same_defaults(tmp_path: Path) -> None:
    assert TrainOptions(out=tmp_path).config() == TrainConfig()
    options, settings = ({each.name: each for each in fields(kind)} for kind in (TrainOptions, TrainConfig))
    shared = options.keys() & settings.keys() - {"shaping"}  # which depends on the world
    assert {name: options[name].default for name in shared} == {
        name: settings[name].default for name in shared
    }
    (shaping,) = (each for each in inspect.signature(train).parameters.values() if each.name == "shaping")
    assert f"default {TrainConfig().shaping} in MazeNLU" in shaping.annotation.__metadata__[0].help
    assert list(GUIDED) == ["MazeNLU-v0"]
