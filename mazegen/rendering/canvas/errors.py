"""What can go wrong with a picture.

mazegen.errors.MazeError
├── PictureError    (also ValueError)    a picture without pixels, or with far too many
├── MissingPainter  (also ImportError)   a painting library is not installed; names the install command
└── NoDisplay       (also RuntimeError)  there is no screen to open a window on; names what to use instead
"""

from __future__ import annotations

from mazegen.errors import MazeError


class PictureError(MazeError, ValueError):
    """A picture that cannot be: no pixels, too many, an unknown format."""


class MissingPainter(MazeError, ImportError):
    """A library that paints is not installed; the message says how to install it."""


class NoDisplay(MazeError, RuntimeError):
    """There is no screen to open a window on."""
