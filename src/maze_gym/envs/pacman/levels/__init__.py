"""Levels of this world: the door of the room."""

from maze_gym.envs.pacman.levels.sources import (
    LayoutSource,
    Start,
    board_source,
    load_layout,
    load_levels,
)

__all__ = [
    "LayoutSource",
    "Start",
    "board_source",
    "load_layout",
    "load_levels",
]
