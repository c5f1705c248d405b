"""The tables of a report as plain data: the page shows them, CSV and Parquet keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.evaluation.analysis.comparison import compare_all, drops
from maze_gym.evaluation.analysis.diagnosis import FailureClass
from maze_gym.evaluation.analysis.measures import METRICS, latency_percentiles
from maze_gym.evaluation.analysis.metrics import success_rate
from maze_gym.evaluation.report.breakdown import Group, breakdown
from maze_gym.game import Disguise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.evaluation.analysis.contenders import Contender
    from maze_gym.evaluation.analysis.evidence import Evidence
    from maze_gym.evaluation.analysis.statistics import Paired

    Cell = str | int | float | bool | None

_RESULT_COLUMNS = (
    "contender",
    "kind",
    "run",
    "planned",
    "ended",
    "scored",
    "unscored",
    "successes",
    "success_rate",
    "success_low",
    "success_high",
    "levels",
    "independent_episodes",
    *(name for metric in METRICS for name in (metric.key, f"{metric.key}_n")),
    "latency_p50",
    "latency_p95",
    "cost_usd_total",
)
_EPISODE_COLUMNS = (
    "contender",
    "episode",
    "level",
    "disguise",
    "content_hash",
    "seed",
    "success",
    "end_reason",
    "failure",
    "steps",
    "optimal_actions",
    "progress",
    "first_mistake",
    "dead_at",
    "regret",
    "blocked",
    "moves",
    "fewest_moves",
    "queries",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)


class Table(NamedTuple):
    """Rows under named columns; None is a number that nobody knows.

    Attributes:
        name: of the file.
        columns: their names.
        rows: as many cells as columns each.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


def tables(contenders: Sequence[Contender]) -> list[Table]:
    """Every table of a report."""
    return [
        results_table(contenders),
        failures_table(contenders),
        pairs_table(contenders),
        breakdown_table(contenders),
        disguises_table(contenders),
        episodes_table(contenders),
    ]


def results_table(contenders: Sequence[Contender]) -> Table:
    """One row for each contender: success with its interval, then every metric with its denominator."""
    rows: list[tuple[Cell, ...]] = []
    for contender in contenders:
        episodes = contender.plain
        rate = success_rate(episodes)
        values: list[Cell] = []
        for metric in METRICS:
            found = metric.over(episodes)
            values += [found.value, found.among]
        p50, p95 = latency_percentiles(episodes) or (None, None)
        costs = [
            each.talk.cost_usd for each in contender.episodes if each.talk and each.talk.cost_usd is not None
        ]
        rows.append(
            (
                contender.label,
                str(contender.kind),
                contender.run,
                contender.planned,
                len(contender.episodes),
                rate.trials,
                len(episodes) - rate.trials,
                rate.successes,
                rate.rate,
                *(rate.interval or (None, None)),
                rate.clusters,
                rate.effective,
                *values,
                p50,
                p95,
                sum(costs) if costs else None,
            )
        )
    return Table("results", _RESULT_COLUMNS, rows)


def failures_table(contenders: Sequence[Contender]) -> Table:
    """How many episodes each contender lost to what."""
    rows: list[tuple[Cell, ...]] = []
    for contender in contenders:
        counts = failure_counts(contender.plain)
        rows.append((contender.label, *(counts[each] for each in FailureClass)))
    return Table("failures", ("contender", *(str(each) for each in FailureClass)), rows)


def failure_counts(episodes: Sequence[Evidence]) -> dict[FailureClass, int]:
    """Episodes by what they were lost to; every class is there."""
    counts = dict.fromkeys(FailureClass, 0)
    for each in episodes:
        counts[each.failure] += 1
    return counts


_PAIR_COLUMNS = (
    "pairs",
    "both",
    "only_first",
    "only_second",
    "neither",
    "difference",
    "low",
    "high",
    "p_value",
)


def _pair_cells(paired: Paired) -> tuple[Cell, ...]:
    return (
        paired.pairs,
        paired.both,
        paired.only_first,
        paired.only_second,
        paired.neither,
        paired.difference,
        *(paired.interval or (None, None)),
        paired.p_value,
    )


def pairs_table(contenders: Sequence[Contender]) -> Table:
    """Every two contenders on the levels that they share."""
    columns = (
        "first",
        "second",
        *_PAIR_COLUMNS,
        "adjusted_p",
        "method",
        "levels_needed",
        "episodes_needed",
    )
    rows: list[tuple[Cell, ...]] = [
        (
            each.first,
            each.second,
            *_pair_cells(each.paired),
            each.adjusted_p,
            each.paired.method,
            each.levels_needed,
            each.episodes_needed,
        )
        for each in compare_all(contenders)
    ]
    return Table("pairs", columns, rows)


def disguises_table(contenders: Sequence[Contender]) -> Table:
    """What each disguise costs each contender."""
    rows: list[tuple[Cell, ...]] = [
        (each.label, str(each.disguise), *_pair_cells(each.paired), each.paired.method)
        for each in drops(contenders)
    ]
    return Table("disguises", ("contender", "disguise", *_PAIR_COLUMNS, "method"), rows)


def breakdown_table(contenders: Sequence[Contender]) -> Table:
    """Success by each quality of the levels."""
    return Table("breakdown", Group._fields, [tuple(group) for group in breakdown(contenders)])


def episodes_table(contenders: Sequence[Contender]) -> Table:
    """One row for each episode."""
    rows: list[tuple[Cell, ...]] = []
    for contender in contenders:
        for index, each in zip(contender.indices, contender.episodes, strict=True):
            record, diagnosis, talk = each.record, each.diagnosis, each.talk
            kind = Disguise.of(record.level_id)[1]
            judged: tuple[Cell, ...] = (None,) * 6
            if diagnosis is not None:
                judged = (
                    diagnosis.progress,
                    diagnosis.first_mistake,
                    diagnosis.dead_at,
                    diagnosis.regret if diagnosis.measured else None,
                    diagnosis.blocked,
                    diagnosis.moves,
                )
            said: tuple[Cell, ...] = (None,) * 4
            if talk is not None:
                said = (talk.queries, talk.input_tokens, talk.output_tokens, talk.cost_usd)
            rows.append(
                (
                    contender.label,
                    index,
                    each.level,
                    "" if kind is None else str(kind),
                    record.content_hash,
                    record.seed,
                    record.success,
                    str(record.end_reason),
                    str(each.failure),
                    record.steps,
                    record.optimal_actions,
                    *judged,
                    None if diagnosis is None else diagnosis.fewest_moves,
                    *said,
                )
            )
    return Table("episodes", _EPISODE_COLUMNS, rows)
