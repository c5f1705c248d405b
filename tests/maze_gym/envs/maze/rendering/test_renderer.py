"""render_mode rgb_array and human: the one picture, through Gymnasium."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pygame
import pytest
from gymnasium.wrappers import AddRenderObservation, HumanRendering, RecordVideo

import maze_gym
from maze_gym.envs.maze.env import GridWorldEnv
from maze_gym.errors import InvalidArgument
from mazegen.core import rules
from mazegen.core.rules import Action
from mazegen.rendering.canvas import NoDisplay
from mazegen.rendering.frames import FrameComposer, FrameSize
from mazegen.rendering.picture import parse

from .....mazegen.rendering.test_canvas import run
from .....mazegen.rendering.test_frames import agent_center
from ....levels import ALL_KINDS, CORRIDOR, TALL

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

assert maze_gym  # registers the ids


def make(**kwargs: Any) -> GridWorldEnv:
    arguments: dict[str, Any] = {"maze": ALL_KINDS, "render_mode": "rgb_array"}
    return GridWorldEnv(**arguments | kwargs)


def frame_of(env: GridWorldEnv) -> NDArray[np.uint8]:
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    return frame


def test_a_frame_is_the_picture_of_the_state() -> None:
    env = make(cell_px=16)
    env.reset(seed=0)
    for action in (1, 1, 2, 3, 0, 2, 2, 2):
        env.step(action)
    frame = frame_of(env)
    assert frame.shape == ((5 + 1) * 16, 9 * 16, 3)
    assert frame.dtype == np.uint8
    np.testing.assert_array_equal(
        frame, FrameComposer(ALL_KINDS, size=FrameSize(cell_px=16)).frame(env.state)
    )
    assert env.render() is not frame


@pytest.mark.parametrize(
    ("kwargs", "shape"),
    [
        ({}, (192, 288, 3)),
        ({"cell_px": 10}, (60, 90, 3)),
        ({"cell_px": 10, "orientation": True}, (70, 100, 3)),
        ({"render_size": 512}, (512, 512, 3)),
        ({"render_size": (84, 120)}, (84, 120, 3)),
        ({"render_size": np.int64(100)}, (100, 100, 3)),
    ],
)
def test_the_size_of_a_frame_is_an_argument(kwargs: dict[str, Any], shape: tuple[int, ...]) -> None:
    env = make(**kwargs)
    env.reset(seed=0)
    assert frame_of(env).shape == shape


def test_a_narrow_level_with_many_keys_fits_the_frames_of_its_env() -> None:
    drawn = ["###", "#S#", *(f"#{letter}#" for letter in "rgbypo"), "#*#", "###"]
    narrow = parse("\n".join(drawn))
    env = GridWorldEnv(mazes=[narrow, ALL_KINDS], render_mode="rgb_array", cell_px=2)
    for maze in (narrow, ALL_KINDS):
        env.reset(seed=0, options={"maze": maze})
        assert frame_of(env).shape == ((10 + 1) * 2, 9 * 2, 3)


def test_frames_of_all_levels_have_one_size() -> None:
    env = GridWorldEnv(mazes=[CORRIDOR, ALL_KINDS, TALL], render_mode="rgb_array", cell_px=12)
    shapes = set()
    for maze in (CORRIDOR, ALL_KINDS, TALL):
        env.reset(seed=0, options={"maze": maze})
        shapes.add(frame_of(env).shape)
    assert len(shapes) == 1


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"render_size": 0}, "render_size must be a whole number of pixels, at least 1, got 0"),
        ({"render_size": 99.5}, "got 99.5"),
        ({"render_size": (10,)}, r"\(height, width\)"),
        ({"render_size": (10, True)}, "got True"),
        ({"render_size": 5}, "render_size: 5 x 5 px is too small"),
        ({"render_size": 5000}, "render_size: .*4096"),
        ({"cell_px": 0}, "cell_px must be"),
        ({"cell_px": 5000}, "cell_px: .*4096"),
        ({"cell_px": 8, "render_size": 80}, "not both"),
    ],
)
def test_sizes_that_make_no_picture_are_refused_at_once(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make(**kwargs)


@pytest.mark.parametrize("facing", ["NORTH", "EAST", "SOUTH", "WEST"])
def test_the_agent_moves_the_same_way_in_frame_observation_and_text(facing: str) -> None:
    rows, cols = {"NORTH": (-1, 0), "EAST": (0, 1), "SOUTH": (1, 0), "WEST": (0, -1)}[facing]
    options = {"start": (2, 2), "facing": facing}
    picture, text = make(cell_px=20), make(render_mode="ansi")
    before, _ = picture.reset(seed=0, options=options)
    text.reset(seed=0, options=options)
    first = agent_center(frame_of(picture))
    after, *_ = picture.step(Action.MOVE_FORWARD)
    text.step(Action.MOVE_FORWARD)
    moved = agent_center(frame_of(picture)) - first
    np.testing.assert_array_equal(after["position"] - before["position"], (rows, cols))
    np.testing.assert_allclose(moved, (20 * rows, 20 * cols), atol=0.5)
    line, glyph = 2 + rows, "^>v<"["NESW".index(facing[0])]
    assert str(text.render()).splitlines()[line][2 + cols] == glyph


def test_a_frame_gives_no_solution_away() -> None:
    solved, bare = make(), make(maze=replace(ALL_KINDS, validation=None))
    for env in (solved, bare):
        env.reset(seed=0)
        env.step(Action.TURN_RIGHT)
        env.optimal_action()
    np.testing.assert_array_equal(frame_of(solved), frame_of(bare))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])  # noqa: S301 - our own bytes
def test_an_env_that_was_rendered_can_be_copied_and_the_copy_goes_its_own_way(duplicate: Any) -> None:
    env = make(cell_px=8)
    env.reset(seed=3)
    frame = frame_of(env)
    twin = duplicate(env)
    np.testing.assert_array_equal(frame_of(twin), frame)
    env.step(Action.TURN_RIGHT)
    np.testing.assert_array_equal(frame_of(twin), frame)
    assert (frame_of(env) != frame).any()


def test_frames_and_text_need_no_display() -> None:
    code = """
