"""The worlds, one folder each. A world never imports another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maze_gym.envs.maze.env import GridWorldEnv
    from maze_gym.envs.pacman.env import PacmanArrayEnv
    from maze_gym.envs.sparc.env import SpatialGymEnv

__all__ = ["GridWorldEnv", "PacmanArrayEnv", "SpatialGymEnv"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - PEP 562
    """Import a world's env when it is first asked for."""
    if name == "GridWorldEnv":
        from maze_gym.envs.maze.env import GridWorldEnv

        return GridWorldEnv
    if name == "PacmanArrayEnv":
        from maze_gym.envs.pacman.env import PacmanArrayEnv

        return PacmanArrayEnv
    if name == "SpatialGymEnv":
        from maze_gym.envs.sparc.env import SpatialGymEnv

        return SpatialGymEnv
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
