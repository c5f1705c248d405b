"""What an agent sees of a maze, as arrays: the grid from above, or its own view."""

from maze_gym.envs.maze.observation.grid import (
    COLORS,
    UNSEEN,
    Object,
    Observation,
    encode,
    legend,
    looks,
    mechanism_cells,
    observation_space,
)

__all__ = [
    "COLORS",
    "UNSEEN",
    "Object",
    "Observation",
    "encode",
    "legend",
    "looks",
    "mechanism_cells",
    "observation_space",
]
