"""Plans: fewest actions to a solved line, undoing included, and the way of those who ignore the rules."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from maze_gym.envs.sparc.rules import Action, State, legal_actions
from maze_gym.envs.sparc.rules.puzzle import STEPS
from maze_gym.envs.sparc.search.solver import MAX_EXTENSIONS, shortest_completion
from maze_gym.errors import SearchLimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Puzzle

_KEPT = 4096  # lines whose completion is remembered


def shortest_plan(
    puzzle: Puzzle, path: Path, *, backtracking: bool, bound: int = MAX_EXTENSIONS
) -> tuple[int, ...] | None:
    """Actions of a shortest plan from an unfinished line; None where none leads to a solution.

    With ``backtracking`` moves may be taken back first, each for an action of its own.

    Raises:
        SearchLimitExceeded: no plan was found, and a search was given up after ``bound`` extensions of lines.
    """
    if path[-1] == puzzle.end:
        return None
    given_up = ""
    best: Path | None = None  # the head and what it passes from there, taken back positions included
    for taken_back in range(len(path) if backtracking else 1):
        kept = path[: len(path) - taken_back]
        if best is not None and taken_back + _at_least(kept[-1], puzzle.end) >= len(best) - 1:
            continue
        rest = _completion(puzzle, kept, bound)
        if isinstance(rest, str):  # a shorter line leaves more to search, and takes longer still
            given_up = rest
            break
        if rest is not None and (best is None or taken_back + len(rest) < len(best) - 1):
            best = (*reversed(path[len(kept) - 1 :]), *rest)
    if best is None and given_up:
        raise SearchLimitExceeded(given_up)
    return None if best is None else actions_along(best)


def careless_action(puzzle: Puzzle, path: Path, *, backtracking: bool) -> int:
    """The first action of a shortest way to the end, whatever the symbols say; where there is none, any.

    Of equally short ways it takes the one that begins with the first of right, up, left, down.
    """
    lanes, taken = puzzle.lanes, set(path)
    first: dict[Position, int] = {}
    queue: deque[Position] = deque()
    for action, there in enumerate(lanes[path[-1]]):
        if there is not None and there not in taken:
            first[there] = action
            queue.append(there)
    while queue:
        here = queue.popleft()
        if here == puzzle.end:
            return first[here]
        for there in lanes[here]:
            if there is not None and there not in taken and there not in first:
                first[there] = first[here]
                queue.append(there)
    possible = legal_actions(puzzle, State(path), backtracking=backtracking)
    return int(possible[-1]) if possible else int(Action.RIGHT)


def actions_along(path: Iterable[Position]) -> tuple[int, ...]:
    """The actions that lead from position to position."""
    return tuple(STEPS.index((there[0] - row, there[1] - col)) for (row, col), there in pairwise(path))


@lru_cache(maxsize=_KEPT)
def _completion(puzzle: Puzzle, path: Path, bound: int) -> Path | str | None:
    """``shortest_completion``, or in words why the search was given up, which is remembered as well."""
    try:
        return shortest_completion(puzzle, path, bound=bound)
    except SearchLimitExceeded as error:
        return str(error)


def _at_least(position: Position, end: Position) -> int:
    """No line from here to there has fewer moves."""
    return abs(position[0] - end[0]) + abs(position[1] - end[1])
