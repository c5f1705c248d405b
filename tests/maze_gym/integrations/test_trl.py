"""The class for TRL's ``environment_factory``; ``tools/check_integrations.py`` runs this beside TRL."""

from __future__ import annotations

import inspect
from itertools import islice
from typing import Any

import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.integrations.sessions import Session, SessionSpec, episodes
from maze_gym.integrations.trl import make_environment, rows
from maze_gym.llm.backends import OracleChat
from maze_gym.llm.config import ExperimentConfig, History, Querying

FULL = ExperimentConfig(history=History.FULL)


def specs(env_id: str = "MazeNLU-v0", config: ExperimentConfig = FULL) -> list[SessionSpec]:
    return list(islice(episodes(env_id, config), 2))


def best(spec: SessionSpec) -> list[str]:
    """The oracle's actions, by name."""
    session = Session(spec)
    chat = OracleChat(session.game, session.config)
    while not session.ended:
        session.reply(chat(()).text)
    actions: list[str] = session.outcome()["actions"]
    return actions


@pytest.mark.parametrize("env_id", ["MazeNLU-v0", "PacmanArray-v0"])
def test_an_episode_is_won_by_calls_of_its_tool(env_id: str) -> None:
    known = specs(env_id)
    environment = make_environment(known)()
    for spec, row in zip(known, rows(known), strict=True):
        told = environment.reset(**row, other="column")
        assert "The actions are" in told
        assert "FINAL_OUTPUT" not in told
        answers = []
        for action in best(spec):
            assert environment.get_reward() == 0.0
            answers.append(environment.act(action))
        assert [answer.endswith("The episode has ended.") for answer in answers[-2:]] == [False, True]
        assert environment.get_reward() == 1.0
        with pytest.raises(ValueError, match="has ended"):
            environment.act("MOVE_FORWARD")


def test_members_of_a_group_play_the_same_episode() -> None:
    known = specs()
    one, two = make_environment(known)(), make_environment(known)()
    row = rows(known)[1]
    assert one.reset(**row) == two.reset(**row) != one.reset(**rows(known)[0])


@pytest.mark.parametrize(
    ("env_id", "names"),
    [
        ("MazeNLU-v0", "TURN_LEFT, TURN_RIGHT, MOVE_FORWARD, PICKUP, TOGGLE, DONE"),
        ("PacmanArray-v0", "UP, DOWN, LEFT, RIGHT"),
    ],
)
@pytest.mark.parametrize("action", ["JUMP", "", "FINAL_OUTPUT: TURN_LEFT", "<action>1</action>"])
def test_an_action_that_is_none_is_answered_in_words_of_the_tool(
    env_id: str, names: str, action: str
) -> None:
    known = specs(env_id)
    environment = make_environment(known)()
    environment.reset(**rows(known)[0])
    said = f"{action!r} is no action; call act with one of {names}."
    retries = FULL.retries
    assert [environment.act(action) for _ in range(retries)] == [said] * retries
    assert environment.act(action) == f"{said}\n\nThe episode has ended."
    outcome = environment._outcome()
    assert (outcome["steps"], outcome["replies"], outcome["end_reason"]) == (0, retries + 1, "parse_failed")


def test_an_action_without_an_effect_is_refused_where_those_with_one_are_listed() -> None:
    known = specs(config=ExperimentConfig(history=History.FULL, show_legal_actions=True))
    environment = make_environment(known)()
    environment.reset(**rows(known)[0])
    said = environment.act("PICKUP")
    assert said.startswith("'PICKUP' is no action that is open to you now; call act with one of TURN_LEFT, ")
    assert "PICKUP" not in said[len("'PICKUP'") :]
    assert environment._outcome()["steps"] == 0


def test_the_tool_and_nothing_else_is_public_and_described() -> None:
    kind = make_environment(specs())
    public = [name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")]
    assert set(public) == {"act", "get_reward", "reset"}
    assert list(inspect.signature(kind().act).parameters) == ["action"]


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InvalidArgument, match="a tool takes one action"):
        make_environment(specs(config=ExperimentConfig(querying=Querying.SUBGOAL)))
    environment = make_environment(specs())()
    with pytest.raises(InvalidArgument, match="call reset"):
        environment.get_reward()
    with pytest.raises(InvalidArgument, match="the row must name one of 2 episodes, got None"):
        environment.reset()


@pytest.mark.extra("transformers", "transformers")
def test_transformers_makes_a_tool_schema_of_it() -> None:
    from transformers.utils import get_json_schema

    schema: dict[str, Any] = get_json_schema(make_environment(specs())().act)["function"]
    assert schema["name"] == "act"
    assert schema["parameters"]["required"] == ["action"]
    assert "as the rules list it" in schema["parameters"]["properties"]["action"]["description"]
