"""Exact search: every line that obeys all rules, how many there are, and whether one goes on from here."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.envs.sparc.rules.constraints import STAR_GROUP, obeys
from maze_gym.envs.sparc.rules.puzzle import Kind
from maze_gym.envs.sparc.search.board_graph import NONE, net_of, numbering
from maze_gym.errors import InvalidArgument, SearchLimitExceeded
from mazegen.core.interruptible import shielded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Puzzle
    from maze_gym.envs.sparc.search.board_graph import BoardGraph

UNLIMITED = 1 << 62  # of lines and moves
# Extensions of lines after which a search is given up, unless it is told otherwise: ten to twenty seconds.
# The hardest of the bundled puzzles takes a fraction of it to find every solution.
MAX_EXTENSIONS = 2_000_000
_SHORTENING_BOUND = 50_000  # extensions of lines: a fraction of a second
_LENGTHENING_BOUND = 500_000  # a second or two


class _Search(NamedTuple):
    """What a search found.

    Attributes:
        lines: whole lines, from start to end.
        is_complete: whether the bound sufficed.
    """

    lines: list[Path]
    is_complete: bool


class _Begun(NamedTuple):
    """A line that stands on a node.

    Attributes:
        path: its positions.
        head: number of the node.
        visited: (nodes,) 1 where it has been.
        touched: (edges,) 1 where it has passed, and the end where that is an edge.
    """

    path: Path
    head: int
    visited: NDArray[np.int64]
    touched: NDArray[np.int64]


def enumerate_solutions(
    puzzle: Puzzle, limit: int | None = None, *, bound: int = MAX_EXTENSIONS
) -> list[Path]:
    """All lines that obey all rules, each from start to end; in a fixed order, the first ``limit`` of them.

    Args:
        puzzle: the puzzle.
        limit: stop after so many.
        bound: most extensions of lines to try; a board of 6 x 6 cells can take millions of them.

    Raises:
        SearchLimitExceeded: the bound did not suffice.
        InvalidArgument: limit or bound is no positive number.
    """
    return list(_completions(puzzle, (puzzle.start,), limit, bound))


def count_solutions(puzzle: Puzzle, limit: int | None = None, *, bound: int = MAX_EXTENSIONS) -> int:
    """How many lines obey all rules, ``limit`` at most; as ``enumerate_solutions``."""
    return sum(1 for _ in _completions(puzzle, (puzzle.start,), limit, bound))


def is_completable(puzzle: Puzzle, path: Path, *, bound: int = MAX_EXTENSIONS) -> bool:
    """Whether some line that obeys all rules begins with this one; a finished line must itself obey them.

    Raises:
        SearchLimitExceeded: the bound did not suffice to know.
        InvalidArgument: the path is no line that the puzzle allows, or the bound no positive number.
    """
    return next(_completions(puzzle, path, 1, bound), None) is not None


def shortest_completion(puzzle: Puzzle, path: Path, *, bound: int = MAX_EXTENSIONS) -> Path | None:
    """The rest of a line that obeys all rules and begins with this one, with the fewest moves.

    On a board that leaves so many lines that a search of seconds does not tell, it is the shortest one found.

    Returns:
        The positions behind the head: none if the line is finished, None if no line goes on from here.

    Raises:
        SearchLimitExceeded: no line was found within the bound, and there may be one.
        InvalidArgument: the path is no line that the puzzle allows, or the bound no positive number.
    """
    _check_numbers(bound=bound)
    _check_line(puzzle, path)
    if _is_hopeless(puzzle):
        return None
    lines = _to_nodes(puzzle, path)
    found = [line for line in (_shortest(puzzle, line, bound) for line in lines) if line is not None]
    return min(found, key=len)[len(path) :] if found else None


def _shortest(puzzle: Puzzle, line: Path, bound: int) -> Path | None:
    """The shortest line that obeys all rules and begins with one that stands on a node or at the end."""
    if line[-1] == puzzle.end:
        return line if obeys(puzzle, line) else None
    # Ever shorter lines: best where the rules leave few of them.
    found = _search(puzzle, line, bound=min(bound, _SHORTENING_BOUND), shortest=True)
    if found.is_complete:
        return found.lines[-1] if found.lines else None
    # Ever longer ones: best where there are many, for then a short one is soon among them.
    for moves in range(len(net_of(puzzle).beside)):
        longer = _search(puzzle, line, limit=1, longest=moves, bound=min(bound, _LENGTHENING_BOUND))
        if longer.lines:
            return longer.lines[0]
        if not longer.is_complete:
            break
    if not found.lines:
        found = _search(puzzle, line, limit=1, bound=bound)
        if not (found.lines or found.is_complete):
            raise _given_up(puzzle, bound)
    return found.lines[-1] if found.lines else None


def _completions(puzzle: Puzzle, path: Path, limit: int | None, bound: int) -> Iterator[Path]:
    _check_numbers(limit=UNLIMITED if limit is None else limit, bound=bound)
    _check_line(puzzle, path)
    left = UNLIMITED if limit is None else limit
    if _is_hopeless(puzzle):
        return
    for line in _to_nodes(puzzle, path):
        if left > 0 and line[-1] == puzzle.end:
            if obeys(puzzle, line):
                left -= 1
                yield line
        elif left > 0:
            found = _search(puzzle, line, limit=left, bound=bound)
            if not found.is_complete:
                raise _given_up(puzzle, bound)
            left -= len(found.lines)
            yield from found.lines


def _given_up(puzzle: Puzzle, bound: int) -> SearchLimitExceeded:
    return SearchLimitExceeded(
        f"puzzle {puzzle.puzzle_id!r} is too large: it takes more than {bound:,} extensions of lines; allow "
        "more (bound), or lay more symbols, dots or gaps, which leave fewer lines"
    )


def _is_hopeless(puzzle: Puzzle) -> bool:
    """Whether counting shows that no line obeys all rules: stars that only each other could pair are odd.

    A region with a star of a colour holds two symbols of it. Where all symbols of a colour are stars they go
    in pairs, whatever the line.
    """
    symbols = Counter(symbol.color for _, symbol in puzzle.symbols)
    stars = Counter(symbol.color for _, symbol in puzzle.symbols if symbol.kind == Kind.STAR)
    return any(stars[color] % STAR_GROUP and symbols[color] == stars[color] for color in stars)


def _search(
    puzzle: Puzzle,
    line: Path,
    *,
    limit: int = UNLIMITED,
    longest: int = UNLIMITED,
    bound: int,
    shortest: bool = False,
) -> _Search:
    """Lines that begin with one that stands on a node; for the arguments see ``kernels.Terms``.

    Between two slices of the compiled search Python looks for signals, so that Ctrl-C is heard.
    """
    from maze_gym.envs.sparc.search.certainty import TRIES_LEFT
    from maze_gym.envs.sparc.search.kernels import Terms, extend, goes_on, search

    net, terms = net_of(puzzle), Terms(limit, longest, bound, shortest)
    begun = _begun(puzzle, net, line)
    now = shielded(search, net, begun.visited, begun.touched, begun.head, terms)
    while goes_on(now.depth, now.count, now.visits, int(now.scratch.tries[TRIES_LEFT]), terms):
        now = shielded(extend, net, now, terms)
    nodes = numbering(puzzle.height, puzzle.width).nodes
    rests = ([nodes[node] for node in row if node != NONE] for row in now.nodes[: now.count].tolist())
    is_complete = now.visits <= bound and now.scratch.tries[TRIES_LEFT] > 0
    return _Search([line + tuple(_positions(rest, puzzle)) for rest in rests], is_complete)


def _positions(nodes: list[Position], puzzle: Puzzle) -> Iterator[Position]:
    """What comes behind the first node: edges and nodes in turn, and the end where it is an edge."""
    for here, there in pairwise(nodes):
        yield (here[0] + there[0]) // 2, (here[1] + there[1]) // 2
        yield there
    if nodes[-1] != puzzle.end:
        yield puzzle.end


def _begun(puzzle: Puzzle, net: BoardGraph, line: Path) -> _Begun:
    number = numbering(puzzle.height, puzzle.width).number
    visited, touched = np.zeros(len(net.beside), np.int64), np.zeros(len(net.ends), np.int64)
    for position in line:
        (visited if _is_node(position) else touched)[number[position]] = 1
    if net.last_edge != NONE:
        touched[net.last_edge] = 1
    return _Begun(line, number[line[-1]], visited, touched)


def _to_nodes(puzzle: Puzzle, path: Path) -> Iterable[Path]:
    """The line itself if it stands on a node or at the end; else the lines that its next move leads to."""
    if _is_node(path[-1]) or path[-1] == puzzle.end:
        return [path]
    return [(*path, there) for there in puzzle.lanes[path[-1]] if there is not None and there not in path]


def _check_numbers(**numbers: int) -> None:
    for name, value in numbers.items():
        if type(value) is not int or value < 1:
            msg = f"{name} must be a positive integer{' or None' * (name == 'limit')}, got {value!r}"
            raise InvalidArgument(msg)


def _check_line(puzzle: Puzzle, path: Path) -> None:
    lanes = puzzle.lanes
    is_line = bool(path) and path[0] == puzzle.start and puzzle.end not in path[:-1]
    is_line = is_line and len(set(path)) == len(path)
    if not is_line or not all(there in lanes[here] for here, there in pairwise(path)):
        msg = f"the path must follow the lanes of {puzzle.puzzle_id!r} from {puzzle.start}, got {path!r}"
        raise InvalidArgument(msg)


def _is_node(position: Position) -> bool:
    return position[0] % 2 == position[1] % 2 == 0
