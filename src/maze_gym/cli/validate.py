"""``maze-gym validate FILE...``: prove mazes again, and say what is wrong with them or their claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maze_gym.cli.console import say

NOT_VALID = 1


def validate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|FOLDER|SUITE|LEVEL...",
            help="Maze files, files of a maze a line (.jsonl), folders of both, data sets, bundled suites.",
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

    found = [_path(each) for each in files]

    if not tell(found, typer.echo if as_json else say, every=every, as_json=as_json):
        raise typer.Exit(NOT_VALID)


def _path(source: str) -> Path:
    """Where the mazes of a name lie.

    Raises:
        InvalidArgument: they are levels of a world that is not of mazes.
    """
    from maze_gym import suites
    from maze_gym.errors import InvalidArgument
    from maze_gym.registration import world_with

    path = Path(source)
    if path.exists() or path.is_symlink():
        return path
    if suites.is_bundled(source):
        return suites.path_of(source)
    world = world_with(source)
    if world is not None:
        msg = (
            f"{source!r} is of {world.id}, and mazes alone can be proved again; "
            f"its plans are shown by: maze-gym solve {source}"
        )
        raise InvalidArgument(msg)
    return path
