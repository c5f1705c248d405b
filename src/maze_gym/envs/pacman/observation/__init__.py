"""What an agent sees of a game of Pacman, as planes and counters."""

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
