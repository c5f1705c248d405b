"""The rules that a finished line must obey: one checker a rule, which says what is wrong as plain data.

The rules are those that the stored solutions of the public puzzles obey, every one and no other line.
"""

from __future__ import annotations

import copy
from collections import Counter
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from maze_gym.envs.sparc.rules.filling import fills
from maze_gym.envs.sparc.rules.puzzle import Kind, Path, Position, Puzzle, Symbol, normalized
from maze_gym.envs.sparc.rules.regions import DEFINITION as REGION_RULE
from maze_gym.envs.sparc.rules.regions import Region, regions
from maze_gym.errors import SearchLimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["REGION_RULE", "RULES", "Reason", "RuleReport", "Verdict", "judge", "obeys"]

Reason: TypeAlias = "dict[str, object]"
_Shape: TypeAlias = "tuple[Position, ...]"

MAX_TRIES = (
    5_000_000  # pieces tried to fill one region, ten seconds or so; those of the suites take thousands
)
STAR_GROUP = 2  # symbols of a star's colour in its region, the star included

# (name, sentence): whoever tells the rules tells them in these words.
RULES = (
    (
        "path",
        (
            "Draw one line from the start to the end along the lanes: every move goes to the next position "
            "to the right, above, to the left or below. The line never enters a rule cell, never enters a "
            "position twice, and is finished when it arrives at the end."
        ),
    ),
    ("gap", "Gap: the line must not enter a gap."),
    ("dot", "Dot: the line must pass through every dot."),
    ("square", "Square: all squares in one region must have the same colour."),
    (
        "star",
        (
            "Star: the region of a star must hold exactly two symbols of the star's colour: the star itself "
            "and one more, of any kind (star, square, triangle, polyomino or ylop)."
        ),
    ),
    (
        "triangle",
        (
            "Triangle: the line must touch exactly as many of the four edges of the rule cell as it holds "
            "triangles."
        ),
    ),
    (
        "polyomino",
        (
            "Polyomino: the shapes of all polyominoes in a region without ylops must fill the region "
            "exactly, without overlap and without a cell left over. Shapes are neither rotated nor "
            "reflected, and lie anywhere in the region, not only on their own cell. Their colour does not "
            "matter."
        ),
    ),
    (
        "ylop",
        (
            "Ylop: in a region with ylops, each ylop is laid anywhere on the board, inside the region or "
            "not, and each cell it covers must be covered by polyominoes once more. The polyominoes of the "
            "region must then cover every cell exactly as often as it asks for: each cell of the region "
            "once, and each cell below ylops once more for each of them. If polyominoes and ylops of the "
            "region have equally many cells, only the cells below ylops ask to be covered. Ylops are "
            "neither rotated nor reflected."
        ),
    ),
)


class Verdict(NamedTuple):
    """What one rule says of a line.

    Attributes:
        rule: its name in ``RULES``.
        ok: whether the line obeys it.
        reasons: why not: ``cells`` (positions [row, col] to look at), ``expected``, ``found`` and ``text``.
    """

    rule: str
    ok: bool
    reasons: tuple[Reason, ...]


class RuleReport(NamedTuple):
    """What all rules say of a line.

    Attributes:
        ok: whether the line obeys them all.
        verdicts: one a rule, in the order of ``RULES``.
    """

    ok: bool
    verdicts: tuple[Verdict, ...]

    def to_dict(self) -> dict[str, object]:
        """The report as plain JSON data, a fresh copy."""
        return {
            "ok": self.ok,
            "verdicts": [
                {"rule": rule, "ok": ok, "reasons": [copy.deepcopy(reason) for reason in reasons]}
                for rule, ok, reasons in self.verdicts
            ],
        }


class _Line:
    """A finished line on a puzzle, with what the checkers ask of it."""

    def __init__(self, puzzle: Puzzle, path: Path) -> None:
        """Nothing is worked out before it is asked for."""
        self.puzzle = puzzle
        self.path = path
        self.on = frozenset(path)

    @cached_property
    def regions(self) -> list[tuple[Region, list[tuple[Position, Symbol]]]]:
        """Each region that holds symbols, with them."""
        puzzle = self.puzzle
        if not puzzle.symbols:
            return []
        found = []
        for region in regions(puzzle, self.path):
            held = [(cell, symbol) for cell in region if (symbol := puzzle.symbol_at(cell)) is not None]
            if held:
                found.append((region, held))
        return found


