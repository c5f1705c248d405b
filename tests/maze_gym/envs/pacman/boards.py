"""What several tests of Pacman draw from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.rules.layout import CLASSIC, Layout, parse

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules import Board, Outcome, State

MINDS = st.builds(
    GhostBehaviour,
    chase=st.sampled_from(["manhattan", "path"]),
    random_ties=st.booleans(),
    flee=st.booleans(),
    scatter=st.booleans(),
)
LUCK = st.integers(0, rules.LUCK_VALUES - 1)
ACTIONS = st.lists(st.integers(0, 3), max_size=120)
TOGETHER = parse("gOg\nWpW\nW.W", "together")  # upwards, and both ghosts are eaten in one step
SMALL = parse("PO.\n.W.\n..G", "small")


@st.composite
def layouts(draw: st.DrawFn, ghosts: int = 3) -> Layout:
    """Small boards of any kind: what the player cannot reach holds nothing to eat.

    Args:
        draw: of Hypothesis.
        ghosts: there are no more, and no more than leave room for the player.
    """
    rows, cols = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    walls = sum(1 << cell for cell in range(rows * cols) if rng.random() < 0.25)
    count = draw(st.integers(1, min(ghosts, rows * cols - 1)))
    player, *homes = (int(cell) for cell in rng.permutation(rows * cols)[: 1 + count])
    starts = sum(1 << cell for cell in (player, *homes))
    walls &= ~starts
    bare = Layout("drawn", rows, cols, walls, 1 << player, 0, player, tuple(homes))
    reach = bare.reachable(player)
    power = sum(1 << cell for cell in range(rows * cols) if rng.random() < 0.2) & reach & ~starts
    eaten = sum(1 << cell for cell in range(rows * cols) if rng.random() < 0.3)
    dots = (reach & ~power & ~eaten) | 1 << player
    return Layout("drawn", rows, cols, walls, dots, power, player, tuple(homes))


def play(board: Board, actions: list[int], luck: int = 0) -> list[tuple[State, int, Outcome]]:
    """(state, action, outcome) of each step until the game is over."""
    state = board.start._replace(luck=luck)
    steps = []
    for action in actions:
        outcome = rules.step(board, state, action)
        steps.append((state, action, outcome))
        if outcome.events & rules.OVER:
            break
        state = outcome.state
    return steps


CLASSIC_BOARD = rules.compile_board(CLASSIC)
