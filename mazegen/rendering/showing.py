"""A maze as people look at it: as text, or as a picture that shows itself in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mazegen.core.rules import compile_board
from mazegen.rendering import canvas, drawing
from mazegen.rendering import picture as text
from mazegen.rendering.canvas.svg import as_svg

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mazegen.core.maze import Maze
    from mazegen.core.parts import Position
    from mazegen.core.rules import State


@dataclass(frozen=True, slots=True)
class MazeDrawing:
    """A picture of a maze; in a notebook it shows itself.

    Attributes:
        scene: its shapes.
    """

    scene: canvas.Scene

    def save(self, path: str | os.PathLike[str], *, cell_px: float = canvas.DEFAULT_CELL_PX) -> None:
        """Write a file whose suffix, .svg, .png or .pdf, names the format.

        Args:
            path: where to.
            cell_px: pixels a cell.

        Raises:
            PictureError: an unknown suffix, or a picture that would be empty or too large.
            MissingPainter: for .png and .pdf, matplotlib is not installed.
            OSError: the file cannot be written.
        """
        if Path(path).suffix.lower() == ".svg":
            Path(path).write_text(as_svg(self.scene, cell_px), encoding="utf-8")
        else:
            canvas.save(self.scene, path, cell_px)

    def to_array(self, *, cell_px: int = canvas.DEFAULT_CELL_PX) -> NDArray[np.uint8]:
        """The picture as a (height_px, width_px, 3) RGB array.

        Raises:
            PictureError: the picture would be empty or too large.
            MissingPainter: pygame is not installed.
        """
        return canvas.paint(self.scene, cell_px)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return as_svg(self.scene)


def draw(
    maze: Maze, state: State | None = None, *, path: Sequence[Position] = (), numbered: bool = False
) -> MazeDrawing:
    r"""Draw a maze.

    Args:
        maze: the maze.
        state: what has happened so far; the beginning by default.
        path: cells to lay over the floor, such as ``solve(maze).path``.
        numbered: write the numbers of rows and columns around the board.

    >>> from mazegen import draw, parse, solve
    >>> maze = parse("#####\n#>.*#\n#####")
    >>> draw(maze, path=solve(maze).path)._repr_svg_()[:4]
    '<svg'
    """
    board = compile_board(maze)
    picture_ = drawing.Drawing(maze, board, drawing.Style(orientation=numbered))
    return MazeDrawing(picture_.scene(board.start if state is None else state, path=path))


def picture(maze: Maze, state: State | None = None) -> str:
    r"""A maze as text, one character a cell; ``parse`` reads such a picture.

    Args:
        maze: the maze.
        state: what has happened so far; the beginning by default.

    >>> from mazegen import parse, picture
    >>> print(picture(parse("#####\n#>.*#\n#####")))
    #####
    #>.*#
    #####
    """
    board = compile_board(maze)
    return text.draw(maze, board, board.start if state is None else state)
