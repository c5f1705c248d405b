"""Rooms in a row, each joined to the next by one passage one cell wide: the chokes of a chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.random_draws import below
from mazegen.generation.carving import NOTHING, carve_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDE = 2  # cells across that make a room of a passage
BEND_ROOM = 3  # a passage turns in its middle and must not touch the rooms at its ends there


@compiled
def carve(
    floor: NDArray[np.uint8], cols: int, rng: NDArray[np.int64], rooms: int, room_size: int
) -> tuple[int, int]:
    """Carve ``rooms`` rooms with sides from 1 to ``room_size`` cells; see the package docstring."""
    rows = floor.shape[0] // cols
    length, across = (cols - 2, rows - 2)
    upright = rows - 2 >= 2 * rooms - 1 and (cols - 2 < 2 * rooms - 1 or below(rng, 2) == 1)
    if upright:
        length, across = across, length
    if length < 2 * rooms - 1:
        return NOTHING, NOTHING
    backwards = below(rng, 2) == 1
    along_stride, across_stride = (cols, 1) if upright else (1, cols)
    origin = 1 + cols
    if backwards:
        origin, along_stride = origin + (length - 1) * along_stride, -along_stride
    width, gap = _shares(rng, rooms, room_size, length)
    at = gap[0]
    low, size = _span(rng, across, room_size, below(rng, across))
    start = goal = NOTHING
    for room in range(rooms):
        for depth in range(width[room]):
            first = origin + (at + depth) * along_stride
            carve_between(floor, cols, first + low * across_stride, first + (low + size - 1) * across_stride)
        spot = (at + below(rng, width[room])) * along_stride + (low + below(rng, size)) * across_stride
        if room == 0:
            start = origin + spot
        goal = origin + spot
        if room + 1 < rooms:
            lane = low + below(rng, size)
            at += width[room] - 1
            steps = gap[room + 1] + 1
            target = below(rng, across) if gap[room + 1] >= BEND_ROOM else lane
            low, size = _span(rng, across, room_size, target)
            bend = at + 2 + below(rng, gap[room + 1] - 2) if gap[room + 1] >= BEND_ROOM else at + 1
            here = origin + at * along_stride + lane * across_stride
            turn = origin + bend * along_stride + lane * across_stride
            carve_between(floor, cols, here, turn)
            turned = turn + (target - lane) * across_stride
            carve_between(floor, cols, turn, turned)
            at += steps
            carve_between(floor, cols, turned, origin + at * along_stride + target * across_stride)
    return start, goal


@inner
def _shares(
    rng: NDArray[np.int64], rooms: int, room_size: int, length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Share out the length of the board: widths (rooms,) and gaps (rooms + 1,), one before each room.

    Every room and every gap between rooms has at least one cell, and a room a second one where there is
    space for it: a single line of cells is a passage and no room. What is left goes, cell by cell, to
    rooms that may still grow and to gaps, the ones at the two ends included.
    """
    width, gap = np.ones(rooms, np.int64), np.ones(rooms + 1, np.int64)
    gap[0] = gap[rooms] = 0
    left = length - (2 * rooms - 1)
    for room in range(rooms):
        if left > 0 and room_size > 1:
            width[room], left = WIDE, left - 1
    for _ in range(left):
        pick = below(rng, 3 * rooms + 1)  # rooms are twice as likely to grow as gaps
        room = pick // 2
        if pick < 2 * rooms and width[room] < room_size:
            width[room] += 1
        elif pick >= 2 * rooms:
            gap[pick - 2 * rooms] += 1
        else:
            gap[room + 1] += 1
    return width, gap


@inner
def _span(rng: NDArray[np.int64], across: int, room_size: int, lane: int) -> tuple[int, int]:
    """First lane and number of lanes of a room that contains ``lane``."""
    least, most = min(WIDE, room_size, across), min(room_size, across)
    size = least + below(rng, most - least + 1)
    lowest, highest = max(0, lane - size + 1), min(lane, across - size)
    return lowest + below(rng, highest - lowest + 1), size
