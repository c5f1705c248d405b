"""What somebody may have meant who mistyped a name."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'starter'?``, or nothing where no known name is close."""
    close = difflib.get_close_matches(name, list(dict.fromkeys(known)), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
