"""LLMPolicy: querying, memory, retries, errors, and models that misbehave."""

from __future__ import annotations

import json
from itertools import count, product
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym import suites
from maze_gym.ending import EndReason
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument, ProviderError
from maze_gym.evaluation import EpisodeRecord, run_episode
from maze_gym.game import Description, Prompting, ReplyFormat, Wording
from maze_gym.llm import formats
from maze_gym.llm.backends import NoisyChat, OracleChat, RandomChat, ScriptedChat, make_chat
from maze_gym.llm.chat import Reply
from maze_gym.llm.config import ExperimentConfig, History, Observe, Querying
from maze_gym.llm.messages import Message
from maze_gym.llm.parsing import FailureKind, ParsedReply, ParseFailure, parse
from maze_gym.llm.prompts import at_turn, grammar_for
from maze_gym.policies import check_policy_name, make_policy
from maze_gym.policies.llm import LLMPolicy
from mazegen.core.rules import Action

from ..golden import check_golden
from ..levels import ALL_KINDS, CORRIDOR, TRAP
from .hallway import Hallway

if TYPE_CHECKING:
    from collections.abc import Callable

MODES = list(product(Prompting, Observe, ("current", "last3"), Querying))
SUITE = suites.load("starter")
SMOKE = suites.load("smoke")


def play(
    chat: Any, config: ExperimentConfig | None = None, env: Any = None, **kwargs: Any
) -> tuple[EpisodeRecord, LLMPolicy]:
    env = env or GridWorldEnv(maze=ALL_KINDS)
    policy = LLMPolicy(chat, config, env=env)
    return run_episode(env, policy, seed=0, **kwargs), policy


@pytest.mark.parametrize(("prompting", "observation", "context", "querying"), MODES)
def test_oracle_that_speaks_is_perfect_in_every_mode(
    prompting: Prompting, observation: Observe, context: str, querying: Querying
) -> None:
    """The whole way through words: what it says is read as what it means, and every level is won."""
    env = GridWorldEnv(mazes=SMOKE)
    config = ExperimentConfig(prompting, observation, context, querying=querying, cell_px=8)
    policy = LLMPolicy(OracleChat(env, config), config, env=env)
    for maze in SMOKE:
        record = run_episode(env, policy, seed=0, options={"maze": maze})
        assert (record.success, record.steps) == (True, record.optimal_actions)


@pytest.mark.parametrize(("kind", "querying"), list(product(ReplyFormat, Querying)))
def test_oracle_is_perfect_in_every_format_and_world(kind: ReplyFormat, querying: Querying) -> None:
    config = ExperimentConfig(reply_format=kind, querying=querying)
    envs: list[Any] = [Hallway()]
    if kind != ReplyFormat.COORDINATES:  # a maze has turns, which lead to no other position
        envs.append(GridWorldEnv(maze=ALL_KINDS))
    for env in envs:
        record, _ = play(OracleChat(env, config), config, env)
        assert record.success


@pytest.mark.parametrize(("observation", "querying"), list(product(Observe, Querying)))
def test_random_chat_always_ends_with_a_typed_reason(observation: Observe, querying: Querying) -> None:
    config = ExperimentConfig(observation=observation, querying=querying, stall_limit=30, cell_px=4)
    env = GridWorldEnv(mazes=SUITE)
    policy = LLMPolicy(RandomChat(env, config), config, env=env)
    for seed in range(6):
        record = run_episode(env, policy, seed=seed, stall_limit=config.stall_limit)
        assert record.end_reason in set(EndReason)
        assert record.success is not None


def test_random_chat_is_fixed_by_its_seed() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    policy = LLMPolicy(RandomChat(env, ExperimentConfig()), env=env)
    records = [run_episode(env, policy, seed=seed).actions for seed in (1, 1, 2)]
    assert records[0] == records[1] != records[2]


