"""Keys, doors, switches and gates along the solution, in prerequisite order.

A blocker stands on a *cut cell*: one that every way from start to goal goes through, with rock on both
sides. The blockers cut the floor into zones; what opens blocker i lies in zone i, which can be
reached only through blocker i-1. The validator proves the outcome; this is how it comes about.

Compiled; importing this module imports numba.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# ruff: noqa: PLR0913, PLR0917, C901
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mazegen.core.compiling import inner
from mazegen.core.random_draws import below, combination
from mazegen.core.rules import DOOR, FREE, GATE, KEY, SWITCH
from mazegen.generation.carving import (
    ANY_SIDE,
    LEFT,
    NOTHING,
    TUNNEL_TRIES,
    open_sides,
    stride,
    tunnel,
    walk_distances,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY_STEP, SWITCH_STEP = 0, 1  # the steps of a chain as compiled code sees them
SEALED = -2  # zone of a cell that stays empty: what lies behind a decoy door


class Route(NamedTuple):
    """The floor as seen from one shortest walk from start to goal.

    Attributes:
        path: (length,) cells of the walk.
        place: (cells,) index on the walk, NOTHING off it.
        zone: (cells,) index on the walk where one leaves it for this cell; NOTHING for rock.
        is_cut: (length,) whether every way from start to goal goes through this cell of the walk.
    """

    path: NDArray[np.int64]
    place: NDArray[np.int64]
    zone: NDArray[np.int64]
    is_cut: NDArray[np.bool_]


@inner
def trace_route(floor: NDArray[np.uint8], cols: int, start: int, goal: int) -> Route:
    """Find the walk, what hangs off it and where, and its cut cells, in time linear in the board.

    Off the walk, the floor falls into connected pieces. A piece that touches the walk first at index
    ``low`` and last at ``high`` is a way around everything strictly between; what no piece goes
    around is a cut cell. (A shortest walk has no shortcuts of its own.) ``path`` is empty if the goal
    cannot be reached.
    """
    cells = floor.shape[0]
    distance, queue = np.empty(cells, np.int64), np.empty(cells, np.int64)
    walk_distances(floor, cols, start, distance, queue)
    length = distance[goal] + 1
    path = np.empty(length, np.int64)
    place = np.full(cells, NOTHING, np.int64)
    zone = np.full(cells, NOTHING, np.int64)
    cell = goal
    for index in range(length - 1, -1, -1):
        path[index], place[cell], zone[cell] = cell, index, index
        for direction in range(4):
            before = cell + stride(cols, direction)
            if floor[before] and distance[before] == index - 1:
                cell = before
                break
    around = np.zeros(length + 1, np.int64)  # differences of "how many pieces go around this index"
    for index in range(length):
        for direction in range(4):
            first = path[index] + stride(cols, direction)
            if floor[first] and zone[first] == NOTHING:
                zone[first] = index
                queue[0] = first
                head, tail, high = 0, 1, index
                while head < tail:
                    cell = queue[head]
                    head += 1
                    for side in range(4):
                        after = cell + stride(cols, side)
                        if floor[after] and place[after] != NOTHING:
                            high = max(high, place[after])
                        elif floor[after] and zone[after] == NOTHING:
                            zone[after] = index
                            queue[tail] = after
                            tail += 1
                if high > index + 1:
                    around[index + 1] += 1
                    around[high] -= 1
    is_cut = np.zeros(length, np.bool_)
    ways = 0
    for index in range(length):
        ways += around[index]
        is_cut[index] = ways == 0 and 0 < index < length - 1
    return Route(path, place, zone, is_cut)


@inner
def reaches_all(route: Route) -> bool:
    """Whether no floor lies behind the goal, where an episode has ended before one gets there."""
    last = route.path.shape[0] - 1
    for cell in range(route.zone.shape[0]):
        if route.zone[cell] == last and route.place[cell] != last:
            return False
    return True


@inner
def choose_blockers(
    floor: NDArray[np.uint8], cols: int, rng: NDArray[np.int64], route: Route, count: int
) -> NDArray[np.int64]:
    """Indices (count,) on the walk for the blockers, ascending; empty if there is no room.

    Between two of them lies at least one cell of the walk, and before the first one too.
    """
    length = route.path.shape[0]
    fits = np.empty(length, np.int64)
    found = 0
    for index in range(2, length - 1):
        if route.is_cut[index] and open_sides(floor, cols, route.path[index]) == 2:  # noqa: PLR2004 - a doorway
            fits[found] = index
            found += 1
    if found < count:
        return np.empty(0, np.int64)
    chosen = combination(rng, count, found)
    for rank in range(1, count):  # make room between neighbours, first to the one side ...
        while chosen[rank] < found and fits[chosen[rank]] < fits[chosen[rank - 1]] + 2:
            chosen[rank] += 1
        if chosen[rank] == found:
            chosen[rank] = found - 1
    for rank in range(count - 2, -1, -1):  # ... then, from the end, to the other
        while chosen[rank] >= 0 and fits[chosen[rank]] > fits[chosen[rank + 1]] - 2:
            chosen[rank] -= 1
        if chosen[rank] < 0:
            return np.empty(0, np.int64)
    for rank in range(count):
        chosen[rank] = fits[chosen[rank]]
    return chosen


@inner
def place_chain(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    route: Route,
    things: NDArray[np.uint8],
    chain: NDArray[np.uint8],
    spur_length: int,
    side: int,
) -> bool:
    """Put every blocker of the chain on the walk and what opens it into the zone before it.

    Args:
        floor: (cells,) changed where a spur is dug.
        cols: width of the board.
        rng: (4,) stream.
        route: of the floor; takes up the cells of the spurs.
        things: (cells,) codes of the mechanisms, in the numbering of ``rules``; written.
        chain: (steps,) KEY_STEP or SWITCH_STEP.
        spur_length: cells of the spur at whose end the opener lies; 0 is anywhere in the zone.
        side: on which hand a spur begins.

    Returns:
        Whether everything found a place.
    """
    steps = chain.shape[0]
    if steps == 0:
        return True
    blockers = choose_blockers(floor, cols, rng, route, steps)
    if blockers.shape[0] < steps:
        return False
    keys, switches = 0, 0
    for step in range(steps):  # all blockers first: no spur may begin beside one
        if chain[step] == KEY_STEP:
            things[route.path[blockers[step]]] = DOOR + keys
            keys += 1
        else:
            things[route.path[blockers[step]]] = GATE + switches
            switches += 1
    keys, switches, before = 0, 0, np.int64(NOTHING)  # a plain constant would compile copies of what takes it
    for step in range(steps):
        if spur_length > 0:
            cell = dig_spur(floor, cols, rng, route, things, before, blockers[step], spur_length, side)
        else:
            cell = spot_in_zone(floor, cols, rng, route, things, before, blockers[step])
        if cell == NOTHING:
            return False
        if chain[step] == KEY_STEP:
            things[cell] = KEY + keys
            keys += 1
        else:
            things[cell] = SWITCH + switches
            switches += 1
        before = blockers[step]
    return True


@inner
def dig_spur(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    route: Route,
    things: NDArray[np.uint8],
    after: int,
    before: int,
    length: int,
    side: int,
) -> int:
    """Dig a spur off the walk strictly between two of its indices; its last cell, or NOTHING."""
    cells = np.empty(length, np.int64)
    for _ in range(TUNNEL_TRIES):
        index = after + 1 + below(rng, before - after - 1)
        mouth = route.path[index]
        if things[mouth] >= DOOR:
            continue
        direction = np.int64(NOTHING)
        if side != ANY_SIDE:
            ahead = _heading(cols, route.path, index)
            direction = (ahead + (3 if side == LEFT else 1)) & 3
        if tunnel(floor, cols, rng, mouth, direction, length, cells):
            for cell in cells:
                route.zone[cell] = index
            return cells[length - 1]
    return NOTHING


@inner
def _heading(cols: int, path: NDArray[np.int64], index: int) -> int:
    """Direction in which somebody on the walk leaves the cell with this index (not the last one)."""
    step = path[index + 1] - path[index]
    for direction in range(4):
        if step == stride(cols, direction):
            return direction
    return NOTHING


@inner
def spot_in_zone(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    route: Route,
    things: NDArray[np.uint8],
    after: int,
    before: int,
) -> int:
    """A random free cell of a zone: a dead end if it has one, else off the walk, else on it."""
    best, count, found = 0, 0, NOTHING
    for cell in range(floor.shape[0]):
        if not after < route.zone[cell] < before or things[cell] != FREE or route.place[cell] == 0:
            continue
        worth = 1
        if route.place[cell] == NOTHING:
            worth = 3 if open_sides(floor, cols, cell) == 1 else 2
        if worth > best:
            best, count = worth, 0
        if worth == best:
            count += 1
            if below(rng, count) == 0:  # each of the candidates stays with the same chance
                found = cell
    return found
