"""Lines no wider than the terminal: broken between words, and within a word that is wider than all of it."""

from __future__ import annotations

import os
import shutil
import unicodedata
from typing import TextIO

LEAST_WIDTH = 20  # columns; what is narrower is a mistake, or no place to read in


def width_of(stream: TextIO) -> int | None:
    """Columns of the terminal behind a stream; None where nothing has an edge, as in a file or pipe.

    Where the environment says how many ``COLUMNS`` there are, that holds for every stream.
    """
    if not (stream.isatty() or os.environ.get("COLUMNS", "").isdecimal()):
        return None
    return max(LEAST_WIDTH, shutil.get_terminal_size().columns)


def cells(text: str) -> int:
    """Columns that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells_of(letter) for letter in text)


def wrapped(text: str, width: int | None, *, hang: int | None = None) -> str:
    """The text with every line broken that is wider.

    Args:
        text: any number of lines.
        width: columns; None breaks nothing.
        hang: columns before what goes on in a further line; by default as before the first word.
    """
    if width is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width, hang))


def _parts(line: str, width: int, hang: int | None) -> list[str]:
    if cells(line) <= width:
        return [line]
    words = line.split(" ")
    indent = len(line) - len(line.lstrip(" ")) if hang is None else hang
    indent = min(indent, width // 2)
    parts, current, is_empty = [], "", True
    for word in words:
        longer = word if is_empty else f"{current} {word}"
        if cells(longer) <= width:
            current, is_empty = longer, False
            continue
        rest = word
        if current.strip():
            parts.append(current.rstrip())
            current = " " * indent
        while cells(current + rest) > width:  # a word that no line holds
            head = _head(rest, width - cells(current))
            parts.append(current + head)
            current, rest = " " * indent, rest[len(head) :]
        current, is_empty = current + rest, False
    return [*parts, current] if current.strip() or not parts else parts


def _head(text: str, width: int) -> str:
    """As much of the beginning as fits, one letter at least."""
    taken = 0
    for number, letter in enumerate(text):
        taken += _cells_of(letter)
        if taken > width:
            return text[: max(number, 1)]
    return text


def _cells_of(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
