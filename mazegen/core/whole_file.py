"""Files that are written whole or not at all: a full disk or a kill leaves what was there before."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from mazegen.core.file_errors import why
from mazegen.errors import NotWritten

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_STEM = 80  # of a temporary name: file systems take names of 255 bytes, and a letter may take four
_NEW_FILE = 0o666  # less what the umask of the process takes away


def write_whole(path: str | os.PathLike[str], data: bytes | str, *, durable: bool = True) -> None:
    """Write a file so that whoever reads it finds the old or the new one, never a part.

    Args:
        path: the file; a device or a pipe is written to as it is.
        data: its content; text is written as UTF-8, line breaks as they are.
        durable: wait for the disk, so that a power cut leaves the old or the new one, too.

    Raises:
        NotWritten: the disk did not take it; the old file is as it was. The message names the file.
    """
    content = data.encode("utf-8") if isinstance(data, str) else data
    with whole_file(path, durable=durable) as unfinished:
        unfinished.write_bytes(content)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], *, durable: bool = True) -> Iterator[Path]:
    """A path to write to, by whatever library; what is there at the end takes the place of the file.

    It ends as the file does, so that libraries take it for the same kind. Where an error is raised within,
    the old file is as it was.

    Raises:
        NotWritten: an ``OSError`` within, or the file cannot be replaced; the message names the file.
    """
    target = Path(path)
    with writing_to(target):
        real = Path(os.path.realpath(target))  # a link goes on to be one
        mode = _mode(real)
        if mode is not None and not stat.S_ISREG(mode):
            if stat.S_ISDIR(mode):
                msg = f"{target} could not be written: it is a folder; name a file"
                raise NotWritten(msg)
            yield real
            return
        # Many threads and processes may write the same file.
        own = f"{os.getpid()}-{threading.get_ident()}"
        unfinished = real.with_name(f".{real.stem[:_LONGEST_STEM]}.{own}{real.suffix}")
        try:
            os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _NEW_FILE))
            yield unfinished
            if durable:
                _sync(unfinished)
            if mode is not None:
                unfinished.chmod(stat.S_IMODE(mode))
            unfinished.replace(real)
        except BaseException:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise


def _mode(path: Path) -> int | None:
    """Kind and rights of what is there; None where nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def append_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Append to a file all of the data or none.

    Raises:
        NotWritten: the disk did not take it; what was there before is as it was.
    """
    with writing_to(path), Path(path).open("ab", buffering=0) as file:
        before, written = os.fstat(file.fileno()).st_size, 0
        try:
            while written < len(data):  # a disk that is nearly full takes a part first, then fails
                written += file.write(data[written:])
        except BaseException:
            with contextlib.suppress(OSError):  # a device, which has no size
                file.truncate(before)
            raise


@contextlib.contextmanager
def writing_to(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have errors of writing name the file: those of a full disk do not.

    Raises:
        NotWritten: in place of an ``OSError`` within, but for those of files elsewhere, which were only read.
    """
    try:
        yield
    except NotWritten:
        raise
    except OSError as error:
        if _is_elsewhere(error, Path(path)):
            raise
        reason = why(error)
        named = NotWritten(f"{os.fspath(path)} could not be written: {reason}")
        named.strerror = reason
        raise named from error


def _is_elsewhere(error: OSError, target: Path) -> bool:
    """Whether an error names a file that lies neither beside nor within what is written."""
    if not isinstance(error.filename, str):
        return False
    folders = target.absolute().parent, Path(os.path.realpath(target)).parent
    return not any(Path(error.filename).absolute().is_relative_to(folder) for folder in folders)
