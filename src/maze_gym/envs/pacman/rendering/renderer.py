"""Pixels of PacmanArray: frames composed of cells that are painted once, and a window for people."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from maze_gym.envs.pacman.rendering.drawing import STRIP_ROWS, Gauge, gauge, looks, strip
from maze_gym.envs.pacman.rendering.gliding import Sight, between, lonely, lying
from maze_gym.envs.pacman.rendering.tiles import FLOOR, Look, shapes
from maze_gym.envs.rendering import WorldRenderer
from mazegen.rendering.canvas import Scene, paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maze_gym.envs.pacman.rendering.drawing import Pose
    from maze_gym.envs.pacman.rules import Board, State
    from mazegen.rendering.frames import FrameSize

_FLOOR_RGB = tuple(bytes.fromhex(FLOOR[1:]))
_STRIPS_KEPT = 64
_SPRITES_KEPT = 512  # 26 MB at 65 px a cell
_TILES_KEPT = 2048  # 25 MB at 64 px a cell


def compose(board: Board, state: State, pose: Pose, size: FrameSize) -> NDArray[np.uint8]:
    """(height, width, 3) RGB of a state, a fresh array; what ``drawing.scene`` shows, centred in its size.

    Raises:
        PictureError: the picture would be empty or too large, or does not fit.
    """
    return _laid_out(board, looks(board, state, pose), gauge(board, state), size)[0]


def compose_between(before: Sight, after: Sight, fraction: float, size: FrameSize) -> NDArray[np.uint8]:
    """(height, width, 3) RGB of a step that is under way, a fresh array; ``compose`` for 0 and 1.

    Raises:
        PictureError: the picture would be empty or too large, or does not fit.
    """
    if not 0 < fraction < 1:
        return compose(*(before if fraction <= 0 else after), size)
    shown = gauge(after.board, before.state)
    ground, (top, left, cell_px) = _ground(after.board, lying(before, after, fraction), shown, size)
    frame = ground.copy()
    for row, col, scale, look in between(before, after, fraction):
        ink, paper = _sprite(look, max(1, round(scale * cell_px)))
        y, x = top + round(row * cell_px), left + round(col * cell_px)
        under = frame[y : y + ink.shape[0], x : x + ink.shape[1]]
        under[:] = ink + (under * paper + 127) // 255
    return frame


@lru_cache(maxsize=2)  # the two of one movement
def _ground(
    board: Board, pellets: int, shown: Gauge, size: FrameSize
) -> tuple[NDArray[np.uint8], tuple[int, int, int]]:
    """A frame without figures, not to be written to; and where cells are in it, see ``_laid_out``."""
    return _laid_out(board, lonely(board, pellets), shown, size)


def _laid_out(
    board: Board, cells: Sequence[Look], shown: Gauge, size: FrameSize
) -> tuple[NDArray[np.uint8], tuple[int, int, int]]:
    """A frame of tiles; and the top, the left and the pixels of a cell."""
    layout = board.layout
    rows, cols = layout.rows + STRIP_ROWS, layout.cols
    cell_px, height, width = size.fit(rows, cols)
    top, left = (height - rows * cell_px) // 2, (width - cols * cell_px) // 2
    frame = np.empty((height, width, 3), np.uint8)
    frame[:] = _FLOOR_RGB
    for cell, look in enumerate(cells):
        row, col = divmod(cell, cols)
        y, x = top + row * cell_px, left + col * cell_px
        frame[y : y + cell_px, x : x + cell_px] = _tile(look, cell_px)
    y = top + layout.rows * cell_px
    frame[y : y + STRIP_ROWS * cell_px, left : left + cols * cell_px] = _strip(shown, cell_px)
    return frame, (top, left, cell_px)


@lru_cache(maxsize=_TILES_KEPT)
def _tile(look: Look, cell_px: int) -> NDArray[np.uint8]:
    painted = paint(Scene(1, 1, FLOOR, tuple(shapes(look))), cell_px)
    painted.flags.writeable = False
    return painted


@lru_cache(maxsize=_SPRITES_KEPT)
def _sprite(look: Look, side_px: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """A figure to be laid over a picture: its own light, and how much of the light below comes through."""
    figure = tuple(shapes(look)[1:])  # without the floor
    black, white = (
        paint(Scene(1, 1, ground, figure), side_px).astype(np.uint16) for ground in ("#000000", "#ffffff")
    )
    return black, white - black


@lru_cache(maxsize=_STRIPS_KEPT)
def _strip(shown: Gauge, cell_px: int) -> NDArray[np.uint8]:
    painted = paint(Scene(STRIP_ROWS, shown.cols, FLOOR, tuple(strip(shown))), cell_px)
    painted.flags.writeable = False
    return painted


class PacmanRenderer(WorldRenderer):
    """Frames of whatever board is played, all of one size, and the window that shows them."""

    def picture_shape(self, rows: int, cols: int) -> tuple[int, int]:
        """With the strip below the board."""
        return rows + STRIP_ROWS, cols

    def frame(self, board: Board, state: State, pose: Pose) -> NDArray[np.uint8]:
        """A fresh (height, width, 3) RGB array."""
        return compose(board, state, pose, self.size)

    def frame_between(self, before: Sight, after: Sight, fraction: float) -> NDArray[np.uint8]:
        """The same of a step that is under way."""
        return compose_between(before, after, fraction, self.size)

    def show(self, board: Board, state: State, pose: Pose) -> None:
        """Put the state into the window, opening it if it is not; ``NoDisplay`` where there is no screen."""
        self.window.show(self.frame(board, state, pose))


class PacmanGlide:
    """What ``PacmanArrayEnv`` shows people between two steps: ``maze_gym.game.Animated``."""

    if TYPE_CHECKING:  # the env's own, see there
        _renderer: PacmanRenderer

        @property
        def _state(self) -> State: ...

        def _playing(self) -> Board: ...

        def _pose(self) -> Pose: ...

    def sight(self) -> Sight:
        """What the picture of now depends on.

        Raises:
            ResetNeeded: there is no episode yet.
        """
        return Sight(self._playing(), self._state, self._pose())

    def draw_between(self, before: Sight, fraction: float) -> NDArray[np.uint8]:
        """(height, width, 3) RGB, as ``rgb_array`` draws it, of the way from an earlier sight to now.

        Args:
            before: of the same episode.
            fraction: of the way, 0 to 1.
        """
        return self._renderer.frame_between(before, self.sight(), fraction)
