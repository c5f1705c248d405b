"""Sets of puzzles: bundled suites, files of public records, and the public data set itself."""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.close_names import did_you_mean
from maze_gym.envs.sparc.levels.record import from_record
from maze_gym.envs.sparc.rules.puzzle import PuzzleError
from maze_gym.errors import InvalidArgument, LevelsNotFound, UnreadableFile
from maze_gym.extras import require
from maze_gym.game import Suite
from mazegen.core.bounded_files import json_of
from mazegen.core.file_errors import read_text
from mazegen.errors import NotText

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.sparc.rules.puzzle import Puzzle

SUITE = "spatial"
SPLITS = ("test", "train", "validation")
# "spatial" alone is what is evaluated on: the test split.
BUNDLED = {SUITE: "test"} | {f"{SUITE}-{split}": split for split in SPLITS}
HUB_ID = "lkaesberg/SPaRC"
HUB_REVISION = "e2d908363190e9a244f931df2654a501facc90a7"  # 2026-08-02; later ones may hold other puzzles
HUB_CONFIGS = (
    "all", "dots", "gaps", "stars", "stones", "triangles", "polys", "polys_ylops", "stones_stars",
    "dots_stars_polys", "gaps_dots_triangles",
)  # fmt: skip
HUB_SPLITS = ("test", "train")
_SUFFIX = ".jsonl"


class BadRecord(InvalidArgument):
    """A line of a file of records is wrong; the message names file, line, puzzle and field.

    Attributes:
        source: the file.
        line: number of the line, from 1 on.
        problem: what is wrong with it.
    """

    def __init__(self, source: str, line: int, problem: str) -> None:
        """Say what is wrong with a line."""
        super().__init__(f"{source}, line {line}: {problem}")
        self.source, self.line, self.problem = source, line, problem

    def __reduce__(self) -> tuple[type[BadRecord], tuple[str, int, str]]:
        """Pickle by the arguments, so that the error survives the way out of a worker process."""
        return (type(self), (self.source, self.line, self.problem))


def load_puzzles(source: str | os.PathLike[str]) -> tuple[Puzzle, ...]:
    """The puzzles of a source, in its order.

    Args:
        source: a bundled suite (``spatial``, which is ``spatial-test``, ``spatial-train`` or
            ``spatial-validation``), or a puzzle of one by its id; the path of a JSONL file of public or short
            records; or the public data set, ``lkaesberg/SPaRC`` or ``lkaesberg/SPaRC:<config>:<split>``,
            which is downloaded to the cache of huggingface_hub when it is first asked for.

    Raises:
        LevelsNotFound: there is nothing of that name, nothing in it, or the public data set is neither in
            the cache nor can it be downloaded.
        BadRecord: a line is wrong.
        MissingExtra: the public data set needs the extra ``hf``.
        InvalidArgument: the source is neither text nor a path, or the data set has no such part.
    """
    if not isinstance(source, str | os.PathLike):
        msg = f"a source of puzzles must be the name of a suite or a path, got {type(source).__name__}"
        raise InvalidArgument(msg)
    name = os.fspath(source)
    if name in BUNDLED:
        return _bundled(BUNDLED[name])
    if is_bundled(name) and not Path(name).exists():
        return (bundled_puzzle(_by_name()[name]),)
    if name.partition(":")[0] == HUB_ID:
        return _read(_downloaded(name))
    path = Path(name)
    if path.is_file():
        return _read(path)
    hint = did_you_mean(name, [*BUNDLED, HUB_ID, *_by_name()])
    msg = f"no puzzles {name!r}; give a {_SUFFIX} file, {HUB_ID}, or one of {', '.join(BUNDLED)}{hint}"
    raise LevelsNotFound(msg)


def is_bundled(name: str) -> bool:
    """Whether a bundled suite, or a puzzle of one, has this name; see ``load_puzzles``."""
    is_likely = name.rpartition("/")[2].startswith(f"{SUITE}-")  # so that others need not wait for the files
    return name in BUNDLED or (is_likely and name in _by_name())


def table() -> tuple[Suite, ...]:
    """What there is, for people to choose from."""
    splits = manifest()["splits"]
    summaries = {
        SUITE: "line puzzles of five levels of difficulty, the test split",
        **{name: f"the {split} split" for name, split in BUNDLED.items() if name != SUITE},
    }
    return tuple(
        Suite(name, splits[split]["puzzles"], None, summaries[name]) for name, split in BUNDLED.items()
    )


@lru_cache(maxsize=1)
def _by_name() -> dict[str, BundledRecord]:
    """Each bundled puzzle by its id, with and without a suite in front of it."""
    found: dict[str, BundledRecord] = {}
    for suite, split in BUNDLED.items():
        for each in bundled_records(split):
            found[each.puzzle_id] = found[f"{suite}/{each.puzzle_id}"] = each
    return found


