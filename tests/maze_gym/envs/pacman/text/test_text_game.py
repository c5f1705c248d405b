"""PacmanArray as a language model meets it: the whole prompts."""

from __future__ import annotations

import re
from itertools import product

import pytest

from maze_gym.envs import PacmanArrayEnv
from maze_gym.game import Prompting, ReplyFormat
from maze_gym.llm.config import ExperimentConfig, Observe, Querying
from maze_gym.llm.parsing import Grammar, ParsedReply, ParseFailure, parse
from maze_gym.llm.prompts import Turn, at_turn, build, grammar_for

from ....golden import check_golden
from ....llm.asking import echoes, page, turn_after

MODES = list(product(Prompting, Observe, Querying))
WORDED = [kind for kind in ReplyFormat if kind != ReplyFormat.COORDINATES]  # Pacman has none of it
# Against the edge, to the power pellet, past it; 17 steps are left then.
ACTIONS = (0, 3, 3)
BOARD = ["PO...", ".W.W.", ".....", ".W..G"]


def asked(config: ExperimentConfig, actions: tuple[int, ...] = ACTIONS) -> tuple[Grammar, Turn]:
    env = PacmanArrayEnv(layout=BOARD, max_steps=20, show_pellets=3)
    turn = turn_after(env, actions, config)
    return at_turn(config, grammar_for(config, env), turn.description), turn


@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_prompts_are_the_approved_ones(
    prompting: Prompting, observation: Observe, querying: Querying
) -> None:
    config = ExperimentConfig(prompting, observation, "last3", querying=querying)
    messages = build(config, *asked(config))
    check_golden(f"prompts/pacman_{prompting}_{observation}_{querying}.txt", page(messages))


@pytest.mark.parametrize("kind", [None, *WORDED])
@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_an_echoed_prompt_is_no_answer(
    prompting: Prompting, observation: Observe, querying: Querying, kind: ReplyFormat | None
) -> None:
    config = ExperimentConfig(
        prompting,
        observation,
        "last3",
        querying=querying,
        reply_format=kind,
        show_legal_actions=observation != Observe.IMAGE_FIRST,
    )
    grammar, turn = asked(config)
    for echo in echoes(build(config, grammar, turn)):
        assert isinstance(parse(echo, grammar), ParseFailure), echo


@pytest.mark.parametrize(("prompting", "querying"), list(product(Prompting, Querying)))
def test_picture_first_leaves_the_state_to_the_picture(prompting: Prompting, querying: Querying) -> None:
    """No position, and no word that tells one state from another."""
    config = ExperimentConfig(prompting, Observe.IMAGE_FIRST, "last3", querying=querying)
    grammar, turn = asked(config)
    system, user = build(config, grammar, turn)
    assert not re.search(r"\(\d+, \d+\)", system.text + user.text)
    _, elsewhere = asked(config, (1, 1, 3))
    assert build(config, grammar, elsewhere._replace(history=turn.history))[1].text == user.text


@pytest.mark.parametrize("kind", [ReplyFormat.ACTION_TAG, ReplyFormat.FINAL])
def test_every_way_in_which_a_prompt_writes_an_action_is_read_as_that_action(kind: ReplyFormat) -> None:
    """``2 = LEFT`` where the actions are listed, ``2 (LEFT)`` in the result of a step."""
    config = ExperimentConfig(context_window="last3", reply_format=kind, show_legal_actions=True)
    grammar, turn = asked(config)
    text = page(build(config, grammar, turn))
    written = re.findall(r"(\d) (?:= ([A-Z]+)|\(([A-Z]+)\))", text)
    assert {number for number, *_ in written} == set("0123")
    found = re.findall(r"\d (?:= [A-Z]+|\([A-Z]+\))", text)
    for (number, *_), words in zip(written, found, strict=True):
        reply = f"<action>{words}</action>" if kind == ReplyFormat.ACTION_TAG else f"Final: {words}"
        reading = parse(reply, grammar._replace(legal=None))
        assert isinstance(reading, ParsedReply), reading
        assert reading.actions == (int(number),)
