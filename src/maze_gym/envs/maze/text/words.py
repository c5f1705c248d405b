"""MazeNLU in words: what a language model reads. Pure functions of (maze, board, state, wording).

What a thing's state means comes from ``rules``: codes, bits, ``is_gate_open`` and ``keys_held``.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from maze_gym.game import Coordinates, Prompting
from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, Facing, Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maze_gym.game import Wording
    from mazegen.core.maze import Gate, Maze, Switch
    from mazegen.core.rules import Board, State

FEW_STEPS_LEFT = 5  # at least; a tenth of a long limit is also few
_SIDES = ("Ahead", "To the right", "Behind", "To the left")  # turning right adds one to the facing

_KINDS = """\
Things in the maze:
- A key lies on a cell. PICKUP takes the key on your own cell.
- A door is locked or open. Walk into a locked door while you hold a key of its colour: it opens for good.
- A switch is on or off. TOGGLE flips the switch on the cell ahead of you; one that only turns on stays on.
- A gate is open or closed. It changes whenever its first switch goes on or its last switch goes off."""
_PICTURED = (
    "The picture shows the maze from above, north at the top. Dark cells are walls, pale cells are "
    "floor; the chequered flag is the goal. The pink arrowhead is you and points where you look; what "
    "you stand on is shown small beside it. A disc with a bit is a key, a full block with a keyhole a "
    "locked door, a frame with its leaf at the side an open door; the letter is the first of the "
    "colour. A gate has bars, which are drawn up when it is open, and a number; a switch bears the "
    "numbers of the gates it controls, its knob at the left when it is off and at the right when it is "
    "on; a push button is a switch that only turns on, and it is flat when it is on. The grey strip at "
    "the bottom shows the keys you hold."
)


def rules_text(board: Board, wording: Wording, *, key_consumption: bool) -> str:
    """The task, and as much about how things work as ``wording.prompting`` asks for."""
    ending = "Reach the goal cell." if board.arrival else "Reach the goal cell and say DONE there."
    parts = [f"You are in a grid maze. {ending}"]
    if wording.prompting != Prompting.MINIMAL:
        parts.append(_KINDS)
    if wording.prompting == Prompting.VERBOSE:
        parts.append(_detailed_rules(board, key_consumption=key_consumption))
    if wording.pictured:
        parts.append(_PICTURED)
    return "\n\n".join(parts)


def _detailed_rules(board: Board, *, key_consumption: bool) -> str:
    kept = "is used up by the door that it opens" if key_consumption else "is kept after it has opened a door"
    done = (
        "Arriving at the goal ends the episode."
        if board.arrival
        else "DONE ends the episode on the goal only."
    )
    return "\n".join(
        (
            "Rules:",
            "- TURN_LEFT and TURN_RIGHT turn you by a quarter without moving you.",
            "- MOVE_FORWARD moves you one cell in the direction you face.",
            "- Walls, closed gates, and locked doors whose key you do not hold block the way.",
            f"- You can walk over keys and switches. A key {kept}.",
            "- A switch works from the cell next to it, while you face it, not while you stand on it.",
            "- Gates cannot be toggled themselves, only by their switches.",
            f"- {done} DONE anywhere else does nothing.",
            "- Every action costs one step, also one that is blocked or does nothing.",
        )
    )


def level_text(maze: Maze, board: Board, start: State, wording: Wording) -> str:
    """The level as it is at the start: size, how cells are named, walls, start, goal, every mechanism."""
    place = _Places(wording.coordinates)
    walls = _walls(maze.walls, maze.cols, wording.coordinates)
    lines = [
        f"The maze has {maze.rows} rows and {maze.cols} columns. {place.convention}",
        f"Every cell on the edge of the board is wall. Walls inside: {walls}.",
        f"Start: {place(maze.position(start.cell))}, facing {Facing(start.facing).name.lower()}.",
        f"Goal: {place(maze.goal)}.",
    ]
    mechanisms = mechanism_lines(maze, board, start, place)
    lines += (
        ["At the start there are:", *mechanisms] if mechanisms else ["There is nothing else in the maze."]
    )
    return "\n".join(lines)


def state_text(maze: Maze, board: Board, state: State, wording: Wording) -> str:
    """Where the agent is, what it holds, and every mechanism as it is now."""
    place = _Places(wording.coordinates)
    lines = [
        f"You are at {pose_text(maze, state, wording)}. The goal is at {place(maze.goal)}.",
        f"You hold {held_text(board, state)}.",
    ]
    mechanisms = mechanism_lines(maze, board, state, place)
    lines += ["Now there are:", *mechanisms] if mechanisms else []
    if wording.prompting == Prompting.VERBOSE:
        lines += _verbose_lines(maze, board, state, place)
    return "\n".join(lines)


def pose_text(maze: Maze, state: State, wording: Wording) -> str:
    """Cell and facing in one phrase."""
    where = _Places(wording.coordinates)(maze.position(state.cell))
    return f"{where}, facing {Facing(state.facing).name.lower()}"


def held_text(board: Board, state: State) -> str:
    """The keys that are held, by colour."""
    held = [
        f"{count} {color} key{'s' if count > 1 else ''}"
        for color, count in zip(KEY_COLORS, rules.keys_held(board, state), strict=True)
        if count
    ]
    return ", ".join(held) or "no keys"


def mechanism_lines(maze: Maze, board: Board, state: State, place: _Places) -> list[str]:
    """One line each; a key that was taken is no longer there."""
    lines = [
        f"- {key.color} key {key.id}: {place(key.position)}"
        for index, key in enumerate(maze.keys)
        if not state.taken >> index & 1
    ]
    for index, door in enumerate(maze.doors):
        lines.append(f"- {door.color} door {door.id}: {place(door.position)}, {_door(state, index)}")
    for index, switch in enumerate(maze.switches):
        gates = f"gate{'s' if len(switch.controls) > 1 else ''} {', '.join(switch.controls)}"
        once = ", only turns on" if switch.kind == "one_shot" else ""
        controls = gates if switch.controls else "nothing"
        lines.append(
            f"- {_painted(switch)}switch {switch.id}: {place(switch.position)}, "
            f"{_switch(state, index)}{once}, controls {controls}"
        )
    for index, gate in enumerate(maze.gates):
        lines.append(
            f"- {_painted(gate)}gate {gate.id}: {place(gate.position)}, {_gate(board, state, index)}"
        )
    return lines


def hurry_text(steps_left: int, step: int) -> str:
    """A warning while few steps are left, else nothing."""
    few = max(FEW_STEPS_LEFT, (step + steps_left) // 10)
    return (
        f"Hurry: only {steps_left} step{'s are' if steps_left > 1 else ' is'} left."
        if steps_left <= few
        else ""
    )


class _Places:
    """Words for cells in one coordinates convention."""

    def __init__(self, coordinates: Coordinates) -> None:
        self._first = 1 if coordinates == Coordinates.ROW_COL_1 else 0
        self._column_first = coordinates == Coordinates.X_Y
        self.rows_word, self.cols_word = ("y", "x") if self._column_first else ("row", "column")
        counted = f"counted from {self._first}, from the top-left cell"
        if self._column_first:
            self.convention = (
                f"A cell is named by x (its column) and y (its row), {counted}; y grows southwards."
            )
        else:
            self.convention = f"A cell is named by its row and column, {counted}; rows grow southwards."

    def __call__(self, position: Position) -> str:
        row, col = (
            f"{self.rows_word} {position.row + self._first}",
            f"{self.cols_word} {position.col + self._first}",
        )
        return f"{col}, {row}" if self._column_first else f"{row}, {col}"

    def number(self, index: int) -> int:
        return index + self._first

    def span(self, columns: Sequence[int]) -> str:
        """Columns as numbers and ranges."""
        runs: list[str] = []
        for _, group in groupby(enumerate(columns), key=lambda pair: pair[1] - pair[0]):
            run = [column for _, column in group]
            first, last = self.number(run[0]), self.number(run[-1])
            runs.append(f"{first}" if first == last else f"{first}-{last}")
        return ", ".join(runs)


@lru_cache(maxsize=256)  # every turn of an episode tells them
def _walls(walls: bytes, cols: int, coordinates: Coordinates) -> str:
    place = _Places(coordinates)
    rows = []
    for row in range(1, len(walls) // cols - 1):
        columns = [col for col in range(1, cols - 1) if walls[row * cols + col]]
        if columns:
            rows.append(f"{place.rows_word} {place.number(row)}: {place.cols_word} {place.span(columns)}")
    return "; ".join(rows) or "none"


def _painted(thing: Switch | Gate) -> str:
    return f"{thing.color} " if thing.color else ""


def _door(state: State, index: int) -> str:
    return "open" if state.opened >> index & 1 else "locked"


def _switch(state: State, index: int) -> str:
    return "on" if state.on >> index & 1 else "off"


def _gate(board: Board, state: State, index: int) -> str:
    return "open" if rules.is_gate_open(board, state, index) else "closed"


def _verbose_lines(maze: Maze, board: Board, state: State, place: _Places) -> Iterator[str]:
    for turn, side in enumerate(_SIDES):
        cell = state.cell + board.strides[(state.facing + turn) % 4]
        yield f"{side} ({place(maze.position(cell))}): {thing_text(maze, board, state, cell)}."
    yield f"On your own cell: {thing_text(maze, board, state, state.cell)}."
    here, goal = maze.position(state.cell), maze.goal
    south, east = goal.row - here.row, goal.col - here.col
    steps = abs(south) + abs(east)
    ways = [
        f"{abs(distance)} {name}"
        for distance, name in (
            (south, "south" if south > 0 else "north"),
            (east, "east" if east > 0 else "west"),
        )
        if distance
    ]
    where = (
        f"{' and '.join(ways)} of you, {steps} cells away not counting walls" if ways else "under your feet"
    )
    yield f"The goal is {where}."
    yield from _hints(maze, board, state)


def thing_text(maze: Maze, board: Board, state: State, cell: int) -> str:
    """What is on a cell, as it is now."""
    code = board.codes[cell]
    if code >= rules.GATE:
        if code == rules.WALL:
            return "wall"
        gate = maze.gates[code - rules.GATE]
        return f"{_painted(gate)}gate {gate.id}, {_gate(board, state, code - rules.GATE)}"
    if code >= rules.DOOR:
        door = maze.doors[code - rules.DOOR]
        return f"{door.color} door {door.id}, {_door(state, code - rules.DOOR)}"
    if code >= rules.SWITCH:
        switch = maze.switches[code - rules.SWITCH]
        return f"{_painted(switch)}switch {switch.id}, {_switch(state, code - rules.SWITCH)}"
    if code >= rules.KEY and not state.taken >> (code - rules.KEY) & 1:
        key = maze.keys[code - rules.KEY]
        return f"{key.color} key {key.id}"
    return "the goal" if code == rules.GOAL else "free floor"


def _hints(maze: Maze, board: Board, state: State) -> Iterator[str]:
    """What can be done about what is still locked or closed, without saying what should be."""
    held = rules.keys_held(board, state)
    locked = [door for index, door in enumerate(maze.doors) if not state.opened >> index & 1]
    for color in dict.fromkeys(door.color for door in locked):
        if held[KEY_COLORS.index(color)]:
            yield f"Hint: you hold a {color} key, so you can walk through a locked {color} door."
        else:
            yield f"Hint: a locked {color} door needs a {color} key, and you hold none."
    closed = [gate for index, gate in enumerate(maze.gates) if not rules.is_gate_open(board, state, index)]
    for gate in closed:
        switches = [switch.id for switch in maze.switches if gate.id in switch.controls]
        if switches:
            yield f"Hint: gate {gate.id} is closed; it depends on switch {', '.join(switches)}."
