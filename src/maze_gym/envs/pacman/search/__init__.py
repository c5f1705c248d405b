"""A search that wins without proving its plans shortest, and a walker that plans nothing."""

from maze_gym.envs.pacman.search.beam_search import (
    WinningPlan,
    find_plan,
)

__all__ = [
    "WinningPlan",
    "find_plan",
]
