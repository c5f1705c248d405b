"""The picture of a line puzzle: one Scene, frames that equal it, and marks for people alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.rendering import compose
from maze_gym.envs.sparc.rendering.drawing import scene
from maze_gym.envs.sparc.rendering.tiles import COLORS, symbol
from maze_gym.envs.sparc.rules.puzzle import Color, Kind, Puzzle, Symbol
from mazegen.rendering.canvas import Text, paint, paint_with_matplotlib
from mazegen.rendering.frames import FrameSize

from ..puzzles import puzzles
from ..small import ACTIONS, CORNER, EXAMPLE, EXAMPLE_LINE, play

SHAPES = Puzzle("shapes", 2, 2, (0, 0), (4, 4), shapes=((1, ((0, 0),)), (3, ((0, 0), (1, 0)))))
WRONG = (0, 0, 1, 1, 2, 2)  # around the corner: the dot is missed


def difference(one: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], other: object) -> float:
    return float(np.abs(one.astype(int) - np.asarray(other).astype(int)).mean())


@given(puzzle=puzzles(), actions=ACTIONS, cell_px=st.sampled_from((9, 17, 32)))
def test_frames_are_the_scene_pixel_by_pixel(puzzle: Puzzle, actions: list[int], cell_px: int) -> None:
    state = rules.initial_state(puzzle)
    for action in actions:
        state = rules.step(puzzle, state, action, backtracking=False).state
    frame = compose(puzzle, state.path, FrameSize(cell_px=cell_px))
    assert np.array_equal(frame, paint(scene(puzzle, state.path), cell_px))


@pytest.mark.extra("matplotlib", "plot")
@pytest.mark.parametrize("wrong", [(), ((1, 1), (2, 2))], ids=["as it is", "marked"])
def test_both_painters_draw_the_same_picture(wrong: tuple[tuple[int, int], ...]) -> None:
    shown = scene(EXAMPLE, EXAMPLE_LINE[:5], wrong)
    assert difference(paint(shown, 64), paint_with_matplotlib(shown, 64)) < 2.5


def test_every_symbol_colour_and_count_looks_different() -> None:
    kinds = [Symbol(kind, Color.RED) for kind in (Kind.SQUARE, Kind.STAR)]
    kinds += [Symbol(Kind.TRIANGLE, Color.RED, count) for count in (1, 2, 3, 4)]
    kinds += [
        Symbol(kind, Color.RED, shape=shape) for kind in (Kind.POLYOMINO, Kind.YLOP) for shape in (1, 3)
    ]
    looks = {tuple(symbol(SHAPES, shown, wrong=False)) for shown in kinds}
    assert len(looks) == len(kinds)
    assert len(set(COLORS.values())) == len(Color)
    for color in Color:
        drawn = symbol(SHAPES, Symbol(Kind.STAR, color), wrong=False)
        assert [shape.text for shape in drawn if isinstance(shape, Text)] == [color]


def test_every_move_and_every_mark_changes_the_picture() -> None:
    frames = [compose(EXAMPLE, EXAMPLE_LINE[: length + 1], FrameSize(cell_px=32)) for length in range(9)]
    assert len({frame.tobytes() for frame in frames}) == len(frames)
    for changed in (
        {"gaps": ()},
        {"dots": ()},
        {"end": (0, 2)},
        {"start": (0, 0)},
        {"symbols": EXAMPLE.symbols[1:]},
    ):
        fields = {
            name: getattr(EXAMPLE, name) for name in ("start", "end", "gaps", "dots", "symbols", "shapes")
        }
        other = Puzzle("other", 2, 2, **(fields | changed))
        assert not np.array_equal(paint(scene(other), 32), paint(scene(EXAMPLE), 32)), changed


def test_what_is_wrong_is_marked_for_people_and_for_nobody_else() -> None:
    env = SpatialGymEnv(puzzle=CORNER, max_shape=(3, 3), render_mode="rgb_array", cell_px=32)
    env.reset()
    assert np.array_equal(np.asarray(env.render()), env.explained_frame())
    _, info = play(env, WRONG)
    assert info["event"] == "FAILED"
    plain = np.asarray(env.render())
    assert np.array_equal(plain, paint(scene(CORNER, info["path"]), 32))
    assert np.array_equal(plain, env.picture(32))
    marked = env.explained_frame()
    assert np.array_equal(marked, paint(scene(CORNER, info["path"], [(1, 0)]), 32))
    assert not np.array_equal(marked, plain)
    env.reset()
    assert np.array_equal(np.asarray(env.render()), env.explained_frame())


def test_frames_fit_the_size_that_is_asked_for_and_are_fresh() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE, render_mode="rgb_array", render_size=(100, 130))
    env.reset()
    frame = np.asarray(env.render())
    assert frame.shape == (100, 130, 3)
    frame[:] = 0
    assert np.asarray(env.render()).any()
    assert env.picture(20).shape == (60, 60, 3)
    assert env.picture_shape(20) == (140, 140)  # of the largest board that this env could show
    assert env.picture(20, (80, 90)).shape == (80, 90, 3)


def test_the_window_shows_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = SpatialGymEnv(puzzle=CORNER, render_mode="human")
    shown: list[np.ndarray[tuple[int, ...], np.dtype[np.uint8]]] = []
    monkeypatch.setattr(env._renderer.window, "show", shown.append)
    env.reset()
    play(env, WRONG)
    assert len(shown) == 1 + len(WRONG)
    assert np.array_equal(shown[-1], env.explained_frame())
    assert env.render() is None
    env.close()
    env.close()
