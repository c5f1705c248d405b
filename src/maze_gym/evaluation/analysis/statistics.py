"""What may be concluded from counts: intervals, paired differences, clusters of episodes, sample sizes.

scipy does what it has: Wilson intervals, exact tests, permutations, quantiles, adjusted p-values. Written out
here are Newcombe's interval of a paired difference and two textbook sample sizes, which it has not.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_K = TypeVar("_K", bound="Hashable")

CONFIDENCE = 0.95
POWER = 0.8  # chance to see a difference that is there; what sample sizes are usually reckoned with
PERMUTATIONS = 9_999  # beyond what can be enumerated; smallest p-value 2 in 10,000
_SEED = 20_261_130  # of the permutations: the same runs always get the same p-value
_FEWEST_DISCORDANT = 6  # 2 * 0.5**6 < 0.05: with fewer even the clearest outcome may be chance
_FEWEST_EACH = 4  # 2 / C(8, 4) < 0.05, Fisher's exact test of 4:0 against 0:4: with fewer likewise
_FEWEST_CLUSTERS = 2  # from one alone nothing can be said about others


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float


class Rate(NamedTuple):
    """A share of trials, and how sure it is.

    Attributes:
        successes: trials that succeeded.
        trials: all of them; the denominator.
        rate: successes / trials, None without trials.
        interval: 95 % Wilson interval; None without trials.
        clusters: how many levels the trials were made on.
        effective: the number of independent trials that would be as informative: fewer than ``trials``
            where levels were repeated and their trials went alike.
    """

    successes: int
    trials: int
    rate: float | None
    interval: Interval | None
    clusters: int
    effective: float


class Paired(NamedTuple):
    """Two players on the same levels.

    Attributes:
        pairs: levels that both have played.
        both: pairs in which both succeeded; with repeated levels a sum of shares, as the next three.
        only_first: pairs in which only the first succeeded.
        only_second: pairs in which only the second succeeded.
        neither: pairs in which none did.
        difference: success rate of the first less that of the second.
        interval: of the difference, 95 %; None where there is too little to say.
        p_value: two-sided, of no difference; None likewise.
        method: by which the last two were found.
    """

    pairs: int
    both: float
    only_first: float
    only_second: float
    neither: float
    difference: float | None
    interval: Interval | None
    p_value: float | None
    method: str


def wilson_interval(successes: float, trials: float) -> Interval | None:
    """95 % Wilson score interval of a rate, None without trials; exact ends at 0 and 1.

    Both numbers may be fractions, as those of effective sample sizes are.
    """
    if trials <= 0:
        return None
    z = _quantile(1 - (1 - CONFIDENCE) / 2)
    if float(successes).is_integer() and float(trials).is_integer():
        from scipy.stats import binomtest

        exact = binomtest(int(successes), int(trials)).proportion_ci(CONFIDENCE, method="wilson")
        return Interval(float(exact.low), float(exact.high))
    rate = successes / trials
    middle = rate + z * z / (2 * trials)
    reach = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return Interval(max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale))


def rate_of(outcomes: Iterable[tuple[Hashable, bool]]) -> Rate:
    """The rate of outcomes, each given with its level.

    Where levels are repeated, the trials of one level are not independent. The variance is then that between
    levels (the cluster-robust one), and the Wilson interval is taken at the number of independent trials that
    has the same variance. A variance found from few levels may be far off; therefore that number is adjusted
    for its degrees of freedom: E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998), 193-201. If all
    outcomes are equal no variance shows, and each level counts once; a single one that differs shows as
    little. So there are at most as many independent trials as levels for each outcome of the rarer sort, and
    at least as many as if the trials of each level had all gone alike.
    """
    pairs = list(outcomes)
    trials, successes = len(pairs), sum(outcome for _, outcome in pairs)
    by_level: dict[Hashable, list[bool]] = {}
    for level, outcome in pairs:
        by_level.setdefault(level, []).append(outcome)
    if not trials:
        return Rate(0, 0, None, None, 0, 0.0)
    rate = successes / trials
    effective = _effective_trials(rate, list(by_level.values()))
    interval = wilson_interval(successes if effective == trials else rate * effective, effective)
    return Rate(successes, trials, rate, interval, len(by_level), effective)


def _effective_trials(rate: float, clusters: Sequence[Sequence[bool]]) -> float:
    trials, count = sum(map(len, clusters)), len(clusters)
    if count == trials:
        return float(trials)
    if count < _FEWEST_CLUSTERS or rate in {0.0, 1.0}:
        return float(count)  # there is no spread to measure, so each level is taken for one trial
    sizes = np.array([len(cluster) for cluster in clusters])
    successes = np.array([sum(cluster) for cluster in clusters])
    residuals = successes - rate * sizes
    between = count / (count - 1) * float(residuals @ residuals) / trials**2
    found = rate * (1 - rate) / between if between else float(trials)
    found *= (_students_quantile(trials - 1) / _students_quantile(count - 1)) ** 2
    # By Kish's design effect if the trials of a level are fully alike; equal levels count once each.
    fewest = trials**2 / float(sizes @ sizes)
    # Without this bound one failure among a hundred would make the rate surer than none.
    rarer = int(min(successes.sum(), trials - successes.sum()))
    return min(max(found, fewest), float(rarer * count), float(trials))


def compare(first: Mapping[_K, Sequence[bool]], second: Mapping[_K, Sequence[bool]]) -> Paired:
    """Compare two players on the levels that both have played.

    Once each: Newcombe's interval (method 10, from two Wilson intervals and their correlation) and the
    exact McNemar test. Repeated: the shares of success by level, an interval of their mean difference by
    Student's t over levels, and a permutation test that exchanges the players level by level. For pairs that
    were played once that test is McNemar's. If all levels differ by the same there is no spread to measure;
    then each level is taken for one trial, and the interval is Newcombe's.

    Args:
        first: the outcomes of one, by level.
        second: those of the other.
    """
    levels = [level for level in first if first[level] and second.get(level)]
    if not levels:
        return Paired(0, 0.0, 0.0, 0.0, 0.0, None, None, None, "no common level")
    # Exact fractions: rounded shares would leave equal players apart by a hair.
    ones, twos = [_share(first[level]) for level in levels], [_share(second[level]) for level in levels]
    both = sum((one * two for one, two in zip(ones, twos, strict=True)), Fraction())
    only_first, only_second = sum(ones) - both, sum(twos) - both
    neither = len(levels) - both - only_first - only_second
    difference = float((only_first - only_second) / len(levels))
    if all(len(first[level]) == len(second[level]) == 1 for level in levels):
        whole = (int(both), int(only_first), int(only_second), int(neither))
        return Paired(
            len(levels),
            *whole,
            difference,
            newcombe_interval(*whole),
            mcnemar(whole[1], whole[2]),
            "Newcombe, exact McNemar",
        )
    counts = (float(both), float(only_first), float(only_second), float(neither))
    differences = [float(one - two) for one, two in zip(ones, twos, strict=True)]
    interval, method = mean_interval(differences), "t"
    if interval is not None and len(set(differences)) == 1:
        interval, method = newcombe_interval(*counts), "Newcombe"
    elif interval is not None:  # Student's t knows nothing of the bounds of a share
        interval = Interval(max(-1.0, interval.low), min(1.0, interval.high))
    return Paired(
        len(levels),
        *counts,
        difference,
        interval,
        permutation_p_value(differences),
        f"{method} and permutations over levels",
    )


def _share(outcomes: Sequence[bool]) -> Fraction:
    return Fraction(sum(outcomes), len(outcomes))


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided p-value of the exact McNemar test: heads and tails among the pairs that differ."""
    if only_first + only_second == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(only_first, only_first + only_second, 0.5).pvalue)


