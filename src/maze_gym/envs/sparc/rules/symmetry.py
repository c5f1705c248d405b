"""The eight rotations and reflections of a puzzle, its line reversed, its colours renamed: same puzzle."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.envs.sparc.rules.puzzle import Color, normalized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Puzzle


class Symmetry(NamedTuple):
    """One of the eight symmetries of a rectangle: transpose first, then flip."""

    transposed: bool = False
    rows_flipped: bool = False
    cols_flipped: bool = False

    def apply(self, position: Position, rows: int, cols: int) -> Position:
        """Where a position of a ``rows`` x ``cols`` array comes to lie."""
        row, col = position
        if self.transposed:
            row, col, rows, cols = col, row, cols, rows
        return (rows - 1 - row if self.rows_flipped else row, cols - 1 - col if self.cols_flipped else col)


SYMMETRIES = tuple(Symmetry(*flags) for flags in product((False, True), repeat=3))


def transformed(puzzle: Puzzle, symmetry: Symmetry) -> Puzzle:
    """The puzzle turned or mirrored, shapes and solutions with it; it keeps its id."""

    def moved(position: Position) -> Position:
        return symmetry.apply(position, puzzle.rows, puzzle.cols)

    def moved_shape(cells: tuple[Position, ...]) -> tuple[Position, ...]:
        side = 1 + max(max(cell) for cell in cells)
        return normalized(tuple(symmetry.apply(cell, side, side) for cell in cells))

    height, width = puzzle.height, puzzle.width
    return replace(
        puzzle,
        height=width if symmetry.transposed else height,
        width=height if symmetry.transposed else width,
        start=moved(puzzle.start),
        end=moved(puzzle.end),
        gaps=tuple(sorted(map(moved, puzzle.gaps))),
        dots=tuple(sorted(map(moved, puzzle.dots))),
        symbols=tuple(sorted(((moved(cell), symbol) for cell, symbol in puzzle.symbols), key=_position)),
        shapes=tuple((shape, moved_shape(cells)) for shape, cells in puzzle.shapes),
        solutions=tuple(tuple(map(moved, path)) for path in puzzle.solutions),
    )


def reversed_line(puzzle: Puzzle) -> Puzzle:
    """The puzzle with start and end exchanged: no rule knows the direction of a line."""
    solutions: tuple[Path, ...] = tuple(path[::-1] for path in puzzle.solutions)
    return replace(puzzle, start=puzzle.end, end=puzzle.start, solutions=solutions)


def recolored(puzzle: Puzzle, names: Mapping[Color, Color]) -> Puzzle:
    """The puzzle with other colours; ``names`` must map different colours to different ones."""
    symbols = tuple((cell, replace(symbol, color=names[symbol.color])) for cell, symbol in puzzle.symbols)
    return replace(puzzle, symbols=symbols)


def symmetry_hash(puzzle: Puzzle) -> str:
    """SHA-256 that is equal for puzzles that are the same up to symmetry, direction and names of colours."""
    forms = []
    bare = replace(puzzle, solutions=())
    for symmetry in SYMMETRIES:
        turned = transformed(bare, symmetry)
        forms += [_form(turned), _form(reversed_line(turned))]
    return hashlib.sha256(min(forms).encode()).hexdigest()


def _form(puzzle: Puzzle) -> str:
    """The board as text, colours numbered as they come, shapes written out instead of named."""
    numbers: dict[Color, int] = {}
    cells_of = puzzle.cells_of
    symbols = [
        [
            cell,
            symbol.kind,
            numbers.setdefault(symbol.color, len(numbers)),
            symbol.count,
            None if symbol.shape is None else normalized(cells_of[symbol.shape]),
        ]
        for cell, symbol in puzzle.symbols
    ]
    board = [puzzle.height, puzzle.width, puzzle.start, puzzle.end, puzzle.gaps, puzzle.dots, symbols]
    return json.dumps(board, separators=(",", ":"))


def _position(item: tuple[Position, object]) -> Position:
    return item[0]
