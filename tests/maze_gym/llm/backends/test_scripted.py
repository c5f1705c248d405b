"""Recorded replies: a finished run plays again offline, free and identical."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.ending import EndReason
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument, ProviderError
from maze_gym.evaluation import build_runner
from maze_gym.llm.backends import RecordingChat, ScriptedChat, make_chat
from maze_gym.llm.chat import FunctionChat, Reply, Usage, as_chat
from maze_gym.llm.config import ExperimentConfig, Querying
from maze_gym.llm.messages import Message, fingerprint

from ...levels import ALL_KINDS

if TYPE_CHECKING:
    from pathlib import Path

HELLO = (Message("user", "hello"),)


class Talker:
    """Costs money and time; fails once."""

    name = "talker"

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {"model": "talker"}
        self.calls = 0

    def reset(self, seed: int | None = None) -> None:
        del seed

    def __call__(self, messages: tuple[Message, ...]) -> Reply:
        self.calls += 1
        if self.calls == 5:
            msg = "gone for lunch"
            raise ProviderError(msg)
        text = (
            "FINAL_OUTPUT: TURN_LEFT"
            if self.calls % 2
            else f"{len(messages)} messages \x1b[31m \U0001f600 \ud800"
        )
        return Reply(text, Usage(7, 3, 0.5), 0.25, 2, 1.5)


def test_a_script_gives_its_replies_in_order_across_episodes(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('"one"\n\n{"reply": "two\u2028three"}\n', encoding="utf-8")
    chat = make_chat(f"scripted:{path}", GridWorldEnv(maze=ALL_KINDS))
    assert chat.name == f"scripted:{path}"
    assert chat(HELLO).text == "one"
    chat.reset(3)
    assert chat(HELLO).text == "two\u2028three"
    with pytest.raises(ProviderError, match="no more than 2 replies"):
        chat(HELLO)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "3",
        "null",
        "{}",
        '{"reply": 3}',
        '{"queries": [{}]}',
        '{"usage": {}}',
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_what_is_no_script_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(f'"fine"\n{line}\n')
    with pytest.raises(InvalidArgument, match="line 2: neither a text"):
        ScriptedChat.from_file(path)


def test_what_is_no_text_at_all_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_bytes(b'"fine"\n"gr\xfcn"\n')  # Latin-1
    with pytest.raises(InvalidArgument, match="line 2: neither a text"):
        ScriptedChat.from_file(path)


@pytest.mark.parametrize("text", ["", "\n\n", '{"queries": [], "episode": {"seed": 1}}\n'])
def test_a_file_without_replies_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidArgument, match=r"script\.jsonl holds no reply"):
        ScriptedChat.from_file(path)


def test_a_missing_script_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ScriptedChat.from_file(tmp_path / "none.jsonl")


def test_what_was_recorded_plays_again_to_the_letter(tmp_path: Path) -> None:
    """Texts, usage, times and provider failures; the transcript is the same but for the name."""
    path = tmp_path / "recorded.jsonl"
    config = ExperimentConfig(context_window="last3")
    first = build_runner(config, GridWorldEnv(maze=ALL_KINDS), RecordingChat(Talker(), path)).run(seed=0)
    assert first.episode.end_reason == EndReason.PROVIDER_ERROR
    again = build_runner(config, GridWorldEnv(maze=ALL_KINDS), ScriptedChat.from_file(path)).run(seed=0)
    for name in ("queries", "steps", "final_state", "totals", "config_hash"):
        assert getattr(again, name) == getattr(first, name)
    assert path.read_bytes().isascii()


def test_a_runs_record_is_a_script_too(tmp_path: Path) -> None:
    path = tmp_path / "transcripts.jsonl"
    config = ExperimentConfig(querying=Querying.SUBGOAL)
    env = GridWorldEnv(maze=ALL_KINDS)
    first = build_runner(config, env, "random-chat").run(seed=3)
    path.write_text(first.to_json() + "\n")
    again = build_runner(config, env, f"scripted:{path}").run(seed=3)
    assert again.queries == first.queries
    assert again.episode.actions == first.episode.actions


def test_a_run_of_other_seeds_is_told_apart_from_a_script_that_is_over(tmp_path: Path) -> None:
    path = tmp_path / "transcripts.jsonl"
    record = build_runner(ExperimentConfig(), GridWorldEnv(maze=ALL_KINDS), "oracle-chat").run(seed=3)
    path.write_text(record.to_json() + "\n")
    chat = ScriptedChat.from_file(path)
    chat.reset(4)
    with pytest.raises(ProviderError, match="holds no episode of seed 4; play the levels, seed and options"):
        chat(HELLO)
    chat.reset(3)
    again = build_runner(ExperimentConfig(), GridWorldEnv(maze=ALL_KINDS), chat).run(seed=3)
    assert again.queries == record.queries
    with pytest.raises(ProviderError, match=f"no more than {len(record.queries)} replies"):
        chat(HELLO)


def test_recorded_replies_answer_no_other_messages(tmp_path: Path) -> None:
    path = tmp_path / "recorded.jsonl"
    RecordingChat(as_chat(lambda _: "FINAL_OUTPUT: DONE"), path)(HELLO)
    chat = ScriptedChat.from_file(path)
    with pytest.raises(ProviderError, match="reply 1 of the script was given to other messages"):
        chat((Message("user", "good day"),))


def test_recorder_passes_everything_on(tmp_path: Path) -> None:
    chat = RecordingChat(Talker(), tmp_path / "x.jsonl")
    chat.reset(0)
    assert (chat.name, chat.settings) == ("talker", {"model": "talker"})
    assert chat(HELLO) == Talker()(HELLO)
    line = json.loads((tmp_path / "x.jsonl").read_text())
    assert line["asked"] == fingerprint(HELLO)


def test_fingerprints_tell_messages_apart() -> None:
    variants = [
        (Message("user", "ab"),),
        (Message("system", "ab"),),
        (Message("user", "a"), Message("user", "b")),
        (Message("user", "ab", (b"x",)),),
        (Message("user", "a", (b"bx",)),),
        (),
    ]
    assert len({fingerprint(each) for each in variants}) == len(variants)
    assert fingerprint((Message("user", "\ud800"),))


def test_functions_and_chats_are_taken_alike() -> None:
    talker = Talker()
    assert as_chat(talker) is talker
    wrapped = as_chat(lambda _: "hi")
    assert isinstance(wrapped, FunctionChat)
    assert wrapped.name == "<lambda>"


class Stranger(Talker):
    """A chat by all its attributes; what it returns is another matter."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def __call__(self, messages: tuple[Message, ...]) -> Any:
        del messages
        return self.answer


def test_what_is_no_chat_or_returns_no_reply_is_refused_in_words(tmp_path: Path) -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    for nobody in (42, None, object()):
        with pytest.raises(
            InvalidArgument, match="a chat must be a Chat or a function from messages to text"
        ):
            build_runner({}, env, nobody)  # type: ignore[arg-type]  # that it does not fit is the point
    recording = RecordingChat(Stranger(None), tmp_path / "x.jsonl")
    for chat in (Stranger(None), recording):
        with pytest.raises(InvalidArgument, match="the chat talker must return str or Reply, got NoneType"):
            build_runner({}, env, chat).run(seed=0)
    done = build_runner({"failure_limit": 1}, env, Stranger("FINAL_OUTPUT: DONE")).run(seed=0)
    assert done.queries[0]["reply"] == "FINAL_OUTPUT: DONE"
