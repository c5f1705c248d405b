"""Changes to a maze: each takes a maze and gives another, or says in one sentence why not.

A maze in the editor is always a ``Maze``, so it can be drawn, checked and saved at any moment.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from maze_gym.errors import MazeGymError
from mazegen.core.maze import MAX_SIDE, Door, Facing, Gate, Key, Maze, Position, Rules, Switch
from mazegen.errors import MazeFormatError

if TYPE_CHECKING:
    from mazegen.core.maze import Mechanism

NEW_ROWS, NEW_COLS = 9, 12
Side = Literal["rows", "cols"]


class Refused(MazeGymError):
    """A change that cannot be made; the message says why."""


class Change(NamedTuple):
    """A maze after a change, and what happened in one sentence."""

    maze: Maze
    message: str


def empty_maze(rows: int = NEW_ROWS, cols: int = NEW_COLS, level_id: str = "unnamed") -> Maze:
    """An empty room with the start at its top left and the goal at its bottom right.

    Raises:
        MazeFormatError: it is too small to hold both, or too large.
    """
    ring = bytes(
        row in (0, rows - 1) or col in (0, cols - 1)
        for row in range(max(rows, 0))
        for col in range(max(cols, 0))
    )
    return Maze(rows, cols, ring, Position(1, 1), Position(rows - 2, cols - 2), level_id=level_id)


def set_wall(maze: Maze, at: Position, *, solid: bool) -> Change:
    """Put up a wall, or clear a cell of whatever is there.

    Raises:
        Refused: the cell is on the ring, or the start or goal.
    """
    _inside(maze, at)
    for name, place in (("start", maze.start), ("goal", maze.goal)):
        if at == place:
            msg = f"{at} is the {name}: put the {name} somewhere else first"
            raise Refused(msg)
    cleared, gone = _without(maze, at)
    walls = bytearray(cleared.walls)
    walls[maze.cell(at)] = int(solid)
    message = f"{'Wall' if solid else 'Floor'} at {at}{gone}."
    return _changed(cleared, message, walls=bytes(walls))


def set_start(maze: Maze, at: Position) -> Change:
    """Move the start.

    Raises:
        Refused: the cell is on the ring, a wall, or the goal.
    """
    _inside(maze, at)
    return _changed(maze, f"The start is at {at}.", start=at)


def turn_start(maze: Maze) -> Change:
    """Turn the agent's first facing a quarter to the right."""
    facing = Facing((maze.start_facing + 1) % len(Facing))
    return _changed(maze, f"The agent starts facing {facing.name.lower()}.", start_facing=facing)


def set_goal(maze: Maze, at: Position) -> Change:
    """Move the goal; a mechanism that is there goes.

    Raises:
        Refused: the cell is on the ring, a wall, or the start.
    """
    _inside(maze, at)
    cleared, gone = _without(maze, at)
    return _changed(cleared, f"The goal is at {at}{gone}.", goal=at)


def add(maze: Maze, kind: Literal["key", "door", "switch", "gate"], at: Position, color: str) -> Change:
    """Put a mechanism on a cell; what is there goes, a wall too.

    Raises:
        Refused: the cell is on the ring or the goal, or there are too many of the kind.
    """
    _inside(maze, at)
    if at == maze.goal:
        msg = f"{at} is the goal: put the goal somewhere else first"
        raise Refused(msg)
    cleared, gone = _without(maze, at)
    walls = bytearray(cleared.walls)
    walls[maze.cell(at)] = 0
    cleared = replace(cleared, walls=bytes(walls))
    name = _free_id(cleared, kind[0])
    if kind == "key":
        return _changed(
            cleared,
            f"{color.capitalize()} key {name} at {at}{gone}.",
            keys=(*cleared.keys, Key(name, at, color)),
        )
    if kind == "door":
        doors = (*cleared.doors, Door(name, at, color))
        return _changed(cleared, f"{color.capitalize()} door {name} at {at}{gone}.", doors=doors)
    if kind == "switch":
        switches = (*cleared.switches, Switch(name, at))
        return _changed(cleared, f"Switch {name} at {at}{gone}: link it to a gate.", switches=switches)
    return _changed(cleared, f"Gate {name} at {at}{gone}.", gates=(*cleared.gates, Gate(name, at)))


def link(maze: Maze, switch: Switch, gate: Gate) -> Change:
    """Let a switch control a gate, or no longer if it does.

    Raises:
        Refused: the switch is not of this maze.
    """
    if gate.id in switch.controls:
        controls = tuple(name for name in switch.controls if name != gate.id)
        message = f"Switch {switch.id} no longer controls gate {gate.id}."
    else:
        controls, message = (*switch.controls, gate.id), f"Switch {switch.id} controls gate {gate.id}."
    return _replaced(maze, switch, replace(switch, controls=controls), message)


def flip(maze: Maze, at: Position) -> Change:
    """Change the state at the start: a door or gate open or shut, a switch on or off.

    Raises:
        Refused: there is nothing that has a state.
    """
    thing = thing_at(maze, at)
    if isinstance(thing, Switch):
        state = "off" if thing.initially_on else "on"
        changed: Mechanism = replace(thing, initially_on=not thing.initially_on)
    elif isinstance(thing, Door | Gate):
        state = ("locked" if isinstance(thing, Door) else "closed") if thing.initially_open else "open"
        changed = replace(thing, initially_open=not thing.initially_open)
    else:
        msg = f"{at} holds no door, gate or switch whose state could change"
        raise Refused(msg)
    return _replaced(maze, thing, changed, f"{_name(thing)} is {state} at the start.")


