"""The symbolic observation of SpatialGym: planes of the board, the shapes on it, and the clock."""

from __future__ import annotations

from enum import IntEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
from gymnasium import spaces

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.rules.puzzle import MAX_TRIANGLES, Color, Kind, extent, normalized

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maze_gym.envs.sparc.rules.puzzle import Path, Puzzle


class Plane(IntEnum):
    """First index of ``planes``; each is an array of small numbers, one a position."""

    KIND = 0  # what is there, see Thing
    COLOR = 1  # of a symbol, 1 to 8 in the order of Color; 0 without
    NUMBER = 2  # triangles of a rule cell, or 1 + index into ``shapes``; 0 without
    VISITED = 3  # 1 where the line is, its head included
    HEAD = 4  # 1 where the line ends now
    START = 5
    END = 6


class Thing(IntEnum):
    """Numbers of ``Plane.KIND``."""

    LANE = 0
    DOT = 1
    GAP = 2
    EMPTY_CELL = 3
    SQUARE = 4
    STAR = 5
    TRIANGLE = 6
    POLYOMINO = 7
    YLOP = 8
    BEYOND = 9  # outside of the board, where it is padded


class Frame(NamedTuple):
    """How large the arrays of an observation are.

    Attributes:
        rows: of the planes.
        cols: of the planes.
        pieces: how many different shapes a board may have.
        side: rows and columns in which a shape is written.
    """

    rows: int = 13
    cols: int = 13
    pieces: int = 9
    side: int = 4

    def holding(self, other: Frame) -> Frame:
        """The smallest frame that is no smaller than either."""
        return Frame(*map(max, self, other))

    def holds(self, other: Frame) -> bool:
        """Whether what fits into the other one fits into this."""
        return self.holding(other) == self


class Observation(TypedDict):
    """One observation; every array is fresh."""

    planes: NDArray[np.uint8]  # (7, rows, cols), see Plane
    shapes: NDArray[np.uint8]  # (pieces, side, side): 1 where a shape has a cell, moved up and left
    steps_left: NDArray[np.int32]  # (1,): actions until truncation


_SYMBOLS = {
    Kind.SQUARE: Thing.SQUARE,
    Kind.STAR: Thing.STAR,
    Kind.TRIANGLE: Thing.TRIANGLE,
    Kind.POLYOMINO: Thing.POLYOMINO,
    Kind.YLOP: Thing.YLOP,
}
_COLORS = {color: 1 + index for index, color in enumerate(Color)}


@lru_cache(maxsize=4096)
def frame_of(puzzle: Puzzle) -> Frame:
    """The smallest frame that holds a puzzle."""
    sides = [max(extent(puzzle.cells_of[shape])) for shape in pieces_of(puzzle)]
    return Frame(puzzle.rows, puzzle.cols, len(sides), max(sides, default=1))


def pieces_of(puzzle: Puzzle) -> tuple[int, ...]:
    """Ids of the shapes that symbols of a puzzle have, sorted: the order of ``shapes``."""
    return tuple(sorted({symbol.shape for _, symbol in puzzle.symbols if symbol.shape is not None}))


def observation_space(frame: Frame, max_steps: int) -> spaces.Dict:
    """The space of observations in a frame, with true bounds on every number."""
    planes = np.ones((len(Plane), frame.rows, frame.cols), np.uint8)
    planes[Plane.KIND] = max(Thing)
    planes[Plane.COLOR] = len(Color)
    planes[Plane.NUMBER] = max(MAX_TRIANGLES, frame.pieces)
    return spaces.Dict(
        {
            "planes": spaces.Box(np.zeros_like(planes), planes, dtype=np.uint8),
            "shapes": spaces.Box(0, 1, (frame.pieces, frame.side, frame.side), np.uint8),
            "steps_left": spaces.Box(0, max_steps, (1,), np.int32),
        }
    )


