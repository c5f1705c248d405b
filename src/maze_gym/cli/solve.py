"""``maze-gym solve FILE``: what exact search says about a maze."""

from __future__ import annotations

import json
import sys
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli import other_worlds
from maze_gym.cli.console import in_bands, say, warn
from maze_gym.cli.run_options import LEVELS
from mazegen.core.line_width import width_of, wrapped

HANG = 16  # columns, where what is said of a plan begins
LONGEST_LINE = 100  # letters of a plan, where no terminal is narrower

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.cli.other_worlds import Solved
    from mazegen.core.maze import Maze
    from mazegen.search.solver import Solution


def solve(
    file: Annotated[
        str,
        typer.Argument(
            metavar=LEVELS, help="The levels: files, a suite as list names them, or one level of it."
        ),
    ],
    *,
    done_action: Annotated[
        bool, typer.Option("--done-action", help="Success needs a DONE on the goal; arriving is not enough.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
    env: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The world of the levels; by default theirs, or MazeNLU-v0."),
    ] = None,
) -> None:
    """Print a shortest plan, its cost, the number of states and the maze as text; of other worlds the plans.

    Example: maze-gym solve starter/straight
    """
    from maze_gym.errors import InvalidArgument
    from mazegen.search import solver

    world = other_worlds.chosen(env, file)
    if not other_worlds.is_of_mazes(world):
        if done_action:
            msg = f"--done-action is for mazes, not for {world}"
            raise InvalidArgument(msg)
        for solved in other_worlds.solve(world, file):
            if as_json:
                typer.echo(json.dumps(solved._asdict()))
            else:
                say(_in_words(solved))
        return
    for number, maze in enumerate(_mazes(world, file)):
        solution = solver.solve(maze, finish="done_action" if done_action else "arrival")
        if as_json:
            typer.echo(json.dumps(_for_machines(maze, solution)))
        else:
            say("\n" * (number > 0) + _for_people(maze, solution))


def _mazes(world: str, source: str) -> list[Maze]:
    """The mazes of a file, folder, suite or level; what is left out of a folder is told."""
    from maze_gym.evaluation.plan import choose_levels

    found = choose_levels(world, source)
    for file, reason in found.skipped:
        warn(f"not solved: {file}: {reason}")
    return [level.options["maze"] for level in found.levels]


def _in_words(solved: Solved) -> str:
    if solved.given_up:
        return f"{solved.level_id}  not known: {solved.given_up}"
    if solved.plan is None:
        return f"{solved.level_id}  no plan leads to success"
    return "\n".join([f"{solved.level_id}  {len(solved.plan)} actions", *_wrapped(solved.plan)])


def _for_machines(maze: Maze, solution: Solution) -> dict[str, object]:
    return {
        "level_id": maze.level_id,
        "content_hash": maze.content_hash,
        "optimal_actions": len(solution.actions),
        "plan": [action.name for action in solution.actions],
        "cell_moves": solution.cell_moves,
        "path": [list(position) for position in solution.path],
        "interactions": list(solution.interactions),
        "states": solution.states,
        "dead_states": solution.dead_states,
    }


def _for_people(maze: Maze, solution: Solution) -> str:
    from mazegen.core import rules
    from mazegen.rendering import picture

    board = rules.compile_board(maze)
    board_as_text = picture.draw(maze, board, board.start)
    words = picture.legend(maze, board, board.start)
    width = width_of(sys.stdout)
    facts = {
        "shortest plan": f"{len(solution.actions)} actions",
        "fewest moves": f"{solution.cell_moves} cells",
        "on that way": ", ".join(solution.interactions) or "no mechanism is used",
        "states": f"{solution.states:,} reachable, {solution.dead_states:,} of them without a way out",
    }
    lines = [
        wrapped(f"{maze.level_id}  ({maze.rows} rows x {maze.cols} columns)", width),
        *in_bands(board_as_text),
        *([words] if words else []),
        "",
        *(wrapped(f"{about:<{HANG}}{text}", width, hang=HANG) for about, text in facts.items()),
        "",
        *_wrapped([action.name for action in solution.actions]),
    ]
    return "\n".join(lines)


def _wrapped(names: Sequence[str]) -> list[str]:
    """Names joined by commas, runs of one name as ``NAME x3``, broken into lines."""
    width = min(width_of(sys.stdout) or LONGEST_LINE, LONGEST_LINE)
    runs = [(name, len(list(run))) for name, run in groupby(names)]
    lines = [""]
    for index, (name, length) in enumerate(runs):
        word = (f"{name} x{length}" if length > 1 else name) + ("," if index < len(runs) - 1 else "")
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
