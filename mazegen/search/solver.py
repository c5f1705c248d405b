"""Exact search over the full state: shortest plans, distances from everywhere, dead ends.

The state is (cell, facing, taken keys, opened doors, switches on) and the transitions are those of
``rules.apply``; nothing here knows what a door is. A plan found here is a plan the env accepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mazegen.core import rules
from mazegen.core.rules import Action, Board, Event, Finish, State, compile_board
from mazegen.errors import SearchLimitExceeded, UnreachableState, UnsolvableMaze

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mazegen.core.maze import Maze
    from mazegen.core.parts import Position
    from mazegen.search.kernels import Graph, Layout

MAX_STATES = 5_000_000  # about 0.4 GB for a whole graph, 0.2 GB for a single plan
MAX_TABLE = 1 << 18  # entries of a table of distances: 1 MiB
UNREACHED = -3
_FINISH, _UNKNOWN = -2, -1  # as in ``kernels``, which is imported late because it imports numba


@dataclass(frozen=True, slots=True)
class Solution:
    """What exact search knows about a maze.

    Attributes:
        actions: a shortest plan in env actions.
        cell_moves: fewest cell moves of any plan (turns, pickups and toggles are free).
        path: the cells of such a walk, start and goal included: ``cell_moves + 1`` positions.
        interactions: ``pickup:<id>``, ``toggle:<id>``, ``open:<id>``, ``cross:<id>`` along that walk.
        states: number of states that can be reached before the episode ends.
        dead_states: how many of them have no way to the goal any more.
    """

    actions: tuple[Action, ...]
    cell_moves: int
    path: tuple[Position, ...]
    interactions: tuple[str, ...]
    states: int
    dead_states: int


class DistanceTable(NamedTuple):
    """Remaining optimal actions as one array, for those who ask millions of times.

    Attributes:
        remaining: for each pose and masks, ``UNREACHED`` where no such state was reached, -1 in a dead one.
        poses: four times the cells of the board.
        keys: bits of the key mask.
        doors: bits of the door mask.
    """

    remaining: NDArray[np.int32]
    poses: int
    keys: int
    doors: int

    def distance(self, state: State) -> int:
        """Fewest actions from a state that was reached to success, -1 in a dead one; nothing is checked."""
        cell, facing, taken, opened, on = state
        masks = taken | opened << self.keys | on << (self.keys + self.doors)
        return int(self.remaining[masks * self.poses + cell * 4 + facing])


class DistanceField:
    """Remaining optimal actions from every state that is reachable from one start.

    Args:
        board: the board, from ``rules.compile_board``.
        start: where to start; the board's own start by default.
        max_states: the most states to hold.

    Raises:
        SearchLimitExceeded: more than ``max_states`` states are reachable.
    """

    def __init__(self, board: Board, start: State | None = None, *, max_states: int = MAX_STATES) -> None:
        """Search the whole reachable graph, then walk it backwards from success."""
        from mazegen.search import searching

        self.board = board
        self.start = board.start if start is None else start
        self._layout = _layout(board)
        self.graph: Graph = _explore(board, self._layout, self.start, max_states, whole=True)
        self._distance = searching.remaining_actions(self.graph)

    @property
    def states(self) -> int:
        """Number of states that can be reached before the episode ends."""
        return int(self.graph.size)

    @property
    def dead_states(self) -> int:
        """Number of them from which the goal cannot be reached any more."""
        return int(np.count_nonzero(self._distance == _UNKNOWN))

    def distance(self, state: State) -> int | None:
        """Fewest actions from a state to success; None in a dead state.

        Raises:
            UnreachableState: the state cannot occur after this start.
        """
        remaining = int(self._distance[self._node(state)])
        return None if remaining == _UNKNOWN else remaining

    def table(self) -> DistanceTable | None:
        """All distances as one array; None where it would have more than ``MAX_TABLE`` entries."""
        from mazegen.search.kernels import MASKS, POSE

        layout = self._layout
        poses = len(layout.codes) * 4
        entries = poses << (layout.keys + layout.doors + layout.switches)
        if entries > MAX_TABLE:
            return None
        remaining = np.full(entries, UNREACHED, np.int32)
        nodes = self.graph.nodes[: self.graph.size]
        remaining[nodes[:, MASKS] * poses + nodes[:, POSE]] = self._distance[: self.graph.size]
        return DistanceTable(remaining, poses, layout.keys, layout.doors)

    def is_dead(self, state: State) -> bool:
        """Whether no sequence of actions leads from a reachable state to the goal."""
        return self.distance(state) is None

    def best_actions(self, state: State) -> tuple[Action, ...]:
        """Every action that begins a shortest plan; empty in a dead state."""
        node = self._node(state)
        remaining = int(self._distance[node])
        if remaining == _UNKNOWN:
            return ()
        after = [int(successor) for successor in self.graph.successors[node]]
        return tuple(
            Action(action)
            for action, successor in enumerate(after)
            if (successor == _FINISH and remaining == 1)
            or (successor != _FINISH and int(self._distance[successor]) == remaining - 1 and remaining > 1)
        )

    def plan(self, state: State | None = None) -> tuple[Action, ...]:
        """A shortest plan from a state, the start by default; ties go to the first action.

        Raises:
            UnsolvableMaze: there is none.
            UnreachableState: the state cannot occur after this start.
        """
        state = self.start if state is None else state
        remaining = self.distance(state)
        if remaining is None:
            msg = "no sequence of actions leads from this state to the goal"
            raise UnsolvableMaze(msg)
        actions = []
        for _ in range(remaining):
            actions.append(self.best_actions(state)[0])
            state = rules.step(self.board, state, int(actions[-1])).state
        return tuple(actions)

    def _node(self, state: State) -> int:
        from mazegen.search import kernels

        pose, masks = _packed(self._layout, state)
        node = int(kernels.find(self.graph, pose, masks, len(self.board.codes)))
        if node < 0:
            msg = f"{state} cannot be reached from {self.start}"
            raise UnreachableState(msg)
        return node


def shortest_plan(
    board: Board, start: State | None = None, *, max_states: int = MAX_STATES
) -> tuple[Action, ...] | None:
    """A shortest plan in env actions, or None if the goal cannot be reached; stops at the first.

    Raises:
        SearchLimitExceeded: more than ``max_states`` states would have to be held.
    """
    layout = _layout(board)
    graph = _explore(board, layout, board.start if start is None else start, max_states, whole=False)
    if graph.last == _UNKNOWN:
        return None
    from mazegen.search.kernels import PARENT, VIA

    return _actions_to(int(graph.last), int(graph.last_action), graph.nodes[:, (PARENT, VIA)])


def solve(maze: Maze, *, finish: Finish = "arrival", max_states: int = MAX_STATES) -> Solution:
    r"""Everything that exact search says about a maze.

    Raises:
        UnsolvableMaze: the goal cannot be reached.
        SearchLimitExceeded: more than ``max_states`` states are reachable.

    >>> from mazegen import parse, solve
    >>> solution = solve(parse("#####\n#>.*#\n#####"))
    >>> [action.name for action in solution.actions], solution.cell_moves
    (['MOVE_FORWARD', 'MOVE_FORWARD'], 2)
    """
    from mazegen.search import searching

    board = compile_board(maze, finish)
    field = DistanceField(board, max_states=max_states)
    if field.distance(board.start) is None:
        msg = (
            f"{maze.level_id}: no sequence of actions leads to the goal ({field.states:,} states searched); "
            "check that every door has a reachable key and every gate a reachable switch"
        )
        raise UnsolvableMaze(msg)
    moves, last, last_action, origins = searching.fewest_moves(field.graph)
    walk = _actions_to(int(last), int(last_action), origins)
    path, interactions = trace(maze, board, walk)
    return Solution(field.plan(), int(moves), path, interactions, field.states, field.dead_states)


def trace(maze: Maze, board: Board, actions: Sequence[int]) -> tuple[tuple[Position, ...], tuple[str, ...]]:
    """Replay a plan; return the cells it walks over and what it does to the mechanisms on the way."""
    state = board.start
    path = [maze.position(state.cell)]
    interactions: list[str] = []
    for action in actions:
        outcome = rules.step(board, state, int(action))
        after = outcome.state
        interactions += [f"pickup:{maze.keys[i].id}" for i in _set_bits(after.taken & ~state.taken)]
        interactions += [f"toggle:{maze.switches[i].id}" for i in _set_bits(after.on ^ state.on)]
        interactions += [f"open:{maze.doors[i].id}" for i in _set_bits(after.opened & ~state.opened)]
        if after.cell != state.cell:
            path.append(maze.position(after.cell))
            code = board.codes[after.cell]
            if rules.GATE <= code < rules.WALL:
                interactions.append(f"cross:{maze.gates[code - rules.GATE].id}")
        state = after
        if outcome.event == Event.DONE:
            break
    return tuple(path), tuple(interactions)


def _set_bits(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]


def _layout(board: Board) -> Layout:
    from mazegen.search import kernels

    held = set(board.codes)
    return kernels.Layout(
        codes=np.array(board.codes, np.uint8),
        link=np.array(board.link, np.int64),
        trait=np.array(board.trait, np.int64),
        strides=np.array(board.strides, np.int64),
        arrival=board.arrival,
        keys=sum(rules.KEY <= code < rules.SWITCH for code in held),
        doors=sum(rules.DOOR <= code < rules.GATE for code in held),
        switches=sum(rules.SWITCH <= code < rules.DOOR for code in held),
    )


def _packed(layout: Layout, state: State) -> tuple[int, int]:
    """Pose and masks of a state of this board; compiled code checks no bounds, so they are checked here."""
    cell, facing, taken, opened, on = state
    on_the_floor = 0 <= cell < len(layout.codes) and layout.codes[cell] != rules.WALL and 0 <= facing < 4  # noqa: PLR2004 - four facings
    if not on_the_floor or taken >> layout.keys or opened >> layout.doors or on >> layout.switches:
        msg = f"{state} is not a state of this board"
        raise UnreachableState(msg)
    return cell * 4 + facing, taken | opened << layout.keys | on << (layout.keys + layout.doors)


def _explore(board: Board, layout: Layout, start: State, max_states: int, *, whole: bool) -> Graph:
    from mazegen.search import searching

    bits = (len(board.codes) * 4 - 1).bit_length() + layout.keys + layout.doors + layout.switches
    graph = searching.explore(layout, (*_packed(layout, start), bits), max_states, whole=whole)
    if graph.size == _UNKNOWN and (whole or graph.last == _UNKNOWN):
        msg = (
            f"more than {max_states:,} states are reachable; use a smaller board, fewer mechanisms "
            "or a larger max_states"
        )
        raise SearchLimitExceeded(msg)
    return graph


def _actions_to(last: int, last_action: int, origins: NDArray[np.integer[Any]]) -> tuple[Action, ...]:
    """The actions that lead to ``last`` and finish there; ``origins`` rows are (parent, action)."""
    actions = [Action(last_action)]
    node = last
    while origins[node, 0] != _UNKNOWN:
        actions.append(Action(int(origins[node, 1])))
        node = int(origins[node, 0])
    return tuple(reversed(actions))
