"""What is measured: for each metric, what one episode adds to its count and to its denominator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from maze_gym.evaluation.analysis.diagnosis import LOOP_VISITS, is_blocked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from maze_gym.evaluation.analysis.evidence import Evidence, Talk

    Ratio = tuple[float, float]  # what is counted, and among how many


class Measure(NamedTuple):
    """One number and its denominator.

    Attributes:
        value: the number, None where nothing is known.
        among: what it was divided by: episodes, steps or replies.
    """

    value: float | None
    among: float


@dataclass(frozen=True, slots=True)
class Metric:
    """A number over episodes: the sum of what is counted over the sum of what it is counted among.

    Attributes:
        key: its name in files.
        title: its name in tables.
        meaning: one sentence.
        unit: how it is written.
        of: the two numbers of an episode; None where the episode says nothing about it.
        group: which table it stands in.
        unscored_too: whether episodes without a verdict count; money was spent on them as well.
    """

    key: str
    title: str
    meaning: str
    unit: Literal["share", "number", "usd", "seconds"]
    of: Callable[[Evidence], Ratio | None]
    group: Literal["outcome", "way", "mistakes", "words", "cost"]
    unscored_too: bool = False

    def over(self, episodes: Iterable[Evidence]) -> Measure:
        """The number over these episodes."""
        counted = among = 0.0
        for each in episodes:
            if each.record.success is None and not self.unscored_too:
                continue
            ratio = self.of(each)
            if ratio is not None:
                counted, among = counted + ratio[0], among + ratio[1]
        return Measure(counted / among if among else None, among)


def _weight(each: Evidence) -> float | None:
    """Optimal / taken actions, 1 at most."""
    optimal = each.record.optimal_actions
    return optimal / max(each.record.steps, optimal) if optimal else None


def _spl(each: Evidence) -> Ratio | None:
    weight = _weight(each)
    return None if weight is None else (weight if each.is_success else 0.0, 1)


def _spl_cells(each: Evidence) -> Ratio | None:
    diagnosis = each.diagnosis
    if diagnosis is None or not diagnosis.fewest_moves:
        return None
    weight = diagnosis.fewest_moves / max(diagnosis.moves, diagnosis.fewest_moves)
    return (weight if each.is_success else 0.0, 1)


def _progress(each: Evidence) -> Ratio | None:
    progress = None if each.diagnosis is None else each.diagnosis.progress
    return None if progress is None else (progress, 1)


def _soft_spl(each: Evidence) -> Ratio | None:
    progress, weight = _progress(each), _weight(each)
    return None if progress is None or weight is None else (progress[0] * weight, 1)


def _over_optimal(each: Evidence) -> Ratio | None:
    optimal = each.record.optimal_actions
    return (each.record.steps / optimal, 1) if optimal and each.is_success else None


def _extra_steps(each: Evidence) -> Ratio | None:
    optimal = each.record.optimal_actions
    return (each.record.steps - optimal, 1) if optimal and each.is_success else None


def _is_optimal(each: Evidence) -> Ratio | None:
    optimal = each.record.optimal_actions
    return (each.is_success and each.record.steps == optimal, 1) if optimal else None


def _blocked(each: Evidence) -> Ratio | None:
    return sum(is_blocked(event) for event in each.record.events), each.record.steps


def _futile(each: Evidence) -> Ratio | None:
    return None if each.diagnosis is None else (each.diagnosis.failed, each.record.steps)


def _regret(each: Evidence) -> Ratio | None:
    if each.diagnosis is None or not each.diagnosis.measured:
        return None
    judged = sum(step.regret is not None for step in each.diagnosis.steps)
    return (each.diagnosis.regret, judged)


def _first_mistake(each: Evidence) -> Ratio | None:
    found = None if each.diagnosis is None else each.diagnosis.first_mistake
    return None if found is None else (found, 1)


def _loops(each: Evidence) -> Ratio | None:
    return None if each.diagnosis is None else (each.diagnosis.most_visits >= LOOP_VISITS, 1)


def _dead(each: Evidence) -> Ratio | None:
    if each.diagnosis is None or not each.diagnosis.measured:
        return None
    return (each.diagnosis.dead_at is not None, 1)


def _talk(count: Callable[[Talk], float | None], among: Callable[[Talk], float] | None = None) -> Any:  # noqa: ANN401 - a function of an episode
    """A metric of what was said; per episode unless ``among`` says among what."""

    def of(each: Evidence) -> Ratio | None:
        counted = None if each.talk is None else count(each.talk)
        if each.talk is None or counted is None:
            return None
        return (counted, 1.0 if among is None else among(each.talk))

    return of


def _tokens(each: Evidence) -> Ratio | None:
    counts = () if each.talk is None else (each.talk.input_tokens, each.talk.output_tokens)
    known = [count for count in counts if count is not None]
    return (sum(known), each.is_success) if known else None


def _queries(talk: Talk) -> float:
    return talk.queries


METRICS = (
    Metric(
        "spl",
        "SPL",
        "success weighted by optimal / taken actions",
        "share",
        _spl,
        "outcome",
    ),
    Metric(
        "spl_cells",
        "SPL cells",
        "the same, counted in moved cells",
        "share",
        _spl_cells,
        "outcome",
    ),
    Metric(
        "progress",
        "progress",
        "share of the shortest way covered at best",
        "share",
        _progress,
        "outcome",
    ),
    Metric(
        "soft_spl",
        "soft SPL",
        "progress weighted by optimal / taken actions",
        "share",
        _soft_spl,
        "outcome",
    ),
    Metric(
        "optimal_rate",
        "optimal",
        "solved in the fewest actions",
        "share",
        _is_optimal,
        "outcome",
    ),
    Metric(
        "steps",
        "steps",
        "actions an episode",
        "number",
        lambda each: (each.record.steps, 1),
        "way",
    ),
    Metric(
        "steps_over_optimal",
        "/ optimal",
        "steps over optimal steps, successes only",
        "number",
        _over_optimal,
        "way",
    ),
    Metric(
        "extra_steps",
        "extra",
        "steps beyond the optimum, successes only",
        "number",
        _extra_steps,
        "way",
    ),
    Metric(
        "regret",
        "regret",
        "steps wasted per step",
        "number",
        _regret,
        "way",
    ),
    Metric(
        "first_mistake",
        "1st mistake",
        "step of the first action that was not optimal",
        "number",
        _first_mistake,
        "way",
    ),
    Metric(
        "blocked_rate",
        "blocked",
        "actions that something stood in the way of",
        "share",
        _blocked,
        "mistakes",
    ),
    Metric(
        "futile_rate",
        "no effect",
        "actions that changed nothing, the blocked ones included",
        "share",
        _futile,
        "mistakes",
    ),
    Metric(
        "loop_rate",
        "loops",
        f"episodes that entered a place {LOOP_VISITS} times with nothing changed",
        "share",
        _loops,
        "mistakes",
    ),
    Metric(
        "wrong_done_rate",
        "wrong DONE",
        "episodes that said DONE away from the goal",
        "share",
        lambda each: ("WRONG_DONE" in each.record.events, 1),
        "mistakes",
    ),
    Metric(
        "dead_rate",
        "dead ends",
        "episodes that passed the point of no return",
        "share",
        _dead,
        "mistakes",
    ),
    Metric(
        "unparsable_rate",
        "unparsable",
        "replies that could not be read",
        "share",
        _talk(lambda talk: talk.unparsable, _queries),
        "words",
    ),
    Metric(
        "illegal_rate",
        "illegal",
        "readable replies that named an action not listed as legal",
        "share",
        _talk(lambda talk: talk.illegal, lambda talk: talk.queries - talk.unparsable),
        "words",
    ),
    Metric(
        "retry_rate",
        "retries",
        "questions asked again",
        "share",
        _talk(lambda talk: talk.retries, _queries),
        "words",
    ),
    Metric(
        "queries",
        "queries",
        "questions an episode",
        "number",
        _talk(_queries),
        "words",
        unscored_too=True,
    ),
    Metric(
        "input_tokens",
        "tokens in",
        "tokens sent an episode",
        "number",
        _talk(lambda talk: talk.input_tokens),
        "cost",
        unscored_too=True,
    ),
    Metric(
        "output_tokens",
        "tokens out",
        "tokens received an episode",
        "number",
        _talk(lambda talk: talk.output_tokens),
        "cost",
        unscored_too=True,
    ),
    Metric(
        "cost_usd",
        "cost",
        "US dollars an episode",
        "usd",
        _talk(lambda talk: talk.cost_usd),
        "cost",
        unscored_too=True,
    ),
    Metric(
        "latency_mean",
        "latency",
        "seconds a reply",
        "seconds",
        _talk(lambda talk: sum(talk.latencies), lambda talk: len(talk.latencies)),
        "cost",
        unscored_too=True,
    ),
    Metric(
        "wait_s",
        "waiting",
        "seconds an episode waited for the provider between attempts",
        "seconds",
        _talk(lambda talk: talk.wait_s),
        "cost",
        unscored_too=True,
    ),
    Metric(
        "provider_retries",
        "provider retries",
        "failed attempts of the provider an episode",
        "number",
        _talk(lambda talk: talk.provider_retries),
        "cost",
        unscored_too=True,
    ),
    Metric(
        "provider_errors",
        "provider errors",
        "questions given up, an episode",
        "number",
        _talk(lambda talk: talk.provider_errors),
        "cost",
        unscored_too=True,
    ),
    Metric("tokens_per_success", "per success", "tokens of all for each success", "number", _tokens, "cost"),
)
_BY_KEY = {metric.key: metric for metric in METRICS}


def measure(key: str, episodes: Iterable[Evidence]) -> Measure:
    """A metric of ``METRICS`` over episodes."""
    return _BY_KEY[key].over(episodes)


def latency_percentiles(
    episodes: Iterable[Evidence], percents: Sequence[float] = (50, 95)
) -> tuple[float, ...]:
    """Percentiles of the seconds of all replies; empty where nobody measured them."""
    import numpy as np

    seconds = [latency for each in episodes if each.talk is not None for latency in each.talk.latencies]
    return tuple(float(value) for value in np.percentile(seconds, percents)) if seconds else ()
