"""Observation of this world: the door of the room."""

from maze_gym.envs.maze.observation.grid import (
    COLORS,
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
    "Object",
    "Observation",
    "encode",
    "legend",
    "looks",
    "mechanism_cells",
    "observation_space",
]
