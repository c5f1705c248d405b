"""``maze-gym solve FILE``: what exact search says about a maze."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli import other_worlds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.cli.other_worlds import Solved
    from mazegen.core.maze import Maze
    from mazegen.search.solver import Solution


def solve(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A maze file (JSON); with --env a file or suite of that world."),
    ],
    *,
    done_action: Annotated[
        bool, typer.Option("--done-action", help="Success needs a DONE on the goal; arriving is not enough.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
    env: Annotated[str, typer.Option(metavar="ID", help="The world of the levels.")] = "MazeNLU-v0",
) -> None:
    """Print a shortest plan, its cost, the number of states and the maze as text; of other worlds the plans.

    Example: maze-gym solve level.json
    """
    from maze_gym.errors import InvalidArgument
    from mazegen import codec
    from mazegen.search import solver

    if not other_worlds.is_of_mazes(env):
        if done_action:
            msg = f"--done-action is for mazes, not for {env}"
            raise InvalidArgument(msg)
        for solved in other_worlds.solve(env, file):
            typer.echo(json.dumps(solved._asdict()) if as_json else _in_words(solved))
        return
    maze = codec.load(Path(file))
    solution = solver.solve(maze, finish="done_action" if done_action else "arrival")
    typer.echo(json.dumps(_for_machines(maze, solution)) if as_json else _for_people(maze, solution))


def _in_words(solved: Solved) -> str:
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
    words = picture.legend(maze, board, board.start)
    lines = [
        f"{maze.level_id}  ({maze.rows} rows x {maze.cols} columns)",
        picture.draw(maze, board, board.start),
        *([words] if words else []),
        "",
        f"shortest plan   {len(solution.actions)} actions",
        f"fewest moves    {solution.cell_moves} cells",
        f"on that way     {', '.join(solution.interactions) or 'no mechanism is used'}",
        f"states          {solution.states:,} reachable, {solution.dead_states:,} of them without a way out",
        "",
        *_wrapped([action.name for action in solution.actions]),
    ]
    return "\n".join(lines)


def _wrapped(names: Sequence[str], width: int = 100) -> list[str]:
    """Names joined by commas, runs of one name as ``NAME x3``, broken into lines."""
    runs = [(name, len(list(run))) for name, run in groupby(names)]
    lines = [""]
    for index, (name, length) in enumerate(runs):
        word = (f"{name} x{length}" if length > 1 else name) + ("," if index < len(runs) - 1 else "")
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
