"""What callers give the envs of every world, checked: an error says what was expected and what came."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL_NUMBERS = 2**31  # levels that an env without num_levels draws from
MOST_STEPS = 2**31 - 2  # what 32 bits hold; as in ``mazegen.vector.arrays``


def whole(value: object, name: str, least: int, *, most: int = MOST_STEPS, other: str | None = None) -> int:
    """An integer of any kind from ``least`` to ``most``, as a plain one.

    Args:
        value: as given.
        name: of the argument.
        least: the smallest that serves.
        most: the largest.
        other: what may be given in its place, for the message.

    Raises:
        InvalidArgument: it is no integer, or out of range.
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # that it may be none is the point
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        instead = "" if other is None else f" or {other!r}"
        msg = f"{name} must be an integer from {least} to {most}{instead}, got {value!r}"
        raise InvalidArgument(msg)
    return number


def checked_render_mode(mode: str | None, modes: Sequence[str]) -> str | None:
    """None, or one of the modes that an env draws in."""
    if mode not in (None, *modes):
        msg = f"render_mode must be None or one of {', '.join(modes)}, got {mode!r}"
        raise InvalidArgument(msg)
    return mode


def padded_shape(
    shape: tuple[int, int] | None, largest: tuple[int, int], what: str = "board"
) -> tuple[int, int]:
    """The shape of all observations: as given if the largest board fits, else that of this board.

    Args:
        shape: as given, (rows, cols).
        largest: (rows, cols) of the largest board.
        what: the world calls it.

    Raises:
        InvalidArgument: the shape is no pair of integers, or smaller than the largest board.
    """
    if shape is None:
        return largest
    try:
        # By their places: what has none, as a set, says not which number is the rows.
        rows, cols = (operator.index(shape[place]) for place in range(len(shape)))
    except (TypeError, ValueError, KeyError) as error:
        msg = f"max_shape must be (rows, cols), got {shape!r}"
        raise InvalidArgument(msg) from error
    if rows < largest[0] or cols < largest[1]:
        msg = f"max_shape {rows, cols} is smaller than the largest {what}, which needs {largest}"
        raise InvalidArgument(msg)
    return rows, cols


def level_numbers(num_levels: object, start_level: object) -> tuple[int, int]:
    """How many generated levels there are to draw from, and the number of the first, as plain integers.

    Args:
        num_levels: an integer of any kind; None for ``LEVEL_NUMBERS``.
        start_level: likewise.

    Raises:
        InvalidArgument: one of them is something else, or out of range.
    """
    first = whole(start_level, "start_level", 0, most=LEVEL_NUMBERS)
    if num_levels is None:
        return LEVEL_NUMBERS, first
    return whole(num_levels, "num_levels", 1, most=LEVEL_NUMBERS), first
