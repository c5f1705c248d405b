"""The planner of each world: plays what its search found, optimal or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from maze_gym.ending import EndReason
from maze_gym.errors import PolicyStopped
from maze_gym.policies.base import world_behind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.policies.base import AnyEnv


@runtime_checkable
class _Searching(Protocol):
    """A world whose search finds plans without proving that they are shortest."""

    def search_action(self) -> int: ...


class SearchPolicy:
    """Follows a plan of the world's own search, which need not be a shortest one."""

    name = "search"

    def __init__(self, env: AnyEnv, seed: int | None = None) -> None:  # noqa: ARG002 - nothing is drawn
        """Play ``env``."""
        self._world = world_behind(env)

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401, ARG002 - it reads the state
        """Take the next action of a plan; where a world has an exact search only, of a shortest one.

        Raises:
            PolicyStopped: an exact search found that no plan leads to the goal any more.
        """
        if isinstance(self._world, _Searching):
            return self._world.search_action()
        action = self._world.optimal_action()
        if action is None:
            raise PolicyStopped(EndReason.FAILED, "the goal cannot be reached from this state")
        return action
