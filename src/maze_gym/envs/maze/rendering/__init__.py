"""Rendering of this world: the door of the room."""

from maze_gym.envs.maze.rendering.renderer import (
    STRIP_ROWS,
    MazeRenderer,
)

__all__ = [
    "STRIP_ROWS",
    "MazeRenderer",
]
