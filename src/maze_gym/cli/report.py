"""``maze-gym report RUN...``: a page to look at, or its plots, tables and movies as files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli.console import say, warn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.evaluation.report import Material
    from maze_gym.evaluation.storage.run_reading import Run


class Format(StrEnum):
    """What a report can be."""

    HTML = "html"
    PNG = "png"
    PDF = "pdf"
    SVG = "svg"
    CSV = "csv"
    PARQUET = "parquet"
    GIF = "gif"
    MP4 = "mp4"


MOVIES = (Format.GIF, Format.MP4)
DEFAULT_REPLAYS = 1_000


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs; several stand side by side.")
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE|DIR",
            help="A file (html, gif, mp4) or folder (plots, tables); by default in the run, of several here.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        Format | None,
        typer.Option(
            help="The page, its plots (png, pdf, svg), its tables (csv, parquet), or an episode (gif, mp4). "
            "By default what --out ends in, else html."
        ),
    ] = None,
    replays: Annotated[
        int | None,
        typer.Option(
            min=0, help=f"Episodes that can be stepped through in the page; by default {DEFAULT_REPLAYS:,}."
        ),
    ] = None,
    cell_px: Annotated[
        int, typer.Option(min=8, max=64, help="Pixels a cell of the boards; a multiple of 8 in the page.")
    ] = 32,
    policy: Annotated[str | None, typer.Option(help="Whose episode, for gif and mp4.")] = None,
    episode: Annotated[
        int | None, typer.Option(min=0, help="Which episode, for gif and mp4; by default the first.")
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "",
) -> None:
    """Make a report of runs: one self-contained HTML page, or its parts as files.

    Example: maze-gym report runs/first runs/second -o report.html
    """
    from maze_gym.evaluation.storage.run_reading import read_run

    kind = _kind(format, out)
    for_few = {"--policy": policy, "--episode": episode, "--title": title or None, "--replays": replays}
    _check_wanted(kind, for_few)
    found = [read_run(path) for path in runs]
    where = out or (runs[0] if len(runs) == 1 else Path())
    if kind in MOVIES:
        _movie(found, policy, episode or 0, kind, cell_px, out)
    elif kind == Format.HTML:
        films = DEFAULT_REPLAYS if replays is None else replays
        _page(_examined(found, films, cell_px // 8 * 8), where, title)
    else:
        _files(_examined(found), kind, where if out is not None else where / "report")


def _kind(wanted: Format | None, out: Path | None) -> Format:
    """What is made: what was asked for, else what the file to write ends in.

    Raises:
        InvalidArgument: the two contradict each other, or a file is named for what takes a folder.
    """
    from maze_gym.errors import InvalidArgument

    ending = "" if out is None or out.is_dir() else out.suffix.lower().removeprefix(".")
    if out is None or ending not in set(Format):
        return wanted or Format.HTML
    kind = Format(ending) if wanted is None else wanted
    if kind != ending:
        msg = f"--format {kind} contradicts -o {out}: end its name in .{kind}, or leave out --format"
        raise InvalidArgument(msg)
    if kind not in {Format.HTML, *MOVIES}:
        msg = (
            f"{kind} makes several files, so -o must name a folder: --format {kind} -o {out.with_suffix('')}"
        )
        raise InvalidArgument(msg)
    return kind


def _check_wanted(kind: Format, given: Mapping[str, object]) -> None:
    """Refuse options that have no part in what is made.

    Args:
        kind: what is made.
        given: by the names of options what was given; None for nothing.

    Raises:
        InvalidArgument: there is such an option.
    """
    from maze_gym.errors import InvalidArgument

    for options, kinds in (
        (("--policy", "--episode"), MOVIES),
        (("--title", "--replays"), (Format.HTML,)),
    ):
        for option in options:
            if given[option] is not None and kind not in kinds:
                msg = f"{option} is for {' and '.join(kinds)}, and this makes {kind}; leave it out"
                raise InvalidArgument(msg)


def _page(material: Material, where: Path, title: str) -> None:
    from maze_gym.evaluation.report import page
    from mazegen.core.whole_file import write_whole

    file = where / "report.html" if where.is_dir() else where
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, page(material, title))
    size_mb = file.stat().st_size / 1e6
    say(f"{file} ({size_mb:.1f} MB, {len(material.replays):,} episodes to step through)")


def _files(material: Material, kind: Format, folder: Path) -> None:
    if kind in {Format.CSV, Format.PARQUET}:
        from maze_gym.evaluation.report import tables
        from maze_gym.evaluation.report.table_files import save_tables

        written = save_tables(tables(material.contenders), folder, kind.value)
    else:
        from maze_gym.evaluation.report.plots import save_plots

        written = save_plots(material.contenders, folder, kind.value)
    say("\n".join(map(str, written)))


def _examined(runs: list[Run], replays: int = 0, cell_px: int = 8) -> Material:
    """Examine with a bar on stderr while that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    from maze_gym.evaluation.report import examine

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("playing episodes again", total=sum(len(run.episodes) for run in runs))
        return examine(runs, replays=replays, cell_px=cell_px, on_episode=lambda: progress.advance(bar))


def _movie(
    runs: list[Run], policy: str | None, episode: int, kind: Format, cell_px: int, out: Path | None
) -> None:
    from maze_gym.errors import InvalidArgument
    from maze_gym.evaluation.report.movie import find_episode, frames, save_movie

    if len(runs) != 1:
        msg = f"a movie shows one episode of one run; got {len(runs)} runs"
        raise InvalidArgument(msg)
    run = runs[0]
    outcome = find_episode(run, policy, episode)
    name = "".join(
        letter if letter.isalnum() or letter in "-_." else "-" for letter in outcome.episode.policy
    )
    file = out or run.path / f"{name}-{episode}.{kind}"
    if file.is_dir():
        file = file / f"{name}-{episode}.{kind}"
    elif file.suffix.lower() != f".{kind}":
        warn(f"{file.name} is written as {kind}")
        file = file.with_suffix(f".{kind}")
    pictures = frames(run, outcome, cell_px)
    save_movie(pictures, file)
    say(f"{file} ({len(pictures)} pictures of {outcome.episode.level_id}: {outcome.episode.end_reason})")
