"""Proving again whatever holds mazes: a file, JSON lines, a folder, a data set.

A data set is held to its manifest as well: every maze that it lists is there and as it says, and no other is.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from mazegen import codec
from mazegen.dataset_folder import JOURNAL, MANIFEST, SPLITS
from mazegen.errors import MazeFormatError, NoMazeFiles
from mazegen.maze import Maze, Validation
from mazegen.validator import Check, ValidationReport, recheck, unreadable

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

_Place: TypeAlias = tuple[Path, int | None]  # file, and line in it, counted from 0 as a manifest does
_Rows: TypeAlias = dict[_Place, dict[str, Any]]


class Validated(NamedTuple):
    """What was found of one maze.

    Attributes:
        file: where it lies.
        line: in a file of JSON lines, counted from 0 as in a manifest; else None.
        maze: None if it could not be read.
        report: the checks.
    """

    file: Path
    line: int | None
    maze: Maze | None
    report: ValidationReport

    @property
    def where(self) -> str:
        """File and line, counted from 1, as editors show them."""
        return _where(self.file, self.line)


def validate_path(path: str | os.PathLike[str]) -> Iterator[Validated]:
    """``recheck`` every maze of a file, of JSON lines, of a folder of both, or of a data set.

    What breaks the format is a failed check, not an error.

    Raises:
        NoMazeFiles: the folder holds no file of mazes, or a data set that is not finished.
        OSError: a file cannot be read.
    """
    path = Path(path)
    if not path.is_dir():
        yield from _of_file(path)
        return
    if (path / JOURNAL).exists():
        msg = f"{str(path)!r} holds a data set that is not finished; the command that made it goes on with it"
        raise NoMazeFiles(msg)
    files = sorted(each for each in path.iterdir() if each.suffix in (".json", codec.JSON_LINES))
    rows = _rows(path / MANIFEST)
    if rows is not None:
        files.remove(path / MANIFEST)
        files += [each for split in SPLITS for each in sorted((path / split).glob("*.json"))]
    if not files and not rows:
        msg = f"{str(path)!r} holds no .json or .jsonl file"
        raise NoMazeFiles(msg)
    for file in files:
        for each in _of_file(file):
            yield each if rows is None else _held_to(rows.pop((each.file, each.line), None), each)
    for (file, line), row in (rows or {}).items():
        missing = Check("claim:manifest", passed=False, reason="the manifest lists it, but it is not there")
        report = ValidationReport(str(row.get("level_id")), (missing,), Validation(is_valid=False))
        yield Validated(file, line, None, report)


def _where(file: Path, line: int | None) -> str:
    return str(file) if line is None else f"{file}:{line + 1}"


def _of_file(file: Path) -> Iterator[Validated]:
    if file.suffix != codec.JSON_LINES:
        yield _read(file, None, None)
        return
    with file.open("rb") as lines:
        for number, text in enumerate(lines):
            yield _read(file, number, text)


def _read(file: Path, line: int | None, text: bytes | None) -> Validated:
    where = _where(file, line)
    try:
        maze = codec.load(file) if text is None else codec.loads(text, source=where)
    except MazeFormatError as error:
        return Validated(file, line, None, unreadable(where, error))
    return Validated(file, line, maze, recheck(maze))


def _rows(manifest: Path) -> _Rows | None:
    """Rows of a data set's manifest by where the mazes lie; None if there is no such manifest."""
    try:
        listed = json.loads(manifest.read_text(encoding="utf-8"))
        return {(manifest.parent / row["file"], row.get("line")): row for row in listed["levels"]}
    except FileNotFoundError:
        return None
    except (ValueError, LookupError, TypeError):
        return None  # of something else, and therefore read as a maze


def _held_to(row: dict[str, Any] | None, found: Validated) -> Validated:
    """With one more check: whether the maze is as the manifest says."""
    if found.maze is None:
        return found
    if row is None:
        reason = "the manifest does not list it"
    else:
        lies = _lies(row, found.maze, found.report)
        reason = "; ".join(f"it says {name} {row.get(name)!r}, not {true!r}" for name, true in lies.items())
    check = Check("claim:manifest", not reason, reason, "" if reason else "is as the manifest says")
    report = dataclasses.replace(found.report, checks=(*found.report.checks, check))
    return found._replace(report=report)


def _lies(row: dict[str, Any], maze: Maze, report: ValidationReport) -> dict[str, object]:
    """What is true where the manifest says something else."""
    true = {
        "level_id": maze.level_id,
        "content_hash": maze.content_hash,
        "optimal_actions": len(report.proof.optimal_actions),
        "optimal_cost": report.proof.optimal_cost,
        "states": report.states,
        "dead_states": report.dead_states,
        "plans": report.plans,
    }
    return {name: value for name, value in true.items() if row.get(name) != value}
