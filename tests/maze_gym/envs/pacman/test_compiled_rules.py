"""The scalar heart of the rules does the same compiled as it does as plain Python."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from numba import njit

from maze_gym.envs.pacman import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TIMERS, MASKS = range(rules.POWER_STEPS + 1), range(8)


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
    numbers = [np.uint64(each) for each in (rules.LUCK_FACTOR, rules.LUCK_STEP, rules.LUCK_MASK)]
    luck, fast = 0, np.uint64(0)
    for _ in range(200):
        luck, fast = rules.rolled(luck), np.uint64(compiled(fast, *numbers))
        assert int(fast) == luck
    assert luck.bit_length() > 60


def test_a_step_looks_up_what_entering_a_cell_does() -> None:
    for lies, timer, spent in product(range(rules.BLOCKED + 1), TIMERS, MASKS):
        after, kept, events, points = rules._ENTERED[lies][timer]
        assert (after, spent & kept, events, points) == rules.enter(lies, timer, spent)
