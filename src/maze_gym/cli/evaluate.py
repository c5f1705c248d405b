"""``maze-gym evaluate``: policies over levels, a progress bar, and a table at the end."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, assert_never

import typer

from maze_gym.cli.console import Column, Listing, say, show, warn
from maze_gym.cli.engine import Engine
from maze_gym.cli.run_options import RunOptions, takes
from maze_gym.errors import InvalidArgument, StopReason
from mazegen.core.interrupts import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from maze_gym.evaluation import EpisodeRecord, EvalPlan, Summary
    from maze_gym.evaluation.limits import Control, Limits
    from maze_gym.evaluation.result import Played
    from maze_gym.evaluation.storage.run_folder import RunFolder
    from maze_gym.llm.backends.server import Service

STOPPED, REFUSED = 3, 4  # exit codes
BUDGET = "Limits: the run stops there, keeps what it has, and can be resumed"


class Track(StrEnum):
    """Who else is told of results as they come."""

    NONE = "none"
    TENSORBOARD = "tensorboard"


@dataclass(frozen=True)
class EvaluateOptions(RunOptions):
    """Where a run is kept, when it stops early, and how it shows itself."""

    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the run in this folder, safe from any interruption."),
    ] = None
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the run in --out; what is played must be the same."),
    ] = False
    retry_unscored: Annotated[
        bool,
        typer.Option("--retry-unscored", help="With --resume: play again what the provider did not answer."),
    ] = False
    max_cost: Annotated[
        float | None, typer.Option(help="US dollars of the whole run.", rich_help_panel=BUDGET)
    ] = None
    max_total_tokens: Annotated[
        int | None,
        typer.Option(help="Tokens of the whole run; --max-tokens is for one reply.", rich_help_panel=BUDGET),
    ] = None
    max_time: Annotated[float | None, typer.Option(help="Seconds from now.", rich_help_panel=BUDGET)] = None
    engine: Annotated[
        Engine, typer.Option(help="ray: on the cluster that RAY_ADDRESS names, or a local one.")
    ] = Engine.LOCAL
    track: Annotated[
        Track, typer.Option(help="Show results as they come; tensorboard reads --out/tensorboard.")
    ] = Track.NONE
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False

    def check(self, service: Service) -> None:
        """Refuse options that make no sense without others."""
        for missing, wanted, message in (
            (self.out is None, self.resume, "--resume needs --out, the folder of the run"),
            (not self.resume, self.retry_unscored, "--retry-unscored needs --resume"),
            (self.out is None, self.track != Track.NONE, "--track needs --out, the folder to write to"),
            (
                service.prices is None,
                self.max_cost is not None,
                "--max-cost needs to know what tokens cost: give --price-in and --price-out",
            ),
        ):
            if missing and wanted:
                raise InvalidArgument(message)

    def limits(self) -> Limits:
        """What the run may spend and how fast."""
        from maze_gym.evaluation.limits import Limits

        return Limits(
            self.max_cost,
            self.max_total_tokens,
            self.max_time,
            self.requests_per_minute,
            self.tokens_per_minute,
        )

    def folder(self, run: EvalPlan) -> RunFolder | None:
        """Where the run is kept, if it is."""
        from maze_gym.evaluation.storage.run_folder import RunFolder

        if self.out is None:
            return None
        return RunFolder(self.out, run, resume=self.resume, retry_unscored=self.retry_unscored)


@takes(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> None:
    """Let policies play the same levels and compare them.

    Example: maze-gym evaluate --levels starter --policy random --policy oracle --episodes 100

    Exit codes: 0 all was played, 2 an option or a file is wrong, 3 stopped at a limit, 4 the server
    refuses or never answers one of the policies, 130 interrupted. After 3, 4 and 130 the same command
    with --resume goes on.
    """
    from maze_gym.evaluation import summarise
    from maze_gym.evaluation.limits import Control
    from maze_gym.evaluation.storage.run_folder import FINISHED

    service = options.service()
    options.check(service)
    limits, run = options.limits(), options.plan()
    for file, reason in run.skipped:
        warn(f"not played: {file}: {reason}")
    with options.folder(run) or contextlib.nullcontext() as folder:
        control = Control(
            limits,
            on_call=None if folder is None else folder.add_call,
            on_model=None if folder is None else folder.check_model,
        )
        session = _Session(run, service, control, folder)
        end = session.play(options.engine, options.track, options.concurrency)
        records = {name: session.records(name) for name in run.policies}
        summaries = [summarise(name, records[name]) for name in run.policies]
        if folder is not None:
            folder.finish(summaries, end.why or FINISHED)
        _show(run, summaries, as_json=options.as_json)
        if options.augment and not options.as_json:
            _show_drops(records)
        session.tell(end, records)


class _End(NamedTuple):
    """Why a session ended early, or None, and the same in words for people."""

    why: StopReason | None = None
    message: str = ""

    @property
    def exit_code(self) -> int:
        """What the shell is told."""
        match self.why:
            case None:
                return 0
            case StopReason.INTERRUPTED:
                return INTERRUPTED
            case StopReason.REFUSED:
                return REFUSED
            case StopReason.COST | StopReason.TOKENS | StopReason.TIME | StopReason.UNTOLD:
                return STOPPED
            case _:
                assert_never(self.why)


class _Session:
    """One stretch of work on a run, from the first episode that is left to the last, or to a stop."""

    def __init__(self, run: EvalPlan, service: Service, control: Control, folder: RunFolder | None) -> None:
        self.run, self.service, self.control, self.folder = run, service, control, folder
        self._kept: dict[tuple[str, int], EpisodeRecord] = {}
        for call in () if folder is None else folder.calls():
            control.count(call)

    def play(self, engine: Engine, track: Track, concurrency: int) -> _End:
        """Play what is left; whatever stops it, what has ended is kept."""
        from maze_gym.errors import NotWritten, RunStopped
        from maze_gym.evaluation.storage.tracking import Tracker

        try:
            with Tracker(None if track == Track.NONE or self.folder is None else self.folder.path) as tracker:
                for played in _with_progress(self.run, self._episodes(engine, concurrency), self._done()):
                    if self.folder is None:
                        self._kept[played.outcome.key] = played.outcome.episode
                    else:
                        self.folder.add(played)
                    tracker.add(played.outcome)
        except KeyboardInterrupt:
            return _End(StopReason.INTERRUPTED, "interrupted")
        except RunStopped as stop:
            return _End(stop.why, f"stopped: {stop}")
        except NotWritten as error:
            msg = f"{error} ({len(self._done())} episodes); make room, and go on with --resume"
            raise NotWritten(msg) from error
        return _End()

    def records(self, policy: str) -> list[EpisodeRecord]:
        """The episodes of a policy that have ended, in the order of their numbers."""
        if self.folder is not None:
            return self.folder.records(policy)
        return [self._kept[key] for key in sorted(self._kept) if key[0] == policy]

    def tell(self, end: _End, records: Mapping[str, Sequence[EpisodeRecord]]) -> None:
        """Say what models have cost, what has no verdict, and why the run did not reach its end.

        A policy whose provider has never answered is no result, though all of its episodes were played.
        """
        if self.control.calls:
            warn(f"{self._cost()}")
        for policy, played in records.items():
            self._tell_unscored(policy, played)
        if end.exit_code:
            planned, ended = self.run.episodes * len(self.run.policies), sum(map(len, records.values()))
            message = f"{end.message} after {ended} of {planned} episodes; the table shows those"
            hint = "" if self.folder is None or ended == planned else "; go on with --resume"
            warn(f"{message}{hint}")
            raise typer.Exit(end.exit_code)
        if any(map(_never_answered, records.values())):
            raise typer.Exit(REFUSED)

    def _tell_unscored(self, policy: str, played: Sequence[EpisodeRecord]) -> None:
        """One line where episodes have no verdict: how many, and the reason that was given last."""
        from maze_gym.evaluation.result_table import unscored_in_words

        hint = "" if self.folder is None else " (--resume --retry-unscored plays them again)"
        if words := unscored_in_words(policy, played, hint):
            warn(words)

    def _cost(self) -> str:
        """What models have taken: calls of this session, tokens and money of the whole run."""
        control = self.control
        parts = [f"{control.calls:,} calls of language models"]
        if control.tokens:  # a chat without a server counts none
            price = "" if self.service.prices is None else f" and ${control.cost_usd:.4f}"
            parts.append(f"{control.tokens:,} tokens{price} in the run so far")
        in_vain = [] if self.folder is None else list(self.folder.calls_in_vain())
        if in_vain:
            tokens = sum((call["input_tokens"] or 0) + (call["output_tokens"] or 0) for call in in_vain)
            parts.append(f"{len(in_vain):,} calls ({tokens:,} tokens) were for episodes that did not end")
        return "; ".join(parts)

    def _done(self) -> Collection[tuple[str, int]]:
        return () if self.folder is None else self.folder.done

    def _episodes(self, engine: Engine, concurrency: int) -> Iterator[Played]:
        from maze_gym.evaluation import play_run

        take = "" if self.folder is None else str(self.folder.session)
        done = frozenset(self._done())
        if engine == Engine.RAY:
            from maze_gym.evaluation.ray_engine import play_on_ray

            return play_on_ray(
                self.run, self.control, self.service, concurrency=concurrency, done=done, take=take
            )
        return play_run(
            self.run, self.control, service=self.service, concurrency=concurrency, done=done, take=take
        )


def _never_answered(played: Sequence[EpisodeRecord]) -> bool:
    """Whether there are episodes, and the provider is to blame that none of them has a verdict."""
    from maze_gym.ending import EndReason

    reasons = {episode.end_reason for episode in played}
    return EndReason.PROVIDER_ERROR in reasons and all(episode.success is None for episode in played)


def _with_progress(
    run: EvalPlan, episodes: Iterator[Played], done: Collection[tuple[str, int]]
) -> Iterator[Played]:
    """Hand episodes through; a bar on stderr while that is a terminal."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from maze_gym.llm.untrusted import shown

    columns = (
        TextColumn("{task.description:>10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    before = Counter(policy for policy, _ in done)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bars = {
            name: progress.add_task(escape(shown(name)), total=run.episodes, completed=before[name])
            for name in run.policies
        }
        for played in episodes:
            progress.advance(bars[played.outcome.episode.policy])
            yield played


def _show(run: EvalPlan, summaries: Sequence[Summary], *, as_json: bool) -> None:
    if as_json:
        from maze_gym.evaluation.storage.run_folder import describe

        results = [summary._asdict() for summary in summaries]
        typer.echo(json.dumps({"config": describe(run), "results": results}))
        return
    show(_listing(run, summaries))


def _show_drops(records: Mapping[str, Sequence[EpisodeRecord]]) -> None:
    """The table is of levels as they are; what their disguises cost follows it."""
    from maze_gym.evaluation.analysis.comparison import drop_in_words, drops_of
    from maze_gym.evaluation.analysis.evidence import Evidence

    say("In disguise, paired with the same levels as they are:")
    for policy, played in records.items():
        for drop in drops_of(policy, map(Evidence, played)):
            say(f"  {drop_in_words(drop)}", hang=4)


def _listing(run: EvalPlan, summaries: Sequence[Summary]) -> Listing:
    from maze_gym.evaluation.result_table import COLUMNS, result_table

    table = result_table(run, summaries)
    policy, *numbers, ended_by = COLUMNS
    columns = [Column(policy, folds=True, is_key=True), *map(Column, numbers), Column(ended_by, folds=True)]
    return Listing(table.title, columns, table.rows, table.notes)
