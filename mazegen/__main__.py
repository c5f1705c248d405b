"""``python -m mazegen``: make mazes and prove maze files, with nothing but numpy and numba installed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mazegen.errors import MazeError
from mazegen.spec import Distractors, MazeGenSpec, Topology
from mazegen.tiers import TIERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mazegen.generate_dataset import Progress

REFRESH_S = 0.2  # how often the line is drawn anew on a terminal
LOG_EVERY_S = 10.0  # how often a line is written elsewhere


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0, 1 for a maze that is not valid, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m mazegen", description="Make and prove mazes.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_generate(commands.add_parser("generate", help="write many proved mazes into a folder"))
    check = commands.add_parser("validate", help="prove mazes again and say what is wrong with them")
    check.add_argument("files", nargs="+", metavar="FILE|FOLDER")
    check.add_argument("--json", action="store_true", help="one JSON object a line")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0].startswith("--") and given[0] not in ("--help", "--version"):
        given.insert(0, "generate")  # `python -m mazegen --count 10 ...`
    options = parser.parse_args(given)
    try:
        return _generate(options) if options.command == "generate" else _validate(options)
    except (ValueError, OSError, MazeError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - a command line speaks to people
        return 2


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, required=True, help="number of mazes")
    parser.add_argument("--out", required=True, help="folder; an interrupted run in it goes on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes; they never change the result")
    parser.add_argument("--tier", type=int, choices=sorted(TIERS), help="draw specs from this tier only")
    parser.add_argument("--spec", help="JSON text of a MazeGenSpec, or a file that holds it")
    parser.add_argument("--topology", choices=[str(each) for each in Topology], help="a spec by its fields")
    parser.add_argument("--chain", default="none", help="with --topology: none, or steps such as ksk")
    parser.add_argument("--rows", type=int, default=12, help="with --topology")
    parser.add_argument("--cols", type=int, default=12, help="with --topology")
    for name in Distractors.COUNTS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=0, help="with --topology")
    parser.add_argument("--files", action="store_true", help="one file a maze instead of shards")
    parser.add_argument("--shard-size", type=int, default=10_000)
    parser.add_argument("--splits", default="0.8/0.1/0.1", help="shares of train/validation/test")


def _spec(options: argparse.Namespace) -> MazeGenSpec | None:
    if options.spec is not None and options.topology is not None:
        msg = "give --spec or --topology, not both"
        raise ValueError(msg)
    if options.spec is not None:
        text = (
            options.spec if options.spec.lstrip().startswith("{") else Path(options.spec).read_text("utf-8")
        )
        return MazeGenSpec.from_json(text)
    if options.topology is not None:
        wrong = Distractors(**{name: getattr(options, name) for name in Distractors.COUNTS})
        return MazeGenSpec(Topology(options.topology), options.chain, options.rows, options.cols, wrong)
    return None


def _generate(options: argparse.Namespace) -> int:
    from mazegen.generate_dataset import generate_dataset

    train, validation, test = (float(share) for share in options.splits.split("/"))
    line = ProgressLine(sys.stderr)
    result = generate_dataset(
        options.out,
        options.count,
        spec=_spec(options),
        tier=options.tier,
        seed=options.seed,
        workers=options.workers,
        as_files=options.files,
        shard_size=options.shard_size,
        splits=(train, validation, test),
        on_progress=line.show,
    )
    line.finish(result)
    return 0


def _validate(options: argparse.Namespace) -> int:
    from mazegen.validate_dataset import validate_path

    worst = 0
    for name in options.files:
        for each in validate_path(name):
            if options.json:
                found = {"file": str(each.file), "line": each.line} | each.report.to_dict()
                sys.stdout.write(json.dumps(found) + "\n")
            elif each.line is None or not each.report.passed:
                sys.stdout.write(f"{each.report}\n")
            worst = max(worst, 0 if each.report.passed else 1)
    return worst


class ProgressLine:
    """One line that says how many mazes there are, how fast they come, and how long it takes still."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``: over and over on a terminal, now and then elsewhere."""
        self._stream = stream
        self._every = REFRESH_S if stream.isatty() else LOG_EVERY_S
        self._last = time.monotonic()

    def show(self, progress: Progress) -> None:
        """Show the state, unless it was shown a moment ago."""
        if time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self._write(progress)

    def finish(self, progress: Progress) -> None:
        """Show the last state and end the line."""
        self._write(progress)
        if self._stream.isatty():
            self._stream.write("\n")

    def _write(self, progress: Progress) -> None:
        left = "" if not progress.seconds_left else f", {_duration(progress.seconds_left)} left"
        text = f"{progress.done:,}/{progress.wanted:,} mazes, {progress.per_second:,.0f}/s{left}"
        if progress.duplicates or progress.failed:
            text += f" ({progress.duplicates:,} duplicates dropped, {progress.failed:,} not made)"
        self._stream.write(f"\r\x1b[K{text}" if self._stream.isatty() else f"{text}\n")
        self._stream.flush()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


if __name__ == "__main__":
    raise SystemExit(main())
