"""Values over a board and their gradients, against an independent account of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.policies import plan_field

if TYPE_CHECKING:
    from numpy.typing import NDArray

CODES, CHANNELS = 5, 3


class Boards(NamedTuple):
    codes: NDArray[np.uint8]
    worth: NDArray[np.float32]
    cost: NDArray[np.float32]
    rows: int
    cols: int


@st.composite
def boards(draw: st.DrawFn) -> Boards:
    rows, cols = draw(st.integers(3, 7)), draw(st.integers(3, 7))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    return Boards(
        generator.integers(CODES, size=(2, rows * cols)).astype(np.uint8),
        generator.normal(0, 5, (CODES, CHANNELS)).astype(np.float32),
        generator.uniform(0.1, 2, (CODES, CHANNELS)).astype(np.float32),
        rows,
        cols,
    )


def values_of(given_boards: Boards, worth: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    worth = given_boards.worth if worth is None else worth
    values = np.empty((*given_boards.codes.shape, CHANNELS), np.float32)
    plan_field.fill_values(given_boards.codes, worth, given_boards.cost, given_boards.cols, values)
    return values


def slow_values(given_boards: Boards) -> NDArray[np.float64]:
    """Whole-board updates until nothing changes: another order of the same equation."""
    rows, cols = given_boards.rows, given_boards.cols
    worth = given_boards.worth[given_boards.codes].astype(float).reshape(-1, rows, cols, CHANNELS)
    cost = given_boards.cost[given_boards.codes].astype(float).reshape(-1, rows, cols, CHANNELS)
    values = worth - cost
    for _ in range(rows * cols):
        inner = values[:, 1:-1, 1:-1]
        around = [values[:, :-2, 1:-1], values[:, 2:, 1:-1], values[:, 1:-1, :-2], values[:, 1:-1, 2:]]
        best = np.maximum.reduce([*around, worth[:, 1:-1, 1:-1]]) - cost[:, 1:-1, 1:-1]
        values[:, 1:-1, 1:-1] = np.maximum(inner, best)
    flat: NDArray[np.float64] = values.reshape(len(values), -1, CHANNELS)
    return flat


@given(boards())
def test_a_value_is_the_best_of_worth_and_neighbours_less_the_cost(drawn: Boards) -> None:
    np.testing.assert_allclose(values_of(drawn), slow_values(drawn), atol=1e-2)


@given(boards())
@settings(max_examples=10)
def test_compiled_and_plain_python_agree(drawn: Boards) -> None:
    plain = getattr(plan_field.fill_values, "py_func", plan_field.fill_values)
    values = np.empty((*drawn.codes.shape, CHANNELS), np.float32)
    plain(drawn.codes, drawn.worth, drawn.cost, drawn.cols, values)
    np.testing.assert_allclose(values, values_of(drawn), rtol=1e-6)


@given(boards(), st.integers(0, CODES - 1), st.integers(0, CHANNELS - 1))
def test_gradients_tell_what_a_little_more_worth_or_cost_would_do(
    drawn: Boards, code: int, channel: int
) -> None:
    """A value is piecewise linear in both tables, so away from ties a difference is the gradient itself."""
    generator = np.random.default_rng(0)
    places = generator.integers(drawn.rows * drawn.cols, size=(2, 3))
    upstream = generator.integers(1, 4, size=(2, 3, CHANNELS)).astype(np.float32)
    values = values_of(drawn)
    by_worth, by_cost = np.zeros_like(drawn.worth), np.zeros_like(drawn.worth)
    plan_field.add_gradients(
        drawn.codes, drawn.worth, drawn.cols, values, places, upstream, by_worth, by_cost
    )

    def total(boards_now: Boards) -> float:
        taken = np.take_along_axis(slow_values(boards_now), places[:, :, None], axis=1)
        return float((taken * upstream).sum())

    for table, gradient in (("worth", by_worth), ("cost", by_cost)):
        slopes = []
        for sign in (1, -1):
            moved = getattr(drawn, table).copy()
            moved[code, channel] += sign * 2e-3
            slopes.append((total(drawn._replace(**{table: moved})) - total(drawn)) / (sign * 2e-3))
        low, high = sorted(slopes)
        assert low - 0.2 <= gradient[code, channel] <= high + 0.2  # at a tie either side will do
