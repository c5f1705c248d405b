"""The command line, ``maze-gym``: one file per subcommand, each importing what it needs when it runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from maze_gym._version import __version__
from maze_gym.cli.compare import compare
from maze_gym.cli.doctor import doctor
from maze_gym.cli.edit import edit
from maze_gym.cli.evaluate import evaluate
from maze_gym.cli.export import export
from maze_gym.cli.generate import generate
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

USAGE_ERROR = 2
INTERRUPTED = 130  # what a shell reports for Ctrl-C

app = typer.Typer(
    name="maze-gym",
    help="Small spatial worlds for language models, RL policies, a search oracle and people alike.",
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


app.command("list")(list_everything)
app.command("solve")(solve)
app.command("validate")(validate)
app.command("evaluate")(evaluate)
app.command("plan")(plan)
app.command("report")(report)
app.command("compare")(compare)
app.command("leaderboard")(leaderboard)
app.command("generate")(generate)
app.add_typer(export, name="export")
app.command("play")(play)
app.command("render")(render)
app.command("edit")(edit)
app.command("parse")(parse)
app.command("replay")(replay)
app.command("train")(train)
app.command("doctor")(doctor)


def main() -> None:
    """Run the command line; what a user can put right is one line on stderr and exit code 2."""
    from maze_gym.errors import MazeError, MazeGymError

    try:
        app()
    except (MazeError, MazeGymError, OSError) as error:
        line = "; ".join(part.strip() for part in str(error).splitlines())
        sys.stderr.write(f"maze-gym: error: {line}\n")
        sys.exit(USAGE_ERROR)
    except KeyboardInterrupt:
        sys.stderr.write("maze-gym: interrupted\n")
        sys.exit(INTERRUPTED)
