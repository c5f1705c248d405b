"""Rendering of this world: the door of the room."""

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
