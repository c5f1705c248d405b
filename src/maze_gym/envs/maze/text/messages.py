"""MazeNLU in words: one sentence for what just happened, and the picture for ``ansi``."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, Facing
from mazegen.core.rules import Event
from mazegen.rendering import picture

if TYPE_CHECKING:
    from mazegen.core.maze import Maze
    from mazegen.core.rules import Board, Outcome, State

BEGINNING = "The episode begins."
_FACING_NOW = tuple(f"You turn and now face {facing.name.lower()}." for facing in Facing)
_TURNED, _MOVED, _BLOCKED = int(Event.TURNED), int(Event.MOVED), int(Event.BLOCKED)  # plain: on the hot path


def blocker_name(maze: Maze, code: int) -> str | None:
    """Id of what stands in the way, ``wall``, or None if nothing does."""
    if code == rules.WALL:
        return "wall"
    if code >= rules.GATE:
        return maze.gates[code - rules.GATE].id
    if code >= rules.DOOR:
        return maze.doors[code - rules.DOOR].id
    return None


def message(maze: Maze, before: State, outcome: Outcome) -> str:
    """One true sentence about a step."""
    after, event, blocker = outcome
    if event == _TURNED:
        return _FACING_NOW[after.facing]
    if event == _MOVED and after.opened == before.opened:
        return "You move forward."
    if event == _BLOCKED:
        return _blocked(maze, blocker)
    return _rare_message(maze, before, after, event)


def _rare_message(maze: Maze, before: State, after: State, event: int) -> str:
    match Event(event):
        case Event.MOVED:
            door = maze.doors[(after.opened ^ before.opened).bit_length() - 1]
            return f"You open the {door.color} door {door.id} and walk into it."
        case Event.PICKUP:
            key = maze.keys[(after.taken ^ before.taken).bit_length() - 1]
            return f"You pick up the {key.color} key {key.id}."
        case Event.TOGGLED:
            index = (after.on ^ before.on).bit_length() - 1
            return f"You turn switch {maze.switches[index].id} {'on' if after.on >> index & 1 else 'off'}."
        case Event.DONE:
            return "You have reached the goal."
        case Event.WRONG_DONE:
            return "You say DONE, but this is not the goal."
        case Event.NOTHING:
            return "Nothing happens."
        case Event.TURNED | Event.BLOCKED as usual:
            msg = f"{usual.name} has been told already"
            raise AssertionError(msg)
        case _ as unknown:
            assert_never(unknown)


def _blocked(maze: Maze, code: int) -> str:
    if code == rules.WALL:
        return "A wall blocks the way."
    if code >= rules.GATE:
        return f"Gate {maze.gates[code - rules.GATE].id} is closed and blocks the way."
    door = maze.doors[code - rules.DOOR]
    return f"The {door.color} door {door.id} is locked and you hold no {door.color} key."


def render_ansi(maze: Maze, board: Board, state: State, steps: int, max_steps: int, last: str) -> str:
    """The picture of a state with its legend and a status line, as plain text."""
    position, facing = maze.position(state.cell), Facing(state.facing).name.lower()
    held = [
        f"{count} {color}"
        for color, count in zip(KEY_COLORS, rules.keys_held(board, state), strict=True)
        if count
    ]
    lines = [
        picture.draw(maze, board, state),
        f"step {steps} of {max_steps} | at {position}, facing {facing} | keys: {', '.join(held) or 'none'}",
        last,
    ]
    words = picture.legend(maze, board, state)
    return "\n".join([*lines, words] if words else lines)
