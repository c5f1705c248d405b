"""The OpenAI-compatible backend against a server process on loopback."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from maze_gym.ending import EndReason
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import AccessRefused, InvalidArgument, MissingExtra, PromptTooLong, ProviderError
from maze_gym.evaluation import build_runner, run_episode
from maze_gym.llm.backends import endpoint, make_chat
from maze_gym.llm.backends.endpoint import Answer
from maze_gym.llm.backends.openai_compatible import OpenAIChat, Refusal
from maze_gym.llm.backends.server import Prices, known_prices, prices_from_environment
from maze_gym.llm.config import Constrain, ExperimentConfig, Observe
from maze_gym.llm.messages import Message
from maze_gym.policies import make_policy
from maze_gym.policies.llm import LLMPolicy

from ...levels import ALL_KINDS, CORRIDOR

pytestmark = pytest.mark.extra("urllib3", "llm")

KEY = "sk-secret-0123456789"
HELLO = (Message("system", "play"), Message("user", "go"))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("MAZE_GYM_PRICE_IN", "MAZE_GYM_PRICE_OUT"):
        monkeypatch.delenv(name, raising=False)


def chat(model: str, config: ExperimentConfig | None = None, **kwargs: Any) -> tuple[OpenAIChat, list[float]]:
    waits: list[float] = []
    return OpenAIChat(model, config, sleep=waits.append, **kwargs), waits


def test_reply_carries_text_usage_cost_and_latency() -> None:
    model, waits = chat("say-done", prices=Prices(2.0, 10.0))
    reply = model(HELLO)
    assert reply.text == "FINAL_OUTPUT: DONE"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (1_000, 10)
    assert reply.usage.cost_usd == pytest.approx(0.0021)
    assert reply.latency_s is not None
    assert 0 < reply.latency_s < 30
    assert (reply.retries, reply.wait_s, waits) == (0, 0.0, [])
    assert reply.raw == {"id": "c1", "model": "say-done", "finish_reason": "stop"}


def test_what_is_configured_is_what_is_sent(address: str) -> None:
    config = ExperimentConfig(temperature=0.5, max_tokens=77, constrain=Constrain.GRAMMAR)
    env = GridWorldEnv(maze=CORRIDOR)
    model = make_chat("openai:echo", env, config)
    told = json.loads(model(HELLO).text)
    assert told["hashes"]["authorization"] == hashlib.sha256(f"Bearer {KEY}".encode()).hexdigest()
    assert told["key"] == "Bearer ***"
    assert told["body"]["temperature"] == 0.5
    assert told["body"]["max_tokens"] == 77
    assert told["body"]["grammar"].startswith('root ::= "FINAL_OUTPUT: " action')
    plain = json.loads(make_chat("openai:echo", env, ExperimentConfig())(HELLO).text)["body"]
    assert "grammar" not in plain
    assert (plain["temperature"], plain["max_tokens"]) == (0.0, 1024)
    assert model.settings["server"] == address
    assert KEY not in json.dumps(dict(model.settings))


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
        ("locked", ProviderError, "refused: .*bad key Bearer \\*\\*\\*"),
        ("unknown", AccessRefused, "refused: .*404"),
        ("unlisted", AccessRefused, "refused: .*no provider has it"),
        ("small", PromptTooLong, "does not fit into the context of openai:small: .*8192 tokens"),
        ("blind", ProviderError, "takes no pictures; use observation='text'"),
    ],
)
def test_what_no_retry_can_cure_is_said_at_once(model: str, error: type[Exception], message: str) -> None:
    asked, waits = chat(model)
    with pytest.raises(error, match=message) as caught:
        asked(HELLO)
    assert waits == []
    assert KEY not in str(caught.value)
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
    assert "max_tokens" in model.settings
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
    """The server decodes each picture; its pixels are those of the state in which it was asked."""
    env = GridWorldEnv(maze=ALL_KINDS)
    for observation in (Observe.TEXT_IMAGE, Observe.IMAGE_FIRST):
        config = ExperimentConfig(observation=observation, cell_px=24, retries=0)
        policy = LLMPolicy(OpenAIChat("sees", config), config, env=env)
        env.reset(seed=0)
        env.step(1)
        policy.reset(0)
        with pytest.raises(Exception, match="no usable reply"):
            policy.act(None, {})
        frame = env.picture(24)
        assert policy.queries[0].reply is not None
        assert json.loads(policy.queries[0].reply.text) == [
            {
                "width": frame.shape[1],
                "height": frame.shape[0],
                "sha256": hashlib.sha256(frame.tobytes()).hexdigest(),
            }
        ]


def test_episode_over_the_wire_counts_parse_and_provider_retries_apart() -> None:
    env = GridWorldEnv(maze=CORRIDOR, max_steps=3)
    record = build_runner(ExperimentConfig(), env, make_policy("openai:say-move_forward", env)).run(seed=0)
    assert record.episode.success
    assert record.totals["input_tokens"] == 2_000
    assert (record.totals["parse_retries"], record.totals["provider_retries"]) == (0, 0)
    assert record.model["model"] == "say-move_forward"
    assert KEY not in record.to_json()
    busy = OpenAIChat("busy-1", sleep=lambda _: None)
    again = build_runner(ExperimentConfig(retries=2), env, busy).run(seed=0)
    assert again.episode.end_reason == EndReason.PARSE_FAILED  # it answers nothing, in the end
    assert (again.totals["parse_retries"], again.totals["provider_retries"]) == (2, 1)


def test_provider_failure_in_an_episode_is_unscored() -> None:
    env = GridWorldEnv(maze=CORRIDOR)
    record = run_episode(env, make_policy("openai:locked", env), seed=0)
    assert (record.end_reason, record.success) == (EndReason.PROVIDER_ERROR, None)


def test_keys_addresses_and_prices_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    env = GridWorldEnv(maze=CORRIDOR)
    monkeypatch.setenv("MAZE_GYM_PRICE_IN", "3")
    monkeypatch.setenv("MAZE_GYM_PRICE_OUT", "0")
    assert make_chat("openai:say-done", env)(HELLO).usage.cost_usd == pytest.approx(0.003)
    monkeypatch.setenv("MAZE_GYM_PRICE_OUT", "cheap")
    with pytest.raises(InvalidArgument, match="US dollars for a million tokens"):
        make_chat("openai:say-done", env)
    monkeypatch.delenv("OPENAI_API_KEY")
    told = json.loads(OpenAIChat("echo")(HELLO).text)
    assert told["key"] == "Bearer none"  # a server of one's own asks for no key
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(InvalidArgument, match=r"OPENAI_API_KEY.*OPENAI_BASE_URL"):
        OpenAIChat("gpt")
    secret = OpenAIChat("x", base_url=address.replace("http://", "http://user:pass@") + "?token=t")
    assert secret.settings["server"] == address


@pytest.mark.parametrize("wrong", ["nan", "inf", "-1", "cheap"])
@pytest.mark.parametrize("name", ["MAZE_GYM_PRICE_IN", "MAZE_GYM_PRICE_OUT"])
def test_what_is_no_price_is_refused_by_name(name: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A NaN above all: no sum that holds one ever reaches a limit."""
    for each in ("MAZE_GYM_PRICE_IN", "MAZE_GYM_PRICE_OUT"):
        monkeypatch.setenv(each, wrong if each == name else "1")
    with pytest.raises(InvalidArgument, match=f"{name} must be US dollars .*, got '{wrong}'"):
        prices_from_environment()


