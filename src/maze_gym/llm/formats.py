"""The reply formats, from the other side: how a prompt asks for one, and how a reply in it is spoken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.game import Coordinates, ReplyFormat
from maze_gym.llm import positions
from maze_gym.llm.config import Querying
from maze_gym.llm.parsing import NUMBERED
from maze_gym.llm.reading import marker_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.game import Example
    from maze_gym.llm.parsing import Grammar

EXAMPLE_SUBGOAL = "a few words"

_TASKS = {
    Querying.STEP: "Each turn, answer with exactly one action.",
    Querying.SUBGOAL: (
        "Each turn, choose a sub-goal and answer with the actions that lead to it, in order. You are asked "
        "again when they are done, or as soon as one of them fails."
    ),
    Querying.FULL_TRAJECTORY: (
        "You are asked only once. Answer with the complete list of actions that solves the task, in order."
    ),
}
_TASKS_IN_POSITIONS = {
    Querying.STEP: "Each turn, answer with exactly one move: the position where you are and the next one.",
    Querying.SUBGOAL: (
        "Each turn, answer with the positions of the next part of your way, in order, beginning with the one "
        "where you are now. You are asked again when it is done, or as soon as a move fails."
    ),
    Querying.FULL_TRAJECTORY: (
        "You are asked only once. Answer with all positions of your way, in order, beginning with the one "
        "where you are now. It ends at the first move that fails."
    ),
}
_ONE_APART = "In neighbouring positions of the list one number is the same and the other differs by one."
_AXES = {
    Coordinates.ROW_COL: "(<row>, <column>)",
    Coordinates.ROW_COL_1: "(<row>, <column>)",
    Coordinates.X_Y: "(<x>, <y>)",
}
_QUESTIONS = {
    Querying.STEP: "Which action do you take?",
    Querying.SUBGOAL: "Which sub-goal and which actions come next?",
    Querying.FULL_TRAJECTORY: "What is your complete plan?",
}


def action_list(names: Sequence[str], kind: ReplyFormat, listed: Sequence[int] | None = None) -> str:
    """The actions, or those listed, as a prompt shows them: numbered where they are answered by number."""
    numbers = range(len(names)) if listed is None else listed
    return ", ".join(f"{each} = {names[each]}" if kind in NUMBERED else names[each] for each in numbers)


def instructions(
    kind: ReplyFormat, querying: Querying, coordinates: Coordinates = Coordinates.ROW_COL
) -> str:
    """What to answer and how; it ends with the template, which itself is no answer."""
    several = querying != Querying.STEP
    task = _TASKS[querying]
    commas = ", the actions separated by commas" if several else ""
    form = "these two lines" if several and kind == ReplyFormat.ACTIONS else "this line"
    if kind == ReplyFormat.ACTION_TAG:
        form = "this tag"
    elif kind == ReplyFormat.COORDINATES:
        task, commas = f"{_TASKS_IN_POSITIONS[querying]} {_ONE_APART}", ""
    end = f"You may think first. End your reply with {form}{commas}, and write nothing after it:"
    return f"{task} {end}\n{template(kind, several=several, coordinates=coordinates)}"


def question(querying: Querying) -> str:
    """The last sentence of a turn."""
    return _QUESTIONS[querying]


def template(kind: ReplyFormat, *, several: bool, coordinates: Coordinates = Coordinates.ROW_COL) -> str:
    """The format with placeholders, so that a reply which repeats it is not taken for an answer."""
    if kind == ReplyFormat.COORDINATES:
        position = _AXES[coordinates]
        return f"{positions.MARK} {position}, {position}{', ...' if several else ''}"
    noun = "number" if kind in NUMBERED else "action"
    listed = f"<{noun}>, <{noun}>, ..." if several else f"<{noun}>"
    if kind == ReplyFormat.ACTION_TAG:
        return f"<action>{listed.replace('<', '').replace('>', '')}</action>"
    if kind == ReplyFormat.ACTIONS and several:
        return f"SUB_GOAL: <sub-goal>\nACTIONS: {listed}"
    return f"{marker_of(kind)}: {listed}"


def speak(actions: Sequence[int], grammar: Grammar, subgoal: str = "") -> str:
    """A reply in the asked format; ``parse`` reads the same actions from it."""
    words = payload(actions, grammar)
    if grammar.format == ReplyFormat.COORDINATES:
        return f"{positions.MARK} {words}"
    if grammar.format == ReplyFormat.ACTION_TAG:
        return f"<action>{words}</action>"
    line = f"{marker_of(grammar.format)}: {words}"
    return f"SUB_GOAL: {subgoal}\n{line}" if subgoal and grammar.format == ReplyFormat.ACTIONS else line


def payload(actions: Sequence[int], grammar: Grammar) -> str:
    """What stands behind the marker, or in the tag: names, numbers, or the positions that are passed."""
    if grammar.route is not None:
        return positions.spoken(positions.along(actions, grammar.route), grammar.coordinates)
    return ", ".join(
        str(action) if grammar.format in NUMBERED else grammar.action_names[action] for action in actions
    )


def example(grammar: Grammar) -> str:
    """One reply as it should look, to be shown before the template."""
    action = 0
    if grammar.route is not None:  # to the right or down, so that it stays on any board
        action = next(index for index, step in enumerate(grammar.route.steps) if min(step) >= 0)
    actions = (action, action) if grammar.several else (action,)
    return f"For example:\n{speak(actions, grammar, EXAMPLE_SUBGOAL if grammar.several else '')}"


def worked_example(shown: Example, grammar: Grammar) -> str:
    """A level with its solution; the marker is left out, so that an echo of it is no answer."""
    if grammar.route is not None:
        grammar = grammar._replace(route=grammar.route._replace(at=shown.at))
    actions = shown.actions if grammar.several else shown.actions[:1]
    what = "The complete answer would be" if grammar.several else "The first answer would be"
    return f"A worked example, with another level:\n{shown.text}\n{what}: {payload(actions, grammar)}"


def gbnf(grammar: Grammar) -> str:
    """A GBNF grammar that allows the asked format and nothing else."""
    if grammar.format == ReplyFormat.COORDINATES:
        more = '(", " position)+' if grammar.several else '", " position'
        root = f'"{positions.MARK} " position {more}'
        return f'root ::= {root}\nposition ::= "(" number ", " number ")"\nnumber ::= [0-9] [0-9]?\n'
    numbered = grammar.format in NUMBERED
    words = range(len(grammar.action_names)) if numbered else grammar.action_names
    actions = " | ".join(f'"{word}"' for word in words)
    listed = 'action (", " action)*' if grammar.several else "action"
    if grammar.format == ReplyFormat.ACTION_TAG:
        root = f'"<action>" {listed} "</action>"'
    elif grammar.format == ReplyFormat.ACTIONS and grammar.several:
        root = f'"SUB_GOAL: " [a-zA-Z0-9 ,]+ "\\nACTIONS: " {listed}'
    else:
        root = f'"{marker_of(grammar.format)}: " {listed}'
    return f"root ::= {root}\naction ::= {actions}\n"
