"""``maze-gym play``: a person at the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maze_gym.cli.other_worlds import chosen
from maze_gym.cli.run_options import LEVELS


def play(
    *,
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            "--levels",
            metavar=LEVELS,
            help="What to play; by default the world's suite.",
        ),
    ] = None,
    tier: Annotated[
        int | None, typer.Option(help="Play fresh levels of this difficulty, 1 to 5, made for the seed.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the levels and resets.")] = 0,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Append each episode to a file, as for any policy."),
    ] = None,
    screenshots: Annotated[Path, typer.Option(metavar="DIR", help="Where screenshots go.")] = Path(),
    env: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The world to play; by default that of the levels, or MazeNLU-v0."),
    ] = None,
) -> None:
    """Play levels with the keyboard: arrow keys, hints, undo, your steps against the optimum.

    Example: maze-gym play --level starter --record me.jsonl
    """
    from maze_gym.play import play as play_in_window

    play_in_window(
        chosen(env, level), levels=level, tier=tier, seed=seed, record=record, screenshots=screenshots
    )
