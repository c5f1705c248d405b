"""Search of this world: the door of the room."""

from maze_gym.envs.pacman.search.beam_search import (
    WinningPlan,
    find_plan,
)

__all__ = [
    "WinningPlan",
    "find_plan",
]
