"""Observation of this world: the door of the room."""

from maze_gym.envs.sparc.observation.planes import (
    Frame,
    Observation,
    Plane,
    Planes,
    Thing,
    counter,
    frame_of,
    legend,
    observation_space,
    pieces_of,
    shape_array,
)

__all__ = [
    "Frame",
    "Observation",
    "Plane",
    "Planes",
    "Thing",
    "counter",
    "frame_of",
    "legend",
    "observation_space",
    "pieces_of",
    "shape_array",
]
