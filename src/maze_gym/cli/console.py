"""How words and tables come to the screen: nothing in them is ever cut off, and no line is wider than it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, TextIO

import typer

from maze_gym.cli.harmless import harmless_console
from mazegen.core.line_width import cells, width_of, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

NAME_WIDTH = 10  # least columns of a name, so that it can be read on 80
NO_EDGE = 10_000  # columns; a table is only as wide as what stands in it
LONGEST_NAME = 1_000  # letters of a name that comes from elsewhere; a table folds them
EDGES, GAP, CLOSE_GAP = 2, 3, 2  # columns around a table, and between two of its columns


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        title: what stands above it.
        folds: whether its cells are words that may go on in a further line; numbers, and names to be copied,
            may not unless the screen is narrower than they are.
        is_key: whether it says whose row this is; where a table is split, each part begins with it.
    """

    title: str
    folds: bool = False
    is_key: bool = False


class Listing(NamedTuple):
    """A table, before anybody knows how wide the screen is.

    Attributes:
        title: a line above it, or nothing.
        columns: what its columns are.
        rows: its cells, plain text.
        notes: lines below it.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


def name(text: str) -> str:
    """A name that comes from elsewhere, whole and harmless."""
    from maze_gym.llm.untrusted import shown

    return shown(text, LONGEST_NAME)


def say(text: str, *, hang: int | None = None, to: TextIO | None = None) -> None:
    """Print words; see ``mazegen.core.line_width.wrapped``."""
    stream = sys.stdout if to is None else to
    typer.echo(wrapped(text, width_of(stream), hang=hang), file=stream)


def warn(text: str) -> None:
    """Print what is no result on stderr, under the name of the program."""
    say(f"maze-gym: {text}", hang=2, to=sys.stderr)


def in_bands(picture: str) -> list[str]:
    """The lines of a picture in letters; in a narrower terminal one band of columns after the other."""
    lines = picture.split("\n")
    across = max(map(cells, lines))
    width = width_of(sys.stdout) or NO_EDGE
    if across <= width:
        return lines
    bands: list[str] = []
    for first in range(0, across, width):
        bands += [f"columns {first} to {min(first + width, across) - 1}:"]
        bands += [line[first : first + width] for line in lines]
    return bands


def show(listing: Listing) -> None:
    """Print a table: in a terminal as wide as it is, else as wide as it needs.

    Where the columns do not fit side by side, they come as several tables, each with the keys again.
    """
    width = width_of(sys.stdout)
    console = harmless_console(width or NO_EDGE)
    if listing.title:
        for line in wrapped(listing.title, width).split("\n"):
            console.print(line, style="bold", markup=False, highlight=False)
    is_close = False
    for number, part in enumerate(_parts(listing, width or NO_EDGE)):
        if number:
            console.print()
        console.print(part)
        is_close = not part.show_edge
    if is_close:
        console.print()
    for note in listing.notes:
        say(note)


def _parts(listing: Listing, width: int) -> Iterator[Table]:
    """The table, or as many as it takes, each with the columns that fit."""
    least = [_least(listing, place) for place in range(len(listing.columns))]
    places = list(range(len(listing.columns)))
    if sum(least) + GAP * (len(least) - 1) + 2 * EDGES <= width:
        yield _table(listing, places, least, is_close=False, fits=True)
        return
    keys = [place for place in places if listing.columns[place].is_key]
    left = [place for place in places if place not in keys]
    while left:
        taken = 1
        while taken < len(left) and _close_width(least, [*keys, *left[: taken + 1]]) <= width:
            taken += 1
        chosen, left = sorted([*keys, *left[:taken]]), left[taken:]
        yield _table(listing, chosen, least, is_close=True, fits=_close_width(least, chosen) <= width)


def _close_width(least: Sequence[int], places: Sequence[int]) -> int:
    return sum(least[place] for place in places) + CLOSE_GAP * (len(places) - 1)


def _least(listing: Listing, place: int) -> int:
    """Columns that a column needs, so that numbers stay whole and names can be read."""
    column = listing.columns[place]
    widest = max(map(cells, [column.title, *(row[place] for row in listing.rows)]))
    return min(widest, NAME_WIDTH) if column.folds else widest


def _table(
    listing: Listing, places: Sequence[int], least: Sequence[int], *, is_close: bool, fits: bool
) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, show_edge=not is_close, pad_edge=not is_close, collapse_padding=is_close
    )
    for place in places:
        column = listing.columns[place]
        table.add_column(
            escape(column.title),
            justify="left" if column.folds or column.is_key else "right",
            overflow="fold",
            no_wrap=fits and not column.folds,
            min_width=least[place] if fits and column.folds else None,
        )
    for row in listing.rows:
        table.add_row(*(escape(row[place]) for place in places))
    return table
