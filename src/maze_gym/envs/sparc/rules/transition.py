"""How a line puzzle is played: ``step`` is the one transition function of env, search, text and tests.

A move goes to the next position of a lane. Entering the end finishes the line; only then do the rules of
``constraints`` say whether it is right. Undoing takes back exactly the last move, and nothing but the line
ever changes, so what lay below it is there again.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.envs.sparc.rules.constraints import obeys
from maze_gym.envs.sparc.rules.regions import regions
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Path, Puzzle

__all__ = [
    "ACTION_SETS",
    "Action",
    "Event",
    "Outcome",
    "State",
    "initial_state",
    "is_over",
    "legal_actions",
    "legal_bits",
    "regions",
    "step",
]


class Action(IntEnum):
    """Moves, in the order of Spatial-Gym."""

    RIGHT = 0
    UP = 1
    LEFT = 2
    DOWN = 3


class Event(StrEnum):
    """What came of a step."""

    MOVED = "moved"
    UNDONE = "undone"  # the last move was taken back
    BLOCKED = "blocked"  # the edge of the board, a rule cell, a gap or the line itself: nothing changed
    SOLVED = "solved"  # the end was reached and every rule is obeyed
    FAILED = "failed"  # the end was reached and a rule is broken
    DEAD_END = "dead_end"  # moved, and there is no way on or back


class State(NamedTuple):
    """All that changes in an episode; hashable.

    Attributes:
        path: positions of the line, the start first and the head last.
    """

    path: Path


class Outcome(NamedTuple):
    """What a step led to.

    Attributes:
        state: the state after it.
        event: what happened.
    """

    state: State
    event: Event


_ACTIONS = tuple(Action)
ACTION_SETS = tuple(
    tuple(action for action in _ACTIONS if bits >> action & 1) for bits in range(1 << len(_ACTIONS))
)
_MOVED, _BLOCKED = Event.MOVED, Event.BLOCKED
_new = tuple.__new__  # twice as fast as the constructor of a NamedTuple


def initial_state(puzzle: Puzzle) -> State:
    """The state before the first move: the line is its start."""
    return State((puzzle.start,))


def is_over(puzzle: Puzzle, state: State) -> bool:
    """Whether the line has arrived at the end."""
    return state.path[-1] == puzzle.end


def legal_actions(puzzle: Puzzle, state: State, *, backtracking: bool) -> tuple[Action, ...]:
    """The actions that change the state, in order; none where the line is finished or stuck.

    Args:
        puzzle: the puzzle.
        state: where the line is.
        backtracking: whether the last move can be taken back.
    """
    return ACTION_SETS[legal_bits(puzzle, state, backtracking=backtracking)]


def legal_bits(puzzle: Puzzle, state: State, *, backtracking: bool) -> int:
    """The same as bits, action 0 the lowest."""
    path = state.path
    head = path[-1]
    if head == puzzle.end:
        return 0
    before = path[-2] if backtracking and len(path) > 1 else None
    bits, bit = 0, 1
    for target in puzzle.lanes[head]:
        if target is not None and (target not in path or target == before):
            bits |= bit
        bit <<= 1
    return bits


def step(puzzle: Puzzle, state: State, action: int, *, backtracking: bool) -> Outcome:
    """Make one move.

    Args:
        puzzle: the puzzle.
        state: where the line is.
        action: 0 to 3, an ``Action``.
        backtracking: whether the last move can be taken back.

    Raises:
        InvalidArgument: there is no such action.
    """
    if not 0 <= action < len(_ACTIONS):
        msg = f"an action must be from 0 to {len(_ACTIONS) - 1}, got {action!r}"
        raise InvalidArgument(msg)
    path = state.path
    head = path[-1]
    lanes = puzzle.lanes
    target = lanes[head][action]
    if target is None or head == puzzle.end:
        return _new(Outcome, (state, _BLOCKED))
    if target in path:
        if backtracking and len(path) > 1 and target == path[-2]:
            return _new(Outcome, (State(path[:-1]), Event.UNDONE))
        return _new(Outcome, (state, _BLOCKED))
    longer = (*path, target)
    after = _new(State, (longer,))
    if target == puzzle.end:
        return _new(Outcome, (after, Event.SOLVED if obeys(puzzle, longer, is_drawn=True) else Event.FAILED))
    if backtracking:
        return _new(Outcome, (after, _MOVED))  # there is always the way back
    for beside in lanes[target]:
        if beside is not None and beside != head and beside not in path:
            return _new(Outcome, (after, _MOVED))
    return _new(Outcome, (after, Event.DEAD_END))
