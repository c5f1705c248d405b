"""Episodes as a Minari data set that reloads, and that a fresh env replays step for step."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np

from maze_gym._version import __version__
from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, PolicyStopped
from maze_gym.evaluation.episode import run_episode
from maze_gym.evaluation.plan import GENERATED_EPISODES, choose_levels, episode_seed
from maze_gym.extras import require
from maze_gym.game import text_game
from maze_gym.policies import check_policy_name, make_policy
from maze_gym.policies.sb3 import is_trained_name
from maze_gym.registration import preset_kwargs, world_of
from mazegen.core.whole_file import writing_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.game import LevelSet
    from maze_gym.policies.base import AnyEnv, Policy

DATASETS_PATH = "MINARI_DATASETS_PATH"  # the environment variable by which Minari finds its data sets


class NoisyPolicy:
    """Another policy's actions, each replaced by a random one with some probability: mixed quality.

    Args:
        policy: whose actions.
        env: the env it plays.
        noise: from 0 (its actions alone) to 1 (random ones alone).

    Raises:
        InvalidArgument: the noise is out of range.
    """

    def __init__(self, policy: Policy, env: AnyEnv, noise: float) -> None:
        """Draw from fresh entropy until ``reset`` seeds it."""
        if not 0 <= noise <= 1:
            msg = f"noise must be from 0 to 1, got {noise}"
            raise InvalidArgument(msg)
        self._policy = policy
        self._noise = noise
        self._actions = int(env.action_space.n)  # type: ignore[attr-defined]  # worlds are Discrete
        self._generator = np.random.default_rng()
        self.name = f"{policy.name} with noise {noise:g}" if noise else policy.name

    def reset(self, seed: int | None = None) -> None:
        """Seed both."""
        self._policy.reset(seed)
        self._generator = np.random.default_rng(None if seed is None else (seed, 1))

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401 - each world observes differently
        """A random action, or the policy's; one that sees no way on after noise goes on at random.

        Raises:
            PolicyStopped: the policy cannot go on, and noise is not why.
        """
        if not self._noise:
            return self._policy.act(observation, info)
        if self._generator.random() < self._noise:
            return self._random()
        try:
            return self._policy.act(observation, info)
        except PolicyStopped as stop:
            if stop.reason != EndReason.FAILED:  # a model that was not reached is no reason to move
                raise
            return self._random()

    def _random(self) -> int:
        return int(self._generator.integers(self._actions))


class Episodes(NamedTuple):
    """What is collected.

    Attributes:
        env_id: a world or a preset.
        policies: who plays; each the same levels with the same seeds, in turn.
        levels: a file, folder or suite; by default the world's own suite, and for a preset generated ones.
        tier: generate levels of a difficulty tier instead.
        episodes: of each policy; by default one for each level.
        seed: from which each episode's is drawn.
        noise: probability that an action is replaced by a random one.
    """

    env_id: str = "MazeNLU-v0"
    policies: tuple[str, ...] = ("oracle",)
    levels: str | os.PathLike[str] | None = None
    tier: int | None = None
    episodes: int | None = None
    seed: int = 0
    noise: float = 0.0


class _Tape(gym.Wrapper[Any, Any, Any, Any]):
    """Writes down what a Minari episode holds."""

    def __init__(self, env: AnyEnv) -> None:
        super().__init__(env)
        self.observations: list[Any] = []
        self.steps: list[tuple[Any, float, bool, bool]] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        self.observations, self.steps = [observation], []
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:  # noqa: ANN401 - gymnasium's own types
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.observations.append(observation)
        self.steps.append((action, float(reward), terminated, truncated))
        return observation, reward, terminated, truncated, info


def export_minari(
    what: Episodes,
    dataset_id: str,
    root: Path | None = None,
    *,
    on_episode: Callable[[EpisodeRecord], None] | None = None,
) -> Any:  # noqa: ANN401 - a MinariDataset, whose library is optional
    """Play episodes and write them as a Minari data set in its Arrow format.

    Each episode of the data set has its seed and, where levels were named, the level in its options, so
    that ``recover_environment`` and ``reset(seed, options)`` begin it again. Its metadata tells policy,
    success, end reason, level and optimum.

    Args:
        what: which episodes.
        dataset_id: its name, such as ``maze-nlu/oracle-v0``.
        root: the folder of data sets; by default the one that Minari uses.
        on_episode: called after each episode.

    Returns:
        The data set, read back from the disk.

    Raises:
        InvalidArgument: an argument is wrong, or there is a data set of this name.
        MissingExtra: Minari is not installed.
        NotWritten: the disk did not take it; nothing of it is left.
    """
    minari = require("minari", "minari")
    buffers = require("minari.data_collector.episode_buffer", "minari")
    _check_id(dataset_id)
    for name in what.policies:
        check_policy_name(name)
    found = choose_levels(what.env_id, what.levels, what.tier)
    env, records = _recoverable_env(what, found), []

    def played() -> Iterator[Any]:
        tape = _Tape(env)
        for record, seed, options in _play(what, found, tape):
            if tape.steps:  # one that ended before its first action holds no transition
                records.append(record)
                yield _buffer(buffers.EpisodeBuffer, len(records) - 1, tape, seed, options)
                if on_episode is not None:
                    on_episode(record)

    with datasets_in(root):
        folder = Path(require("minari.storage", "minari").get_dataset_path(dataset_id))
        if folder.exists():
            msg = (
                f"there is a data set {dataset_id!r} in {folder.parent}; name another one or another version"
            )
            raise InvalidArgument(msg)
        try:
            with writing_to(folder):
                dataset = minari.create_dataset_from_buffers(
                    dataset_id, played(), env=env, eval_env=env, **_card(what)
                )
                dataset.storage.update_episode_metadata([_metadata(record) for record in records])
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)  # half a data set would be taken for a whole one
            raise
        finally:
            env.close()
        return minari.load_dataset(dataset_id)


def _card(what: Episodes) -> dict[str, Any]:
    """How a data set of these episodes is kept, and what it says of itself."""
    names = ", ".join(what.policies)
    return {
        "algorithm_name": names,
        "description": f"{what.env_id} played by {names}; noise {what.noise:g}",
        "requirements": [f"maze-gym>={__version__}"],
        "data_format": "arrow",
        "jpeg_encoding": False,  # a grid of codes looks like a picture to it, and JPEG loses some
    }


def default_name(env_id: str, policies: Sequence[str], noise: float = 0.0) -> str:
    """The name of a data set of these policies in this world, such as ``MazeNLU/oracle-v0``."""
    kind = "-".join(map(_short, policies)) + (f"-noise{round(100 * noise)}" if noise else "")
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", kind).strip("_")
    world = env_id.rpartition(":")[2]  # without the module that registers it
    return f"{world.removesuffix('-v0')}/{plain}-v0"


def _short(policy: str) -> str:
    """The name of a policy; of one in a folder with the folder's own name, not the whole path."""
    kind, colon, folder = policy.partition(":")
    return f"{kind}:{Path(folder).name}" if colon and is_trained_name(policy) else policy


