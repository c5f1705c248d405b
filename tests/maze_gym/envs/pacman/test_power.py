"""Power means one thing: where it is shown, a ghost that is met next is eaten; elsewhere it kills."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymnasium as gym
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rendering.drawing import Pose, looks
from maze_gym.envs.pacman.rules import Event
from maze_gym.envs.pacman.text import state_text

from .boards import ACTIONS, LUCK, MINDS, layouts, play

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules import Board, State
    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
    from maze_gym.envs.pacman.rules.layout import Layout

MET = Event.GHOST | Event.AGAIN | Event.DIED


def is_shown_edible(board: Board, state: State) -> bool:
    """What every modality says of the ghosts; they must agree."""
    words = state_text(board, state, 0)
    moods = {ghost.mood for look in looks(board, state, Pose(0, open_mouth=True)) for ghost in look.ghosts}
    said = {
        state.timer > 0,  # arrays and infos: ``power_timer``
        "Powered Up: True" in words,
        f"Power Timer: {state.timer}" in words and state.timer > 0,
        moods <= {"scared", "fading", "spent"},
        "hunting" not in moods,
    }
    assert len(said) == 1, (state, said)
    return said.pop()


@given(layout=layouts(), mind=MINDS, luck=LUCK, seed=st.integers(0, 2**32))
def test_a_ghost_is_eaten_exactly_where_it_was_shown_as_edible(
    layout: Layout, mind: GhostBehaviour, luck: int, seed: int
) -> None:
    """But for the step in which a power pellet is eaten, which protects whatever was shown before it."""
    board = rules.compile_board(layout, mind)
    for before, _, _ in play(board, np.random.default_rng(seed).integers(4, size=60).tolist(), luck):
        edible = is_shown_edible(board, before)
        for action in range(4):
            events = rules.step(board, before, action).events
            if events & MET:
                assert bool(events & Event.DIED) != (edible or bool(events & Event.POWER)), (before, action)


@given(layout=layouts(), mind=MINDS, actions=ACTIONS, luck=LUCK)
def test_the_timer_counts_the_steps_that_are_to_come(
    layout: Layout, mind: GhostBehaviour, actions: list[int], luck: int
) -> None:
    board = rules.compile_board(layout, mind)
    for before, _, (after, events, _) in play(board, actions, luck):
        expected = rules.POWER_STEPS if events & Event.POWER else max(before.timer - 1, 0)
        assert after.timer == expected


def test_the_last_step_of_power_on_the_classic_board_still_protects() -> None:
    env = gym.make("PacmanArray-v0")
    _, info = env.reset()
    for action in (2, 2, 2, 2, 0, 3, 2, 3, 0, 0, 0, 2, 3, 2, 3, 2, 3, 3):
        *_, info = env.step(action)
    assert info["power_timer"] == 1
    *_, terminated, _, info = env.step(0)
    assert (info["event"], terminated, info["power_timer"]) == ("DOT+GHOST", False, 0)
