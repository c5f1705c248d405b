"""Numbers over many episodes, each with what is needed to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.evaluation.episode import EpisodeRecord

CONFIDENCE = 0.95


class Summary(NamedTuple):
    """Results of one policy.

    Attributes:
        policy: its name.
        episodes: scored episodes; the denominator of everything below.
        unscored: episodes that ended without a verdict, kept out of every mean.
        successes: scored episodes that reached the goal.
        success_rate: successes / episodes, None without episodes.
        interval: 95 % Wilson interval of the success rate.
        mean_steps: steps per scored episode, failures included.
        steps_over_optimal: steps / optimal steps over successes with a known optimum.
        spl: success weighted by (optimal / taken) actions, over episodes with a known optimum.
        end_reasons: how many episodes ended for each reason.
    """

    policy: str
    episodes: int
    unscored: int
    successes: int
    success_rate: float | None
    interval: tuple[float, float] | None
    mean_steps: float | None
    steps_over_optimal: float | None
    spl: float | None
    end_reasons: dict[str, int]


def wilson_interval(successes: int, trials: int) -> tuple[float, float] | None:
    """95 % Wilson score interval of a rate, None without trials; exact ends at 0 and 1."""
    if trials == 0:
        return None
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def summarise(policy: str, records: Iterable[EpisodeRecord]) -> Summary:
    """Summarise the episodes of one policy."""
    everything = list(records)
    scored = [record for record in everything if record.success is not None]
    successes = [record for record in scored if record.success]
    reasons: dict[str, int] = {}
    for record in everything:
        reasons[record.end_reason.value] = reasons.get(record.end_reason.value, 0) + 1
    return Summary(
        policy=policy,
        episodes=len(scored),
        unscored=len(everything) - len(scored),
        successes=len(successes),
        success_rate=_mean(float(bool(record.success)) for record in scored),
        interval=wilson_interval(len(successes), len(scored)),
        mean_steps=_mean(float(record.steps) for record in scored),
        steps_over_optimal=_mean(
            record.steps / record.optimal_actions for record in successes if record.optimal_actions
        ),
        spl=_mean(_path_weight(record) for record in scored if record.optimal_actions),
        end_reasons=dict(sorted(reasons.items())),
    )


def _path_weight(record: EpisodeRecord) -> float:
    optimal = record.optimal_actions or 0
    return optimal / max(record.steps, optimal) if record.success else 0.0


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
