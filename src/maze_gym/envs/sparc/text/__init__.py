"""Text of this world: the door of the room."""

from maze_gym.envs.sparc.text.state_text import (
    BEGINNING,
    Places,
    board_text,
    level_text,
    said,
    state_text,
    surroundings_text,
)

__all__ = [
    "BEGINNING",
    "Places",
    "board_text",
    "level_text",
    "said",
    "state_text",
    "surroundings_text",
]
