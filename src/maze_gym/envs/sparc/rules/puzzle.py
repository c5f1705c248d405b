"""What a line puzzle is: a board of rule cells, the lanes around them, and what lies on both.

A board of ``height`` x ``width`` rule cells is an array of ``2 * height + 1`` rows and ``2 * width + 1``
columns. Positions are (row, col) of that array: a node where both are even, an edge where one is odd, a rule
cell where both are. The line runs over nodes and edges, the lanes; symbols lie in rule cells.
"""

from __future__ import annotations

import hashlib
import json
import math
import reprlib
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import NoReturn, TypeAlias, TypeGuard

from maze_gym.errors import InvalidArgument

Position: TypeAlias = tuple[int, int]
Path: TypeAlias = tuple[Position, ...]

MIN_SIDE = 1
MAX_SIDE = 10  # rule cells; the published puzzles have from 2 to 6 along either side
MAX_TRIANGLES = 4  # a rule cell has four edges
LEVELS = range(1, 6)
STEPS = ((0, 1), (-1, 0), (0, -1), (1, 0))  # right, up, left, down: the order of ``rules.Action``


class Color(StrEnum):
    """Colours of symbols, by the letter of their token."""

    RED = "R"
    BLUE = "B"
    GREEN = "G"
    YELLOW = "Y"
    WHITE = "W"
    ORANGE = "O"
    PURPLE = "P"
    BLACK = "K"


class Kind(StrEnum):
    """Kinds of symbols that rule cells hold."""

    SQUARE = "square"
    STAR = "star"
    TRIANGLE = "triangle"
    POLYOMINO = "poly"
    YLOP = "ylop"


SHAPED = (Kind.POLYOMINO, Kind.YLOP)
_LETTERS = {Kind.SQUARE: "o", Kind.STAR: "*", Kind.POLYOMINO: "P", Kind.YLOP: "Y"}
_TRIANGLES = "ABCD"  # the letter of a triangle is its count
_KINDS = {letter: kind for kind, letter in _LETTERS.items()}


class PuzzleError(InvalidArgument):
    """A puzzle that cannot be; the message names the puzzle and the field.

    Attributes:
        puzzle_id: which puzzle.
        field: which part of it.
    """

    def __init__(self, puzzle_id: str, field: str, problem: str) -> None:
        """Say what is wrong with ``field``."""
        super().__init__(f"puzzle {puzzle_id!r}: {field}: {problem}")
        self.puzzle_id, self.field, self.problem = puzzle_id, field, problem

    def __reduce__(self) -> tuple[type[PuzzleError], tuple[str, str, str]]:
        """Pickle by the arguments, so that the error survives the way out of a worker process."""
        return (type(self), (self.puzzle_id, self.field, self.problem))


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a rule cell holds.

    Attributes:
        kind: which rule it stands for.
        color: its colour; it counts for squares and stars only.
        count: of a triangle, 1 to 4; 0 for other kinds.
        shape: id of the shape of a polyomino or ylop; None for other kinds.

    Raises:
        InvalidArgument: the count or the shape does not go with the kind.
    """

    kind: Kind
    color: Color
    count: int = 0
    shape: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no token stands for."""
        wants_count, wants_shape = self.kind == Kind.TRIANGLE, self.kind in SHAPED
        kinds: tuple[object, object] = self.kind, self.color  # whatever the types say
        if not isinstance(kinds[0], Kind) or not isinstance(kinds[1], Color):
            msg = f"a symbol needs a Kind and a Color, got {self.kind!r} and {self.color!r}"
            raise InvalidArgument(msg)
        if not _is_int(self.count, int(wants_count), MAX_TRIANGLES if wants_count else 0):
            wanted = f"1 to {MAX_TRIANGLES}" if wants_count else "0"
            msg = f"the count of a {self.kind} must be {wanted}, got {self.count!r}"
            raise InvalidArgument(msg)
        if not (_is_int(self.shape, 0, None) if wants_shape else self.shape is None):
            wanted = "the id of a shape" if wants_shape else "None"
            msg = f"the shape of a {self.kind} must be {wanted}, got {self.shape!r}"
            raise InvalidArgument(msg)

    @property
    def token(self) -> str:
        """Its token, for example ``o-R``, ``C-B`` or ``P-Y-816``."""
        if self.kind == Kind.TRIANGLE:
            return f"{_TRIANGLES[self.count - 1]}-{self.color}"
        token = f"{_LETTERS[self.kind]}-{self.color}"
        return token if self.shape is None else f"{token}-{self.shape}"


