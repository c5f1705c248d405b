"""Where mazes come from: files, folders, suites, or the generator; and a maze made ready for play."""

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
