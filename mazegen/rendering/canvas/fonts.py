"""Letters: one font for both painters and every window.

Fonts are opened anew each time. A font object dies when anybody calls ``pygame.quit()``, as other
people's wrappers do when they close, so none may be kept; opening one takes a tenth of a millisecond.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mazegen.rendering.canvas.errors import MissingPainter
from mazegen.rendering.canvas.requirements import require

if TYPE_CHECKING:
    import pygame

_PROBE_EM = 1000  # size at which the proportions of the font are read


def font_file() -> Path | None:
    """The font, which comes with pygame; None where pygame is not installed."""
    try:
        require("pygame")
    except MissingPainter:
        return None
    import pygame

    return Path(pygame.__file__).parent / pygame.font.get_default_font()


def open_font(em_px: int) -> pygame.font.Font:
    """The font at so many pixels an em; starts pygame's fonts and nothing else of it."""
    require("pygame")
    import pygame

    pygame.font.init()
    return pygame.font.Font(str(font_file()), em_px)


def open_font_by_capitals(capital_px: int) -> pygame.font.Font:
    """The font whose capitals are so many pixels high."""
    return open_font(max(1, round(capital_px / _capital_height())))


@cache
def _capital_height() -> float:
    """Height of a capital, in ems."""
    metrics = open_font(_PROBE_EM).metrics("H")[0]
    if metrics is None:
        msg = "the font that came with pygame has no letters; install pygame-ce anew"
        raise MissingPainter(msg)
    return metrics[3] / _PROBE_EM  # its highest pixel above the baseline
