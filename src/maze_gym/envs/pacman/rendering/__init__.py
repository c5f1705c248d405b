"""Rendering of this world: the door of the room."""

from maze_gym.envs.pacman.rendering.renderer import (
    PacmanGlide,
    PacmanRenderer,
    compose,
    compose_between,
)

__all__ = [
    "PacmanGlide",
    "PacmanRenderer",
    "compose",
    "compose_between",
]
