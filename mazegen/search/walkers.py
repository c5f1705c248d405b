"""Two simple players, compiled: how often chance and plain greed reach the goal of a maze.

Importing this module imports numba.
"""

# Compiled functions take arrays one by one: bundles of them are counted at every use.
# ruff: noqa: PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import compiled, inlined, inner
from mazegen.core.directions import COL_STEP, ROW_STEP
from mazegen.core.random_draws import below
from mazegen.core.rules import ACTIONS, DONE_EVENT, DOOR, KEY, MOVE_FORWARD, SWITCH, Action
from mazegen.search.kernels import UNKNOWN, Layout
from mazegen.search.proving import Start
from mazegen.vector.outcome_table import apply

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRAY = 4  # the greedy player acts at random once in so many actions, or it would run in circles
_TURN_LEFT, _TURN_RIGHT = int(Action.TURN_LEFT), int(Action.TURN_RIGHT)
_PICKUP, _TOGGLE = int(Action.PICKUP), int(Action.TOGGLE)


@inlined
def greedy_action(
    codes: NDArray[np.uint8],
    link: NDArray[np.int64],
    trait: NDArray[np.int64],
    strides: NDArray[np.int64],
    arrival: bool,  # noqa: FBT001 - compiled functions take no keywords
    at: Start,
    to_goal: tuple[int, int],
) -> int:
    """Take a key that lies here, turn on a switch ahead, else go where the goal is nearest.

    Nearest is in rows and columns, among the neighbours that can be entered now. The first five are those
    of a ``Layout``; ``to_goal`` is how many rows below and columns to the right the goal lies.
    """
    here = np.int64(codes[at.cell])
    if KEY <= here < SWITCH and not at.taken >> (here - KEY) & 1:
        return _PICKUP
    ahead = np.int64(codes[at.cell + strides[at.facing]])
    if SWITCH <= ahead < DOOR and not at.on >> (ahead - SWITCH) & 1:
        return _TOGGLE
    best, turn_to_best = 1 << 30, UNKNOWN
    for turn in range(4):
        side = (at.facing + turn) & 3
        thing = np.int64(codes[at.cell + strides[side]])
        away = abs(to_goal[0] - ROW_STEP[side]) + abs(to_goal[1] - COL_STEP[side])
        if (
            away < best
            and apply(
                MOVE_FORWARD, 0, 0, thing, link[thing], trait[thing], arrival, at.taken, at.opened, at.on
            )[0]
        ):
            best, turn_to_best = away, turn
    if turn_to_best == 0:
        return MOVE_FORWARD
    return _TURN_LEFT if turn_to_best == 3 else _TURN_RIGHT  # noqa: PLR2004 - three right turns are one left


@compiled
def successes(
    layout: Layout,
    start: Start,
    ends: tuple[int, int],
    rng: NDArray[np.int64],
    episodes: tuple[int, int],
) -> tuple[int, int]:
    """How many episodes reach the goal: with every action equally likely, and played greedily.

    Args:
        layout: the board.
        start: where an episode begins.
        ends: cell of the goal, and width of the board.
        rng: (4,) stream.
        episodes: number of episodes of each player, and actions in each at most.
    """
    by_chance = _successes(layout, start, ends, rng, False, episodes)  # noqa: FBT003 - no keywords in compiled code
    return by_chance, _successes(layout, start, ends, rng, True, episodes)  # noqa: FBT003


@inner
def _successes(
    layout: Layout,
    start: Start,
    ends: tuple[int, int],
    rng: NDArray[np.int64],
    greedy: bool,  # noqa: FBT001
    episodes: tuple[int, int],
) -> int:
    reached = 0
    codes, link, trait = layout.codes, layout.link, layout.trait
    strides, arrival = layout.strides, layout.arrival
    goal, cols = ends
    rows_to_go, cols_to_go = goal // cols - start.cell // cols, goal % cols - start.cell % cols
    for _ in range(episodes[0]):
        cell, facing, taken, opened, on = start
        down, right = rows_to_go, cols_to_go
        for _ in range(episodes[1]):
            action = below(rng, ACTIONS)
            if greedy and below(rng, STRAY) > 0:
                at = Start(cell, facing, taken, opened, on)
                action = greedy_action(codes, link, trait, strides, arrival, at, (down, right))
            ahead_cell = cell + strides[facing]
            ahead = np.int64(codes[ahead_cell])
            moved, facing, taken, opened, on, event = apply(
                action, facing, np.int64(codes[cell]), ahead, link[ahead], trait[ahead], arrival,
                taken, opened, on,
            )  # fmt: skip
            if moved:
                cell = ahead_cell
                down -= ROW_STEP[facing]
                right -= COL_STEP[facing]
            if event == DONE_EVENT:
                reached += 1
                break
    return reached
