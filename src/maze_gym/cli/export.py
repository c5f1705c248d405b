"""``maze-gym export``: episodes as data sets that other libraries read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli.console import say, warn
from maze_gym.cli.other_worlds import chosen
from maze_gym.cli.run_options import LEVELS, RunOptions, takes
from maze_gym.integrations.chat_options import SHARES, Answers, ChatOptions, Keep, Layout, Reasoning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.evaluation import EvalPlan
    from maze_gym.evaluation.transcript import Transcript

export = typer.Typer(
    help=(
        "Write episodes as data sets that other libraries read.\n\n"
        "Example: maze-gym export chat --levels starter --out data/chats"
    ),
    no_args_is_help=True,
)

# Policies that act without words, and what speaks their actions.
_SPOKEN = {"oracle": "oracle-chat", "random": "random-chat"}


@export.command("chat")
@takes(RunOptions)
def chat(
    options: RunOptions,
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder.")],
    run: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Take the episodes of this run of `evaluate`; play none."),
    ] = None,
    answers: Annotated[
        Answers, typer.Option(help="Whose: the player's, or the solver's to wherever the player came.")
    ] = Answers.SPOKEN,
    reasoning: Annotated[
        Reasoning, typer.Option(help="What stands before an answer: the solver's plan in words, or nothing.")
    ] = Reasoning.NONE,
    keep: Annotated[Keep, typer.Option(help="Only episodes that were won, or all.")] = Keep.SUCCESS,
    layout: Annotated[Layout, typer.Option(help="The columns of a row.")] = Layout.MESSAGES,
    splits: Annotated[
        str, typer.Option(metavar="A,B,C", help="Shares of train, validation and test levels.")
    ] = ",".join(map(str, SHARES)),
) -> None:
    """Write chats for fine-tuning as JSON lines; by default what the oracle says.

    Example: maze-gym export chat --tier 2 --episodes 1000 --reasoning plan --out data/chats
    """
    from maze_gym.evaluation.storage.run_folder import describe
    from maze_gym.integrations.chat_data import ChatFolder

    how = ChatOptions(answers, reasoning, keep, layout, _shares(splits)).checked()
    if run is None:
        plan = _planned(options)
        records, source = _played(plan, options), describe(plan)
    else:
        _refuse_options(options)
        records, source = _recorded(run), {"folder": run.name}
    with ChatFolder(out, how, source) as folder:
        for record in records:
            folder.add(record)
    counts = folder.counts
    rows = ", ".join(f"{counts[name]:,} {name}" for name in ("train", "validation", "test"))
    say(
        f"{out}: {rows} rows from {counts['episodes']:,} episodes "
        f"({counts['dropped']:,} dropped, {counts['duplicates']:,} duplicate rows)",
        to=sys.stderr,
    )


@export.command("minari")
def minari(
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(help="Who plays; repeat for data of mixed quality. By default the oracle."),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(min=1, help="Episodes per policy, visiting the levels in turn; by default one each."),
    ] = None,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="Replace each action by a random one with this probability.")
    ] = 0.0,
    name: Annotated[
        str | None, typer.Option(metavar="ID", help="Of the data set; by default such as MazeNLU/oracle-v0.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of data sets; by default Minari's own.")
    ] = None,
    env: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The world to play; by default that of the levels, or MazeNLU-v0."),
    ] = None,
    levels: Annotated[
        str | None,
        typer.Option(metavar=LEVELS, help="What to play; by default the world's own suite."),
    ] = None,
    tier: Annotated[
        int | None, typer.Option(help="Generate levels of this difficulty tier, 1 to 5, instead.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the episodes.")] = 0,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Replay every step and compare it.")
    ] = True,
) -> None:
    """Write a Minari data set of experts, or of mixed quality, that replays step for step.

    Example: maze-gym export minari --policy oracle --policy random --episodes 100 --tier 2
    """
    from maze_gym.integrations.minari import Episodes, default_name, export_minari, replay

    policies = tuple(dict.fromkeys(policy or ["oracle"]))
    world = chosen(env, levels)
    what = Episodes(world, policies, levels, tier, episodes, seed, noise)
    title = name or default_name(world, policies, noise)
    dataset = export_minari(what, title, out)
    replayed = f", {replay(dataset):,} of them replayed and found equal" if check else ""
    say(
        f"{title}: {dataset.total_episodes:,} episodes, {dataset.total_steps:,} steps{replayed}",
        to=sys.stderr,
    )


def _shares(text: str) -> tuple[float, float, float]:
    from maze_gym.errors import InvalidArgument

    try:
        first, second, third = map(float, text.split(","))
    except ValueError as error:
        msg = f"--splits must be three numbers such as 0.8,0.1,0.1, got {text!r}"
        raise InvalidArgument(msg) from error
    return first, second, third


def _refuse_options(options: RunOptions) -> None:
    """Say which options of a run were given: episodes that were played are past all of them."""
    import dataclasses

    from maze_gym.errors import InvalidArgument

    given = [
        f"--{each.name.replace('_', '-')}"
        for each in dataclasses.fields(options)
        if getattr(options, each.name) != each.default
    ]
    if given:
        msg = f"--run takes episodes that were played; leave out {', '.join(given)}"
        raise InvalidArgument(msg)


def _planned(options: RunOptions) -> EvalPlan:
    import dataclasses

    from maze_gym.errors import InvalidArgument
    from maze_gym.policies.chats import CHAT_POLICIES, is_chat_name

    named = [_SPOKEN.get(name, name) for name in options.policy or ["oracle"]]
    plan = dataclasses.replace(options, policy=named).plan()
    for name in named:
        if name not in CHAT_POLICIES and not is_chat_name(name):
            msg = f"{name} plays without words; chats are made by oracle, random and language models"
            raise InvalidArgument(msg)
    for file, reason in plan.skipped:
        warn(f"not played: {file}: {reason}")
    return plan


def _played(plan: EvalPlan, options: RunOptions) -> Iterator[Transcript]:
    from maze_gym.evaluation.run import play_run
    from maze_gym.evaluation.transcript import Transcript

    for played in play_run(plan, service=options.service(), concurrency=options.concurrency):
        yield Transcript.from_json(played.transcript)


def _recorded(folder: Path) -> Iterator[Transcript]:
    from maze_gym.evaluation.storage.run_reading import read_run

    for _, record in read_run(folder).transcripts():
        yield record
