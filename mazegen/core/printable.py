"""Text of others as it may reach a terminal, a table or a drawing: what would steer those is spelt out."""

from __future__ import annotations

import re

# Controls of ASCII and beyond it (C0, C1), line and paragraph separators, halves of letters that nothing can
# encode, and what reorders or hides text: marks of direction, joiners, tags.
_STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)


def printable(text: str, keep: str = "") -> str:
    r"""The text with every control character written as its escape, such as ``\x1b``.

    Args:
        text: of anyone.
        keep: control characters that stay, such as line breaks.
    """
    return _STEERING.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
