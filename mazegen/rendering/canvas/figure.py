"""The matplotlib painter: a Scene as PNG, SVG or PDF, or as an RGB array to compare painters with."""

from __future__ import annotations

import io
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mazegen.core.whole_file import write_whole
from mazegen.rendering.canvas.errors import PictureError
from mazegen.rendering.canvas.fonts import font_file
from mazegen.rendering.canvas.requirements import require
from mazegen.rendering.canvas.scene import Circle, Line, Polygon, Rectangle, Scene, Shape, Text

if TYPE_CHECKING:
    import os

    from matplotlib.artist import Artist
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline
    from numpy.typing import NDArray

FORMATS = ("png", "svg", "pdf")
DEFAULT_CELL_PX = 32
_DPI = 100
_POINTS_PER_INCH = 72
# No dates and fixed ids: the same scene is the same file.
_STABLE: Any = {"svg.hashsalt": "maze", "svg.fonttype": "path", "pdf.compression": 6}
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


def save(scene: Scene, path: str | os.PathLike[str], cell_px: float = DEFAULT_CELL_PX) -> None:
    """Write a scene as a file whose suffix, .png, .svg or .pdf, names the format.

    Raises:
        PictureError: an unknown suffix, or a picture that would be empty or too large.
        MissingPainter: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        msg = f"a picture ends in .png, .svg or .pdf, got {target.name!r}"
        raise PictureError(msg)
    write_whole(target, encoded(scene, kind, cell_px))


def encoded(scene: Scene, kind: str, cell_px: float = DEFAULT_CELL_PX) -> bytes:
    """The bytes of a ``png``, ``svg`` or ``pdf`` of the scene; raises as ``save`` does."""
    figure = _draw(scene, cell_px)
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context(_STABLE):
        figure.savefig(buffer, format=kind, dpi=_DPI, metadata=_METADATA[kind])
    return buffer.getvalue()


def paint_with_matplotlib(scene: Scene, cell_px: float) -> NDArray[np.uint8]:
    """Paint a scene as an (height_px, width_px, 3) RGB array; raises as ``save`` does."""
    figure = _draw(scene, cell_px)
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    agg: Any = FigureCanvasAgg(figure)  # typed in some versions only
    agg.draw()
    return np.asarray(agg.buffer_rgba())[..., :3].copy()


def _draw(scene: Scene, cell_px: float) -> Figure:
    """A figure of exactly the picture's size; no pyplot, so no global state and no window."""
    height, width = scene.size_px(cell_px)
    require("matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor=scene.background)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, width / cell_px)
    axes.set_ylim(height / cell_px, 0)
    points = cell_px * _POINTS_PER_INCH / _DPI
    # A run of plain shapes of one kind becomes one compound path: a board has thousands of cells.
    inked = [shape for shape in scene.shapes if not isinstance(shape, Text) or shape.text.strip()]
    for order, (_, run) in enumerate(groupby(enumerate(inked), _run_key)):
        artist = _artist([shape for _, shape in run], points)
        artist.set_zorder(order)
        artist.set_snap(False)  # a thin line is grey, not moved to the next pixel
        axes.add_artist(artist)
    return figure


def _run_key(numbered: tuple[int, Shape]) -> tuple[object, ...]:
    """Equal for neighbours that look the same drawn one by one or as one path."""
    index, shape = numbered
    if isinstance(shape, Rectangle | Circle) and shape.edge is None and shape.opacity >= 1:
        return (type(shape), shape.fill)
    if isinstance(shape, Text) and shape.opacity >= 1:
        return (Text, shape.color)
    if isinstance(shape, Line) and shape.opacity >= 1:
        return (Line, shape.color, shape.width)
    return (index,)


def _artist(run: list[Shape], points: float) -> Artist:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    first = run[0]
    outline = Outline.make_compound_path(*(_outline(shape) for shape in run))
    if isinstance(first, Line):
        return PathPatch(
            outline, fill=False, edgecolor=first.color, linewidth=first.width * points,
            capstyle="round", joinstyle="round", alpha=first.opacity,
        )  # fmt: skip
    if isinstance(first, Text):
        return PathPatch(outline, facecolor=first.color, linewidth=0, alpha=first.opacity)
    return PathPatch(
        outline, facecolor=first.fill, edgecolor=first.edge or "none", joinstyle="round",
        linewidth=first.edge_width * points if first.edge else 0, alpha=first.opacity,
    )  # fmt: skip


def _outline(shape: Shape) -> Outline:
    """The shape as a path in (x, y) = (col, row)."""
    from matplotlib.path import Path as Outline

    if isinstance(shape, Circle):
        return Outline.circle((shape.col, shape.row), shape.radius)
    if isinstance(shape, Polygon):
        return Outline([(col, row) for row, col in (*shape.points, shape.points[0])], closed=True)
    if isinstance(shape, Line):
        return Outline([(col, row) for row, col in shape.points])
    if isinstance(shape, Text):
        return _text_outline(shape)
    return _rectangle_outline(shape)


def _rectangle_outline(shape: Rectangle) -> Outline:
    from matplotlib.patches import FancyBboxPatch
    from matplotlib.path import Path as Outline

    left, top, right, bottom = shape.col, shape.row, shape.col + shape.width, shape.row + shape.height
    if shape.corner:
        style = f"round,pad=0,rounding_size={min(shape.corner, shape.width / 2, shape.height / 2)}"
        return FancyBboxPatch((left, top), shape.width, shape.height, boxstyle=style).get_path()
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    return Outline(corners, closed=True)


def _text_outline(shape: Text) -> Outline:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    file = font_file()
    font = FontProperties(fname=file) if file else FontProperties(weight="bold")
    capital = TextPath((0, 0), "H", size=100, prop=font).get_extents()
    scale = shape.size / capital.height
    path = TextPath((0, 0), shape.text, size=100, prop=font)
    box = path.get_extents()
    shift = {"left": box.x0, "center": (box.x0 + box.x1) / 2, "right": box.x1}[shape.anchor]
    place = (
        Affine2D().translate(-shift, 0).scale(scale, -scale).translate(shape.col, shape.row + shape.size / 2)
    )
    return place.transform_path(path)
