"""The parts of the page that stand there before any script runs: facts, charts and tables as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.evaluation.analysis.comparison import (
    WINS,
    compare_all,
    drops,
    level_difference,
    outcome,
    show_p,
    verdict,
)
from maze_gym.evaluation.analysis.diagnosis import FailureClass
from maze_gym.evaluation.analysis.measures import METRICS, Measure, latency_percentiles
from maze_gym.evaluation.analysis.metrics import success_rate
from maze_gym.evaluation.report.breakdown import breakdown
from maze_gym.evaluation.report.charts import Bar, Part, forest, stacked
from maze_gym.evaluation.report.tables import failure_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maze_gym.evaluation.analysis.contenders import Contender
    from maze_gym.evaluation.analysis.measures import Metric
    from maze_gym.evaluation.analysis.statistics import Interval
    from maze_gym.evaluation.report.breakdown import Group
    from maze_gym.evaluation.report.examining import Material

SHOWN_MISMATCHES = 3
MOST_COLORS = 10
_GROUP_TITLES = {
    "outcome": "How well",
    "way": "How long",
    "mistakes": "What went wrong",
    "words": "How it spoke",
    "cost": "What it cost",
}
_FAILURE_STYLES = {each: f"f{number}" for number, each in enumerate(FailureClass)}


class Cell(NamedTuple):
    """A cell of an HTML table."""

    text: str
    style: str = ""
    hint: str = ""
    tint: float | None = None  # 0 to 1: how strongly it is coloured


def all_sections(contenders: Sequence[Contender]) -> str:
    """Every section that has something to show."""
    parts = (
        _success_section(contenders),
        _failure_section(contenders),
        _metric_section(contenders),
        _pair_section(contenders),
        _breakdown_section(contenders),
        _disguise_section(contenders),
    )
    return "\n".join(part for part in parts if part)


def facts(material: Material) -> str:
    """What the numbers depend on, run by run."""
    rows = []
    for run in material.runs:
        config = run.config
        # The hash is over the levels, so where they are generated it says nothing.
        level_set = str(config["level_set"]) if config["levels"] else ""
        levels = f"{len(config['levels'])} levels" if config["levels"] else "generated levels"
        experiment = config.get("experiment") or {}
        modes = ", ".join(
            str(experiment[name])
            for name in ("observation", "querying", "context_window", "prompting")
            if experiment.get(name)
        )
        rows.append(
            (
                Cell(run.path.resolve().name, "head"),
                Cell(str(config["env_id"])),
                Cell(levels, hint=level_set and f"level set {level_set}"),
                Cell(f"{len(run.episodes):,} of {run.planned:,}"),
                Cell(str(config["seed"])),
                Cell(modes or "-", hint=f"experiment {config.get('experiment_hash') or '-'}"),
                Cell(level_set[:12] or "-", "mono", level_set),
                Cell(str(config["version"])),
            )
        )
    return table(
        ("run", "world", "levels", "episodes", "seed", "prompts", "level set", "version"), rows, "facts"
    )


def notices(material: Material) -> str:
    """What a reader has to know before believing anything else."""
    lines = [
        f"{run.path.resolve().name} is unfinished: {len(run.episodes):,} of {run.planned:,} episodes ended."
        for run in material.runs
        if not run.is_finished
    ]
    for contender in material.contenders:
        unscored = sum(each.record.success is None for each in contender.episodes)
        if unscored:
            lines.append(
                f"{contender.label}: {unscored} of {len(contender.episodes)} episodes ended without a "
                "verdict (provider errors, interruptions). They are in no rate."
            )
    if material.wasted_calls:
        lines.append(
            f"{material.wasted_calls:,} model calls belong to episodes that never ended: paid in vain."
        )
    first, *others = material.contenders
    for other in others:
        difference = level_difference(first, other)
        if difference:
            lines.append(
                f"Not everybody has played the same levels: {difference}. Pairs are compared on common ones."
            )
            break
    if material.mismatches:
        shown = "; ".join(material.mismatches[:SHOWN_MISMATCHES])
        lines.append(f"{len(material.mismatches)} episodes do not replay as recorded, for example {shown}.")
    left_out = sum(len(each.episodes) for each in material.contenders) - len(material.replays)
    if left_out:
        lines.append(f"{left_out:,} episodes have no replay here; give --replays more to see them.")
    return "".join(f'<p class="notice">{escape(line)}</p>' for line in lines)


def table(columns: Sequence[str | Cell], rows: Iterable[Sequence[Cell]], style: str = "") -> str:
    """An HTML table that scrolls by itself where it is too wide."""
    heads = "".join(_head(column if isinstance(column, Cell) else Cell(column)) for column in columns)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows)
    whole = f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="scroll"><table class="{style}">{whole}</table></div>'


def _head(cell: Cell) -> str:
    hint = f' title="{escape(cell.hint)}"' if cell.hint else ""
    return f'<th scope="col" class="{cell.style}"{hint}>{escape(cell.text)}</th>'


def _cell(cell: Cell) -> str:
    hint = f' title="{escape(cell.hint)}"' if cell.hint else ""
    tint = "" if cell.tint is None else f' style="--tint:{cell.tint:.3f}"'
    kind = "th scope=row" if cell.style.startswith("head") else "td"
    name = kind.split(maxsplit=1)[0]
    return f'<{kind} class="{cell.style}{" tinted" if tint else ""}"{hint}{tint}>{escape(cell.text)}</{name}>'


def _section(anchor: str, title: str, lead: str, body: str) -> str:
    return (
        f'<section id="{anchor}"><h2>{escape(title)}</h2><p class="lead">{escape(lead)}</p>{body}</section>'
    )


def _name(place: int, contender: Contender) -> Cell:
    return Cell(contender.label, f"head c{place % MOST_COLORS}", str(contender.kind))


def _success_section(contenders: Sequence[Contender]) -> str:
    bars = []
    for contender in contenders:
        rate = success_rate(contender.plain)
        note = f"{rate.successes}/{rate.trials}  {_percent(rate.rate)}"
        bars.append(Bar(contender.label, rate.rate, rate.interval, note))
    repeated = any(success_rate(each.plain).clusters < success_rate(each.plain).trials for each in contenders)
    lead = "Share of scored episodes that reached the goal, with 95 % Wilson intervals."
    if repeated:
        lead += (
            " Levels were played more than once; their episodes are not independent, so intervals are wider."
        )
    return _section("success", "Success", lead, forest("Success rates with intervals", bars))


def _failure_section(contenders: Sequence[Contender]) -> str:
    rows = []
    seen: set[FailureClass] = set()
    for contender in contenders:
        counts = failure_counts(contender.plain)
        seen |= {each for each, count in counts.items() if count}
        parts = [Part(str(each), count, _FAILURE_STYLES[each]) for each, count in counts.items()]
        rows.append((contender.label, parts))
    legend = "".join(
        f'<li><span class="swatch {_FAILURE_STYLES[each]}"></span>{escape(str(each))}</li>'
        for each in FailureClass
        if each in seen
    )
    body = stacked("What episodes ended in", rows) + f'<ul class="legend">{legend}</ul>'
    lead = "Each episode once, by what it was lost to: the first that applies, in the order of the legend."
    return _section("failures", "What episodes were lost to", lead, body)


def _metric_section(contenders: Sequence[Contender]) -> str:
    parts = []
    for group, title in _GROUP_TITLES.items():
        found = [
            (metric, [metric.over(contender.plain) for contender in contenders])
            for metric in METRICS
            if metric.group == group
        ]
        known = [
            (metric, values) for metric, values in found if any(each.value is not None for each in values)
        ]
        columns = [Cell(""), *(Cell(metric.title, hint=metric.meaning) for metric, _ in known)]
        latencies = [latency_percentiles(contender.plain) for contender in contenders]
        has_latency = group == "cost" and any(latencies)
        if has_latency:
            columns += [
                Cell("latency p50", hint="median seconds a reply"),
                Cell("p95", hint="95 % are faster"),
            ]
        if not known:
            continue
        rows = []
        for place, contender in enumerate(contenders):
            row = [_name(place, contender), *(_measured(metric, values[place]) for metric, values in known)]
            if has_latency:
                row += [Cell(f"{seconds:.2f} s") for seconds in latencies[place] or ()]
            rows.append(row)
        meanings = "; ".join(f"{metric.title}: {metric.meaning}" for metric, _ in known)
        parts.append(f"<h3>{title}</h3>{table(columns, rows)}<p class=small>{escape(meanings)}.</p>")
    lead = "Unscored episodes count in what was spent only. Hover over a number to see among how many it is."
    return _section("numbers", "Numbers", lead, "".join(parts))


def _measured(metric: Metric, found: Measure) -> Cell:
    value = found.value
    if value is None:
        return Cell("-", "none")
    if metric.unit == "share":
        text = f"{value:.1%}"
    elif metric.unit == "usd":
        text = f"${value:,.4f}"
    elif metric.unit == "seconds":
        text = f"{value:,.2f} s"
    else:
        text = f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"  # noqa: PLR2004 - three digits are enough
    return Cell(text, hint=f"{metric.meaning}; among {found.among:,.0f}")


def _pair_section(contenders: Sequence[Contender]) -> str:
    comparisons = compare_all(contenders)
    shared = [each for each in comparisons if each.paired.pairs]
    if not shared:
        return ""
    rows = [
        (
            Cell(each.first, "head"),
            Cell(each.second, "left"),
            Cell(f"{each.paired.pairs}"),
            Cell(_points(each.paired.difference)),
            Cell(_points_interval(each.paired.interval)),
            Cell(f"{each.paired.only_first:g} : {each.paired.only_second:g}"),
            Cell(_p(each.adjusted_p), hint=each.paired.method),
            Cell(outcome(each), "left", verdict(each)),
            Cell(_count(each.levels_needed)),
            Cell(_count(each.episodes_needed)),
        )
        for each in shared
    ]
    columns = (
        "first",
        Cell("second", "left"),
        Cell("levels", hint="that both have played"),
        Cell("difference", hint="of the success rates, in points"),
        "95 % interval",
        Cell("only one solved", hint=WINS),
        Cell("p", hint="adjusted for all pairs by Benjamini and Hochberg"),
        Cell("verdict", "left"),
        Cell(
            "levels needed", hint="that both play, to tell them apart with 80 % power if they go on like this"
        ),
        Cell("unpaired", hint="episodes that each would need on levels of its own"),
    )
    lead = (
        "Every pair on the levels that both have played. Pairing needs far fewer levels than counting apart."
    )
    if len(shared) < len(comparisons):
        lead += f" {len(comparisons) - len(shared)} pairs share no level and are left out."
    return _section("pairs", "Who is better", lead, table(columns, rows))


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _breakdown_section(contenders: Sequence[Contender]) -> str:
    groups = breakdown(contenders)
    parts = []
    for by in dict.fromkeys(group.by for group in groups):
        mine = [group for group in groups if group.by == by]
        values = list(dict.fromkeys(group.value for group in mine))
        found = {(group.contender, group.value): group for group in mine}
        rows = [
            [_name(place, contender), *(_group_cell(found[contender.label, value]) for value in values)]
            for place, contender in enumerate(contenders)
        ]
        parts.append(f"<h3>by {escape(by.replace('_', ' '))}</h3>{table(['', *values], rows, 'heat')}")
    if not parts:
        return ""
    lead = "Success by what the levels are like. Few episodes say little: hover over a cell for its interval."
    return _section("breakdown", "Where", lead, f'<div class="grid">{_divs(parts)}</div>')


def _divs(parts: Sequence[str]) -> str:
    return "".join(f"<div>{part}</div>" for part in parts)


def _group_cell(group: Group) -> Cell:
    if group.rate is None:
        return Cell("-", "none")
    hint = f"{group.successes} of {group.trials}; 95 % interval {group.low:.0%} to {group.high:.0%}"
    return Cell(f"{group.rate:.0%}", hint=hint, tint=group.rate)


def _disguise_section(contenders: Sequence[Contender]) -> str:
    found = drops(contenders)
    if not found:
        return ""
    rows = [
        (
            Cell(each.label, "head"),
            Cell(str(each.disguise), "left"),
            Cell(f"{each.paired.pairs}"),
            Cell("-" if each.paired.difference is None else _points(0.0 - each.paired.difference)),
            Cell(_points_interval(_negative(each.paired.interval))),
            Cell(_p(each.paired.p_value), hint=each.paired.method),
        )
        for each in found
    ]
    columns = ("", Cell("disguise", "left"), "levels", "change", "95 % interval", "p")
    lead = (
        "The same levels with the same optimum, turned, mirrored or renamed: a change shows what was memory."
    )
    return _section("disguises", "In disguise", lead, table(columns, rows))


def _negative(interval: Interval | None) -> Interval | None:
    return None if interval is None else interval._replace(low=0.0 - interval.high, high=0.0 - interval.low)


def _p(value: float | None) -> str:
    return "-" if value is None else show_p(value).removeprefix("p = ").removeprefix("p ")


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:+.1f}"


def _points_interval(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval.low * 100:+.1f} to {interval.high * 100:+.1f}"