def _check_id(dataset_id: str) -> None:
    try:
        require("minari.dataset.minari_dataset", "minari").parse_dataset_id(dataset_id)
    except ValueError as error:
        msg = f"a data set is named as in maze-nlu/oracle-v0, got {dataset_id!r}"
        raise InvalidArgument(msg) from error


def replay(dataset: Any) -> int:  # noqa: ANN401 - see above
    """Play every episode of a data set again in its recovered env and compare all that was stored.

    Returns:
        How many steps were compared.

    Raises:
        InvalidArgument: something differs; says in which episode and step.
    """
    env = dataset.recover_environment()
    compared = 0
    try:
        stored = dataset.storage.get_episode_metadata(dataset.episode_indices)
        for episode, metadata in zip(dataset, stored, strict=True):
            observation, _ = env.reset(seed=metadata.get("seed"), options=metadata.get("options"))
            _compare(episode.observations, 0, observation, episode.id)
            for index, action in enumerate(episode.actions):
                observation, *results, _ = env.step(action)
                _compare(episode.observations, index + 1, observation, episode.id)
                then = (episode.rewards[index], episode.terminations[index], episode.truncations[index])
                # The data set marks an episode that its policy gave up as truncated.
                if results != list(then) and not (index + 1 == len(episode.actions) and then[2]):
                    msg = f"episode {episode.id}, step {index + 1}: stored {then}, now {tuple(results)}"
                    raise InvalidArgument(msg)
                compared += 1
    finally:
        env.close()
    return compared


