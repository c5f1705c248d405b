"""Random play: the floor that any agent has to beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.policies.base import AnyEnv


class RandomPolicy:
    """Draws uniformly from the actions that the mask allows; from all where there is none.

    Args:
        env: the env to play.
        seed: where the draws begin; None takes fresh entropy.
    """

    name = "random"

    def __init__(self, env: AnyEnv, seed: int | None = None) -> None:
        """Seed the generator."""
        self._actions = int(env.action_space.n)  # type: ignore[attr-defined]  # worlds are Discrete
        self._generator = np.random.default_rng(seed)

    def reset(self, seed: int | None = None) -> None:
        """Seed the generator anew if a seed is given, else go on drawing."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401, ARG002 - a blind policy
        """Draw an action."""
        mask = info.get("action_mask")
        choices = np.flatnonzero(mask) if mask is not None else np.arange(self._actions)
        return int(choices[self._generator.integers(len(choices))])
