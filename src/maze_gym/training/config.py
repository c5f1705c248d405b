"""What a training run depends on, checked, and named by one hash."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from maze_gym.errors import InvalidArgument
from maze_gym.policies.networks import FEATURES

if TYPE_CHECKING:
    from collections.abc import Mapping

Algorithm = Literal["ppo", "maskable-ppo"]
MAX_SEED = 2**32


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """One training run.

    Attributes:
        env_id: a world of this suite or one of its presets.
        env_kwargs: arguments of the env beyond the preset's, plain JSON values.
        levels: a file, folder or suite whose levels are played; None generates them, or plays the env's own.
        num_levels: train on so many generated levels; None draws each from 2**31.
        seed: of everything that is random in the run.
        steps: env steps in all; the last rollout may go a little beyond.
        algorithm: ``"ppo"``, or ``"maskable-ppo"``, which never tries what has no effect.
        network: ``"planner"`` or ``"view"`` for mazes, ``"flat"`` for any world, ``"auto"`` for the best.
        network_kwargs: of its feature extractor, sizes from 1 on.
        shaping: reward for each action that the goal comes nearer; 0 leaves the env's own reward alone.
        envs: how many play side by side.
        rollout: steps that each of them takes between two updates.
        batch_size: samples of a gradient step.
        epochs: how often an update goes through its samples.
        learning_rate: at the beginning; it falls to almost 0.
        entropy: weight of the entropy bonus at the beginning; it falls likewise.
        gamma: discount.
        gae_lambda: of the advantage estimate.
        clip: of PPO's ratio.
        eval_every: steps between two evaluations on held-out levels, each of which ends in a checkpoint.
        eval_episodes: held-out levels of an evaluation.
        log: whether TensorBoard files are written.

    Raises:
        InvalidArgument: a field is out of range; the message names it.
    """

    env_id: str = "MazeNLU-v0"
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    levels: str | None = None
    num_levels: int | None = None
    seed: int = 0
    steps: int = 300_000
    algorithm: Algorithm = "ppo"
    network: str = "auto"
    network_kwargs: Mapping[str, Any] = field(default_factory=dict)
    shaping: float = 0.05
    envs: int = 256
    rollout: int = 64
    batch_size: int = 2048
    epochs: int = 4
    learning_rate: float = 1e-3
    entropy: float = 0.02
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    eval_every: int = 65_536
    eval_episodes: int = 200
    log: bool = False

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("steps", "envs", "batch_size", "epochs", "eval_every", "eval_episodes"):
            _whole(name, getattr(self, name), 1)
        _whole("rollout", self.rollout, 2)  # an advantage needs a step and what came after it
        if self.num_levels is not None:
            _whole("num_levels", self.num_levels, 1)
        _whole("seed", self.seed, 0)
        if self.seed >= MAX_SEED:
            msg = f"seed must be below 2**32, got {self.seed}"
            raise InvalidArgument(msg)
        if self.algorithm not in get_args(Algorithm):
            msg = f"algorithm must be one of {', '.join(get_args(Algorithm))}, got {self.algorithm!r}"
            raise InvalidArgument(msg)
        if self.network not in ("auto", *FEATURES):
            msg = f"network must be one of auto, {', '.join(FEATURES)}, got {self.network!r}"
            raise InvalidArgument(msg)
        for name, low, high in (
            ("shaping", 0, 100),
            ("learning_rate", 1e-9, 1),
            ("entropy", 0, 10),
            ("gamma", 0, 1),
            ("gae_lambda", 0, 1),
            ("clip", 1e-3, 10),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                msg = f"{name} must be a number from {low} to {high}, got {value!r}"
                raise InvalidArgument(msg)
        for name, value in self.network_kwargs.items():
            _whole(f"network_kwargs[{name!r}]", value, 1)
        _check_plain("env_kwargs", self.env_kwargs)
        samples = self.envs * self.rollout
        if samples % self.batch_size:
            msg = f"batch_size must divide envs * rollout = {samples}, got {self.batch_size}"
            raise InvalidArgument(msg)

    def to_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        fields = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return fields | {"env_kwargs": dict(self.env_kwargs), "network_kwargs": dict(self.network_kwargs)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> TrainConfig:
        """The config that ``to_dict`` wrote.

        Raises:
            InvalidArgument: a field is unknown or out of range.
        """
        known = {each.name for each in dataclasses.fields(cls)}
        unknown = sorted(set(fields) - known)
        if unknown:
            msg = f"unknown setting {unknown[0]!r}; there are: {', '.join(sorted(known))}"
            raise InvalidArgument(msg)
        return cls(**fields)

    @property
    def content_hash(self) -> str:
        """Names the settings: the same hash is the same run."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def differences(self, other: TrainConfig) -> list[str]:
        """Names of the settings in which two runs differ, each with both values."""
        mine, theirs = self.to_dict(), other.to_dict()
        return [
            f"{name} ({mine[name]!r}, not {theirs[name]!r})" for name in mine if mine[name] != theirs[name]
        ]


def _check_plain(name: str, values: Mapping[str, Any]) -> None:
    try:
        json.dumps(dict(values))
    except (TypeError, ValueError) as error:
        msg = f"{name} must hold plain JSON values, for the run's config.json keeps them: {error}"
        raise InvalidArgument(msg) from error


def _whole(name: str, value: object, least: int) -> None:
    if type(value) is not int or value < least:
        msg = f"{name} must be a whole number of at least {least}, got {value!r}"
        raise InvalidArgument(msg)
