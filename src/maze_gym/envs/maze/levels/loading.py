"""Where levels of MazeNLU come from: a maze, a file, a folder, a bundled suite, or a list of those."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from maze_gym import suites
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.game import Level, LevelSet
from mazegen import codec
from mazegen.core.bounded_files import bounded_lines
from mazegen.core.maze import Maze
from mazegen.datasets.folder import maze_files
from mazegen.errors import MazeFormatError, UnsupportedMechanism

MazeSource: TypeAlias = Maze | Mapping[str, object] | str | os.PathLike[str]


class Skipped(NamedTuple):
    """A file of a folder that is not played, and why."""

    file: str
    reason: str


def load_maze(source: MazeSource) -> Maze:
    """One maze from a ``Maze``, a decoded JSON object or the path of a file.

    Raises:
        MazeFormatError: it is not a maze that this package plays.
        InvalidArgument: it is none of the three.
        OSError: the file cannot be read.
    """
    if isinstance(source, Maze):
        return source
    if isinstance(source, Mapping):
        return codec.from_dict(dict(source))
    if isinstance(source, str | os.PathLike):
        return codec.load(source)
    msg = f"a maze must be a Maze, a dict or a path, got {type(source).__name__}"
    raise InvalidArgument(msg)


def load_mazes(source: MazeSource | Sequence[MazeSource]) -> tuple[list[Maze], list[Skipped]]:
    """Mazes of a suite, folder, file or list, in a fixed order, and the files that were left out.

    A file that ends in ``.jsonl`` holds a maze a line. In a folder, JSON files that are not mazes and mazes
    with mechanisms that are not built yet are left out and named; a broken maze file is an error. What a
    data set keeps beside its mazes, such as its manifest, is passed over.

    Raises:
        LevelsNotFound: there is nothing of that name, or nothing in it.
        MazeFormatError: a file is broken.
    """
    if isinstance(source, Sequence) and not isinstance(source, str):
        mazes = [load_maze(each) for each in source]
        if not mazes:
            msg = "the list of mazes is empty"
            raise LevelsNotFound(msg)
        return mazes, []
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            return _load_folder(path)
        if not path.exists() and not path.is_symlink():  # a link that leads nowhere is told as such
            return [entry.load() for entry in suites.find(os.fspath(source))], []
        if path.suffix == codec.JSON_LINES:
            return list(_load_lines(path)), []
    return [load_maze(source)], []


def load_levels(source: str | os.PathLike[str]) -> LevelSet:
    """Levels for evaluation; see ``load_mazes``."""
    mazes, skipped = load_mazes(source)
    levels = tuple(Level(maze.level_id, maze.content_hash, {"maze": maze}) for maze in mazes)
    return LevelSet(levels, tuple(skipped), {"mazes": mazes})


def _load_lines(path: Path) -> Iterator[Maze]:
    """The mazes of a shard, one a line."""
    with path.open("rb") as lines:
        for number, line in enumerate(bounded_lines(lines, str(path)), 1):
            yield codec.loads(line, source=f"{path}:{number}")


def _load_folder(folder: Path) -> tuple[list[Maze], list[Skipped]]:
    mazes: list[Maze] = []
    skipped: list[Skipped] = []
    broken: list[MazeFormatError] = []
    for path in maze_files(folder):
        try:
            mazes.extend(_load_lines(path) if path.suffix == codec.JSON_LINES else [codec.load(path)])
        except UnsupportedMechanism as error:
            skipped.append(Skipped(path.name, "; ".join(problem.message for problem in error.problems)))
        except MazeFormatError as error:
            if any(problem.message == "lacks 'maze'" for problem in error.problems):
                skipped.append(Skipped(path.name, "is not a maze file"))
            else:
                broken.append(error)
    if broken:
        problems = [
            problem._replace(path=f"{Path(error.source).name} {problem.path}")
            for error in broken
            for problem in error.problems
        ]
        raise MazeFormatError(problems, str(folder))
    if not mazes:
        found = "; ".join(f"{file}: {reason}" for file, reason in skipped) or "no .json file at all"
        msg = f"{str(folder)!r} holds no maze that can be played ({found})"
        raise LevelsNotFound(msg)
    return mazes, skipped
