"""ExperimentConfig: checked, recorded, and every field has an effect."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation import build_runner
from maze_gym.game import Coordinates, Prompting, ReplyFormat, Wording
from maze_gym.llm.config import Constrain, ExperimentConfig, History, Observe, Querying
from maze_gym.policies.llm import LLMPolicy

from ..levels import ALL_KINDS

if TYPE_CHECKING:
    from maze_gym.ending import EndReason
    from maze_gym.llm.messages import Message

configs = st.builds(
    lambda **fields: ExperimentConfig.from_dict(fields),
    prompting=st.sampled_from(Prompting),
    observation=st.sampled_from((Observe.TEXT, Observe.TEXT_IMAGE)),
    context_window=st.sampled_from(("current", "last3", "last12", 0, 7)),
    querying=st.sampled_from(Querying),
    reply_format=st.none() | st.sampled_from(ReplyFormat),
    retries=st.integers(0, 100),
    stall_limit=st.none() | st.integers(1, 1_000),
    failure_limit=st.none() | st.integers(1, 1_000),
    show_legal_actions=st.booleans(),
    example=st.booleans(),
    coordinates=st.sampled_from(Coordinates),
    cell_px=st.integers(1, 512),
    constrain=st.sampled_from(Constrain),
    temperature=st.floats(0, 2) | st.integers(0, 2),
    max_tokens=st.integers(1, 10**6),
)


@given(configs)
def test_json_brings_the_config_back(config: ExperimentConfig) -> None:
    again = ExperimentConfig.from_json(config.to_json())
    assert again == config
    assert again.content_hash == config.content_hash
    assert json.loads(config.to_json()) == config.to_dict()


def test_hash_tells_configs_apart_and_nothing_else() -> None:
    assert (
        ExperimentConfig.from_dict({"context_window": 3}).content_hash
        == ExperimentConfig(context_window="last3").content_hash
    )
    assert ExperimentConfig(temperature=1).content_hash == ExperimentConfig(temperature=1.0).content_hash
    assert ExperimentConfig(retries=2).content_hash != ExperimentConfig().content_hash


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"prompting": "loud"}, "prompting must be one of minimal, standard, verbose, got 'loud'"),
        ({"observation": "screenshot"}, "observation must be one of text, text_image, image_first"),
        ({"querying": 1}, "querying must be one of"),
        ({"context_window": "last0"}, "context_window must be 'current', 'lastN' or N"),
        ({"context_window": -1}, "context_window must be"),
        ({"context_window": True}, "context_window must be"),
        ({"context_window": 1001}, "context_window must be"),
        ({"history": "full", "context_window": 3}, "contradicts"),
        ({"observation": "image_first", "show_legal_actions": True}, "leaves to the picture"),
        ({"reply_format": "xml"}, "reply_format must be one of final_output, actions, final, action_tag"),
        ({"retries": -1}, "retries must be a whole number of at least 0"),
        ({"retries": 101}, "at most 100"),
        ({"retries": 1.5}, "whole number"),
        ({"stall_limit": 0}, "stall_limit must be a whole number of at least 1"),
        ({"failure_limit": 0}, "failure_limit must be a whole number of at least 1"),
        ({"show_legal_actions": "yes"}, "true or false"),
        ({"cell_px": 0}, "cell_px"),
        ({"temperature": 3}, "from 0 to 2"),
        ({"temperature": "hot"}, "must be a number"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"verbosity": 1}, "no field 'verbosity'; there are: prompting"),
    ],
)
def test_wrong_fields_are_refused_by_name(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        ExperimentConfig.from_dict(fields)


@pytest.mark.parametrize("text", ["{", "[]", "3", '"x"'])
def test_what_is_no_config_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="a config must be"):
        ExperimentConfig.from_json(text)


class Listener:
    """Answers badly, then well; remembers what it was told."""

    def __init__(self, replies: list[str]) -> None:
        self.replies = replies
        self.asked: list[tuple[Message, ...]] = []

    def __call__(self, messages: tuple[Message, ...]) -> str:
        self.asked.append(messages)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


def heard(config: ExperimentConfig) -> tuple[list[tuple[Message, ...]], EndReason, int]:
    """What a model hears in a short episode, and how that ends."""
    listener = Listener(["?", "FINAL_OUTPUT: PICKUP", "FINAL_OUTPUT: TURN_LEFT", "FINAL_OUTPUT: TURN_LEFT"])
    env = gym.make("MazeNLU-v0", maze=_level(), max_steps=6)
    record = build_runner(config, env, LLMPolicy(listener, config, env=env)).run(seed=0).episode
    return listener.asked, record.end_reason, record.steps


def _level() -> dict[str, Any]:
    from mazegen import codec

    return codec.to_dict(ALL_KINDS)


@pytest.mark.parametrize(
    "changed",
    [
        {"prompting": Prompting.VERBOSE},
        {"observation": Observe.TEXT_IMAGE},
        {"observation": Observe.IMAGE_FIRST},
        {"context_window": "last3"},
        {"history": History.FULL},
        {"querying": Querying.SUBGOAL},
        {"querying": Querying.FULL_TRAJECTORY},
        {"reply_format": ReplyFormat.FINAL},
        {"retries": 0},
        {"stall_limit": 2},
        {"failure_limit": 1},
        {"show_legal_actions": True},
        {"example": True},
        {"coordinates": Coordinates.X_Y},
        {"coordinates": Coordinates.ROW_COL_1},
    ],
    ids=str,
)
def test_every_field_changes_what_is_heard_or_how_replies_are_used(changed: dict[str, Any]) -> None:
    assert heard(dataclasses.replace(ExperimentConfig(), **changed)) != heard(ExperimentConfig())


def test_a_runner_and_its_model_are_told_the_same() -> None:
    """Of two configs that differ one would be dropped; a default one says nothing, and may be."""
    own = ExperimentConfig(retries=0, querying=Querying.SUBGOAL)
    env = gym.make("MazeNLU-v0", maze=_level())
    policy = LLMPolicy(lambda _: "?", own, env=env)
    for config in (own, ExperimentConfig()):
        assert build_runner(config, env, policy).config == own
    with pytest.raises(
        InvalidArgument, match=r"config of its own that differs in querying, retries, stall_limit"
    ):
        build_runner(ExperimentConfig(stall_limit=2), env, policy)
    runner = build_runner(ExperimentConfig(retries=1), env, policy.chat)  # the chat has none of its own
    assert len(runner.run(seed=0).queries) == 2


@pytest.mark.parametrize("config", [None, "x", 3, [("retries", 1)]])
def test_what_is_no_config_makes_no_runner(config: Any) -> None:
    with pytest.raises(
        InvalidArgument, match=r"config must be an ExperimentConfig or a mapping of its fields, got \w+"
    ):
        build_runner(config, gym.make("MazeNLU-v0", maze=_level()), "random")


def test_picture_size_changes_the_picture() -> None:
    base = ExperimentConfig(observation=Observe.TEXT_IMAGE)
    assert heard(dataclasses.replace(base, cell_px=16)) != heard(base)


def test_fields_for_servers_and_all_others_are_covered_by_a_test() -> None:
    """Those that only a server sees are tested with one, in test_openai_compatible."""
    tested = {
        "prompting", "observation", "context_window", "history", "querying", "reply_format", "retries",
        "stall_limit", "failure_limit", "show_legal_actions", "example", "coordinates", "cell_px",
    }  # fmt: skip
    sent = {"constrain", "temperature", "max_tokens"}
    assert {field.name for field in dataclasses.fields(ExperimentConfig)} == tested | sent


def test_wording_leaves_out_what_a_first_picture_shows() -> None:
    config = ExperimentConfig(observation=Observe.IMAGE_FIRST, coordinates=Coordinates.X_Y)
    assert config.wording == Wording(Prompting.STANDARD, Coordinates.X_Y, pictured=True)
    env = GridWorldEnv(maze=ALL_KINDS)
    env.reset()
    assert env.describe(config.wording).state == ""
