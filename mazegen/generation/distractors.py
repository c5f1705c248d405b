"""Wrong keys, wrong switches, dead-end rooms, decoy chains and traps: there, and not needed.

Dead-end rooms and decoys are dug into solid rock and touch the floor at their mouth alone, so no way
becomes shorter. The validator proves it of every maze. Compiled; importing this module imports numba.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# ruff: noqa: PLR0913, PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import inner
from mazegen.core.random_draws import below, shuffle
from mazegen.core.rules import DOOR, FREE, GATE, KEY, SWITCH
from mazegen.generation.carving import NOTHING, open_sides, tunnel
from mazegen.generation.placement import SEALED, Route

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST_ROOM = 3  # cells of a dead-end room or a decoy's branch
SHORTEST_ROOM = 2


@inner
def dig_room(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    route: Route,
    things: NDArray[np.uint8],
    goal: int,
    room: NDArray[np.int64],
) -> int:
    """Dig a side branch with one mouth, as long as there is rock for; its length, 0 for no room.

    It begins beside a cell that is no dead end itself, so that it makes one more of them; never at
    the goal, behind which nobody gets. ``room`` (LONGEST_ROOM,) receives its cells.
    """
    mouths = np.empty(floor.shape[0], np.int64)
    count = 0
    for cell in range(floor.shape[0]):
        fits = floor[cell] and route.zone[cell] >= 0 and cell != goal and things[cell] < DOOR
        if fits and open_sides(floor, cols, cell) > 1:
            mouths[count] = cell
            count += 1
    shuffle(rng, mouths, count)
    for length in range(LONGEST_ROOM, SHORTEST_ROOM - 1, -1):
        for index in range(count):
            mouth = mouths[index]
            if tunnel(floor, cols, rng, mouth, np.int64(NOTHING), length, room):
                for place in range(length):
                    route.zone[room[place]] = route.zone[mouth]
                return length
    return 0


@inner
def spot_off_route(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    route: Route,
    things: NDArray[np.uint8],
    goal: int,
) -> int:
    """A free cell for something wrong: off the walk, else in a new niche, else on the walk."""
    off, on = NOTHING, NOTHING
    off_count, on_count = 0, 0
    for cell in range(floor.shape[0]):
        if route.zone[cell] < 0 or things[cell] != FREE or cell == goal or route.place[cell] == 0:
            continue
        if route.place[cell] == NOTHING:
            off_count += 1
            if below(rng, off_count) == 0:
                off = cell
        else:
            on_count += 1
            if below(rng, on_count) == 0:
                on = cell
    if off != NOTHING:
        return off
    room = np.empty(LONGEST_ROOM, np.int64)
    length = dig_room(floor, cols, rng, route, things, goal, room)
    return room[length - 1] if length > 0 else on


@inner
def place_distractors(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    route: Route,
    things: NDArray[np.uint8],
    goal: int,
    counts: NDArray[np.int64],
    used: tuple[int, int],
    rooms: NDArray[np.int64],
) -> bool:
    """Add what the spec asks for to a board that has its chain.

    Args:
        floor: (cells,) changed where rooms are dug.
        cols: width of the board.
        rng: (4,) stream.
        route: of the floor; takes up new cells.
        things: (cells,) codes; written.
        goal: cell of the goal.
        counts: (5,) wrong keys, wrong switches, dead-end rooms, decoy chains, traps (0 or 1).
        used: keys and switches of the chain; numbering goes on from there, decoys before wrong
            keys.
        rooms: (dead-end rooms + decoy chains, LONGEST_ROOM) receives their cells, NOTHING after the last.

    Returns:
        Whether everything found a place.
    """
    wrong_keys, wrong_switches, dead_ends, decoys = counts[0], counts[1], counts[2], counts[3]
    for room in range(dead_ends + decoys):
        length = dig_room(floor, cols, rng, route, things, goal, rooms[room])
        if length == 0:
            return False
        for place in range(length, LONGEST_ROOM):
            rooms[room, place] = NOTHING
        if room >= dead_ends:
            things[rooms[room, 0]] = DOOR + used[0] + room - dead_ends
            for place in range(length):
                route.zone[rooms[room, place]] = SEALED
    for extra in range(decoys + wrong_keys + wrong_switches):
        cell = spot_off_route(floor, cols, rng, route, things, goal)
        if cell == NOTHING:
            return False
        if extra < decoys + wrong_keys:
            things[cell] = KEY + used[0] + extra
        else:
            things[cell] = SWITCH + used[1] + extra - decoys - wrong_keys
    return counts[4] == 0 or _set_trap(floor, cols, rng, route, things, used[1])


@inner
def _set_trap(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    route: Route,
    things: NDArray[np.uint8],
    gates: int,
) -> bool:
    """Stand the trap's gate, number ``gates``, on a cut cell that nothing else stands on."""
    found, count = NOTHING, 0
    for index in range(2, route.path.shape[0] - 1):
        cell = route.path[index]
        if route.is_cut[index] and things[cell] == FREE and open_sides(floor, cols, cell) == 2:  # noqa: PLR2004 - a doorway
            count += 1
            if below(rng, count) == 0:
                found = cell
    if found == NOTHING:
        return False
    things[found] = GATE + gates
    return True
