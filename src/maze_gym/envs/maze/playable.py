"""A maze made ready for play: everything about it that does not change within an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maze_gym.envs.maze.observation import encode
from mazegen import rules, solver
from mazegen.errors import SearchLimitExceeded
from mazegen.rules import Action, Event

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mazegen.maze import Maze
    from mazegen.rules import Board, Finish, State

MAX_REMEMBERED = 50_000  # states whose action masks a level keeps; more and it starts afresh


class PlayableMaze:
    """One maze with its look-up tables, first grid, action masks and optimum.

    Args:
        maze: the maze.
        finish: see ``rules.compile_board``.
        shape: (rows, cols) that the observed grid is padded to.
    """

    def __init__(self, maze: Maze, finish: Finish, shape: tuple[int, int]) -> None:
        """Compile the board and encode its first grid."""
        self.maze = maze
        self.board: Board = rules.compile_board(maze, finish)
        self.content_hash = maze.content_hash
        self.first_grid = encode(maze, self.board, self.board.start, shape)
        self.positions = [np.array(divmod(cell, maze.cols), np.int64) for cell in range(len(maze.walls))]
        self._masks: dict[State, NDArray[np.int8]] = {}
        self._optimum: dict[State, int | None] = {}
        self._field: solver.DistanceField | None = None

    def action_mask(self, state: State) -> NDArray[np.int8]:
        """(6,) 1 for each action that changes the state or ends the episode; do not write to it."""
        mask = self._masks.get(state)
        if mask is None:
            outcomes = [rules.step(self.board, state, action) for action in range(len(Action))]
            mask = np.array(
                [outcome.state != state or outcome.event == Event.DONE for outcome in outcomes], np.int8
            )
            if len(self._masks) >= MAX_REMEMBERED:
                self._masks.clear()
            self._masks[state] = mask
        return mask

    def optimal_actions(self, start: State) -> int | None:
        """Length of a shortest plan from a start.

        None if there is no plan, or if the search would need more states than its bound allows.
        """
        if start not in self._optimum:
            try:
                plan = solver.shortest_plan(self.board, start)
            except SearchLimitExceeded:
                plan = None
            self._optimum[start] = None if plan is None else len(plan)
        return self._optimum[start]

    def distances(self, start: State) -> solver.DistanceField:
        """Remaining optimal actions from everywhere that this start leads to; kept for one start."""
        if self._field is None or self._field.start != start:
            self._field = solver.DistanceField(self.board, start)
        return self._field
