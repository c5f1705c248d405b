"""Puzzle + line -> Scene: the one picture of a line puzzle.

One unit is a rule cell with half of the lanes around it; half a unit is left free on each side, for the stub
that is the end. Nothing is translucent, so that equal neighbourhoods are equal pixels.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from maze_gym.envs.sparc.rendering import tiles
from mazegen.rendering.canvas.scene import Circle, Line, Polygon, Scene, moved

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Puzzle
    from mazegen.rendering.canvas.scene import Shape

MARGIN = 0.5
BOARD, LANE, LINE, HEAD = "#6d898b", "#2d4247", "#fff6dc", "#f0562f"
DOT, DOT_EDGE = "#0c1013", "#b9cccb"
_LANE_WIDTH, _LINE_WIDTH = 0.19, 0.11
_START, _START_LINE, _HEAD = 0.21, 0.165, 0.1
_STUB = 0.3  # from the end outwards
_GAP = 0.13  # of a unit, to either side of the middle of the edge
_DOT = 0.085


def scene_size(puzzle: Puzzle) -> tuple[int, int]:
    """Height and width of the picture in units."""
    return puzzle.height + 1, puzzle.width + 1


def scene(puzzle: Puzzle, path: Path = (), wrong: Collection[Position] = ()) -> Scene:
    """The whole picture.

    Args:
        puzzle: the puzzle.
        path: the line; none of it is drawn if it is empty.
        wrong: positions at which people are shown that a rule is broken; never for an agent.
    """
    drawn = list(ground(puzzle, wrong))
    if path:
        drawn += [*line(puzzle, segments_of(path), (path[0], path[-1])), *head(puzzle, path[-1])]
    height, width = scene_size(puzzle)
    return Scene(height, width, BOARD, (*drawn, *things(puzzle, wrong)))


def place(position: Position) -> tuple[float, float]:
    """Where in the picture the middle of a position is."""
    return position[0] / 2 + MARGIN, position[1] / 2 + MARGIN


def ground(puzzle: Puzzle, wrong: Collection[Position] = ()) -> Iterator[Shape]:
    """What lies below the line."""
    for row in range(puzzle.height):
        for col in range(puzzle.width):
            is_wrong = (2 * row + 1, 2 * col + 1) in wrong
            yield moved(tiles.cell(wrong=is_wrong), row + MARGIN, col + MARGIN)
    gaps = set(puzzle.gaps)
    for row in range(puzzle.rows):
        for col in range(puzzle.cols):
            if row % 2 != col % 2:  # an edge
                yield from _lane((row, col), is_gap=(row, col) in gaps)
    yield Line(_stub(puzzle), LANE, _LANE_WIDTH)
    yield Circle(*place(puzzle.start), _START, LANE)


def _lane(edge: Position, *, is_gap: bool) -> Iterator[Shape]:
    row, col = place(edge)
    down, right = (0.5, 0.0) if edge[0] % 2 else (0.0, 0.5)
    if not is_gap:
        yield Line(((row - down, col - right), (row + down, col + right)), LANE, _LANE_WIDTH)
        return
    # Round ends reach half a width further, so the stubs are that much shorter.
    reach = (_GAP + _LANE_WIDTH / 2) / 0.5
    for side in (-1, 1):
        far = (row + side * down, col + side * right)
        near = (row + side * down * reach, col + side * right * reach)
        yield Line((far, near), LANE, _LANE_WIDTH)


def _stub(puzzle: Puzzle) -> tuple[tuple[float, float], tuple[float, float]]:
    """From the end out of the board; slanting at a corner."""
    (row, col), (top, left) = puzzle.end, place(puzzle.end)
    down = (row == puzzle.rows - 1) - (row == 0)
    right = (col == puzzle.cols - 1) - (col == 0)
    length = _STUB / math.hypot(down, right)
    return (top, left), (top + down * length, left + right * length)


def line(
    puzzle: Puzzle, segments: Iterable[tuple[Position, Position]], ends: Collection[Position]
) -> Iterator[Shape]:
    """The line, segment by segment, and of its start and head those that are among ``ends``."""
    for here, there in segments:
        yield Line((place(here), place(there)), LINE, _LINE_WIDTH)
    for position in ends:
        if position == puzzle.start:
            yield Circle(*place(position), _START_LINE, LINE)
    for position in ends:
        if position == puzzle.end:
            yield Line(_stub(puzzle), LINE, _LINE_WIDTH)


def head(puzzle: Puzzle, position: Position) -> Iterator[Shape]:
    """A ring around where the line ends now; none at the end, where it is finished."""
    if position != puzzle.end:
        yield Circle(*place(position), _HEAD, LINE, HEAD, 0.05)


def segments_of(path: Path) -> tuple[tuple[Position, Position], ...]:
    """Neighbours on the line, each pair sorted: a segment looks the same the other way round."""
    return tuple((min(pair), max(pair)) for pair in pairwise(path))


def things(puzzle: Puzzle, wrong: Collection[Position] = ()) -> Iterator[Shape]:
    """What lies above the line, and in the rule cells."""
    for position in sorted(wrong):
        if not (position[0] % 2 and position[1] % 2):
            yield Circle(*place(position), 0.15, tiles.WRONG_CELL, tiles.WRONG, 0.045)
    for position in puzzle.dots:
        row, col = place(position)
        points = tuple(
            (row + _DOT * math.sin(math.pi * corner / 3), col + _DOT * math.cos(math.pi * corner / 3))
            for corner in range(6)
        )
        yield Polygon(points, DOT, DOT_EDGE, 0.02)
    for (row, col), symbol in puzzle.symbols:
        is_wrong = (row, col) in wrong
        for shape in tiles.symbol(puzzle, symbol, wrong=is_wrong):
            yield moved(shape, row // 2 + MARGIN, col // 2 + MARGIN)
