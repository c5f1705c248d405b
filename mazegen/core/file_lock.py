"""One process at a time in a file; the operating system lets go when the process ends, however it ends."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt
    import os

    def lock(file: int) -> None:
        """Hold an open file alone until it is closed; see the other one."""
        # Far behind the text, which then stays readable for the others.
        os.lseek(file, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from error
        finally:
            os.lseek(file, 0, os.SEEK_SET)

else:
    import fcntl

    def lock(file: int) -> None:
        """Hold an open file alone until it is closed, or its process is gone.

        Args:
            file: the number by which the operating system knows it; it has to be open for writing.

        Raises:
            BlockingIOError: it is held already; opened a second time, by this very process also.
            OSError: the file system has no locks.
        """
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
