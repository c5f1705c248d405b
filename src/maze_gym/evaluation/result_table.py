"""What a run has shown: its records and summaries, and their table as text, as HTML and as a data frame."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.errors import MissingExtra
from maze_gym.evaluation.analysis.metrics import Summary, summarise
from maze_gym.llm.untrusted import shown
from mazegen.core.line_width import cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from maze_gym.errors import RunStopped
    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.evaluation.plan import EvalPlan

__all__ = ["EvaluationResult", "ResultTable", "result_table", "unscored_in_words"]

COLUMNS = ("policy", "success", "95 % interval", "steps", "/ optimal", "SPL", "ended by")
LONGEST_NAME = 1_000  # letters of a policy's name, which may come from elsewhere
LONGEST_DETAIL = 400  # letters of what a provider said
_WORD_COLUMNS = (0, len(COLUMNS) - 1)  # these hold words and stand to the left; the others hold numbers
_GAP = "  "


class ResultTable(NamedTuple):
    """The table of a run, a row for each policy.

    Attributes:
        title: what was played.
        rows: cells of ``COLUMNS``, plain text.
        notes: lines below the table.
    """

    title: str
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]

    def __str__(self) -> str:
        """Plain text, each column as wide as its widest cell."""
        widths = [max(map(cells, column)) for column in zip(COLUMNS, *self.rows, strict=True)]
        lines = [self.title, "", _line(COLUMNS, widths), _GAP.join("-" * width for width in widths)]
        return "\n".join([*lines, *(_line(row, widths) for row in self.rows), "", *self.notes])

    def to_html(self) -> str:
        """An HTML table; every text in it is escaped."""
        head = "".join(f"<th>{escape(title)}</th>" for title in COLUMNS)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )


def result_table(plan: EvalPlan, summaries: Sequence[Summary]) -> ResultTable:
    """The table of a plan's results."""
    levels = _plural(len(plan.levels), "level") if plan.levels else "generated levels"
    title = f"{plan.env_id}: {levels}, {_plural(plan.episodes, 'episode')} per policy, seed {plan.seed}"
    notes = [
        "95 % interval: Wilson. / optimal: steps over optimal steps, successes only.",
        "SPL: success weighted by optimal / taken actions.",
    ]
    measured = [summary for summary in summaries if summary.metrics]
    if measured:
        notes.append("The world's own measures, means:")
    for summary in measured:
        means = ", ".join(f"{metric} {value:.2f}" for metric, value in summary.metrics.items())
        notes.append(f"  {shown(summary.policy, LONGEST_NAME)}: {means}")
    return ResultTable(title, [_row(summary) for summary in summaries], notes)


def _row(summary: Summary) -> list[str]:
    return [
        shown(summary.policy, LONGEST_NAME),
        f"{summary.successes}/{summary.episodes}",
        "-" if summary.interval is None else "{:.1%} - {:.1%}".format(*summary.interval),
        _number(summary.mean_steps, 1),
        _number(summary.steps_over_optimal, 3),
        _number(summary.spl, 3),
        ", ".join(f"{reason} {count}" for reason, count in summary.end_reasons.items()) or "-",
    ]


def unscored_in_words(policy: str, played: Sequence[EpisodeRecord], hint: str = "") -> str:
    """How many episodes of a policy have no verdict, and the reason that was given last; or nothing.

    Args:
        policy: its name.
        played: its episodes.
        hint: what can be done about it, said in brackets or not at all.
    """
    unscored = [episode for episode in played if episode.success is None]
    if not unscored:
        return ""
    count = f"{len(unscored)} of {_plural(len(played), 'episode')} of {shown(policy, LONGEST_DETAIL)}"
    why = shown(unscored[-1].detail or unscored[-1].end_reason, LONGEST_DETAIL)
    return f"unscored: {count}{hint}; the last one: {why}"


@dataclass(frozen=True)
class EvaluationResult:
    """What ``evaluate`` returns; it shows itself as a table, in a terminal and in a notebook.

    Attributes:
        plan: what was to be played.
        records: the episodes of each policy that have ended, in order.
        out: the folder in which the run is kept, if it is.
        stopped: why the run ended before its last episode; None where it did not.
    """

    plan: EvalPlan
    records: Mapping[str, tuple[EpisodeRecord, ...]]
    out: Path | None = None
    stopped: RunStopped | None = None

    @property
    def skipped(self) -> tuple[tuple[str, str], ...]:
        """Files of the levels' source that are not played, and why."""
        return self.plan.skipped

    @cached_property
    def summaries(self) -> tuple[Summary, ...]:
        """The numbers of each policy, in the plan's order; ``maze_gym.evaluation.Summary`` explains them."""
        return tuple(summarise(policy, self.records[policy]) for policy in self.plan.policies)

    @cached_property
    def table(self) -> str:
        """The table as plain text, as ``maze-gym evaluate`` prints it."""
        return str(self._table)

    @cached_property
    def _table(self) -> ResultTable:
        found = result_table(self.plan, self.summaries)
        notes = [*found.notes]
        notes += filter(None, (unscored_in_words(*each) for each in self.records.items()))
        notes += [shown(f"not played: {file}: {reason}", LONGEST_NAME) for file, reason in self.skipped]
        if self.stopped is not None:
            planned, ended = self._planned, sum(map(len, self.records.values()))
            why = shown(str(self.stopped), LONGEST_DETAIL)
            notes.append(f"stopped: {why} after {ended} of {planned} episodes; the table shows those")
        return found._replace(notes=notes)

    @property
    def _planned(self) -> int:
        return self.plan.episodes * len(self.plan.policies)

    def __str__(self) -> str:
        return self.table

    def __repr__(self) -> str:
        ended = sum(map(len, self.records.values()))
        return f"<EvaluationResult: {ended} of {self._planned} episodes of {', '.join(self.plan.policies)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self._table.to_html()

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas.DataFrame, where pandas is installed
        """A pandas ``DataFrame``: a row for each episode, with the fields of ``EpisodeRecord``.

        The world's own measures are columns ``metric_NAME``.

        Raises:
            MissingExtra: pandas is not installed.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ModuleNotFoundError as error:
            msg = "this needs pandas, which is not installed: pip install pandas"
            raise MissingExtra(msg, name="pandas") from error
        rows = []
        for played in self.records.values():
            for record in played:
                fields = record.to_dict()
                metrics = fields.pop("metrics", {})
                rows.append(fields | {f"metric_{name}": value for name, value in metrics.items()})
        return pandas.DataFrame(rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = []
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        room = " " * (width - cells(cell))
        padded.append(cell + room if place in _WORD_COLUMNS else room + cell)
    return _GAP.join(padded).rstrip()


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
