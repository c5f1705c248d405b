"""A game of Pacman in words, in the form that the README of pacman-array shows."""

from maze_gym.envs.pacman.text.state_text import (
    BEGINNING,
    Places,
    Said,
    action_text,
    board_text,
    level_text,
    rules_text,
    said,
    state_text,
)

__all__ = [
    "BEGINNING",
    "Places",
    "Said",
    "action_text",
    "board_text",
    "level_text",
    "rules_text",
    "said",
    "state_text",
]