def test_half_a_price_is_refused_wherever_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAZE_GYM_PRICE_IN", "3")
    monkeypatch.setenv("MAZE_GYM_PRICE_OUT", "")  # as good as not set
    with pytest.raises(InvalidArgument, match=r"--price-out is missing \(0 if it is free\)"):
        prices_from_environment()
    assert known_prices(price_out=8) == (3, 8)
    assert known_prices(1, 0) == (1, 0)
    monkeypatch.delenv("MAZE_GYM_PRICE_IN")
    assert known_prices() is None
    with pytest.raises(InvalidArgument, match="--price-in is missing"):
        known_prices(price_out=8)
    with pytest.raises(InvalidArgument, match=r"--price-in must be US dollars .*, got nan"):
        known_prices(float("nan"), 1)


def test_an_account_is_told_and_a_broken_key_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")  # as a file ends
    hashes = json.loads(chat("echo")[0](HELLO).text)["hashes"]
    assert hashes["authorization"] == hashlib.sha256(f"Bearer {KEY}".encode()).hexdigest()
    assert hashes["openai-organization"] == hashlib.sha256(b"org-1").hexdigest()
    for broken in ("sk-secret\nmore", "sk-secret-\u00e9"):
        monkeypatch.setenv("OPENAI_API_KEY", broken)
        with pytest.raises(InvalidArgument, match="OPENAI_API_KEY holds a line break or a letter") as caught:
            chat("echo")
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("opening", [b"[", b'{"error":'])
def test_a_refusal_of_any_depth_is_told_as_it_came(opening: bytes) -> None:
    refusal = Refusal(Answer(500, {}, opening * 100_000))
    assert str(refusal).startswith(f"error 500: {opening.decode()}")
    assert refusal.code is None


def test_a_server_that_has_moved_is_not_followed_with_the_key() -> None:
    model, waits = chat("moved")
    with pytest.raises(
        ProviderError, match=r"error 308: the server has moved; .* leads to http://elsewhere/v1"
    ):
        model(HELLO)
    assert waits == []


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(module: str, extra: str) -> None:
        msg = f"pip install 'maze-gym[{extra}]' brings {module}"
        raise MissingExtra(msg)

    monkeypatch.setattr(endpoint, "require", absent)
    with pytest.raises(MissingExtra, match=r"maze-gym\[llm\]"):
        OpenAIChat("gpt")
