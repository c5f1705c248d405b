"""Scenes and painters: two libraries agree on what a scene looks like, and neither needs a display."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pygame
import pytest

from mazegen.rendering import canvas
from mazegen.rendering.canvas import (
    MAX_SIDE_PX,
    Circle,
    Line,
    MissingPainter,
    NoDisplay,
    PictureError,
    Polygon,
    Rectangle,
    Scene,
    Text,
    Window,
    bounds,
    moved,
    paint,
)
from mazegen.rendering.drawing import Drawing, Style
from mazegen.rendering.picture import parse

if TYPE_CHECKING:
    from pathlib import Path

GREY, RED, INK = "#c0c0c0", "#cf2233", "#1b1f27"
EVERYTHING = Scene(
    3,
    5,
    "#ffffff",
    (
        Rectangle(0.1, 0.1, 0.8, 0.8, RED),
        Rectangle(1.1, 0.1, 0.8, 1.6, GREY, INK, 0.08, corner=0.2),
        Circle(0.5, 1.5, 0.35, "#1f63d0", INK, 0.06),
        Polygon(((0.1, 2.5), (0.9, 2.9), (0.9, 2.1)), "#1e9950", INK, 0.05),
        Line(((1.3, 2.3), (1.6, 3.2), (1.2, 3.8)), "#8a3ab9", 0.15),
        Circle(1.5, 4.5, 0.4, RED, opacity=0.5),
        Rectangle(1.2, 4.2, 0.3, 0.6, INK, opacity=0.4),
        Text(2.5, 0.3, "Left", 0.4, INK, "left"),
        Text(2.5, 2.8, "Mid 8", 0.4, INK),
        Text(2.5, 4.8, "R", 0.4, INK, "right"),
        Text(0.5, 4.0, "", 0.4, INK),
    ),
)
BOARD = Drawing(parse("########\n#>rR0=.#\n#.bB.:.#\n#..#1.*#\n########"), style=Style(orientation=True))


def run(code: str, **environment: str) -> str:
    """Run code where there is no screen and nobody chose a driver."""
    dropped = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    clean = {name: value for name, value in os.environ.items() if name not in dropped}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.extra("matplotlib", "plot")
@pytest.mark.parametrize(
    ("scene", "cell_px"),
    [
        (EVERYTHING, 64),
        (EVERYTHING, 17),
        (BOARD.scene(BOARD.board.start), 32),
        (BOARD.scene(BOARD.board.start), 10),
    ],
)
def test_both_painters_paint_the_same_picture(scene: Scene, cell_px: int) -> None:
    one, other = paint(scene, cell_px), canvas.paint_with_matplotlib(scene, cell_px)
    assert one.shape == other.shape == (*scene.size_px(cell_px), 3)
    difference = np.abs(one.astype(np.int16) - other)
    assert difference.mean() < 2  # edges are smoothed differently, by at most a pixel
    assert (difference.max(axis=2) > 96).mean() < 0.002


@pytest.mark.extra("matplotlib", "plot")
def test_the_comparison_of_painters_would_see_a_missing_shape() -> None:
    without = Scene(EVERYTHING.height, EVERYTHING.width, "#ffffff", EVERYTHING.shapes[1:])
    difference = np.abs(paint(EVERYTHING, 64).astype(np.int16) - canvas.paint_with_matplotlib(without, 64))
    assert (difference.max(axis=2) > 96).mean() > 0.01


@pytest.mark.extra("matplotlib", "plot")
@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_file_is_the_same_bytes_each_time(suffix: str, start: bytes, tmp_path: Path) -> None:
    for name in ("one", "two"):
        canvas.save(EVERYTHING, tmp_path / f"{name}.{suffix}")
    data = (tmp_path / f"one.{suffix}").read_bytes()
    assert data.startswith(start)
    assert data == (tmp_path / f"two.{suffix}").read_bytes()


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"\.png, \.svg or \.pdf, got 'maze\.gif'"):
        canvas.save(EVERYTHING, tmp_path / "maze.gif")


@pytest.mark.parametrize(("height", "width"), [(0, 3), (3, -1), (float("nan"), 3)])
def test_a_scene_without_area_is_refused(height: float, width: float) -> None:
    with pytest.raises(PictureError, match="positive height and width"):
        Scene(height, width, "#ffffff")


def test_a_background_that_is_no_color_is_refused() -> None:
    with pytest.raises(PictureError, match="'white'"):
        Scene(1, 1, "white")


@pytest.mark.parametrize(
    ("cell_px", "message"),
    [
        (0, "must be positive"),
        (0.01, "no pixels"),
        (5000, f"more than {MAX_SIDE_PX} a side; use at most 819 px"),
    ],
)
def test_a_picture_without_pixels_or_with_too_many_is_refused(cell_px: float, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        paint(EVERYTHING, cell_px)


def test_a_large_picture_is_painted_in_blocks_without_seams() -> None:
    disc = Circle(5.0, 5.0, 4.5, RED, INK, 0.3)
    whole = paint(Scene(10, 10, "#ffffff", (disc,)), 60)  # 600 px: more than two blocks each way
    np.testing.assert_array_equal(whole, whole[::-1])
    np.testing.assert_array_equal(whole, whole[:, ::-1])
    np.testing.assert_array_equal(whole, whole.transpose(1, 0, 2))


def test_later_shapes_cover_earlier_ones_and_opacity_mixes() -> None:
    full = Rectangle(0, 0, 1, 1, "#000000")
    half = Rectangle(0, 0, 1, 1, "#ffffff", opacity=0.5)
    assert paint(Scene(1, 1, "#ff0000", (full,)), 4).max() == 0
    mixed = paint(Scene(1, 1, "#ff0000", (full, half)), 4)
    assert 126 <= mixed.min() <= mixed.max() <= 129


@pytest.mark.parametrize("shape", EVERYTHING.shapes[:-1])
def test_a_shape_stays_within_its_bounds_and_moves_as_a_whole(shape: canvas.Shape) -> None:
    scene = Scene(4, 6, "#ffffff", (moved(shape, 0.5, 0.5),))
    picture = paint(scene, 40)
    rows, cols, _ = np.nonzero(picture != 255)
    box = bounds(scene.shapes[0])
    assert len(rows) > 0
    assert box.top * 40 - 1 <= rows.min() <= rows.max() <= box.bottom * 40 + 1
    assert box.left * 40 - 1 <= cols.min() <= cols.max() <= box.right * 40 + 1
    further = paint(Scene(4, 6, "#ffffff", (moved(scene.shapes[0], 0.25, 0.5),)), 40)
    np.testing.assert_array_equal(picture[:-10, :-20], further[10:, 20:])


def test_painting_never_touches_the_display() -> None:
    code = """
