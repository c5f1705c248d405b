"""Maze files: JSON to ``Maze`` and back. This folder is the only place where ``[x, y]`` exists.

A file holds pairs ``[x, y]``, 0-based, in a box ``dimensions = [width, height]`` whose outer ring is
solid whether or not it is listed among the walls. Three generations of files are read (versions
"0.1", "1.0" / "1.1" and "2.0") and one is written (``FORMAT_VERSION``), which those systems'
readers accept as well. ``maze.schema.json`` beside this file is its JSON Schema.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mazegen.codec.checked_json import MAX_BYTES, check_depth, parse
from mazegen.codec.reading import FORMAT_VERSION, READABLE_VERSIONS, MazeReader
from mazegen.codec.writing import as_lines, to_dict
from mazegen.core.whole_file import write_whole

if TYPE_CHECKING:
    from mazegen.core.maze import Maze

JSON_LINES = ".jsonl"  # of files that hold a maze a line

__all__ = [
    "FORMAT_VERSION",
    "JSON_LINES",
    "READABLE_VERSIONS",
    "dump",
    "dumps",
    "from_dict",
    "load",
    "loads",
    "schema",
    "to_dict",
]


def load(source: str | os.PathLike[str] | IO[bytes] | IO[str] | Mapping[str, object]) -> Maze:
    """Read one maze.

    Args:
        source: the path of a maze file, an open file, or what JSON made of one.

    Raises:
        MazeFormatError: it is not a maze that this package reads; lists every problem by JSON path.
        UnsupportedMechanism: it is in order but uses a mechanism that is not built yet.
        OSError: the file cannot be read.

    >>> import io
    >>> from mazegen import load
    >>> load(io.StringIO('{"maze": {"dimensions": [5, 3], "start": [1, 1], "goal": [3, 1]}}')).goal
    Position(row=1, col=3)
    """
    if isinstance(source, Mapping):
        return from_dict(source)
    if isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as file:
            return loads(file.read(MAX_BYTES + 1), source=str(source))
    return loads(source.read(MAX_BYTES + 1), source=str(getattr(source, "name", "maze")))


def loads(data: bytes | str, *, source: str = "maze") -> Maze:
    """Read a maze from JSON text; raises as ``load`` does."""
    return from_dict(parse(data, source), source=source)


def from_dict(payload: object, *, source: str = "maze") -> Maze:
    """Read a maze from decoded JSON; raises as ``load`` does. ``payload`` is not kept."""
    check_depth(payload, source)
    return MazeReader(source).read(payload)


def dumps(maze: Maze) -> str:
    """A maze as JSON text, one member a line; ``loads(dumps(maze)) == maze``."""
    return as_lines(to_dict(maze)) + "\n"


def dump(maze: Maze, path: str | os.PathLike[str]) -> None:
    """Write a maze file so that a reader sees the old file or the new one, never half of one.

    Raises:
        NotWritten: the disk did not take it; the old file is as it was.
    """
    write_whole(path, dumps(maze))


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the files that ``dump`` writes."""
    text = resources.files("mazegen.codec").joinpath("maze.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
