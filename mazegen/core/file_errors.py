"""What the system says of files, put into words: what could not be done with which, why, and what to do.

Every command line says it through ``in_words``; messages that know more of what was meant use ``why`` alone.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mazegen.core.bounded_files import MOST_OF_A_FILE, read_bounded
from mazegen.errors import NotText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_NEIGHBOURS = 10_000  # names of a folder among which a close one is looked for


class _Trouble(NamedTuple):
    """What an error number means to people.

    Attributes:
        cannot: what could not be done.
        why: as a clause of its own.
        remedy: what to do.
    """

    cannot: str
    why: str
    remedy: str


_PERMISSION = _Trouble("open", "permission is denied", "change its permissions, or name another place")
_FULL = "make room, and give the command again"
_TROUBLES = {
    errno.ENOENT: _Trouble("open", "there is no such file or folder", "check the name"),
    errno.EISDIR: _Trouble("open", "it is a folder, and a file is meant", "name a file"),
    errno.ENOTDIR: _Trouble("open", "a file stands where a folder is meant", "name a folder"),
    errno.EEXIST: _Trouble("make", "something of that name is there already", "name another place"),
    errno.ENOTEMPTY: _Trouble("replace", "the folder is not empty", "empty it, or name another place"),
    errno.EACCES: _PERMISSION,
    errno.EPERM: _PERMISSION,
    errno.ENAMETOOLONG: _Trouble("open", "the name is too long", "give a shorter name"),
    errno.ELOOP: _Trouble("open", "its symbolic links lead round in a circle", "mend the links"),
    errno.EINVAL: _Trouble("open", "the file system does not take it", "name another place"),
    errno.ENOSPC: _Trouble("write", "the disk is full", _FULL),
    errno.EDQUOT: _Trouble("write", "the quota of the disk is used up", _FULL),
    errno.EFBIG: _Trouble("write", "the file would be too large", "name a place on another disk"),
    errno.EROFS: _Trouble("write", "the file system is read-only", "name a place that can be written"),
    errno.ETXTBSY: _Trouble("write", "a program is running from it", "name another place"),
    errno.EBUSY: _Trouble("open", "another program is using it", "wait for it, or name another place"),
    errno.EMFILE: _Trouble("open", "too many files are open", "raise the limit (ulimit -n)"),
    errno.ENFILE: _Trouble("open", "too many files are open", "close other programs"),
    errno.EIO: _Trouble("use", "the disk has failed", "copy what is left of it elsewhere"),
    errno.ENXIO: _Trouble("open", "it is no file, and nobody is at its other end", "name a file"),
    errno.ENODEV: _Trouble("open", "there is no such device", "name a file"),
    errno.EOPNOTSUPP: _Trouble("open", "it cannot be opened as a file", "name a file"),
    errno.ESTALE: _Trouble("open", "the network drive no longer knows it", "mount the drive again"),
    errno.ENOTCONN: _Trouble("open", "the network drive is gone", "mount the drive again"),
}


def why(error: OSError) -> str:
    """The reason of an error, as words for people; never a number."""
    if error.errno is None:
        return str(error) or type(error).__name__
    known = _TROUBLES.get(error.errno)
    return known.why if known is not None else _as_clause(error)


def in_words(error: OSError) -> str:
    """What could not be done with which file, why, and what to do.

    An error that carries no number was put into words where it was raised, and is passed on.
    """
    if error.errno is None:
        return why(error)
    name = error.filename if error.filename2 is None else error.filename2
    path = None if name is None or isinstance(name, int) else Path(os.fsdecode(name))
    known = _TROUBLES.get(error.errno) or _Trouble("use", _as_clause(error), "look at it, or name another")
    if path is not None:
        known = _more_precisely(error.errno, known, path)
    what = "a file" if path is None else repr(str(path))
    return f"cannot {known.cannot} {what}: {known.why}; {known.remedy}"


@contextlib.contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of a file that is open say which file it is; the system itself then names none."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = os.fspath(path)
        raise


def read_text(path: str | os.PathLike[str], most_bytes: int = MOST_OF_A_FILE) -> str:
    """The text of a file.

    Raises:
        NotText: it is not in UTF-8; the message names the file.
        UnreadableFile: there is more of it than ``most_bytes``.
        OSError: it cannot be read.
    """
    data = read_bounded(path, most_bytes)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"{path}: {not_text(error)}"
        raise NotText(msg) from error


def not_text(error: UnicodeDecodeError) -> str:
    """What is wrong with a file that was to be text."""
    byte = error.object[error.start]
    return (
        f"this is no text in UTF-8 (byte {byte:#04x} at place {error.start}); "
        "name another file, or save it as UTF-8"
    )


def close_path(path: str | os.PathLike[str]) -> Path | None:
    """What lies in the same folder under a name like that of a path where nothing is."""
    folder = Path(path).parent
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in itertools.islice(entries, MOST_NEIGHBOURS))
    except OSError:
        return None
    close = difflib.get_close_matches(Path(path).name, names, n=1)
    return folder / close[0] if close else None


def check_names(arguments: Iterable[str]) -> None:
    """Refuse what the system takes for no name at all.

    Raises:
        NotText: an argument holds a NUL character.
    """
    for argument in arguments:
        if "\0" in argument:
            msg = f"{argument!r} holds a NUL character, which no name of a file can; leave it out"
            raise NotText(msg)


def _as_clause(error: OSError) -> str:
    words = error.strerror or type(error).__name__
    return words[:1].lower() + words[1:]


def _more_precisely(number: int, known: _Trouble, path: Path) -> _Trouble:
    """The same, with what a look at the disk adds."""
    blocker = _file_on_the_way(path)
    if number in (errno.ENOTDIR, errno.EEXIST, errno.ENOENT) and blocker is not None:
        return known._replace(why=f"{str(blocker)!r} is a file, not a folder", remedy="name a folder")
    if number == errno.EEXIST and _is_file(path):
        return known._replace(why="it is a file, and a folder is meant", remedy="name a folder")
    if number == errno.ENOENT:
        parent = path.parent
        if not _is_folder(parent):
            return known._replace(
                why=f"there is no folder {str(parent)!r}", remedy="make it, or check the name"
            )
        close = close_path(path)
        if close is not None:
            return known._replace(remedy=f"did you mean {str(close)!r}?")
    return known


def _file_on_the_way(path: Path) -> Path | None:
    """The file among the folders of a path, if there is one."""
    return next((each for each in path.parents if _is_file(each)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
