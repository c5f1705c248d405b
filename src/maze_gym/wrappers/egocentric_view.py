"""EgocentricView: what the agent sees from where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import gymnasium as gym
from gymnasium import spaces

from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from maze_gym.wrappers.added import AnyEnv

VIEW = "view"


@runtime_checkable
class Egocentric(Protocol):
    """What a world offers that can be seen from within; members of ``env.unwrapped``.

    Attributes:
        seen_from_above: entries of its observation that an agent within does not have.
    """

    seen_from_above: tuple[str, ...]

    def egocentric_space(self, view_size: int, *, see_through_walls: bool) -> spaces.Box:
        """The space of views."""
        ...

    def egocentric_view(self, view_size: int, *, see_through_walls: bool) -> NDArray[np.uint8]:
        """What is seen now: a fresh (view_size, view_size, 3) array in which ahead is up."""
        ...


class EgocentricView(gym.ObservationWrapper[Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Observes the cells before the agent, in place of the whole board and of where on it the agent is.

    The agent stands in the middle of the last row of ``"view"`` and looks up. What lies behind a wall, a
    locked door or a closed gate is unseen (object 7), unless they hide nothing. For vector envs give
    ``view_size`` to ``gym.make_vec``: it is the same view.

    Args:
        env: a world of this suite that can be seen from within: MazeNLU.
        view_size: rows and columns of the view, an odd number from 3 to 31.
        see_through_walls: whether walls, locked doors and closed gates hide nothing.

    Raises:
        InvalidArgument: an argument is wrong, or the world cannot be seen from within.
    """

    def __init__(self, env: AnyEnv, view_size: int = 7, *, see_through_walls: bool = False) -> None:
        """Wrap an env."""
        gym.utils.RecordConstructorArgs.__init__(
            self, view_size=view_size, see_through_walls=see_through_walls
        )
        gym.ObservationWrapper.__init__(self, env)
        world = env.unwrapped
        inner = env.observation_space
        if not isinstance(world, Egocentric) or not isinstance(inner, spaces.Dict):
            msg = f"this needs a world that can be seen from within, as MazeNLU, got {type(world).__name__}"
            raise InvalidArgument(msg)
        self._world: Egocentric = world
        self._size, self._through = view_size, see_through_walls
        space = world.egocentric_space(view_size, see_through_walls=see_through_walls)
        kept = {name: each for name, each in inner.spaces.items() if name not in world.seen_from_above}
        self.observation_space = spaces.Dict({**kept, VIEW: space})

    def observation(self, observation: Any) -> dict[str, Any]:  # noqa: ANN401 - an element of the inner space
        """The view, and what is left of the observation."""
        kept = {name: each for name, each in observation.items() if name not in self._world.seen_from_above}
        kept[VIEW] = self._world.egocentric_view(self._size, see_through_walls=self._through)
        return kept
