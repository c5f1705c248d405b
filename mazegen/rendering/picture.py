"""A maze as text: draw a state, and parse a drawing back into a maze.

One character a cell::

    #  wall                  .  floor              *  goal
    ^ > v <  the agent       S  start, in a drawing to be parsed without an agent
    r g b y p o   key        R G B Y P O   locked door        '  open door
    0  switch, off           1  switch, on
    =  gate, closed          :  gate, open

Which switch controls which gate is not in the picture; ``legend`` says it in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.core import rules
from mazegen.core.maze import Maze
from mazegen.core.parts import KEY_COLORS, Door, Facing, Gate, Key, Position, Rules, Switch
from mazegen.errors import MazeFormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mazegen.core.rules import Board, State

WALL, FLOOR, GOAL, START, OPEN_DOOR = "#", ".", "*", "S", "'"
AGENT = "^>v<"
SWITCH_OFF, SWITCH_ON = "0", "1"
GATE_CLOSED, GATE_OPEN = "=", ":"
_KEYS = {color[0]: color for color in KEY_COLORS}
_DOORS = {color[0].upper(): color for color in KEY_COLORS}


def draw(maze: Maze, board: Board, state: State) -> str:
    """The board in this state, one line a row, no line break at the end."""
    cells = [WALL if wall else FLOOR for wall in maze.walls]
    cells[maze.cell(maze.goal)] = GOAL
    for index, key in enumerate(maze.keys):
        if not state.taken >> index & 1:
            cells[maze.cell(key.position)] = key.color[0]
    for index, door in enumerate(maze.doors):
        is_open = state.opened >> index & 1
        cells[maze.cell(door.position)] = OPEN_DOOR if is_open else door.color[0].upper()
    for index, switch in enumerate(maze.switches):
        cells[maze.cell(switch.position)] = SWITCH_ON if state.on >> index & 1 else SWITCH_OFF
    for index, gate in enumerate(maze.gates):
        is_open = rules.is_gate_open(board, state, index)
        cells[maze.cell(gate.position)] = GATE_OPEN if is_open else GATE_CLOSED
    cells[state.cell] = AGENT[state.facing]
    return "\n".join("".join(cells[row * maze.cols : (row + 1) * maze.cols]) for row in range(maze.rows))


def legend(maze: Maze, board: Board, state: State) -> str:
    """What the picture cannot say: where each mechanism is, its state, and what controls what."""
    lines = []
    for index, key in enumerate(maze.keys):
        place = "taken" if state.taken >> index & 1 else f"at {key.position}"
        lines.append(f"{key.color} key {key.id} {place}")
    for index, door in enumerate(maze.doors):
        condition = "open" if state.opened >> index & 1 else "locked"
        lines.append(f"{door.color} door {door.id} at {door.position}, {condition}")
    for index, switch in enumerate(maze.switches):
        condition = "on" if state.on >> index & 1 else "off"
        gates = ", ".join(switch.controls) or "nothing"
        lines.append(f"switch {switch.id} at {switch.position}, {condition}, controls {gates}")
    for index, gate in enumerate(maze.gates):
        condition = "open" if rules.is_gate_open(board, state, index) else "closed"
        lines.append(f"gate {gate.id} at {gate.position}, {condition}")
    return "\n".join(lines)


def parse(
    text: str,
    *,
    controls: Mapping[str, Sequence[str]] | None = None,
    key_consumption: bool = False,
    level_id: str = "unnamed",
) -> Maze:
    r"""Read a drawing.

    Mechanisms are named in reading order: keys ``k1``, ``k2``, ...; doors ``d1``; switches ``s1``;
    gates ``g1``. An open door cannot be drawn here, because the picture does not tell its colour.

    Args:
        text: the drawing; blank lines around it and common indentation are ignored.
        controls: which gates each switch controls; by default the n-th switch the n-th gate.
        key_consumption: whether a key is used up by the door it opens.
        level_id: the level's name.

    Raises:
        MazeFormatError: rows of different lengths, an unknown character, not exactly one start and
            one goal, or anything that ``Maze`` refuses.

    >>> from mazegen import parse
    >>> parse("#####\n#>.*#\n#####").goal
    Position(row=1, col=3)
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    found: dict[str, list[tuple[Position, str]]] = {}
    for row, line in enumerate(lines):
        for col, glyph in enumerate(line):
            found.setdefault(_kind(glyph), []).append((Position(row, col), glyph))
    _check(lines, found)
    switches, gates = found.get("switch", []), found.get("gate", [])
    if controls is None:
        pairs = range(1, min(len(switches), len(gates)) + 1)
        controls = {f"s{number}": (f"g{number}",) for number in pairs}
    for name in controls:
        if name not in {f"s{number}" for number in range(1, len(switches) + 1)}:
            raise MazeFormatError([Problem("controls", f"no switch {name!r} is drawn")], "drawing")
    start, agent = found["start"][0]
    return Maze(
        rows=len(lines),
        cols=len(lines[0]),
        walls=bytes(glyph == WALL for line in lines for glyph in line),
        start=start,
        goal=found["goal"][0][0],
        start_facing=Facing(AGENT.index(agent)) if agent in AGENT else Facing.NORTH,
        keys=tuple(
            Key(f"k{number}", place, _KEYS[glyph])
            for number, (place, glyph) in enumerate(found.get("key", []), 1)
        ),
        doors=tuple(
            Door(f"d{number}", place, _DOORS[glyph])
            for number, (place, glyph) in enumerate(found.get("door", []), 1)
        ),
        switches=tuple(
            Switch(
                f"s{number}", place, tuple(controls.get(f"s{number}", ())), initially_on=glyph == SWITCH_ON
            )
            for number, (place, glyph) in enumerate(switches, 1)
        ),
        gates=tuple(
            Gate(f"g{number}", place, initially_open=glyph == GATE_OPEN)
            for number, (place, glyph) in enumerate(gates, 1)
        ),
        rules=Rules(key_consumption=key_consumption),
        level_id=level_id,
    )


def _kind(glyph: str) -> str:
    if glyph in AGENT or glyph == START:
        return "start"
    if glyph in _KEYS:
        return "key"
    if glyph in _DOORS:
        return "door"
    if glyph in (SWITCH_OFF, SWITCH_ON):
        return "switch"
    if glyph in (GATE_CLOSED, GATE_OPEN):
        return "gate"
    return {WALL: "wall", FLOOR: "floor", GOAL: "goal"}.get(glyph, "unknown")


def _check(lines: list[str], found: dict[str, list[tuple[Position, str]]]) -> None:
    problems = [
        Problem(f"row {row}", f"must be as long as the first row ({len(lines[0])}), is {len(line)}")
        for row, line in enumerate(lines)
        if len(line) != len(lines[0])
    ]
    problems += [
        Problem(f"{place}", f"unknown character {glyph!r}") for place, glyph in found.get("unknown", [])
    ]
    problems += [
        Problem(name, f"must be drawn exactly once, found {len(found.get(name, []))}")
        for name in ("start", "goal")
        if len(found.get(name, [])) != 1
    ]
    if problems:
        raise MazeFormatError(problems, "drawing")