import json, sys
import gymnasium as gym, maze_gym
shapes = []
for mode in ("rgb_array", "ansi"):
    env = gym.make("MazeNLU-v0", render_mode=mode)
    env.reset(seed=0)
    env.step(0)
    assert env.render() is not None
    if mode == "rgb_array":
        import pygame
        shapes.append([pygame.get_init(), pygame.display.get_init()])
    env.close()
print(json.dumps(shapes))
"""
    assert json.loads(run(code)) == [[False, False]]


def test_a_window_without_a_screen_is_one_line_that_says_what_needs_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    env = make(render_mode="human")
    with pytest.raises(NoDisplay, match="pictures as arrays and files need no display") as error:
        env.reset(seed=0)
    assert "\n" not in str(error.value)
    env.close()


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> GridWorldEnv:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(GridWorldEnv.metadata, "render_fps", 0)
    return make(render_mode="human", cell_px=10)


def test_the_window_follows_every_step_and_closes_twice(window: GridWorldEnv) -> None:
    window.reset(seed=0)
    window.step(Action.TURN_RIGHT)
    surface = pygame.display.get_surface()
    assert surface is not None
    shown = np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8).reshape(60, 90, 3)
    np.testing.assert_array_equal(
        shown, FrameComposer(ALL_KINDS, size=FrameSize(cell_px=10)).frame(window.state)
    )
    assert window.render() is None
    twin = copy.deepcopy(window)
    assert pickle.loads(pickle.dumps(window)).state == twin.state == window.state  # noqa: S301 - our own bytes
    window.close()
    window.close()
    assert not pygame.display.get_init()


def test_closing_the_window_leaves_the_episode_in_order(window: GridWorldEnv) -> None:
    window.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.step(Action.TURN_RIGHT)
    assert not pygame.display.get_init()
    observation, *_ = window.step(Action.MOVE_FORWARD)
    assert tuple(observation["position"]) == (1, 2)
    assert not pygame.display.get_init()
    window.reset(seed=0)
    assert pygame.display.get_init()
    window.close()


def test_gymnasiums_own_wrappers_take_the_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GridWorldEnv.metadata, "render_fps", 1000)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gym.make("MazeNLU-v0", maze=ALL_KINDS, render_mode="rgb_array", cell_px=10)
    pixels = AddRenderObservation(env)
    observation, _ = pixels.reset(seed=0)
    assert pixels.observation_space.contains(observation)
    human = HumanRendering(gym.make("MazeNLU-v0", maze=ALL_KINDS, render_mode="rgb_array", cell_px=10))
    human.reset(seed=0)
    human.step(0)
    human.close()  # type: ignore[no-untyped-call]  # gymnasium leaves it untyped
    env.close()


@pytest.mark.extra("moviepy", "video")
def test_videos_can_be_recorded(tmp_path: Path) -> None:
    env = gym.make("MazeNLU-v0", maze=ALL_KINDS, render_mode="rgb_array", cell_px=16)
    video = RecordVideo(env, str(tmp_path / "videos"), disable_logger=True)
    video.reset(seed=0)
    for action in (1, 2, 2):
        video.step(action)
    video.close()  # type: ignore[no-untyped-call]  # gymnasium leaves it untyped
    assert [path.suffix for path in (tmp_path / "videos").iterdir()] == [".mp4"]


def test_every_wall_is_where_the_rules_have_one() -> None:
    env = make(cell_px=8)
    env.reset(seed=0)
    frame = frame_of(env)
    board = rules.compile_board(ALL_KINDS)
    wall = frame[4, 4]
    for cell, code in enumerate(board.codes):
        row, col = divmod(cell, ALL_KINDS.cols)
        middle = frame[row * 8 + 4, col * 8 + 4]
        assert bool((middle == wall).all()) == (code == rules.WALL)
