"""Between two steps: figures glide for people who watch, and the pictures of agents stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rendering import compose, compose_between
from maze_gym.envs.pacman.rendering.drawing import Pose, looks
from maze_gym.envs.pacman.rendering.gliding import Sight, between, lonely, lying, placed
from maze_gym.envs.pacman.rules import Action
from maze_gym.game import Animated
from mazegen.rendering.frames import FrameSize

from ..boards import ACTIONS, CLASSIC_BOARD, MINDS, layouts, play

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
    from maze_gym.envs.pacman.rules.layout import Layout

FRACTIONS = st.floats(0, 1)
SIZE = FrameSize(cell_px=12)


def step_of(timer: int = 0, action: Action = Action.LEFT) -> tuple[Sight, Sight]:
    start = CLASSIC_BOARD.start._replace(timer=timer)
    after = rules.step(CLASSIC_BOARD, start, action).state
    return Sight(CLASSIC_BOARD, start, Pose()), Sight(
        CLASSIC_BOARD, after, Pose(int(action), open_mouth=False)
    )


@given(layout=layouts(), mind=MINDS, actions=ACTIONS, fraction=FRACTIONS)
def test_every_figure_is_on_its_way(
    layout: Layout, mind: GhostBehaviour, actions: list[int], fraction: float
) -> None:
    """None is lost, and each is between the place where it was and the one where it is."""
    board = rules.compile_board(layout, mind)
    for state, action, outcome in play(board, actions[:8]):
        before, after = Sight(board, state, Pose()), Sight(board, outcome.state, Pose(action))
        olds, news, way = placed(before), placed(after), between(before, after, fraction)
        assert len(olds) == len(news) == len(way) == len(state.ghosts) + 1
        for old, new, now in zip(olds, news, way, strict=True):
            for start, end, here in zip(old[:3], new[:3], now[:3], strict=True):
                assert min(start, end) - 1e-9 <= here <= max(start, end) + 1e-9


def test_half_of_the_time_is_half_of_the_way() -> None:
    before, after = step_of()
    player = between(before, after, 0.5)[-1]
    assert (player.row, player.col, player.scale) == (9, 3.5, 1)
    quarter, three = (between(before, after, fraction)[-1].col for fraction in (0.25, 0.75))
    assert 4 - quarter == pytest.approx(three - 3)
    assert three - 3 < 0.25, "slowly away and slowly there"


def test_a_way_begins_and_ends_with_the_pictures_of_the_steps() -> None:
    before, after = step_of()
    assert between(before, after, 0) == placed(before)
    assert between(before, after, 1) == placed(after)
    first, middle, last = (compose_between(before, after, fraction, SIZE) for fraction in (0, 0.5, 1))
    assert np.array_equal(first, compose(*before, SIZE))
    assert np.array_equal(last, compose(*after, SIZE))
    assert first.shape == middle.shape == last.shape
    assert (middle != first).any()
    assert (middle != last).any()


def test_a_figure_in_a_frame_covers_what_it_passes_and_nothing_else() -> None:
    before, after = step_of()
    middle = compose_between(before, after, 0.5, SIZE)
    board = compose_between(before, after, 1.0, SIZE)
    far = slice(4 * 12, 6 * 12)  # rows in which nobody is
    assert np.array_equal(middle[far], board[far])
    red, _, blue = middle[9 * 12 + 9, 4 * 12].tolist()  # on the line between two cells, below the mouth
    assert red > 200
    assert blue < 100


def test_figures_that_meet_grow_small_and_large_again() -> None:
    together = Sight(CLASSIC_BOARD, CLASSIC_BOARD.start._replace(ghosts=(3, 3, 95)), Pose())
    apart = Sight(CLASSIC_BOARD, CLASSIC_BOARD.start._replace(ghosts=(3, 4, 95)), Pose())
    assert [each.scale for each in placed(together)] == [0.5, 0.5, 1, 1]
    assert between(together, apart, 0.5)[0].scale == pytest.approx(0.75)


def test_what_is_eaten_lies_there_for_half_of_the_way() -> None:
    before, after = step_of()
    cell = after.state.player
    seen = [
        bool(lonely(CLASSIC_BOARD, lying(before, after, fraction))[cell].pellet) for fraction in (0.4, 0.6)
    ]
    assert seen == [True, False]


def test_the_mouth_chews_and_ghosts_flash_when_power_is_about_to_end() -> None:
    before, after = step_of(timer=4)
    steps = [between(before, after, fraction) for fraction in (0.1, 0.3, 0.6, 0.8)]
    assert [step[-1].look.open_mouth for step in steps] == [True, False, True, False]
    assert [step[0].look.ghosts[0].mood for step in steps] == ["fading", "scared", "fading", "scared"]
    before, after = step_of(timer=12)
    assert {between(before, after, fraction)[0].look.ghosts[0].mood for fraction in (0.1, 0.3)} == {"scared"}


def test_an_eaten_ghost_goes_home_hollow() -> None:
    board = CLASSIC_BOARD
    start = board.start._replace(
        player=board.homes[0] + 50, ghosts=(board.homes[0] + 49, *board.homes[1:]), timer=9
    )
    after = rules.step(board, start, int(Action.LEFT)).state
    way = between(Sight(board, start, Pose()), Sight(board, after, Pose()), 0.5)
    assert way[0].look.ghosts[0].mood == "spent"
    assert way[1].look.ghosts[0].mood == "scared"


def test_a_board_with_nobody_on_it_differs_in_nothing_else() -> None:
    start = CLASSIC_BOARD.start
    empty, full = lonely(CLASSIC_BOARD, start.pellets), looks(CLASSIC_BOARD, start, Pose())
    assert {cell for cell in range(100) if empty[cell] != full[cell]} == {start.player, *start.ghosts}


def test_the_env_offers_it_and_is_not_changed_by_it() -> None:
    env = PacmanArrayEnv(render_mode="rgb_array", cell_px=12)
    env.reset()
    assert isinstance(env, Animated)
    before, first = env.sight(), np.asarray(env.render())
    env.step(2)
    state, now = env.state, np.asarray(env.render())
    assert np.array_equal(env.draw_between(before, 0), first)
    assert (env.draw_between(before, 0.5) != now).any()
    assert np.array_equal(env.draw_between(before, 1), now)
    assert env.state == state
