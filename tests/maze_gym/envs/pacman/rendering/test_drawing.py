"""The picture of Pacman: one Scene, frames that equal it, and looks that differ by more than colour."""

from __future__ import annotations

import numpy as np
import pytest

from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman.rendering import compose
from maze_gym.envs.pacman.rendering.drawing import Pose, looks, scene
from maze_gym.envs.pacman.rendering.tiles import GHOSTS, Ghost, Look, shapes
from maze_gym.envs.pacman.rules import State
from mazegen.rendering.canvas import Text, paint
from mazegen.rendering.frames import FrameSize

from ..boards import CLASSIC_BOARD

BUSY = State(player=50, ghosts=(50, 3, 3), pellets=CLASSIC_BOARD.layout.pellets, timer=5, spent=1, score=770)


@pytest.mark.parametrize("cell_px", [9, 32])
@pytest.mark.parametrize("state", [CLASSIC_BOARD.start, BUSY], ids=["start", "busy"])
def test_frames_are_the_scene_pixel_by_pixel(state: State, cell_px: int) -> None:
    frame = compose(CLASSIC_BOARD, state, Pose(), FrameSize(cell_px=cell_px))
    assert np.array_equal(frame, paint(scene(CLASSIC_BOARD, state, Pose()), cell_px))


def test_everything_that_matters_looks_different() -> None:
    kinds = [Look(), Look(joined=0), Look(pellet=1), Look(pellet=2)]
    kinds += [Look(facing=facing, open_mouth=is_open) for facing in range(4) for is_open in (True, False)]
    kinds += [Look(ghosts=(Ghost(0, mood),)) for mood in ("hunting", "scared", "fading", "spent")]
    kinds += [
        Look(ghosts=(Ghost(0), Ghost(1))),
        Look(ghosts=(Ghost(1),)),
        Look(ghosts=(Ghost(0, gaze=(1, 0)),)),
    ]
    assert len({tuple(shapes(look)) for look in kinds}) == len(kinds)


@pytest.mark.parametrize("mood", ["hunting", "scared", "fading", "spent"])
def test_every_ghost_bears_its_number(mood: str) -> None:
    for number in range(len(GHOSTS)):
        drawn = shapes(Look(ghosts=(Ghost(number, mood),)))
        assert [shape.text for shape in drawn if isinstance(shape, Text)] == [str(number)]


def test_the_timer_decides_the_mood() -> None:
    def mood(timer: int, spent: int = 0) -> str:
        state = CLASSIC_BOARD.start._replace(timer=timer, spent=spent)
        return looks(CLASSIC_BOARD, state, Pose())[CLASSIC_BOARD.homes[0]].ghosts[0].mood

    assert [mood(timer) for timer in (0, 1, 4, 5, 15)] == ["hunting", "fading", "scared", "fading", "scared"]
    assert mood(15, spent=1) == "spent"


def test_the_player_faces_its_last_move_and_chews() -> None:
    env = PacmanArrayEnv(render_mode="rgb_array", cell_px=16)
    env.reset()
    first = env.render()
    env.step(2)
    second = env.render()
    assert isinstance(first, np.ndarray)
    assert isinstance(second, np.ndarray)
    assert first.shape == second.shape == (176, 160, 3)
    here, there = first[144:160, 64:80], second[144:160, 48:64]
    assert not np.array_equal(here, there), "the mouth has closed"
    assert env.picture(16).tolist() == second.tolist()
    assert env.picture_shape(16) == (176, 160)
    env.close()


def test_frames_fit_the_size_that_is_asked_for() -> None:
    env = PacmanArrayEnv(render_mode="rgb_array", render_size=(100, 130), layout=["P.O.", "...G"])
    env.reset()
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    assert frame.shape == (100, 130, 3)
