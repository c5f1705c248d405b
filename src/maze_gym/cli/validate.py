"""``maze-gym validate FILE...``: prove mazes again, and say what is wrong with them or their claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mazegen.validator import ValidationReport

NOT_VALID = 1


def validate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|FOLDER...", help="Maze files (JSON), or folders with nothing else in them."
        ),
    ],
    *,
    every: Annotated[bool, typer.Option("--verbose", "-v", help="Show the checks that pass, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a file.")] = False,
) -> None:
    """Re-prove maze files: solvable, every mechanism needed, nothing bypassed, and true to their own proof.

    Exit code 0 if all of them pass, 1 if one does not.

    Example: maze-gym validate levels/*.json
    """
    from mazegen.validator import validate_file

    passed = True
    for file in _expanded(files):
        report = validate_file(file)
        passed &= report.passed
        if as_json:
            typer.echo(json.dumps({"file": str(file), **report.to_dict()}))
        else:
            typer.echo(_words(file, report, every=every))
    if not passed:
        raise typer.Exit(NOT_VALID)


def _expanded(paths: Sequence[Path]) -> Iterator[Path]:
    """Every path that is a file, and the JSON files of every path that is a folder."""
    from maze_gym.errors import LevelsNotFound

    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(path.glob("*.json"))
        if not inside:
            msg = f"{str(path)!r} holds no .json file"
            raise LevelsNotFound(msg)
        yield from inside


def _words(file: Path, report: ValidationReport, *, every: bool) -> str:
    failed = len(report.failed)
    verdict = "valid" if report.passed else f"{failed} of {len(report.checks)} checks failed"
    lines = [f"{file}: {verdict}"]
    for check in report.checks:
        if every or not check.passed:
            mark = "ok " if check.passed else "BAD"
            lines.append(f"  {mark} {check.name}: {check.reason or check.evidence or 'holds'}")
    return "\n".join(lines)