def newcombe_interval(both: float, only_first: float, only_second: float, neither: float) -> Interval | None:
    """95 % interval of a difference of paired rates.

    Method 10 of R. G. Newcombe, Statistics in Medicine 17 (1998), 2635-2650: two Wilson intervals, combined
    with the correlation of the pairs, that being corrected for continuity. None without pairs. The counts may
    be sums of shares.
    """
    pairs = both + only_first + only_second + neither
    one, two = wilson_interval(both + only_first, pairs), wilson_interval(both + only_second, pairs)
    if one is None or two is None:
        return None
    rate_one, rate_two = (both + only_first) / pairs, (both + only_second) / pairs
    margins = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    agreement = both * neither - only_first * only_second
    if agreement > 0:
        agreement = max(0.0, agreement - pairs / 2)
    correlation = agreement / math.sqrt(margins) if margins else 0.0

    def reach(to_one: float, to_two: float) -> float:
        squares = to_one**2 - 2 * correlation * to_one * to_two + to_two**2
        return math.sqrt(max(0.0, squares))

    difference = rate_one - rate_two
    return Interval(
        max(-1.0, difference - reach(rate_one - one.low, two.high - rate_two)),
        min(1.0, difference + reach(one.high - rate_one, rate_two - two.low)),
    )


def mean_interval(values: Sequence[float] | NDArray[np.float64]) -> Interval | None:
    """95 % interval of the mean of independent numbers by Student's t; None for fewer than two."""
    numbers = np.asarray(values, np.float64)
    if len(numbers) < _FEWEST_CLUSTERS:
        return None
    reach = _students_quantile(len(numbers) - 1) * float(numbers.std(ddof=1))
    reach /= math.sqrt(len(numbers))
    middle = float(numbers.mean())
    return Interval(middle - reach, middle + reach)


