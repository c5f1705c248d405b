"""The symbolic observation of MazeNLU: what stands where, in three small numbers a cell."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
from gymnasium import spaces

from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, MAX_PER_KIND, PALETTE, Facing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from mazegen.core.maze import Maze, Position
    from mazegen.core.rules import Board, State


class Object(IntEnum):
    """First number of a cell: what stands there. The agent is not in the grid, so it hides nothing."""

    FLOOR = 0
    WALL = 1
    GOAL = 2
    KEY = 3
    DOOR = 4
    SWITCH = 5
    GATE = 6


UNSEEN = len(Object)  # in place of an object in the egocentric view, where something hides the cell
COLORS = ("none", *PALETTE)  # second number of a cell
DOOR_STATES = ("open", "locked")  # third number of a cell, by object; 0 for everything else
SWITCH_STATES = ("off", "on")
GATE_STATES = ("open", "closed")
_HIGHEST = (max(Object), len(COLORS) - 1, 1)


class Observation(TypedDict):
    """One observation; every array is fresh."""

    grid: NDArray[np.uint8]  # (rows, cols, 3): object, colour, state
    position: NDArray[np.int64]  # (2,): row, col of the agent
    facing: int  # 0..3, north, east, south, west
    inventory: NDArray[np.uint8]  # (6,): keys held per colour, in the order of KEY_COLORS


def observation_space(shape: tuple[int, int]) -> spaces.Dict:
    """The space of observations of boards padded to ``shape``, with true bounds on every number."""
    rows, cols = shape
    highest = np.broadcast_to(np.array(_HIGHEST, np.uint8), (rows, cols, 3)).copy()
    return spaces.Dict(
        {
            "grid": spaces.Box(np.zeros_like(highest), highest, dtype=np.uint8),
            "position": spaces.MultiDiscrete([rows, cols]),
            "facing": spaces.Discrete(len(Facing)),
            "inventory": spaces.Box(0, MAX_PER_KIND, (len(KEY_COLORS),), np.uint8),
        }
    )


def encode(maze: Maze, board: Board, state: State, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """The whole grid, (rows, cols, 3); a maze smaller than ``shape`` is padded with wall below and right."""
    grid = np.zeros((*shape, 3), np.uint8)
    grid[:, :, 0] = Object.WALL
    walls = np.frombuffer(maze.walls, np.uint8).reshape(maze.rows, maze.cols)
    grid[: maze.rows, : maze.cols, 0] = walls * int(Object.WALL)
    grid[maze.goal.row, maze.goal.col, 0] = Object.GOAL
    for position, triple in mechanism_cells(looks(maze), board, state):
        grid[position.row, position.col] = triple
    return grid


class Look(NamedTuple):
    """How a mechanism is shown: (object, colour, state) in each of its two states.

    Attributes:
        code: what stands for it in a ``Board``.
        position: where it is.
        unset: while its key lies there, its switch is off, its door is locked, its gate is closed.
        set: otherwise.
    """

    code: int
    position: Position
    unset: tuple[int, int, int]
    set: tuple[int, int, int]


def looks(maze: Maze) -> Iterator[Look]:
    """Every mechanism of a maze, in both of its states."""
    for index, key in enumerate(maze.keys):
        shown = (int(Object.KEY), _color(key.color), 0)
        yield Look(rules.KEY + index, key.position, shown, (int(Object.FLOOR), 0, 0))
    for index, door in enumerate(maze.doors):
        locked = (int(Object.DOOR), _color(door.color), 1)
        yield Look(rules.DOOR + index, door.position, locked, (*locked[:2], 0))
    for index, switch in enumerate(maze.switches):
        off = (int(Object.SWITCH), _color(switch.color), 0)
        yield Look(rules.SWITCH + index, switch.position, off, (*off[:2], 1))
    for index, gate in enumerate(maze.gates):
        closed = (int(Object.GATE), _color(gate.color), 1)
        yield Look(rules.GATE + index, gate.position, closed, (*closed[:2], 0))


def mechanism_cells(
    known: Iterable[Look], board: Board, state: State
) -> list[tuple[Position, tuple[int, int, int]]]:
    """Position and (object, colour, state) of every mechanism as it is in this state."""
    cells = []
    for code, position, unset, seen_set in known:
        if code < rules.SWITCH:
            is_set = state.taken >> (code - rules.KEY) & 1
        elif code < rules.DOOR:
            is_set = state.on >> (code - rules.SWITCH) & 1
        elif code < rules.GATE:
            is_set = state.opened >> (code - rules.DOOR) & 1
        else:
            is_set = rules.is_gate_open(board, state, code - rules.GATE)
        cells.append((position, seen_set if is_set else unset))
    return cells


def _color(name: str | None) -> int:
    return COLORS.index(name or "none")


def legend() -> dict[str, dict[int, str]]:
    """What each number of the observation means."""
    return {
        "object": {int(thing): thing.name.lower() for thing in Object},
        "color": dict(enumerate(COLORS)),
        "door state": dict(enumerate(DOOR_STATES)),
        "switch state": dict(enumerate(SWITCH_STATES)),
        "gate state": dict(enumerate(GATE_STATES)),
        "facing": {int(facing): facing.name.lower() for facing in Facing},
        "inventory": dict(enumerate(KEY_COLORS)),
        "action": {int(action): action.name for action in rules.Action},
    }
