"""Several policies over the same levels, one episode at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import EpisodeRecord, run_episode
from maze_gym.policies import check_policy_name, make_policy
from maze_gym.registration import resolve, world_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from maze_gym.game import Level, LevelSet
    from maze_gym.policies.base import AnyEnv

SEED_BITS = 32


class Plan(NamedTuple):
    """What will be played: every policy plays the same (level, seed) pairs in the same order.

    Attributes:
        env_id: the world.
        policies: their names.
        levels: the levels, visited in turn.
        skipped: files of the source that are not played, and why.
        env_kwargs: arguments of the env that plays them.
        episodes: how many episodes each policy plays.
        seed: the run's seed, from which each episode's is derived.
    """

    env_id: str
    policies: tuple[str, ...]
    levels: tuple[Level, ...]
    skipped: tuple[tuple[str, str], ...]
    env_kwargs: Mapping[str, Any]
    episodes: int
    seed: int


def plan(
    policies: Sequence[str],
    *,
    env_id: str = "MazeNLU-v0",
    levels: str | os.PathLike[str] | None = None,
    episodes: int | None = None,
    seed: int = 0,
) -> Plan:
    """Check everything that can be checked before the first episode.

    Args:
        policies: names of policies.
        env_id: a world of this suite.
        levels: a file, folder or suite; the world's own suite by default.
        episodes: per policy, visiting the levels in turn; one for each level by default.
        seed: the run's seed, 0 or more.

    Raises:
        InvalidArgument: a policy or world does not exist, or a number is out of range.
        LevelsNotFound: there is nothing of that name, or nothing in it.
        MazeFormatError: a level is broken.
    """
    world = world_of(env_id)
    if not policies:
        msg = "name at least one policy"
        raise InvalidArgument(msg)
    for name in policies:
        check_policy_name(name)
    if episodes is not None and episodes < 1:
        msg = f"episodes must be at least 1, got {episodes}"
        raise InvalidArgument(msg)
    if seed < 0:
        msg = f"seed must be 0 or more, got {seed}"
        raise InvalidArgument(msg)
    found: LevelSet = resolve(world.levels)(world.suite if levels is None else levels)
    return Plan(
        env_id=world.id,
        policies=tuple(dict.fromkeys(policies)),
        levels=found.levels,
        skipped=found.skipped,
        env_kwargs=found.env_kwargs,
        episodes=episodes or len(found.levels),
        seed=seed,
    )


def episode_seed(seed: int, index: int) -> int:
    """Seed of the index-th episode of a run: drawn, never added, so neighbouring runs share none."""
    return int(np.random.default_rng((seed, index)).integers(1 << SEED_BITS))


def evaluate(run: Plan) -> Iterator[EpisodeRecord]:
    """Play a plan; each record is handed out as soon as its episode has ended."""
    for name in run.policies:
        env: AnyEnv = gym.make(run.env_id, **run.env_kwargs)
        try:
            policy = make_policy(name, env, run.seed)
            for index in range(run.episodes):
                level = run.levels[index % len(run.levels)]
                yield run_episode(env, policy, seed=episode_seed(run.seed, index), options=level.options)
        finally:
            env.close()
