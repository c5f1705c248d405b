"""``maze-gym parse FILE``: how each reply is read, and why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from maze_gym.cli.console import say
from maze_gym.game import ReplyFormat
from maze_gym.llm.config import Querying

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from maze_gym.game import Description
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.llm.parsing import Grammar, ParsedReply, ParseFailure

DEFAULT_WORLD = "MazeNLU-v0"


class _Said(NamedTuple):
    """A reply, what it was asked for by, and how a run read it; None where no run did."""

    reply: str
    grammar: Grammar
    recorded: ParsedReply | ParseFailure | None = None


class _Choices(NamedTuple):
    """What the command line says itself; None is left to the record, or to the defaults."""

    reply_format: ReplyFormat | None
    querying: Querying | None
    env_id: str | None

    def over(self, config: ExperimentConfig) -> ExperimentConfig:
        """A config with these choices in it."""
        return replace(
            config,
            reply_format=self.reply_format or config.reply_format,
            querying=self.querying or config.querying,
        )


def parse(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="One reply as text; or .jsonl: a text, a recorded reply or a run's record a line; "
            "or the folder of a run.",
        ),
    ],
    *,
    reply_format: Annotated[
        ReplyFormat | None,
        typer.Option("--format", help="How answers are marked; by default the record's way, or the world's."),
    ] = None,
    querying: Annotated[
        Querying | None,
        typer.Option(help="How many actions were asked for; by default what the record says, or step."),
    ] = None,
    env: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help=f"The world whose actions are meant; by default the record's, or {DEFAULT_WORLD}.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Show how replies are read: the one reading of each, or why there is none.

    A run's record says itself how its replies were asked for; where the run read one otherwise, that is told.

    Example: maze-gym parse replies.jsonl --querying subgoal
    """
    from maze_gym.errors import InvalidArgument
    from maze_gym.evaluation.storage.run_reading import transcripts_at
    from maze_gym.llm.parsing import parse as parse_reply
    from maze_gym.registration import world_of

    file = transcripts_at(file)
    choices = _Choices(reply_format, querying, None if env is None else world_of(env).id)
    number = 0
    for number, said in enumerate(_replies(file, choices), 1):
        reading = parse_reply(said.reply, said.grammar)
        if as_json:
            typer.echo(_as_json(reading, said))
        else:
            say(f"{number}. {_in_words(reading, said)}", hang=3)
    if not number:
        msg = f"{file} holds no reply; give one as text, or lines of JSON such as a run keeps"
        raise InvalidArgument(msg)


def _replies(file: Path, choices: _Choices) -> Iterator[_Said]:
    from maze_gym.errors import InvalidArgument
    from maze_gym.llm.untrusted import shown
    from mazegen.core.bounded_files import json_of, lines_in, read_bounded

    if file.suffix != ".jsonl":
        yield _of_text(read_bounded(file).decode("utf-8", "replace"), choices)
        return
    for number, line in lines_in(file):
        if not line.strip():
            continue
        try:
            yield from _of_line(json_of(line.decode("utf-8", "replace"), "the line"), choices)
        except InvalidArgument as error:
            msg = f"{file}, line {number}: {shown(' '.join(str(error).split()), 400)}"
            raise InvalidArgument(msg) from error
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            msg = (
                f"{file}, line {number}: neither a text, nor a recorded reply, nor a record of a run, "
                "such as transcripts.jsonl holds"
            )
            raise InvalidArgument(msg) from error


def _of_line(line: Any, choices: _Choices) -> Iterator[_Said]:  # noqa: ANN401 - whatever JSON the file holds
    if isinstance(line, str):
        yield _of_text(line, choices)
    elif "queries" in line:
        yield from _of_record(line, choices)
    elif "error" not in line:
        yield _of_text(line["reply"], choices)


def _of_text(reply: object, choices: _Choices) -> _Said:
    from maze_gym.llm.config import ExperimentConfig

    return _Said(_text(reply), _grammar(choices.over(ExperimentConfig()), choices.env_id or DEFAULT_WORLD))


