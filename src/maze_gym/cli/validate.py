"""``maze-gym validate FILE...``: prove mazes again, and say what is wrong with them or their claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NOT_VALID = 1


def validate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|FOLDER...",
            help="Maze files, files of a maze a line (.jsonl), folders of both, data sets.",
        ),
    ],
    *,
    every: Annotated[bool, typer.Option("--verbose", "-v", help="Show the checks that pass, too.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help='Print one JSON object a maze; its "line" counts from 0.')
    ] = False,
) -> None:
    """Re-prove mazes: solvable, every mechanism needed, nothing bypassed, and true to their own proof.

    A data set has to be true to its manifest as well. Of a file with a maze a line those that fail are shown.

    Exit code 0 if all of them pass, 1 if one does not.

    Example: maze-gym validate levels/*.json data/vaults
    """
    from mazegen.datasets.proving_again import tell

    if not tell(files, typer.echo, every=every, as_json=as_json):
        raise typer.Exit(NOT_VALID)