def parse_symbol(token: str) -> Symbol:
    """The symbol of a token.

    Raises:
        InvalidArgument: there is no such token.

    >>> parse_symbol("P-Y-816").shape
    816
    """
    letter, *rest = token.split("-")
    kind = Kind.TRIANGLE if letter and letter in _TRIANGLES else _KINDS.get(letter)
    parts = 2 if kind in SHAPED else 1
    if kind is None or len(rest) != parts or rest[0] not in set(Color):
        msg = (
            f"unknown token {token!r}; rule cells hold N, o-C, *-C, A-C to D-C, P-C-ID or Y-C-ID, "
            f"where C is one of {' '.join(Color)}"
        )
        raise InvalidArgument(msg)
    count = _TRIANGLES.index(letter) + 1 if kind == Kind.TRIANGLE else 0
    return Symbol(kind, Color(rest[0]), count, shape_id(rest[1]) if kind in SHAPED else None)


def shape_id(text: str) -> int:
    """The id of a shape, as a token or the table of shapes writes it.

    Raises:
        InvalidArgument: it is no number, or has more digits than Python reads.
    """
    if text.isascii() and text.isdigit():
        with suppress(ValueError):
            return int(text)
    msg = f"the id of a shape, which ends its tokens, must be a number, got {reprlib.repr(text)}"
    raise InvalidArgument(msg)


def level_of(score: float) -> int:
    """The level of a score: 1 for scores below 1, up to 5."""
    return min(max(math.floor(score) + 1, LEVELS[0]), LEVELS[-1])


