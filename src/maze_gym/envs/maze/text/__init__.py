"""A maze in words: what just happened, and all that a prompt tells."""

from maze_gym.envs.maze.text.messages import (
    BEGINNING,
    blocker_name,
    message,
    render_ansi,
)

__all__ = [
    "BEGINNING",
    "blocker_name",
    "message",
    "render_ansi",
]
