"""Pictures of whole episodes in few bytes: every tile once, and per step the tiles that change.

The pictures are those of ``TextGame.picture``, to the pixel: a page that puts the tiles together shows what
the world itself draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.rendering import png
from mazegen.rendering.canvas import MAX_SIDE_PX, PictureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maze_gym.game import TextGame

ATLAS_COLUMNS = 32  # tiles in a row of the atlas
CELL_PX = 32  # pixels a cell of most worlds, and a tile of every picture
LEAST_PX = 320  # of the longer side of a picture; smaller boards are drawn with more pixels a cell
_MOST_TIMES = 4  # so many tiles a cell and direction at most
_WORD = 8  # bytes that are compared at a time
_BEST = 9  # of zlib: the atlas is written once and opened often


class Atlas:
    """All tiles of a report, each once, numbered in the order in which they were first seen.

    Args:
        cell_px: height and width of a tile; a multiple of 8.

    Raises:
        ValueError: it is not.
    """

    def __init__(self, cell_px: int = CELL_PX) -> None:
        """Begin empty."""
        if cell_px < _WORD or cell_px % _WORD:
            msg = f"cell_px must be a positive multiple of {_WORD}, got {cell_px}"
            raise ValueError(msg)
        self.cell_px = cell_px
        self._numbers: dict[bytes, int] = {}

    def __len__(self) -> int:
        """How many tiles there are."""
        return len(self._numbers)

    def number(self, tile: NDArray[np.uint8]) -> int:
        """Number of a (cell_px, cell_px, 3) tile; a new one if it was never seen."""
        return self._numbers.setdefault(tile.tobytes(), len(self._numbers))

    def png(self) -> bytes:
        """One picture of all tiles, ``ATLAS_COLUMNS`` in a row."""
        side = self.cell_px
        rows = max(1, -(-len(self._numbers) // ATLAS_COLUMNS))
        sheet = np.zeros((rows, side, ATLAS_COLUMNS, side, 3), np.uint8)
        for tile, number in self._numbers.items():
            row, col = divmod(number, ATLAS_COLUMNS)
            sheet[row, :, col] = np.frombuffer(tile, np.uint8).reshape(side, side, 3)
        return png.encode(sheet.reshape(rows * side, ATLAS_COLUMNS * side, 3), _BEST)


class Film:
    """The pictures of one episode as tile numbers; to be shown the world at the start and after each step.

    Args:
        atlas: where the tiles are kept.

    Attributes:
        cell_px: pixels a cell of the pictures: those of a tile, or a multiple where the board is small, or
            a half, a quarter and so on where it is too large.
        rows: tiles from top to bottom.
        cols: tiles from left to right.
        first: numbers of the tiles of the first picture, row by row.
        changes: per step place, number, place, number, ... of the tiles that are not as before.
    """

    def __init__(self, atlas: Atlas) -> None:
        """Nothing is seen yet."""
        self.rows = self.cols = 0
        self.cell_px = atlas.cell_px
        self.first: list[int] = []
        self.changes: list[list[int]] = []
        self._atlas = atlas
        self._last: NDArray[np.uint8] | None = None

    def see(self, world: TextGame) -> None:
        """Take the picture of now."""
        side = self._atlas.cell_px
        if self._last is None:
            self.cell_px = _cell_px(world, side)
        frame = _whole_tiles(world.picture(self.cell_px), side)
        if self._last is None:
            self.rows, self.cols = frame.shape[0] // side, frame.shape[1] // side
            self.first = [self._number(frame, place) for place in range(self.rows * self.cols)]
        else:
            self.changes.append(
                [
                    each
                    for place in _changed(self._last, frame, side)
                    for each in (place, self._number(frame, place))
                ]
            )
        self._last = frame

    def pictures(self) -> Iterator[list[int]]:
        """The tile numbers of every picture, as a page puts them together again."""
        tiles = list(self.first)
        yield list(tiles)
        for change in self.changes:
            for place, number in zip(change[::2], change[1::2], strict=True):
                tiles[place] = number
            yield list(tiles)

    def _number(self, frame: NDArray[np.uint8], place: int) -> int:
        side = self._atlas.cell_px
        row, col = divmod(place, self.cols)
        return self._atlas.number(frame[row * side : (row + 1) * side, col * side : (col + 1) * side])


def _cell_px(world: TextGame, side: int) -> int:
    """Pixels a cell in which a page shows a level whose tiles have so many pixels a side."""
    try:
        longest: int = max(world.picture(side).shape)
    except PictureError:
        cell_px = side
        while cell_px > 1 and max(world.picture_shape(cell_px)) > MAX_SIDE_PX:
            cell_px //= 2  # so that a tile holds whole cells, and equal ones are kept once
        if cell_px == side:
            raise  # it is not for its size that it cannot be drawn
        return cell_px
    return side * min(_MOST_TIMES, max(1, round(LEAST_PX / longest)))


def _whole_tiles(frame: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """The picture with its last row and column of tiles filled up, where it is no multiple of a tile."""
    height, width = frame.shape[:2]
    if height % side or width % side:
        frame = np.pad(frame, ((0, -height % side), (0, -width % side), (0, 0)), mode="edge")
    return np.ascontiguousarray(frame)


def _changed(before: NDArray[np.uint8], after: NDArray[np.uint8], side: int) -> list[int]:
    """Places of the tiles that differ; a tile's row of pixels is whole words, so each lies in one tile."""
    words = np.flatnonzero(before.reshape(-1).view(np.uint64) != after.reshape(-1).view(np.uint64))
    in_row = after.shape[1] * 3 // _WORD
    rows, cols = words // in_row // side, words % in_row // (side * 3 // _WORD)
    places: list[int] = np.unique(rows * (after.shape[1] // side) + cols).tolist()
    return places
