"""From a file name to a window that edits it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maze_gym import suites
from maze_gym.edit.app import EditorApp
from maze_gym.edit.changes import NEW_COLS, NEW_ROWS, empty_maze
from maze_gym.edit.editor import Editor
from maze_gym.errors import InvalidArgument
from mazegen import codec

if TYPE_CHECKING:
    import os

DEFAULT_NAME = "maze.json"


def edit(path: str | os.PathLike[str] | None = None, *, rows: int = NEW_ROWS, cols: int = NEW_COLS) -> None:
    """Edit a maze file until the window is closed.

    Args:
        path: the file; one that does not exist yet is made when the maze is first saved. The name of a
            bundled level begins from a copy of it. By default
            the first free name of maze.json, maze-2.json, ...
        rows: height of a new board, ring included.
        cols: width of a new board, ring included.

    Raises:
        MazeFormatError: the file is not a maze that this package reads, or a new board is too small.
        InvalidArgument: the file's folder does not exist.
        NoDisplay: there is no screen.
    """
    EditorApp(open_editor(path, rows=rows, cols=cols)).run()


def open_editor(
    path: str | os.PathLike[str] | None = None, *, rows: int = NEW_ROWS, cols: int = NEW_COLS
) -> Editor:
    """An editor of a file, new or not; raises as ``edit`` does."""
    file = _free_name() if path is None else Path(path)
    if file.exists():
        return Editor(codec.load(file), file)
    if path is not None and suites.is_bundled(str(path)):
        return _copy_of(str(path))
    if not file.parent.is_dir():
        msg = f"there is no folder {str(file.parent)!r} to save {file.name} in"
        raise InvalidArgument(msg)
    return Editor(empty_maze(rows, cols, level_id=file.stem), file)


def _copy_of(name: str) -> Editor:
    """An editor that begins from a bundled level, and saves to a file of this folder."""
    entries = suites.find(name)
    if len(entries) > 1:
        msg = f"{name!r} is a suite of {len(entries)} levels; name one, such as {entries[0].names[0]}"
        raise InvalidArgument(msg)
    maze = entries[0].load()
    return Editor(maze, _free_name(f"{maze.level_id.rpartition('/')[2]}.json"))


def _free_name(wanted: str = DEFAULT_NAME) -> Path:
    file, number = Path(wanted), 2
    while file.exists():
        file, number = Path(wanted).with_stem(f"{Path(wanted).stem}-{number}"), number + 1
    return file
