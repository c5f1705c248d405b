"""What callers give the envs of every world, checked: an error says what was expected and what came."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL_NUMBERS = 2**31  # levels that an env without num_levels draws from


def whole(value: object, name: str, least: int) -> int:
    """An integer that is not too small."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        msg = f"{name} must be an integer of at least {least}, got {value!r}"
        raise InvalidArgument(msg)
    return value


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
    """
    if shape is None:
        return largest
    try:
        given = operator.index(shape[0]), operator.index(shape[1])
    except (TypeError, IndexError) as error:
        msg = f"max_shape must be (rows, cols), got {shape!r}"
        raise InvalidArgument(msg) from error
    if given[0] < largest[0] or given[1] < largest[1]:
        msg = f"max_shape {given} is smaller than the largest {what}, which needs {largest}"
        raise InvalidArgument(msg)
    return given


def checked_numbers(num_levels: int | None, start_level: int) -> int:
    """How many generated levels there are to draw from, and that their numbers are numbers."""
    for name, value, least in (("num_levels", num_levels, 1), ("start_level", start_level, 0)):
        if value is not None and (type(value) is not int or not least <= value <= LEVEL_NUMBERS):
            msg = f"{name} must be an integer from {least} to {LEVEL_NUMBERS}, got {value!r}"
            raise InvalidArgument(msg)
    return num_levels or LEVEL_NUMBERS
