"""What workers do in tests of the pool: functions that a fresh process can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def square(number: int) -> int:
    return number * number


def late(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def leave_a_mark(folder: str, seconds: float) -> int:
    """Say that it has begun, and sleep."""
    Path(folder, str(os.getpid())).touch()
    time.sleep(seconds)
    return os.getpid()


def fail(text: str) -> None:
    raise ValueError(text)


def vanish() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def not_picklable() -> object:
    return lambda: None


def hears_interrupts() -> bool:
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def main() -> None:
    """Keep two workers busy in the folder that is named, until it is interrupted."""
    import sys

    from mazegen.datasets.worker_pool import WorkerPool

    with WorkerPool(2) as pool:
        for job in [pool.submit(leave_a_mark, sys.argv[1], 60) for _ in range(9)]:
            job.result()


if __name__ == "__main__":
    main()