import json, sys
import mazegen, mazegen.rendering.drawing, mazegen.rendering.frames, mazegen.render_dataset
lazy = [name for name in ("pygame", "matplotlib", "numba", "gymnasium") if name in sys.modules]
from mazegen.rendering.frames import FrameComposer
from mazegen.rendering.picture import parse
composer = FrameComposer(parse("#####\\n#>r*#\\n#####"))
frame = composer.frame(composer.drawing.board.start)
import pygame
print(json.dumps([lazy, pygame.display.get_init(), pygame.get_init(), list(frame.shape)]))
"""
    assert json.loads(run(code)) == [[], False, False, [128, 160, 3]]


def test_without_a_screen_a_window_is_one_clear_error() -> None:
    code = """
import numpy as np
from mazegen.rendering.canvas import NoDisplay, Window
try:
    Window("test", 0).show(np.zeros((8, 8, 3), np.uint8))
except NoDisplay as error:
    print(error)
import pygame
assert not pygame.display.get_init()
"""
    said = run(code).strip()
    assert "set DISPLAY to a screen" in said
    assert "\n" not in said


def test_a_driver_that_does_not_start_is_the_same_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    with pytest.raises(NoDisplay, match="need no display"):
        Window("test", 0).show(np.zeros((8, 8, 3), np.uint8))


@pytest.mark.parametrize(
    ("library", "command"), [("matplotlib", r"maze-gym\[plot\]"), ("pygame", "pip install 'maze-gym'")]
)
def test_a_missing_library_is_named_with_its_install_command(
    library: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingPainter, match=command):
        canvas.require(library)


@pytest.mark.extra("matplotlib", "plot")
def test_matplotlib_still_writes_letters_where_pygame_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    picture = canvas.paint_with_matplotlib(Scene(1, 2, "#ffffff", (Text(0.5, 1, "Ab", 0.5, INK),)), 32)
    assert (picture < 128).any()


@pytest.fixture
def dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def shown() -> pygame.Surface:
    surface = pygame.display.get_surface()
    assert surface is not None
    return surface


@pytest.mark.usefixtures("dummy_display")
def test_a_window_shows_frames_until_it_is_closed() -> None:
    window = Window("test", 0)
    frame = np.full((20, 30, 3), 200, np.uint8)
    window.show(frame)
    assert shown().get_size() == (30, 20)
    assert shown().get_at((3, 3))[:3] == (200, 200, 200)
    window.show(frame[:10])
    assert shown().get_size() == (30, 10)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(frame)
    assert window.was_closed
    assert not pygame.display.get_init()
    window.show(frame)  # nothing happens
    assert not pygame.display.get_init()
    window.reopen()
    window.show(frame)
    assert pygame.display.get_init()
    window.close()
    window.close()
    assert not pygame.display.get_init()


@pytest.mark.usefixtures("dummy_display")
def test_an_open_window_can_be_pickled_and_copied() -> None:
    window = Window("test", 50)
    window.show(np.zeros((8, 8, 3), np.uint8))
    for twin in (pickle.loads(pickle.dumps(window)), copy.deepcopy(window)):  # noqa: S301 - our own bytes
        assert (twin.title, twin.fps, twin.was_closed) == ("test", 50, False)
    window.close()


def test_letters_survive_that_somebody_quits_pygame() -> None:
    scene = Scene(1, 2, "#ffffff", (Text(0.5, 1, "Ab", 0.5, INK),))
    before = paint(scene, 30)
    pygame.quit()
    np.testing.assert_array_equal(paint(scene, 30), before)
    pygame.font.init()
    pygame.font.quit()
    pygame.font.init()
    np.testing.assert_array_equal(paint(scene, 30), before)
