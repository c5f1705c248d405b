"""Frames: composed from tiles they equal the painted scene, and they show what moved where it moved."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import time
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pygame
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from mazegen.core import rules
from mazegen.core.maze import Facing, Position
from mazegen.core.rules import Action, compile_board, step
from mazegen.rendering import png
from mazegen.rendering.canvas import MAX_SIDE_PX, PictureError, paint
from mazegen.rendering.drawing import Drawing, Style
from mazegen.rendering.frames import FrameComposer, FrameSize, _Tiles, tile
from mazegen.rendering.picture import draw as draw_text
from mazegen.rendering.picture import parse
from mazegen.rendering.tiles import AGENT, Look, Thing

from ...strategies import Play, action_sequences, plays

GOLDEN = Path(__file__).parents[2] / "golden" / "frames"
WIDE = parse("###########\n#.........#\n#.r.^..0..#\n#...R..=.*#\n###########")
EVERYTHING = parse("#########\n#S.r.RbB#\n#g.G.y.Y#\n#p.P.o.O#\n#0.=.1:*#\n#########")
AGENT_RGB = np.array(list(bytes.fromhex(AGENT[1:])))
Frame = NDArray[np.uint8]


def decoded(data: bytes) -> Frame:
    surface = pygame.image.load(BytesIO(data))
    width, height = surface.get_size()
    return np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8).reshape(height, width, 3)


def agent_center(frame: Frame) -> NDArray[np.float64]:
    """Mean (row, col) in pixels of what is painted in the agent's colour."""
    rows, cols = np.nonzero((np.abs(frame.astype(np.int16) - AGENT_RGB) < 8).all(axis=2))
    assert len(rows) > 0
    return np.array([rows.mean(), cols.mean()])


@given(plays(), action_sequences(max_size=25))
@settings(max_examples=25)
def test_a_frame_that_was_updated_equals_the_painted_scene(play: Play, actions: list[Action]) -> None:
    composer = FrameComposer(play.maze, play.board, FrameSize(cell_px=9))
    state = play.state
    for action in actions:
        composer.frame(state)
        state = step(play.board, state, action).state
    painted = paint(Drawing(play.maze, play.board).scene(state), 9)
    np.testing.assert_array_equal(composer.frame(state), painted)


@pytest.mark.parametrize("cell_px", [7, 10, 33, 64])
@pytest.mark.parametrize("orientation", [False, True])
def test_tiles_and_scene_are_one_picture_at_every_size(cell_px: int, orientation: bool) -> None:  # noqa: FBT001 - a parameter
    style = Style(orientation=orientation)
    composer = FrameComposer(EVERYTHING, size=FrameSize(cell_px=cell_px), style=style)
    state = composer.drawing.board.start
    path = [Position(1, 1), Position(1, 2), Position(2, 2), Position(2, 1)]
    np.testing.assert_array_equal(composer.frame(state), paint(composer.drawing.scene(state), cell_px))
    marked = composer.annotated(state, path=path, trail=path[:2])
    scene = composer.drawing.scene(state, path=path, trail=path[:2])
    np.testing.assert_array_equal(marked, paint(scene, cell_px))
    np.testing.assert_array_equal(composer.frame(state), paint(composer.drawing.scene(state), cell_px))


