"""``maze-gym edit``: the level editor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mazegen.core.maze import MAX_SIDE


def edit(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE|LEVEL",
            help="The maze, or a bundled level to begin from; by default a new one.",
        ),
    ] = None,
    *,
    rows: Annotated[int, typer.Option(min=4, max=MAX_SIDE, help="Height of a new board.")] = 9,
    cols: Annotated[int, typer.Option(min=4, max=MAX_SIDE, help="Width of a new board.")] = 12,
) -> None:
    """Build a maze with mouse and keys, and see at once whether it can be solved.

    Example: maze-gym edit my_maze.json
    """
    from maze_gym.edit import edit as edit_in_window

    edit_in_window(file, rows=rows, cols=cols)
