"""Search of this world: the door of the room."""

from maze_gym.envs.pacman.search.beam_search import (
    Plan,
    find_plan,
)

__all__ = [
    "Plan",
    "find_plan",
]
