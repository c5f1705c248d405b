"""Single envs as stable-baselines3 wants them: a Dict of one-dimensional boxes, nothing like a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym

from maze_gym.policies.encoding import encoding_for

if TYPE_CHECKING:
    from maze_gym.policies.base import AnyEnv
    from maze_gym.policies.encoding import Arrays


class EncodedObservation(gym.ObservationWrapper[Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Observations as learners take them; see ``maze_gym.policies.encoding``.

    Args:
        env: a world that observes a Dict of bounded numbers.
        kind: ``"maze"`` or ``"flat"``; by default mazes have their own and all others are flat.

    Raises:
        InvalidArgument: the observations cannot be encoded.
    """

    def __init__(self, env: AnyEnv, kind: str | None = None) -> None:
        """Declare the new space."""
        gym.utils.RecordConstructorArgs.__init__(self, kind=kind)
        gym.ObservationWrapper.__init__(self, env)
        self.encoding = encoding_for(env.observation_space, kind)
        self.observation_space = self.encoding.space

    def observation(self, observation: Any) -> Arrays:  # noqa: ANN401 - each world observes differently
        """Encode one observation."""
        return self.encoding.encode_one(observation)

    def action_masks(self) -> Any:  # noqa: ANN401 - an array of booleans
        """(actions,) under the name that sb3-contrib asks for, on the outermost wrapper."""
        return self.env.unwrapped.action_masks()  # type: ignore[attr-defined]  # worlds of this suite have it


def make_sb3_env(env_id: str, *, kind: str | None = None, **kwargs: Any) -> AnyEnv:  # noqa: ANN401 - the env's own
    """An env for stable-baselines3, whose checker finds nothing to warn of.

    Args:
        env_id: a world of this suite or one of its presets.
        kind: see ``EncodedObservation``.
        kwargs: arguments of the env.
    """
    return EncodedObservation(gym.make(env_id, **kwargs), kind)
