"""Reinforcement learning: envs for stable-baselines3, and a PPO recipe that learns mazes on a laptop's CPU.

Importing this package imports neither PyTorch nor stable-baselines3; what needs them (``train`` and
``make_sb3_vec_env``) says so where they are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maze_gym.extras import require
from maze_gym.training.config import TrainConfig
from maze_gym.training.levels import make_envs
from maze_gym.training.sb3_env import EncodedObservation, make_sb3_env

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from maze_gym.training.run import Progress
    from maze_gym.training.vec_env import EncodedVecEnv

__all__ = ["EncodedObservation", "TrainConfig", "make_sb3_env", "make_sb3_vec_env", "train"]

_EXTRA = "rl"


def make_sb3_vec_env(
    env_id: str,
    num_envs: int = 64,
    *,
    kind: str | None = None,
    **kwargs: Any,  # noqa: ANN401 - the env's own
) -> EncodedVecEnv:
    """A ``VecEnv`` of stable-baselines3 over a world's own vector env.

    Args:
        env_id: a world of this suite or one of its presets.
        num_envs: how many envs play side by side.
        kind: ``"maze"`` or ``"flat"``; by default mazes have an encoding of their own.
        kwargs: arguments of the env.

    Raises:
        InvalidArgument: the env does not exist, or an argument is wrong.
        MissingExtra: stable-baselines3 is not installed.
    """
    require("stable_baselines3", _EXTRA)
    from maze_gym.training.vec_env import EncodedVecEnv

    return EncodedVecEnv(make_envs(env_id, num_envs, kwargs), kind)


def train(
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    on_step: Callable[[int], None] | None = None,
) -> Progress:
    """Train a policy and leave everything about it in a folder; see ``maze_gym.training.run.train``.

    Raises:
        MissingExtra: stable-baselines3 or PyTorch is not installed.
        InvalidArgument: as there.
    """
    for module in ("torch", "stable_baselines3", "sb3_contrib"):
        require(module, _EXTRA)
    from maze_gym.training.run import train as train_now

    return train_now(config, out, resume=resume, on_progress=on_progress, on_step=on_step)
