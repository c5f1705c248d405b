"""Charts as inline SVG: they need no network, and take the colours of the page around them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maze_gym.evaluation.analysis.statistics import Interval

WIDTH = 560  # units of a chart; the page scales it to its own width
LABEL_WIDTH = 150
_ROW = 24
_TOP, _BOTTOM = 6, 24
_CHARACTER = 6.6  # mean width of a character, for cutting labels
_SHADES = 10  # classes s0 .. s9 of the page's style


class Bar(NamedTuple):
    """A rate with its interval.

    Attributes:
        label: whose.
        value: from ``low`` to ``high`` of the axis; None where it is not known.
        interval: around it.
        note: written at the end of the row.
    """

    label: str
    value: float | None
    interval: Interval | None
    note: str


class Part(NamedTuple):
    """A part of a stacked bar."""

    name: str
    episodes: int
    style: str


def forest(title: str, bars: Sequence[Bar], low: float = 0.0, high: float = 1.0) -> str:
    """Points with their intervals, one below the other, over an axis in percent."""
    right = WIDTH - 118
    height = _TOP + _ROW * len(bars) + _BOTTOM

    def x(value: float) -> float:
        return LABEL_WIDTH + (min(max(value, low), high) - low) / (high - low) * (right - LABEL_WIDTH)

    body = [_axis(x, low, high, height - _BOTTOM)]
    for row, bar in enumerate(bars):
        y = _TOP + _ROW * row + _ROW / 2
        body.append(_label(bar.label, y))
        if bar.interval is not None:
            ends = f'x1="{x(bar.interval.low):.1f}" x2="{x(bar.interval.high):.1f}" y1="{y:.1f}" y2="{y:.1f}"'
            body.append(f'<line class="whisker c{row % _SHADES}" {ends}/>')
        if bar.value is not None:
            body.append(f'<circle class="dot c{row % _SHADES}" cx="{x(bar.value):.1f}" cy="{y:.1f}" r="5"/>')
        body.append(f'<text class="note" x="{right + 16}" y="{y + 4:.1f}">{escape(bar.note)}</text>')
    return _svg(title, height, body)


def stacked(title: str, rows: Sequence[tuple[str, Sequence[Part]]]) -> str:
    """Bars of equal length, each divided into the shares of its parts."""
    right = WIDTH - 40
    height = _TOP + _ROW * len(rows) + 4
    body = []
    for row, (label, parts) in enumerate(rows):
        y = _TOP + _ROW * row
        body.append(_label(label, y + _ROW / 2))
        total = sum(part.episodes for part in parts)
        left = float(LABEL_WIDTH)
        for part in parts:
            if not part.episodes:
                continue
            width = part.episodes / total * (right - LABEL_WIDTH)
            words = f"{part.name}: {part.episodes} of {total}"
            place = f'x="{left:.1f}" y="{y + 4:.1f}" width="{max(width - 1, 0.5):.1f}" height="{_ROW - 8}"'
            body.append(f'<rect class="{part.style}" {place}><title>{escape(words)}</title></rect>')
            if width > _CHARACTER * (len(str(part.episodes)) + 1):
                place = f'x="{left + width / 2:.1f}" y="{y + _ROW / 2 + 4:.1f}"'
                body.append(f'<text class="inbar" {place}>{part.episodes}</text>')
            left += width
        body.append(f'<text class="note" x="{right + 10}" y="{y + _ROW / 2 + 4:.1f}">{total}</text>')
    return _svg(title, height, body)


def _axis(x: Callable[[float], float], low: float, high: float, bottom: float) -> str:
    ticks = [low + (high - low) * part / 4 for part in range(5)]
    lines = []
    for tick in ticks:
        place = x(tick)
        lines.append(f'<line class="grid" x1="{place:.1f}" x2="{place:.1f}" y1="{_TOP}" y2="{bottom:.1f}"/>')
        lines.append(f'<text class="tick" x="{place:.1f}" y="{bottom + 16:.1f}">{tick:.0%}</text>')
    return "".join(lines)


def _label(text: str, y: float) -> str:
    longest = int((LABEL_WIDTH - 10) / _CHARACTER)
    shown = text if len(text) <= longest else f"{text[: longest - 1]}\u2026"
    return (
        f'<text class="label" x="{LABEL_WIDTH - 10}" y="{y + 4:.1f}">{escape(shown)}'
        f"<title>{escape(text)}</title></text>"
    )


def _svg(title: str, height: float, body: Sequence[str]) -> str:
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
    return f'<div class="chart-box">{head}{"".join(body)}</svg></div>'
