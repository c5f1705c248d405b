"""``maze-gym generate``: many proved mazes into a folder, with a bar, resumable."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from maze_gym.cli.console import say
from maze_gym.cli.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.evaluation.ray_engine import RayExecutor
    from mazegen.datasets.progress import Progress
    from mazegen.generation.spec import MazeGenSpec


def generate(
    *,
    count: Annotated[int, typer.Option(min=1, help="How many different mazes.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where to; an interrupted run of the same call goes on there.")
    ],
    tier: Annotated[int | None, typer.Option(help="Draw specs from this tier, 1 to 5.")] = None,
    spec: Annotated[
        str | None, typer.Option(metavar="JSON|FILE", help="What every maze is: a MazeGenSpec as JSON.")
    ] = None,
    topology: Annotated[
        str | None, typer.Option(help="A spec by its fields: dense_maze, winding_corridor, ...")
    ] = None,
    chain: Annotated[
        str | None, typer.Option(help="With --topology: none (the default), or steps such as ksk.")
    ] = None,
    rows: Annotated[
        int | None, typer.Option(help="With --topology: height in cells; 12 unless given.")
    ] = None,
    cols: Annotated[
        int | None, typer.Option(help="With --topology: width in cells; 12 unless given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data set.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes; they never change the result. By default 1; with ray, all."),
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="One file a maze, not shards.")] = False,
    engine: Annotated[
        Engine, typer.Option(help="ray: on the cluster that RAY_ADDRESS names, or a local one.")
    ] = Engine.LOCAL,
) -> None:
    """Write proved mazes, split into train, validation and test, with a manifest.

    No maze is in two splits, turned or recoloured; walls are: the same ones with another start, goal or key
    are another maze.

    Example: maze-gym generate --count 10000 --tier 2 --out data/tier2 --workers 2
    """
    from maze_gym.errors import InvalidArgument
    from mazegen.generate_dataset import generate_dataset

    wanted = _spec(spec, topology, {"chain": chain, "rows": rows, "cols": cols})
    try:
        with _Bar(count) as bar, _makers(engine, workers) as (number, pool):
            result = generate_dataset(
                out, count, spec=wanted, tier=tier, seed=seed, workers=number, pool=pool,
                as_files=files, on_progress=bar.show,
            )  # fmt: skip
    except ValueError as error:
        raise InvalidArgument(str(error)) from error
    say(_closing_line(result, out), to=sys.stderr)


def _closing_line(result: Progress, out: Path) -> str:
    dropped = f", {result.duplicates:,} duplicates dropped" if result.duplicates else ""
    return f"{result.done:,} mazes in {out} ({result.per_second:,.0f}/s{dropped})"


@contextlib.contextmanager
def _makers(engine: Engine, workers: int | None) -> Iterator[tuple[int, RayExecutor | None]]:
    """How many make the mazes, and on which cluster; None for processes of this machine.

    Raises:
        InvalidArgument: a number of processes is given for a cluster, which says itself how many it runs.
    """
    if engine == Engine.LOCAL:
        yield workers or 1, None
        return
    from maze_gym.errors import InvalidArgument
    from maze_gym.evaluation.ray_engine import RayExecutor, cluster

    if workers is not None:
        msg = (
            f"--workers {workers} is for this machine; --engine ray takes the whole cluster, so leave it out"
        )
        raise InvalidArgument(msg)
    with cluster() as ray:
        pool = RayExecutor(ray)
        yield pool.workers, pool


def _spec(text: str | None, topology: str | None, fields: dict[str, str | int | None]) -> MazeGenSpec | None:
    from maze_gym.errors import InvalidArgument
    from mazegen.generation.spec_options import spec_of

    try:
        return spec_of(text, topology, fields)
    except ValueError as error:
        msg = f"spec: {error}"
        raise InvalidArgument(msg) from error


class _Bar:
    """A rich bar on a terminal, nothing elsewhere: the closing line says it all."""

    def __init__(self, count: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("mazes"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=count, rate="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, state: Progress) -> None:
        """Draw how far the data set is."""
        self._progress.update(self._task, completed=state.done, rate=f"{state.per_second:,.0f}/s")
