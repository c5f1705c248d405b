"""Success by what the levels are like: tier, topology, chain, size, length, and how models were asked."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.evaluation.analysis.metrics import success_rate

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from maze_gym.evaluation.analysis.contenders import Contender
    from maze_gym.evaluation.analysis.evidence import Evidence

FEWEST_GROUPS, MOST_GROUPS = 2, 12  # values that a table by them has room for
BINS = 4  # of numbers with more values than that
SIZE, SHORTEST_PLAN, OTHERS = "size", "shortest plan", "others"
FIRST = (
    "tier",
    "difficulty",
    "topology",
    "chain",
    SIZE,
    SHORTEST_PLAN,
)  # what is asked most; the rest follows
_DIMENSIONS = ("rows", "cols")  # together the size


class Group(NamedTuple):
    """Results of one contender on levels that have something in common.

    Attributes:
        by: the quality.
        value: what these levels have of it.
        contender: label.
        successes: of ``trials``.
        trials: scored episodes.
        rate: successes / trials.
        low: of the 95 % interval.
        high: of the 95 % interval.
    """

    by: str
    value: str
    contender: str
    successes: int
    trials: int
    rate: float | None
    low: float | None
    high: float | None


class _Name(NamedTuple):
    """A group: what it is sorted by, and its name."""

    order: float
    name: str


def breakdown(contenders: Sequence[Contender]) -> list[Group]:
    """Success by each quality that divides the levels into two groups or more."""
    every = [each for contender in contenders for each in contender.plain]
    groups: list[Group] = []
    for by, names in _qualities(every).items():
        for value in sorted(set(names.values())):
            for contender in contenders:
                rate = success_rate([each for each in contender.plain if names.get(id(each)) == value])
                interval = rate.interval or (None, None)
                counts = (rate.successes, rate.trials, rate.rate)
                groups.append(Group(by, value.name, contender.label, *counts, *interval))
    return groups


def _qualities(every: Sequence[Evidence]) -> dict[str, dict[int, _Name]]:
    """For each quality the group of each episode, by the episode's identity."""
    values: dict[str, dict[int, Hashable]] = {}
    for each in every:
        tags = dict(each.tags)
        if all(isinstance(tags.get(name), int) for name in _DIMENSIONS):
            rows, cols = (tags.pop(name) for name in _DIMENSIONS)
            tags[SIZE] = rows * cols
        if each.record.optimal_actions:
            tags[SHORTEST_PLAN] = each.record.optimal_actions
        for name, value in tags.items():
            if isinstance(value, str | int | float):
                values.setdefault(str(name), {})[id(each)] = value
    order = [name for name in FIRST if name in values]
    order += [name for name in values if name not in FIRST]
    found = {name: _grouped(name, values[name]) for name in order}
    return {name: groups for name, groups in found.items() if len(set(groups.values())) >= FEWEST_GROUPS}


def _grouped(name: str, values: Mapping[int, Hashable]) -> dict[int, _Name]:
    numbers = {key: value for key, value in values.items() if isinstance(value, int | float)}
    if len(numbers) < len(values):
        return _most_frequent({key: str(value) for key, value in values.items()})
    unit = {SIZE: " cells", SHORTEST_PLAN: " actions"}.get(name, "")
    if len(set(numbers.values())) <= MOST_GROUPS and not unit:
        return {key: _Name(float(value), str(value)) for key, value in numbers.items()}
    return _binned(numbers, unit)


def _most_frequent(values: Mapping[int, str]) -> dict[int, _Name]:
    """Each text a group; of too many the most frequent ones, and one of all others."""
    counts = Counter(values.values())
    kept = set(counts)
    if len(counts) > MOST_GROUPS:
        kept = {text for text, _ in counts.most_common(MOST_GROUPS - 1)}
    return {key: _Name(0, text) if text in kept else _Name(1, OTHERS) for key, text in values.items()}


def _binned(numbers: Mapping[int, float], unit: str) -> dict[int, _Name]:
    """Groups of about equal size, named by their first and last number."""
    edges = np.unique(np.quantile(list(numbers.values()), np.linspace(0, 1, BINS + 1)[1:-1]))
    places = {key: int(np.searchsorted(edges, value, side="left")) for key, value in numbers.items()}
    names = {}
    for place in set(places.values()):
        members = [value for key, value in numbers.items() if places[key] == place]
        low, high = min(members), max(members)
        names[place] = _Name(place, (f"{low:g}" if low == high else f"{low:g} - {high:g}") + unit)
    return {key: names[place] for key, place in places.items()}
