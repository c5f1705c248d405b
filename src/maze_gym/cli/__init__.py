"""The command line, ``maze-gym``: one file per subcommand, each importing what it needs when it runs."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from maze_gym._version import __version__
from maze_gym.cli.compare import compare
from maze_gym.cli.console import warn
from maze_gym.cli.doctor import doctor
from maze_gym.cli.edit import edit
from maze_gym.cli.evaluate import evaluate
from maze_gym.cli.export import export
from maze_gym.cli.generate import generate
from maze_gym.cli.harmless import harmless_output
from maze_gym.cli.leaderboard import leaderboard
from maze_gym.cli.list_ import list_everything
from maze_gym.cli.parse import parse
from maze_gym.cli.plan import plan
from maze_gym.cli.play import play
from maze_gym.cli.render import render
from maze_gym.cli.replay import replay
from maze_gym.cli.report import report
from maze_gym.cli.solve import solve
from maze_gym.cli.train import train
from maze_gym.cli.validate import validate
from mazegen.core import interrupts

USAGE_ERROR = 2
PANELS_FIT = 80  # columns; in narrower panels typer cuts off the names of options, so help is plain there
LOOK, EVALUATE, TRAIN, LEVELS = "Look and play", "Evaluate", "Train and export", "Make levels"

app = typer.Typer(
    name="maze-gym",
    help=(
        "Small spatial worlds for language models, RL policies, a search oracle and people alike.\n\n"
        "Example: maze-gym evaluate --levels starter --policy random --policy oracle"
    ),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maze-gym {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    del version


# Each command under the heading of what people want when they look for it, in the order of a first day.
app.command("list", rich_help_panel=LOOK)(list_everything)
app.command("doctor", rich_help_panel=LOOK)(doctor)
app.command("play", rich_help_panel=LOOK)(play)
app.command("render", rich_help_panel=LOOK)(render)
app.command("solve", rich_help_panel=LOOK)(solve)
app.command("evaluate", rich_help_panel=EVALUATE)(evaluate)
app.command("plan", rich_help_panel=EVALUATE)(plan)
app.command("report", rich_help_panel=EVALUATE)(report)
app.command("compare", rich_help_panel=EVALUATE)(compare)
app.command("leaderboard", rich_help_panel=EVALUATE)(leaderboard)
app.command("replay", rich_help_panel=EVALUATE)(replay)
app.command("parse", rich_help_panel=EVALUATE)(parse)
app.command("train", rich_help_panel=TRAIN)(train)
app.add_typer(export, name="export", rich_help_panel=TRAIN)
app.command("generate", rich_help_panel=LEVELS)(generate)
app.command("validate", rich_help_panel=LEVELS)(validate)
app.command("edit", rich_help_panel=LEVELS)(edit)


def main() -> None:
    """Run the command line; what a user can put right is one line on stderr and exit code 2."""
    from mazegen.core.line_width import width_of

    with interrupts.answered("maze-gym"):
        for stream in (sys.stdout, sys.stderr):
            if isinstance(
                stream, io.TextIOWrapper
            ):  # names of files need not be text that the terminal can show
                stream.reconfigure(errors="backslashreplace")
        width = width_of(sys.stdout)
        if width is not None and width < PANELS_FIT:
            app.rich_markup_mode = export.rich_markup_mode = None
        with harmless_output():
            _run()


def _run() -> None:
    from maze_gym.errors import MazeError, MazeGymError
    from mazegen.core.file_errors import check_names, in_words

    try:
        check_names(sys.argv)
        app()
    except (MazeError, MazeGymError, OSError) as error:
        words = in_words(error) if isinstance(error, OSError) else str(error)
        warn("error: " + "; ".join(part.strip() for part in words.splitlines()))
        sys.exit(USAGE_ERROR)
    except KeyboardInterrupt:
        sys.exit(_interrupted())
    except SystemExit as end:
        # Typer turns an interrupt into this, without a word; a command that has said more ends otherwise.
        if end.__context__ is not None and isinstance(end.__context__.__cause__, KeyboardInterrupt):
            _interrupted()
        raise


def _interrupted() -> int:
    """Say so; the exit code."""
    warn("interrupted")
    return interrupts.INTERRUPTED
