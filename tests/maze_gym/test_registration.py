"""Ids, imports and the shape of the house."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

from maze_gym import envs, registration
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("world", registration.WORLDS, ids=lambda world: world.id)
def test_every_id_is_made_with_and_without_the_prefix(world: registration.WorldSpec) -> None:
    for env_id in (world.id, f"maze_gym:{world.id}"):
        env = gym.make(env_id)
        env.reset(seed=0)
        env.close()


def test_registering_twice_is_silent() -> None:
    before = set(gym.registry)
    registration.register_worlds()
    assert set(gym.registry) == before


def test_unknown_world_lists_those_there_are() -> None:
    assert registration.world_of("maze_gym:MazeNLU-v0").id == "MazeNLU-v0"
    with pytest.raises(InvalidArgument, match="MazeNLU-v0"):
        registration.world_of("MazeNLU-v1")


def test_envs_are_found_by_name_and_nothing_else_is() -> None:
    assert envs.GridWorldEnv is GridWorldEnv
    with pytest.raises(AttributeError, match="NoSuchEnv"):
        _ = envs.NoSuchEnv


def test_import_is_light() -> None:
    """Importing the package imports Gymnasium and NumPy, and nothing that takes long to load."""
    code = (
        "import sys, maze_gym\n"
        "heavy = {'numba', 'scipy', 'matplotlib', 'pygame', 'torch', 'typer', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_imports_point_down() -> None:
    """The contracts of pyproject.toml: layers, and what mazegen may stand on."""
    linter = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("import-linter is not installed")
    result = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