@cache
def counter(number: int) -> Callable[[], NDArray[np.int32]]:
    """Makes (1,) int32 arrays that hold a number; twice as fast as making them from the number."""
    return np.array((number,), np.int32).copy


def legend() -> dict[str, dict[int, str]]:
    """What each number of the observation means."""
    return {
        "plane": {int(plane): plane.name.lower() for plane in Plane},
        "kind": {int(thing): thing.name.lower() for thing in Thing},
        "color": {0: "none"} | {number: color.name.lower() for color, number in _COLORS.items()},
        "action": {int(action): action.name for action in rules.Action},
    }


def shape_array(puzzle: Puzzle, frame: Frame) -> NDArray[np.uint8]:
    """(pieces, side, side) uint8: the shapes of ``pieces_of``, the rest of the array empty."""
    shapes = np.zeros((frame.pieces, frame.side, frame.side), np.uint8)
    for index, shape in enumerate(pieces_of(puzzle)):
        for row, col in normalized(puzzle.cells_of[shape]):
            shapes[index, row, col] = 1
    return shapes


class Planes:
    """The planes of one episode, changed in place step by step; ``copy`` hands out a fresh array.

    Args:
        puzzle: the puzzle.
        frame: how large the planes are.
    """

    def __init__(self, puzzle: Puzzle, frame: Frame) -> None:
        """Write the whole board once, with the line at its start."""
        planes = np.zeros((len(Plane), frame.rows, frame.cols), np.uint8)
        planes[Plane.KIND] = Thing.BEYOND
        board = planes[:, : puzzle.rows, : puzzle.cols]
        board[Plane.KIND] = Thing.LANE
        board[Plane.KIND, 1::2, 1::2] = Thing.EMPTY_CELL
        for thing, positions in ((Thing.GAP, puzzle.gaps), (Thing.DOT, puzzle.dots)):
            for row, col in positions:
                board[Plane.KIND, row, col] = thing
        pieces = pieces_of(puzzle)
        for (row, col), symbol in puzzle.symbols:
            number = symbol.count if symbol.shape is None else 1 + pieces.index(symbol.shape)
            board[Plane.KIND, row, col] = _SYMBOLS[symbol.kind]
            board[Plane.COLOR, row, col] = _COLORS[symbol.color]
            board[Plane.NUMBER, row, col] = number
        board[Plane.START][puzzle.start] = board[Plane.END][puzzle.end] = 1
        board[Plane.VISITED][puzzle.start] = board[Plane.HEAD][puzzle.start] = 1
        self._shape = planes.shape
        size = frame.rows * frame.cols
        # By position, where the numbers of the two planes that change are kept.
        self._visited = {
            (row, col): Plane.VISITED * size + row * frame.cols + col for row, col in puzzle.lanes
        }
        self._to_head = (Plane.HEAD - Plane.VISITED) * size
        self._bytes = bytearray(planes.tobytes())
        self._link()

    def fork(self) -> Planes:
        """The same planes, to be changed apart from these."""
        other = Planes.__new__(Planes)
        other.__dict__.update(self.__dict__)
        other._bytes = self._bytes[:]  # noqa: SLF001 - its own class
        other._link()  # noqa: SLF001 - its own class
        return other

    def _link(self) -> None:
        self.copy = np.frombuffer(self._bytes, np.uint8).reshape(self._shape).copy

    def update(self, before: Path, after: Path) -> None:
        """Change what one move, or its undoing, changed."""
        data, to_head = self._bytes, self._to_head
        was, here = self._visited[before[-1]], self._visited[after[-1]]
        if len(after) < len(before):
            data[was] = 0
        data[was + to_head] = 0
        data[here] = data[here + to_head] = 1

    def __getstate__(self) -> dict[str, object]:
        """Without the array, which would not share its memory in a copy."""
        return {name: value for name, value in self.__dict__.items() if name != "copy"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Look at the copied bytes."""
        self.__dict__.update(state)
        self._link()
