"""A picture as data: shapes in cell units, (row, col) from the top-left corner, row growing south.

A ``Scene`` knows nothing of mazes, pixels or libraries; a painter turns it into pixels or a file.
Colours are ``"#rrggbb"``. Later shapes cover earlier ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from mazegen.rendering.canvas.errors import PictureError

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
GLYPH_WIDTH = 0.95  # mean advance of a bold capital, in units of its height
MAX_SIDE_PX = 4096  # 50 MB as an RGB array; more is a mistake far oftener than a wish


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An axis-parallel box; (row, col) is its top-left corner, ``corner`` the radius of its corners."""

    row: float
    col: float
    height: float
    width: float
    fill: str
    edge: str | None = None
    edge_width: float = 0.0
    corner: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc around (row, col)."""

    row: float
    col: float
    radius: float
    fill: str
    edge: str | None = None
    edge_width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon through (row, col) points; the last joins the first."""

    points: tuple[tuple[float, float], ...]
    fill: str
    edge: str | None = None
    edge_width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line through (row, col) points, with round ends and joins."""

    points: tuple[tuple[float, float], ...]
    color: str
    width: float
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; (row, col) is the middle of its capitals, ``size`` their height in cells."""

    row: float
    col: float
    text: str
    size: float
    color: str
    anchor: Literal["left", "center", "right"] = "center"
    opacity: float = 1.0


Shape = Rectangle | Circle | Polygon | Line | Text


class Box(NamedTuple):
    """The cells a shape touches at most: first and last row and column, as reals."""

    top: float
    left: float
    bottom: float
    right: float


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture of ``height`` x ``width`` cells.

    Raises:
        PictureError: a side is not positive, or the background is not ``"#rrggbb"``.
    """

    height: float
    width: float
    background: str
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a picture without area."""
        if not (self.height > 0 and self.width > 0):
            msg = f"a scene must have a positive height and width, got {self.height} x {self.width} cells"
            raise PictureError(msg)
        if not _COLOR.fullmatch(self.background):
            msg = f"background must look like '#rrggbb', got {self.background!r}"
            raise PictureError(msg)

    def size_px(self, cell_px: float) -> tuple[int, int]:
        """Height and width in pixels at ``cell_px`` pixels a cell.

        Raises:
            PictureError: the picture would be empty, or a side longer than ``MAX_SIDE_PX``.
        """
        if not cell_px > 0:
            msg = f"cell_px must be positive, got {cell_px}"
            raise PictureError(msg)
        size = round(self.height * cell_px), round(self.width * cell_px)
        if min(size) < 1:
            msg = f"a scene of {self.height} x {self.width} cells at {cell_px} px a cell has no pixels"
            raise PictureError(msg)
        if max(size) > MAX_SIDE_PX:
            fits = int(MAX_SIDE_PX / max(self.height, self.width))
            msg = (
                f"the picture would be {size[0]} x {size[1]} px, more than {MAX_SIDE_PX} a side; "
                f"use at most {fits} px a cell"
            )
            raise PictureError(msg)
        return size


def moved(shape: Shape, rows: float, cols: float, scale: float = 1.0) -> Shape:
    """The shape scaled about the origin, then moved by so many rows and columns."""
    if isinstance(shape, Rectangle):
        return replace(
            shape,
            row=rows + shape.row * scale,
            col=cols + shape.col * scale,
            height=shape.height * scale,
            width=shape.width * scale,
            edge_width=shape.edge_width * scale,
            corner=shape.corner * scale,
        )
    if isinstance(shape, Circle):
        return replace(
            shape,
            row=rows + shape.row * scale,
            col=cols + shape.col * scale,
            radius=shape.radius * scale,
            edge_width=shape.edge_width * scale,
        )
    if isinstance(shape, Text):
        return replace(
            shape, row=rows + shape.row * scale, col=cols + shape.col * scale, size=shape.size * scale
        )
    points = tuple((rows + row * scale, cols + col * scale) for row, col in shape.points)
    if isinstance(shape, Line):
        return replace(shape, points=points, width=shape.width * scale)
    return replace(shape, points=points, edge_width=shape.edge_width * scale)


def bounds(shape: Shape) -> Box:
    """A box that holds the shape; generous for text, whose exact width only a font knows."""
    if isinstance(shape, Rectangle):
        pad = shape.edge_width
        return Box(
            shape.row - pad, shape.col - pad, shape.row + shape.height + pad, shape.col + shape.width + pad
        )
    if isinstance(shape, Circle):
        reach = shape.radius + shape.edge_width
        return Box(shape.row - reach, shape.col - reach, shape.row + reach, shape.col + reach)
    if isinstance(shape, Text):
        reach = shape.size * (1 + 2 * GLYPH_WIDTH * len(shape.text))
        return Box(
            shape.row - 2 * shape.size, shape.col - reach, shape.row + 2 * shape.size, shape.col + reach
        )
    pad = shape.width if isinstance(shape, Line) else shape.edge_width
    rows = [row for row, _ in shape.points]
    cols = [col for _, col in shape.points]
    return Box(min(rows) - pad, min(cols) - pad, max(rows) + pad, max(cols) + pad)
