"""The loops of many mazes at once: what they are made of, and what the compiler makes of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit, types

from mazegen.core import rules
from mazegen.core.rules import DOOR, GATE, KEY, SWITCH
from mazegen.vector import arrays as columns
from mazegen.vector import batch, env_states

from ...strategies import Play, plays

if TYPE_CHECKING:
    from collections.abc import Callable

I64, I32, U8, I8, BOOL, F64 = (
    types.int64,
    types.int32,
    types.uint8,
    types.int8,
    types.boolean,
    types.float64,
)


def source(function: Any) -> Callable[..., Any]:
    """A compiled function as plain Python; the helpers among them have no way in from Python otherwise."""
    plain: Callable[..., Any] = getattr(function, "py_func", function)
    return plain


def arrays(*kinds: tuple[Any, int]) -> tuple[Any, ...]:
    """Types of arrays with so many dimensions."""
    return tuple(types.Array(kind, dimensions, "C") for kind, dimensions in kinds)


ENVS = (*arrays((I64, 1)), I64)  # which, and how many
LOOPS = {
    "take_steps": (
        *arrays((I64, 1)),
        F64,
        *arrays((I64, 1), (U8, 2), (I32, 2), (I64, 2), (F64, 1), (I8, 1)),
    ),
    "write_poses": (*ENVS, *arrays((I64, 1), (U8, 2), (U8, 2), (I32, 2), (I64, 2), (I64, 1), (I8, 1))),
    "apply_rules": (*ENVS, *arrays((I64, 1), (U8, 2), (U8, 2), (I64, 2), (I32, 2), (I8, 1))),
    "change_things": (*ENVS, *arrays((I64, 1), (I64, 1), (U8, 2), (U8, 2), (I64, 2), (I32, 2))),
    "redraw": (*ENVS, *arrays((I64, 1), (I64, 2), (I32, 2), (I64, 2), (U8, 1))),
}


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]  # numba sets it from the environment
@pytest.mark.parametrize("name", LOOPS)
def test_the_compiled_loops_count_no_references_and_call_nothing(name: str) -> None:
    """A step is arithmetic on memory alone."""
    # Compiled anew: what comes from numba's cache on disk has no text left to look at.
    fresh = njit(nogil=True)(source(getattr(batch, name)))
    fresh.compile(LOOPS[name])
    text = fresh.inspect_llvm(fresh.signatures[0])
    bodies = dict(re.findall(r"^define[^\n]*@([^(]+)(\(.*?^})", text, re.MULTILINE | re.DOTALL))
    own = [body for symbol, body in bodies.items() if symbol.startswith("_ZN7mazegen") and name in symbol]
    wrappers = [body for symbol, body in bodies.items() if "cpython" in symbol]
    assert len(own) == 1
    assert any("NRT_decref" in body for body in wrappers)  # it would be found where it is
    assert "NRT_" not in own[0]
    called = re.findall(r"\bcall [^\n]*@([\w.]+)\(", own[0])
    assert all(symbol.startswith("llvm.") for symbol in called), called


@given(actions=st.lists(st.integers(-3, 8), min_size=1, max_size=40))
def test_the_first_wrong_action_is_found(actions: list[int]) -> None:
    wrong = [index for index, action in enumerate(actions) if not 0 <= action <= 5]
    assert batch.first_wrong(np.array(actions), 6) == (wrong[0] if wrong else -1)


@given(mask=st.integers(0, 2**20 - 1))
def test_bits_are_counted(mask: int) -> None:
    assert source(batch.bits)(mask) == mask.bit_count()


@given(play=plays())
def test_a_thing_is_set_as_the_rules_say(play: Play) -> None:
    maze, board, state = play
    for base, count in ((KEY, len(maze.keys)), (SWITCH, len(maze.switches)), (DOOR, len(maze.doors))):
        mask = {KEY: state.taken, SWITCH: state.on, DOOR: state.opened}[base]
        for index in range(count):
            code = base + index
            told = source(batch.is_set)(code, board.link[code], board.trait[code], True, *state[2:])  # noqa: FBT003
            assert told == bool(mask >> index & 1)
    for index in range(len(maze.gates)):
        code = GATE + index
        told = source(batch.is_set)(code, board.link[code], board.trait[code], True, *state[2:])  # noqa: FBT003
        assert told == rules.is_gate_open(board, state, index)


def test_the_older_of_two_sets_catches_up_where_it_is_outdated() -> None:
    """Three envs with a grid of twelve numbers each, and the keys that each holds."""
    newer, older = (
        np.full(3 * (12 + columns.COLORS), 7, np.uint8),
        np.zeros(3 * (12 + columns.COLORS), np.uint8),
    )
    lists = np.zeros((columns.DRAWS, 3), np.int64)
    lists[columns.IS_OUTDATED] = [1, 0, 1]
    env_states.catch_up(lists, newer, older)
    for part in (older[: 3 * 12], older[3 * 12 :]):
        assert part.reshape(3, -1).tolist() == [[number] * (len(part) // 3) for number in (7, 0, 7)]
    assert not lists[columns.IS_OUTDATED].any()


def test_envs_line_up_with_ready_levels_and_name_those_that_need_help() -> None:
    lists = np.zeros((columns.DRAWS + 2, 3), np.int64)
    lists[columns.DRAWS :] = np.transpose([[2, 0], [1, 2], [0, 1]])
    lists[columns.DRAWN] = [0, 1, 2]
    mechanisms = np.zeros((3, columns.THINGS), np.int64)
    mechanisms[1:, columns.IS_READY] = 1
    everyone = np.arange(3)
    missing = env_states.line_up(everyone, 3, mechanisms, lists)
    assert lists[columns.NEXT_SLOT].tolist() == [2, 2, columns.NO_SLOT]
    assert lists[columns.DRAWN].tolist() == [1, 2, 2]
    assert lists[columns.NEEDS_LEVEL, :missing].tolist() == [2]  # its draws are used up
    assert env_states.line_up(everyone[:1], 1, mechanisms, lists) == 1
    # Level 0 is not ready, and its draw stays.
    assert (lists[columns.NEXT_SLOT, 0], lists[columns.DRAWN, 0]) == (columns.NO_SLOT, 1)
    lists[columns.DRAWN] = 0
    assert env_states.line_up(everyone[1:2], 1, mechanisms[:1], lists) == 1  # there is no slot of its number