@dataclass(frozen=True)
class Puzzle:
    """A line puzzle, as it is before the first move.

    Attributes:
        puzzle_id: its name in tables and records.
        height: rule cells from top to bottom, 1 to ``MAX_SIDE``.
        width: rule cells from left to right, 1 to ``MAX_SIDE``.
        start: where the line begins: a node or edge of the border.
        end: where it ends: another one.
        gaps: edges that the line cannot enter, sorted.
        dots: nodes and edges that it must pass, sorted.
        symbols: rule cells with what they hold, sorted by position.
        shapes: id and cells (row, col) of each shape, sorted by id; where in its frame a shape lies is
            of no consequence.
        level: difficulty, 1 to 5, if it is known.
        score: difficulty as a number from 0 to 5, if it is known; the level is the next larger integer.
        solutions: every line that is known to obey all rules, start and end included; empty if none is. Here
            only their way is checked, ``record.from_record`` also judges them.

    Raises:
        PuzzleError: the puzzle cannot be.
    """

    puzzle_id: str
    height: int
    width: int
    start: Position
    end: Position
    gaps: tuple[Position, ...] = ()
    dots: tuple[Position, ...] = ()
    symbols: tuple[tuple[Position, Symbol], ...] = ()
    shapes: tuple[tuple[int, tuple[Position, ...]], ...] = ()
    level: int | None = None
    score: float | None = None
    solutions: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        """Check every part against the board."""
        name: object = self.puzzle_id  # whatever the types say
        if not isinstance(name, str) or not name or not name.isprintable():
            raise PuzzleError(str(name), "puzzle_id", "must be a printable, non-empty text")
        for name, value in (("height", self.height), ("width", self.width)):
            if not _is_int(value, MIN_SIDE, MAX_SIDE):
                self._refuse(name, f"must be from {MIN_SIDE} to {MAX_SIDE} rule cells, got {value!r}")
        self._check_ends()
        self._check_marks()
        self._check_shapes()
        self._check_symbols()
        self._check_difficulty()
        for number, path in enumerate(self.solutions):
            self._check_solution(number, path)

    def __hash__(self) -> int:
        """Of the content, worked out once: puzzles are keys of caches."""
        return self._hash

    @property
    def rows(self) -> int:
        """Rows of the array."""
        return 2 * self.height + 1

    @property
    def cols(self) -> int:
        """Columns of the array."""
        return 2 * self.width + 1

    @cached_property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The board as rows of tokens: S, E, +, N, G, dots and symbols."""
        marks = {self.start: "S", self.end: "E"}
        marks |= dict.fromkeys(self.gaps, "G") | dict.fromkeys(self.dots, ".")
        marks |= {position: symbol.token for position, symbol in self.symbols}
        return tuple(
            tuple(marks.get((row, col), "N" if row % 2 and col % 2 else "+") for col in range(self.cols))
            for row in range(self.rows)
        )

    def token(self, row: int, col: int) -> str:
        """The token of a position."""
        return self.tokens[row][col]

    def symbol_at(self, position: Position) -> Symbol | None:
        """The symbol of a rule cell; None where it is empty, or no rule cell."""
        return self._symbol_of.get(position)

    @cached_property
    def cells_of(self) -> dict[int, tuple[Position, ...]]:
        """Cells of each shape, by id."""
        return dict(self.shapes)

    @cached_property
    def lanes(self) -> dict[Position, tuple[Position | None, ...]]:
        """For each position of the lanes, the ones right, above, left and below of it that a line can enter.

        None stands for the edge of the board, a rule cell or a gap.
        """
        closed = set(self.gaps)
        free = {
            (row, col): (row, col)
            for row in range(self.rows)
            for col in range(self.cols)
            if not (row % 2 and col % 2) and (row, col) not in closed
        }
        return {
            (row, col): tuple(free.get((row + down, col + right)) for down, right in STEPS)
            for row, col in free.values()
        }

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the board, as hexadecimal digits; id, level, score and solutions are left out."""
        used = {symbol.shape for _, symbol in self.symbols}
        shapes = [[shape, cells] for shape, cells in self.shapes if shape in used]
        text = json.dumps([self.tokens, shapes], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _hash(self) -> int:
        return hash((self.content_hash, self.puzzle_id))

    @cached_property
    def _symbol_of(self) -> dict[Position, Symbol]:
        return dict(self.symbols)

    def _refuse(self, field: str, problem: str) -> NoReturn:
        raise PuzzleError(self.puzzle_id, field, problem)

    def _is_on_lane(self, position: object) -> bool:
        return is_position(position, self.rows, self.cols) and not (position[0] % 2 and position[1] % 2)

    def _check_ends(self) -> None:
        for name, position in (("start", self.start), ("end", self.end)):
            if not self._is_on_lane(position):
                self._refuse(name, f"must be a node or edge of the board, got {position!r}")
            row, col = position
            if row not in {0, self.rows - 1} and col not in {0, self.cols - 1}:
                self._refuse(name, f"must lie on the border of the board, got {position!r}")
        if self.start == self.end:
            self._refuse("end", f"must differ from the start, got {self.end!r} for both")

    def _check_marks(self) -> None:
        for name, positions in (("gaps", self.gaps), ("dots", self.dots)):
            self._check_sorted(name, positions)
            for position in positions:
                if not self._is_on_lane(position):
                    self._refuse(name, f"must be nodes or edges of the board, got {position!r}")
                if name == "gaps" and not (position[0] % 2 or position[1] % 2):
                    self._refuse(name, f"must be edges, got the node {position!r}")
                if position in {self.start, self.end}:
                    self._refuse(name, f"start and end hold nothing else, got {position!r}")
        both = set(self.gaps) & set(self.dots)
        if both:
            self._refuse("dots", f"a gap can hold no dot, got {min(both)!r}")

    def _check_shapes(self) -> None:
        self._check_sorted("shapes", tuple(shape for shape, _ in self.shapes))
        for shape, cells in self.shapes:
            name = f"shapes[{shape}]"
            if not cells:
                self._refuse(name, "has no cell")
            self._check_sorted(name, cells)
            rows, cols = extent(cells)
            # Along one side at least it could never be placed.
            if rows > self.height or cols > self.width:
                self._refuse(
                    name, f"{rows} x {cols} cells do not fit on a board of {self.height} x {self.width}"
                )

    def _check_symbols(self) -> None:
        self._check_sorted("symbols", tuple(position for position, _ in self.symbols))
        known = dict(self.shapes)
        for position, symbol in self.symbols:
            inside = is_position(position, self.rows, self.cols)
            if not (inside and position[0] % 2 and position[1] % 2):
                self._refuse("symbols", f"must lie in rule cells (odd row, odd column), got {position!r}")
            if symbol.shape is not None and symbol.shape not in known:
                there = ", ".join(map(str, known)) or "none"
                self._refuse("shapes", f"{symbol.token} at {position!r} has no shape; there are: {there}")

    def _check_difficulty(self) -> None:
        level, score = self.level, self.score
        if level is not None and not _is_int(level, LEVELS[0], LEVELS[-1]):
            self._refuse("level", f"must be from {LEVELS[0]} to {LEVELS[-1]} or None, got {level!r}")
        if score is None:
            return
        if type(score) not in {int, float} or not 0 <= score <= LEVELS[-1]:  # which NaN is not either
            self._refuse("score", f"must be from 0 to {LEVELS[-1]} or None, got {score!r}")
        if level not in {None, level_of(score)}:
            self._refuse("level", f"must be {level_of(score)} where the score is {score!r}, got {level!r}")

    def _check_solution(self, number: int, path: Path) -> None:
        name = f"solutions[{number}]"
        if not path or path[0] != self.start or path[-1] != self.end:
            self._refuse(name, f"must lead from {self.start!r} to {self.end!r}")
        closed = set(self.gaps)
        for here, there in pairwise(path):
            (row, col), (next_row, next_col) = here, there
            is_beside = abs(next_row - row) + abs(next_col - col) == 1
            is_inside = 0 <= next_row < self.rows and 0 <= next_col < self.cols
            if not (is_beside and is_inside) or (next_row % 2 and next_col % 2) or there in closed:
                self._refuse(name, f"no lane leads from {here!r} to {there!r}")
        if len(set(path)) != len(path):
            self._refuse(name, "enters a position twice")

    def _check_sorted(self, field: str, items: tuple[object, ...]) -> None:
        if list(items) != sorted(set(items)):  # type: ignore[type-var]  # positions, or ids: both can be sorted
            self._refuse(field, "must be sorted, each once")


def extent(cells: tuple[Position, ...]) -> tuple[int, int]:
    """Rows and columns that a shape takes up."""
    rows, cols = [row for row, _ in cells], [col for _, col in cells]
    return max(rows) - min(rows) + 1, max(cols) - min(cols) + 1


def normalized(cells: tuple[Position, ...]) -> tuple[Position, ...]:
    """The shape moved up and left as far as it goes, sorted."""
    top, left = min(row for row, _ in cells), min(col for _, col in cells)
    return tuple(sorted((row - top, col - left) for row, col in cells))


def is_position(value: object, rows: int, cols: int) -> TypeGuard[Position]:
    """Whether it is a pair of integers inside an array."""
    if not isinstance(value, tuple) or len(value) != 2:  # noqa: PLR2004 - row and column
        return False
    return _is_int(value[0], 0, rows - 1) and _is_int(value[1], 0, cols - 1)


def _is_int(value: object, least: int, most: int | None) -> bool:
    return type(value) is int and least <= value and (most is None or value <= most)