@pytest.mark.parametrize("kind", ReplyFormat)
@pytest.mark.parametrize("querying", Querying)
def test_noise_is_the_share_of_replies_that_are_random_and_all_of_them_can_be_used(
    kind: ReplyFormat, querying: Querying
) -> None:
    config = ExperimentConfig(reply_format=kind, querying=querying, show_legal_actions=True)
    env = Hallway()
    env.reset(options={"tile": 2})
    chat = NoisyChat(env, config, 0.5)
    chat.reset(7)
    replies = [chat(()).text for _ in range(400)]
    grammar = at_turn(config, grammar_for(config, env), env.describe(config.wording))
    readings = [parse(reply, grammar) for reply in replies]
    first = [reading.actions[0] for reading in readings if isinstance(reading, ParsedReply)]
    assert len(first) == 400
    assert 75 < first.count(0) < 125  # half of the random half: the oracle never goes to the left
    chat.reset(7)
    assert [chat(()).text for _ in range(400)] == replies


def test_without_noise_it_is_the_oracle_and_with_noise_one_it_never_is() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    config = ExperimentConfig(show_legal_actions=True)
    assert (
        play(NoisyChat(env, config, 0), config, env)[0].actions
        == play(OracleChat(env, config), config, env)[0].actions
    )
    record, policy = play(NoisyChat(env, config, 1), config, env)
    assert record.actions[:30] != play(OracleChat(env, config), config, env)[0].actions[:30]
    assert all(query.attempt == 0 for query in policy.queries), "an action without effect was named"


def test_random_replies_begin_with_a_listed_action_where_there_is_a_list() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    for querying in Querying:
        config = ExperimentConfig(show_legal_actions=True, querying=querying)
        _, policy = play(RandomChat(env, config), config, env)
        assert policy.queries
        assert all(query.attempt == 0 for query in policy.queries)


@pytest.mark.parametrize("kind", ReplyFormat)
@pytest.mark.parametrize("querying", Querying)
def test_random_replies_begin_with_a_listed_action_in_every_format(
    kind: ReplyFormat, querying: Querying
) -> None:
    """Also with positions, where a step that stays on the board need not be listed."""

    class Gated(Hallway):
        """From tile 2 only the right is listed."""

        def describe(self, wording: Wording) -> Description:
            return super().describe(wording)._replace(legal=(1,))

    config = ExperimentConfig(reply_format=kind, querying=querying, show_legal_actions=True)
    env = Gated()
    env.reset(options={"tile": 2})
    chat = RandomChat(env, config)
    chat.reset(0)
    grammar = at_turn(config, grammar_for(config, env), env.describe(config.wording))
    readings = [parse(chat(()).text, grammar) for _ in range(40)]
    assert {reading.actions[0] for reading in readings if isinstance(reading, ParsedReply)} == {1}
    assert all(isinstance(reading, ParsedReply) for reading in readings)


@pytest.mark.parametrize("noise", ["", "much", "1.5", "-0.1", "nan"])
def test_noise_that_is_no_share_is_refused_before_anything_is_played(noise: str) -> None:
    with pytest.raises(InvalidArgument, match="share from 0 to 1" if noise else "there are: random"):
        check_policy_name(f"noisy:{noise}")
    if noise and noise != "much":
        with pytest.raises(InvalidArgument, match="share from 0 to 1"):
            NoisyChat(GridWorldEnv(maze=ALL_KINDS), ExperimentConfig(), float(noise))


@pytest.mark.parametrize(("window", "steps"), [("current", 0), ("last3", 3), (10, 10)])
def test_window_limits_what_is_sent_whatever_the_length_of_the_episode(window: Any, steps: int) -> None:
    config = ExperimentConfig(context_window=window)
    _, policy = play(lambda _: "FINAL_OUTPUT: TURN_LEFT", config)
    assert len(policy.queries) == 56
    assert {len(query.messages) for query in policy.queries} == {2}
    assert {query.messages[0] for query in policy.queries} == {policy.queries[0].messages[0]}
    assert policy.queries[-1].messages[1].text.count("you chose TURN_LEFT") == steps
    sizes = [len(query.messages[1].text) for query in policy.queries[steps + 5 :]]
    assert max(sizes) - min(sizes) <= 4 * (steps + 1)  # digits of numbers, and "north" against "south"