@pytest.mark.parametrize("facing", Facing)
def test_the_agent_moves_the_same_way_in_picture_text_and_index(facing: Facing) -> None:
    rows, cols = ((-1, 0), (0, 1), (1, 0), (0, -1))[facing]
    maze = WIDE
    board = compile_board(maze)
    composer = FrameComposer(maze, board, FrameSize(cell_px=20))
    state = board.start._replace(cell=maze.cell(Position(2, 5)), facing=int(facing))
    after = step(board, state, Action.MOVE_FORWARD).state
    assert after.cell - state.cell == rows * maze.cols + cols  # index
    place, where = (maze.position(each.cell) for each in (state, after))
    assert (where.row - place.row, where.col - place.col) == (rows, cols)
    for each in (state, after):  # text
        lines = draw_text(maze, board, each).splitlines()
        assert lines[each.cell // maze.cols][each.cell % maze.cols] == "^>v<"[facing]
    moved = agent_center(composer.frame(after)) - agent_center(composer.frame(state))  # picture
    np.testing.assert_allclose(moved, (20 * rows, 20 * cols), atol=0.5)
    center = agent_center(composer.frame(after))
    assert tuple((center // 20).astype(int)) == (where.row, where.col)


@pytest.mark.parametrize("facing", Facing)
def test_the_agent_points_where_it_looks(facing: Facing) -> None:
    painted = tile(Look(Thing.FLOOR, facing=int(facing)), 64)
    across = (np.abs(painted.astype(np.int16) - AGENT_RGB) < 8).all(axis=2)
    rows, cols = np.nonzero(across)
    length = {Facing.NORTH: rows, Facing.SOUTH: 63 - rows, Facing.WEST: cols, Facing.EAST: 63 - cols}[facing]
    tip, tail = (np.count_nonzero((length >= low) & (length < low + 12)) for low in (10, 40))
    assert 0 < tip < tail  # the end it looks to is the sharp one


def test_each_frame_is_a_fresh_array() -> None:
    composer = FrameComposer(WIDE, size=FrameSize(cell_px=8))
    state = composer.drawing.board.start
    one, other = composer.frame(state), composer.frame(state)
    assert one.flags.writeable
    one[:] = 0
    assert other.any()
    assert composer.frame(state).any()


def test_what_was_drawn_before_does_not_show() -> None:
    board = compile_board(EVERYTHING)
    rng = np.random.default_rng((0, 1))
    composer = FrameComposer(EVERYTHING, board, FrameSize(cell_px=6))
    for _ in range(40):
        taken, opened, on = (int(rng.integers(1 << bits)) for bits in (6, 6, 2))
        cells = [cell for cell, code in enumerate(board.codes) if code != rules.WALL]
        state = rules.State(int(rng.choice(cells)), int(rng.integers(4)), taken, opened, on)
        fresh = FrameComposer(EVERYTHING, board, FrameSize(cell_px=6))
        np.testing.assert_array_equal(composer.frame(state), fresh.frame(state))


def test_a_step_redraws_what_changed_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    board = compile_board(WIDE)
    composer = FrameComposer(WIDE, board, FrameSize(cell_px=8))
    drawn: list[tuple[int, int]] = []
    original = FrameComposer._put

    def spy(self: FrameComposer, canvas: Frame, row: int, col: int, look: Look) -> None:
        drawn.append((row, col))
        original(self, canvas, row, col, look)

    monkeypatch.setattr(FrameComposer, "_put", spy)
    state = board.start
    composer.frame(state)
    assert len(drawn) == (WIDE.rows + 1) * WIDE.cols
    drawn.clear()
    composer.frame(state)
    assert drawn == []
    composer.frame(state := state._replace(cell=state.cell + 1))
    assert sorted(drawn) == [(2, 4), (2, 5)]
    drawn.clear()
    composer.frame(state := state._replace(on=state.on ^ 0b01))
    assert sorted(drawn) == [(2, 5), (2, 7), (3, 7)]  # the agent, the switch and its gate
    drawn.clear()
    composer.frame(state._replace(taken=0b1))
    assert set(drawn) == {(2, 2), (2, 5), *((WIDE.rows, col) for col in range(WIDE.cols))}


def test_frames_are_quick_enough_to_learn_from() -> None:
    """At least 5,000 a second of 512 px once warm; on an idle core it is four to six times that."""
    board = compile_board(WIDE)
    composer = FrameComposer(WIDE, board, FrameSize(box=(512, 512)))
    states = [board.start._replace(facing=facing) for facing in range(4)]
    best = 0.0
    for _ in range(8):
        begin = time.process_time()
        for number in range(200):
            composer.frame(states[number % 4])
        best = max(best, 200 / (time.process_time() - begin))
    assert best > 5000


def test_tiles_in_memory_are_bounded() -> None:
    tiles = _Tiles(limit=3 * 8 * 8 * 3)
    looks = [Look(Thing.FLOOR, facing=facing) for facing in range(4)]
    first = tiles.get(looks[0], 8)
    assert tiles.get(looks[0], 8) is first
    for look in looks[1:]:
        tiles.get(look, 8)
    again = tiles.get(looks[0], 8)
    assert again is not first
    np.testing.assert_array_equal(again, first)
    assert not again.flags.writeable
    assert tiles.get(looks[1], 100).shape == (100, 100, 3)  # larger than all of it, and handed out still


def test_a_composer_can_be_pickled_and_copied_and_goes_on_alone() -> None:
    composer = FrameComposer(WIDE, size=FrameSize(cell_px=8))
    start = composer.drawing.board.start
    before = composer.frame(start)
    for twin in (pickle.loads(pickle.dumps(composer)), copy.deepcopy(composer)):  # noqa: S301 - our own bytes
        composer.frame(start._replace(facing=2))
        np.testing.assert_array_equal(twin.frame(start), before)


def test_a_box_is_filled_with_whole_pixels_and_the_picture_stands_in_its_middle() -> None:
    composer = FrameComposer(WIDE, size=FrameSize(box=(100, 130)))
    assert composer.shape == (100, 130, 3)
    assert composer.cell_px == 11  # 130 / 11 columns, 100 / 6 rows
    frame = composer.frame(composer.drawing.board.start)
    white = (frame == 255).all(axis=(1, 2))
    assert (int(white.argmin()), int(white[::-1].argmin())) == (17, 17)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, PictureError, "either"),
        ({"cell_px": 3, "box": (9, 9)}, PictureError, "not both"),
        ({"cell_px": 0}, PictureError, "from 1 to"),
        ({"cell_px": 2.5}, TypeError, "whole pixels, got 2.5"),
        ({"cell_px": True}, TypeError, "whole pixels"),
        ({"box": (0, 10)}, PictureError, "got 0"),
        ({"box": (5000, 10)}, PictureError, f"from 1 to {MAX_SIDE_PX} pixels a side, got 5000"),
    ],
)
def test_sizes_that_make_no_picture_are_refused(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        FrameSize(**arguments)  # type: ignore[arg-type]  # that they do not fit is the point


def test_a_box_smaller_than_the_board_is_refused() -> None:
    with pytest.raises(PictureError, match=r"5 x 10 px is too small for a picture of 6 x 11 cells"):
        FrameComposer(WIDE, size=FrameSize(box=(5, 10)))


def test_a_board_that_would_be_too_large_is_refused_with_what_fits() -> None:
    with pytest.raises(PictureError, match="use at most 372 px a cell"):
        FrameComposer(WIDE, size=FrameSize(cell_px=400))


def test_png_says_exactly_what_the_frame_holds() -> None:
    composer = FrameComposer(EVERYTHING, size=FrameSize(cell_px=12))
    frame = composer.frame(composer.drawing.board.start)
    np.testing.assert_array_equal(decoded(png.encode(frame)), frame)
    np.testing.assert_array_equal(decoded(png.encode(frame[:, ::-1])), frame[:, ::-1])
    assert png.encode(frame) == png.encode(frame.copy())
    noise = np.random.default_rng((0, 2)).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    np.testing.assert_array_equal(decoded(png.encode(noise, level=9)), noise)


@pytest.mark.parametrize(
    "frame",
    [
        np.zeros((3, 3), np.uint8),
        np.zeros((3, 3, 4), np.uint8),
        np.zeros((0, 3, 3), np.uint8),
        np.zeros((3, 3, 3)),
    ],
)
def test_png_refuses_what_is_no_frame(frame: Frame) -> None:
    with pytest.raises(ValueError, match=r"\(height, width, 3\) array of uint8"):
        png.encode(frame)


GOLDEN_FRAMES = {
    "everything_24px": (FrameSize(cell_px=24), Style(), 0, 0, 0b10),
    "everything_done_24px": (FrameSize(cell_px=24), Style(), 0b111111, 0b111111, 0b01),
    "everything_10px": (FrameSize(cell_px=10), Style(orientation=True), 0b1, 0b1, 0b11),
    "everything_box": (FrameSize(box=(160, 200)), Style(inventory=False), 0, 0, 0),
}


@pytest.mark.parametrize("name", GOLDEN_FRAMES)
def test_a_reviewed_frame_has_not_changed(name: str) -> None:
    """Pictures that were looked at. ``MAZE_GYM_UPDATE_GOLDEN=1`` writes them anew: look at the diff."""
    size, style, taken, opened, on = GOLDEN_FRAMES[name]
    composer = FrameComposer(EVERYTHING, size=size, style=style)
    state = composer.drawing.board.start._replace(taken=taken, opened=opened, on=on, facing=1)
    frame = composer.frame(state)
    hashes = GOLDEN / "hashes.json"
    known = json.loads(hashes.read_text(encoding="utf-8")) if hashes.exists() else {}
    digest = hashlib.sha256(repr(frame.shape).encode() + frame.tobytes()).hexdigest()
    if os.environ.get("MAZE_GYM_UPDATE_GOLDEN") == "1":
        GOLDEN.mkdir(parents=True, exist_ok=True)
        (GOLDEN / f"{name}.png").write_bytes(png.encode(frame, level=9))
        hashes.write_text(
            json.dumps(known | {name: digest}, indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )
        return
    if known.get(name) != digest:  # another build of SDL or its fonts may round an edge differently
        reviewed = decoded((GOLDEN / f"{name}.png").read_bytes())
        assert reviewed.shape == frame.shape
        difference = np.abs(reviewed.astype(np.int16) - frame)
        assert difference.mean() < 0.5, f"{name} looks different now"


@pytest.mark.parametrize("name", GOLDEN_FRAMES)
def test_a_reviewed_picture_belongs_to_its_hash(name: str) -> None:
    frame = decoded((GOLDEN / f"{name}.png").read_bytes())
    digest = hashlib.sha256(repr(frame.shape).encode() + frame.tobytes()).hexdigest()
    assert json.loads((GOLDEN / "hashes.json").read_text(encoding="utf-8"))[name] == digest


def test_png_uses_the_checksums_of_the_format() -> None:
    data = png.encode(np.zeros((2, 2, 3), np.uint8))
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data[-4:] == zlib.crc32(b"IEND").to_bytes(4, "big")
