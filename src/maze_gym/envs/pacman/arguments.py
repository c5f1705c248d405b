"""What callers give a PacmanArray env, checked: an error says what was expected, what came, what to do."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING

from maze_gym.envs.pacman.rules import LUCK_VALUES, max_score
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.envs.pacman.rules.layout import Layout


def check_fits(layout: Layout, shape: tuple[int, int], most: int) -> None:
    """A board that an env observes whole, with its highest score.

    Args:
        layout: the board.
        shape: (rows, cols) that are observed.
        most: points that are observed.

    Raises:
        InvalidArgument: the board is larger, or can bring more points.
    """
    rows, cols = shape
    if layout.rows > rows or layout.cols > cols:
        msg = (
            f"{layout.level_id} is {layout.rows} x {layout.cols} but this env observes {rows} x {cols}; "
            f"make it with max_shape=({max(rows, layout.rows)}, {max(cols, layout.cols)})"
        )
        raise InvalidArgument(msg)
    if max_score(layout) > most:
        msg = (
            f"{layout.level_id} can bring {max_score(layout)} points, more than the {most} that this env "
            "observes; make it with layouts=[...] that include it"
        )
        raise InvalidArgument(msg)


def with_starts(layout: Layout, options: Mapping[str, object]) -> Layout:
    """The layout with the starts that the options name; the ghosts keep the order in which they are named.

    Raises:
        InvalidArgument: an option is not made of (row, col) pairs on the board.
        LayoutError: nobody can start there.
    """
    player, ghosts = options.get("player"), options.get("ghosts")
    if player is not None:
        layout = replace(layout, player=_cell(layout, "player", player))
    if ghosts is not None:
        if not isinstance(ghosts, list | tuple):
            msg = f"option ghosts must be a list of (row, col) pairs, got {ghosts!r}"
            raise InvalidArgument(msg)
        layout = replace(layout, ghosts=tuple(_cell(layout, "ghosts", each) for each in ghosts))
    return layout


def luck_of(value: object) -> int:
    """The luck that an option names."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < LUCK_VALUES:
        msg = f"option luck must be an integer from 0 to {LUCK_VALUES - 1}, got {value!r}"
        raise InvalidArgument(msg)
    return value


def _cell(layout: Layout, name: str, pair: object) -> int:
    try:
        row, col = (operator.index(number) for number in pair)  # type: ignore[attr-defined]  # checked by trying
    except (TypeError, ValueError) as error:
        msg = f"option {name} must name cells as (row, col) pairs of integers, got {pair!r}"
        raise InvalidArgument(msg) from error
    if not (0 <= row < layout.rows and 0 <= col < layout.cols):
        msg = (
            f"option {name} names row {row}, column {col}, outside of the {layout.rows} x {layout.cols} board"
        )
        raise InvalidArgument(msg)
    return row * layout.cols + col
