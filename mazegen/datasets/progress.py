"""How far a data set is while it is being made, and the line that says so on a terminal."""

from __future__ import annotations

import time
from typing import NamedTuple, TextIO

REFRESH_S = 0.2  # how often the line is drawn anew on a terminal
LOG_EVERY_S = 10.0  # how often a line is written elsewhere


class Progress(NamedTuple):
    """How far a data set is.

    Attributes:
        done: mazes written, those of an interrupted run included.
        wanted: mazes asked for.
        duplicates: candidates that were a rotation or reflection of an earlier one.
        failed: candidates for which generation failed.
        per_second: mazes written in this run, per second.
        seconds_left: estimate, or None before there is one.
    """

    done: int
    wanted: int
    duplicates: int
    failed: int
    per_second: float
    seconds_left: float | None


class ProgressLine:
    """One line that says how many mazes there are, how fast they come, and how long it takes still."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``: over and over on a terminal, now and then elsewhere."""
        self._stream = stream
        self._every = REFRESH_S if stream.isatty() else LOG_EVERY_S
        self._last = time.monotonic()

    def show(self, progress: Progress) -> None:
        """Show the state, unless it was shown a moment ago."""
        if time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self._write(progress)

    def finish(self, progress: Progress) -> None:
        """Show the last state and end the line."""
        self._write(progress)
        if self._stream.isatty():
            self._stream.write("\n")

    def _write(self, progress: Progress) -> None:
        left = "" if not progress.seconds_left else f", {_duration(progress.seconds_left)} left"
        text = f"{progress.done:,}/{progress.wanted:,} mazes, {progress.per_second:,.0f}/s{left}"
        if progress.duplicates or progress.failed:
            text += f" ({progress.duplicates:,} duplicates dropped, {progress.failed:,} not made)"
        self._stream.write(f"\r\x1b[K{text}" if self._stream.isatty() else f"{text}\n")
        self._stream.flush()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
