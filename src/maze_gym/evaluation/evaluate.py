"""Several policies over the same levels, one episode at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import EpisodeRecord, run_episode
from maze_gym.evaluation.runner import ExperimentRunner
from maze_gym.game import LevelSet
from maze_gym.llm.config import ExperimentConfig
from maze_gym.policies import check_policy_name, make_policy
from maze_gym.policies.llm import LLMPolicy
from maze_gym.registration import is_preset, preset_kwargs, resolve, world_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from maze_gym.evaluation.transcript import RunRecord
    from maze_gym.game import Level
    from maze_gym.policies.base import AnyEnv

SEED_BITS = 32
GENERATED_EPISODES = 100  # per policy: half-width of the interval at 50 % is 10 points


class Plan(NamedTuple):
    """What will be played: every policy plays the same (level, seed) pairs in the same order.

    Attributes:
        env_id: the world.
        policies: their names.
        levels: the levels, visited in turn; empty where the env generates one for each episode's seed.
        skipped: files of the source that are not played, and why.
        env_kwargs: arguments of the env that plays them.
        episodes: how many episodes each policy plays.
        seed: the run's seed, from which each episode's is derived.
        config: what language models are told; its stall and failure limits hold for every policy.
    """

    env_id: str
    policies: tuple[str, ...]
    levels: tuple[Level, ...]
    skipped: tuple[tuple[str, str], ...]
    env_kwargs: Mapping[str, Any]
    episodes: int
    seed: int
    config: ExperimentConfig | None = None


def plan(
    policies: Sequence[str],
    *,
    env_id: str = "MazeNLU-v0",
    levels: str | os.PathLike[str] | None = None,
    tier: int | None = None,
    episodes: int | None = None,
    seed: int = 0,
    config: ExperimentConfig | None = None,
) -> Plan:
    """Check everything that can be checked before the first episode.

    Args:
        policies: names of policies.
        env_id: a world of this suite or one of its presets.
        levels: a file, folder or suite; by default the world's own suite, and for a preset generated ones.
        tier: generate levels of a difficulty tier instead.
        episodes: per policy, visiting the levels in turn; by default one for each level, and
            ``GENERATED_EPISODES`` where levels are generated.
        seed: the run's seed, 0 or more.
        config: what language models are told; the defaults of ``ExperimentConfig`` without one.

    Raises:
        InvalidArgument: a policy or world does not exist, or a number is out of range.
        LevelsNotFound: there is nothing of that name, or nothing in it.
        MazeFormatError: a level is broken.
    """
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
    found = choose_levels(env_id, levels, tier)
    return Plan(
        env_id=env_id.removeprefix("maze_gym:"),
        policies=tuple(dict.fromkeys(policies)),
        levels=found.levels,
        skipped=found.skipped,
        env_kwargs=found.env_kwargs,
        episodes=episodes or len(found.levels) or GENERATED_EPISODES,
        seed=seed,
        config=config,
    )


def choose_levels(
    env_id: str, source: str | os.PathLike[str] | None = None, tier: int | None = None
) -> LevelSet:
    """The levels that a world, or one of its presets, plays; none where the env makes them by the seed.

    Raises:
        InvalidArgument: the world does not exist or has no tiers, or the choices exclude each other.
        LevelsNotFound: there is nothing of that name, or nothing in it.
    """
    world = world_of(env_id)
    if tier is not None and not world.has_tiers:
        msg = f"{world.id} has no difficulty tiers"
        raise InvalidArgument(msg)
    if tier is not None and (source is not None or is_preset(env_id)):
        msg = "tier generates levels of its own; leave out levels and presets"
        raise InvalidArgument(msg)
    if tier is not None:
        return LevelSet((), (), {"tier": tier})
    if source is None and is_preset(env_id):
        return LevelSet((), (), {})
    found: LevelSet = resolve(world.levels)(world.suite if source is None else source)
    # A preset's own arguments would contradict the levels that were named.
    return found._replace(env_kwargs={**dict.fromkeys(preset_kwargs(env_id)), **found.env_kwargs})


def episode_seed(seed: int, index: int) -> int:
    """Seed of the index-th episode of a run: drawn, never added, so neighbouring runs share none."""
    return int(np.random.default_rng((seed, index)).integers(1 << SEED_BITS))


def evaluate(
    run: Plan, *, on_transcript: Callable[[RunRecord], None] | None = None
) -> Iterator[EpisodeRecord]:
    """Play a plan; each record is handed out as soon as its episode has ended.

    Args:
        run: the plan.
        on_transcript: called with the full record of each episode that a language model played.
    """
    config = run.config or ExperimentConfig()
    for name in run.policies:
        env: AnyEnv = gym.make(run.env_id, **run.env_kwargs)
        try:
            policy = make_policy(name, env, run.seed, config=run.config)
            runner = ExperimentRunner(policy.config, env, policy) if isinstance(policy, LLMPolicy) else None
            for index in range(run.episodes):
                options = run.levels[index % len(run.levels)].options if run.levels else None
                seed = episode_seed(run.seed, index)
                if runner is None:
                    yield run_episode(
                        env,
                        policy,
                        seed=seed,
                        options=options,
                        stall_limit=config.stall_limit,
                        failure_limit=config.failure_limit,
                    )
                    continue
                record = runner.run(seed=seed, options=options)
                if on_transcript is not None:
                    on_transcript(record)
                yield record.episode
        finally:
            env.close()