def test_full_history_keeps_every_turn_as_messages_and_one_system_message() -> None:
    config = ExperimentConfig(history=History.FULL)
    replies = ["<think>hm</think>I turn.\nFINAL_OUTPUT: TURN_LEFT", "?", "FINAL_OUTPUT: TURN_RIGHT"]
    _, policy = play(ScriptedChat([*replies, *["FINAL_OUTPUT: DONE"] * 3]), config)
    last = policy.queries[-2].messages
    assert [message.role for message in last].count("system") == 1
    assert [message.role for message in last[1:]] == ["user", "assistant"] * ((len(last) - 2) // 2) + ["user"]
    assert last[2].text == "I turn.\nFINAL_OUTPUT: TURN_LEFT"
    assert all("could not" not in message.text and "?\n" not in message.text for message in last[:-1])
    assert (
        "1. At row 1, column 1, facing north you chose TURN_LEFT. You turn and now face west." in last[3].text
    )


def test_full_history_tells_every_step_of_a_plan() -> None:
    config = ExperimentConfig(history=History.FULL, querying=Querying.SUBGOAL)
    plan = "SUB_GOAL: look around\nACTIONS: TURN_LEFT, TURN_LEFT, TURN_LEFT"
    _, policy = play(lambda _: plan, config, GridWorldEnv(maze=CORRIDOR, max_steps=7))
    text = policy.queries[1].messages[-1].text
    assert text.count("you chose TURN_LEFT") == 3
    assert text.startswith("Since your last reply, oldest first:\n1. At")


def test_step_mode_asks_before_every_action() -> None:
    record, policy = play(lambda _: "FINAL_OUTPUT: TURN_LEFT")
    assert [query.step for query in policy.queries] == list(range(record.steps))


def test_subgoal_mode_asks_when_the_queue_is_empty_or_an_action_has_no_effect() -> None:
    replies = [
        "SUB_GOAL: turn\nACTIONS: TURN_RIGHT, TURN_RIGHT",  # steps 0 and 1
        "SUB_GOAL: key\nACTIONS: MOVE_FORWARD, PICKUP, PICKUP, TURN_LEFT",  # the second PICKUP finds nothing
        # The second MOVE_FORWARD is blocked.
        "SUB_GOAL: wall\nACTIONS: MOVE_FORWARD, MOVE_FORWARD, MOVE_FORWARD, DONE",
        "SUB_GOAL: stop\nACTIONS: DONE",
    ]
    record, policy = play(ScriptedChat(replies), ExperimentConfig(querying=Querying.SUBGOAL))
    assert [query.step for query in policy.queries[:-1]] == [0, 2, 5, 7]
    assert policy.subgoal == "stop"
    assert record.end_reason == EndReason.PROVIDER_ERROR  # the script is over


def test_full_trajectory_is_asked_for_once_and_runs_out() -> None:
    plan = "SUB_GOAL: go\nACTIONS: MOVE_FORWARD, TURN_RIGHT, TURN_RIGHT"
    record, policy = play(lambda _: plan, ExperimentConfig(querying=Querying.FULL_TRAJECTORY))
    assert len(policy.queries) == 1
    assert record.events == ("BLOCKED", "TURNED", "TURNED")  # a blocked action does not end the plan
    assert (record.end_reason, record.success) == (EndReason.PLAN_EXHAUSTED, False)


def test_unusable_replies_are_asked_again_without_echo_and_cost_no_step() -> None:
    replies = [
        "go north, FINAL_OUTPUT maybe",
        "FINAL_OUTPUT: JUMP",
        "FINAL_OUTPUT: DONE now",
        "",
        "FINAL_OUTPUT: DONE",
    ]
    config = ExperimentConfig(retries=4)
    record, policy = play(ScriptedChat(replies), config)
    assert record.actions == (Action.DONE,)
    kinds = [query.reading.kind for query in policy.queries if isinstance(query.reading, ParseFailure)]
    assert kinds == [
        FailureKind.NO_MARKER, FailureKind.UNKNOWN_ACTION, FailureKind.WRONG_SHAPE, FailureKind.EMPTY,
    ]  # fmt: skip
    assert [query.attempt for query in policy.queries] == [0, 1, 2, 3, 4, 0]
    assert {len(query.messages) for query in policy.queries} == {2}
    assert all("go north" not in query.messages[-1].text for query in policy.queries)
    lines = [query.messages[-1].text.splitlines()[-1] for query in policy.queries[1:5]]
    assert len(set(lines)) == 4
    assert "Your last reply" not in policy.queries[5].messages[-1].text


@pytest.mark.parametrize("retries", [0, 2])
def test_no_usable_reply_in_all_attempts_ends_the_episode_and_is_scored(retries: int) -> None:
    record, policy = play(lambda _: "I cannot see.", ExperimentConfig(retries=retries))
    assert (record.end_reason, record.success, record.steps) == (EndReason.PARSE_FAILED, False, 0)
    assert len(policy.queries) == retries + 1


def test_legal_actions_are_listed_and_the_rest_refused_only_when_asked_for() -> None:
    replies = ["FINAL_OUTPUT: MOVE_FORWARD", "FINAL_OUTPUT: TURN_LEFT"]
    shown = ExperimentConfig(show_legal_actions=True)
    record, policy = play(ScriptedChat(replies), shown)
    assert record.actions == (Action.TURN_LEFT,)
    assert "Actions open to you now: TURN_LEFT, TURN_RIGHT." in policy.queries[0].messages[-1].text
    record, policy = play(ScriptedChat(replies))
    assert record.events == ("BLOCKED", "TURNED")
    assert "have an effect" not in policy.queries[0].messages[-1].text


def test_provider_error_is_unscored_and_no_failure_of_the_model() -> None:
    def down(messages: tuple[Message, ...]) -> str:
        raise ProviderError("no route to the model" if len(messages) else "")

    record, policy = play(down)
    assert (record.end_reason, record.success) == (EndReason.PROVIDER_ERROR, None)
    assert policy.queries[-1].error == "no route to the model"


def test_a_bug_in_a_chat_is_an_error_and_no_result() -> None:
    with pytest.raises(ZeroDivisionError):
        play(lambda _: str(1 // 0))
    with pytest.raises(InvalidArgument, match="must return str or Reply, got NoneType"):
        play(lambda _: None)


def test_a_function_may_return_a_reply() -> None:
    record, policy = play(lambda _: Reply("FINAL_OUTPUT: DONE", latency_s=0.5))
    assert record.end_reason == EndReason.TIMEOUT
    assert policy.queries[0].reply == Reply("FINAL_OUTPUT: DONE", latency_s=0.5)


def test_oracle_without_a_way_says_so() -> None:
    env = GridWorldEnv(maze=TRAP)
    env.reset()
    for name in ("MOVE_FORWARD", "PICKUP", "TURN_LEFT", "MOVE_FORWARD"):
        env.step(int(Action[name]))
    assert OracleChat(env, ExperimentConfig())(()).text.startswith("No sequence of actions")


def test_speaking_oracle_leaves_the_episode_untouched() -> None:
    config = ExperimentConfig(querying=Querying.FULL_TRAJECTORY)
    env = GridWorldEnv(maze=ALL_KINDS)
    env.reset(seed=0)
    before = env.snapshot()
    OracleChat(env, config)(())
    assert env.snapshot() == before


@pytest.mark.parametrize("querying", Querying)
def test_transcripts_are_the_approved_ones(querying: Querying) -> None:
    """One whole episode for each querying mode, every message of it."""
    config = ExperimentConfig(Prompting.MINIMAL, context_window="last3", querying=querying)
    env = GridWorldEnv(maze=ALL_KINDS)
    chat = OracleChat(env, config)
    bad = {1: "I think I should turn.", 2: "FINAL_OUTPUT: FLY"}
    numbers = count()
    record, policy = play(lambda messages: bad.get(next(numbers)) or chat(messages).text, config, env)
    assert record.success == (querying != Querying.FULL_TRAJECTORY or record.steps == record.optimal_actions)
    pages = []
    for query in policy.queries:
        assert query.reply is not None
        texts = "\n".join(f"=== {each.role} ===\n{each.text}\n" for each in query.messages[query.step > 0 :])
        pages.append(f"##### before step {query.step + 1}, attempt {query.attempt + 1}\n{texts}")
        pages.append(f"=== reply ===\n{query.reply.text}\n")
    pages.append(f"##### {record.end_reason} after {record.steps} steps: {', '.join(record.events)}\n")
    check_golden(f"transcripts/maze_{querying}.txt", "\n".join(pages))


def parrot(messages: tuple[Message, ...]) -> str:
    return "\n".join(message.text for message in messages)


ADVERSARIES: dict[str, Callable[[tuple[Message, ...]], str]] = {
    "echoes the prompt": parrot,
    "says nothing": lambda _: "",
    "steers the terminal": lambda _: (
        "\x1b[2J\x1b]0;owned\x07\x1b[31mFINAL_OUTPUT: \x07\x9b31mDONE\x1b[0m\r\r\x08"
    ),
    "speaks HTML": lambda _: "<script>alert(1)</script><b>FINAL_OUTPUT: DONE</b>",
    "speaks markup": lambda _: "[red]FINAL_OUTPUT: [link=x]DONE[/link][/red]",
    "says a megabyte": lambda _: "FINAL_OUTPUT: " + "\u202eDONE " * 170_000,
    "plans a megabyte": lambda _: "ACTIONS: " + "TURN_LEFT, " * 90_000,
    "speaks surrogates": lambda _: "FINAL_OUTPUT: \ud800\udfff",
    "never stops thinking": lambda _: "<think>" * 10_000,
    "names a bomb": lambda _: '{"FINAL_OUTPUT": ' + "[" * 100_000 + "]" * 100_000 + "}",
}


@pytest.mark.parametrize("querying", Querying)
@pytest.mark.parametrize("name", ADVERSARIES)
def test_adversaries_neither_break_a_run_nor_get_anything_played_that_they_did_not_say(
    name: str, querying: Querying
) -> None:
    config = ExperimentConfig(querying=querying, retries=1)
    record, policy = play(ADVERSARIES[name], config, GridWorldEnv(maze=CORRIDOR, max_steps=6))
    assert record.end_reason in {EndReason.PARSE_FAILED, EndReason.TIMEOUT}
    for query in policy.queries:
        assert json.dumps(query.to_dict()).isascii()
        assert query.messages[-1].text.replace("\n", " ").isprintable()  # nothing raw comes back in a re-ask
        assert len(query.messages[-1].text) < 4_000
    if name in {"echoes the prompt", "says nothing", "speaks HTML", "never stops thinking", "names a bomb"}:
        assert record.actions == ()


def test_policies_of_chats_have_names_and_take_a_config() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    config = ExperimentConfig(Prompting.VERBOSE)
    policy = make_policy("oracle-chat", env, 0, config=config)
    assert isinstance(policy, LLMPolicy)
    assert (policy.name, policy.config) == ("oracle-chat", config)
    with pytest.raises(InvalidArgument, match=r"no chat 'opena:x'.*did you mean 'openai"):
        make_policy("opena:x", env)
    with pytest.raises(InvalidArgument, match="no chat 'scripted:'"):
        make_policy("scripted:", env)
    with pytest.raises(InvalidArgument, match="no local model 'gpt'"):
        make_policy("local:gpt", env)
    assert make_chat("oracle", env).name == "oracle-chat"
    assert make_chat("random", env).name == "random-chat"


def test_worlds_without_words_are_refused() -> None:
    import gymnasium as gym

    with pytest.raises(InvalidArgument, match=r"maze_gym\.game\.TextGame, got CartPoleEnv"):
        LLMPolicy(parrot, env=gym.make("CartPole-v1"))


def test_messages_become_openai_parts_with_the_picture_first() -> None:
    assert Message("user", "hi").to_openai() == {"role": "user", "content": "hi"}
    parts = Message("user", "hi", (b"\x89PNG",)).to_openai()["content"]
    assert parts[0] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    assert parts[1] == {"type": "text", "text": "hi"}


def test_gbnf_holds_each_format_to_its_actions() -> None:
    env = Hallway()
    for kind, querying in product(ReplyFormat, Querying):
        config = ExperimentConfig(reply_format=kind, querying=querying)
        text = formats.gbnf(LLMPolicy(parrot, config, env=env)._grammar)
        assert text.startswith("root ::= ")
        assert ('"0" | "1"' in text) == (kind in {ReplyFormat.FINAL, ReplyFormat.ACTION_TAG})
