"""What is certain of a line that is not finished, compiled: whether it still has a future.

It is asked which nodes can still be reached, and therefore which edges the line can still touch. Rule cells
that no such edge separates will share a region: they are a group, and a group that no such edge borders is a
finished region. An area is what the line surrounds by now; it can only fall into parts. What is certain must
obey the rules, else the line has no future. Once the end is reached no edge can be touched any more,
everything is certain, and the same questions are the exact rules.

Importing this module imports numba.
"""

# Inside compiled code int and np.int64 mix freely; bundles of arrays are counted at every use.
# mypy: disable-error-code="arg-type, assignment, no-any-return"
# ruff: noqa: C901, PLR0917

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.envs.sparc.rules import filling
from maze_gym.envs.sparc.rules.constraints import STAR_GROUP
from maze_gym.envs.sparc.rules.puzzle import Color
from maze_gym.envs.sparc.search.board_graph import NONE, POLYOMINO, SQUARE, STAR, TRIANGLE, YLOP
from mazegen.core.compiling import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.envs.sparc.search.board_graph import BoardGraph

HOPELESS = -1
COLORS = len(Color)
OPEN = 2  # of an edge: the line may still touch it; 1: it has; 0: it never will
TRIES_HERE, TRIES_MADE, TRIES_LEFT = range(3)  # columns of ``Scratch.tries``
TRIES_PER_REGION = 20_000_000  # pieces tried, some 10 ns each, before the filling of a region is given up

# Columns of tallies.
SIZE, SQUARES, POLYOMINOES, GIVEN, LARGEST, YLOPS, TAKEN, BORDERS, SYMBOLS = range(9)
STARS = SYMBOLS + COLORS
COLUMNS = STARS + COLORS

fills = inner(filling.fills)


class Scratch(NamedTuple):
    """Arrays that the search reuses.

    Attributes:
        far: (nodes,) moves from the head of the line, or NONE.
        queue: (nodes,) of breadth-first searches.
        state: (edges,) 0, 1 or OPEN.
        finished: (cells,) length of the line that finished the region of the cell, or NONE.
        part: (cells,) number of the area or group of the cell, or NONE where its region is finished.
        room: (cells,) most cells that the polyominoes of the area can fill.
        tallies: (cells, COLUMNS) what each area or group holds.
        supply: (shapes,) polyominoes of each shape in a region.
        demand: (cells,) of ``filling``.
        tries: (3,) pieces that ``filling`` may still try in this region (TRIES_HERE), has tried in this slice
            (TRIES_MADE), and may still try in all (TRIES_LEFT), 0 once a region was given up.
    """

    far: NDArray[np.int64]
    queue: NDArray[np.int64]
    state: NDArray[np.int64]
    finished: NDArray[np.int64]
    part: NDArray[np.int64]
    room: NDArray[np.int64]
    tallies: NDArray[np.int64]
    supply: NDArray[np.int64]
    demand: NDArray[np.int64]
    tries: NDArray[np.int64]


@inner
def scratch_for(net: BoardGraph) -> Scratch:
    """Fresh arrays for a board."""
    nodes, cells = net.beside.shape[0], net.kind.shape[0]
    return Scratch(
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(net.ends.shape[0], np.int64),
        np.full(cells, NONE, np.int64),
        np.empty(cells, np.int64),
        np.empty(cells, np.int64),
        np.empty((cells, COLUMNS), np.int64),
        np.empty(net.begins.shape[0] - 1, np.int64),
        np.empty(cells, np.int64),
        np.zeros(3, np.int64),
    )


@inner
def spread(
    beside: NDArray[np.int64],
    visited: NDArray[np.int64],
    head: int,
    last_node: int,
    far: NDArray[np.int64],
    queue: NDArray[np.int64],
) -> None:
    """Moves from the head to every node that can still be reached, into ``far``."""
    for node in range(far.shape[0]):
        far[node] = NONE
    far[head] = 0
    queue[0] = head
    first, last = 0, 1
    while first < last:
        node = queue[first]
        first += 1
        if node == last_node:
            continue  # the line stops there
        for direction in range(4):
            other = beside[node, direction]
            if other != NONE and visited[other] == 0 and far[other] == NONE:
                far[other] = far[node] + 1
                queue[last] = other
                last += 1


