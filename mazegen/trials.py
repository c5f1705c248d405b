"""Two simple players, compiled: how often chance and plain greed reach the goal of a maze.

Importing this module imports numba.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen import kernels
from mazegen.carving import NOTHING, below
from mazegen.compiling import compiled, forget_stale_code, inner
from mazegen.kernels import ACTIONS, DONE_EVENT, MOVE_FORWARD, Layout
from mazegen.proving import Start
from mazegen.rules import DOOR, KEY, SWITCH, Action

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRAY = 4  # the greedy player acts at random once in so many actions, or it would run in circles
_TURN_LEFT, _TURN_RIGHT = int(Action.TURN_LEFT), int(Action.TURN_RIGHT)
_PICKUP, _TOGGLE = int(Action.PICKUP), int(Action.TOGGLE)


@compiled
def successes(
    layout: Layout,
    start: Start,
    ends: tuple[int, int],
    rng: NDArray[np.int64],
    greedy: bool,  # noqa: FBT001 - compiled functions take no keywords
    trials: tuple[int, int],
) -> int:
    """How many episodes reach the goal.

    Args:
        layout: the board.
        start: where an episode begins.
        ends: cell of the goal, and width of the board.
        rng: (4,) stream.
        greedy: play greedily, or else every action with equal chance.
        trials: number of episodes, and actions in each at most.
    """
    reached = 0
    strides, codes = layout.strides, layout.codes
    for _ in range(trials[0]):
        cell, facing, taken, opened, on = start
        for _ in range(trials[1]):
            action = below(rng, ACTIONS)
            if greedy and below(rng, STRAY) > 0:
                action = greedy_action(layout, Start(cell, facing, taken, opened, on), ends[0], ends[1])
            ahead_cell = cell + strides[facing]
            ahead = np.int64(codes[ahead_cell])
            moved, facing, taken, opened, on, event = kernels.apply(
                action, facing, np.int64(codes[cell]), ahead, layout.link[ahead], layout.trait[ahead],
                layout.arrival, taken, opened, on,
            )  # fmt: skip
            if moved:
                cell = ahead_cell
            if event == DONE_EVENT:
                reached += 1
                break
    return reached


@inner
def greedy_action(layout: Layout, at: Start, goal: int, cols: int) -> int:
    """Take a key that lies here, turn on a switch ahead, else go where the goal is nearest.

    Nearest is as the crow flies, among the neighbours that can be entered now.
    """
    here = np.int64(layout.codes[at.cell])
    if KEY <= here < SWITCH and not at.taken >> (here - KEY) & 1:
        return _PICKUP
    ahead = np.int64(layout.codes[at.cell + layout.strides[at.facing]])
    if SWITCH <= ahead < DOOR and not at.on >> (ahead - SWITCH) & 1:
        return _TOGGLE
    best, turn_to_best = 1 << 30, NOTHING
    for turn in range(4):
        beside = at.cell + layout.strides[(at.facing + turn) & 3]
        thing = np.int64(layout.codes[beside])
        away = abs(beside // cols - goal // cols) + abs(beside % cols - goal % cols)
        if away < best and kernels.apply(
            MOVE_FORWARD, 0, 0, thing, layout.link[thing], layout.trait[thing], layout.arrival,
            at.taken, at.opened, at.on,
        )[0]:  # fmt: skip
            best, turn_to_best = away, turn
    if turn_to_best == 0:
        return MOVE_FORWARD
    return _TURN_LEFT if turn_to_best == 3 else _TURN_RIGHT  # noqa: PLR2004 - three right turns are one left


forget_stale_code("trials", ("maze.py", "rules.py", "kernels.py", "carving.py", "trials.py"), (successes,))
