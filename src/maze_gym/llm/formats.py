"""The reply formats, from the other side: how a prompt asks for one, and how a reply in it is spoken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.game import ReplyFormat
from maze_gym.llm.config import Querying
from maze_gym.llm.parsing import NUMBERED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.llm.parsing import Grammar

EXAMPLE_SUBGOAL = "a few words"

_TASKS = {
    Querying.STEP: "Each turn, answer with exactly one action.",
    Querying.SUBGOAL: (
        "Each turn, choose a sub-goal and answer with the actions that lead to it, in order. You are asked "
        "again when they are done, or as soon as one of them has no effect."
    ),
    Querying.FULL_TRAJECTORY: (
        "You are asked only once. Answer with the complete list of actions that solves the task, in order."
    ),
}
_QUESTIONS = {
    Querying.STEP: "Which action do you take?",
    Querying.SUBGOAL: "Which sub-goal and which actions come next?",
    Querying.FULL_TRAJECTORY: "What is your complete plan?",
}


def action_list(names: Sequence[str], kind: ReplyFormat) -> str:
    """The actions as a prompt lists them; numbered where they are answered by number."""
    if kind in NUMBERED:
        return ", ".join(f"{number} = {name}" for number, name in enumerate(names))
    return ", ".join(names)


def instructions(kind: ReplyFormat, querying: Querying) -> str:
    """What to answer and how; it ends with the template, which itself is no answer."""
    several = querying != Querying.STEP
    if kind == ReplyFormat.ACTION_TAG:
        form = "this tag"
    else:
        form = "these two lines" if several and kind == ReplyFormat.ACTIONS else "this line"
    commas = ", the actions separated by commas" if several else ""
    end = f"You may think first. End your reply with {form}{commas}, and write nothing after it:"
    return f"{_TASKS[querying]} {end}\n{template(kind, several=several)}"


def question(querying: Querying) -> str:
    """The last sentence of a turn."""
    return _QUESTIONS[querying]


def template(kind: ReplyFormat, *, several: bool) -> str:
    """The format with placeholders, so that a reply which repeats it is not taken for an answer."""
    noun = "number" if kind in NUMBERED else "action"
    payload = f"<{noun}>, <{noun}>, ..." if several else f"<{noun}>"
    if kind == ReplyFormat.ACTION_TAG:
        return f"<action>{payload.replace('<', '').replace('>', '')}</action>"
    if kind == ReplyFormat.ACTIONS and several:
        return f"SUB_GOAL: <sub-goal>\nACTIONS: {payload}"
    return f"{marker(kind)}: {payload}"


def marker(kind: ReplyFormat) -> str:
    """The word before the colon."""
    return {ReplyFormat.FINAL_OUTPUT: "FINAL_OUTPUT", ReplyFormat.FINAL: "Final"}.get(kind, "ACTIONS")


def speak(actions: Sequence[int], grammar: Grammar, subgoal: str = "") -> str:
    """A reply in the asked format; ``parse`` reads the same actions from it."""
    words = ", ".join(
        str(action) if grammar.format in NUMBERED else grammar.action_names[action] for action in actions
    )
    if grammar.format == ReplyFormat.ACTION_TAG:
        return f"<action>{words}</action>"
    line = f"{marker(grammar.format)}: {words}"
    return f"SUB_GOAL: {subgoal}\n{line}" if subgoal and grammar.format == ReplyFormat.ACTIONS else line


def example(grammar: Grammar) -> str:
    """One reply as it should look, to be shown before the template."""
    actions = (0, 0) if grammar.several else (0,)
    return f"For example:\n{speak(actions, grammar, EXAMPLE_SUBGOAL if grammar.several else '')}"


def gbnf(grammar: Grammar) -> str:
    """A GBNF grammar that allows the asked format and nothing else."""
    numbered = grammar.format in NUMBERED
    words = range(len(grammar.action_names)) if numbered else grammar.action_names
    actions = " | ".join(f'"{word}"' for word in words)
    payload = 'action (", " action)*' if grammar.several else "action"
    if grammar.format == ReplyFormat.ACTION_TAG:
        root = f'"<action>" {payload} "</action>"'
    elif grammar.format == ReplyFormat.ACTIONS and grammar.several:
        root = f'"SUB_GOAL: " [a-zA-Z0-9 ,]+ "\\nACTIONS: " {payload}'
    else:
        root = f'"{marker(grammar.format)}: " {payload}'
    return f"root ::= {root}\naction ::= {actions}\n"
