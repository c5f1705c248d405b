"""Searches of any size, in slices: between two compiled calls Python looks for signals, so Ctrl-C is heard.

A slice takes some tenths of a second. What is small is searched in one call and costs nothing more. Importing
this module imports numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.core.interruptible import shielded
from mazegen.search import kernels
from mazegen.search.kernels import MOVE_COST, UNKNOWN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mazegen.search.kernels import Graph, Layout

AT_ONCE = 100_000  # states: what holds no more is searched, and worked through, in one call


def explore(layout: Layout, start: tuple[int, int, int], limit: int, *, whole: bool) -> Graph:
    """``kernels.explore``."""
    graph = shielded(kernels.explore_first, layout, start, limit, whole, AT_ONCE)
    while graph.expanded < graph.size <= limit and (whole or graph.last == UNKNOWN):
        graph = shielded(kernels.explore_on, layout, graph, limit, whole, AT_ONCE)
    return graph if graph.size <= limit else graph._replace(size=UNKNOWN)


def remaining_actions(graph: Graph) -> NDArray[np.int32]:
    """``kernels.remaining_actions`` of a whole graph."""
    if graph.size <= AT_ONCE:
        return shielded(kernels.remaining_actions, graph.successors, graph.size)
    first, edges = shielded(kernels.predecessors, graph.successors, graph.size)
    return shielded(kernels.distances_from, graph.successors, graph.size, first, edges)


def fewest_moves(graph: Graph) -> tuple[int, int, int, NDArray[np.int32]]:
    """``kernels.fewest_moves``."""
    if graph.size <= AT_ONCE:
        return shielded(kernels.fewest_moves, graph)
    walks = shielded(kernels.first_walk, graph)
    while len(walks.heap):
        walks = shielded(kernels.walk_on, graph, walks, AT_ONCE)
    moves = walks.best // MOVE_COST if walks.last != UNKNOWN else UNKNOWN
    return moves, walks.last, walks.last_action, walks.origins