def change_kind(maze: Maze, at: Position) -> Change:
    """Make a switch one that only turns on, or one that can be turned off again.

    Raises:
        Refused: there is no switch.
    """
    thing = thing_at(maze, at)
    if not isinstance(thing, Switch):
        msg = f"{at} holds no switch"
        raise Refused(msg)
    if thing.kind == "toggle":
        return _replaced(maze, thing, replace(thing, kind="one_shot"), f"Switch {thing.id} only turns on.")
    changed = replace(thing, kind="toggle")
    return _replaced(maze, thing, changed, f"Switch {thing.id} can be turned off again.")


def change_key_rule(maze: Maze) -> Change:
    """Let keys be used up by the door they open, or be kept."""
    consumed = not maze.rules.key_consumption
    rules: Rules = replace(maze.rules, key_consumption=consumed)
    return _changed(maze, "A door uses its key up." if consumed else "Keys are kept.", rules=rules)


def resize(maze: Maze, side: Side, by: int) -> Change:
    """Add a row at the bottom or a column at the right, or take one away.

    Raises:
        Refused: the board would be too small or too large, or what would be cut off is in use.
    """
    rows, cols = maze.rows + by * (side == "rows"), maze.cols + by * (side == "cols")
    if max(rows, cols) > MAX_SIDE:
        msg = f"a board has at most {MAX_SIDE} rows and columns"
        raise Refused(msg)
    for name, place in _places(maze):
        if place.row >= rows - 1 or place.col >= cols - 1:
            msg = f"{name} at {place} would be cut off: move it first"
            raise Refused(msg)
    walls = bytes(
        row in (0, rows - 1)
        or col in (0, cols - 1)
        or (row < maze.rows - 1 and col < maze.cols - 1 and maze.is_wall(Position(row, col)))
        for row in range(rows)
        for col in range(cols)
    )
    return _changed(maze, f"The board is {rows} x {cols}.", rows=rows, cols=cols, walls=walls)


def thing_at(maze: Maze, at: Position) -> Mechanism | None:
    """The mechanism on a cell."""
    return next((thing for thing in maze.mechanisms if thing.position == at), None)


def describe(maze: Maze, at: Position) -> str:
    """What is on a cell, in words."""
    thing = thing_at(maze, at)
    words = _name(thing) if thing else "wall" if maze.is_wall(at) else "floor"
    if isinstance(thing, Switch):
        words += f", controls {', '.join(thing.controls) or 'nothing'}"
    for name, place in (("start", maze.start), ("goal", maze.goal)):
        if at == place:
            words = name if not thing else f"{words}, {name}"
    return f"{at}: {words}"


def without(maze: Maze, gone: Mechanism) -> Maze:
    """The maze without a mechanism; switches no longer control it, gates stay as at the start."""
    switches = tuple(
        replace(switch, controls=tuple(name for name in switch.controls if name != gone.id))
        for switch in maze.switches
        if switch is not gone
    )
    hidden = tuple(name for name in maze.rules.hidden_mechanisms if name != gone.id)
    return replace(
        maze,
        keys=tuple(key for key in maze.keys if key is not gone),
        doors=tuple(door for door in maze.doors if door is not gone),
        switches=switches,
        gates=tuple(gate for gate in maze.gates if gate is not gone),
        rules=replace(maze.rules, hidden_mechanisms=hidden),
        validation=None,
    )


def _places(maze: Maze) -> list[tuple[str, Position]]:
    things = [(_name(thing), thing.position) for thing in maze.mechanisms]
    return [("the start", maze.start), ("the goal", maze.goal), *things]


def _name(thing: Mechanism) -> str:
    color = f"{thing.color} " if thing.color else ""
    return f"{color}{type(thing).__name__.lower()} {thing.id}"


def _inside(maze: Maze, at: Position) -> None:
    if not (0 < at.row < maze.rows - 1 and 0 < at.col < maze.cols - 1):
        msg = f"{at} is on the outer ring, which is always solid"
        raise Refused(msg)


def _without(maze: Maze, at: Position) -> tuple[Maze, str]:
    """The maze without the mechanism on a cell, and words for a message."""
    gone = thing_at(maze, at)
    return (maze, "") if gone is None else (without(maze, gone), f", {_name(gone)} is gone")


def _replaced(maze: Maze, old: Mechanism, new: Mechanism, message: str) -> Change:
    if not any(thing is old for thing in maze.mechanisms):
        msg = f"{_name(old)} is not in the maze as it is now"
        raise Refused(msg)
    kind = f"{type(old).__name__.lower()}{'es' if isinstance(old, Switch) else 's'}"
    things = tuple(new if thing is old else thing for thing in getattr(maze, kind))
    return _changed(maze, message, **{kind: things})


def _changed(maze: Maze, message: str, **fields: object) -> Change:
    """Apply a change; the proof of the old maze says nothing about the new one."""
    try:
        after = replace(maze, **fields, validation=None)  # type: ignore[arg-type]  # fields of Maze by name
    except MazeFormatError as error:
        msg = "; ".join(problem.message for problem in error.problems)
        raise Refused(msg) from error
    return Change(after, message)


def _free_id(maze: Maze, letter: str) -> str:
    taken = {thing.id for thing in maze.mechanisms}
    number = 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"
