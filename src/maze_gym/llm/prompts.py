"""From what a world says to messages: pure functions of (config, turn); every mode has a golden file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.errors import InvalidArgument
from maze_gym.game import Description, ReplyFormat, Route, Stepwise
from maze_gym.llm import formats
from maze_gym.llm.config import ExperimentConfig, History, Observe, Querying
from maze_gym.llm.messages import Message
from maze_gym.llm.parsing import FailureKind, Grammar, ParseFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.game import TextGame

_NOTHING_YET = "None yet: this is the first turn."


class PastStep(NamedTuple):
    """A step as history tells it: the pose in which it was chosen, the action, what came of it."""

    number: int
    pose: str
    action: str
    result: str


class Turn(NamedTuple):
    """What one query is made from.

    Attributes:
        description: what the world says now.
        history: the steps so far that may be told, oldest first.
        image: the picture as a PNG file, or None.
        reask: what was wrong with the last reply, or with the last plan; empty where nothing was.
        dialogue: with full history, the messages of all earlier queries, system message excluded.
    """

    description: Description
    history: tuple[PastStep, ...] = ()
    image: bytes | None = None
    reask: str = ""
    dialogue: tuple[Message, ...] = ()


def grammar_for(config: ExperimentConfig, game: TextGame, legal: tuple[int, ...] | None = None) -> Grammar:
    """What the prompts of this config ask a model for in this world.

    Raises:
        InvalidArgument: positions are asked for in a world that does not say where its actions lead.
    """
    several = config.querying != Querying.STEP
    kind = config.reply_format or ReplyFormat(game.plan_format if several else game.reply_format)
    route = None
    if kind == ReplyFormat.COORDINATES:
        if not isinstance(game, Stepwise):
            others = ", ".join(each for each in ReplyFormat if each != ReplyFormat.COORDINATES)
            msg = (
                "the reply format 'coordinates' needs a world that says which position each action leads to "
                f"(maze_gym.game.Stepwise), and {type(game).__name__} does not; choose one of {others}"
            )
            raise InvalidArgument(msg)
        route = Route(game.action_steps)
    legal = legal if config.show_legal_actions else None
    return Grammar(kind, tuple(game.action_names), several, legal, route, config.coordinates)


def at_turn(config: ExperimentConfig, grammar: Grammar, now: Description) -> Grammar:
    """The grammar of one query: with the actions that its prompt lists, and where positions begin."""
    return grammar._replace(
        legal=now.legal if config.show_legal_actions else None,
        route=None if grammar.route is None else now.route,
    )


def build(config: ExperimentConfig, grammar: Grammar, turn: Turn) -> tuple[Message, ...]:
    """The messages of one query: system, with full history the earlier turns, and this turn."""
    images = () if turn.image is None else (turn.image,)
    user = Message("user", turn_text(config, grammar, turn), images)
    return (Message("system", system_text(config, grammar, turn.description)), *turn.dialogue, user)


def system_text(config: ExperimentConfig, grammar: Grammar, description: Description) -> str:
    """Task, rules, the level as it was at the start, the actions and the one output format."""
    parts = [description.rules]
    if description.level:
        parts.append(description.level)
    if grammar.format != ReplyFormat.COORDINATES:
        parts.append(f"The actions are {formats.action_list(grammar.action_names, grammar.format)}.")
    asked_once = config.querying == Querying.FULL_TRAJECTORY
    if description.example is not None and (config.example or asked_once):
        parts.append(formats.worked_example(description.example, grammar))
    elif config.example:
        parts.append(formats.example(grammar))
    parts.append(formats.instructions(grammar.format, config.querying, grammar.coordinates))
    return "\n\n".join(parts)


def turn_text(config: ExperimentConfig, grammar: Grammar, turn: Turn) -> str:
    """History, state, last result, clock and question; the re-ask line comes last."""
    now = turn.description
    pictured = config.observation == Observe.IMAGE_FIRST
    full = config.history == History.FULL
    parts: list[str] = []
    if full and turn.history:
        parts.append(_history("Since your last reply", turn.history, pictured=pictured))
    elif not full and config.turns:
        parts.append(_history("Your latest steps", turn.history[-config.turns :], pictured=pictured))
    if now.state:
        parts.append(now.state)
    if now.result and not (full and turn.history):
        parts.append(f"Result of your last action: {now.result}")
    parts.append(f"Steps taken: {now.step}. Steps left: {now.steps_left}.")
    if grammar.legal is not None:
        listed = formats.action_list(grammar.action_names, grammar.format, grammar.legal)
        parts.append(f"Actions open to you now: {listed or 'none'}.")
    parts.append(formats.question(config.querying))
    if turn.reask:
        parts.append(turn.reask)
    return "\n\n".join(parts)


def reask_text(failure: ParseFailure, grammar: Grammar, attempt: int, attempts: int) -> str:
    """One line for a reply that could not be used: what was wrong, and what would be right.

    Args:
        failure: why.
        grammar: what was asked for.
        attempt: how many replies to this turn were unusable.
        attempts: how many may be.
    """
    template = formats.template(grammar.format, several=grammar.several, coordinates=grammar.coordinates)
    asked = " and ".join(f"'{line}'" for line in template.splitlines())
    place = ", each on a line of its own" if len(template.splitlines()) > 1 else ", on a line of its own"
    if grammar.format == ReplyFormat.ACTION_TAG:
        place = ""  # a tag is found anywhere
    names = formats.action_list(grammar.action_names, grammar.format)
    wrong, right = {
        FailureKind.EMPTY: ("was empty", f"Answer with {asked}"),
        FailureKind.NO_MARKER: (
            "held no answer in the asked format",
            f"End with {asked}{place}",
        ),
        FailureKind.UNKNOWN_ACTION: (f"named no action ({failure.detail})", f"The actions are {names}"),
        FailureKind.WRONG_SHAPE: (
            f"had the wrong shape ({failure.detail})",
            f"Write {asked} and nothing else in it",
        ),
        FailureKind.ILLEGAL: (
            f"could not be used ({failure.detail})",
            "Choose one of those that are open to you now"
            if grammar.route is None
            else "Begin where you are now; every next position lies beside the last one, on the board",
        ),
    }[failure.kind]
    return f"Your last reply {wrong}. {right}. (Unusable replies so far: {attempt} of {attempts} allowed.)"


def broken_plan_text(why: str) -> str:
    """One line for a plan that was read, and played as far as it could be followed."""
    return f"Your last plan could not be followed to its end: {why}. It was played up to there."


def _history(title: str, steps: Sequence[PastStep], *, pictured: bool) -> str:
    if not steps:
        return f"{title}: {_NOTHING_YET}"
    if pictured:
        return f"{title}, oldest first: {', '.join(step.action for step in steps)}."
    lines = [
        f"{step.number}. At {step.pose} you chose {step.action}. {step.result}".rstrip() for step in steps
    ]
    return "\n".join([f"{title}, oldest first:", *lines])
