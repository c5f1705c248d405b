"""The search oracle: optimal from wherever it stands, not only along one plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maze_gym.ending import EndReason
from maze_gym.errors import PolicyStopped
from maze_gym.policies.base import world_behind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.policies.base import AnyEnv


class OraclePolicy:
    """Begins a shortest plan from wherever it stands, by exact search."""

    name = "oracle"

    def __init__(self, env: AnyEnv, seed: int | None = None) -> None:  # noqa: ARG002 - nothing is drawn
        """Play ``env``."""
        self._world = world_behind(env)

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401, ARG002 - it reads the state
        """Take the first action of a shortest plan from here.

        Raises:
            PolicyStopped: no plan leads to the goal any more.
        """
        action = self._world.optimal_action()
        if action is None:
            raise PolicyStopped(EndReason.FAILED, "the goal cannot be reached from this state")
        return action
