"""Proving again whatever holds mazes: a file, JSON lines, a folder, a data set.

A data set is held to its manifest as well: every maze that it lists is there, as it says, the one that its
spec and seed make, once, and in the split where it belongs, and no other is there. The manifest of a bundled
suite says less, and is held to that.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from mazegen import codec
from mazegen.core.bounded_files import bounded_lines, json_of
from mazegen.core.parts import Validation
from mazegen.core.printable import printable
from mazegen.core.randomness import derive_seed
from mazegen.datasets.config import SPLITS, DatasetConfig
from mazegen.datasets.folder import JOURNAL, MANIFEST, maze_files, row_of
from mazegen.errors import GenerationFailed, MazeFormatError, NoMazeFiles, SearchLimitExceeded, UnsolvableMaze
from mazegen.generation.orchestrator import generate
from mazegen.validation.claims import spec_of
from mazegen.validation.difficulty import measure
from mazegen.validation.report import Check, ValidationReport, unreadable
from mazegen.validation.validator import recheck

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from mazegen.core.maze import Maze
    from mazegen.generation.spec import MazeGenSpec

_Place: TypeAlias = tuple[Path, int | None]  # file, and line in it, counted from 0 as a manifest does
_ALWAYS = frozenset({"content_hash"})  # what a row has to say even where no config says what else there is


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

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; ``line`` counts from 0."""
        return {"file": str(self.file), "line": self.line, **self.report.to_dict()}

    def in_words(self, *, every: bool = False) -> str:
        """The verdict, and a line for each check that failed; for ``every`` one that was made."""
        report = self.report
        verdict = "valid" if report.passed else f"{len(report.failed)} of {len(report.checks)} checks failed"
        lines = [f"{self.where}: {verdict}"]
        for check in report.checks:
            if every or not check.passed:
                mark = "ok " if check.passed else "BAD"
                lines.append(f"  {mark} {check.name}: {check.reason or check.evidence or 'holds'}")
        return "\n".join(lines)


def tell(
    paths: Iterable[str | os.PathLike[str]],
    say: Callable[[str], object],
    *,
    every: bool = False,
    as_json: bool = False,
) -> bool:
    """Prove again whatever lies there and say what was found; whether all of it passed.

    Args:
        paths: as ``validate_path`` takes them.
        say: gets each piece of text, without the end of its last line.
        every: also what passed, the mazes of a file with a maze a line among it.
        as_json: a JSON object for each maze, instead of words and a summary.

    Raises:
        NoMazeFiles: as in ``validate_path``.
        OSError: a file cannot be read.
    """
    count = bad = 0
    in_lines = False
    for each in itertools.chain.from_iterable(map(validate_path, paths)):
        count, bad = count + 1, bad + (not each.report.passed)
        in_lines |= each.line is not None
        if as_json:
            say(json.dumps(each.to_dict()))
        elif each.line is None or every or not each.report.passed:
            say(printable(each.in_words(every=every), keep="\n"))
    if (count > 1 or in_lines) and not as_json:
        verdict = f"{bad:,} NOT valid" if bad else "all valid"
        say(f"{count:,} maze{'s' if count != 1 else ''}: {verdict}")
    return not bad


def validate_path(path: str | os.PathLike[str]) -> Iterator[Validated]:
    """``recheck`` every maze of a file, of JSON lines, of a folder of both, or of a data set.

    What breaks the format is a failed check, not an error.

    Raises:
        NoMazeFiles: there is no maze in it, or a data set that is not finished.
        OSError: a file cannot be read.
    """
    path = Path(path)
    found = None
    for found in _of_folder(path) if path.is_dir() else _of_file(path):
        yield found
    if found is None:
        msg = f"{str(path)!r} holds no maze"
        raise NoMazeFiles(msg)


def _of_folder(folder: Path) -> Iterator[Validated]:
    if (folder / JOURNAL).exists():
        msg = (
            f"{str(folder)!r} holds a data set that is not finished; the command that made it goes on with it"
        )
        raise NoMazeFiles(msg)
    files = maze_files(folder)
    manifest = _Manifest.of(folder / MANIFEST)
    if manifest is not None:
        files += [each for split in SPLITS for each in maze_files(folder / split)]
    elif (folder / MANIFEST).exists():
        files = sorted([*files, folder / MANIFEST])  # of something else, and therefore read as a maze
    if not files and manifest is None:
        msg = f"{str(folder)!r} holds no .json or .jsonl file"
        raise NoMazeFiles(msg)
    for each in itertools.chain.from_iterable(map(_of_file, files)):
        yield each if manifest is None else manifest.held_against(each)
    if manifest is not None:
        yield from manifest.what_is_left()


def _where(file: Path, line: int | None) -> str:
    return str(file) if line is None else f"{file}:{line + 1}"


def _of_file(file: Path) -> Iterator[Validated]:
    if file.suffix != codec.JSON_LINES:
        yield _read(file, None, None)
        return
    with file.open("rb") as lines:
        for number, text in enumerate(bounded_lines(lines, str(file))):
            yield _read(file, number, text)


def _read(file: Path, line: int | None, text: bytes | None) -> Validated:
    where = _where(file, line)
    try:
        maze = codec.load(file) if text is None else codec.loads(text, source=where)
    except MazeFormatError as error:
        return Validated(file, line, None, unreadable(where, error))
    return Validated(file, line, maze, recheck(maze))


