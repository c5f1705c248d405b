"""Pixels of SpatialGym: frames composed of the squares around the nodes, and a window for people.

What a square looks like depends on the puzzle and on the little of the line that touches it, so the empty
board is painted once, a square with a piece of line once for each piece, and a frame is copied together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.envs.rendering import WorldRenderer
from maze_gym.envs.sparc.rendering import drawing
from maze_gym.envs.sparc.rendering.drawing import BOARD, scene, scene_size
from mazegen.rendering.canvas import Scene, bounds, moved, paint
from mazegen.rendering.frames import DEFAULT_CELL_PX

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Puzzle
    from mazegen.rendering.canvas import Box, Shape
    from mazegen.rendering.frames import FrameSize

_BOARD_RGB = tuple(bytes.fromhex(BOARD[1:]))
_BOARDS_KEPT = 64
_SQUARES_KEPT = 4096  # 50 MB at 64 px a unit
_STILL_KEPT = 4096


class _Piece(NamedTuple):
    """As much of a line as the square around a node shows.

    Attributes:
        segments: the segments from the node and those that end at its edges, sorted.
        ends: the start and the head where they are the node or one of its edges.
        head: the head, where it is one of those.
    """

    segments: tuple[tuple[Position, Position], ...]
    ends: tuple[Position, ...]
    head: Position | None


def picture_shape(rows: int, cols: int) -> tuple[int, int]:
    """Height and width, in units, of the picture of an array of so many rows and columns."""
    return rows // 2 + 1, cols // 2 + 1


def compose(
    puzzle: Puzzle, path: Path, size: FrameSize, wrong: Collection[Position] = ()
) -> NDArray[np.uint8]:
    """(height, width, 3) RGB, a fresh array; what ``drawing.scene`` shows, centred in its size.

    Raises:
        PictureError: the picture would be empty or too large, or does not fit.
    """
    rows, cols = scene_size(puzzle)
    unit_px, height, width = size.fit(rows, cols)
    top, left = (height - rows * unit_px) // 2, (width - cols * unit_px) // 2
    frame = np.empty((height, width, 3), np.uint8)
    frame[:] = _BOARD_RGB
    board = frame[top : top + rows * unit_px, left : left + cols * unit_px]
    if wrong:
        board[:] = paint(scene(puzzle, path, wrong), unit_px)
        return frame
    board[:] = _empty_board(puzzle, unit_px)
    for node, piece in _pieces(path).items():
        y, x = node[0] // 2 * unit_px, node[1] // 2 * unit_px
        board[y : y + unit_px, x : x + unit_px] = _square(puzzle, node, piece, unit_px)
    return frame


def _pieces(path: Path) -> dict[Position, _Piece]:
    """What each square shows of the line, by its node; squares that it does not touch are left out."""
    segments: dict[Position, list[tuple[Position, Position]]] = {}
    for pair in drawing.segments_of(path):
        edge = next(position for position in pair if position[0] % 2 != position[1] % 2)
        for node in _nodes_at(edge):  # a segment's end reaches a hair's breadth into the square beyond
            segments.setdefault(node, []).append(pair)
    ends: dict[Position, list[Position]] = {}
    for index in dict.fromkeys((0, len(path) - 1)):
        for node in _nodes_at(path[index]):
            ends.setdefault(node, []).append(path[index])
    heads = dict.fromkeys(_nodes_at(path[-1]), path[-1])
    return {
        node: _Piece(tuple(sorted(segments.get(node, ()))), tuple(ends.get(node, ())), heads.get(node))
        for node in {**segments, **ends}
    }


def _nodes_at(position: Position) -> list[Position]:
    """The node itself, or both ends of an edge."""
    row, col = position
    return [
        (node_row, node_col)
        for node_row in ((row - 1, row + 1) if row % 2 else (row,))
        for node_col in ((col - 1, col + 1) if col % 2 else (col,))
    ]


@lru_cache(maxsize=_BOARDS_KEPT)
def _empty_board(puzzle: Puzzle, unit_px: int) -> NDArray[np.uint8]:
    painted = paint(scene(puzzle), unit_px)
    painted.flags.writeable = False
    return painted


@lru_cache(maxsize=_SQUARES_KEPT)
def _square(puzzle: Puzzle, node: Position, piece: _Piece, unit_px: int) -> NDArray[np.uint8]:
    """The square around a node, painted alone."""
    top, left = node[0] // 2, node[1] // 2
    below, above = _still(puzzle, node)
    drawn = list(drawing.line(puzzle, piece.segments, piece.ends))
    if piece.head is not None:
        drawn += drawing.head(puzzle, piece.head)
    inside = (*below, *(moved(shape, -top, -left) for shape in drawn), *above)
    painted = paint(Scene(1, 1, BOARD, inside), unit_px)
    painted.flags.writeable = False
    return painted


@lru_cache(maxsize=_STILL_KEPT)
def _still(puzzle: Puzzle, node: Position) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """What the square around a node shows whatever the line is: below it and above it."""
    top, left = node[0] // 2, node[1] // 2
    return tuple(  # type: ignore[return-value]  # two, as there are two layers
        tuple(
            moved(shape, -top, -left)
            for shape, box in layer
            if box.bottom >= top and box.top <= top + 1 and box.right >= left and box.left <= left + 1
        )
        for layer in _layers(puzzle)
    )


@lru_cache(maxsize=_BOARDS_KEPT)
def _layers(puzzle: Puzzle) -> tuple[list[tuple[Shape, Box]], list[tuple[Shape, Box]]]:
    """Everything but the line, with the boxes that it takes up: below the line and above it."""
    below, above = drawing.ground(puzzle), drawing.things(puzzle)
    return [(shape, bounds(shape)) for shape in below], [(shape, bounds(shape)) for shape in above]


class SpatialRenderer(WorldRenderer):
    """Frames of whatever puzzle is played, all of one size, and the window that shows them."""

    default_cell_px = 2 * DEFAULT_CELL_PX

    def picture_shape(self, rows: int, cols: int) -> tuple[int, int]:
        """Of an array of so many rows and columns, in rule cells."""
        return picture_shape(rows, cols)

    def frame(self, puzzle: Puzzle, path: Path, wrong: Collection[Position] = ()) -> NDArray[np.uint8]:
        """A fresh (height, width, 3) RGB array; ``wrong`` is for people, see ``drawing.scene``."""
        return compose(puzzle, path, self.size, wrong)

    def show(self, puzzle: Puzzle, path: Path, wrong: Collection[Position] = ()) -> None:
        """Put the state into the window, opening it if it is not; ``NoDisplay`` where there is no screen."""
        self.window.show(self.frame(puzzle, path, wrong))