def permutation_p_value(differences: Sequence[float] | NDArray[np.float64]) -> float:
    """Two-sided p-value of paired differences that could as well have had the other sign.

    Every choice of signs is tried where there are at most ``PERMUTATIONS``, as many drawn ones otherwise.
    """
    numbers = np.asarray(differences, np.float64)
    numbers = numbers[numbers != 0]  # a pair that does not differ says nothing about which is better
    if len(numbers) < _FEWEST_CLUSTERS:
        return 1.0  # with one pair both choices of its sign are as extreme
    from scipy.stats import permutation_test

    result = permutation_test(
        (numbers,),
        np.mean,
        permutation_type="samples",
        n_resamples=PERMUTATIONS,
        vectorized=True,
        random_state=_SEED,
    )
    return float(result.pvalue)


def adjusted(p_values: Sequence[float]) -> tuple[float, ...]:
    """P-values of several comparisons, adjusted by Benjamini and Hochberg: shares of false discoveries."""
    if not p_values:
        return ()
    from scipy.stats import false_discovery_control

    return tuple(float(value) for value in false_discovery_control(p_values))


def episodes_needed(first: float, second: float) -> int | None:
    """Episodes for each of two players on levels of their own, to tell two rates apart.

    At least as many as Fisher's exact test needs for the clearest outcome, all against none.
    At 5 % two-sided and a power of 80 %, by the usual normal approximation. None for equal rates.
    """
    difference = abs(first - second)
    if not difference:
        return None
    mean = (first + second) / 2
    spread = math.sqrt(first * (1 - first) + second * (1 - second))
    alpha, beta = _quantile(1 - (1 - CONFIDENCE) / 2), _quantile(POWER)
    episodes = ((alpha * math.sqrt(2 * mean * (1 - mean)) + beta * spread) / difference) ** 2
    return math.ceil(max(episodes, _FEWEST_EACH))


def pairs_needed(only_first: float, only_second: float) -> int | None:
    """Levels that both have to play, to tell two players apart, given the shares of pairs that differ.

    At least as many as hold six that differ, since the exact test finds nothing in fewer.
    At 5 % two-sided and a power of 80 %: R. J. Connor, Biometrics 43 (1987), 207-211, for the test of
    McNemar. None if neither is ahead.
    """
    discordant, difference = only_first + only_second, abs(only_first - only_second)
    if not difference:
        return None
    alpha, beta = _quantile(1 - (1 - CONFIDENCE) / 2), _quantile(POWER)
    spread = math.sqrt(max(0.0, discordant - difference**2))
    pairs = ((alpha * math.sqrt(discordant) + beta * spread) / difference) ** 2
    return math.ceil(max(pairs, _FEWEST_DISCORDANT / discordant))


def _quantile(probability: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(probability))


def _students_quantile(freedom: int) -> float:
    """Half the width of a 95 % interval in standard errors, if these were found with so much freedom."""
    from scipy.stats import t

    return float(t.ppf(1 - (1 - CONFIDENCE) / 2, freedom))
