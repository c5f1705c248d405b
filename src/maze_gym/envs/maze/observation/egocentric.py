"""The egocentric view: what lies before the agent, turned so that ahead is up, the way MiniGrid shows it."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np
from gymnasium import spaces

from maze_gym.envs.maze.observation import COLORS, UNSEEN
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_VIEW_SIZE = 7  # MiniGrid's
LARGEST_VIEW = 31
SEEN_FROM_ABOVE = ("grid", "position")  # what an observation no longer holds, for it would give all away
VIEW = "view"  # the entry that it holds instead
_HIGHEST = (UNSEEN, len(COLORS) - 1, 1)


def seen_from_within(space: spaces.Dict, eye: Eye) -> spaces.Dict:
    """The space of observations through an eye, given the space of those from above."""
    kept = {name: each for name, each in space.spaces.items() if name not in SEEN_FROM_ABOVE}
    return spaces.Dict({**kept, VIEW: eye.space})


class Eye:
    """Looks at the world from where the agent stands.

    The agent is in the middle of the last row of the view; what it stands on is seen too. Outside the board
    is wall.

    Args:
        view_size: rows and columns of the view, an odd number from 3 to 31.
        see_through_walls: whether walls, locked doors and closed gates hide nothing.

    Raises:
        InvalidArgument: an argument is of the wrong kind or out of range.
    """

    def __init__(self, view_size: int = DEFAULT_VIEW_SIZE, *, see_through_walls: bool = False) -> None:
        """Check the arguments."""
        try:
            size = -1 if isinstance(view_size, bool) else operator.index(view_size)
        except TypeError:
            size = -1
        if size % 2 == 0 or not 3 <= size <= LARGEST_VIEW:  # noqa: PLR2004 - a cell on either side
            msg = f"view_size must be an odd number from 3 to {LARGEST_VIEW}, got {view_size!r}"
            raise InvalidArgument(msg)
        if not isinstance(see_through_walls, bool | np.bool_):
            msg = f"see_through_walls must be True or False, got {see_through_walls!r}"
            raise InvalidArgument(msg)
        self.size, self.through = size, bool(see_through_walls)

    @property
    def space(self) -> spaces.Box:
        """The space of views, with true bounds on every number."""
        highest = np.broadcast_to(np.array(_HIGHEST, np.uint8), (self.size, self.size, 3)).copy()
        return spaces.Box(np.zeros_like(highest), highest, dtype=np.uint8)

    def empty(self, envs: int) -> NDArray[np.uint8]:
        """Room for the views of so many envs."""
        return np.empty((envs, self.size, self.size, 3), np.uint8)

    def look(
        self,
        envs: NDArray[np.int64],
        grids: NDArray[np.uint8],
        positions: NDArray[np.int64],
        facings: NDArray[np.int64],
        views: NDArray[np.uint8],
    ) -> None:
        """Write the views of these envs.

        Args:
            envs: their numbers.
            grids: (envs, rows, cols, 3) as observed from above.
            positions: (envs, 2) row and column.
            facings: (envs,) 0..3, north, east, south, west.
            views: (envs, size, size, 3).
        """
        from maze_gym.envs.maze.observation import occlusion as sight  # it imports numba

        count, rows, cols, _ = grids.shape
        flat = grids.reshape(count, -1), positions, facings, views.reshape(count, -1)
        if self.through:
            sight.look_through(envs, len(envs), rows, cols, self.size, *flat)
        else:
            sight.look_around(envs, len(envs), cols, self.size, *flat)

    def view(self, grid: NDArray[np.uint8], row: int, col: int, facing: int) -> NDArray[np.uint8]:
        """A fresh (size, size, 3) view of one (rows, cols, 3) grid."""
        views = self.empty(1)
        self.look(np.zeros(1, np.int64), grid[None], np.array([[row, col]]), np.array([facing]), views)
        seen: NDArray[np.uint8] = views[0]
        return seen


def eye_for(view_size: int | None, *, see_through_walls: bool) -> Eye | None:
    """The eye that an env's arguments ask for; None to see all from above.

    Raises:
        InvalidArgument: an argument is wrong, or walls are to be seen through where nothing is hidden.
    """
    if view_size is not None:
        return Eye(view_size, see_through_walls=see_through_walls)
    if see_through_walls:
        msg = "see_through_walls needs view_size: seen from above, nothing is hidden"
        raise InvalidArgument(msg)
    return None
