"""Pixels of a game of Pacman: tiles, frames, the window, and the way between two steps."""

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
