"""No text of others steers a terminal: what would is spelt out, whoever prints it."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING, TextIO

from mazegen.core.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleOptions, RenderableType


class HarmlessStream(io.TextIOBase):
    """Spells out the control characters of what is written, line breaks and tabs apart.

    Rich writes around it, for it steers the terminal on purpose.

    Args:
        stream: where to.
    """

    def __init__(self, stream: TextIO) -> None:
        """Write to a stream from now on; it stays open when this one is closed."""
        self.rich_proxied_file = stream  # the name by which Rich looks for it

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute there
        """Of the stream."""
        return self.rich_proxied_file.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]  # likewise
        """Of the stream."""
        return self.rich_proxied_file.errors

    def write(self, text: str) -> int:
        """Write, spelt out."""
        self.rich_proxied_file.write(printable(text, keep="\n\t"))
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        self.rich_proxied_file.flush()

    def close(self) -> None:
        """Flush what is still open; garbage collection calls this, at times after the stream was closed."""
        if not self.rich_proxied_file.closed:
            super().close()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self.rich_proxied_file.isatty()

    def fileno(self) -> int:
        """Of the stream."""
        return self.rich_proxied_file.fileno()

    def writable(self) -> bool:
        """It is."""
        return True


@contextlib.contextmanager
def harmless_output() -> Iterator[None]:
    """Let nothing that is written to the standard streams steer a terminal."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        stream if isinstance(stream, HarmlessStream) else HarmlessStream(stream) for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def harmless_console(width: int) -> Console:
    """Where tables are printed, so many columns wide."""
    from rich.console import Console
    from rich.segment import Segment

    class HarmlessConsole(Console):
        """Spells out the control characters in what it is given, before it adds its own."""

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            """Parts of what is printed."""
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else printable(text, keep="\n"), style, control)

    return HarmlessConsole(width=width, soft_wrap=False)
