"""What a policy is: something that is asked for an action, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from maze_gym.errors import InvalidArgument
from maze_gym.game import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    import gymnasium as gym

    AnyEnv = gym.Env[Any, Any]


def world_behind(env: AnyEnv) -> World:
    """The world under all wrappers.

    Raises:
        InvalidArgument: it is not a world of this suite.
    """
    world = env.unwrapped
    if isinstance(world, World):
        return world
    msg = f"this policy needs a world with the methods of maze_gym.game.World, got {type(world).__name__}"
    raise InvalidArgument(msg)


class Policy(Protocol):
    """Plays any world through its observation and info alone, or through the env it was made for.

    Attributes:
        name: how tables and records call it.
    """

    @property
    def name(self) -> str:
        """How tables and records call it."""
        ...

    def reset(self, seed: int | None = None) -> None:
        """Forget the last episode; ``seed`` fixes all randomness of the next one."""
        ...

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401 - each world observes differently
        """Choose an action.

        Raises:
            PolicyStopped: the policy cannot go on; the episode ends with the reason that it names.
        """
        ...
