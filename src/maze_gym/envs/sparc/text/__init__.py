"""A line puzzle in words: its rules, its state, and what just happened."""

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