def read_records(lines: Iterable[str], source: str) -> tuple[Puzzle, ...]:
    """The puzzles of lines of JSON; empty lines are passed over.

    Raises:
        BadRecord: a line is wrong, or a puzzle has the id of an earlier one.
    """
    puzzles: dict[str, Puzzle] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            puzzle = from_record(json_of(line, "the line"))
        except UnreadableFile as error:
            raise BadRecord(source, number, f"no JSON: {error}") from error
        except PuzzleError as error:
            raise BadRecord(source, number, str(error)) from error
        except (ValueError, RecursionError) as error:
            raise BadRecord(source, number, f"no JSON: {error}") from error
        if puzzle.puzzle_id in puzzles:
            raise BadRecord(source, number, f"puzzle {puzzle.puzzle_id!r} is there already; ids must differ")
        puzzles[puzzle.puzzle_id] = puzzle
    return tuple(puzzles.values())


def manifest() -> dict[str, Any]:
    """What the bundled suite holds: for each split its file, its hash, and figures by level."""
    text = _folder().joinpath("index.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@lru_cache(maxsize=len(SPLITS))
def _bundled(split: str) -> tuple[Puzzle, ...]:
    """A split of the bundled suite."""
    return tuple(map(bundled_puzzle, bundled_records(split)))


@lru_cache(maxsize=len(SPLITS))
def bundled_records(split: str) -> tuple[BundledRecord, ...]:
    """What a split of the bundled suite holds, not yet made into puzzles.

    Raises:
        LevelsNotFound: the file does not have the hash that the manifest states.
    """
    row = manifest()["splits"][split]
    data = _folder().joinpath(row["file"]).read_bytes()
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        msg = f"{row['file']} is not the published suite: its hash differs; reinstall maze-gym"
        raise LevelsNotFound(msg)
    records = map(json.loads, data.decode().splitlines())
    return tuple(BundledRecord(each["id"], each["difficulty_level"], each) for each in records)


class BundledRecord(NamedTuple):
    """A record of the bundled suite; its name and level are known before it is read.

    Attributes:
        puzzle_id: of the puzzle.
        level: of the puzzle.
        record: the whole record.
    """

    puzzle_id: str
    level: int
    record: dict[str, Any]


def bundled_puzzle(bundled: BundledRecord) -> Puzzle:
    """The puzzle of a bundled record, the same object each time."""
    puzzle = _read_already.get(bundled.puzzle_id)
    if puzzle is None:
        # The hash of the file vouches for its solutions: a test judges each of them.
        puzzle = _read_already[bundled.puzzle_id] = from_record(bundled.record, judged=True)
    return puzzle


_read_already: dict[str, Puzzle] = {}  # by name; at most as many as there are in the suites


def _folder() -> Any:  # noqa: ANN401 - resources.abc.Traversable, which Python 3.14 moves
    return resources.files("maze_gym.suites").joinpath(SUITE)


def _read(path: Path) -> tuple[Puzzle, ...]:
    try:
        text = read_text(path)
    except (NotText, UnreadableFile) as error:
        raise LevelsNotFound(str(error)) from error
    puzzles = read_records(text.splitlines(), path.name)
    if not puzzles:
        msg = f"{path} holds no puzzle; a file of them has a record of JSON a line"
        raise LevelsNotFound(msg)
    return puzzles


def _downloaded(name: str) -> Path:
    """The file of a part of the public data set, in the cache of huggingface_hub."""
    parts = name.split(":")[1:]
    config, split, *rest = (*parts, *(HUB_CONFIGS[0], HUB_SPLITS[0])[len(parts) :])
    if rest:
        msg = f"the public data set is named {HUB_ID}:<config>:<split>, got {name!r}"
        raise InvalidArgument(msg)
    for what, value, known in (("config", config, HUB_CONFIGS), ("split", split, HUB_SPLITS)):
        if value not in known:
            msg = f"{HUB_ID} has no {what} {value!r}; there are: {', '.join(known)}"
            raise InvalidArgument(msg)
    hub, errors = require("huggingface_hub", "hf"), require("huggingface_hub.errors", "hf")
    file = f"puzzle_{config}_{split}{_SUFFIX}"
    try:
        return Path(hub.hf_hub_download(HUB_ID, file, repo_type="dataset", revision=HUB_REVISION))
    # HTTPError is the base of the HTTP library's failures; what else the hub raises is an OSError.
    except (errors.HTTPError, OSError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        msg = (
            f"{file} of {HUB_ID} could not be downloaded: {why}; try again with a network, or give the path "
            f"of a {_SUFFIX} file of its records"
        )
        raise LevelsNotFound(msg) from error
