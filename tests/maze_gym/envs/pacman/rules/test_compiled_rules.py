"""The rules do the same compiled as they do as plain Python; and what the compiler makes of the loops."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numba
import numpy as np
import pytest
from hypothesis import given
from numba import njit, types

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.vector import batch
from maze_gym.envs.pacman.vector.pool import BoardPool

from ..boards import ACTIONS, LUCK, MINDS, layouts, play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
    from maze_gym.envs.pacman.rules.layout import Layout

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
    layout: Layout, mind: GhostBehaviour, actions: list[int], luck: int
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


def arrays(*kinds: tuple[Any, int]) -> tuple[Any, ...]:
    """Types of arrays with so many dimensions."""
    return tuple(types.Array(kind, dimensions, "C") for kind, dimensions in kinds)


I64, I32, I16, U8 = types.int64, types.int32, types.int16, types.uint8
LOOPS: dict[str, tuple[tuple[Any, ...], int]] = {  # arguments, and references counted at most
    "restart": (
        (
            *arrays((I64, 1)), I64, I64,
            *arrays((I32, 2), (I16, 3), (U8, 2), (I32, 2), (I16, 2)), *arrays((I64, 1)) * 4, *arrays((U8, 2)),
        ),
        0,
    ),
    "observe": (
        (
            *arrays((I64, 1)), I64, I64,
            *arrays((I16, 3), (I32, 2), (I64, 1)), *arrays((I32, 1)) * 3, *arrays((types.int8, 2)),
            *arrays((I64, 1)) * 2,
        ),
        0,
    ),
    # ``advance`` is given a board's table and an env's ghosts, which are rows of larger arrays, and takes
    # rows of the table itself: plain Python looks tuples up by rows, and both run one source. Each row is
    # counted when it is taken and when it is left, as far as the compiler does not see that they cancel out.
    "play": (
        (
            *arrays((I64, 1)), I64,
            *arrays((I16, 3), (I32, 2), (I16, 2)), *arrays((I64, 1)) * 3, *arrays((U8, 2)),
            *arrays((types.float64, 1), (types.boolean, 1), (types.boolean, 1), (types.int8, 1)),
        ),
        35,
    ),
}  # fmt: skip


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]  # numba sets it from the environment
@pytest.mark.parametrize("name", LOOPS)
def test_the_compiled_loops_count_no_more_references_than_is_known_and_call_nothing_else(name: str) -> None:
    """Each count costs time in every env and step, so more of them shall not come unseen."""
    signature, known = LOOPS[name]
    # Compiled anew: what comes from numba's cache on disk has no text left to look at.
    fresh = njit(nogil=True)(getattr(batch, name).py_func)
    fresh.compile(signature)
    text = fresh.inspect_llvm(fresh.signatures[0])
    bodies = dict(re.findall(r"^define[^\n]*@([^(]+)(\(.*?^})", text, re.MULTILINE | re.DOTALL))
    own = [body for symbol, body in bodies.items() if symbol.startswith("_ZN8maze_gym") and name in symbol]
    assert len(own) == 1
    called = re.findall(r"\bcall [^\n]*@([\w.]+)\(", own[0])
    counted = [symbol for symbol in called if symbol.startswith("NRT_")]
    assert len(counted) <= known, f"{len(counted)} where {known} are known"
    assert all(symbol.startswith("llvm.") for symbol in called if symbol not in counted), called
