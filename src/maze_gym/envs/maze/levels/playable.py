"""A maze made ready for play: everything about it that does not change within an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maze_gym.envs.maze import text
from maze_gym.envs.maze.arguments import start_cell, start_facing
from maze_gym.envs.maze.observation import encode, looks
from maze_gym.errors import InvalidArgument
from mazegen.core import rules
from mazegen.core.rules import Action, Event
from mazegen.errors import SearchLimitExceeded
from mazegen.search import solver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mazegen.core.maze import Maze
    from mazegen.core.rules import Board, Finish, State

MAX_STEPS_PER_OPTIMAL = 4  # step limit of a level that states none; twice the optimum cut off real successes
MAX_REMEMBERED = 20_000  # situations that a level keeps; more and it starts afresh


class CachedState:
    """All that a state alone decides, worked out once by the rules and then remembered.

    Attributes:
        outcomes: what each of the six actions would lead to.
        told: for each action event name, message and blocker, once somebody has taken it here.
        position: (2,) int64 row and column of the agent; copy it before handing it out.
        mask: (6,) int8, 1 for each action that changes the state or succeeds; copy it likewise.
    """

    __slots__ = ("mask", "outcomes", "position", "told")

    def __init__(self, board: Board, state: State) -> None:
        """Ask the rules about every action."""
        self.outcomes = tuple(rules.step(board, state, action) for action in range(len(Action)))
        self.told: list[tuple[str, str, str | None] | None] = [None] * len(Action)
        self.position = np.array(divmod(state.cell, board.cols), np.int64)
        self.mask = np.array(
            [outcome.state != state or outcome.event == Event.DONE for outcome in self.outcomes], np.int8
        )


class PlayableMaze:
    """One maze with its look-up tables, first grid, remembered situations and optimum.

    Args:
        maze: the maze.
        finish: see ``rules.compile_board``.
        shape: (rows, cols) that the observed grid is padded to.
        is_fresh: the maze comes straight from the generator, whose plan has just been proved shortest;
            that of a file is a claim and is searched for.
    """

    def __init__(self, maze: Maze, finish: Finish, shape: tuple[int, int], *, is_fresh: bool = False) -> None:
        """Compile the board and encode its first grid."""
        self.maze = maze
        self.board: Board = rules.compile_board(maze, finish)
        self.content_hash = maze.content_hash
        self.looks = tuple(looks(maze))
        self.first_grid = encode(maze, self.board, self.board.start, shape)
        self._situations: dict[State, CachedState] = {}
        self._optimum: dict[State, int | None] = {}
        self._given_up: set[State] = set()  # starts whose search would have held too many states
        if is_fresh and maze.validation is not None and self.board.arrival:
            self._optimum[self.board.start] = len(maze.validation.optimal_actions)
        self._field: solver.DistanceField | None = None

    def situation(self, state: State) -> CachedState:
        """What this state decides; asked of the rules the first time, remembered afterwards."""
        known = self._situations.get(state)
        if known is None:
            if len(self._situations) >= MAX_REMEMBERED:
                self._situations.clear()
            known = self._situations[state] = CachedState(self.board, state)
        return known

    def tell(self, state: State, action: int) -> tuple[str, str, str | None]:
        """Event name, message and blocker of an action in a state."""
        situation = self.situation(state)
        known = situation.told[action]
        if known is None:
            outcome = situation.outcomes[action]
            known = situation.told[action] = (
                Event(outcome.event).name,
                text.message(self.maze, state, outcome),
                text.blocker_name(self.maze, outcome.blocker),
            )
        return known

    def action_mask(self, state: State) -> NDArray[np.int8]:
        """(6,) 1 for each action that changes the state or ends the episode; do not write to it."""
        return self.situation(state).mask

    def __getstate__(self) -> dict[str, object]:
        """Travel light: what is remembered and searched is worked out again where it is needed."""
        return self.__dict__ | {"_situations": {}, "_field": None}

    def optimal_actions(self, start: State) -> int | None:
        """Length of a shortest plan from a start.

        None if there is no plan, or if the search would need more states than its bound allows.
        """
        if start not in self._optimum:
            try:
                plan = solver.shortest_plan(self.board, start)
            except SearchLimitExceeded:
                plan = None
                self._given_up.add(start)
            self._optimum[start] = None if plan is None else len(plan)
        return self._optimum[start]

    def start(self, options: Mapping[str, object]) -> State:
        """The level's own first state, unless the options of a reset give another ``start`` or ``facing``.

        Raises:
            InvalidArgument: an option is out of range.
        """
        start = self.board.start
        if "start" in options:
            start = start._replace(cell=start_cell(self.maze, options["start"]))
        if "facing" in options:
            start = start._replace(facing=int(start_facing(options["facing"])))
        return start

    def step_limit(self, start: State, max_steps: int | None) -> int:
        """Steps after which an episode is cut off: as asked for, else the level's own, else by a plan.

        That is a shortest plan; where the search for one was given up, the plan that the file brings along.

        Raises:
            InvalidArgument: there is no plan to go by, and nothing else says how long to try.
        """
        if limit := max_steps or self.maze.max_steps:
            return limit
        length = self.optimal_actions(start) or self._length_of_told_plan(start)
        if length is None:
            why = "cannot be solved"
            if start in self._given_up:
                why = f"is too large: no plan was found within {solver.MAX_STATES:,} states"
            msg = f"{self.maze.level_id} {why} from {start}; pass max_steps to play it all the same"
            raise InvalidArgument(msg)
        return MAX_STEPS_PER_OPTIMAL * length

    def _length_of_told_plan(self, start: State) -> int | None:
        """Actions of the plan in the maze's own file, None unless the rules let it succeed from here."""
        if self.maze.validation is None:
            return None
        state = start
        for length, name in enumerate(self.maze.validation.optimal_actions, 1):
            state, event, _ = rules.step(self.board, state, Action[name])
            if event == Event.DONE:
                return length
        return None

    def distances(self, start: State) -> solver.DistanceField:
        """Remaining optimal actions from everywhere that this start leads to; kept for one start."""
        if self._field is None or self._field.start != start:
            self._field = solver.DistanceField(self.board, start)
        return self._field

    def fewest_moves(self, start: State) -> int | None:
        """Fewest cell moves from a start to the goal; None if there is no way."""
        field = self.distances(start)
        if field.distance(start) is None:
            return None
        from mazegen.search import searching  # it imports numba

        return int(searching.fewest_moves(field.graph)[0])
