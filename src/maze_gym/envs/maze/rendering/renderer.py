"""Pixels of MazeNLU: frames for ``rgb_array``, a window for ``human``.

Both show the one picture of ``mazegen.rendering.drawing``. Frames need no display; the window needs one and
opens with the first frame. What is kept here pickles and copies: it is arrays and plain data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.envs.rendering import WorldRenderer
from maze_gym.errors import InvalidArgument
from mazegen.core.maze import KEY_COLORS
from mazegen.rendering.drawing import Style
from mazegen.rendering.frames import FrameComposer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mazegen.core.maze import Maze
    from mazegen.core.rules import Board, State

STRIP_ROWS = 1  # of the inventory, below a board that is wide enough
_WORD_AND_COLORS = 1 + len(KEY_COLORS)  # what the inventory has room for
_NARROWEST = 3  # columns of a board that is one cell wide


class MazeRenderer(WorldRenderer):
    """Frames of whatever maze is played.

    Args:
        max_shape: (rows, cols) of the largest board that will be drawn.
        orientation: whether rows and columns are numbered.
        render_size: as the next two, see ``WorldRenderer``.
        cell_px: see there.
        fps: see there.

    Raises:
        InvalidArgument: ``orientation`` is no bool, or a size is out of range.
    """

    def __init__(
        self,
        max_shape: tuple[int, int],
        *,
        orientation: bool = False,
        render_size: int | tuple[int, int] | None = None,
        cell_px: int | None = None,
        fps: float = 8,
    ) -> None:
        """Fix the size of every frame; nothing is painted and no window opened yet."""
        if not isinstance(orientation, bool):
            msg = f"orientation must be True or False, got {orientation!r}"
            raise InvalidArgument(msg)
        self.style = Style(orientation=orientation)
        super().__init__(max_shape, render_size=render_size, cell_px=cell_px, fps=fps)
        self._composer: FrameComposer | None = None

    def picture_shape(self, rows: int, cols: int) -> tuple[int, int]:
        """With numbers beside the board, if there are any, and the inventory below it."""
        margin = int(self.style.orientation)
        return rows + margin + STRIP_ROWS, cols + margin

    def largest_picture(self, rows: int, cols: int) -> tuple[int, int]:
        """A narrow board has a higher strip: every board that is played has to fit."""
        height, width = self.picture_shape(rows, cols)
        return height - STRIP_ROWS + -(-_WORD_AND_COLORS // _NARROWEST), width

    def frame(self, maze: Maze, board: Board, state: State) -> NDArray[np.uint8]:
        """A fresh (height, width, 3) RGB array: what an agent may see, without any solution."""
        composer = self._composer
        if composer is None or composer.drawing.board is not board:
            composer = self._composer = FrameComposer(maze, board, self.size, self.style)
        return composer.frame(state)

    def show(self, maze: Maze, board: Board, state: State) -> None:
        """Put the state into the window, opening it if it is not; ``NoDisplay`` where there is no screen."""
        self.window.show(self.frame(maze, board, state))

    def __getstate__(self) -> dict[str, object]:
        """Travel light: a copy composes its own first frame."""
        return self.__dict__ | {"_composer": None}
