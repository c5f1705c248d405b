"""A painter that needs no library: a ``Scene`` as SVG text, as a notebook or a browser shows it.

``figure`` makes the SVG files of data sets, with letters as outlines. Here letters stay text, in whatever
bold font there is.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mazegen.rendering.canvas.scene import Circle, Line, Polygon, Rectangle, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mazegen.rendering.canvas.scene import Scene, Shape

CELL_PX = 24.0  # of what a notebook shows
_FONT_SIZE = 1 / 0.72  # in units of the height of a capital, of most fonts without serifs
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def as_svg(scene: Scene, cell_px: float = CELL_PX) -> str:
    """The scene as one ``svg`` element; the same scene is the same text.

    Raises:
        PictureError: the picture would be empty or too large.
    """
    height, width = scene.size_px(cell_px)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {_number(scene.width)} {_number(scene.height)}">'
    )
    ground = f'<rect width="100%" height="100%" fill="{scene.background}"/>'
    return "\n".join([head, ground, *map(_element, scene.shapes), "</svg>"]) + "\n"


def _element(shape: Shape) -> str:
    """One shape; x is the column and y the row."""
    if isinstance(shape, Line):
        return _tag(
            "polyline", points=_points(shape.points), fill="none", stroke=shape.color,
            stroke_width=shape.width, stroke_linecap="round", stroke_linejoin="round", opacity=shape.opacity,
        )  # fmt: skip
    if isinstance(shape, Text):
        start = _tag(
            "text", x=shape.col, y=shape.row + shape.size / 2, fill=shape.color, opacity=shape.opacity,
            font_size=shape.size * _FONT_SIZE, font_family="sans-serif", font_weight="bold",
            text_anchor=_ANCHORS[shape.anchor],
        )  # fmt: skip
        return f"{start.removesuffix('/>')}>{escape(shape.text)}</text>"
    paint: dict[str, float | str] = {"fill": shape.fill, "opacity": shape.opacity}
    if shape.edge is not None:
        paint |= {"stroke": shape.edge, "stroke_width": shape.edge_width, "stroke_linejoin": "round"}
    if isinstance(shape, Rectangle):
        corner: dict[str, float | str] = {"rx": shape.corner} if shape.corner else {}
        return _tag(
            "rect", x=shape.col, y=shape.row, width=shape.width, height=shape.height, **corner, **paint
        )
    if isinstance(shape, Circle):
        return _tag("circle", cx=shape.col, cy=shape.row, r=shape.radius, **paint)
    return _polygon(shape, paint)


def _polygon(shape: Polygon, paint: dict[str, float | str]) -> str:
    return _tag("polygon", points=_points(shape.points), **paint)


def _tag(name: str, **attributes: float | str) -> str:
    """An element without content; an opacity of 1 goes without saying."""
    given = {key: value for key, value in attributes.items() if (key, value) != ("opacity", 1.0)}
    return f"<{name} {' '.join(f'{_attribute(key, value)}' for key, value in given.items())}/>"


def _attribute(key: str, value: float | str) -> str:
    text = escape(value) if isinstance(value, str) else _number(value)
    return f'{key.replace("_", "-")}="{text}"'


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_number(col)},{_number(row)}" for row, col in points)


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
