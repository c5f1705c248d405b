"""``maze-gym leaderboard FOLDER``: everybody who has played the same levels in one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli.console import Column, Listing, name, show

if TYPE_CHECKING:
    from maze_gym.evaluation.analysis.leaderboard import Board


def leaderboard(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where runs and recordings are, at any depth.")
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Rank people, trained policies, language models and references that have played the same levels.

    Example: maze-gym leaderboard runs
    """
    from maze_gym.evaluation.analysis.leaderboard import leaderboard as boards_in

    boards = boards_in(folder)
    if as_json:
        typer.echo(json.dumps([_for_machines(board) for board in boards]))
        return

    for board in boards:
        show(_listing(board))


def _for_machines(board: Board) -> dict[str, object]:
    rows = [{**row._asdict(), "rate": row.rate._asdict()} for row in board.rows]
    return {**board._asdict(), "rows": rows}


def _listing(board: Board) -> Listing:
    columns = [
        Column("", is_key=True),
        Column("who", folds=True, is_key=True),
        Column("kind", folds=True),
        *map(Column, ("success", "rate", "95 % interval", "SPL", "/ optimal")),
        Column("run", folds=True),
    ]
    rows = []
    notes: list[str] = []
    for place, row in enumerate(board.rows, 1):
        rate = row.rate
        star = "" if row.is_finished and rate.clusters == board.levels else " *"
        if star:
            notes = ["* has not played every level of this board, or the run is unfinished."]
        rows.append(
            [
                str(place),
                name(row.label) + star,
                row.kind,
                f"{rate.successes}/{rate.trials}",
                "-" if rate.rate is None else f"{rate.rate:.1%}",
                "-" if rate.interval is None else "{:.1%} - {:.1%}".format(*rate.interval),
                "-" if row.spl is None else f"{row.spl:.3f}",
                "-" if row.steps_over_optimal is None else f"{row.steps_over_optimal:.3f}",
                name(row.run),
            ]
        )
    return Listing(f"{board.env_id}: {board.levels} levels ({board.name})", columns, rows, notes)
