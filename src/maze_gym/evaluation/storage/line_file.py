"""Files of JSON lines that grow while a program may be killed at any moment: whole lines or none."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import deque
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar

from maze_gym.errors import InvalidArgument, NotWritten, UnreadableFile
from mazegen.core.bounded_files import bounded_lines, json_of
from mazegen.core.file_errors import why

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

SYNC_EVERY_S = 1.0  # a power cut takes no more than this with it; a killed process loses nothing
_CHUNK = 1 << 16
_T = TypeVar("_T")


class LineFile:
    """Appends JSON objects, one a line, whole ones by a single write; safe to share between threads.

    Args:
        path: made if it does not exist; a line that a killed program left unfinished is cut off.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        """Open for appending."""
        self._path = path
        self._lock = Lock()
        self._waiting: deque[bytes] = deque()
        self._synced = time.monotonic()
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)  # the last is Windows' own
        self._file = os.open(path, flags, 0o644)
        try:
            self._cut_unfinished_line()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, fields: Mapping[str, Any]) -> None:
        """Append one object; see ``append_text``."""
        self.append_text(json.dumps(fields))

    def append_text(self, line: str) -> None:
        """Append one line of text that holds no line break.

        Where another thread is just writing, it takes this line along: threads that queued for the disk would
        spend more time on that than on anything else of their own. See ``flush``.

        Raises:
            NotWritten: the disk took nothing, or a part that was taken back; earlier lines are safe, and what
                is missing will be tried again with the next line.
        """
        self._waiting.append(line.encode("utf-8") + b"\n")
        while self._waiting and self._lock.acquire(blocking=False):  # looks again after having let go
            try:
                self._write_waiting()
            finally:
                self._lock.release()

    def flush(self) -> None:
        """Have everything written that was appended before, by whichever thread.

        Raises:
            NotWritten: see ``append_text``.
        """
        with self._lock:
            self._write_waiting()

    def _write_waiting(self) -> None:
        lines = [self._waiting.popleft() for _ in range(len(self._waiting))]
        data, written = b"".join(lines), 0
        try:
            while written < len(data):  # a disk that is nearly full takes a part first, then fails
                written += os.write(self._file, data[written:])
            if time.monotonic() - self._synced > SYNC_EVERY_S:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            self._waiting.extendleft(reversed(lines))
            with contextlib.suppress(OSError):  # a device, which has no size; the next opening repairs it
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            reason = "it has been closed" if self._file < 0 else why(error)
            msg = f"{self._path} could not be written: {reason}; everything before it is safe"
            raise NotWritten(msg) from error

    def close(self) -> None:
        """Bring everything to the disk and close; safe to call again."""
        with self._lock:
            if self._file >= 0:
                with contextlib.suppress(NotWritten, OSError):  # a full disk has been told of already
                    self._write_waiting()
                    os.fsync(self._file)
                os.close(self._file)
                self._file = -1

    def last(self, make: Callable[[dict[str, Any]], _T]) -> _T | None:
        """What ``make`` takes the last object for; None where there is none.

        Raises:
            InvalidArgument: see ``read_records``.
        """
        with self._lock:
            size = os.fstat(self._file).st_size
            if not size:
                return None
            begin = self._end_of_line_before(size - 1)
            return _made(self._read(begin, size - begin), f"{self._path}, last line", make)

    def cut_last_line(self) -> None:
        """Take the last line back."""
        with self._lock:
            size = os.fstat(self._file).st_size
            os.ftruncate(self._file, self._end_of_line_before(size - 1))

    def _cut_unfinished_line(self) -> None:
        size = os.fstat(self._file).st_size
        if size and self._read(size - 1, 1) != b"\n":
            os.ftruncate(self._file, self._end_of_line_before(size))

    def _read(self, place: int, length: int) -> bytes:
        """Read somewhere; what is written goes to the end all the same."""
        os.lseek(self._file, place, os.SEEK_SET)
        return os.read(self._file, length)

    def _end_of_line_before(self, place: int) -> int:
        """The place just behind the last line break before ``place``; 0 if there is none."""
        while place > 0:
            start = max(0, place - _CHUNK)
            found = self._read(start, place - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            place = start
        return 0


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, in order; an unfinished last line is left out, and no file has no lines.

    Raises:
        InvalidArgument: a whole line is no JSON object; the message names the file and the line.
    """
    return read_records(path, dict)


def read_records(path: Path, make: Callable[[dict[str, Any]], _T]) -> Iterator[_T]:
    """What ``make`` takes each object of a file for; see ``read_lines``.

    Args:
        path: the file.
        make: is given the fields of an object; a KeyError, TypeError or ValueError says that they are wrong.

    Raises:
        InvalidArgument: a whole line is no such object; the message names the file and the line.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(bounded_lines(file, str(path)), 1):
            if not line.endswith(b"\n"):
                return
            yield _made(line, f"{path}, line {number}", make)


def _made(line: bytes, where: str, make: Callable[[dict[str, Any]], _T]) -> _T:
    try:
        fields = json_of(line, where)
    except UnreadableFile as error:
        raise InvalidArgument(str(error)) from error
    if not isinstance(fields, dict):
        msg = f"{where}: must be an object, got {type(fields).__name__}"
        raise InvalidArgument(msg)
    try:
        return make(fields)
    except (KeyError, TypeError, ValueError) as error:
        msg = f"{where}: {error}{' is missing' * isinstance(error, KeyError)}"
        raise InvalidArgument(msg) from error
