"""Intervals, tests and sample sizes against published values and against each other."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.evaluation.analysis.statistics import (
    Rate,
    adjusted,
    compare,
    episodes_needed,
    mcnemar,
    mean_interval,
    newcombe_interval,
    pairs_needed,
    permutation_p_value,
    rate_of,
    wilson_interval,
)

outcomes_of_levels = st.lists(
    st.tuples(*[st.lists(st.booleans(), min_size=1, max_size=5)] * 2), min_size=2, max_size=8
)
tables = st.tuples(*[st.integers(0, 40)] * 4).filter(any)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # Tables of the literature (Fagerland and others 2014; Altman and others 2000), the second with a zero
        # in a discordant cell; the limits are this function's own, kept so that a change is seen.
        ((1, 1, 7, 12), -0.507, -0.026),
        ((14, 5, 0, 22), 0.011, 0.226),
    ],
)
def test_newcombe_interval_keeps_its_limits(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    assert newcombe_interval(*counts) == pytest.approx((low, high), abs=5e-4)


@given(tables)
def test_newcombe_interval_holds_the_difference_and_mirrors(counts: tuple[int, int, int, int]) -> None:
    both, first, second, neither = counts
    found, mirrored = (
        newcombe_interval(both, first, second, neither),
        newcombe_interval(both, second, first, neither),
    )
    assert found is not None
    assert mirrored is not None
    difference = (first - second) / sum(counts)
    assert -1 <= found.low <= difference + 1e-9
    assert difference - 1e-9 <= found.high <= 1
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-9)


def test_newcombe_interval_of_no_pairs_is_none() -> None:
    assert newcombe_interval(0, 0, 0, 0) is None


@pytest.mark.parametrize(
    ("first", "second", "p_value"),
    [  # coins: 2 * P(at most min heads)
        (0, 0, 1.0),
        (1, 7, 2 * 9 / 256),
        (5, 5, 1.0),
        (0, 6, 2 / 64),
    ],
)
def test_mcnemar_is_a_matter_of_coins(first: int, second: int, p_value: float) -> None:
    assert mcnemar(first, second) == pytest.approx(p_value)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_permutations_of_pairs_played_once_are_mcnemar(pairs: list[tuple[bool, bool]]) -> None:
    only_first = sum(one and not two for one, two in pairs)
    only_second = sum(two and not one for one, two in pairs)
    p_value = permutation_p_value([float(one) - float(two) for one, two in pairs])
    assert p_value == pytest.approx(mcnemar(only_first, only_second))


def test_permutation_test_counts_every_choice_of_signs() -> None:
    differences = [0.5, 0.25, -0.1, 0.3]
    seen = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=4)
    ]
    assert permutation_p_value(differences) == pytest.approx(sum(each >= seen - 1e-12 for each in sums) / 16)


def test_permutation_test_of_many_pairs_gives_the_same_answer_each_time() -> None:
    differences = [0.1 * (number % 7 - 2) for number in range(60)]
    assert permutation_p_value(differences) == permutation_p_value(differences)


@pytest.mark.parametrize(
    ("first", "second", "episodes"),
    [  # the rule of thumb of the field for 10 points around a half, and three textbook cases
        (0.5, 0.6, 388),
        (0.6, 0.5, 388),
        (0.5, 0.75, 58),
        (0.1, 0.2, 199),
    ],
)
def test_episodes_needed_agrees_with_textbooks(first: float, second: float, episodes: int) -> None:
    assert episodes_needed(first, second) == episodes


def clearest_p_value(episodes: int) -> float:
    """Of Fisher's exact test where one player solves all of its episodes and the other none."""
    from scipy.stats import fisher_exact

    return float(fisher_exact(np.diag([episodes, episodes])).pvalue)


def test_no_difference_shows_on_fewer_episodes_than_the_clearest_outcome_needs() -> None:
    needed = [episodes_needed(one / 60, two / 60) for two in range(61) for one in range(two)]
    assert clearest_p_value(min(episodes for episodes in needed if episodes is not None)) < 0.05


