"""Observation of this world: the door of the room."""

from maze_gym.envs.pacman.observation.planes import (
    Observation,
    Plane,
    Planes,
    counters,
    legend,
    observation_space,
)

__all__ = [
    "Observation",
    "Plane",
    "Planes",
    "counters",
    "legend",
    "observation_space",
]