def judge(puzzle: Puzzle, path: Path) -> RuleReport:
    """What every rule says of a finished line, from start to end; positions are (row, col).

    Raises:
        SearchLimitExceeded: so many shapes lie in one region that nobody can tell whether they fill it.
    """
    line = _Line(puzzle, path)
    verdicts = []
    for (rule, _), checker in zip(RULES, _CHECKERS, strict=True):
        reasons = tuple(checker(line))
        verdicts.append(Verdict(rule, not reasons, reasons))
    return RuleReport(all(verdict.ok for verdict in verdicts), tuple(verdicts))


def obeys(puzzle: Puzzle, path: Path, *, is_drawn: bool = False) -> bool:
    """Whether a finished line obeys all rules: ``judge(puzzle, path).ok``, found out faster.

    Args:
        puzzle: the puzzle.
        path: the line.
        is_drawn: it was drawn by ``rules.step``, which lets no line go where path or gap forbid it.

    Raises:
        SearchLimitExceeded: as ``judge``.
    """
    line = _Line(puzzle, path)
    return all(next(checker(line), None) is None for checker in (_OF_DRAWN if is_drawn else _CHECKERS))


def _path(line: _Line) -> Iterator[Reason]:
    puzzle, path = line.puzzle, line.path
    for name, at, wanted in (("begin", 0, puzzle.start), ("end", -1, puzzle.end)):
        if not path or path[at] != wanted:
            found = [path[at]] if path else []
            yield _reason(
                found or [wanted], list(wanted), _plain(found), f"the line must {name} at {_at(wanted)}"
            )
    for here, there in pairwise(path):
        if abs(here[0] - there[0]) + abs(here[1] - there[1]) != 1:
            text = f"there is no move from {_at(here)} to {_at(there)}"
            yield _reason([here, there], "neighbouring positions", _plain([here, there]), text)
    for position, times in Counter(path).items():
        row, col = position
        if times > 1:
            yield _reason([position], 1, times, f"the line enters {_at(position)} {times} times")
        if not (0 <= row < puzzle.rows and 0 <= col < puzzle.cols):
            yield _reason(
                [position], "a position of the board", list(position), f"{_at(position)} is off the board"
            )
        elif row % 2 and col % 2:
            yield _reason([position], "a lane", "a rule cell", f"{_at(position)} is a rule cell")
    if puzzle.end in path[:-1]:
        yield _reason([puzzle.end], "the end", "a move beyond it", "the line goes on behind the end")


def _gap(line: _Line) -> Iterator[Reason]:
    for position in line.puzzle.gaps:
        if position in line.on:
            yield _reason(
                [position], "not on the line", "on the line", f"the line enters the gap at {_at(position)}"
            )


def _dot(line: _Line) -> Iterator[Reason]:
    for position in line.puzzle.dots:
        if position not in line.on:
            yield _reason(
                [position], "on the line", "not on the line", f"the line misses the dot at {_at(position)}"
            )


def _square(line: _Line) -> Iterator[Reason]:
    for _, held in line.regions:
        squares = [(cell, symbol) for cell, symbol in held if symbol.kind == Kind.SQUARE]
        colors = sorted({symbol.color.name.lower() for _, symbol in squares})
        if len(colors) > 1:
            text = f"squares of different colours share a region: {', '.join(colors)}"
            yield _reason([cell for cell, _ in squares], 1, colors, text)


def _star(line: _Line) -> Iterator[Reason]:
    for _, held in line.regions:
        for color in sorted({symbol.color for _, symbol in held if symbol.kind == Kind.STAR}):
            group = [cell for cell, symbol in held if symbol.color == color]
            if len(group) != STAR_GROUP:
                name = color.name.lower()
                text = f"the region of a {name} star must hold {STAR_GROUP} {name} symbols, not {len(group)}"
                yield _reason(group, STAR_GROUP, len(group), text)


