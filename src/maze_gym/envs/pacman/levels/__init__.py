"""Where boards of Pacman come from: layouts, files, or the generator; and one made ready for play."""

from maze_gym.envs.pacman.levels.sources import (
    LayoutSource,
    Start,
    board_source,
    is_bundled,
    load_layout,
    load_levels,
    table,
)

__all__ = [
    "LayoutSource",
    "Start",
    "board_source",
    "is_bundled",
    "load_layout",
    "load_levels",
    "table",
]
