"""Words and boxes beside a board: what the play and edit windows are written with.

Everything is drawn on a surface in memory, so a page can be tested and saved without a display.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.rendering.canvas import require
from mazegen.rendering.canvas.fonts import open_font

if TYPE_CHECKING:
    import pygame

PAPER, CARD, RULE = "#f3f4f7", "#ffffff", "#d5d9e0"
INK, SOFT, ACCENT, GOOD, BAD = "#1b1f27", "#6b7280", "#1f63d0", "#1e7d46", "#b3261e"
SMALL, NORMAL, LARGE, HUGE = 13, 15, 22, 34  # sizes of text in pixels


class Page:
    """A surface with (row, col) pixel coordinates and a few ways of writing on it.

    Args:
        height: in pixels.
        width: in pixels.
    """

    def __init__(self, height: int, width: int) -> None:
        """Start with an empty page; needs no display."""
        require("pygame")
        import pygame

        self.height, self.width = height, width
        self.surface = pygame.Surface((width, height), 0, 32)
        self.surface.fill(PAPER)
        self._fonts: dict[int, pygame.font.Font] = {}  # no longer than a page: see ``canvas.fonts``

    def text(self, row: int, col: int, words: str, *, size: int = NORMAL, color: str = INK) -> int:
        """Write one line with its top-left corner at (row, col); return the row below it."""
        self.surface.blit(self._font(size).render(words, True, color), (col, row))  # noqa: FBT003 - antialias
        return row + line_height(size)

    def paragraph(
        self, row: int, col: int, words: str, width: int, *, size: int = NORMAL, color: str = INK
    ) -> int:
        """Write words in lines of at most ``width`` pixels; return the row below them."""
        for line in self.wrap(words, width, size):
            row = self.text(row, col, line, size=size, color=color)
        return row

    def box(self, row: int, col: int, height: int, width: int, *, fill: str = CARD, edge: str = RULE) -> None:
        """Draw a box with round corners."""
        import pygame

        area = pygame.Rect(col, row, width, height)
        pygame.draw.rect(self.surface, fill, area, border_radius=8)
        pygame.draw.rect(self.surface, edge, area, width=1, border_radius=8)

    def key(self, row: int, col: int, names: str, meaning: str, *, chosen: bool = False) -> int:
        """Write a key cap with what it does; return the row below it."""
        width = max(26, self.text_width(names, SMALL) + 14)
        height = line_height(SMALL) + 5
        self.box(row, col, height, width, fill=ACCENT if chosen else CARD, edge=SOFT)
        self.text(row + 3, col + (width - self.text_width(names, SMALL)) // 2, names, size=SMALL,
                  color=CARD if chosen else INK)  # fmt: skip
        self.text(row + 3, col + width + 8, meaning, size=SMALL, color=INK if chosen else SOFT)
        return row + height + 4

    def picture(self, picture: pygame.Surface, row: int, col: int, height: int, width: int) -> None:
        """Put a picture into the middle of a box, made smaller if it does not fit."""
        import pygame

        wide, high = picture.get_size()
        scale = min(1.0, width / wide, height / high)
        if scale < 1:
            picture = pygame.transform.smoothscale(
                picture, (max(1, int(wide * scale)), max(1, int(high * scale)))
            )
            wide, high = picture.get_size()
        self.surface.blit(picture, (col + (width - wide) // 2, row + (height - high) // 2))

    def text_width(self, words: str, size: int) -> int:
        """Pixels that a line of text takes."""
        return int(self._font(size).size(words)[0])

    def wrap(self, words: str, width: int, size: int) -> list[str]:
        """Words in lines of at most ``width`` pixels; a word that is longer is broken."""
        lines: list[str] = []
        line = ""
        for word in words.split():
            longer = f"{line} {word}".strip()
            if self.text_width(longer, size) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            line = word
            while len(line) > 1 and self.text_width(line, size) > width:
                fits = next(
                    (n for n in range(len(line) - 1, 1, -1) if self.text_width(line[:n], size) <= width), 1
                )
                lines.append(line[:fits])
                line = line[fits:]
        return [*lines, line] if line else lines

    def _font(self, size: int) -> pygame.font.Font:
        if size not in self._fonts:
            self._fonts[size] = open_font(size)
        return self._fonts[size]

    def dim(self, height: int, width: int) -> None:
        """Lay a veil over the top-left part of the page."""
        import pygame

        veil = pygame.Surface((width, height), pygame.SRCALPHA, 32)
        veil.fill((20, 24, 32, 150))
        self.surface.blit(veil, (0, 0))


def line_height(size: int) -> int:
    """Pixels from one line to the next."""
    return round(size * 1.4)
