"""``maze-gym parse FILE``: how each reply is read, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maze_gym.game import ReplyFormat
from maze_gym.llm.config import Querying

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.llm.parsing import Grammar, ParsedReply, ParseFailure


def parse(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="One reply as text; or .jsonl: a text, a recorded reply or a run's record a line.",
        ),
    ],
    *,
    reply_format: Annotated[
        ReplyFormat | None,
        typer.Option("--format", help="How answers are marked; by default the world's way."),
    ] = None,
    querying: Annotated[Querying, typer.Option(help="How many actions were asked for.")] = Querying.STEP,
    env: Annotated[str, typer.Option(metavar="ID", help="The world whose actions are meant.")] = "MazeNLU-v0",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Show how replies are read: the one reading of each, or why there is none.

    Example: maze-gym parse replies.jsonl --querying subgoal
    """
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.llm.parsing import parse as parse_reply
    from maze_gym.llm.prompts import grammar_for
    from maze_gym.registration import resolve, world_of

    game = resolve(world_of(env).entry_point)
    grammar = grammar_for(ExperimentConfig(querying=querying, reply_format=reply_format), game)
    for number, reply in enumerate(_replies(file), 1):
        reading = parse_reply(reply, grammar)
        typer.echo(_as_json(reading, grammar) if as_json else f"{number}. {_in_words(reading, grammar)}")


def _replies(file: Path) -> Iterator[str]:
    from maze_gym.errors import InvalidArgument

    text = file.read_bytes().decode("utf-8", "replace")
    if file.suffix != ".jsonl":
        yield text
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield from _of_line(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = f"{file}, line {number}: neither a text, nor a recorded reply, nor a record of a run"
            raise InvalidArgument(msg) from error


def _of_line(line: Any) -> list[str]:  # noqa: ANN401 - whatever JSON the file holds
    if isinstance(line, str):
        return [line]
    queries = line.get("queries", [line])
    replies = [query["reply"] for query in queries if "error" not in query]
    if not all(isinstance(reply, str) for reply in replies):
        msg = "a reply must be text"
        raise TypeError(msg)
    return replies


def _in_words(reading: ParsedReply | ParseFailure, grammar: Grammar) -> str:
    from maze_gym.llm.parsing import ParsedReply

    if isinstance(reading, ParsedReply):
        names = ", ".join(grammar.action_names[action] for action in reading.actions)
        subgoal = f"\n   sub-goal: {reading.subgoal}" if reading.subgoal else ""
        return f"{names}{subgoal}\n   read from: {reading.evidence}"
    evidence = f"\n   read from: {reading.evidence}" if reading.evidence else ""
    return f"{reading.kind.upper()}: {reading.detail}{evidence}"


def _as_json(reading: ParsedReply | ParseFailure, grammar: Grammar) -> str:
    from maze_gym.llm.parsing import ParsedReply

    if isinstance(reading, ParsedReply):
        names = [grammar.action_names[action] for action in reading.actions]
        return json.dumps({"actions": names, "subgoal": reading.subgoal, "evidence": reading.evidence})
    return json.dumps({"failure": str(reading.kind), "detail": reading.detail, "evidence": reading.evidence})
