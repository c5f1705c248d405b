"""The YAML text of public SPaRC records: what the array says, as a list of the positions that hold something.

The text is plain enough to be written and read line by line, so no YAML library is needed. ``dimensions``
count rule cells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maze_gym.envs.sparc.rules.puzzle import Color, Kind, Puzzle, PuzzleError, Symbol
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.sparc.rules.puzzle import Position

_NAMES = {color: color.name.lower() for color in Color}
_COLORS = {name: color for color, name in _NAMES.items()}
_HEAD = re.compile(
    r"puzzle:\n"
    r"  dimensions:\n    width: (?P<width>\d+)\n    height: (?P<height>\d+)\n"
    r"  start:\n    x: (?P<start_x>\d+)\n    y: (?P<start_y>\d+)\n"
    r"  end:\n    x: (?P<end_x>\d+)\n    y: (?P<end_y>\d+)\n"
    r"  cells:(?: \[\])?\n"
)
_CELL = re.compile(
    r"    - position:\n        x: (?P<x>\d+)\n        y: (?P<y>\d+)\n      properties:\n"
    r"(?P<properties>(?:        \w+: [^\n]+\n)+)"
)
_PROPERTY = re.compile(r' {8}(\w+): (?:"(\w+)"|(\d+))\n')


def to_yaml(puzzle: Puzzle) -> str:
    """The text of a puzzle, as the public records have it."""
    head = (
        "puzzle:\n"
        f"  dimensions:\n    width: {puzzle.width}\n    height: {puzzle.height}\n"
        f"  start:\n    x: {puzzle.start[1]}\n    y: {puzzle.start[0]}\n"
        f"  end:\n    x: {puzzle.end[1]}\n    y: {puzzle.end[0]}\n"
    )
    properties: dict[Position, tuple[str, ...]] = dict.fromkeys(puzzle.dots, ("dot: 1",))
    properties |= dict.fromkeys(puzzle.gaps, ("gap: 1",))
    properties |= {position: tuple(_properties(symbol)) for position, symbol in puzzle.symbols}
    # Column by column, as the published ones.
    cells = sorted(properties, key=lambda position: (position[1], position[0]))
    return (
        head
        + ("  cells:\n" if cells else "  cells: []\n")
        + "".join(
            f"    - position:\n        x: {col}\n        y: {row}\n      properties:\n"
            + "".join(f"        {line}\n" for line in properties[row, col])
            for row, col in cells
        )
    )


def from_yaml(text: str, puzzle_id: str, shapes: Iterable[tuple[int, tuple[Position, ...]]] = ()) -> Puzzle:
    """The puzzle of such a text, without level and solutions; the shapes are not in the text.

    Raises:
        PuzzleError: the text is not as ``to_yaml`` writes it, or the puzzle cannot be.
    """
    head = _HEAD.match(text)
    if head is None:
        raise PuzzleError(
            puzzle_id, "text_visualization", "must begin with puzzle, dimensions, start, end, cells"
        )
    number = {key: int(value) for key, value in head.groupdict().items()}
    marks: dict[str, list[Position]] = {"dot": [], "gap": []}
    symbols = []
    at = head.end()
    while at < len(text):
        cell = _CELL.match(text, at)
        if cell is None:
            line = text[at:].partition("\n")[0]
            raise PuzzleError(puzzle_id, "text_visualization", f"expected the position of a cell at {line!r}")
        position = int(cell["y"]), int(cell["x"])
        found = {key: word or digits for key, word, digits in _PROPERTY.findall(cell["properties"])}
        if found.keys() <= marks.keys() and len(found) == 1:
            marks[next(iter(found))].append(position)
        else:
            symbols.append((position, _symbol(puzzle_id, position, found)))
        at = cell.end()
    return Puzzle(
        puzzle_id=puzzle_id,
        height=number["height"],
        width=number["width"],
        start=(number["start_y"], number["start_x"]),
        end=(number["end_y"], number["end_x"]),
        gaps=tuple(sorted(marks["gap"])),
        dots=tuple(sorted(marks["dot"])),
        symbols=tuple(sorted(symbols, key=lambda item: item[0])),
        shapes=tuple(sorted(shapes)),
    )


def _properties(symbol: Symbol) -> Iterable[str]:
    yield f'type: "{symbol.kind}"'
    if symbol.kind == Kind.TRIANGLE:
        yield f"count: {symbol.count}"
    if symbol.shape is not None:
        yield f"polyshape: {symbol.shape}"
    yield f'color: "{_NAMES[symbol.color]}"'


def _symbol(puzzle_id: str, position: Position, found: dict[str, str]) -> Symbol:
    row, col = position
    where = f"text_visualization at x={col}, y={row}"
    try:
        kind, color = Kind(found.pop("type")), _COLORS[found.pop("color")]
        count = int(found.pop("count", 0))
        shape = int(found.pop("polyshape")) if "polyshape" in found else None
        symbol = Symbol(kind, color, count, shape)
    except (KeyError, ValueError, InvalidArgument) as error:
        raise PuzzleError(puzzle_id, where, f"unknown type or color: {error}") from error
    if found:
        raise PuzzleError(puzzle_id, where, f"unknown properties: {', '.join(found)}")
    return symbol
