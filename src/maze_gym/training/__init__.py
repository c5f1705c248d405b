"""Reinforcement learning: envs for stable-baselines3, and a PPO recipe that learns mazes on a laptop's CPU.

Importing this package imports neither PyTorch nor stable-baselines3; what needs them (``train`` and
``make_sb3_vec_env``) says so where they are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maze_gym.extras import require
from maze_gym.training.config import TrainConfig
from maze_gym.training.levels import make_envs, shaped_envs
from maze_gym.training.sb3_env import EncodedObservation, make_sb3_env

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from maze_gym.training.run import Progress
    from maze_gym.training.vec_env import EncodedVecEnv

__all__ = [
    "EncodedObservation",
    "TrainConfig",
    "make_sb3_env",
    "make_sb3_vec_env",
    "policy_kwargs",
    "train",
]

_EXTRA = "rl"


def make_sb3_vec_env(
    env_id: str,
    num_envs: int = 64,
    *,
    kind: str | None = None,
    shaping: float = 0.0,
    gamma: float = 0.99,
    **kwargs: Any,  # noqa: ANN401 - the env's own
) -> EncodedVecEnv:
    """A ``VecEnv`` of stable-baselines3 over a world's own vector env.

    Args:
        env_id: a world of this suite or one of its presets.
        num_envs: how many envs play side by side.
        kind: ``"maze"`` or ``"flat"``; by default mazes have an encoding of their own.
        shaping: reward for each action that the goal comes nearer, as ``OracleShaping`` adds it; 0 leaves the
            env's own reward alone.
        gamma: discount of the shaping; take the learner's.
        kwargs: arguments of the env.

    Raises:
        InvalidArgument: the env does not exist, an argument is wrong, or shaping is asked for in a world
            without exact search.
        MissingExtra: stable-baselines3 is not installed.
    """
    require("stable_baselines3", _EXTRA)
    from maze_gym.training.vec_env import EncodedVecEnv

    envs = (
        shaped_envs(env_id, num_envs, kwargs, gamma, shaping)
        if shaping
        else make_envs(env_id, num_envs, kwargs)
    )
    return EncodedVecEnv(envs, kind)


def policy_kwargs(envs: EncodedVecEnv, network: str = "auto", **sizes: int) -> dict[str, Any]:
    """The ``policy_kwargs`` that give a policy of stable-baselines3 the network that ``train`` uses.

    Args:
        envs: from ``make_sb3_vec_env``.
        network: ``"planner"`` or ``"view"`` for mazes, ``"flat"`` for other worlds and the kind ``"flat"``,
            ``"auto"`` for the best.
        sizes: of its feature extractor, as ``channels=16`` of the planner.

    Raises:
        InvalidArgument: there is no such network, it reads other envs, or it has no such size.
        MissingExtra: stable-baselines3 is not installed.
    """
    require("stable_baselines3", _EXTRA)
    from maze_gym.training import networks

    return networks.policy_kwargs(envs.encoding, network, sizes)


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
