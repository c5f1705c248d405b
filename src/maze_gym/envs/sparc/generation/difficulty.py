"""How hard a puzzle is: the published score, fitted, and what walkers without a plan achieve."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.envs.sparc.rules import State, legal_actions
from maze_gym.envs.sparc.rules.puzzle import Kind

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Path, Puzzle

# The published scores are given without a formula. This linear fit over the 500 public test puzzles explains
# 91 % of their variance. It gives the published level for 75 % of them, and a neighbouring one for all others
# but one.
_CONSTANT = -0.75
_PER_CELL = 0.075
_PER_KIND = {Kind.SQUARE: 0.32, Kind.STAR: 0.34, Kind.TRIANGLE: 0.32, Kind.POLYOMINO: 0.33, Kind.YLOP: 0.41}
_PER_DOT = -0.11
_PER_GAP = -0.10
_PER_RULE = 0.34  # kinds of symbols, dots and gaps, as far as they occur
_PER_COLOR = -0.04
_LOWEST, _HIGHEST = 0.001, 4.999  # published scores lie between 0 and 5


class Content(NamedTuple):
    """What a puzzle holds, as far as its score asks for it.

    Attributes:
        cells: rule cells.
        kinds: the kind of each symbol.
        colors: how many different colours symbols have.
        dots: how many there are.
        gaps: how many there are.
    """

    cells: int
    kinds: tuple[Kind, ...]
    colors: int
    dots: int
    gaps: int


def content_of(puzzle: Puzzle) -> Content:
    """What a puzzle holds."""
    return Content(
        puzzle.height * puzzle.width,
        tuple(symbol.kind for _, symbol in puzzle.symbols),
        len({symbol.color for _, symbol in puzzle.symbols}),
        len(puzzle.dots),
        len(puzzle.gaps),
    )


def score_of(content: Content) -> float:
    """Difficulty between 0 and 5, to three decimals."""
    rules = len(set(content.kinds)) + bool(content.dots) + bool(content.gaps)
    score = (
        _CONSTANT
        + _PER_CELL * content.cells
        + sum(_PER_KIND[kind] for kind in content.kinds)
        + _PER_DOT * content.dots
        + _PER_GAP * content.gaps
        + _PER_RULE * rules
        + _PER_COLOR * content.colors
    )
    return round(min(max(score, _LOWEST), _HIGHEST), 3)


def random_walk_chance(puzzle: Puzzle, solutions: tuple[Path, ...] | None = None) -> float:
    """The exact chance that a walker solves the puzzle who draws each move from the legal ones, without undo.

    Args:
        puzzle: the puzzle.
        solutions: all of its solutions; by default the stored ones.
    """
    chance = 0.0
    for path in puzzle.solutions if solutions is None else solutions:
        states = (State(path[:length]) for length in range(1, len(path)))
        chance += math.prod(1 / len(legal_actions(puzzle, state, backtracking=False)) for state in states)
    return chance


def shortest_line(puzzle: Puzzle) -> int | None:
    """Fewest moves from start to end, whatever the rules say; None where no lane leads there."""
    moves = {puzzle.start: 0}
    queue = deque((puzzle.start,))
    while queue:
        here = queue.popleft()
        if here == puzzle.end:
            return moves[here]
        for there in puzzle.lanes[here]:
            if there is not None and there not in moves:
                moves[there] = moves[here] + 1
                queue.append(there)
    return None


def is_solved_by_a_shortest_line(puzzle: Puzzle, solutions: tuple[Path, ...] | None = None) -> bool:
    """Whether some line with the fewest moves obeys all rules: the most a shortest-path walker can hope for.

    Args:
        puzzle: the puzzle.
        solutions: all of its solutions; by default the stored ones.
    """
    fewest = shortest_line(puzzle)
    known = puzzle.solutions if solutions is None else solutions
    return any(len(path) - 1 == fewest for path in known)
