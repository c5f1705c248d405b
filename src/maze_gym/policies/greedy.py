"""The straight-line walker of each world: what one gets without looking ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maze_gym.policies.base import world_behind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.policies.base import AnyEnv


class GreedyPolicy:
    """Walks straight towards the goal and uses what lies in the way."""

    name = "greedy"

    def __init__(self, env: AnyEnv, seed: int | None = None) -> None:  # noqa: ARG002 - nothing is drawn
        """Play ``env``."""
        self._world = world_behind(env)

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401, ARG002 - it reads the state
        """Walk on."""
        return self._world.greedy_action()
