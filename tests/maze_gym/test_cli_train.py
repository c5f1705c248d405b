"""``maze-gym train``, and the policy that comes of it in ``maze-gym evaluate``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from maze_gym.cli import app
from maze_gym.errors import InvalidArgument
from mazegen import codec

from .levels import ALL_KINDS

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
    assert "tested on 4 levels" in told
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
    run("train", "--tier", "1", "--num-levels", "3", "--out", str(tmp_path / "run"), *TINY)
    assert json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))["held_out"] is True
