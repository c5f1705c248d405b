"""Bundled level sets: package data, one folder each, with a manifest of hashes."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from maze_gym.errors import LevelsNotFound
from mazegen import codec

if TYPE_CHECKING:
    from mazegen.core.maze import Maze


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
        msg = f"no suite {suite!r}; bundled suites: {', '.join(names())}"
        raise LevelsNotFound(msg)
    text = resources.files(__name__).joinpath(suite, "manifest.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def load(suite: str) -> list[Maze]:
    """The mazes of a suite, each checked against the hash that the manifest states.

    Raises:
        LevelsNotFound: there is no such suite, or a level is not the one that was published.
    """
    folder = resources.files(__name__).joinpath(suite)
    mazes = []
    for row in manifest(suite)["levels"]:
        maze = codec.loads(folder.joinpath(row["file"]).read_bytes(), source=f"{suite}/{row['file']}")
        if maze.content_hash != row["content_hash"]:
            msg = f"{suite}/{row['file']} is not the published level: its hash differs; reinstall maze-gym"
            raise LevelsNotFound(msg)
        mazes.append(maze)
    return mazes
