"""``python -m mazegen``: make mazes and prove maze files, with nothing but numpy and numba installed."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from mazegen.core import interrupts
from mazegen.core.file_errors import check_names, in_words
from mazegen.core.line_width import width_of, wrapped
from mazegen.core.printable import printable
from mazegen.datasets.progress import ProgressLine
from mazegen.errors import MazeError
from mazegen.generation.spec import Distractors, Topology
from mazegen.generation.tiers import TIERS

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_BREAK = "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0, 1 for a maze that is not valid, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m mazegen", description="Make and prove mazes.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_generate(commands.add_parser("generate", help="write many proved mazes into a folder"))
    check = commands.add_parser("validate", help="prove mazes again and say what is wrong with them")
    check.add_argument("files", nargs="+", metavar="FILE|FOLDER")
    check.add_argument("--verbose", "-v", action="store_true", help="show the checks that pass, too")
    check.add_argument("--json", action="store_true", help='one JSON object a maze; "line" counts from 0')
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0].startswith("--") and given[0] not in ("--help", "--version"):
        given.insert(0, "generate")  # `python -m mazegen --count 10 ...`
    options = parser.parse_args(given)
    with interrupts.answered("mazegen"):
        try:
            check_names(given)
            return _generate(options) if options.command == "generate" else _validate(options)
        except (ValueError, OSError, MazeError) as error:
            words = in_words(error) if isinstance(error, OSError) else str(error)
            _warn(f"error: {words}")
            return 2
        except KeyboardInterrupt:
            _warn("mazegen: interrupted; the same command goes on where it stopped")
            return interrupts.INTERRUPTED


def _warn(line: str) -> None:
    sys.stderr.write(wrapped(printable(line, keep=LINE_BREAK), width_of(sys.stderr), hang=2) + LINE_BREAK)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, required=True, help="number of mazes")
    parser.add_argument("--out", required=True, help="folder; an interrupted run in it goes on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes; they never change the result")
    parser.add_argument("--tier", type=int, choices=sorted(TIERS), help="draw specs from this tier only")
    parser.add_argument("--spec", help="JSON text of a MazeGenSpec, or a file that holds it")
    parser.add_argument("--topology", choices=[str(each) for each in Topology], help="a spec by its fields")
    parser.add_argument("--chain", help="with --topology: none (the default), or steps such as ksk")
    for name in ("rows", "cols"):
        parser.add_argument(f"--{name}", type=int, help="with --topology; 12 unless given")
    for name in Distractors.COUNTS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help="with --topology; 0 unless given")
    parser.add_argument("--files", action="store_true", help="one file a maze instead of shards")
    parser.add_argument("--shard-size", type=int, default=10_000)
    parser.add_argument("--splits", default="0.8/0.1/0.1", help="shares of train/validation/test")


def _shares(text: str) -> tuple[float, float, float]:
    try:
        train, validation, test = (float(share) for share in text.split("/"))
    except ValueError as error:
        msg = f"--splits must be the shares of train/validation/test, such as 0.8/0.1/0.1, got {text!r}"
        raise ValueError(msg) from error
    return train, validation, test


def _generate(options: argparse.Namespace) -> int:
    from mazegen.datasets.filling import generate_dataset
    from mazegen.generation.spec_options import spec_of

    fields = {name: getattr(options, name) for name in ("chain", "rows", "cols", *Distractors.COUNTS)}
    line = ProgressLine(sys.stderr)
    result = generate_dataset(
        options.out,
        options.count,
        spec=spec_of(options.spec, options.topology, fields),
        tier=options.tier,
        seed=options.seed,
        workers=options.workers,
        as_files=options.files,
        shard_size=options.shard_size,
        splits=_shares(options.splits),
        on_progress=line.show,
    )
    line.finish(result)
    return 0


def _validate(options: argparse.Namespace) -> int:
    from mazegen.datasets.proving_again import tell

    def say(text: str) -> None:
        print(text if options.json else wrapped(text, width_of(sys.stdout)))  # noqa: T201 - as above

    all_valid = tell(options.files, say, every=options.verbose, as_json=options.json)
    return 0 if all_valid else 1


if __name__ == "__main__":
    raise SystemExit(main())
