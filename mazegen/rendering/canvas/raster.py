"""The pygame painter: a Scene as an RGB array, without ever opening a display.

Shapes are drawn large and averaged down, which smooths every edge the same way wherever it lies, so
that a cell painted alone equals the same cell in a painted board, pixel by pixel.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mazegen.rendering.canvas.fonts import open_font_by_capitals
from mazegen.rendering.canvas.requirements import require
from mazegen.rendering.canvas.scene import Circle, Line, Polygon, Rectangle, Text, bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygame
    from numpy.typing import NDArray

    from mazegen.rendering.canvas.scene import Scene, Shape

_BLOCK_PX = 256  # a picture is painted block by block: bounded memory however large it is
_SMALL_CELL_PX = 24  # below it edges are a large part of the picture and get a finer average
_NUDGE = 1e-6  # rounds alike at (3 + 0.1) * 40 and at 3 * 40 + 0.1 * 40


def paint(scene: Scene, cell_px: float) -> NDArray[np.uint8]:
    """Paint a scene.

    Args:
        scene: what to paint.
        cell_px: pixels a cell.

    Returns:
        (height_px, width_px, 3) RGB, a fresh array.

    Raises:
        PictureError: the picture would be empty or too large, see ``Scene.size_px``.
        MissingPainter: pygame is not installed.
    """
    height, width = scene.size_px(cell_px)
    require("pygame")
    factor = 8 if cell_px < _SMALL_CELL_PX else 4
    picture = np.empty((height, width, 3), np.uint8)
    boxes = [bounds(shape) for shape in scene.shapes]
    for top in range(0, height, _BLOCK_PX):
        for left in range(0, width, _BLOCK_PX):
            block = picture[top : top + _BLOCK_PX, left : left + _BLOCK_PX]
            rows, cols = block.shape[:2]
            inside = [
                shape
                for shape, box in zip(scene.shapes, boxes, strict=True)
                if box.bottom * cell_px >= top - 1
                and box.top * cell_px <= top + rows + 1
                and box.right * cell_px >= left - 1
                and box.left * cell_px <= left + cols + 1
            ]
            brush = _Brush(
                (rows * factor, cols * factor),
                scene.background,
                cell_px * factor,
                top * factor,
                left * factor,
            )
            for shape in inside:
                brush.draw(shape)
            block[:] = _averaged(brush.pixels(), factor)
    return picture


def _averaged(large: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """(rows * factor, cols * factor, 3) to (rows, cols, 3): the rounded mean of each square."""
    rows, cols = large.shape[0] // factor, large.shape[1] // factor
    tall = large.reshape(rows, factor, cols * factor * 3).sum(axis=1, dtype=np.uint16)
    total = tall.reshape(rows, cols, factor, 3).sum(axis=2, dtype=np.uint16)
    area = factor * factor
    return np.asarray((total + area // 2) // area, np.uint8)


class _Brush:
    """A surface of pygame with the scene's coordinates."""

    def __init__(self, size: tuple[int, int], background: str, scale: float, top: int, left: int) -> None:
        import pygame

        self._surface = pygame.Surface((size[1], size[0]), 0, 32)
        self._surface.fill(background)
        self._scale, self._top, self._left = scale, top, left

    def pixels(self) -> NDArray[np.uint8]:
        """(rows, cols, 3) RGB."""
        import pygame

        width, height = self._surface.get_size()
        data = pygame.image.tobytes(self._surface, "RGB")
        return np.frombuffer(data, np.uint8).reshape(height, width, 3)

    def draw(self, shape: Shape) -> None:
        """Draw one shape over what is there."""
        import pygame

        if shape.opacity >= 1:
            self._draw(self._surface, shape)
            return
        layer = pygame.Surface(self._surface.get_size(), pygame.SRCALPHA, 32)
        self._draw(layer, shape)
        layer.set_alpha(round(255 * shape.opacity))
        self._surface.blit(layer, (0, 0))

    def _draw(self, surface: pygame.Surface, shape: Shape) -> None:
        if isinstance(shape, Rectangle):
            self._rectangle(surface, shape)
        elif isinstance(shape, Circle):
            self._circle(surface, shape)
        elif isinstance(shape, Polygon):
            self._polygon(surface, shape)
        elif isinstance(shape, Line):
            self._line(surface, shape.points, shape.color, shape.width)
        else:
            self._text(surface, shape)

    def _xy(self, row: float, col: float) -> tuple[int, int]:
        x = math.floor(col * self._scale + 0.5 + _NUDGE) - self._left
        return x, math.floor(row * self._scale + 0.5 + _NUDGE) - self._top

    def _length(self, cells: float) -> int:
        return max(1, math.floor(cells * self._scale + 0.5 + _NUDGE))

    def _rectangle(self, surface: pygame.Surface, shape: Rectangle) -> None:
        import pygame

        half = shape.edge_width / 2 if shape.edge else 0.0
        for grow, color in ((half, shape.edge), (-half, shape.fill)):
            if color is not None:
                x, y = self._xy(shape.row - grow, shape.col - grow)
                right, bottom = self._xy(shape.row + shape.height + grow, shape.col + shape.width + grow)
                corner = self._length(shape.corner + grow) if shape.corner + grow > 0 and shape.corner else 0
                box = pygame.Rect(x, y, right - x, bottom - y)
                pygame.draw.rect(surface, color, box, border_radius=corner)

    def _circle(self, surface: pygame.Surface, shape: Circle) -> None:
        import pygame

        half = shape.edge_width / 2 if shape.edge else 0.0
        center = self._xy(shape.row, shape.col)
        for radius, color in ((shape.radius + half, shape.edge), (shape.radius - half, shape.fill)):
            if color is not None and radius > 0:
                pygame.draw.circle(surface, color, center, self._length(radius))

    def _polygon(self, surface: pygame.Surface, shape: Polygon) -> None:
        import pygame

        pygame.draw.polygon(surface, shape.fill, [self._xy(row, col) for row, col in shape.points])
        if shape.edge and shape.edge_width:
            self._line(surface, (*shape.points, shape.points[0]), shape.edge, shape.edge_width)

    def _line(
        self, surface: pygame.Surface, points: Sequence[tuple[float, float]], color: str, width: float
    ) -> None:
        import pygame

        for row, col in points:
            pygame.draw.circle(surface, color, self._xy(row, col), self._length(width / 2))
        for (row, col), (next_row, next_col) in pairwise(points):
            length = math.hypot(next_row - row, next_col - col)
            if length > 0:
                across_row = (next_col - col) / length * width / 2
                across_col = -(next_row - row) / length * width / 2
                corners = (
                    (row + across_row, col + across_col),
                    (next_row + across_row, next_col + across_col),
                    (next_row - across_row, next_col - across_col),
                    (row - across_row, col - across_col),
                )
                pygame.draw.polygon(surface, color, [self._xy(*corner) for corner in corners])

    def _text(self, surface: pygame.Surface, shape: Text) -> None:
        font = open_font_by_capitals(self._length(shape.size))
        ink = font.render(shape.text, True, shape.color)  # noqa: FBT003 - pygame takes it by position
        x, y = self._xy(shape.row + shape.size / 2, shape.col)
        inked = ink.get_bounding_rect()
        shift = {"left": inked.left, "center": inked.centerx, "right": inked.right}[shape.anchor]
        surface.blit(ink, (x - shift, y - font.get_ascent()))
