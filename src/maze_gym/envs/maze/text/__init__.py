"""Text of this world: the door of the room."""

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
