"""The straight-line walker: a baseline that knows where the goal is and nothing about mazes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.core import rules
from mazegen.core.maze import Facing
from mazegen.core.rules import Action

if TYPE_CHECKING:
    from mazegen.core.maze import Maze
    from mazegen.core.rules import Board, State


def straight_line_action(board: Board, maze: Maze, state: State) -> int:
    """Pick up what lies here, switch on what is ahead, else walk towards the goal.

    It prefers the direction in which the goal is farther away and takes the other one when that is
    blocked; when both are, it walks into the obstacle. It never walks around anything.
    """
    if rules.step(board, state, Action.PICKUP).state != state:
        return int(Action.PICKUP)
    toggled = rules.step(board, state, Action.TOGGLE).state
    if toggled.on.bit_count() > state.on.bit_count():
        return int(Action.TOGGLE)
    here, goal = maze.position(state.cell), maze.goal
    if here == goal:
        return int(Action.DONE)
    south, east = goal.row - here.row, goal.col - here.col
    vertical = Facing.SOUTH if south > 0 else Facing.NORTH
    horizontal = Facing.EAST if east > 0 else Facing.WEST
    wanted = [(abs(south), vertical), (abs(east), horizontal)]
    headings = [facing for distance, facing in sorted(wanted, reverse=True) if distance]
    free = [facing for facing in headings if _is_free(board, state, facing)]
    heading = (free or headings)[0]
    if heading == state.facing:
        return int(Action.MOVE_FORWARD)
    return int(Action.TURN_LEFT if (state.facing - heading) % 4 == 1 else Action.TURN_RIGHT)


def _is_free(board: Board, state: State, facing: Facing) -> bool:
    looking = state._replace(facing=int(facing))
    return rules.step(board, looking, Action.MOVE_FORWARD).state.cell != state.cell
