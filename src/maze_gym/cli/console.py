"""How tables come to the screen: nothing in them is ever cut off."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

NAME_WIDTH = 10  # least columns of a name, so that it can be read on 80
NO_EDGE = 10_000  # columns; a table is only as wide as what stands in it


def stdout() -> Console:
    """Where tables are printed: in a terminal as wide as it is, else as wide as they need."""
    from rich.console import Console

    has_edge = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if has_edge else NO_EDGE)
