"""What callers give a SpatialGym env, checked: an error says what was expected, what came, what to do."""

from __future__ import annotations

from typing import Literal

from maze_gym.envs.arguments import padded_shape, whole
from maze_gym.envs.sparc.observation import Frame

BOARD = "board"
MAX_STEPS = 100  # as in the paper's harness; no line on a board of its size, 13 x 13, has more than 98 moves
STEPS_PER_POSITION = 2  # of the lanes: enough to fill the board with a line and to take all of it back


def checked_limit(max_steps: object) -> int | Literal["board"] | None:
    """A step limit: a number, ``"board"``, or None for the usual one.

    Raises:
        InvalidArgument: it is neither, or the number is out of range.
    """
    if max_steps is None:
        return None
    if isinstance(max_steps, str) and max_steps == BOARD:
        return "board"
    return whole(max_steps, "max_steps", 1, other=BOARD)


def limit_of(max_steps: int | Literal["board"] | None, rows: int, cols: int) -> int:
    """The step limit on a board of so many rows and columns of the array; a larger one has no lower limit.

    ``"board"`` is ``STEPS_PER_POSITION`` for each position of the lanes, gaps included. None is the paper's
    limit, and what ``"board"`` is where that is more and the board larger than the paper's.

    >>> limit_of("board", 5, 5), limit_of("board", 13, 13), limit_of(100, 5, 5)
    (42, 266, 100)
    >>> limit_of(None, 5, 5), limit_of(None, 13, 13), limit_of(None, 17, 17)
    (100, 100, 450)
    """
    if isinstance(max_steps, int):
        return max_steps
    scaled = STEPS_PER_POSITION * (rows * cols - (rows // 2) * (cols // 2))
    if max_steps == BOARD:
        return scaled
    paper = Frame()
    return MAX_STEPS if rows <= paper.rows and cols <= paper.cols else max(MAX_STEPS, scaled)


def padded_frame(shape: tuple[int, int] | None, needed: Frame, default: Frame) -> Frame:
    """The frame of all observations: the default one or larger, with rows and columns as given.

    Raises:
        InvalidArgument: the shape is no pair, or smaller than the largest board.
    """
    frame = default.holding(needed)
    if shape is None:
        return frame
    rows, cols = padded_shape(shape, (needed.rows, needed.cols))
    return frame._replace(rows=rows, cols=cols)