def test_no_outcome_of_three_episodes_each_tells_two_apart() -> None:
    assert clearest_p_value(3) > 0.05 > clearest_p_value(4)
    assert episodes_needed(0, 1) == episodes_needed(1 / 60, 1) == 4


def test_nothing_tells_equals_apart() -> None:
    assert episodes_needed(0.3, 0.3) is None
    assert pairs_needed(0.2, 0.2) is None


def test_pairs_needed_follows_connor() -> None:
    # 5 % against 45 % discordant, power 80 %: 22.x pairs by Connor's formula
    assert pairs_needed(0.05, 0.45) == 23


def test_no_difference_shows_on_fewer_than_six_pairs_that_differ() -> None:
    assert mcnemar(5, 0) > 0.05 > mcnemar(6, 0)
    assert pairs_needed(1.0, 0.0) == 6


def test_pairs_that_agree_mostly_need_fewer_levels_than_counting_apart() -> None:
    levels, apart = pairs_needed(0.15, 0.05), episodes_needed(0.6, 0.5)
    assert levels is not None
    assert apart is not None
    assert levels < apart


def test_adjusted_p_values_are_those_of_benjamini_and_hochberg() -> None:
    assert adjusted([0.01, 0.04, 0.03, 0.5]) == pytest.approx((0.04, 0.16 / 3, 0.16 / 3, 0.5))
    assert adjusted([]) == ()


def test_mean_interval_is_students() -> None:
    assert mean_interval([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx((1.0368, 4.9632), abs=1e-4)
    assert mean_interval([1.0]) is None


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_levels_played_once_get_the_plain_wilson_interval(outcomes: list[bool]) -> None:
    rate = rate_of(enumerate(outcomes))
    assert rate.interval == wilson_interval(sum(outcomes), len(outcomes))
    assert rate.effective == rate.clusters == rate.trials == len(outcomes)


def test_repeating_levels_that_always_go_alike_adds_nothing() -> None:
    once = rate_of((level, level % 2 == 0) for level in range(20))
    often = rate_of((level, level % 2 == 0) for level in range(20) for _ in range(50))
    assert often.trials == 1000
    assert often.effective == pytest.approx(20)
    assert once.interval is not None
    assert often.interval is not None
    assert often.interval.high - often.interval.low >= once.interval.high - once.interval.low


def test_repeating_levels_on_which_everything_is_chance_counts_but_for_degrees_of_freedom() -> None:
    def effective(levels: int) -> float:
        outcomes = [(level, (level + turn) % 2 == 0) for level in range(levels) for turn in range(10)]
        return rate_of(outcomes).effective

    # 200 * (1.9720 / 2.0930)**2, by the quantiles of Student's t with 199 and with 19 degrees of freedom
    assert effective(20) == pytest.approx(177.53, abs=0.01)
    assert 1970 < effective(200) < 2000


def on_levels(*, failures: int, levels: int, trials: int) -> Rate:
    """As many failures, one by one on another level, of as many trials."""
    return rate_of((number % levels, number >= failures) for number in range(trials))


@pytest.mark.parametrize("levels", [2, 3, 5, 10, 50])
def test_one_failure_does_not_make_the_rate_surer(levels: int) -> None:
    none, one = (on_levels(failures=failures, levels=levels, trials=100).interval for failures in (0, 1))
    assert none is not None
    assert one is not None
    assert one.high - one.low >= none.high - none.low
    assert one.low <= none.low


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=12), min_size=1, max_size=8))
def test_trials_are_worth_no_more_than_all_of_them_and_no_less_than_fully_alike(
    levels: list[list[bool]],
) -> None:
    rate = rate_of((number, outcome) for number, outcomes in enumerate(levels) for outcome in outcomes)
    alike = rate.trials**2 / sum(len(outcomes) ** 2 for outcomes in levels)
    assert alike - 1e-9 <= rate.effective <= rate.trials


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_interval_of_few_repeated_levels_holds_the_truth_as_often_as_it_says(levels: int) -> None:
    """Levels of any difficulty alike: the rate over all of them is a half."""
    generator, runs = np.random.default_rng(levels), 400
    held = 0
    for _ in range(runs):
        chances = generator.random(levels)
        solved = generator.random((10, levels)) < chances
        interval = rate_of((level, bool(each)) for row in solved for level, each in enumerate(row)).interval
        assert interval is not None
        held += interval.low <= 0.5 <= interval.high
    assert held >= 0.93 * runs


