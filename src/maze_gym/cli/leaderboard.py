"""``maze-gym leaderboard FOLDER``: everybody who has played the same levels in one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli.console import NAME_WIDTH, stdout

if TYPE_CHECKING:
    from rich.table import Table

    from maze_gym.evaluation.analysis.leaderboard import Board

WIDE = 110  # columns of a terminal that has room for everything


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

    console = stdout()
    for board in boards:
        console.print(_table(board, is_wide=console.width >= WIDE))


def _for_machines(board: Board) -> dict[str, object]:
    rows = [{**row._asdict(), "rate": row.rate._asdict()} for row in board.rows]
    return {**board._asdict(), "rows": rows}


def _table(board: Board, *, is_wide: bool) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from maze_gym.llm.untrusted import shown

    title = f"{board.env_id}: {board.levels} levels ({escape(board.name)})"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("", justify="right")
    table.add_column("who", overflow="fold", min_width=NAME_WIDTH)
    table.add_column("kind", no_wrap=True)
    for name in ("success", "rate", "95 % interval", "SPL"):
        table.add_column(name, justify="right", no_wrap=True)
    if is_wide:
        table.add_column("/ optimal", justify="right", no_wrap=True)
        table.add_column("run", overflow="fold")
    notes = False
    for place, row in enumerate(board.rows, 1):
        rate = row.rate
        star = "" if row.is_finished and rate.clusters == board.levels else " *"
        notes |= bool(star)
        cells = [
            str(place),
            escape(shown(row.label)) + star,
            row.kind,
            f"{rate.successes}/{rate.trials}",
            "-" if rate.rate is None else f"{rate.rate:.1%}",
            "-" if rate.interval is None else "{:.1%} - {:.1%}".format(*rate.interval),
            "-" if row.spl is None else f"{row.spl:.3f}",
            "-" if row.steps_over_optimal is None else f"{row.steps_over_optimal:.3f}",
            escape(shown(row.run)),
        ]
        table.add_row(*cells[: len(table.columns)])
    if notes:
        table.caption = "* has not played every level of this board, or the run is unfinished."
        table.caption_justify = "left"
    return table
