"""The symbolic observation of MazeNLU: what stands where, in three small numbers a cell."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from gymnasium import spaces

from mazegen import rules
from mazegen.maze import KEY_COLORS, MAX_PER_KIND, PALETTE, Facing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mazegen.maze import Maze, Position
    from mazegen.rules import Board, State


class Object(IntEnum):
    """First number of a cell: what stands there. The agent is not in the grid, so it hides nothing."""

    FLOOR = 0
    WALL = 1
    GOAL = 2
    KEY = 3
    DOOR = 4
    SWITCH = 5
    GATE = 6


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
    for position, triple in mechanism_cells(maze, board, state):
        grid[position.row, position.col] = triple
    return grid


def mechanism_cells(maze: Maze, board: Board, state: State) -> list[tuple[Position, tuple[int, int, int]]]:
    """Position and (object, colour, state) of every mechanism as it is in this state."""
    cells: list[tuple[Position, tuple[int, int, int]]] = []
    for index, key in enumerate(maze.keys):
        taken = state.taken >> index & 1
        triple = (int(Object.FLOOR), 0, 0) if taken else (int(Object.KEY), _color(key.color), 0)
        cells.append((key.position, triple))
    for index, door in enumerate(maze.doors):
        locked = not state.opened >> index & 1
        cells.append((door.position, (int(Object.DOOR), _color(door.color), int(locked))))
    for index, switch in enumerate(maze.switches):
        is_on = state.on >> index & 1
        cells.append((switch.position, (int(Object.SWITCH), _color(switch.color), is_on)))
    for index, gate in enumerate(maze.gates):
        closed = not rules.is_gate_open(board, state, index)
        cells.append((gate.position, (int(Object.GATE), _color(gate.color), int(closed))))
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
