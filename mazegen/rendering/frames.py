"""Pictures of an episode, fast: each look is painted once, frames are composed from the tiles.

Reading a painted surface back costs milliseconds; copying a few tiles into the last frame costs
microseconds. ``FrameComposer`` holds numpy arrays and plain data only, so it pickles and copies.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mazegen.core import rules
from mazegen.rendering.canvas import MAX_SIDE_PX, PictureError, Scene, paint
from mazegen.rendering.drawing import DEFAULT_STYLE, Drawing, Style, exits
from mazegen.rendering.tiles import PAPER, Look, figure, ground

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from mazegen.core.maze import Maze
    from mazegen.core.parts import Position
    from mazegen.core.rules import Board, State

DEFAULT_CELL_PX = 32
TILE_BYTES = 64 << 20  # of painted looks kept in memory: 5,000 of them at 64 px a cell
_PAPER_RGB = tuple(bytes.fromhex(PAPER[1:]))


@dataclass(frozen=True, slots=True)
class FrameSize:
    """How large a frame is: either so many pixels a cell, or a fixed box that the picture is fitted into.

    Attributes:
        cell_px: pixels a cell; the frame is as large as the picture.
        box: (height, width) of every frame in pixels; the picture gets the most whole pixels a cell
            that fit and stands in the middle.

    Raises:
        PictureError: both or neither are given, or a side is not from 1 to ``MAX_SIDE_PX``.
        TypeError: a side is not a whole number.
    """

    cell_px: int | None = None
    box: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Refuse a frame without pixels and one that would fill the memory."""
        if (self.cell_px is None) == (self.box is None):
            msg = "give either the pixels of a cell or the size of the picture, not both"
            raise PictureError(msg)
        sides = (self.cell_px,) if self.box is None else self.box
        for side in sides:
            if not isinstance(side, int) or isinstance(side, bool):
                msg = f"a picture is measured in whole pixels, got {side!r}"
                raise TypeError(msg)
            if not 1 <= side <= MAX_SIDE_PX:
                msg = f"a picture must have from 1 to {MAX_SIDE_PX} pixels a side, got {side}"
                raise PictureError(msg)

    def fit(self, rows: int, cols: int) -> tuple[int, int, int]:
        """``(cell_px, height, width)`` of a frame that holds a picture of so many cells.

        Raises:
            PictureError: the box is smaller than one pixel a cell, or the picture would be too large.
        """
        if self.box is not None:
            height, width = self.box
            cell_px = min(height // rows, width // cols)
            if cell_px < 1:
                msg = f"{height} x {width} px is too small for a picture of {rows} x {cols} cells"
                raise PictureError(msg)
            return cell_px, height, width
        cell_px = self.cell_px or DEFAULT_CELL_PX
        height, width = Scene(rows, cols, PAPER).size_px(cell_px)
        return cell_px, height, width


DEFAULT_SIZE = FrameSize(cell_px=DEFAULT_CELL_PX)


class _Tiles:
    """Painted looks, those used last; shared by all composers of a process."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._painted: OrderedDict[tuple[Look, int], NDArray[np.uint8]] = OrderedDict()
        self._lock = Lock()

    def get(self, look: Look, cell_px: int) -> NDArray[np.uint8]:
        key = (look, cell_px)
        with self._lock:
            painted = self._painted.get(key)
            if painted is not None:
                self._painted.move_to_end(key)
                return painted
        painted = paint(Scene(1, 1, PAPER, (*ground(look), *figure(look))), cell_px)
        painted.flags.writeable = False
        with self._lock:
            if key not in self._painted:
                self._painted[key] = painted
                self._bytes += painted.nbytes
            while self._bytes > self._limit and len(self._painted) > 1:
                self._bytes -= self._painted.popitem(last=False)[1].nbytes
        return painted


_tiles = _Tiles(TILE_BYTES)


def tile(look: Look, cell_px: int) -> NDArray[np.uint8]:
    """(cell_px, cell_px, 3) RGB of one look; shared, so it cannot be written to."""
    return _tiles.get(look, cell_px)


class FrameComposer:
    """Frames of one maze, each a fresh array; what did not change since the last one is not redrawn.

    Args:
        maze: what to draw.
        board: ``rules.compile_board(maze)``, if there is one already.
        size: how large a frame is.
        style: what the picture holds besides the board.

    Attributes:
        cell_px: pixels a cell.
        shape: (height, width, 3) of a frame.
        origin: (row, col) in pixels of the board's top-left corner.

    Raises:
        PictureError: the picture would be empty or too large, see ``FrameSize``.
    """

    def __init__(
        self,
        maze: Maze,
        board: Board | None = None,
        size: FrameSize = DEFAULT_SIZE,
        style: Style = DEFAULT_STYLE,
    ) -> None:
        """Lay the picture out; nothing is painted yet."""
        drawing = Drawing(maze, board, style)
        self.drawing = drawing
        self.cell_px, height, width = size.fit(drawing.rows, drawing.cols)
        self.shape = (height, width, 3)
        self._top = (height - drawing.rows * self.cell_px) // 2
        self._left = (width - drawing.cols * self.cell_px) // 2
        self.origin = (self._top + drawing.top * self.cell_px, self._left + drawing.left * self.cell_px)
        self._canvas: NDArray[np.uint8] | None = None
        self._drawn: State | None = None
        self._gates_of = _gates_of_switches(drawing)

    def frame(self, state: State) -> NDArray[np.uint8]:
        """(height, width, 3) RGB of a state: what an agent may see, without path or trail."""
        before = self._drawn
        if self._canvas is None or before is None:
            self._canvas = self._whole(self.drawing.looks(state))
        elif before != state:
            self._update(self._canvas, before, state)
        self._drawn = state
        return self._canvas.copy()

    def annotated(
        self, state: State, *, path: Sequence[Position] = (), trail: Sequence[Position] = ()
    ) -> NDArray[np.uint8]:
        """The same with a solution or the way so far on the floor: for people, never for an agent."""
        frame = self.frame(state)
        on_path, on_trail = exits(path), exits(trail)
        for position in {**on_path, **on_trail}:
            look = self.drawing.look(state, self.drawing.maze.cell(position))
            look = look._replace(path=on_path.get(position, 0), trail=on_trail.get(position, 0))
            self._put(frame, position.row, position.col, look)
        return frame

    def _whole(self, looks: list[list[Look]]) -> NDArray[np.uint8]:
        canvas = np.empty(self.shape, np.uint8)
        canvas[:] = _PAPER_RGB
        drawing = self.drawing
        for row, line in enumerate(looks):
            for col, look in enumerate(line):
                self._put(canvas, row - drawing.top, col - drawing.left, look)
        return canvas

    def _put(self, canvas: NDArray[np.uint8], row: int, col: int, look: Look) -> None:
        cell_px = self.cell_px
        y, x = self.origin[0] + row * cell_px, self.origin[1] + col * cell_px
        canvas[y : y + cell_px, x : x + cell_px] = tile(look, cell_px)

    def _update(self, canvas: NDArray[np.uint8], before: State, state: State) -> None:
        """Redraw what can look different: the agent's cells and the things whose bits changed."""
        maze, cols = self.drawing.maze, self.drawing.maze.cols
        cells = {before.cell, state.cell}
        for index in _bits(before.taken ^ state.taken):
            cells.add(maze.cell(maze.keys[index].position))
        for index in _bits(before.opened ^ state.opened):
            cells.add(maze.cell(maze.doors[index].position))
        for index in _bits(before.on ^ state.on):
            cells.add(maze.cell(maze.switches[index].position))
            cells.update(self._gates_of[index])
        for cell in cells:
            self._put(canvas, *divmod(cell, cols), self.drawing.look(state, cell))
        if before.taken != state.taken or before.opened != state.opened:
            width = self.drawing.cols
            for index, look in enumerate(self.drawing.strip(state)):
                row, col = divmod(index, width)
                self._put(canvas, maze.rows + row, col - self.drawing.left, look)


def _gates_of_switches(drawing: Drawing) -> tuple[tuple[int, ...], ...]:
    """Per switch the cells of the gates linked to it, read from the board's own link table."""
    maze, link = drawing.maze, drawing.board.link
    return tuple(
        tuple(
            maze.cell(gate.position)
            for place, gate in enumerate(maze.gates)
            if link[rules.GATE + place] >> index & 1
        )
        for index in range(len(maze.switches))
    )


def _bits(mask: int) -> Iterable[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
