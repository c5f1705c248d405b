"""The search for lines that obey all rules, compiled.

A line is extended node by node. Before it goes on, ``certainty`` says whether it still has a future.

A search of a large board may take long. It is done in slices: each call extends ``SLICE`` lines at most and
leaves the search where the next one takes it up, so that Python hears an interrupt in between.

Importing this module imports numba. Under ``NUMBA_DISABLE_JIT=1`` every function here is plain Python.
"""

# Inside compiled code int and np.int64 mix freely.
# mypy: disable-error-code="arg-type, assignment, no-any-return"
# ruff: noqa: C901, PLR0912

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.envs.sparc.search.board_graph import NONE
from maze_gym.envs.sparc.search.certainty import (
    HOPELESS,
    TRIES_LEFT,
    TRIES_MADE,
    Scratch,
    is_doomed,
    moves_left,
    scratch_for,
    spread,
)
from mazegen.core.compiling import compiled, inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.envs.sparc.search.board_graph import BoardGraph

FIRST_CAPACITY = 16  # lines that fit before the table grows
MOST_EXTENSIONS = 1 << 40  # of any search: a bound above it is as good as none
SLICE = 4_000  # extensions of lines in one call: some hundredths of a second
# Pieces tried while polyominoes are laid, in one call, and in all for each extension that is allowed. Puzzles
# as people make them take fewer than one an extension on average.
TRIES_PER_SLICE, TRIES_PER_EXTENSION = 10_000_000, 200


class Progress(NamedTuple):
    """How far a search is.

    Attributes:
        scratch: arrays that it reuses.
        visited: (nodes,) 1 where the line has been.
        touched: (edges,) 1 where it has passed.
        line: (nodes + 1,) its nodes, from the head of the line that was given on.
        choice: (nodes + 1,) the direction to try next from each of them.
        depth: index of the last of them; negative when everything was tried.
        nodes: (lines, nodes) those of each line that was found, then NONE; room for more than ``count``.
        count: how many were found.
        longest: most moves that may still be made.
        visits: how often a line was extended.
    """

    scratch: Scratch
    visited: NDArray[np.int64]
    touched: NDArray[np.int64]
    line: NDArray[np.int64]
    choice: NDArray[np.int64]
    depth: int
    nodes: NDArray[np.int64]
    count: int
    longest: int
    visits: int


class Terms(NamedTuple):
    """What is searched for.

    Attributes:
        limit: stop after so many lines.
        longest: most moves from node to node that may still be made.
        bound: give up after so many extensions.
        shortest: keep only lines with fewer moves than all that were found before.
    """

    limit: int
    longest: int
    bound: int
    shortest: bool


def goes_on(depth: int, count: int, visits: int, tries: int, terms: Terms) -> bool:
    """Whether a search has to go on; when it has not, it is complete or was given up."""
    return depth >= 0 and count < terms.limit and visits <= terms.bound and tries > 0


_goes_on = inner(goes_on)


@inner
def doubled(found: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same rows with room for as many more."""
    more = np.empty((2 * found.shape[0], found.shape[1]), np.int64)
    for row in range(found.shape[0]):
        for col in range(found.shape[1]):
            more[row, col] = found[row, col]
    return more


@compiled
def search(
    net: BoardGraph, visited: NDArray[np.int64], touched: NDArray[np.int64], head: int, terms: Terms
) -> Progress:
    """Lines that obey all rules and begin with a given one, which is not at the end yet: the first slice.

    Args:
        net: the puzzle.
        visited: (nodes,) 1 where the line has been, its head included; changed.
        touched: (edges,) 1 where it has passed, and at the end, if that is an edge; changed.
        head: the node that it has come to.
        terms: what is searched for.
    """
    nodes = net.beside.shape[0]
    found = np.empty((FIRST_CAPACITY, nodes), np.int64)
    line, choice = np.empty(nodes + 1, np.int64), np.zeros(nodes + 1, np.int64)
    line[0] = head
    scratch = scratch_for(net)
    scratch.tries[TRIES_LEFT] = min(terms.bound, MOST_EXTENSIONS) * TRIES_PER_EXTENSION
    # Not plain constants: the compiler would make one more copy of what they are handed to.
    nothing = np.int64(0)
    progress = Progress(
        scratch, visited, touched, line, choice, nothing, found, nothing, np.int64(terms.longest), nothing
    )
    return extend(net, progress, terms)


@compiled
def extend(net: BoardGraph, progress: Progress, terms: Terms) -> Progress:
    """Go on with a search, for one slice at most; see ``goes_on``."""
    nodes = net.beside.shape[0]
    scratch, visited, touched, line, choice, depth, found, count, longest, visits = progress
    pause = visits + SLICE
    scratch.tries[TRIES_MADE] = 0
    while _goes_on(depth, count, visits, scratch.tries[TRIES_LEFT], terms):
        if visits >= pause or scratch.tries[TRIES_MADE] > TRIES_PER_SLICE:
            break
        node = line[depth]
        is_end = node == net.last_node
        if choice[depth] == 0:
            visits += 1
            if net.last_edge != NONE:
                is_end = node in (net.ends[net.last_edge, 0], net.ends[net.last_edge, 1])
            if is_end and depth <= longest:
                for each in range(nodes):
                    scratch.far[each] = NONE
                if not is_doomed(net, visited, touched, depth, scratch):
                    if count == found.shape[0]:
                        found = doubled(found)
                    for each in range(nodes):
                        found[count, each] = line[each] if each <= depth else NONE
                    count += 1
                    longest = depth - 1 if terms.shortest else longest
            spread(net.beside, visited, node, net.last_node, scratch.far, scratch.queue)
            way = moves_left(net, scratch.far)
            is_over = node == net.last_node or way == HOPELESS or depth + way > longest
            if is_over or is_doomed(net, visited, touched, depth, scratch):
                choice[depth] = 4
        is_longer = False
        while choice[depth] < 4 and not is_longer:  # noqa: PLR2004 - directions
            direction = choice[depth]
            choice[depth] += 1
            other = net.beside[node, direction]
            if other != NONE and visited[other] == 0:
                is_longer = True
                visited[other] = 1
                touched[net.over[node, direction]] = 1
                depth += 1
                line[depth] = other
                choice[depth] = 0
        if not is_longer:
            depth -= 1
            if depth >= 0:
                visited[node] = 0
                touched[net.over[line[depth], choice[depth] - 1]] = 0
    return Progress(scratch, visited, touched, line, choice, depth, found, count, longest, visits)
