"""What callers give a SpatialGym env, checked: an error says what was expected, what came, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from maze_gym.envs.arguments import padded_shape, whole

if TYPE_CHECKING:
    from maze_gym.envs.sparc.observation import Frame

BOARD = "board"
STEPS_PER_POSITION = 2  # of the lanes: enough to fill the board with a line and to take all of it back


def checked_limit(max_steps: object) -> int | Literal["board"]:
    """A step limit: a number, or ``"board"``.

    Raises:
        InvalidArgument: it is neither, or the number is out of range.
    """
    if isinstance(max_steps, str) and max_steps == BOARD:
        return "board"
    return whole(max_steps, "max_steps", 1, other=BOARD)


def limit_of(max_steps: int | Literal["board"], rows: int, cols: int) -> int:
    """The step limit on a board of so many rows and columns of the array.

    ``"board"`` is ``STEPS_PER_POSITION`` for each position of the lanes, gaps included.

    >>> limit_of("board", 5, 5), limit_of("board", 13, 13), limit_of(100, 5, 5)
    (42, 266, 100)
    """
    if max_steps != BOARD:
        return int(max_steps)
    return STEPS_PER_POSITION * (rows * cols - (rows // 2) * (cols // 2))


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
