"""Bundled level sets: package data, one folder each, with a manifest of hashes."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.close_names import did_you_mean
from maze_gym.errors import LevelsNotFound
from maze_gym.game import Suite
from mazegen import codec
from mazegen.core.file_errors import close_path

if TYPE_CHECKING:
    from mazegen.core.maze import Maze

SUMMARIES = {
    "core": "twelve generated mazes of each difficulty tier, the levels to compare policies on",
    "smoke": "two generated mazes of each tier, for a quick look whether all works",
    "starter": "made by hand, one idea a level: from a straight walk to keys, switches and traps",
}


class Entry(NamedTuple):
    """A bundled level: its suite, and its row in the manifest."""

    suite: str
    row: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that the level goes by: its id, or its file with or without the suite and the ending."""
        stem = PurePath(self.row["file"]).stem
        ids = (self.row["level_id"].removeprefix(f"{self.suite}/"), stem, self.row["file"])
        return tuple(dict.fromkeys([*(f"{self.suite}/{each}" for each in ids), *ids]))

    def load(self) -> Maze:
        """The maze, checked against the hash that the manifest states.

        Raises:
            LevelsNotFound: it is not the one that was published.
        """
        where = f"{self.suite}/{self.row['file']}"
        data = resources.files(__name__).joinpath(self.suite, self.row["file"]).read_bytes()
        maze = codec.loads(data, source=where)
        if maze.content_hash != self.row["content_hash"]:
            msg = f"{where} is not the published level: its hash differs; reinstall maze-gym"
            raise LevelsNotFound(msg)
        return maze


@cache
def names() -> tuple[str, ...]:
    """Names of the bundled suites, sorted."""
    root = resources.files(__name__)
    return tuple(sorted(entry.name for entry in root.iterdir() if entry.joinpath("manifest.json").is_file()))


def manifest(suite: str) -> dict[str, Any]:
    """The manifest of a suite: file, level id and content hash of each level, in playing order.

    Raises:
        LevelsNotFound: there is no such suite.
    """
    if suite not in names():
        msg = f"no suite {suite!r}; bundled suites: {', '.join(names())}{did_you_mean(suite, names())}"
        raise LevelsNotFound(msg)
    text = resources.files(__name__).joinpath(suite, "manifest.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def load(suite: str) -> list[Maze]:
    """The mazes of a suite, each checked against the hash that the manifest states.

    Raises:
        LevelsNotFound: there is no such suite, or a level is not the one that was published.
    """
    return [entry.load() for entry in find(suite)]


def table() -> tuple[Suite, ...]:
    """What there is, for people to choose from."""
    rows = []
    for name in names():
        lengths = [entry.row["optimal_actions"] for entry in find(name)]
        rows.append(Suite(name, len(lengths), (min(lengths), max(lengths)), SUMMARIES[name]))
    return tuple(rows)


def is_bundled(name: str) -> bool:
    """Whether a suite, or a level of one, has this name."""
    return name in names() or name in _entries()


def find(name: str) -> tuple[Entry, ...]:
    """The levels of a suite (``starter``), or the one level of a name (``starter/straight``).

    Raises:
        LevelsNotFound: there is no such suite and no such level; a close name is suggested.
    """
    if name in names():
        return tuple(Entry(name, row) for row in manifest(name)["levels"])
    entry = _entries().get(name)
    if entry is None:
        near = close_path(name)
        hint = did_you_mean(name, [*names(), *_entries(), *([] if near is None else [str(near)])])
        known = ", ".join(names())
        msg = f"no file or folder {name!r}; no suite or level of that name; bundled suites: {known}{hint}"
        raise LevelsNotFound(msg)
    return (entry,)


def path_of(name: str) -> Path:
    """The folder of a bundled suite, or the file of a bundled level; raises as ``find`` does."""
    entries = find(name)
    folder = Path(str(resources.files(__name__))) / entries[0].suite
    return folder if name in names() else folder / entries[0].row["file"]


@cache
def _entries() -> dict[str, Entry]:
    """Each level by each of its names; the first suite has what two of them have."""
    found: dict[str, Entry] = {}
    for suite in names():
        for row in manifest(suite)["levels"]:
            entry = Entry(suite, row)
            for name in entry.names:
                found.setdefault(name, entry)
    return found
