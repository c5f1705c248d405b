"""ImageObservation: the picture of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from maze_gym.game import text_game
from maze_gym.llm.config import MAX_CELL_PX, check_whole
from maze_gym.wrappers.added import AddedObservation, Mode
from mazegen.rendering.canvas import MAX_SIDE_PX, PictureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.wrappers.added import AnyEnv

DEFAULT_CELL_PX = 16


class ImageObservation(AddedObservation):
    """Observes what the picture for people and models shows, at one size for all levels of the env.

    Args:
        env: any world of this suite, wrapped or not; it needs no render mode.
        cell_px: pixels a cell of the largest level.
        mode: ``"add"`` an entry ``"image"``, or ``"replace"`` the observation.

    Raises:
        InvalidArgument: an argument is wrong, or the world cannot be drawn.
        PictureError: once something is drawn: the picture would be too large.
    """

    def __init__(self, env: AnyEnv, cell_px: int = DEFAULT_CELL_PX, mode: Mode = "add") -> None:
        """Wrap an env."""
        check_whole("cell_px", cell_px, 1, MAX_CELL_PX)
        self._game = text_game(env)
        self._cell_px = cell_px
        self._shape = self._game.picture_shape(cell_px)
        space: spaces.Space[Any] = spaces.Box(0, 255, (*self._shape, 3), np.uint8)
        super().__init__(env, "image", space, mode, {"cell_px": cell_px, "mode": mode})

    def _value(self) -> NDArray[np.uint8]:
        try:
            return self._game.picture(self._cell_px, self._shape)
        except PictureError as error:
            fits = self._cell_px * MAX_SIDE_PX // max(self._shape)
            if not 1 <= fits < self._cell_px:
                raise
            height, width = self._shape
            msg = (
                f"a picture of {height} x {width} px is larger than the {MAX_SIDE_PX} px a side that can be "
                f"drawn; make ImageObservation with cell_px={fits} or less"
            )
            raise PictureError(msg) from error
