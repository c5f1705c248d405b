"""Many mazes on one page: thumbnails in a grid, each with its name."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from mazegen.rendering.canvas import GLYPH_WIDTH, PictureError, Scene, Text, paint
from mazegen.rendering.drawing import Style
from mazegen.rendering.frames import FrameComposer, FrameSize
from mazegen.rendering.tiles import INK, PAPER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mazegen.core.maze import Maze

_CAPTION_PX = 9  # height of capitals


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """How a contact sheet is laid out.

    Attributes:
        columns: thumbnails in a row.
        rows: rows of a page; more mazes make more pages.
        thumb_px: side of the square that a thumbnail is fitted into.
        gap_px: white between thumbnails and around them.

    Raises:
        PictureError: a number is not positive, or a page would be larger than a picture may be.
    """

    columns: int = 6
    rows: int = 8
    thumb_px: int = 240
    gap_px: int = 12

    def __post_init__(self) -> None:
        """Refuse a page that could not be painted."""
        for name in ("columns", "rows", "thumb_px", "gap_px"):
            if getattr(self, name) < 1:
                msg = f"{name} must be at least 1, got {getattr(self, name)}"
                raise PictureError(msg)
        Scene(*self.page_px(self.rows), PAPER).size_px(1)

    def page_px(self, rows: int) -> tuple[int, int]:
        """(height, width) in pixels of a page with so many rows."""
        caption = 2 * _CAPTION_PX + self.gap_px
        return self.gap_px + rows * (self.thumb_px + caption), self.gap_px + self.columns * (
            self.thumb_px + self.gap_px
        )


DEFAULT_LAYOUT = SheetLayout()


def contact_sheets(
    mazes: Iterable[Maze], layout: SheetLayout = DEFAULT_LAYOUT
) -> Iterator[NDArray[np.uint8]]:
    """Pages of thumbnails in reading order: (height, width, 3) RGB each, the last as short as it can be.

    One page of mazes is held at a time.
    """
    waiting = iter(mazes)
    while page := list(islice(waiting, layout.columns * layout.rows)):
        yield _page(page, layout)


def _page(mazes: Sequence[Maze], layout: SheetLayout) -> NDArray[np.uint8]:
    rows = -(-len(mazes) // layout.columns)
    height, width = layout.page_px(rows)
    pitch_row = (height - layout.gap_px) // rows
    pitch_col = layout.thumb_px + layout.gap_px
    captions = []
    places = []
    for place, maze in enumerate(mazes):
        row, col = divmod(place, layout.columns)
        top, left = layout.gap_px + row * pitch_row, layout.gap_px + col * pitch_col
        places.append((top, left))
        middle = left + layout.thumb_px / 2
        name = _fitted(maze.level_id, layout.thumb_px)
        captions.append(Text(top + layout.thumb_px + 1.5 * _CAPTION_PX, middle, name, _CAPTION_PX, INK))
    page = paint(Scene(height, width, PAPER, tuple(captions)), 1)
    side = layout.thumb_px
    for (top, left), maze in zip(places, mazes, strict=True):
        composer = FrameComposer(maze, size=FrameSize(box=(side, side)), style=Style())
        page[top : top + side, left : left + side] = composer.frame(composer.drawing.board.start)
    return page


def _fitted(name: str, width_px: int) -> str:
    """A name that fits under a thumbnail; its end says more than its beginning."""
    room = int(width_px / (_CAPTION_PX * GLYPH_WIDTH))
    return name if len(name) <= room else f"...{name[-max(1, room - 3) :]}"
