"""What an agent sees of a line puzzle, as planes."""

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
