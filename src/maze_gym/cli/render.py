"""``maze-gym render``: pictures of levels, in parallel, with a progress bar."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli import other_worlds
from maze_gym.cli.console import say, warn
from maze_gym.cli.run_options import LEVELS

if TYPE_CHECKING:
    from mazegen.render_dataset import Item, Rendering

FAILED = 1


class Format(StrEnum):
    """What a picture file can be."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


def render(
    source: Annotated[str, typer.Argument(metavar=LEVELS, help="The levels to draw.")],
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder where the pictures go.")],
    format: Annotated[Format, typer.Option(help="The kind of file.")] = Format.PNG,  # noqa: A002 - the option's name
    path: Annotated[
        bool, typer.Option("--path", help="Lay a shortest walk over the floor (for people).")
    ] = False,
    cell_px: Annotated[int, typer.Option(min=1, help="Pixels a cell.")] = 32,
    orientation: Annotated[bool, typer.Option("--orientation", help="Number rows and columns.")] = False,
    sheet: Annotated[bool, typer.Option("--sheet", help="Make a contact sheet as well.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one for each core.")
    ] = None,
    env: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The world of the levels; by default theirs, or MazeNLU-v0. Other worlds than mazes as PNG.",
        ),
    ] = None,
) -> None:
    """Draw levels as PNG, SVG or PDF; what is there already is not drawn again.

    Example: maze-gym render starter --out pictures --sheet
    """
    from mazegen import render_dataset

    _refuse_a_file(out)
    world = other_worlds.chosen(env, source)
    if not other_worlds.is_of_mazes(world):
        only_mazes = path or orientation or sheet or format != Format.PNG or workers is not None
        _draw_others(world, source, out, cell_px, only_mazes=only_mazes)
        return
    rendering = render_dataset.Rendering(format.value, cell_px, path, orientation)
    items = _items(source)
    outcomes = _draw(items, out, rendering, workers)
    pictures = outcomes["made"] + outcomes["kept"]
    words = f"{pictures} picture{'s' if pictures != 1 else ''} in {out}"
    if outcomes["kept"]:
        words += f", {outcomes['kept']} of them there before"
    if sheet:
        pages = render_dataset.write_contact_sheets(render_dataset.readable_mazes(items), out)
        names = [page.name for page in pages] or ["nothing to show"]
        words += f"; contact sheet: {names[0]}" + (f" to {names[-1]}" if len(names) > 1 else "")
    say(words)
    if outcomes["failed"] or not pictures:
        raise typer.Exit(FAILED)


def _refuse_a_file(out: Path) -> None:
    """A folder may be called ``level.png``, but nobody who writes that means to make one."""
    from maze_gym.errors import InvalidArgument

    if out.suffix.lower().removeprefix(".") in list(Format) and not out.is_dir():
        msg = f"--out is a folder, got {str(out)!r}; use {str(out.with_suffix(''))!r} or the like"
        raise InvalidArgument(msg)


def _draw_others(env: str, source: str, out: Path, cell_px: int, *, only_mazes: bool) -> None:
    from maze_gym.errors import InvalidArgument

    if only_mazes:
        options = "--path, --orientation, --sheet, --workers and other formats than png"
        msg = f"{options} are for mazes, not for {env}"
        raise InvalidArgument(msg)
    files = list(other_worlds.draw(env, source, out, cell_px))
    say(f"{len(files)} picture{'s' if len(files) != 1 else ''} in {out}")


def _items(source: str) -> list[Item]:
    from maze_gym import suites
    from mazegen.render_dataset import Item, items_in

    if Path(source).exists():
        return items_in(source)
    mazes = [entry.load() for entry in suites.find(source)]
    return [Item(re.sub(r"[^\w/-]+", "-", maze.level_id), maze) for maze in mazes]


def _draw(items: list[Item], out: Path, rendering: Rendering, workers: int | None) -> Counter[str]:
    from rich.console import Console
    from rich.progress import track

    from mazegen.render_dataset import render as render_all

    console = Console(stderr=True)
    outcomes: Counter[str] = Counter()
    results = render_all(items, out, rendering, workers=workers)
    for result in track(
        results, "drawing", len(items), console=console, transient=True, disable=not console.is_terminal
    ):
        outcomes[result.outcome] += 1
        if result.note:
            warn(f"{result.name}: {result.note}")
    return outcomes
