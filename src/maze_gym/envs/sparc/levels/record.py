"""Records of the public SPaRC data <-> ``Puzzle``; with ``yaml_text`` the only home of x and y.

A record is the object of one JSONL line: ``id``, ``difficulty_level``, ``difficulty_score``, ``grid_size``
(rule cells), ``puzzle_array`` (rows of tokens), ``polyshapes`` (JSON text: id -> rows of 0 and 1),
``solution_count``, ``solutions`` (paths of {x, y}) and ``text_visualization`` (YAML). A shape's rows are
authoritative; its id is a name.

In a short record, as the bundled suites hold them, a solution is ``{"moves": "RRDL"}`` and there is no YAML.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from maze_gym.envs.sparc.levels.yaml_text import to_yaml
from maze_gym.envs.sparc.rules.constraints import judge, obeys
from maze_gym.envs.sparc.rules.puzzle import MAX_SIDE, STEPS, Puzzle, PuzzleError, parse_symbol, shape_id
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Symbol

T = TypeVar("T")

FRAME = 4  # rows and columns in which the public records write a shape
MOVES = "RULD"  # the letters of ``puzzle.STEPS``
_STEP_OF = dict(zip(MOVES, STEPS, strict=True))
_NAMELESS = "?"
_ARRAY_SIDE = 2 * MAX_SIDE + 1


def from_record(record: Mapping[str, object], *, judged: bool = False) -> Puzzle:
    """The puzzle of a public record, or of a short one.

    Only ``id`` and ``puzzle_array`` have to be there, and what is there must agree: stored solutions obey
    every rule. The YAML text is not read: it says again what the array says.

    Args:
        record: the object of the record.
        judged: its solutions are known to obey the rules; to judge them takes as long as all the rest.

    Raises:
        PuzzleError: the record is wrong; the message names its id and the field.
    """
    if not isinstance(record, Mapping):
        raise PuzzleError(_NAMELESS, "record", f"must be an object, got {type(record).__name__}")
    name = record.get("id")
    if not isinstance(name, str) or not name:
        raise PuzzleError(str(name), "id", "must be a non-empty text")
    tokens = _tokens(name, record.get("puzzle_array"))
    height, width = _sides(name, tokens, record.get("grid_size"))
    marks = _Marks(name, tokens)
    shapes = _shapes(name, record.get("polyshapes", "{}"))
    solutions = _solutions(name, record.get("solutions", []), marks.start)
    count = record.get("solution_count", len(solutions))
    if count != len(solutions):
        raise PuzzleError(name, "solution_count", f"is {count!r}, but there are {len(solutions)} solutions")
    puzzle = Puzzle(
        puzzle_id=name,
        height=height,
        width=width,
        start=marks.start,
        end=marks.end,
        gaps=tuple(marks.gaps),
        dots=tuple(marks.dots),
        symbols=tuple(marks.symbols),
        shapes=shapes,
        level=_typed(name, "difficulty_level", record.get("difficulty_level"), int),
        score=_score(name, record.get("difficulty_score")),
        solutions=solutions,
    )
    if not judged:
        _judge_solutions(puzzle)
    return puzzle


def to_record(puzzle: Puzzle, *, short: bool = False) -> dict[str, object]:
    """The record of a puzzle; ``from_record`` reads it back.

    Args:
        puzzle: the puzzle. An unknown level or score is written as null.
        short: write solutions as letters of moves, and no YAML text.
    """
    solutions = [
        {"moves": _moves_of(path)}
        if short
        else {
            "index": index,
            "path": [{"x": col, "y": row} for row, col in path],
            "pathLength": len(path),
        }
        for index, path in enumerate(puzzle.solutions)
    ]
    shapes = {str(shape): _frame(cells) for shape, cells in puzzle.shapes}
    record: dict[str, object] = {
        "id": puzzle.puzzle_id,
        "difficulty_level": puzzle.level,
        "difficulty_score": puzzle.score,
        "grid_size": {"height": puzzle.height, "width": puzzle.width},
        "puzzle_array": [list(row) for row in puzzle.tokens],
        "polyshapes": json.dumps(shapes, separators=(",", ":")),
        "solution_count": len(puzzle.solutions),
        "solutions": solutions,
    }
    return record if short else record | {"text_visualization": to_yaml(puzzle)}


class _Marks:
    """What the tokens of an array say, sorted by position as they are read."""

    def __init__(self, name: str, tokens: list[list[str]]) -> None:
        """Read every token; x and y end here."""
        self._name = name
        self.gaps: list[Position] = []
        self.dots: list[Position] = []
        self.symbols: list[tuple[Position, Symbol]] = []
        ends: dict[str, list[Position]] = {"S": [], "E": []}
        for row, line in enumerate(tokens):
            for col, mark in enumerate(line):
                if row % 2 and col % 2:
                    self._read_cell((row, col), mark)
                elif mark in ends:
                    ends[mark].append((row, col))
                elif mark == "G":
                    self.gaps.append((row, col))
                elif mark == ".":
                    self.dots.append((row, col))
                elif mark != "+":
                    self._refuse((row, col), f"unknown token {mark!r}; nodes and edges hold S, E, +, G or .")
        for token, found in ends.items():
            if len(found) != 1:
                where = ", ".join(_xy(position) for position in found) or "none"
                raise PuzzleError(name, "puzzle_array", f"must hold exactly one {token}, got {where}")
        self.start, self.end = ends["S"][0], ends["E"][0]

    def _read_cell(self, position: Position, mark: str) -> None:
        if mark == "N":
            return
        try:
            self.symbols.append((position, parse_symbol(mark)))
        except InvalidArgument as error:
            self._refuse(position, str(error), error)

    def _refuse(self, position: Position, problem: str, cause: Exception | None = None) -> None:
        raise PuzzleError(self._name, f"puzzle_array at {_xy(position)}", problem) from cause


def _tokens(name: str, array: object) -> list[list[str]]:
    field = "puzzle_array"
    if not isinstance(array, list) or not array or not all(isinstance(row, list) and row for row in array):
        raise PuzzleError(name, field, "must be a non-empty list of lists of tokens")
    for y, row in enumerate(array):
        if len(row) != len(array[0]):
            problem = (
                f"row {y} has {len(row)} tokens, row 0 has {len(array[0])}; all rows must be equally long"
            )
            raise PuzzleError(name, field, problem)
        for x, token in enumerate(row):
            if not isinstance(token, str):
                raise PuzzleError(name, f"{field} at x={x}, y={y}", f"must be a token, got {token!r}")
    return array


def _sides(name: str, tokens: list[list[str]], grid_size: object) -> tuple[int, int]:
    """Height and width in rule cells."""
    rows, cols = len(tokens), len(tokens[0])
    for side, size in (("rows", rows), ("columns", cols)):
        if size % 2 == 0 or size > _ARRAY_SIDE or size == 1:
            problem = f"must have an odd number of {side}, from 3 to {_ARRAY_SIDE}, got {size}"
            raise PuzzleError(name, "puzzle_array", problem)
    sides = {"height": rows // 2, "width": cols // 2}
    if grid_size is not None and grid_size != sides:
        raise PuzzleError(name, "grid_size", f"is {grid_size!r}, but the array has {sides!r} rule cells")
    return sides["height"], sides["width"]


def _shapes(name: str, shapes: object) -> tuple[tuple[int, tuple[Position, ...]], ...]:
    if isinstance(shapes, str):
        try:
            shapes = json.loads(shapes)
        except (ValueError, RecursionError) as error:
            raise PuzzleError(name, "polyshapes", f"must be JSON text: {error}") from error
    if not isinstance(shapes, dict):
        raise PuzzleError(name, "polyshapes", f"must hold an object, got {type(shapes).__name__}")
    found = {}
    for shape, rows in shapes.items():
        try:
            number = shape_id(str(shape))
        except InvalidArgument as error:
            raise PuzzleError(name, "polyshapes", str(error)) from error
        if not isinstance(rows, list) or not all(
            isinstance(row, list) and all(type(cell) is int and cell in {0, 1} for cell in row)
            for row in rows
        ):
            raise PuzzleError(name, f"polyshapes[{shape}]", "must be rows of 0 and 1")
        if len({len(row) for row in rows}) > 1:
            raise PuzzleError(name, f"polyshapes[{shape}]", "all rows must be equally long")
        found[number] = tuple(
            (row, col) for row, line in enumerate(rows) for col, cell in enumerate(line) if cell
        )
    return tuple(sorted(found.items()))


def _solutions(name: str, solutions: object, start: Position) -> tuple[Path, ...]:
    if not isinstance(solutions, list):
        raise PuzzleError(name, "solutions", f"must be a list, got {type(solutions).__name__}")
    paths = []
    for number, solution in enumerate(solutions):
        field = f"solutions[{number}]"
        if isinstance(solution, dict) and isinstance(solution.get("moves"), str):
            path = _path_of(name, field, start, solution["moves"])
        else:
            path = _read_path(name, field, solution)
        if isinstance(solution, dict) and solution.get("pathLength", len(path)) != len(path):
            problem = f"is {solution['pathLength']!r}, but the path has {len(path)} positions"
            raise PuzzleError(name, f"{field}.pathLength", problem)
        paths.append(path)
    return tuple(paths)


def _judge_solutions(puzzle: Puzzle) -> None:
    for number, path in enumerate(puzzle.solutions):
        if not obeys(puzzle, path, is_drawn=True):  # the puzzle has looked at the way itself
            broken = next(verdict for verdict in judge(puzzle, path).verdicts if not verdict.ok)
            problem = f"breaks the rule {broken.rule}: {broken.reasons[0]['text']}"
            raise PuzzleError(puzzle.puzzle_id, f"solutions[{number}]", problem)


def _read_path(name: str, field: str, solution: object) -> Path:
    points = solution.get("path") if isinstance(solution, dict) else None
    if not isinstance(points, list):
        raise PuzzleError(name, field, "must be an object with a path, a list of {x, y}, or with moves")
    path = []
    for point in points:
        x, y = (point.get("x"), point.get("y")) if isinstance(point, dict) else (None, None)
        # Beyond the board the puzzle refuses it; here it only has to be a pair of integers.
        if type(x) is not int or type(y) is not int:
            raise PuzzleError(name, f"{field}.path", f"must consist of {{x, y}}, got {point!r}")
        path.append((y, x))
    return tuple(path)


def _path_of(name: str, field: str, start: Position, moves: str) -> Path:
    row, col = start
    path = [start]
    for move in moves:
        step = _STEP_OF.get(move)
        if step is None:
            raise PuzzleError(name, f"{field}.moves", f"must consist of {MOVES}, got {move!r}")
        row, col = row + step[0], col + step[1]
        path.append((row, col))
    return tuple(path)


def _moves_of(path: Path) -> str:
    pairs = pairwise(path)
    return "".join(MOVES[STEPS.index((there[0] - row, there[1] - col))] for (row, col), there in pairs)


def _frame(cells: tuple[Position, ...]) -> list[list[int]]:
    """Rows of 0 and 1; as many as the public records have, or more where a shape needs them."""
    side = max(FRAME, 1 + max(max(cell) for cell in cells))
    held = set(cells)
    return [[int((row, col) in held) for col in range(side)] for row in range(side)]


def _typed(name: str, field: str, value: object, kind: type[T]) -> T | None:
    if value is not None and type(value) is not kind:
        raise PuzzleError(name, field, f"must be {kind.__name__}, got {value!r}")
    return value


def _score(name: str, value: object) -> float | None:
    if value is None:
        return None
    if type(value) not in {int, float}:
        raise PuzzleError(name, "difficulty_score", f"must be a number, got {value!r}")
    try:
        return float(value)  # type: ignore[arg-type]  # checked above
    except OverflowError:
        return math.inf  # which the puzzle refuses


def _xy(position: Position) -> str:
    row, col = position
    return f"x={col}, y={row}"