@inner
def moves_left(net: BoardGraph, far: NDArray[np.int64]) -> int:
    """Fewest moves to the end, or HOPELESS; to one of its nodes, where it is an edge."""
    if net.last_edge == NONE:
        return far[net.last_node]
    one, two = far[net.ends[net.last_edge, 0]], far[net.ends[net.last_edge, 1]]
    return max(one, two) if NONE in (one, two) else min(one, two)


@inner
def is_doomed(
    net: BoardGraph, visited: NDArray[np.int64], touched: NDArray[np.int64], depth: int, scratch: Scratch
) -> bool:
    """Whether something that is certain breaks a rule, given what can be reached (``scratch.far``)."""
    far, state, finished = scratch.far, scratch.state, scratch.finished
    for edge in range(state.shape[0]):
        state[edge] = touched[edge]
        is_within = far[net.ends[edge, 0]] != NONE and far[net.ends[edge, 1]] != NONE
        if touched[edge] == 0 and net.crossable[edge] and is_within:
            state[edge] = OPEN
    for node in net.node_dots:
        if visited[node] == 0 and far[node] == NONE:
            return True
    for edge in net.edge_dots:
        if state[edge] == 0:
            return True
    for cell in range(finished.shape[0]):
        if finished[cell] >= depth:
            finished[cell] = NONE  # by a line that was given up
        if net.kind[cell] == TRIANGLE:
            least = most = 0
            for side in range(4):
                least += state[net.around[cell, side]] == 1
                most += state[net.around[cell, side]] != 0
            if net.triangles[cell] < least or net.triangles[cell] > most:
                return True
    return lacks_partners(net, scratch) or has_bad_group(net, depth, scratch)


@inner
def gather(
    across: NDArray[np.int64],
    around: NDArray[np.int64],
    state: NDArray[np.int64],
    finished: NDArray[np.int64],
    most: int,
    part: NDArray[np.int64],
    queue: NDArray[np.int64],
) -> int:
    """Number the parts of the board into ``part`` and count them.

    Edges with a state of 1 or above ``most`` lie between parts: OPEN numbers areas, 0 numbers groups. Rule
    cells of finished regions are left out.
    """
    for cell in range(part.shape[0]):
        part[cell] = NONE
    parts = 0
    for cell in range(part.shape[0]):
        if part[cell] != NONE or finished[cell] != NONE:
            continue
        part[cell] = parts
        queue[0] = cell
        first, last = 0, 1
        while first < last:
            here = queue[first]
            first += 1
            for side in range(4):
                other, between = across[here, side], state[around[here, side]]
                if other != NONE and between != 1 and between <= most and part[other] == NONE:
                    part[other] = parts
                    queue[last] = other
                    last += 1
        parts += 1
    return parts


@inner
def tally(net: BoardGraph, part: NDArray[np.int64], parts: int, tallies: NDArray[np.int64]) -> None:
    """Count what each part holds."""
    for mine in range(parts):
        for column in range(COLUMNS):
            tallies[mine, column] = 0
    for cell in range(part.shape[0]):
        mine, kind = part[cell], net.kind[cell]
        if mine == NONE:
            continue
        tallies[mine, SIZE] += 1
        if kind:
            tallies[mine, SYMBOLS + net.color[cell]] += 1
            if kind == STAR:
                tallies[mine, STARS + net.color[cell]] += 1
            elif kind == SQUARE:
                tallies[mine, SQUARES] |= 1 << net.color[cell]
            elif kind >= POLYOMINO:
                cells = net.begins[net.shape[cell] + 1] - net.begins[net.shape[cell]]
                if kind == YLOP:
                    tallies[mine, YLOPS] += 1
                    tallies[mine, TAKEN] += cells
                else:
                    tallies[mine, POLYOMINOES] += 1
                    tallies[mine, GIVEN] += cells
                    tallies[mine, LARGEST] = max(tallies[mine, LARGEST], cells)


