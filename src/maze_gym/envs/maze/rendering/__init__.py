"""Pixels of a maze: frames and the window."""

from maze_gym.envs.maze.rendering.renderer import (
    STRIP_ROWS,
    MazeRenderer,
)

__all__ = [
    "STRIP_ROWS",
    "MazeRenderer",
]
