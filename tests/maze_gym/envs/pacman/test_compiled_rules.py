"""The rules do the same compiled as they do as plain Python."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given
from numba import njit

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.pool import BoardPool

from .boards import ACTIONS, LUCK, MINDS, layouts, play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from maze_gym.envs.pacman.layouts import Layout
    from maze_gym.envs.pacman.minds import GhostMind

TIMERS, MASKS = range(rules.POWER_STEPS + 1), range(8)
advance = cast("Callable[..., tuple[int, ...]]", njit(rules.advance))


def signed(luck: int) -> np.int64:
    """The same 64 bits as a number with a sign."""
    return np.int64(luck - (luck >> 63 << 64))


@pytest.mark.parametrize(
    ("function", "cases"),
    [
        (rules.enter, product(range(rules.BLOCKED + 1), TIMERS, MASKS)),
        (rules.contact, product(range(1, 8), (0, 1, 15), MASKS, (0, 1, 2, 4), (0, 10, 50))),
        (rules.finish, product(range(128), (0, 10, 250))),
        (rules.aim, product((0, 1), range(rules.CYCLE_STEPS), (False, True), (False, True))),
    ],
    ids=["enter", "contact", "finish", "aim"],
)
def test_compiled_functions_agree_with_plain_ones(
    function: Callable[..., object], cases: Iterable[tuple[int, ...]]
) -> None:
    compiled = njit(function)
    for case in cases:
        assert compiled(*case) == function(*case)


@pytest.mark.filterwarnings(
    "ignore:overflow encountered:RuntimeWarning"
)  # without the compiler: it wraps all the same
def test_compiled_luck_rolls_on_as_plain_luck_does() -> None:
    compiled = cast("Callable[..., int]", njit(rules.rolled))
    luck, fast = 0, np.int64(0)
    for _ in range(200):
        luck, fast = rules.rolled(luck), np.int64(compiled(fast, np.int64(-1)))
        assert int(fast) & rules.LUCK_MASK == luck
    assert luck.bit_length() > 60


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@given(layout=layouts(), mind=MINDS, actions=ACTIONS, luck=LUCK)
def test_a_whole_step_on_arrays_is_the_step_on_tuples(
    layout: Layout, mind: GhostMind, actions: list[int], luck: int
) -> None:
    """In each state of a game, whatever the ghosts think."""
    board = rules.compile_board(layout, mind)
    pool = BoardPool((layout.rows, layout.cols), 1)
    table = pool.tables[pool.slot(board, ())]
    for before, action, (after, events, points) in play(board, actions, luck):
        ghosts, target = np.array(before.ghosts, np.int16), board.moves[action][before.player]
        lies = (before.pellets >> target & 1) + ((before.pellets & board.power) >> target & 1)
        numbers = (before.pellets.bit_count(), before.timer, before.spent, before.phase)
        told = advance(table, ghosts, before.player, target, lies, *numbers, signed(before.luck))
        assert told[:4] == (after.timer, after.spent, events, points)
        assert (told[4], int(told[5]) & rules.LUCK_MASK) == (after.phase, after.luck)
        assert tuple(ghosts.tolist()) == after.ghosts
