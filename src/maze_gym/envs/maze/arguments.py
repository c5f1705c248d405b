"""What callers give a MazeNLU env, checked: an error says what was expected, what came, what to do."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, cast, get_args

from maze_gym.envs import arguments
from maze_gym.errors import InvalidArgument
from mazegen.core.maze import Facing, Maze, Position
from mazegen.core.rules import Finish

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def checked_finish(finish: object) -> Finish:
    """``"arrival"`` or ``"done_action"``."""
    for known in get_args(Finish):
        if finish == known:
            return cast("Finish", known)
    msg = f"finish must be one of {', '.join(get_args(Finish))}, got {finish!r}"
    raise InvalidArgument(msg)


def checked_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> Mapping[str, Any]:
    """The options of a reset; one that is not known is an error."""
    options = options or {}
    unknown = sorted(set(options) - set(known))
    if unknown:
        msg = f"unknown reset option {unknown[0]!r}; there are: {', '.join(known)}"
        raise InvalidArgument(msg)
    return options


def fitting(maze: Maze, shape: tuple[int, int]) -> Maze:
    """The maze, if observations of this shape have room for it."""
    rows, cols = shape
    if maze.rows > rows or maze.cols > cols:
        msg = (
            f"{maze.level_id} is {maze.rows} x {maze.cols} but this env observes {rows} x {cols}; "
            f"make it with max_shape=({max(rows, maze.rows)}, {max(cols, maze.cols)})"
        )
        raise InvalidArgument(msg)
    return maze


def positive(value: object, name: str) -> int | None:
    """None, or an integer of at least 1."""
    return None if value is None else arguments.whole(value, name, 1)


def padded_shape(shape: tuple[int, int] | None, largest: tuple[int, int]) -> tuple[int, int]:
    """The shape of all observations: as given if the largest level fits, else that of this level."""
    return arguments.padded_shape(shape, largest, "level")


def start_cell(maze: Maze, start: object) -> int:
    """Cell of a (row, col) pair that is free and not the goal."""
    try:
        row, col = (operator.index(number) for number in start)  # type: ignore[attr-defined]  # checked by trying
    except (TypeError, ValueError) as error:
        msg = f"option start must be a (row, col) pair of integers, got {start!r}"
        raise InvalidArgument(msg) from error
    position = Position(row, col)
    if not (0 <= row < maze.rows and 0 <= col < maze.cols) or maze.is_wall(position):
        msg = f"option start must be a free cell of the {maze.rows} x {maze.cols} board, got {position}"
        raise InvalidArgument(msg)
    if position == maze.goal:
        msg = f"option start must not be the goal cell, got {position}"
        raise InvalidArgument(msg)
    return maze.cell(position)


def start_facing(facing: object) -> Facing:
    """A facing from its name, in any case, or its number."""
    try:
        return Facing[facing.upper()] if isinstance(facing, str) else Facing(operator.index(facing))  # type: ignore[arg-type]  # checked by trying
    except (KeyError, TypeError, ValueError) as error:
        known = ", ".join(f"{int(each)} {each.name}" for each in Facing)
        msg = f"option facing must be one of {known}, got {facing!r}"
        raise InvalidArgument(msg) from error
