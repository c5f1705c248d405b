"""The charts of a report as files for papers: PNG, PDF or SVG, by matplotlib (the extra ``plot``)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.analysis.diagnosis import FailureClass
from maze_gym.evaluation.analysis.metrics import success_rate
from maze_gym.evaluation.report.breakdown import breakdown
from maze_gym.evaluation.report.tables import failure_counts
from maze_gym.extras import require
from mazegen.core.printable import printable
from mazegen.core.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maze_gym.evaluation.analysis.contenders import Contender

FORMATS = ("png", "pdf", "svg")
DPI = 200
_WIDTH, _ROW, _MARGIN = 7.0, 0.34, 1.1  # inches
_COLORS = ("#2158d0", "#d0672a", "#1d8a4e", "#8a4fc7", "#c2326f", "#0f8b9a", "#8a6d1c", "#55617a")
_FAILURE_COLORS = dict(
    zip(
        FailureClass,
        (
            "#2f9e63",
            "#aab2bf",
            "#8a4fc7",
            "#c02b2b",
            "#e0574a",
            "#d98a1f",
            "#e3b341",
            "#4b8fd6",
            "#c2326f",
            "#5f7f6b",
            "#7d8797",
        ),
        strict=True,
    )
)


def save_plots(contenders: Sequence[Contender], folder: Path, kind: str) -> list[Path]:
    """Write the charts into a folder; it is made if it does not exist.

    Args:
        contenders: whose results.
        folder: where to.
        kind: one of ``FORMATS``.

    Raises:
        InvalidArgument: there is no such format.
        MissingExtra: matplotlib is not installed.
        NotWritten: the disk did not take a file; those that were there are as they were.
    """
    if kind not in FORMATS:
        msg = f"plots are written as one of {', '.join(FORMATS)}, got {kind!r}"
        raise InvalidArgument(msg)
    require("matplotlib", "plot")
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    figures = {"success": _success, "failures": _failures, "breakdown": _breakdown}
    written = []
    for name, draw in figures.items():
        figure = Figure(layout="constrained")
        if draw(figure, contenders):
            path = folder / f"{name}.{kind}"
            # Without a date, the same runs are the same bytes.
            metadata = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}[kind]
            data = io.BytesIO()  # matplotlib's errors about a full disk are no OSError
            figure.savefig(data, format=kind, dpi=DPI, metadata=metadata)
            write_whole(path, data.getvalue())
            written.append(path)
    return written


def _success(figure: Any, contenders: Sequence[Contender]) -> bool:  # noqa: ANN401 - matplotlib is optional
    figure.set_size_inches(_WIDTH, _MARGIN + _ROW * len(contenders))
    axes = figure.subplots()
    for row, contender in enumerate(contenders):
        rate = success_rate(contender.plain)
        if rate.rate is None or rate.interval is None:
            continue
        color = _COLORS[row % len(_COLORS)]
        axes.plot(rate.interval, (row, row), color=color, linewidth=5, alpha=0.35, solid_capstyle="round")
        axes.plot((rate.rate,), (row,), "o", color=color, markersize=8)
        axes.annotate(
            f"{rate.successes}/{rate.trials}",
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=9,
        )
    _rows(axes, contenders)
    axes.set_xlim(-0.02, 1.02)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel("success rate, 95 % Wilson interval")
    axes.grid(axis="x", alpha=0.3)
    return True


def _failures(figure: Any, contenders: Sequence[Contender]) -> bool:  # noqa: ANN401 - matplotlib is optional
    figure.set_size_inches(_WIDTH, _MARGIN + 0.5 + _ROW * len(contenders))
    axes = figure.subplots()
    counts = [failure_counts(contender.plain) for contender in contenders]
    left = [0.0] * len(contenders)
    for each in FailureClass:
        widths = [count[each] / max(1, sum(count.values())) for count in counts]
        if any(widths):
            axes.barh(range(len(contenders)), widths, left=left, color=_FAILURE_COLORS[each], label=str(each))
            left = [start + width for start, width in zip(left, widths, strict=True)]
    _rows(axes, contenders)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel("share of episodes")
    figure.legend(loc="outside upper center", ncols=5, fontsize=8, frameon=False)
    return True


def _breakdown(figure: Any, contenders: Sequence[Contender]) -> bool:  # noqa: ANN401 - matplotlib is optional
    """Success by each quality of the levels; False where there is nothing to break down by."""
    groups = breakdown(contenders)
    qualities = list(dict.fromkeys(group.by for group in groups))
    if not qualities:
        return False
    figure.set_size_inches(_WIDTH, 2.2 * len(qualities))
    for axes, by in zip(figure.subplots(len(qualities), squeeze=False)[:, 0], qualities, strict=True):
        values = list(dict.fromkeys(group.value for group in groups if group.by == by))
        for place, contender in enumerate(contenders):
            mine = {
                group.value: group
                for group in groups
                if group.by == by and group.contender == contender.label
            }
            points = [(values.index(value), group) for value, group in mine.items() if group.rate is not None]
            shift = (place - (len(contenders) - 1) / 2) * 0.7 / max(1, len(contenders))
            axes.errorbar(
                [x + shift for x, _ in points],
                [group.rate for _, group in points],
                yerr=[
                    [max(0.0, (group.rate or 0) - (group.low or 0)) for _, group in points],
                    [max(0.0, (group.high or 0) - (group.rate or 0)) for _, group in points],
                ],
                fmt="o",
                color=_COLORS[place % len(_COLORS)],
                markersize=4,
                linewidth=1.2,
                label=_plain(contender.label) if by == qualities[0] else None,
            )
        axes.set_xticks(range(len(values)), values, fontsize=8)
        axes.set_ylim(-0.04, 1.04)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_title(f"success by {by.replace('_', ' ')}", fontsize=9, loc="left")
        axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return True


def _plain(name: str) -> str:
    """A name as it stands: a dollar sign would begin a formula, a control character break the file."""
    return printable(name).replace("$", r"\$")


def _rows(axes: Any, contenders: Sequence[Contender]) -> None:  # noqa: ANN401 - matplotlib is optional
    axes.set_yticks(range(len(contenders)), [_plain(each.label) for each in contenders])
    axes.set_ylim(len(contenders) - 0.5, -0.5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
