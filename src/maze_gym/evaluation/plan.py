"""What a run will play: its policies, levels and seeds, checked before the first episode."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.evaluation.disguise import with_disguises
from maze_gym.game import LevelSet
from maze_gym.policies import check_policy_name, table
from maze_gym.registration import (
    WORLDS,
    is_preset,
    preset_kwargs,
    resolve,
    suites_of,
    world_ids,
    world_of,
    world_with,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from maze_gym.game import Disguise, Level
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.registration import WorldSpec

__all__ = [
    "GENERATED_EPISODES",
    "EvalPlan",
    "Job",
    "choose_levels",
    "episode_seed",
    "jobs_of",
    "make_plan",
]

GENERATED_EPISODES = 100  # per policy: half-width of the interval at 50 % is 10 points
SEED_BITS = 32


class EvalPlan(NamedTuple):
    """What will be played: every policy plays the same (level, seed) pairs in the same order.

    Attributes:
        env_id: the world.
        policies: their names.
        levels: the levels, visited in turn; empty where the env generates one for each episode's seed.
        skipped: files of the source that are not played, and why.
        env_kwargs: arguments of the env that plays them.
        episodes: how many episodes each policy plays.
        seed: the run's seed, from which each episode's is derived.
        config: how language models are asked; its stall and failure limits hold for every policy.
    """

    env_id: str
    policies: tuple[str, ...]
    levels: tuple[Level, ...]
    skipped: tuple[tuple[str, str], ...]
    env_kwargs: Mapping[str, Any]
    episodes: int
    seed: int
    config: ExperimentConfig | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to be played."""

    policy: str
    index: int


def make_plan(
    policies: Sequence[str],
    *,
    env_id: str = "MazeNLU-v0",
    levels: str | os.PathLike[str] | None = None,
    tier: int | None = None,
    episodes: int | None = None,
    seed: int = 0,
    config: ExperimentConfig | None = None,
    augment: Sequence[Disguise] = (),
) -> EvalPlan:
    """Check everything that can be checked before the first episode.

    Args:
        policies: names of policies.
        env_id: a world of this suite or one of its presets.
        levels: a file, folder or suite; by default the world's own suite, and for a preset generated ones.
        tier: generate levels of a difficulty tier instead.
        episodes: per policy, visiting the levels in turn; by default one for each level, and
            ``GENERATED_EPISODES`` where levels are generated.
        seed: the run's seed, 0 or more.
        config: how language models are asked; the defaults of ``ExperimentConfig`` without one.
        augment: disguises in which each level is played once more, so that ``episodes`` counts the levels as
            they are: at most all of them, or all of them several times.

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
    if augment:
        found, episodes = _augmented(env_id, found, augment, seed, episodes)
    return EvalPlan(
        env_id=env_id.removeprefix("maze_gym:"),
        policies=tuple(dict.fromkeys(policies)),
        levels=found.levels,
        skipped=found.skipped,
        env_kwargs=found.env_kwargs,
        episodes=episodes or len(found.levels) or GENERATED_EPISODES,
        seed=seed,
        config=config,
    )


def _augmented(
    env_id: str, found: LevelSet, augment: Sequence[Disguise], seed: int, episodes: int | None
) -> tuple[LevelSet, int]:
    """The first levels, so many as episodes, with their disguises; and how many episodes that makes."""
    count = len(found.levels)
    if count and episodes and episodes > count and episodes % count:
        fewer = episodes // count * count
        msg = (
            f"with augment, episodes must be at most the {count} levels or a multiple of them, so that each "
            f"is played as often as the others; got {episodes}: take {fewer} or {fewer + count}"
        )
        raise InvalidArgument(msg)
    plain = found._replace(levels=found.levels[:episodes])
    disguised = with_disguises(env_id, plain, augment, seed)
    rounds = (episodes or len(plain.levels)) // len(plain.levels)  # more than levels: all of them again
    return disguised, rounds * len(disguised.levels)


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
    if source is not None:
        _check_world(world, str(source))
    found: LevelSet = resolve(world.levels)(world.suite if source is None else source)
    # A preset's own arguments would contradict the levels that were named.
    return found._replace(env_kwargs={**dict.fromkeys(preset_kwargs(env_id)), **found.env_kwargs})


def _check_world(world: WorldSpec, source: str) -> None:
    """Refuse names that are no levels of this world, though they are something here or are like it.

    Raises:
        LevelsNotFound: the name is that; the message says of what it is the name.
    """
    if Path(source).exists():
        return
    owner = world_with(source)
    if owner is not None and owner != world:
        msg = f"{source!r} is of the world {owner.id}, not of {world.id}; play it there: --env {owner.id}"
        raise LevelsNotFound(msg)
    if owner is None:
        for option, names in (("--env", world_ids()), ("--policy", [row.name for row in table()])):
            if source in names:
                msg = f"{source!r} names no levels; it is for {option} {source}, where a command takes that"
                raise LevelsNotFound(msg)
        elsewhere = {suite.name: each for each in WORLDS for suite in suites_of(each)}
        close = difflib.get_close_matches(source, elsewhere, n=1)
        if close and elsewhere[close[0]] != world:
            msg = (
                f"no levels {source!r} in {world.id}; did you mean {close[0]!r} of {elsewhere[close[0]].id}?"
            )
            raise LevelsNotFound(msg)


def jobs_of(run: EvalPlan, done: Collection[tuple[str, int]] = ()) -> Iterator[Job]:
    """The episodes that are left, policy after policy, in order."""
    for policy in run.policies:
        for index in range(run.episodes):
            if (policy, index) not in done:
                yield Job(policy, index)


def episode_seed(seed: int, index: int) -> int:
    """Seed of the index-th episode of a run: drawn, never added, so neighbouring runs share none."""
    return int(np.random.default_rng((seed, index)).integers(1 << SEED_BITS))
