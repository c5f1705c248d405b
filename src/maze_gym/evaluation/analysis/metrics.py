"""Numbers over many episodes, each with what is needed to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.evaluation.analysis.evidence import Evidence
from maze_gym.evaluation.analysis.measures import measure
from maze_gym.evaluation.analysis.statistics import CONFIDENCE, Interval, Rate, rate_of, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from maze_gym.evaluation.episode import EpisodeRecord

__all__ = ["CONFIDENCE", "Summary", "success_rate", "summarise", "wilson_interval"]


class Summary(NamedTuple):
    """Results of one policy on levels as they are, from its records alone; disguised ones are left out.

    Attributes:
        policy: its name.
        episodes: scored episodes; the denominator of everything below.
        unscored: episodes that ended without a verdict, kept out of every mean.
        successes: scored episodes that reached the goal.
        success_rate: successes / episodes, None without episodes.
        interval: 95 % Wilson interval of the success rate; wider where levels were repeated.
        mean_steps: steps per scored episode, failures included.
        steps_over_optimal: steps / optimal steps over successes with a known optimum.
        spl: success weighted by (optimal / taken) actions, over episodes with a known optimum.
        end_reasons: how many episodes ended for each reason.
        metrics: means of the world's own measures, each over the scored episodes that have it.
    """

    policy: str
    episodes: int
    unscored: int
    successes: int
    success_rate: float | None
    interval: Interval | None
    mean_steps: float | None
    steps_over_optimal: float | None
    spl: float | None
    end_reasons: dict[str, int]
    metrics: dict[str, float]


def summarise(policy: str, records: Iterable[EpisodeRecord]) -> Summary:
    """Summarise the episodes of one policy on levels as they are."""
    everything = [each for each in map(Evidence, records) if not each.is_disguised]
    scored = [each for each in everything if each.record.success is not None]
    rate = success_rate(everything)
    reasons: dict[str, int] = {}
    for each in everything:
        reasons[each.record.end_reason.value] = reasons.get(each.record.end_reason.value, 0) + 1
    return Summary(
        policy=policy,
        episodes=len(scored),
        unscored=len(everything) - len(scored),
        successes=rate.successes,
        success_rate=rate.rate,
        interval=rate.interval,
        mean_steps=measure("steps", everything).value,
        steps_over_optimal=measure("steps_over_optimal", everything).value,
        spl=measure("spl", everything).value,
        end_reasons=dict(sorted(reasons.items())),
        metrics=_means(each.record.metrics for each in scored),
    )


def _means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each name over the rows that know it."""
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            values.setdefault(name, []).append(value)
    return {name: sum(known) / len(known) for name, known in values.items()}


def success_rate(episodes: Iterable[Evidence]) -> Rate:
    """Success over the scored episodes; those on one level are one cluster."""
    return rate_of(
        (each.cluster, each.record.success) for each in episodes if each.record.success is not None
    )
