"""``maze-gym evaluate``: policies over levels, a progress bar, and a table at the end."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.game import Coordinates, Prompting, ReplyFormat
from maze_gym.llm.config import Constrain, History, Observe, Querying

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from maze_gym.evaluation import EpisodeRecord, Plan, Summary

DEFAULT_POLICIES = ("random", "greedy", "oracle")
INTERRUPTED = 130
MODELS = "Language models"


def evaluate(
    *,
    levels: Annotated[
        str | None,
        typer.Option(metavar="FILE|FOLDER|SUITE", help="What to play; by default the world's own suite."),
    ] = None,
    tier: Annotated[
        int | None, typer.Option(help="Generate levels of this difficulty tier, 1 to 5, instead.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays; repeat for several. By default random, greedy and oracle. "
            "Language models: openai:MODEL, hf:MODEL, transformers:MODEL, local:smollm2, scripted:FILE, "
            "oracle-chat, random-chat."
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(min=1, help="Episodes per policy, visiting the levels in turn; by default one each."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the run.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write episodes.jsonl, config.json, summary.json and transcripts.jsonl."
        ),
    ] = None,
    env: Annotated[str, typer.Option(metavar="ID", help="The world to play.")] = "MazeNLU-v0",
    prompting: Annotated[
        Prompting, typer.Option(help="How much is explained.", rich_help_panel=MODELS)
    ] = Prompting.STANDARD,
    observation: Annotated[
        Observe, typer.Option(help="What a turn shows.", rich_help_panel=MODELS)
    ] = Observe.TEXT,
    context: Annotated[
        str,
        typer.Option(
            metavar="current|lastN", help="How many earlier steps a turn repeats.", rich_help_panel=MODELS
        ),
    ] = "current",
    history: Annotated[
        History, typer.Option(help="Earlier turns: a window, or all as messages.", rich_help_panel=MODELS)
    ] = History.WINDOW,
    querying: Annotated[
        Querying, typer.Option(help="How many actions a reply holds.", rich_help_panel=MODELS)
    ] = Querying.STEP,
    reply_format: Annotated[
        ReplyFormat | None,
        typer.Option(help="How answers are marked; by default the world's way.", rich_help_panel=MODELS),
    ] = None,
    retries: Annotated[
        int, typer.Option(min=0, help="How often an unusable reply is asked again.", rich_help_panel=MODELS)
    ] = 3,
    stall_limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="End an episode after so many steps without a new state.", rich_help_panel=MODELS
        ),
    ] = None,
    failure_limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="End an episode after so many failed actions in a row.", rich_help_panel=MODELS
        ),
    ] = None,
    show_legal_actions: Annotated[
        bool,
        typer.Option(
            "--show-legal-actions", help="List what has an effect; refuse the rest.", rich_help_panel=MODELS
        ),
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Show one example of a reply.", rich_help_panel=MODELS)
    ] = False,
    coordinates: Annotated[
        Coordinates, typer.Option(help="How texts name cells.", rich_help_panel=MODELS)
    ] = Coordinates.ROW_COL,
    cell_px: Annotated[
        int, typer.Option(min=1, help="Pixels a cell of the picture.", rich_help_panel=MODELS)
    ] = 32,
    constrain: Annotated[
        Constrain, typer.Option(help="Hold replies to the format (llama.cpp).", rich_help_panel=MODELS)
    ] = Constrain.NONE,
    temperature: Annotated[
        float, typer.Option(min=0, max=2, help="Of the model's sampling.", rich_help_panel=MODELS)
    ] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply.", rich_help_panel=MODELS)] = 1024,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Let policies play the same levels and compare them.

    Example: maze-gym evaluate --levels starter --policy random --policy oracle --episodes 100
    """
    from maze_gym import evaluation
    from maze_gym.evaluation.run_folder import RunFolder
    from maze_gym.llm.config import ExperimentConfig

    config = ExperimentConfig(
        prompting=prompting,
        observation=observation,
        context_window=context,
        history=history,
        querying=querying,
        reply_format=reply_format,
        retries=retries,
        stall_limit=stall_limit,
        failure_limit=failure_limit,
        show_legal_actions=show_legal_actions,
        example=example,
        coordinates=coordinates,
        cell_px=cell_px,
        constrain=constrain,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    run = evaluation.plan(
        policy or DEFAULT_POLICIES,
        env_id=env,
        levels=levels,
        tier=tier,
        episodes=episodes,
        seed=seed,
        config=config,
    )
    for file, reason in run.skipped:
        sys.stderr.write(f"maze-gym: not played: {file}: {reason}\n")
    folder = None if out is None else RunFolder(out, run)
    records: list[EpisodeRecord] = []
    interrupted = False
    try:
        write = None if folder is None else folder.add_transcript
        for record in _with_progress(run, evaluation.evaluate(run, on_transcript=write)):
            if folder is None:
                records.append(record)
            else:
                folder.add(record)
    except KeyboardInterrupt:
        interrupted = True
    if folder is not None:
        records = folder.records()
    summaries = [
        evaluation.summarise(name, [record for record in records if record.policy == name])
        for name in run.policies
    ]
    if folder is not None:
        folder.finish(summaries)
    _show(run, summaries, as_json=as_json)
    if interrupted:
        played, planned = len(records), run.episodes * len(run.policies)
        sys.stderr.write(
            f"maze-gym: interrupted after {played} of {planned} episodes; the table shows those\n"
        )
        raise typer.Exit(INTERRUPTED)


def _with_progress(run: Plan, records: Iterator[EpisodeRecord]) -> Iterator[EpisodeRecord]:
    """Hand records through; a bar on stderr while that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description:>10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bars = {name: progress.add_task(name, total=run.episodes) for name in run.policies}
        for record in records:
            progress.advance(bars[record.policy])
            yield record


def _show(run: Plan, summaries: Sequence[Summary], *, as_json: bool) -> None:
    if as_json:
        from maze_gym.evaluation.run_folder import describe

        results = [summary._asdict() for summary in summaries]
        typer.echo(json.dumps({"config": describe(run), "results": results}))
        return
    from rich.console import Console

    Console().print(_table(run, summaries))


def _table(run: Plan, summaries: Sequence[Summary]) -> Table:
    from rich import box
    from rich.table import Table

    levels = (
        f"{len(run.levels)} level{'s' if len(run.levels) > 1 else ''}" if run.levels else "generated levels"
    )
    title = f"{run.env_id}: {levels}, {run.episodes} episodes per policy, seed {run.seed}"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("policy", no_wrap=True)
    for name in ("success", "95 % interval", "steps", "/ optimal", "SPL"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("ended by")
    for summary in summaries:
        table.add_row(
            summary.policy,
            f"{summary.successes}/{summary.episodes}",
            "-" if summary.interval is None else "{:.1%} - {:.1%}".format(*summary.interval),
            _number(summary.mean_steps, 1),
            _number(summary.steps_over_optimal, 3),
            _number(summary.spl, 3),
            ", ".join(f"{reason} {count}" for reason, count in summary.end_reasons.items()) or "-",
        )
    table.caption = (
        "95 % interval: Wilson. / optimal: steps over optimal steps, successes only.\n"
        "SPL: success weighted by optimal / taken actions."
    )
    table.caption_justify = "left"
    return table


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