def _compare(stored: Any, index: int, now: Any, episode: int) -> None:  # noqa: ANN401 - nested as the space is
    if isinstance(now, dict):
        for name in now:
            _compare(stored[name], index, now[name], episode)
    elif not np.array_equal(stored[index], now):
        msg = f"episode {episode}, step {index}: stored {stored[index]!r}, now {now!r}"
        raise InvalidArgument(msg)


@contextlib.contextmanager
def datasets_in(root: Path | None) -> Iterator[None]:
    """Let Minari find its data sets in a folder, and let it be silent about who made them."""
    before = os.environ.get(DATASETS_PATH)
    if root is not None:
        os.environ[DATASETS_PATH] = str(root.absolute())  # Minari joins a relative one to itself
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*is set to None", category=UserWarning)
            yield
    finally:
        if before is not None:
            os.environ[DATASETS_PATH] = before
        elif root is not None:
            del os.environ[DATASETS_PATH]


def _recoverable_env(what: Episodes, found: LevelSet) -> AnyEnv:
    """An env whose spec is plain JSON: levels come by reset options, so only their size stands in it.

    Raises:
        InvalidArgument: the world's own env observes other shapes, and cannot be told to observe larger ones.
    """
    if not found.levels:
        env: AnyEnv = gym.make(what.env_id, **found.env_kwargs)
        return env
    nothing_preset = dict.fromkeys(preset_kwargs(what.env_id))
    own: AnyEnv = gym.make(what.env_id, **nothing_preset)
    with_levels: AnyEnv = gym.make(what.env_id, **found.env_kwargs)
    with_levels.close()
    if own.observation_space == with_levels.observation_space:
        return own
    own.close()
    shapes = [getattr(each.unwrapped, "max_shape", None) for each in (own, with_levels)]
    if None in shapes:
        msg = (
            f"these levels do not fit into the observations of {what.env_id}; export its own, or smaller ones"
        )
        raise InvalidArgument(msg)
    largest = [int(max(sides)) for sides in zip(*shapes, strict=True)]
    env = gym.make(what.env_id, max_shape=largest, **nothing_preset)
    return env  # noqa: RET504 - the annotation above is for it too


def _play(
    what: Episodes, found: LevelSet, tape: _Tape
) -> Iterator[tuple[EpisodeRecord, int, dict[str, Any] | None]]:
    count = what.episodes or len(found.levels) or GENERATED_EPISODES
    policies = [NoisyPolicy(make_policy(name, tape, what.seed), tape, what.noise) for name in what.policies]
    for index in range(count):
        seed = episode_seed(what.seed, index)
        options = _level_options(tape, found, index)
        for policy in policies:
            yield run_episode(tape, policy, seed=seed, options=options), seed, options


def _level_options(env: AnyEnv, found: LevelSet, index: int) -> dict[str, Any] | None:
    """Reset options that name a level, as JSON data; None where the env makes levels by the seed."""
    if not found.levels:
        return None
    level = found.levels[index % len(found.levels)]
    env.reset(seed=0, options=dict(level.options))
    recipe = text_game(env).recipe()
    missing = [name for name in level.options if name not in recipe.make]
    if missing:
        msg = f"{world_of(env.spec.id if env.spec else '').id} does not say its {missing[0]} as JSON data"
        raise InvalidArgument(msg)
    return {**{name: recipe.make[name] for name in level.options}, **recipe.reset}


def _buffer(
    kind: Callable[..., Any], number: int, tape: _Tape, seed: int, options: dict[str, Any] | None
) -> Any:  # noqa: ANN401 - an EpisodeBuffer, whose library is optional
    actions, rewards, terminations, truncations = map(list, zip(*tape.steps, strict=True))
    if not terminations[-1]:
        truncations[-1] = True  # Minari ends every episode, also one that its policy gave up
    return kind(
        id=number,
        seed=seed,
        options=options,
        observations=_columns(tape.observations),
        actions=actions,
        rewards=rewards,
        terminations=terminations,
        truncations=truncations,
    )


def _columns(observations: Sequence[Any]) -> Any:  # noqa: ANN401 - nested as the space is
    first = observations[0]
    if isinstance(first, dict):
        return {name: _columns([each[name] for each in observations]) for name in first}
    return list(observations)


def _metadata(record: EpisodeRecord) -> dict[str, Any]:
    return {
        "policy": record.policy,
        "success": bool(record.success),
        "end_reason": str(record.end_reason),
        "level_id": record.level_id,
        "level_hash": record.content_hash,
        "optimal_actions": record.optimal_actions,
        "total_reward": record.total_reward,
    }
