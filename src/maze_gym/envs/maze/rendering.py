"""Pixels of MazeNLU: frames for ``rgb_array``, a window for ``human``.

Both show the one picture of ``mazegen.drawing``. Frames need no display; the window needs one and
opens with the first frame. What is kept here pickles and copies: it is arrays and plain data.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from mazegen.canvas import PictureError, Window
from mazegen.drawing import Style
from mazegen.frames import DEFAULT_CELL_PX, FrameComposer, FrameSize
from mazegen.maze import KEY_COLORS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mazegen.maze import Maze
    from mazegen.rules import Board, State

STRIP_ROWS = 1  # of the inventory, below a board that is wide enough
_WORD_AND_COLORS = 1 + len(KEY_COLORS)  # what the inventory has room for
_NARROWEST = 3  # columns of a board that is one cell wide


class MazeRenderer:
    """Frames of whatever maze is played, all of one size.

    Args:
        max_shape: (rows, cols) of the largest board that will be drawn.
        render_size: (height, width) of a frame in pixels, or one number for both.
        cell_px: pixels a cell of the largest board, in place of ``render_size``.
        orientation: whether rows and columns are numbered.
        title: of the window.
        fps: frames a second in the window.

    Raises:
        InvalidArgument: both sizes are given, or one is not a whole number in range.
    """

    def __init__(
        self,
        max_shape: tuple[int, int],
        *,
        render_size: int | tuple[int, int] | None = None,
        cell_px: int | None = None,
        orientation: bool = False,
        title: str = "maze_gym",
        fps: float = 8,
    ) -> None:
        """Fix the size of every frame; nothing is painted and no window opened yet."""
        if render_size is not None and cell_px is not None:
            msg = "give either render_size (pixels of the picture) or cell_px (pixels of a cell), not both"
            raise InvalidArgument(msg)
        self.style = Style(orientation=orientation)
        margin = int(orientation)
        rows, cols = max_shape[0] + margin, max_shape[1] + margin
        if render_size is None:
            side = _pixels("cell_px", DEFAULT_CELL_PX if cell_px is None else cell_px)
            box = ((rows + STRIP_ROWS) * side, cols * side)
        else:
            box = _box(render_size)
        try:
            self.size = FrameSize(box=box)
            # A narrow board has a higher strip: every board that is played has to fit.
            self.size.fit(rows + -(-_WORD_AND_COLORS // _NARROWEST), cols)
        except PictureError as error:
            name = "cell_px" if render_size is None else "render_size"
            msg = f"{name}: {error}"
            raise InvalidArgument(msg) from error
        self.window = Window(title, fps)
        self._composer: FrameComposer | None = None

    def frame(self, maze: Maze, board: Board, state: State) -> NDArray[np.uint8]:
        """A fresh (height, width, 3) RGB array: what an agent may see, without any solution."""
        composer = self._composer
        if composer is None or composer.drawing.board is not board:
            composer = self._composer = FrameComposer(maze, board, self.size, self.style)
        return composer.frame(state)

    def show(self, maze: Maze, board: Board, state: State) -> None:
        """Put the state into the window, opening it if it is not; ``NoDisplay`` where there is no screen."""
        self.window.show(self.frame(maze, board, state))

    def close(self) -> None:
        """Close the window if it is open; safe to call again."""
        self.window.close()

    def __getstate__(self) -> dict[str, object]:
        """Travel light: a copy composes its own first frame."""
        return self.__dict__ | {"_composer": None}


def _pixels(name: str, value: object) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # that it may not fit is the point
    except TypeError:
        number = 0
    if isinstance(value, bool) or number < 1:
        msg = f"{name} must be a whole number of pixels, at least 1, got {value!r}"
        raise InvalidArgument(msg)
    return number


def _box(render_size: int | tuple[int, int]) -> tuple[int, int]:
    if isinstance(render_size, tuple | list):
        if len(render_size) != 2:  # noqa: PLR2004 - height and width
            msg = f"render_size must be a number or (height, width), got {render_size!r}"
            raise InvalidArgument(msg)
        return _pixels("render_size", render_size[0]), _pixels("render_size", render_size[1])
    side = _pixels("render_size", render_size)
    return side, side
