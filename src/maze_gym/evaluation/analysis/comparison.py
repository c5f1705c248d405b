"""Who is better than whom: contenders on the same levels, pair by pair."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.analysis.contenders import outcomes_by_level
from maze_gym.evaluation.analysis.statistics import (
    CONFIDENCE,
    Paired,
    adjusted,
    compare,
    episodes_needed,
    pairs_needed,
)
from maze_gym.game import Disguise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maze_gym.evaluation.analysis.contenders import Contender
    from maze_gym.evaluation.analysis.evidence import Evidence

SHOWN = 3  # levels that a message names
WINS = "levels that only the first : only the second solved; sums of shares where levels were repeated"


class Comparison(NamedTuple):
    """Two contenders.

    Attributes:
        first: label of one.
        second: label of the other.
        paired: both on the levels that both have played.
        adjusted_p: the p-value, adjusted for the number of comparisons made at once, or None.
        levels_needed: levels that both would have to play to tell them apart, if they go on like this;
            None if they do not differ.
        episodes_needed: the same for each of them on levels of its own.
    """

    first: str
    second: str
    paired: Paired
    adjusted_p: float | None
    levels_needed: int | None
    episodes_needed: int | None


class Drop(NamedTuple):
    """A contender on levels as they are and on the same ones in disguise.

    Attributes:
        label: of the contender.
        disguise: which.
        paired: first as they are, second in disguise; a positive difference is the drop.
    """

    label: str
    disguise: Disguise
    paired: Paired


def compare_all(contenders: Sequence[Contender]) -> list[Comparison]:
    """Every pair of contenders on the levels that they share; the p-values are adjusted for all pairs."""
    return compare_pairs(list(combinations(contenders, 2)))


def compare_pairs(pairs: Sequence[tuple[Contender, Contender]]) -> list[Comparison]:
    """These pairs on the levels that they share; the p-values are adjusted for all of them together."""
    found = [compare(outcomes_by_level(one.plain), outcomes_by_level(two.plain)) for one, two in pairs]
    known = [paired.p_value for paired in found if paired.p_value is not None]
    corrected = iter(adjusted(known))
    return [
        Comparison(
            one.label,
            two.label,
            paired,
            None if paired.p_value is None else next(corrected),
            *_needed(paired),
        )
        for (one, two), paired in zip(pairs, found, strict=True)
    ]


def _needed(paired: Paired) -> tuple[int | None, int | None]:
    if not paired.difference:
        return None, None  # equal, or no pair
    rate_one = (paired.both + paired.only_first) / paired.pairs
    rate_two = (paired.both + paired.only_second) / paired.pairs
    levels = pairs_needed(paired.only_first / paired.pairs, paired.only_second / paired.pairs)
    return levels, episodes_needed(rate_one, rate_two)


def drops(contenders: Sequence[Contender]) -> list[Drop]:
    """What each disguise costs each contender, level by level."""
    return [drop for each in contenders for drop in drops_of(each.label, each.episodes)]


def drops_of(label: str, episodes: Iterable[Evidence]) -> list[Drop]:
    """What each disguise costs whoever played these episodes, level by level."""
    # By the name of the level behind the disguise: the content of a disguised level is another.
    found: dict[Disguise | None, dict[str, list[bool]]] = {}
    for each in episodes:
        name, kind = Disguise.of(each.record.level_id)
        if each.record.success is not None:
            found.setdefault(kind, {}).setdefault(name, []).append(each.record.success)
    plain = found.get(None, {})
    return [Drop(label, kind, compare(plain, found[kind])) for kind in Disguise if kind in found]


def drop_in_words(drop: Drop) -> str:
    """The change in one sentence."""
    paired = drop.paired
    if paired.difference is None or paired.p_value is None:
        return f"{drop.label}, {drop.disguise}: no level was played both ways"
    levels = f"{paired.pairs} level{'s' if paired.pairs > 1 else ''}"
    change = f"{0.0 - paired.difference * 100:+.1f} points on {levels} ({show_p(paired.p_value)})"
    return f"{drop.label}, {drop.disguise}: {change}"


def level_difference(first: Contender, second: Contender) -> str:
    """In which levels two contenders differ, as a sentence; empty if they have played the same."""
    ones = {each.cluster: each.record.level_id for each in first.plain}
    twos = {each.cluster: each.record.level_id for each in second.plain}
    parts = []
    for mine, other, label in ((ones, twos, first.label), (twos, ones, second.label)):
        alone = [name for key, name in mine.items() if key not in other]
        if alone:
            shown = ", ".join(sorted(alone)[:SHOWN]) + (", ..." if len(alone) > SHOWN else "")
            parts.append(f"{len(alone)} of {len(mine)} levels only {label} has played ({shown})")
    return "; ".join(parts)


def check_same_levels(first: Contender, second: Contender) -> None:
    """Refuse a comparison over different levels.

    Raises:
        InvalidArgument: names the difference.
    """
    difference = level_difference(first, second)
    if first.config.get("env_id") != second.config.get("env_id"):
        worlds = f"{first.config.get('env_id')} and {second.config.get('env_id')}"
        msg = f"{first.label} and {second.label} have played different worlds: {worlds}"
        raise InvalidArgument(msg)
    if difference:
        msg = f"the level sets differ: {difference}; compare on the common levels with --common"
        raise InvalidArgument(msg)


def outcome(comparison: Comparison) -> str:
    """Who is better, in a word or three."""
    paired = comparison.paired
    if paired.difference is None or paired.p_value is None:
        return "no common level"
    if not paired.difference:
        return "level"
    if _decisive(comparison) < 1 - CONFIDENCE:
        return f"{comparison.first if paired.difference > 0 else comparison.second} is better"
    return "may be chance"


def verdict(comparison: Comparison) -> str:
    """The comparison in one sentence."""
    paired = comparison.paired
    one, two = comparison.first, comparison.second
    if paired.difference is None or paired.p_value is None:
        return f"{one} and {two} share no level; nothing can be said"
    if not paired.difference:
        return f"{one} and {two} are level; {paired.pairs} levels show no difference"
    ahead, behind = (one, two) if paired.difference > 0 else (two, one)
    points = abs(paired.difference) * 100
    p_value = _decisive(comparison)
    if p_value < 1 - CONFIDENCE:
        return f"{ahead} is better than {behind} by {points:.1f} points ({show_p(p_value)})"
    need = comparison.levels_needed
    more = "" if need is None else f"; a difference of this size would show on about {need:,} levels"
    chance = f"which may be chance ({show_p(p_value)})"
    return f"{ahead} is ahead of {behind} by {points:.1f} points, {chance}{more}"


def _decisive(comparison: Comparison) -> float:
    """The p-value that decides: the adjusted one where there is one."""
    p_value = comparison.paired.p_value if comparison.adjusted_p is None else comparison.adjusted_p
    return 1.0 if p_value is None else p_value


def show_p(p_value: float) -> str:
    """A p-value for people."""
    return f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"  # noqa: PLR2004 - three digits are shown