class _Manifest:
    """What a manifest says of its mazes, and which of them were found so far."""

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        """Take up a manifest with its rows; raises KeyError or TypeError if it is of something else."""
        self._path = path
        self._rows: dict[_Place, list[dict[str, Any]]] = collections.defaultdict(list)
        for row in head["levels"]:
            self._rows[path.parent / row["file"], row.get("line")].append(row)
        self._config: DatasetConfig | None = None
        self._faults: list[str] = []
        self._seen: dict[str, str] = {}  # where each layout was found first
        if "config" in head:  # of a data set, not of a bundled suite
            try:
                self._config = DatasetConfig.from_dict(head["config"])
            except ValueError as error:
                self._faults = [f"its config: {error}"]
            else:
                self._faults = list(_faults_of_head(head, self._config))

    @classmethod
    def of(cls, path: Path) -> _Manifest | None:
        """Read a manifest; None if there is none, or one of something else."""
        try:
            return cls(path, json_of(path.read_bytes(), path.name))
        except FileNotFoundError:
            return None
        except (ValueError, LookupError, TypeError, RecursionError):
            return None

    def held_against(self, found: Validated) -> Validated:
        """With one more check: whether the maze is as the manifest says."""
        rows = self._rows.pop((found.file, found.line), [])
        if found.maze is None:
            return found
        reason = "; ".join(self._lies(found.maze, found.where, rows))
        check = Check("claim:manifest", not reason, reason, "" if reason else "is as the manifest says")
        report = dataclasses.replace(found.report, checks=(*found.report.checks, check))
        return found._replace(report=report)

    def what_is_left(self) -> Iterator[Validated]:
        """A report on each row whose maze was not found, and one on the head if that lies."""
        for (file, line), rows in self._rows.items():
            missing = _failed(str(rows[0].get("level_id")), "the manifest lists it, but it is not there")
            yield Validated(file, line, None, missing)
        if self._faults:
            yield Validated(self._path, None, None, _failed(MANIFEST, "; ".join(self._faults)))

    def _lies(self, maze: Maze, where: str, rows: list[dict[str, Any]]) -> Iterator[str]:
        """Every way in which the rows of one place are not what they have to be."""
        if not rows:
            yield "the manifest does not list it"
            return
        if len(rows) > 1:
            yield f"the manifest lists it {len(rows)} times"
        try:
            measured = measure(maze)
        except (UnsolvableMaze, SearchLimitExceeded) as error:
            yield f"what it says cannot be proved: {error}"
            return
        spec = spec_of(maze)
        true = row_of(maze, measured, spec, self._config)
        for row in rows:
            yield from _lies_of_row(row, true, _ALWAYS if self._config is None else true.keys())
        if self._config is None:
            return
        yield from _lies_of_origin(maze, spec)
        candidate, file = rows[0].get("candidate"), rows[0]["file"]
        if derive_seed(self._config.seed, str(candidate)) != maze.seed:
            yield f"it says candidate {candidate!r}, whose seed is not {maze.seed}"
        if not file.startswith(true["split"]):
            yield f"it lies in {file}, and belongs to {true['split']}"
        first = self._seen.setdefault(true["layout_hash"], where)
        if first != where:
            yield f"it is the maze of {first} once more, as it is, turned or recoloured"


def _lies_of_row(row: dict[str, Any], true: dict[str, Any], needed: AbstractSet[str]) -> Iterator[str]:
    for name, value in true.items():
        if name in row and row[name] != value:
            yield f"it says {name} {row[name]!r}, not {value!r}"
        elif name not in row and name in needed:
            yield f"it does not say {name}, which is {value!r}"


def _failed(name: str, reason: str) -> ValidationReport:
    """The report on what the manifest says where there is no maze."""
    failed = Check("claim:manifest", passed=False, reason=reason)
    return ValidationReport(name, (failed,), Validation(is_valid=False))


def _lies_of_origin(maze: Maze, spec: MazeGenSpec | None) -> Iterator[str]:
    """What is wrong with the spec and the seed of a maze, made again from both."""
    if spec is None:
        yield "the maze does not say from which spec it was made"
        return
    try:
        is_made_so = generate(spec, maze.seed).content_hash == maze.content_hash
    except GenerationFailed:
        is_made_so = False
    if not is_made_so:
        yield "its spec and its seed make another maze"


def _faults_of_head(head: dict[str, Any], config: DatasetConfig) -> Iterator[str]:
    """What the head of a data set's manifest says and its rows belie."""
    rows = head["levels"]
    if config.count != len(rows):
        yield f"it lists {len(rows):,} mazes, its config says {config.count:,}"
    counted = collections.Counter(str(row.get("split")) for row in rows)
    splits = {name: counted[name] for name in SPLITS}
    if head.get("splits") != splits:
        yield f"it says splits {head.get('splits')}, its rows are {splits}"
    lost: list[Any]
    tried, *lost = (head.get(name) for name in ("candidates", "duplicates", "failed"))
    if not all(isinstance(each, int) for each in lost) or tried != sum(lost, len(rows)):
        yield f"it says {tried} candidates, {lost[0]} duplicates and {lost[1]} failed for {len(rows):,} mazes"
    if config.tier is not None and any(row.get("tier") != config.tier for row in rows):
        yield f"its config says tier {config.tier}, and not all of its rows do"
    spec = {} if config.spec is None else config.spec.to_dict()
    if spec and any(row.get("spec") != spec | {"seed": row.get("seed")} for row in rows):
        yield "its config says a spec, and not all of its rows do"
