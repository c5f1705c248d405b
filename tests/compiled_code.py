"""Compile what most tests call, before processes share it and before the time of a test counts.

Run as a program in a process of its own; where the code is kept already, it takes a second or two.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gymnasium as gym

import maze_gym  # noqa: F401 - registers the worlds
from maze_gym import cli
from mazegen.generate_dataset import generate_dataset

WORLDS = ("MazeNLU-v0", "SpatialGym-v0", "PacmanArray-v0")
BATCHED = ("MazeNLU-v0", "PacmanArray-v0")


def compile_what_tests_share() -> None:
    """Make mazes, prove them, let the oracle play each world, and step each vector env."""
    with tempfile.TemporaryDirectory() as folder:
        generate_dataset(Path(folder) / "set", 4, tier=1)
    for env_id in BATCHED:
        envs = gym.make_vec(env_id, num_envs=2, vectorization_mode="vector_entry_point")
        envs.reset(seed=0)
        envs.step(envs.action_space.sample())
        envs.close()
    for env_id in WORLDS:
        sys.argv = ["maze-gym", "evaluate", "--env", env_id, "--policy", "oracle", "--episodes", "1"]
        try:
            cli.main()
        except SystemExit as end:
            if end.code:
                raise


if __name__ == "__main__":
    compile_what_tests_share()
