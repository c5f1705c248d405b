"""SpatialGym in words: pure functions of puzzle and state; the rules are told in ``rules_text``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.envs.sparc.observation import pieces_of
from maze_gym.envs.sparc.rules import Action, Event
from maze_gym.envs.sparc.rules.puzzle import STEPS, Kind, normalized
from maze_gym.game import Coordinates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maze_gym.envs.sparc.rules import State
    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Puzzle

BEGINNING = "The line stands at its start."
LINE, HEAD = "V", "L"  # tokens of the line and of its head, as in Spatial-Gym
_MOVED = tuple(f"You move {action.name.lower()}." for action in Action)  # by action: said on every step
_AXES = {
    Coordinates.ROW_COL: "(row, column)",
    Coordinates.ROW_COL_1: "(row, column)",
    Coordinates.X_Y: "(x, y)",
}
_MEANINGS = {
    Kind.SQUARE: ("o-C", "square"),
    Kind.STAR: ("*-C", "star"),
    Kind.TRIANGLE: ("A-C to D-C", "triangles, one (A) to four (D)"),
    Kind.POLYOMINO: ("P-C-ID", "polyomino of the shape ID"),
    Kind.YLOP: ("Y-C-ID", "ylop of the shape ID"),
}
COLOR_CODES = "R red, B blue, G green, Y yellow, W white, O orange, P purple, K black"


class Places:
    """How a text names positions."""

    def __init__(self, coordinates: Coordinates = Coordinates.ROW_COL) -> None:
        """Name positions in a way."""
        self.coordinates = coordinates
        self.axes = _AXES[coordinates]
        self.is_xy = coordinates == Coordinates.X_Y
        self.first = coordinates.named(0, 0)[0]

    def __call__(self, position: Position) -> str:
        """One position, as in ``(3, 4)``."""
        first, second = self.coordinates.named(*position)
        return f"({first}, {second})"

    def all(self, positions: Iterable[Position]) -> str:
        """Several, separated by commas."""
        return ", ".join(map(self, positions))


def said(puzzle: Puzzle, before: State, action: int, event: Event, broken: Sequence[str] = ()) -> str:
    """What a step is called: one true sentence or two.

    Args:
        puzzle: the puzzle.
        before: the state before the step.
        action: what was done.
        event: what came of it.
        broken: names of the rules that a finished line breaks.
    """
    moved = _MOVED[action]
    if event is Event.MOVED:
        return moved
    if event is Event.BLOCKED:
        way = Action(action).name.lower()
        return f"You cannot move {way}: {obstacle(puzzle, before, action)}."
    if event is Event.UNDONE:
        return f"{moved} The last move is taken back."
    if event is Event.SOLVED:
        return f"{moved} The line is finished and obeys every rule: solved."
    if event is Event.DEAD_END:
        return f"{moved} The line is stuck: no move is possible any more."
    rules = f"the rule{'s' * (len(broken) > 1)} {', '.join(broken)}"
    return f"{moved} The line is finished and breaks {rules}."


def obstacle(puzzle: Puzzle, state: State, action: int) -> str:
    """What is in the way of an action that changes nothing."""
    (row, col), (down, right) = state.path[-1], STEPS[action]
    row, col = row + down, col + right
    if not (0 <= row < puzzle.rows and 0 <= col < puzzle.cols):
        return "the board ends here"
    if row % 2 and col % 2:
        return "a rule cell is in the way"
    return "a gap is in the way" if (row, col) in puzzle.gaps else "the line has been there"


def tokens_of(puzzle: Puzzle, path: Path) -> list[list[str]]:
    """Rows of tokens with the line in them: its head is L, the rest of it V; off the line nothing changes."""
    rows = [list(row) for row in puzzle.tokens]
    for row, col in path:
        rows[row][col] = LINE
    row, col = path[-1]
    rows[row][col] = HEAD
    return rows


def board_text(tokens: Sequence[Sequence[str]], places: Places) -> str:
    """The array, its rows and columns numbered as ``places`` does."""
    first = places.first
    widths = [max(len(str(col + first)), *(len(row[col]) for row in tokens)) for col in range(len(tokens[0]))]
    lines = [[str(col + first) for col in range(len(widths))], *tokens]
    heads = ["y/x:" if places.is_xy else "Row/Col:"]
    heads += [f"y {row + first}:" if places.is_xy else f"Row {row + first}:" for row in range(len(tokens))]
    margin = max(map(len, heads))
    return "\n".join(
        f"{head:<{margin}} {'  '.join(map(str.ljust, line, widths))}".rstrip()
        for head, line in zip(heads, lines, strict=True)
    )


def state_text(puzzle: Puzzle, state: State, possible: Sequence[int], places: Places) -> str:
    """The board with the line, where the line has been, and the moves that are possible."""
    path = state.path
    moves = ", ".join(Action(action).name for action in possible) or "none"
    return "\n".join(
        [
            board_text(tokens_of(puzzle, path), places),
            "",
            f"The line so far {places.axes}: {places.all(path)}",
            f"Your position {places.axes}: {places(path[-1])}",
            f"Possible moves: {moves}",
        ]
    )


def surroundings_text(puzzle: Puzzle, state: State, places: Places) -> str:
    """What lies beside the head, and which dots are still to be passed."""
    row, col = state.path[-1]
    tokens = tokens_of(puzzle, state.path)
    beside = []
    for action in Action:
        down, right = STEPS[action]
        there = row + down, col + right
        inside = 0 <= there[0] < puzzle.rows and 0 <= there[1] < puzzle.cols
        beside.append(f"{action.name}: {tokens[there[0]][there[1]] if inside else 'the board ends'}")
    missed = [dot for dot in puzzle.dots if dot not in state.path]
    lines = [f"Beside you: {'; '.join(beside)}."]
    if puzzle.dots:
        lines.append(f"Dots not passed yet: {places.all(missed) or 'none'}.")
    away = abs(row - puzzle.end[0]) + abs(col - puzzle.end[1])
    lines.append(f"The end is at least {away} moves away.")
    return "\n".join(lines)


def level_text(puzzle: Puzzle, places: Places) -> str:
    """What does not change: size, start, end, what the tokens mean, and the shapes."""
    counted = "1" if places.first else "0"
    size = (
        f"The board has {puzzle.height} x {puzzle.width} rule cells (height x width). It is written as an "
        f"array of {puzzle.rows} rows and {puzzle.cols} columns. Positions are {places.axes}, counted from "
        f"{counted} from the top-left corner."
    )
    lines = [
        size,
        f"Start: {places(puzzle.start)}. End: {places(puzzle.end)}.",
        legend_text(puzzle),
    ]
    if pieces_of(puzzle):
        lines.append(shapes_text(puzzle))
    return "\n".join(lines)


def legend_text(puzzle: Puzzle) -> str:
    """What the tokens on this board mean."""
    parts = ["S start", "E end", "+ lane", f"{LINE} line", f"{HEAD} head of the line", "N empty rule cell"]
    parts += ["G gap"] * bool(puzzle.gaps) + [". dot on a lane"] * bool(puzzle.dots)
    kinds = {symbol.kind for _, symbol in puzzle.symbols}
    parts += [f"{token} {meaning}" for kind, (token, meaning) in _MEANINGS.items() if kind in kinds]
    colors = f" C is a colour: {COLOR_CODES}." if kinds else ""
    return f"Tokens: {'; '.join(parts)}.{colors}"


def shapes_text(puzzle: Puzzle) -> str:
    """The shapes of polyominoes and ylops, X for each cell."""
    lines = ["Shapes (X is a rule cell that the shape covers):"]
    for shape in pieces_of(puzzle):
        cells = set(normalized(puzzle.cells_of[shape]))
        height, width = 1 + max(row for row, _ in cells), 1 + max(col for _, col in cells)
        lines.append(f"{shape}:")
        lines += [
            "  " + "".join("X" if (row, col) in cells else "-" for col in range(width))
            for row in range(height)
        ]
    return "\n".join(lines)
