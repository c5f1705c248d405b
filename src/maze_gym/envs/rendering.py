"""What the renderers of all worlds share: the size of every frame, and the window for people."""

from __future__ import annotations

import operator

from maze_gym.errors import InvalidArgument
from mazegen.rendering.canvas import MAX_SIDE_PX, PictureError, Window
from mazegen.rendering.frames import DEFAULT_CELL_PX, FrameSize


class WorldRenderer:
    """Frames all of one size, whatever level is played; a world adds what is in them.

    Frames need no display; the window needs one and opens with the first frame. A size that is asked for is
    checked at once. Where none is, nothing is: an env can be played whose board no frame could hold.

    Args:
        max_shape: (rows, cols) of the largest board that will be drawn.
        render_size: (height, width) of a frame in pixels, or one number for both.
        cell_px: pixels a cell of the largest picture, in place of ``render_size``. Without either it is
            ``default_cell_px``, or as many as fit into the largest frame that can be painted.
        fps: frames a second in the window.

    Raises:
        InvalidArgument: both sizes are given, one is not a whole number of pixels, or frames of this size
            cannot be painted.
    """

    default_cell_px = DEFAULT_CELL_PX

    def __init__(
        self,
        max_shape: tuple[int, int],
        *,
        render_size: int | tuple[int, int] | None = None,
        cell_px: int | None = None,
        fps: float = 8,
    ) -> None:
        """Check the arguments; nothing is painted and no window opened yet."""
        if render_size is not None and cell_px is not None:
            msg = "give either render_size (pixels of the picture) or cell_px (pixels of a cell), not both"
            raise InvalidArgument(msg)
        self._max_shape = max_shape
        self._cell_px = None if cell_px is None else _pixels("cell_px", cell_px)
        self._box = None if render_size is None else _box(render_size)
        self._size = self._fitting_size() if render_size is not None or cell_px is not None else None
        self.window = Window("maze_gym", fps)

    @property
    def size(self) -> FrameSize:
        """The size of every frame.

        Raises:
            InvalidArgument: no frame can be painted that holds the largest board.
        """
        if self._size is None:
            self._size = self._fitting_size()
        return self._size

    def _fitting_size(self) -> FrameSize:
        rows, cols = self.picture_shape(*self._max_shape)
        most = max(1, MAX_SIDE_PX // max(rows, cols))
        cell_px = min(self.default_cell_px, most) if self._cell_px is None else self._cell_px
        try:
            size = FrameSize(box=self._box or (rows * cell_px, cols * cell_px))
            size.fit(*self.largest_picture(*self._max_shape))
        except PictureError as error:
            if self._box is None:
                msg = f"cell_px: {error}; for boards of this size take at most {most}"
            else:
                msg = f"render_size: {error}"
            raise InvalidArgument(msg) from error
        return size

    def picture_shape(self, rows: int, cols: int) -> tuple[int, int]:
        """Height and width, in cells, of the picture of a board of so many rows and columns."""
        raise NotImplementedError

    def largest_picture(self, rows: int, cols: int) -> tuple[int, int]:
        """Height and width of any picture that has to fit, of boards up to so many rows and columns."""
        return self.picture_shape(rows, cols)

    def close(self) -> None:
        """Close the window if it is open; safe to call again."""
        self.window.close()


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
