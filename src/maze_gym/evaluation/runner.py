"""ExperimentRunner: one run is one episode, recorded in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import gymnasium as gym

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import run_episode
from maze_gym.evaluation.transcript import Transcript, TranscriptRecorder, versions
from maze_gym.llm.config import ExperimentConfig
from maze_gym.policies import make_policy
from maze_gym.policies.llm import LLMPolicy
from maze_gym.registration import resolve, world_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from maze_gym.game import LevelSet
    from maze_gym.llm.chat import Chat, Messages, Reply
    from maze_gym.policies.base import AnyEnv, Policy

    Player: TypeAlias = str | Policy | Chat | Callable[[Messages], str | Reply]


class ExperimentRunner:
    """Plays episodes of one env with one policy under one config.

    Args:
        config: what a model is told and how its replies are used; its stall and failure limits hold for
            any policy. Left as it is by default, that of a policy of a model holds.
        env: the env; the caller closes it, unless ``from_json`` made it.
        policy: the name of a policy or chat, a policy, a ``Chat``, or a function from messages to text.

    Attributes:
        config: the config.
        policy: who plays.

    Raises:
        InvalidArgument: there is no such policy, it has a config of its own that differs from the given
            one, or the world does not say what its state is.
    """

    def __init__(self, config: ExperimentConfig, env: AnyEnv, policy: Player) -> None:
        """Prepare the policy."""
        self.config = config
        self.policy = _as_policy(policy, env, config)
        if isinstance(self.policy, LLMPolicy):
            self.config = _shared(config, self.policy.config)
        self._recorder = TranscriptRecorder(env, lambda: str(getattr(self.policy, "subgoal", "")))

    @classmethod
    def from_json(
        cls,
        maze_file: str | os.PathLike[str],
        config: ExperimentConfig | Mapping[str, Any],
        policy: Player = "oracle-chat",
        *,
        env_id: str = "MazeNLU-v0",
    ) -> ExperimentRunner:
        """A runner for the level in a file.

        Raises:
            LevelsNotFound: there is no such file.
            MazeFormatError: it is not a level of this world.
            InvalidArgument: see ``build_runner``, or the file holds more than one level.
        """
        config = _as_config(config)
        world = world_of(env_id)
        found: LevelSet = resolve(world.levels)(maze_file)
        if len(found.levels) != 1:
            msg = f"{maze_file} holds {len(found.levels)} levels; name the file of one"
            raise InvalidArgument(msg)
        return cls(config, gym.make(world.id, **found.env_kwargs), policy)

    def run(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Transcript:
        """Play one episode to its end and record it.

        Args:
            seed: for the env's reset and the policy.
            options: for the env's reset, for example the level.
        """
        recorder = self._recorder
        episode = run_episode(
            recorder,
            self.policy,
            seed=seed,
            options=options,
            stall_limit=self.config.stall_limit,
            failure_limit=self.config.failure_limit,
        )
        recipe = recorder.game.recipe()
        llm = self.policy if isinstance(self.policy, LLMPolicy) else None
        return Transcript(
            episode=episode,
            config=None if llm is None else self.config.to_dict(),
            config_hash=None if llm is None else self.config.content_hash,
            model={} if llm is None else dict(llm.chat.settings),
            recipe={"make": dict(recipe.make), "reset": dict(recipe.reset)},
            initial_state=recorder.initial_state,
            final_state=recorder.final_state,
            steps=recorder.steps,
            queries=[] if llm is None else [query.to_dict() for query in llm.queries],
            versions=versions(),
        )

    def close(self) -> None:
        """Close the env; safe to call again."""
        self._recorder.close()


def build_runner(
    config: ExperimentConfig | Mapping[str, Any], env: AnyEnv, policy: Player
) -> ExperimentRunner:
    """A runner from a config or its fields, an env, and whoever plays; see ``ExperimentRunner``.

    Raises:
        InvalidArgument: the config is neither a config nor fields of one, a field is wrong, or see the class.
    """
    return ExperimentRunner(_as_config(config), env, policy)


def _as_config(config: ExperimentConfig | Mapping[str, Any]) -> ExperimentConfig:
    if isinstance(config, ExperimentConfig):
        return config
    if not isinstance(config, Mapping):
        msg = f"config must be an ExperimentConfig or a mapping of its fields, got {type(config).__name__}"
        raise InvalidArgument(msg)
    return ExperimentConfig.from_dict(dict(config))


def _shared(given: ExperimentConfig, own: ExperimentConfig) -> ExperimentConfig:
    """The one config by which a model is asked and its episode is ended."""
    if given not in (own, ExperimentConfig()):
        told, asked = given.to_dict(), own.to_dict()
        names = ", ".join(name for name, value in told.items() if value != asked[name])
        msg = (
            f"the policy has a config of its own that differs in {names}; "
            "give both the same, or pass its chat"
        )
        raise InvalidArgument(msg)
    return own


def _as_policy(policy: Player, env: AnyEnv, config: ExperimentConfig) -> Policy:
    if isinstance(policy, str):
        return make_policy(policy, env, config=config)
    if hasattr(policy, "act"):
        return cast("Policy", policy)
    return LLMPolicy(cast("Chat", policy), config, env=env)
