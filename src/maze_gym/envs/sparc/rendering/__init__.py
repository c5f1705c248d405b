"""Pixels of a line puzzle: symbols, frames and the window."""

from maze_gym.envs.sparc.rendering.renderer import (
    SpatialRenderer,
    compose,
    picture_shape,
)

__all__ = [
    "SpatialRenderer",
    "compose",
    "picture_shape",
]
