"""The Hugging Face backend against a server process on loopback."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from maze_gym.ending import EndReason
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import AccessRefused, InvalidArgument, MissingExtra, PromptTooLong, ProviderError
from maze_gym.evaluation import build_runner
from maze_gym.llm.backends import hugging_face, make_chat
from maze_gym.llm.backends.hugging_face import HuggingFaceChat
from maze_gym.llm.backends.server import Prices
from maze_gym.llm.config import Constrain, ExperimentConfig, Observe
from maze_gym.llm.messages import Message
from maze_gym.policies import make_policy
from maze_gym.policies.llm import LLMPolicy

from ...levels import ALL_KINDS, CORRIDOR

pytestmark = pytest.mark.extra("huggingface_hub", "hf")

TOKEN = "hf_secret0123456789"  # noqa: S105 - of no one
HELLO = (Message("system", "play"), Message("user", "go"))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HF_BASE_URL", address)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    for name in ("MAZE_GYM_PRICE_IN", "MAZE_GYM_PRICE_OUT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def chat(
    model: str, config: ExperimentConfig | None = None, **kwargs: Any
) -> tuple[HuggingFaceChat, list[float]]:
    waits: list[float] = []
    return HuggingFaceChat(model, config, sleep=waits.append, **kwargs), waits


def test_reply_carries_text_usage_cost_and_latency() -> None:
    model, waits = chat("say-done", prices=Prices(2.0, 10.0))
    reply = model(HELLO)
    assert (model.name, reply.text) == ("hf:say-done", "FINAL_OUTPUT: DONE")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (1_000, 10)
    assert reply.usage.cost_usd == pytest.approx(0.0021)
    assert reply.latency_s is not None
    assert 0 < reply.latency_s < 30
    assert (reply.retries, reply.wait_s, waits) == (0, 0.0, [])
    assert reply.raw == {"id": "c1", "model": "say-done", "finish_reason": "stop"}


def test_what_is_configured_is_what_is_sent(address: str) -> None:
    config = ExperimentConfig(temperature=0.5, max_tokens=77, constrain=Constrain.GRAMMAR)
    model = make_chat("hf:echo", GridWorldEnv(maze=CORRIDOR), config)
    told = json.loads(model(HELLO).text)
    assert told["hashes"]["authorization"] == hashlib.sha256(f"Bearer {TOKEN}".encode()).hexdigest()
    assert told["key"] == "Bearer ***"
    assert told["body"]["model"] == "echo"
    assert told["body"]["temperature"] == 0.5
    assert told["body"]["max_tokens"] == 77
    assert told["body"]["grammar"].startswith('root ::= "FINAL_OUTPUT: " action')
    assert model.settings["server"] == address
    assert TOKEN not in json.dumps(dict(model.settings))


def test_a_provider_may_be_named_behind_the_model() -> None:
    named = make_chat("hf:echo-organisation/model:provider", GridWorldEnv(maze=CORRIDOR))
    assert json.loads(named(HELLO).text)["body"]["model"] == "echo-organisation/model:provider"


def test_busy_servers_are_waited_for_as_they_ask() -> None:
    model, waits = chat("busy-3")
    reply = model(HELLO)
    assert (reply.retries, waits) == (3, [0.01] * 3)
    assert reply.wait_s == pytest.approx(0.03)
    dated, waits = chat("dated-2")
    assert dated(HELLO).retries == 2
    assert waits == [0.0, 0.0]


def test_waits_grow_and_are_out_of_step() -> None:
    model, waits = chat("broken", max_retries=4)
    with pytest.raises(ProviderError, match=r"did not answer in 5 attempts; the last time: .*boom"):
        model(HELLO)
    for wait, longest in zip(waits, (0.5, 1, 2, 4), strict=True):
        assert longest / 2 <= wait <= longest


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ("patient", ProviderError, "asks to wait 86400 s, more than 60 s"),
        ("poor", ProviderError, "refused: .*no money"),
        ("locked", ProviderError, r"refused: .*bad key Bearer \*\*\*"),
        ("unknown", AccessRefused, "refused: .*404"),
        ("unlisted", AccessRefused, "refused: .*no provider has it"),
        ("small", PromptTooLong, "does not fit into the context of hf:small: .*8192 tokens"),
        ("blind", ProviderError, "takes no pictures; use observation='text'"),
    ],
)
def test_what_no_retry_can_cure_is_said_at_once(model: str, error: type[Exception], message: str) -> None:
    asked, waits = chat(model)
    with pytest.raises(error, match=message) as caught:
        asked(HELLO)
    assert waits == []
    assert TOKEN not in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("model", ["page", "garbled", "empty", "dropping", "broken"])
def test_what_is_no_completion_is_tried_again_and_then_an_error(model: str) -> None:
    asked, waits = chat(model, max_retries=1)
    with pytest.raises(ProviderError, match="did not answer in 2 attempts") as caught:
        asked(HELLO)
    assert len(waits) == 1
    assert str(caught.value).isprintable()


def test_slow_servers_and_dead_addresses_time_out() -> None:
    with pytest.raises(ProviderError, match="did not answer in 1 attempts"):
        chat("sleepy", timeout_s=0.2, max_retries=0)[0](HELLO)
    with pytest.raises(ProviderError, match="did not answer in 1 attempts"):
        chat("x", base_url="http://127.0.0.1:9/v1", max_retries=0)[0](HELLO)


def test_refused_parameters_are_left_out_and_the_record_says_so() -> None:
    model, waits = chat("reasoning", ExperimentConfig(max_tokens=55))
    assert model(HELLO).text == ""
    assert waits == []
    assert model.settings["max_completion_tokens"] == 55
    assert not {"max_tokens", "temperature"} & set(model.settings)


def test_reply_without_text_is_an_empty_one() -> None:
    assert chat("silent")[0](HELLO).text == ""
    assert chat("saying-[]")[0](HELLO).text == ""


def test_reply_in_parts_is_the_texts_of_it() -> None:
    assert chat("parts-done")[0](HELLO).text == "FINAL_OUTPUT: DONE"


def test_pictures_arrive_as_the_env_draws_them() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    config = ExperimentConfig(observation=Observe.TEXT_IMAGE, cell_px=24, retries=0)
    policy = LLMPolicy(HuggingFaceChat("sees", config), config, env=env)
    env.reset(seed=0)
    policy.reset(0)
    with pytest.raises(Exception, match="no usable reply"):
        policy.act(None, {})
    frame = env.picture(24)
    assert policy.queries[0].reply is not None
    (seen,) = json.loads(policy.queries[0].reply.text)
    assert (seen["height"], seen["width"]) == frame.shape[:2]
    assert seen["sha256"] == hashlib.sha256(frame.tobytes()).hexdigest()


def test_an_episode_over_the_wire_is_recorded_without_the_token() -> None:
    env = GridWorldEnv(maze=CORRIDOR, max_steps=3)
    record = build_runner(ExperimentConfig(), env, make_policy("hf:say-move_forward", env)).run(seed=0)
    assert record.episode.success
    assert record.totals["input_tokens"] == 2_000
    assert TOKEN not in record.to_json()
    refused = build_runner(ExperimentConfig(), env, make_policy("hf:locked", env)).run(seed=0)
    assert (refused.episode.end_reason, refused.episode.success) == (EndReason.PROVIDER_ERROR, None)
    assert TOKEN not in refused.to_json()


def test_the_token_comes_from_the_environment_and_from_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def saved() -> str:
        pytest.fail("a token was looked for outside the environment")

    for module in (
        "huggingface_hub",
        "huggingface_hub.utils",
        "huggingface_hub.inference._providers._common",
    ):
        monkeypatch.setattr(f"{module}.get_token", saved)
    monkeypatch.delenv("HF_TOKEN")
    assert json.loads(chat("echo")[0](HELLO).text)["key"] == "Bearer none"  # an endpoint may ask for none
    monkeypatch.delenv("HF_BASE_URL")
    with pytest.raises(InvalidArgument, match=r"in HF_TOKEN, or the address .* HF_BASE_URL; HF_TOKEN is not"):
        chat("organisation/model")
    monkeypatch.setenv("HF_TOKEN", "sk-of-another-house")
    with pytest.raises(InvalidArgument, match="HF_TOKEN holds something else") as caught:
        chat("organisation/model")
    assert "sk-of-another-house" not in str(caught.value)


def test_without_an_address_the_client_knows_the_router(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_BASE_URL")
    asked: list[str] = []

    def refuse(_: object, request: Any, **__: Any) -> None:
        asked.append(request.url)
        msg = "no network in tests"
        raise OSError(msg)

    monkeypatch.setattr("huggingface_hub.InferenceClient._inner_post", refuse)
    model, waits = chat("organisation/model", max_retries=1)
    with pytest.raises(ProviderError, match="did not answer in 2 attempts; the last time: no network"):
        model(HELLO)
    assert (len(asked), len(waits)) == (2, 1)
    assert asked[0].endswith("/chat/completions")
    assert model.settings["server"] == ""


def test_an_offline_client_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub.errors import OfflineModeIsEnabled

    def offline(*_: Any, **__: Any) -> None:
        raise OfflineModeIsEnabled

    model, waits = chat("say-done")
    monkeypatch.setattr("huggingface_hub.InferenceClient._inner_post", offline)
    with pytest.raises(ProviderError, match="unset HF_HUB_OFFLINE"):
        model(HELLO)
    assert waits == []


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(module: str, extra: str) -> None:
        msg = f"pip install 'maze-gym[{extra}]' brings {module}"
        raise MissingExtra(msg)

    monkeypatch.setattr(hugging_face, "require", absent)
    with pytest.raises(MissingExtra, match=r"maze-gym\[hf\]"):
        chat("organisation/model")