def test_a_single_level_says_no_more_than_one_trial() -> None:
    assert rate_of(("here", number % 2 == 0) for number in range(50)).effective == 1


def test_all_successes_on_repeated_levels_count_each_level_once() -> None:
    rate = rate_of((level, True) for level in range(10) for _ in range(10))
    assert (rate.rate, rate.effective) == (1.0, 10)
    assert rate.interval == wilson_interval(10, 10)


def test_no_trials_no_rate() -> None:
    assert rate_of([]) == (0, 0, None, None, 0, 0.0)


@given(st.floats(0.5, 300), st.floats(0, 1))
def test_wilson_interval_of_fractions_lies_between_those_of_whole_numbers(
    trials: float, share: float
) -> None:
    found = wilson_interval(share * trials, trials)
    assert found is not None
    assert 0 <= found.low <= share + 1e-9
    assert share - 1e-9 <= found.high <= 1


def test_players_are_compared_on_the_levels_that_both_have_played() -> None:
    paired = compare({"a": [True], "b": [True], "c": [False]}, {"b": [False], "c": [False], "d": [True]})
    assert (paired.pairs, paired.both, paired.only_first, paired.only_second, paired.neither) == (
        2,
        0,
        1,
        0,
        1,
    )
    assert paired.difference == 0.5
    assert paired.interval == newcombe_interval(0, 1, 0, 1)
    assert "McNemar" in paired.method


def test_no_common_level_says_nothing() -> None:
    paired = compare({"a": [True]}, {"b": [True], "a": []})
    assert (paired.pairs, paired.difference, paired.interval, paired.p_value) == (0, None, None, None)


def test_repeated_levels_are_compared_level_by_level() -> None:
    first = {level: [True, True, level % 2 == 0] for level in range(8)}
    second = {level: [False, level % 4 == 0] for level in range(8)}
    paired = compare(first, second)
    shares = [(sum(first[level]) / 3 - sum(second[level]) / 2) for level in range(8)]
    assert paired.difference == pytest.approx(sum(shares) / 8)
    assert paired.interval == pytest.approx(mean_interval(shares))
    assert paired.p_value == permutation_p_value(shares)
    assert paired.both + paired.only_first + paired.only_second + paired.neither == pytest.approx(8)


@given(outcomes_of_levels)
def test_the_interval_of_repeated_levels_is_possible_and_holds_the_difference(
    outcomes: list[tuple[list[bool], list[bool]]],
) -> None:
    paired = compare(*({level: each[side] for level, each in enumerate(outcomes)} for side in (0, 1)))
    assert paired.interval is not None
    assert paired.difference is not None
    low, high = paired.interval
    assert -1 <= low <= paired.difference <= high <= 1
    assert low < high


def test_levels_that_all_differ_by_the_same_count_once_each() -> None:
    all_of_them, none = ({level: [solved] * 10 for level in range(5)} for solved in (True, False))
    clear = compare(all_of_them, none)
    assert clear.interval == newcombe_interval(0, 5, 0, 0)
    assert clear.method == "Newcombe and permutations over levels"
    assert compare(all_of_them, all_of_them).interval == newcombe_interval(5, 0, 0, 0)


@given(st.data())
def test_the_same_shares_on_other_levels_are_no_difference(data: st.DataObject) -> None:
    shares = data.draw(st.lists(st.lists(st.booleans(), min_size=1, max_size=10), min_size=2, max_size=8))
    shuffled = data.draw(st.permutations(shares))
    paired = compare(dict(enumerate(shares)), dict(enumerate(shuffled)))
    assert paired.difference == 0
    assert paired.only_first == paired.only_second
