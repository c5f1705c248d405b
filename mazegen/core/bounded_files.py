"""Files of others, read in bounded memory: no line, file or nesting without an end, one error for each."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mazegen.errors import UnreadableFile

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

MOST_OF_A_FILE = 64 << 20  # bytes of what is read at once
MOST_OF_A_MANIFEST = 1 << 30  # some million levels
MOST_OF_A_LINE = 256 << 20  # of a record: an episode with a picture at each step takes some


def read_bounded(path: str | os.PathLike[str], most_bytes: int = MOST_OF_A_FILE) -> bytes:
    """The bytes of a file.

    Raises:
        UnreadableFile: there are more.
        OSError: it cannot be read.
    """
    with Path(path).open("rb") as file:
        return bounded(file, most_bytes, str(path))


def bounded(file: IO[bytes], most_bytes: int, source: str) -> bytes:
    """All that is left of an open file; see ``read_bounded``."""
    data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        msg = f"{source} is larger than {most_bytes:,} bytes; such a file is at most that"
        raise UnreadableFile(msg)
    return data


def bounded_lines(file: IO[bytes], source: str, most_bytes: int = MOST_OF_A_LINE) -> Iterator[bytes]:
    """The lines of an open file, each with its line break.

    Raises:
        UnreadableFile: one is longer.
    """
    number = 0
    while line := file.readline(most_bytes + 1):
        number += 1
        if len(line) > most_bytes:
            msg = f"{source}, line {number}: longer than {most_bytes:,} bytes; no such line is"
            raise UnreadableFile(msg)
        yield line


def lines_in(path: str | os.PathLike[str], most_bytes: int = MOST_OF_A_LINE) -> Iterator[tuple[int, bytes]]:
    """(number, line) of each line of a file, from 1 on; see ``bounded_lines``."""
    with Path(path).open("rb") as file:
        yield from enumerate(bounded_lines(file, str(path), most_bytes), 1)


def json_of(data: bytes | str, source: str) -> Any:  # noqa: ANN401 - JSON is anything until it is checked
    """What JSON text holds.

    Raises:
        UnreadableFile: it is no JSON, nested too deeply, or too large for the memory there is.
    """
    try:
        return json.loads(data.decode("utf-8-sig") if isinstance(data, bytes) else data)
    except RecursionError as error:
        msg = f"{source} is nested too deeply"
        raise UnreadableFile(msg) from error
    except MemoryError as error:
        msg = f"{source} needs more memory than there is"
        raise UnreadableFile(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{source} is not UTF-8 text ({error.reason} at byte {error.start})"
        raise UnreadableFile(msg) from error
    except ValueError as error:
        msg = f"{source} is not JSON: {error}"
        raise UnreadableFile(msg) from error


@contextlib.contextmanager
def expecting(what: str) -> Iterator[None]:
    """Have one error for whatever does not look as it should within.

    Args:
        what: is wrong, for the message.

    Raises:
        UnreadableFile: in place of the errors of look-ups and conversions.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        msg = f"{what}: {type(error).__name__}: {error}"
        raise UnreadableFile(msg) from error
