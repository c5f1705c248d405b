"""What a symbol looks like: shapes in the unit square of a rule cell.

Colour is never the only cue: kinds differ in form, a ylop is hollow, and the letter of the colour stands in
a corner of the cell.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from maze_gym.envs.sparc.rules.puzzle import Color, Kind, normalized
from mazegen.rendering.canvas.scene import Polygon, Rectangle, Text

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Puzzle, Symbol
    from mazegen.rendering.canvas.scene import Shape

CELL, CELL_EDGE, INK, LETTER = "#a9c1bf", "#8fa9a8", "#161b1f", "#34494e"
WRONG, WRONG_CELL = "#c8201d", "#efb3a9"
COLORS = {
    Color.RED: "#d8322f",
    Color.BLUE: "#2b5fd6",
    Color.GREEN: "#2a9a4c",
    Color.YELLOW: "#ffd829",
    Color.WHITE: "#ffffff",
    Color.ORANGE: "#f5872a",
    Color.PURPLE: "#8d3fc6",
    Color.BLACK: "#23262b",
}
_EDGE = 0.02
_POINTS = 8  # of a star
_TRIANGLE, _ROOM = 0.2, 0.76  # side of a triangle, and the width that all of a cell have
_BLOCK, _SHAPE = 0.19, 0.68  # the largest block of a shape, and the most that a shape takes of the cell


def cell(*, wrong: bool) -> Shape:
    """The rule cell itself; tinted where people are shown what went wrong."""
    if wrong:
        return Rectangle(0.1, 0.1, 0.8, 0.8, WRONG_CELL, WRONG, 0.045, corner=0.07)
    return Rectangle(0.1, 0.1, 0.8, 0.8, CELL, corner=0.07)


def symbol(puzzle: Puzzle, shown: Symbol, *, wrong: bool) -> list[Shape]:
    """A symbol and the letter of its colour."""
    fill = COLORS[shown.color]
    letter = Text(0.82, 0.825, shown.color, 0.1, LETTER)
    if shown.kind == Kind.SQUARE:
        return [Rectangle(0.3, 0.3, 0.4, 0.4, fill, INK, _EDGE, corner=0.11), letter]
    if shown.kind == Kind.STAR:
        return [Polygon(_star(), fill, INK, _EDGE), letter]
    if shown.kind == Kind.TRIANGLE:
        return [*_triangles(shown.count, fill), letter]
    hole = (WRONG_CELL if wrong else CELL) if shown.kind == Kind.YLOP else None
    return [*_blocks(puzzle, shown, fill, hole), letter]


def _star() -> tuple[tuple[float, float], ...]:
    points = []
    for corner in range(2 * _POINTS):
        radius = 0.17 if corner % 2 else 0.265
        angle = math.pi * corner / _POINTS
        points.append((0.5 - radius * math.cos(angle), 0.5 + radius * math.sin(angle)))
    return tuple(points)


def _triangles(count: int, fill: str) -> list[Shape]:
    drawn: list[Shape] = []
    side = min(_TRIANGLE, _ROOM / count * 0.84)
    half, height = side / 2, side * math.sqrt(3) / 2
    for place in range(count):
        col = 0.5 + (place - (count - 1) / 2) * side * 1.19
        points = ((0.5 - height / 2, col), (0.5 + height / 2, col + half), (0.5 + height / 2, col - half))
        drawn.append(Polygon(points, fill, INK, _EDGE))
    return drawn


def _blocks(puzzle: Puzzle, shown: Symbol, fill: str, hole: str | None) -> list[Shape]:
    """The cells of a shape as blocks; with a hole in each where one is given."""
    assert shown.shape is not None  # noqa: S101 - Symbol checks it
    cells = normalized(puzzle.cells_of[shown.shape])
    height, width = 1 + max(row for row, _ in cells), 1 + max(col for _, col in cells)
    pitch = min(_BLOCK, _SHAPE / max(height, width))
    side = pitch * 0.84
    drawn: list[Shape] = []
    for row, col in cells:
        top = 0.5 + (row - height / 2) * pitch + (pitch - side) / 2
        left = 0.5 + (col - width / 2) * pitch + (pitch - side) / 2
        drawn.append(Rectangle(top, left, side, side, fill, INK, _EDGE))
        if hole is not None:
            rim = side * 0.27
            inner = side - 2 * rim
            drawn.append(Rectangle(top + rim, left + rim, inner, inner, hole, INK, _EDGE * 0.7))
    return drawn
