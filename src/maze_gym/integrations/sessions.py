"""What every framework needs: episodes as JSON data, and a session that plays one of them in words."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import gymnasium as gym

from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import run_episode
from maze_gym.evaluation.plan import GENERATED_EPISODES, choose_levels, episode_seed
from maze_gym.evaluation.transcript import TranscriptRecorder
from maze_gym.game import EpisodeSpec, metrics_of, text_game
from maze_gym.llm.config import ExperimentConfig
from maze_gym.policies.oracle import OraclePolicy
from maze_gym.registration import world_of
from maze_gym.wrappers import TextView
from mazegen.rendering import png

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from maze_gym.policies.base import AnyEnv

EPISODES_PER_TIER = 20
TAGS = {
    "level": "difficulty"
}  # entries of the first info that tell kinds of levels apart, and their names here
_KEY_DIGITS = 12  # of a SHA-256 in hexadecimal: enough to tell the levels of one set apart


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """One episode that is still to be played; all of it is plain JSON data, and it depends on nothing else.

    Attributes:
        env_id: the world.
        level_id: name of the level.
        level_hash: what the level is, independent of its name.
        make: arguments that make the env.
        reset: options that begin the episode.
        config: the ``ExperimentConfig`` by which it is put into words.
        repeat: 0 for the first episode of this level and start in its set, 1 for the second, and so on.
        tags: what tables may be broken down by, such as tier or difficulty.
    """

    env_id: str
    level_id: str
    level_hash: str
    make: Mapping[str, Any]
    reset: Mapping[str, Any]
    config: Mapping[str, Any] = field(default_factory=dict)
    repeat: int = 0
    tags: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """A name that the same episode has in every set, wherever it stands there."""
        start = json.dumps([self.level_hash, dict(self.reset)], sort_keys=True)
        digest = hashlib.sha256(start.encode()).hexdigest()[:_KEY_DIGITS]
        return f"{self.env_id}/{self.level_id}/{digest}#{self.repeat}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SessionSpec:
        """The episode that ``to_dict`` described.

        Raises:
            InvalidArgument: a field is missing or unknown.
        """
        try:
            return cls(**data)
        except TypeError as error:
            msg = f"not an episode: {error}"
            raise InvalidArgument(msg) from error

    def make_env(self) -> AnyEnv:
        """An env that plays it after ``reset(options=spec.reset)``.

        Raises:
            InvalidArgument: there is no such world, or it does not take these arguments.
        """
        try:
            env: AnyEnv = gym.make(world_of(self.env_id).id, disable_env_checker=True, **self.make)
        except TypeError as error:
            msg = f"{self.env_id} cannot be made: {error}"
            raise InvalidArgument(msg) from error
        return env


def episodes(
    env_id: str,
    config: ExperimentConfig,
    *,
    levels: str | os.PathLike[str] | None = None,
    tier: int | None = None,
    count: int | None = None,
    seed: int = 0,
    make: Mapping[str, Any] | None = None,
    tags: Mapping[str, Any] | None = None,
) -> Iterator[SessionSpec]:
    """The same episodes that ``maze-gym evaluate`` plays, as data, one after the other.

    Args:
        env_id: a world or a preset.
        config: how they are put into words.
        levels: a file, folder or suite; by default the world's own suite, and for a preset generated ones.
        tier: generate levels of a difficulty tier instead.
        count: how many; by default one for each level, and ``GENERATED_EPISODES`` where they are generated.
        seed: from which each episode's is drawn.
        make: more arguments for the env, such as ``max_steps``.
        tags: written into each.

    Raises:
        InvalidArgument: the world does not exist, a number is out of range, or the choices exclude each
            other.
        LevelsNotFound: there is nothing of that name, or nothing in it.
    """
    _check_numbers(count, seed)
    found = choose_levels(env_id, levels, tier)
    wanted = count or len(found.levels) or GENERATED_EPISODES
    tags = dict(tags or {}) | ({} if tier is None else {"tier": tier})
    env: AnyEnv = gym.make(env_id, disable_env_checker=True, **{**found.env_kwargs, **(make or {})})
    seen: Counter[str] = Counter()
    try:
        game = text_game(env)
        for index in range(wanted):
            options = dict(found.levels[index % len(found.levels)].options) if found.levels else None
            _, info = env.reset(seed=episode_seed(seed, index), options=options)
            recipe: EpisodeSpec = game.recipe()
            spec = SessionSpec(
                env_id=world_of(env_id).id,
                level_id=str(info.get("level_id", "")),
                level_hash=str(info.get("level_hash", "")),
                make=recipe.make,
                reset=recipe.reset,
                config=config.to_dict(),
                tags=tags | {tag: info[name] for name, tag in TAGS.items() if name in info},
            )
            repeat = seen[spec.key]
            seen[spec.key] += 1
            yield spec if not repeat else SessionSpec(**{**spec.to_dict(), "repeat": repeat})
    finally:
        env.close()


def episodes_of_tiers(
    env_id: str,
    config: ExperimentConfig,
    tiers: Sequence[int],
    *,
    levels: str | os.PathLike[str] | None = None,
    count: int | None = None,
    seed: int = 0,
    make: Mapping[str, Any] | None = None,
) -> Iterator[SessionSpec]:
    """Generated episodes of several difficulty tiers, one of each in turn; see ``episodes``.

    Args:
        env_id: a world whose levels have tiers.
        config: how they are put into words.
        tiers: at least one.
        levels: refused, since a tier has levels of its own; for callers who hand on what they were given.
        count: how many in all; by default ``EPISODES_PER_TIER`` of each.
        seed: from which each episode's is drawn.
        make: more arguments for the env.

    Raises:
        InvalidArgument: as for ``episodes``, or no tier is named.
        LevelsNotFound: see there.
    """
    _check_numbers(count, seed)
    if not tiers:
        msg = "name at least one tier"
        raise InvalidArgument(msg)
    share, rest = divmod(count or EPISODES_PER_TIER * len(tiers), len(tiers))
    counts = [share + (place < rest) for place in range(len(tiers))]
    sets = [
        episodes(env_id, config, levels=levels, tier=tier, count=number, seed=seed, make=make)
        for tier, number in zip(tiers, counts, strict=True)
        if number
    ]
    for row in itertools.zip_longest(*sets):
        yield from (spec for spec in row if spec is not None)


def _check_numbers(count: int | None, seed: int) -> None:
    for name, value in (("count", count), ("seed", seed)):  # a framework hands on what was typed
        if value is not None and (isinstance(value, bool) or not isinstance(value, SupportsIndex)):
            msg = f"{name} must be a whole number, got {value!r}"
            raise InvalidArgument(msg)
    if count is not None and count < 1:
        msg = f"count must be at least 1, got {count}"
        raise InvalidArgument(msg)
    if seed < 0:
        msg = f"seed must be 0 or more, got {seed}"
        raise InvalidArgument(msg)


def is_solvable(spec: SessionSpec) -> bool:
    """Whether the oracle wins this very episode within its step limit: the proof is a played game."""
    env = spec.make_env()
    try:
        record = run_episode(env, OraclePolicy(env), options=spec.reset)
    finally:
        env.close()
    return bool(record.success)


class Prompt(NamedTuple):
    """What is put before the model in one turn.

    Attributes:
        text: the turn.
        image: the picture as a PNG file, where the config asks for one.
    """

    text: str
    image: bytes | None = None


class Session:
    """One episode, played by replies of text.

    Args:
        spec: which.

    Attributes:
        spec: the episode.
        config: how it is put into words.
        game: the world under all wrappers.
        system: task, rules, level and format.
        reason: why it is over, or None.

    Raises:
        InvalidArgument: the world does not exist or says nothing in words, or the config is wrong.
    """

    def __init__(self, spec: SessionSpec) -> None:
        """Begin the episode."""
        self.spec = spec
        self.config = ExperimentConfig.from_dict(dict(spec.config))
        self._recorder = TranscriptRecorder(spec.make_env())
        self._view = TextView(self._recorder, self.config)
        self.game = self._recorder.game
        self._replies = self._refused = 0
        self._reward = 0.0
        self.reason: EndReason | None = None
        _, self._first = self._view.reset(options=spec.reset)
        self._info = self._first
        self.system = self._view.system

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.reason is not None

    @property
    def prompt(self) -> Prompt:
        """The first turn; later ones are what ``reply`` returns."""
        return self._with_picture(self._view.turn)

    def reply(self, text: str) -> Prompt:
        """Play what a reply says and ask the next question; after the end, the last words of the world."""
        step = self._view.step(text)
        self._replies += 1
        self._reward += step.reward
        self._info = step.info
        self._refused += "parse_failure" in step.info
        if step.terminated or step.truncated:
            self.reason = EndReason(step.info["end_reason"])
        return self._with_picture(step.text)

    def outcome(self) -> dict[str, Any]:
        """How it went, as JSON-safe data.

        ``end_reason`` is None while it goes on; ``retries`` counts the replies that were asked again,
        ``invalid_reply`` is 1 where the last of them ended the episode, ``format`` is the share of
        replies that could be read, ``game`` what the world itself measures.
        """
        steps = self._recorder.steps
        gave_up = self.reason == EndReason.PARSE_FAILED
        return {
            "end_reason": None if self.reason is None else str(self.reason),
            "is_success": self.reason == EndReason.SUCCESS,
            "steps": len(steps),
            "replies": self._replies,
            "retries": self._refused - gave_up,
            "invalid_reply": int(gave_up),
            "format": 1 - self._refused / self._replies if self._replies else 0.0,
            "total_reward": self._reward,
            "optimal_actions": self._first.get("optimal_actions"),
            "actions": [step["action"] for step in steps],
            "events": [step["event"] for step in steps],
            "game": metrics_of(self._recorder, self._info),
        }

    def close(self) -> None:
        """Close the env; safe to call again."""
        self._view.close()

    def _with_picture(self, text: str) -> Prompt:
        if not self.config.has_image:
            return Prompt(text)
        return Prompt(text, png.encode(self.game.picture(self.config.cell_px)))
