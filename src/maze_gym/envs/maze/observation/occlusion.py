"""The compiled loop of the egocentric view; importing this module imports numba."""

# Compiled functions take arrays one by one: bundles of them are counted at every use. Indexing with unsigned
# numbers leaves out the question whether to count from the end.
# ruff: noqa: PLR0913, PLR0917
# mypy: disable-error-code="arg-type, assignment"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maze_gym.envs.maze.observation import UNSEEN, Object
from mazegen.core.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


_WALL, _DOOR, _GATE = int(Object.WALL), int(Object.DOOR), int(Object.GATE)
_NUMBERS = 3  # of a cell
_ROW_STEP, _COL_STEP = (-1, 0, 1, 0), (0, 1, 0, -1)  # north, east, south, west
_Index = np.uint64


@compiled
def look_around(  # noqa: C901 - flat: arrays would be counted at each call of a function inside
    envs: NDArray[np.int64],
    count: int,
    cols: int,
    size: int,
    grids: NDArray[np.uint8],
    positions: NDArray[np.int64],
    facings: NDArray[np.int64],
    views: NDArray[np.uint8],
) -> None:
    """Write what is seen from where the first ``count`` of these envs stand, turned so that ahead is up.

    The agent stands in the middle of the last row. Sight spreads row by row: along a row through whatever
    can be seen through, and from there to the three nearest cells of the next row. So what is seen lies on
    the board, for around it is wall.

    Args:
        envs: numbers of envs.
        count: how many of them.
        cols: of the boards.
        size: rows and columns of a view, odd.
        grids: (envs, rows * cols * 3).
        positions: (envs, 2).
        facings: (envs,).
        views: (envs, size * size * 3).
    """
    half, full = size // 2, (1 << size) - 1
    for index in range(count):
        env = _Index(envs[_Index(index)])
        for cell in range(size * size):
            out = cell * _NUMBERS
            views[env, _Index(out)], views[env, _Index(out + 1)], views[env, _Index(out + 2)] = UNSEEN, 0, 0
        facing = facings[env]
        ahead = (_ROW_STEP[facing] * cols + _COL_STEP[facing]) * _NUMBERS
        right = (_ROW_STEP[(facing + 1) & 3] * cols + _COL_STEP[(facing + 1) & 3]) * _NUMBERS
        place = (positions[env, 0] * cols + positions[env, 1]) * _NUMBERS - half * right
        out = (size - 1) * size * _NUMBERS
        visible = clear = 1 << half  # the own cell is clear even if a gate has closed around the agent
        while visible and out >= 0:
            bit = 1
            for _ in range(size):  # from left to right
                if visible & bit:
                    thing, color = grids[env, _Index(place)], grids[env, _Index(place + 1)]
                    state = grids[env, _Index(place + 2)]
                    views[env, _Index(out)], views[env, _Index(out + 1)] = thing, color
                    views[env, _Index(out + 2)] = state
                    if (thing != _WALL) & ((state == 0) | ((thing != _DOOR) & (thing != _GATE))):
                        clear |= bit
                    visible |= (clear & bit) << 1
                bit, place, out = bit << 1, place + right, out + _NUMBERS
            seen = visible
            for _ in range(size):  # and back; one loop for both ways was slower
                bit, place, out = bit >> 1, place - right, out - _NUMBERS
                if visible & bit:
                    if not seen & bit:
                        thing, color = grids[env, _Index(place)], grids[env, _Index(place + 1)]
                        state = grids[env, _Index(place + 2)]
                        views[env, _Index(out)], views[env, _Index(out + 1)] = thing, color
                        views[env, _Index(out + 2)] = state
                        if (thing != _WALL) & ((state == 0) | ((thing != _DOOR) & (thing != _GATE))):
                            clear |= bit
                    visible |= (clear & bit) >> 1
            visible &= clear
            visible = (visible | visible << 1 | visible >> 1) & full
            clear, place, out = 0, place + ahead, out - size * _NUMBERS


@compiled
def look_through(
    envs: NDArray[np.int64],
    count: int,
    rows: int,
    cols: int,
    size: int,
    grids: NDArray[np.uint8],
    positions: NDArray[np.int64],
    facings: NDArray[np.int64],
    views: NDArray[np.uint8],
) -> None:
    """The same where nothing hides what is behind it; ``rows`` are those of the boards."""
    half = size // 2
    for index in range(count):
        env = _Index(envs[_Index(index)])
        facing = facings[env]
        right_row, right_col = _ROW_STEP[(facing + 1) & 3], _COL_STEP[(facing + 1) & 3]
        out = 0
        for distance in range(size - 1, -1, -1):
            row = positions[env, 0] + distance * _ROW_STEP[facing] - half * right_row
            col = positions[env, 1] + distance * _COL_STEP[facing] - half * right_col
            for _ in range(size):
                thing, color, state = np.uint8(_WALL), np.uint8(0), np.uint8(0)
                if 0 <= row < rows and 0 <= col < cols:
                    place = (row * cols + col) * _NUMBERS
                    thing, color = grids[env, _Index(place)], grids[env, _Index(place + 1)]
                    state = grids[env, _Index(place + 2)]
                views[env, _Index(out)], views[env, _Index(out + 1)] = thing, color
                views[env, _Index(out + 2)] = state
                row, col, out = row + right_row, col + right_col, out + _NUMBERS
