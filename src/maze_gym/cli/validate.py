"""``maze-gym validate FILE...``: prove mazes again, and say what is wrong with them or their claims."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mazegen.validate_dataset import Validated

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
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a maze.")] = False,
) -> None:
    """Re-prove mazes: solvable, every mechanism needed, nothing bypassed, and true to their own proof.

    A data set has to be true to its manifest as well. Of a file with a maze a line those that fail are shown.

    Exit code 0 if all of them pass, 1 if one does not.

    Example: maze-gym validate levels/*.json data/vaults
    """
    from mazegen.validate_dataset import validate_path

    count = bad = 0
    in_lines = False
    for each in itertools.chain.from_iterable(map(validate_path, files)):
        count, bad = count + 1, bad + (not each.report.passed)
        in_lines |= each.line is not None
        if as_json:
            typer.echo(json.dumps({"file": str(each.file), "line": each.line, **each.report.to_dict()}))
        elif each.line is None or every or not each.report.passed:
            typer.echo(_words(each, every=every))
    if (count > 1 or in_lines) and not as_json:
        typer.echo(
            f"{count:,} maze{'s' if count != 1 else ''}: {f'{bad:,} NOT valid' if bad else 'all valid'}"
        )
    if bad:
        raise typer.Exit(NOT_VALID)


def _words(found: Validated, *, every: bool) -> str:
    report = found.report
    verdict = "valid" if report.passed else f"{len(report.failed)} of {len(report.checks)} checks failed"
    lines = [f"{found.where}: {verdict}"]
    for check in report.checks:
        if every or not check.passed:
            mark = "ok " if check.passed else "BAD"
            lines.append(f"  {mark} {check.name}: {check.reason or check.evidence or 'holds'}")
    return "\n".join(lines)
