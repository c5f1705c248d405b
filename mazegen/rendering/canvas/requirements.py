"""The one place that asks for a painting library, and says how to get it."""

from __future__ import annotations

import importlib
import os

from mazegen.rendering.canvas.errors import MissingPainter

_INSTALL = {"pygame": "pip install 'maze-gym'", "matplotlib": "pip install 'maze-gym[plot]'"}


def require(library: str) -> None:
    """Check that ``pygame`` or ``matplotlib`` can be imported.

    Raises:
        MissingPainter: it cannot; the message holds the line that installs it.
    """
    if library == "pygame":
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # a library does not greet on stdout
    try:
        importlib.import_module(library)
    except ImportError as error:
        msg = f"this picture needs {library}; install it with: {_INSTALL[library]}"
        raise MissingPainter(msg) from error
