"""Prompts: pure functions with golden files, one for each world and mode."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from maze_gym.envs import GridWorldEnv
from maze_gym.game import Prompting, ReplyFormat
from maze_gym.llm.config import ExperimentConfig, Observe, Querying
from maze_gym.llm.parsing import FailureKind, Grammar, ParsedReply, ParseFailure, parse
from maze_gym.llm.prompts import Turn, build, grammar_for, reask_text
from mazegen.core.rules import Action

from ..golden import check_golden
from ..levels import ALL_KINDS
from .asking import echoes, page, turn_after
from .hallway import Hallway

WORDED = [kind for kind in ReplyFormat if kind != ReplyFormat.COORDINATES]  # no maze is walked by positions
MODES = list(product(Prompting, Observe, Querying))
# Down to the key, past the red door; the last action walks into a closed gate.
MAZE_ACTIONS = ("TURN_RIGHT", "TURN_RIGHT", "MOVE_FORWARD", "PICKUP", "TURN_LEFT", *["MOVE_FORWARD"] * 5)


def maze_turn(config: ExperimentConfig) -> tuple[Grammar, Turn]:
    env = GridWorldEnv(maze=ALL_KINDS)
    return grammar_for(config, env), turn_after(env, [int(Action[name]) for name in MAZE_ACTIONS], config)


@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_maze_prompts_are_the_approved_ones(
    prompting: Prompting, observation: Observe, querying: Querying
) -> None:
    config = ExperimentConfig(prompting, observation, "last3", querying=querying)
    messages = build(config, *maze_turn(config))
    check_golden(f"prompts/maze_{prompting}_{observation}_{querying}.txt", page(messages))


@pytest.mark.parametrize("kind", ReplyFormat)
def test_hallway_prompts_are_the_approved_ones(kind: ReplyFormat) -> None:
    env = Hallway()
    config = ExperimentConfig(reply_format=kind, example=True, show_legal_actions=True)
    turn = turn_after(env, [1, 0], config)
    grammar = grammar_for(config, env, turn.description.legal)
    check_golden(f"prompts/hallway_{kind}.txt", page(build(config, grammar, turn)))


@pytest.mark.parametrize("kind", FailureKind)
def test_each_failure_is_asked_again_in_its_own_words(kind: FailureKind) -> None:
    config = ExperimentConfig()
    grammar, turn = maze_turn(config)
    replies = {
        FailureKind.EMPTY: "",
        FailureKind.NO_MARKER: "I go.",
        FailureKind.UNKNOWN_ACTION: "FINAL_OUTPUT: JUMP",
        FailureKind.WRONG_SHAPE: "FINAL_OUTPUT: DONE now",
        FailureKind.ILLEGAL: "FINAL_OUTPUT: PICKUP",
    }
    failure = parse(replies[kind], grammar._replace(legal=turn.description.legal))
    assert isinstance(failure, ParseFailure)
    assert failure.kind == kind
    line = reask_text(failure, grammar, 1, 4)
    assert len(line.splitlines()) == 1
    check_golden(f"prompts/reask_{kind}.txt", f"{line}\n")


@pytest.mark.parametrize("kind", [None, *WORDED])
@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_an_echoed_prompt_is_no_answer(
    prompting: Prompting, observation: Observe, querying: Querying, kind: ReplyFormat | None
) -> None:
    """Whether a model repeats the whole prompt, one message or a single line of it, nothing is played."""
    config = ExperimentConfig(prompting, observation, "last3", querying=querying, reply_format=kind)
    grammar, turn = maze_turn(config)
    for echo in echoes(build(config, grammar, turn)):
        assert isinstance(parse(echo, grammar), ParseFailure), echo


@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_there_is_one_output_format_and_one_system_message(
    prompting: Prompting, observation: Observe, querying: Querying
) -> None:
    config = ExperimentConfig(prompting, observation, querying=querying)
    messages = build(config, *maze_turn(config))
    assert [message.role for message in messages] == ["system", "user"]
    text = messages[0].text
    markers = [
        marker for marker in ("FINAL_OUTPUT:", "\nACTIONS:", "Final:", "<action>NUMBER") if marker in text
    ]
    assert len(markers) == 1
    assert ("SUB_GOAL:" in text) == (querying != Querying.STEP)
    assert (len(messages[1].images) == 1) == (observation != Observe.TEXT)


@pytest.mark.parametrize(("prompting", "querying"), list(product(Prompting, Querying)))
def test_picture_first_leaves_the_state_to_the_picture(prompting: Prompting, querying: Querying) -> None:
    """Beside the counts of steps no number is left, and no word that tells one state from another."""
    config = ExperimentConfig(prompting, Observe.IMAGE_FIRST, "last3", querying=querying)
    grammar, turn = maze_turn(config)
    system, user = build(config, grammar, turn)
    assert not re.search(r"\d", system.text)
    other = GridWorldEnv(maze=ALL_KINDS)
    elsewhere = turn_after(other, [0] * len(MAZE_ACTIONS), config)
    assert build(config, grammar, elsewhere._replace(history=turn.history))[1].text == user.text
    for word in ("north", "row", "closed", "goal is", "hold"):
        assert word not in user.text
    actions = ", ".join(MAZE_ACTIONS[-3:])
    assert f"Your latest steps, oldest first: {actions}." in user.text


def test_prompts_are_pure() -> None:
    config = ExperimentConfig(Prompting.VERBOSE, Observe.TEXT_IMAGE, "last3")
    grammar, turn = maze_turn(config)
    assert build(config, grammar, turn) == build(config, grammar, turn)


def test_history_tells_the_pose_in_which_an_action_was_chosen() -> None:
    config = ExperimentConfig(context_window="last2")
    text = build(config, *maze_turn(config))[-1].text
    assert "9. At row 2, column 4, facing east you chose MOVE_FORWARD. You move forward." in text
    assert "10. At row 2, column 5, facing east you chose MOVE_FORWARD. Gate g1 is closed" in text
    assert "8. At" not in text


def test_example_is_a_reply_that_parses() -> None:
    for kind, querying in product(WORDED, Querying):
        config = ExperimentConfig(example=True, reply_format=kind, querying=querying)
        grammar, turn = maze_turn(config)
        text = build(config, grammar, turn)[0].text
        block = text.split("For example:\n")[1].split("\n\n")[0]
        assert isinstance(parse(block, grammar), ParsedReply)
        assert "For example" not in build(replace(config, example=False), grammar, turn)[0].text