@inner
def lacks_partners(net: BoardGraph, scratch: Scratch) -> bool:
    """Whether a star or polyomino can no longer have what it needs in the area that surrounds it."""
    part, tallies = scratch.part, scratch.tallies
    areas = gather(net.across, net.around, scratch.state, scratch.finished, OPEN, part, scratch.queue)
    tally(net, part, areas, tallies)
    for area in range(areas):
        if tallies[area, YLOPS] == 0 and tallies[area, LARGEST] > tallies[area, SIZE]:
            return True
        for color in range(COLORS):
            if tallies[area, STARS + color] and tallies[area, SYMBOLS + color] < STAR_GROUP:
                return True
    for cell in range(part.shape[0]):
        if part[cell] != NONE:
            has_ylops = tallies[part[cell], YLOPS] > 0
            scratch.room[cell] = part.shape[0] if has_ylops else tallies[part[cell], GIVEN]
    return False


@inner
def has_bad_group(net: BoardGraph, depth: int, scratch: Scratch) -> bool:
    """Whether squares, stars or shapes of a group break their rule, or of a region that is now finished."""
    part, tallies, finished, state = scratch.part, scratch.tallies, scratch.finished, scratch.state
    groups = gather(net.across, net.around, state, finished, 0, part, scratch.queue)
    tally(net, part, groups, tallies)
    for cell in range(part.shape[0]):
        mine = part[cell]
        if mine != NONE:
            if tallies[mine, POLYOMINOES] + tallies[mine, YLOPS] and tallies[mine, SIZE] > scratch.room[cell]:
                return True
            for side in range(4):
                other = net.across[cell, side]
                if other != NONE and state[net.around[cell, side]] == OPEN and part[other] != mine:
                    tallies[mine, BORDERS] = 1
    for group in range(groups):
        squares, is_whole = tallies[group, SQUARES], tallies[group, BORDERS] == 0
        if squares & (squares - 1):
            return True
        for color in range(COLORS):
            symbols = tallies[group, SYMBOLS + color]
            is_wrong = symbols > STAR_GROUP or (is_whole and symbols < STAR_GROUP)
            if tallies[group, STARS + color] and is_wrong:
                return True
        has_shapes = tallies[group, POLYOMINOES] + tallies[group, YLOPS] > 0
        if is_whole and has_shapes and not is_filled(net, group, scratch):
            return True
    for cell in range(part.shape[0]):
        if part[cell] != NONE and tallies[part[cell], BORDERS] == 0:
            finished[cell] = depth
    return False


@inner
def is_filled(net: BoardGraph, region: int, scratch: Scratch) -> bool:
    """Whether the shapes of a finished region can be laid as they must."""
    supply, demand, mine = scratch.supply, scratch.demand, scratch.tallies
    area = mine[region, GIVEN] - mine[region, TAKEN]
    if area != mine[region, SIZE] and (mine[region, YLOPS] == 0 or area != 0):
        return False
    for shape in range(supply.shape[0]):
        supply[shape] = 0
    debts = np.empty(mine[region, YLOPS], np.int64)
    debt = 0
    for cell in range(demand.shape[0]):
        demand[cell] = 0
        if scratch.part[cell] == region:
            demand[cell] = 1 if area else 0
            if net.kind[cell] == YLOP:
                debts[debt] = net.shape[cell]
                debt += 1
            elif net.kind[cell] == POLYOMINO:
                supply[net.shape[cell]] += 1
    levels = mine[region, POLYOMINOES] + debt
    tried, laid, tries = np.empty(levels, np.int64), np.empty(levels, np.int64), scratch.tries
    most = min(tries[TRIES_LEFT], TRIES_PER_REGION)
    tries[TRIES_HERE] = most
    fit = fills(net.begins, net.downs, net.rights, supply, debts, net.width, demand, tried, laid, tries)
    made = most - tries[TRIES_HERE]
    tries[TRIES_MADE] += made
    tries[TRIES_LEFT] = tries[TRIES_LEFT] - made if tries[TRIES_HERE] > 0 else 0
    return fit
