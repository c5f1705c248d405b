"""Pictures: a ``Scene`` of shapes in cell units, and two painters that agree on what it looks like.

``paint`` (pygame) makes RGB arrays without a display; ``save`` (matplotlib, the extra ``plot``) writes
PNG, SVG and PDF. Both libraries are imported when something is painted, never before.
"""

from mazegen.rendering.canvas.errors import MissingPainter, NoDisplay, PictureError
from mazegen.rendering.canvas.figure import DEFAULT_CELL_PX, FORMATS, encoded, paint_with_matplotlib, save
from mazegen.rendering.canvas.raster import paint
from mazegen.rendering.canvas.requirements import require
from mazegen.rendering.canvas.scene import (
    GLYPH_WIDTH,
    MAX_SIDE_PX,
    Box,
    Circle,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Shape,
    Text,
    bounds,
    moved,
)
from mazegen.rendering.canvas.window import Window, as_surface, open_display

__all__ = [
    "DEFAULT_CELL_PX",
    "FORMATS",
    "GLYPH_WIDTH",
    "MAX_SIDE_PX",
    "Box",
    "Circle",
    "Line",
    "MissingPainter",
    "NoDisplay",
    "PictureError",
    "Polygon",
    "Rectangle",
    "Scene",
    "Shape",
    "Text",
    "Window",
    "as_surface",
    "bounds",
    "encoded",
    "moved",
    "open_display",
    "paint",
    "paint_with_matplotlib",
    "require",
    "save",
]
