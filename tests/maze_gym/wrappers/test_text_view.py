"""TextView: a world as a conversation."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from gymnasium.error import ResetNeeded

from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument
from maze_gym.game import Coordinates, Prompting, ReplyFormat
from maze_gym.llm.backends import OracleChat
from maze_gym.llm.config import ExperimentConfig, History, Observe, Querying
from maze_gym.wrappers import TextObservation, TextView
from mazegen.core.rules import Action

from ..levels import ALL_KINDS, CORRIDOR
from ..llm.hallway import Hallway


@pytest.mark.parametrize("querying", Querying)
@pytest.mark.parametrize("history", History)
def test_a_conversation_with_the_oracle_succeeds(querying: Querying, history: History) -> None:
    config = ExperimentConfig(querying=querying, history=history)
    envs: tuple[Any, ...] = (GridWorldEnv(maze=ALL_KINDS), Hallway())
    for env in envs:
        view, chat = TextView(TextObservation(env), config), OracleChat(env, config)
        text, info = view.reset(seed=3)
        assert "level_id" in info
        ended, terminated, total = False, False, 0.0
        while not ended:
            text, reward, terminated, truncated, info = view.step(chat(()).text)
            ended, total = terminated or truncated, total + reward
        assert (info["end_reason"], info["is_success"], total, terminated) == ("success", True, 1.0, True)
        assert text
        view.close()


def test_first_text_holds_task_level_format_and_turn() -> None:
    text, _ = TextView(GridWorldEnv(maze=ALL_KINDS)).reset(options={"facing": "EAST"})
    for part in (
        "Reach the goal cell",
        "The maze has 5 rows",
        "FINAL_OUTPUT: <action>",
        "facing east",
        "Which action",
    ):
        assert part in text


def test_unusable_replies_are_explained_and_cost_no_step_until_they_are_too_many() -> None:
    env = GridWorldEnv(maze=CORRIDOR)
    view = TextView(env, ExperimentConfig(retries=1))
    view.reset()
    step = view.step("I go.")
    assert "held no answer in the asked format" in step.text
    assert (step.reward, step.terminated, step.truncated) == (0.0, False, False)
    assert step.info["parse_failure"] == "no_marker"
    assert env.snapshot()["col"] == 1
    assert not view.step("FINAL_OUTPUT: MOVE_FORWARD").truncated  # a usable reply forgives
    view.step("?")
    last = view.step("?")
    assert (last.terminated, last.truncated) == (False, True)
    assert (last.info["end_reason"], last.info["is_success"]) == ("parse_failed", False)
    with pytest.raises(ResetNeeded):
        view.step("FINAL_OUTPUT: DONE")


def test_subgoals_stop_at_the_first_action_without_effect() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    view = TextView(env, ExperimentConfig(querying=Querying.SUBGOAL, context_window="last3"))
    view.reset()
    step = view.step("ACTIONS: TURN_RIGHT, PICKUP, TURN_RIGHT, TURN_RIGHT")
    assert env.snapshot()["facing"] == "EAST"
    assert "2. At row 1, column 1, facing east you chose PICKUP. Nothing happens." in step.text


def test_plans_run_out_and_clocks_run_down() -> None:
    view = TextView(GridWorldEnv(maze=ALL_KINDS), ExperimentConfig(querying=Querying.FULL_TRAJECTORY))
    view.reset()
    step = view.step("ACTIONS: TURN_RIGHT, DONE")
    assert (step.truncated, step.info["end_reason"]) == (True, "plan_exhausted")
    short = TextView(GridWorldEnv(maze=ALL_KINDS, max_steps=1))
    short.reset()
    step = short.step("FINAL_OUTPUT: TURN_LEFT")
    assert (step.truncated, step.info["end_reason"], step.info["is_success"]) == (True, "timeout", False)


def test_legal_actions_are_held_to_where_they_are_shown() -> None:
    view = TextView(GridWorldEnv(maze=ALL_KINDS), ExperimentConfig(show_legal_actions=True))
    text, _ = view.reset()
    assert "Actions open to you now: TURN_LEFT, TURN_RIGHT." in text
    assert view.step(f"FINAL_OUTPUT: {Action.PICKUP.name}").info["parse_failure"] == "illegal"


CHANGED: dict[str, Any] = {
    "prompting": Prompting.VERBOSE,
    "observation": Observe.IMAGE_FIRST,
    "context_window": "last3",
    "history": History.FULL,
    "querying": Querying.SUBGOAL,
    "reply_format": ReplyFormat.FINAL,
    "retries": 0,
    "show_legal_actions": True,
    "example": True,
    "coordinates": Coordinates.X_Y,
}
REFUSED: dict[str, Any] = {"stall_limit": 2, "failure_limit": 1}
LEFT_TO_OTHERS = {"cell_px", "constrain", "temperature", "max_tokens"}  # pictures, and what a server does


def told(config: ExperimentConfig) -> list[Any]:
    """All that a short conversation says."""
    view = TextView(GridWorldEnv(maze=ALL_KINDS), config)
    heard: list[Any] = [view.reset()[0]]
    for reply in ("?", "FINAL_OUTPUT: PICKUP", "FINAL_OUTPUT: TURN_RIGHT"):
        heard.append(view.step(reply)[:4])
        if heard[-1][-1]:
            break
    return heard


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(ExperimentConfig)])
def test_every_field_of_a_config_has_an_effect_or_is_refused(name: str) -> None:
    if name in REFUSED:
        with pytest.raises(InvalidArgument, match=r"kept by the episode loop \(maze_gym\.evaluation\)"):
            told(ExperimentConfig(**{name: REFUSED[name]}))
    elif name not in LEFT_TO_OTHERS:
        assert told(ExperimentConfig(**{name: CHANGED[name]})) != told(ExperimentConfig())


def test_a_step_before_reset_is_refused() -> None:
    with pytest.raises(ResetNeeded):
        TextView(GridWorldEnv(maze=CORRIDOR)).step("FINAL_OUTPUT: DONE")


@pytest.mark.parametrize("reply", [None, 5, b"FINAL_OUTPUT: DONE", ["FINAL_OUTPUT: DONE"]])
def test_a_reply_that_is_no_text_is_refused_and_costs_no_retry(reply: Any) -> None:
    view = TextView(GridWorldEnv(maze=CORRIDOR), ExperimentConfig(retries=0))
    view.reset()
    with pytest.raises(InvalidArgument, match=f"a reply must be text.*got {type(reply).__name__}"):
        view.step(reply)
    assert not view.step("FINAL_OUTPUT: MOVE_FORWARD").truncated
