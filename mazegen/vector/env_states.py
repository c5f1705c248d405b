"""How episodes of a vector env begin, compiled: in which slot, and with what.

The mazes lie in slots that nobody writes to while they are played; an episode begins by copying from its
slot. What the arrays hold stands in ``arrays``. Importing this module imports numba.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that.
# ruff: noqa: PLR0913, PLR0917 - up to ten arrays
# mypy: disable-error-code="arg-type, assignment"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled
from mazegen.vector.arrays import (
    CELLS,
    COLORS,
    DRAWN,
    DRAWS,
    FIRST_GRID,
    FIRST_HELD,
    IS_OUTDATED,
    IS_READY,
    NEEDS_LEVEL,
    NEXT_SLOT,
    NO_SLOT,
    NUMBERS,
    SLOT,
    START,
    STATE_COLUMNS,
    STEPS_LEFT,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Index = np.uint64  # indexing with unsigned numbers lets the compiler copy many bytes at once
BEGINNING = -1  # in place of steps: the action is not played, for it only asks for the first observation


@compiled
def catch_up(lists: NDArray[np.int64], newer: NDArray[np.uint8], older: NDArray[np.uint8]) -> None:
    """Of two sets of ``shown`` that take turns, bring the older one to where the other is."""
    envs = lists.shape[1]
    width = newer.shape[0] // envs - COLORS
    for env in range(envs):
        if lists[IS_OUTDATED, env]:
            lists[IS_OUTDATED, env] = 0
            grid, held = _Index(env * width), _Index(envs * width + env * COLORS)
            for place in range(width):
                older[grid + _Index(place)] = newer[grid + _Index(place)]
            for color in range(COLORS):
                older[held + _Index(color)] = newer[held + _Index(color)]


@compiled
def restart(
    envs: NDArray[np.int64],
    count: int,
    steps: int,
    settings: NDArray[np.int64],
    boards: NDArray[np.uint8],
    mechanisms: NDArray[np.int64],
    states: NDArray[np.int32],
    lists: NDArray[np.int64],
    shown: NDArray[np.uint8],
) -> None:
    """Begin an episode, in the slot that is up next, in the first ``count`` of these envs.

    Args:
        envs: numbers of envs.
        count: how many of them.
        steps: how many steps have been played already; ``BEGINNING`` if the next action is not to be played.
        settings: this and the others are described in ``arrays``.
        boards: see there.
        mechanisms: see there.
        states: see there.
        lists: see there.
        shown: see there.
    """
    cells = (settings.shape[0] - CELLS) // 2
    width = cells * NUMBERS
    for index in range(count):
        env = envs[index]
        slot = lists[NEXT_SLOT, env]
        lists[NEXT_SLOT, env], lists[IS_OUTDATED, env] = NO_SLOT, 1
        for column in range(STATE_COLUMNS):
            states[env, column] = mechanisms[slot, START + column]
        states[env, STEPS_LEFT] -= steps
        states[env, SLOT] = slot
        grid, held = _Index(env * width), _Index(states.shape[0] * width + env * COLORS)
        first_grid, first_held = _Index(FIRST_GRID * cells), _Index(FIRST_HELD * cells)
        for place in range(width):
            shown[grid + _Index(place)] = boards[slot, first_grid + _Index(place)]
        for color in range(COLORS):
            shown[held + _Index(color)] = boards[slot, first_held + _Index(color)]


@compiled
def line_up(
    envs: NDArray[np.int64], count: int, mechanisms: NDArray[np.int64], lists: NDArray[np.int64]
) -> int:
    """Give each of these envs the slot of its next draw; how many have to be helped from outside.

    Those are named in the row ``NEEDS_LEVEL``: their draws are used up, or the level is not in its slot.

    Args:
        envs: numbers of envs.
        count: how many of them.
        mechanisms: see ``arrays``.
        lists: see there.
    """
    missing = 0
    for index in range(count):
        env = envs[index]
        slot = NO_SLOT
        if DRAWS + lists[DRAWN, env] < lists.shape[0]:
            number = lists[DRAWS + lists[DRAWN, env], env]
            if number < mechanisms.shape[0] and mechanisms[number, IS_READY]:
                slot = number
                lists[DRAWN, env] += 1
        lists[NEXT_SLOT, env] = slot
        if slot == NO_SLOT:
            lists[NEEDS_LEVEL, missing] = env
            missing += 1
    return missing
