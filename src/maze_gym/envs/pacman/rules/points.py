"""What things are worth in Pacman, and the most that a board can bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules.layout import Layout

DOT_POINTS = 10  # README of pacman-array: "Dot/Pellet (10 points, +0.1 reward)"
POWER_POINTS = 50  # the same: "Power Pellet (50 points, +0.5 reward)"
GHOST_POINTS = 200  # from its reward of +2.0: every other reward is points / 100
WIN_POINTS = 1000  # from its reward of +10.0; with it a winning score is "~2000-3000", as the README says
POINTS_PER_REWARD = 100  # 10 points pay 0.1


def max_score(layout: Layout) -> int:
    """The most points that a game can bring: everything eaten, every ghost once per power pellet, a win.

    4,400 for the classic board. It bounds every game, so a score divided by it never exceeds 1.
    """
    dots, power = layout.dots.bit_count(), layout.power.bit_count()
    ghosts = power * len(layout.ghosts) * GHOST_POINTS
    return dots * DOT_POINTS + power * POWER_POINTS + ghosts + WIN_POINTS