def _of_record(fields: Mapping[str, Any], choices: _Choices) -> Iterator[_Said]:
    """Each reply with the grammar of its own turn, which the actions that led there bring back."""
    from maze_gym.evaluation.transcript import Transcript, replay
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.llm.prompts import at_turn
    from maze_gym.registration import world_of

    record = Transcript.from_dict(fields)
    if not record.queries:  # of a policy that is no language model
        return
    config = choices.over(ExperimentConfig.from_dict(record.config))
    own_id = world_of(record.episode.env_id).id
    is_own = choices.env_id in {None, own_id}
    grammar = _grammar(config, choices.env_id or own_id)
    turns: list[Description] = []
    if is_own and (config.show_legal_actions or grammar.route is not None):  # else all turns are alike
        replay(record, lambda game: turns.append(game.describe(config.wording)))
    for query in record.queries:
        if "error" not in query:
            yield _Said(
                _text(query["reply"]),
                at_turn(config, grammar, turns[query["step"]]) if turns else grammar,
                _recorded(query, grammar) if is_own else None,
            )


def _grammar(config: ExperimentConfig, env_id: str) -> Grammar:
    from maze_gym.llm.prompts import grammar_for
    from maze_gym.registration import resolve, world_of

    return grammar_for(config, resolve(world_of(env_id).entry_point))


def _text(reply: object) -> str:
    if not isinstance(reply, str):
        msg = f"a reply must be text, got {type(reply).__name__}"
        raise TypeError(msg)
    return reply


def _recorded(query: Mapping[str, Any], grammar: Grammar) -> ParsedReply | ParseFailure | None:
    """How the run read a reply; None where it does not say."""
    from maze_gym.llm.parsing import FailureKind, ParsedReply, ParseFailure

    if "parsed" in query:
        actions = tuple(query["parsed"]["actions"])
        if not set(actions) <= set(range(len(grammar.action_names))):
            msg = f"no actions of this world: {actions}"
            raise ValueError(msg)
        parsed = query["parsed"]
        return ParsedReply(actions, str(parsed["subgoal"]), "", str(parsed.get("broken", "")))
    if "failure" in query:
        return ParseFailure(FailureKind(query["failure"]["kind"]), str(query["failure"]["detail"]))
    return None


def _differing(reading: ParsedReply | ParseFailure, said: _Said) -> dict[str, Any] | None:
    """How the run read a reply, where it was otherwise; why it failed may be told in other words."""
    if said.recorded is None:
        return None
    now, then = _fields(reading, said.grammar), _fields(said.recorded, said.grammar)
    return None if now | {"detail": ""} == then | {"detail": ""} else then


def _fields(reading: ParsedReply | ParseFailure, grammar: Grammar) -> dict[str, Any]:
    from maze_gym.llm.parsing import ParsedReply

    if isinstance(reading, ParsedReply):
        names = [grammar.action_names[action] for action in reading.actions]
        broken = {"broken": reading.broken} if reading.broken else {}
        return {"actions": names, "subgoal": reading.subgoal, **broken}
    return {"failure": str(reading.kind), "detail": reading.detail}


def _as_json(reading: ParsedReply | ParseFailure, said: _Said) -> str:
    recorded = _differing(reading, said)
    fields = {**_fields(reading, said.grammar), "evidence": reading.evidence}
    return json.dumps(fields if recorded is None else {**fields, "recorded": recorded})


def _in_words(reading: ParsedReply | ParseFailure, said: _Said) -> str:
    from maze_gym.llm.untrusted import shown

    lines = _lines(_fields(reading, said.grammar))
    if reading.evidence:
        lines.append(f"read from: {reading.evidence}")
    recorded = _differing(reading, said)
    if recorded is not None:
        lines.append(f"the run read it otherwise: {shown('; '.join(_lines(recorded)), 400)}")
    return "\n   ".join(lines)


def _lines(fields: Mapping[str, Any]) -> list[str]:
    if "failure" in fields:
        return [f"{fields['failure'].upper()}: {fields['detail']}"]
    lines = [", ".join(fields["actions"]) or "no action"]
    if fields["subgoal"]:
        lines.append(f"sub-goal: {fields['subgoal']}")
    if "broken" in fields:
        lines.append(f"a wrong plan, judged as it is: {fields['broken']}")
    return lines