def _triangle(line: _Line) -> Iterator[Reason]:
    for (row, col), symbol in line.puzzle.symbols:
        if symbol.kind == Kind.TRIANGLE:
            around = ((row, col + 1), (row - 1, col), (row, col - 1), (row + 1, col))
            touched = sum(edge in line.on for edge in around)
            if touched != symbol.count:
                text = f"the line must touch {symbol.count} edges of {_at((row, col))}, not {touched}"
                yield _reason([(row, col)], symbol.count, touched, text)


def _polyomino(line: _Line) -> Iterator[Reason]:
    return _filling(line, with_ylops=False)


def _ylop(line: _Line) -> Iterator[Reason]:
    return _filling(line, with_ylops=True)


def _filling(line: _Line, *, with_ylops: bool) -> Iterator[Reason]:
    """Regions with ylops are the ylop rule's, those with polyominoes alone are the polyomino rule's."""
    puzzle = line.puzzle
    for region, held in line.regions:
        polys = [(cell, symbol) for cell, symbol in held if symbol.kind == Kind.POLYOMINO]
        ylops = [(cell, symbol) for cell, symbol in held if symbol.kind == Kind.YLOP]
        if bool(ylops) != with_ylops or not (polys or ylops):
            continue
        cells = [cell for cell, _ in polys + ylops]
        gives, takes = _shapes(puzzle, polys), _shapes(puzzle, ylops)
        net = sum(map(len, gives)) - sum(map(len, takes))
        names = "polyominoes less ylops" if ylops else "polyominoes"
        if net not in ({len(region), 0} if ylops else {len(region)}):
            text = f"the {names} have {net} cells, the region of {_at(region[0])} has {len(region)}"
            yield _reason(cells, len(region), net, text)
        elif not _is_filled(puzzle.height, puzzle.width, region if net else (), gives, takes):
            text = f"the {names} do not fit into the region of {_at(region[0])}"
            yield _reason(cells, "an exact fit", "none", text)


def _shapes(puzzle: Puzzle, held: list[tuple[Position, Symbol]]) -> tuple[_Shape, ...]:
    """The shapes of symbols, sorted, so that equal questions look alike."""
    cells_of = puzzle.cells_of
    return tuple(sorted(cells_of[symbol.shape] for _, symbol in held if symbol.shape is not None))


@lru_cache(maxsize=4096)
def _is_filled(
    height: int, width: int, region: Region, gives: tuple[_Shape, ...], takes: tuple[_Shape, ...]
) -> bool:
    """Whether the polyominoes ``gives`` cover the region, and once more what the ylops ``takes`` cover."""
    kinds = sorted({*gives, *takes})
    demand = [0] * (height * width)
    for row, col in region:
        demand[row // 2 * width + col // 2] = 1
    supply = [gives.count(shape) for shape in kinds]
    debts = [kinds.index(shape) for shape in takes]
    levels, tries = [0] * (len(gives) + len(takes)), [MAX_TRIES]
    is_filled = fills(*shape_table(kinds), supply, debts, width, demand, levels, levels.copy(), tries)
    if tries[0] <= 0:
        msg = (
            f"whether {len(gives)} polyominoes and {len(takes)} ylops fill a region of {len(region)} cells "
            f"is not known after {MAX_TRIES:,} tries; lay fewer shapes"
        )
        raise SearchLimitExceeded(msg)
    return is_filled


def shape_table(kinds: Sequence[_Shape]) -> tuple[list[int], list[int], list[int]]:
    """Shapes as ``filling.fills`` wants them: begins, downs, rights."""
    begins, downs, rights = [0], [], []
    for shape in kinds:
        cells = normalized(shape)
        downs += [row - cells[0][0] for row, _ in cells]
        rights += [col - cells[0][1] for _, col in cells]
        begins.append(len(downs))
    return begins, downs, rights


def _reason(cells: list[Position], expected: object, found: object, text: str) -> Reason:
    return {"cells": _plain(cells), "expected": expected, "found": found, "text": text}


def _plain(positions: list[Position]) -> list[list[int]]:
    return [list(position) for position in positions]


def _at(position: Position) -> str:
    row, col = position
    return f"row {row}, column {col}"


_CHECKERS = (_path, _gap, _dot, _square, _star, _triangle, _polyomino, _ylop)
_OF_DRAWN = _CHECKERS[2:]  # without the first two, path and gap
