"""Levels of this world: the door of the room."""

from maze_gym.envs.maze.levels.loading import (
    MazeSource,
    load_levels,
    load_maze,
    load_mazes,
)

__all__ = [
    "MazeSource",
    "load_levels",
    "load_maze",
    "load_mazes",
]
