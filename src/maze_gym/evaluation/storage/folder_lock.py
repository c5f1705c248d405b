"""One process at a time in a folder; the operating system lets go when the process ends, however it ends."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Self

from maze_gym.errors import InvalidArgument
from mazegen.core.file_errors import naming
from mazegen.core.file_lock import lock

if TYPE_CHECKING:
    from pathlib import Path

LOCK = ".lock"


class FolderLock:
    """Holds a folder until it is closed, or its process is gone.

    Args:
        folder: one that exists.

    Raises:
        InvalidArgument: another process holds it; the message says which.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder."""
        path = folder / LOCK
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            lock(self._file)
        except OSError as error:
            holder = os.read(self._file, 200).decode("utf-8", "replace").strip()
            os.close(self._file)
            msg = f"{folder} is in use by another process ({holder or 'unknown'}); wait for it, or end it"
            raise InvalidArgument(msg) from error
        with naming(path):
            os.ftruncate(self._file, 0)
            os.write(self._file, f"process {os.getpid()} on {socket.gethostname()}\n".encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go; the file stays, since removing it would let two others in. Safe to call again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
