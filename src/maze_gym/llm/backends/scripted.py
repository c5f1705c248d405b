"""Replies from a file, and a recorder that writes them: a run plays again offline, free, identical."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.errors import InvalidArgument, ProviderError
from maze_gym.llm.chat import Reply, Usage, as_reply
from maze_gym.llm.messages import fingerprint
from mazegen.core.bounded_files import json_of, lines_in
from mazegen.core.whole_file import append_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from maze_gym.llm.chat import Chat, Messages


class ScriptedReply(NamedTuple):
    """One recorded reply.

    Attributes:
        reply: what came back.
        asked: fingerprint of the messages it answered; None where the script does not care.
        error: what the provider said instead, if it failed.
    """

    reply: Reply
    asked: str | None = None
    error: str = ""


class ScriptedChat:
    """Gives recorded replies one after the other.

    Args:
        replies: texts, or what a recorder wrote.
        name: how tables and records call it.

    Attributes:
        is_in_order: whether the script goes on from episode to episode, so that it can be played in one
            order only. Records of runs begin anew with each episode: they know it by its seed.
    """

    is_in_order = True

    def __init__(self, replies: Iterable[str | ScriptedReply], name: str = "scripted") -> None:
        """Begin with the first."""
        self._replies = [
            each if isinstance(each, ScriptedReply) else ScriptedReply(Reply(each)) for each in replies
        ]
        self.name = name
        self.settings: Mapping[str, Any] = {"replies": len(self._replies)}
        self._by_seed: dict[object, list[ScriptedReply]] = {}
        self._next = 0
        self._unknown_seed: int | None = None

    @classmethod
    def from_file(cls, path: Path) -> ScriptedChat:
        """Read a script: JSON lines, each a text, what ``RecordingChat`` wrote, or a run's record.

        Raises:
            InvalidArgument: a line is none of these, or there is no reply in the file.
            OSError: the file cannot be read.
        """
        replies: list[ScriptedReply] = []
        by_seed: dict[object, list[ScriptedReply]] = {}
        episodes = 0
        for number, line in lines_in(path):
            if line.strip():
                try:
                    fields = json_of(line, "the line")
                    replies += (episode := list(_scripted(fields)))
                    is_record = isinstance(fields, dict) and "queries" in fields
                    by_seed[fields["episode"]["seed"] if is_record else None] = episode
                    episodes += 1
                except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
                    msg = (
                        f"{path}, line {number}: neither a text, nor a recorded reply, nor a record of a run"
                    )
                    raise InvalidArgument(msg) from error
        if not replies:
            msg = f"{path} holds no reply; a script is JSON lines, each a text or a record of a run"
            raise InvalidArgument(msg)
        chat = cls(replies, f"scripted:{path}")
        if None not in by_seed and len(by_seed) == episodes:  # each episode can be told from the others
            chat._by_seed, chat.is_in_order = by_seed, False
        return chat

    def reset(self, seed: int | None = None) -> None:
        """An episode begins: the script goes on where it was, or where the record of its seed begins."""
        if not self.is_in_order and seed is not None:
            self._replies, self._next = self._by_seed.get(seed, []), 0
            self._unknown_seed = None if seed in self._by_seed else seed

    def __call__(self, messages: Messages) -> Reply:
        """The next reply.

        Raises:
            ProviderError: there is none left, the script knows no episode of this seed, the recorded provider
                failed here, or these are not the messages that the recorded reply answered.
        """
        if self._unknown_seed is not None:
            msg = (
                f"the script holds no episode of seed {self._unknown_seed}; "
                "play the levels, seed and options of the recorded run"
            )
            raise ProviderError(msg)
        if self._next == len(self._replies):
            msg = f"the script has no more than {self._next} replies"
            raise ProviderError(msg)
        scripted = self._replies[self._next]
        self._next += 1
        if scripted.error:
            raise ProviderError(scripted.error)
        if scripted.asked is not None and scripted.asked != fingerprint(messages):
            msg = (
                f"reply {self._next} of the script was given to other messages; play the recorded run itself"
            )
            raise ProviderError(msg)
        return scripted.reply


class RecordingChat:
    """Passes on what another chat says and writes it to a file for ``ScriptedChat``.

    Args:
        chat: who answers.
        path: a file to append to.
    """

    def __init__(self, chat: Chat, path: Path) -> None:
        """Record from the next reply on."""
        self._chat = chat
        self._path = path
        self.name = chat.name
        self.settings = chat.settings

    def reset(self, seed: int | None = None) -> None:
        """Begin an episode."""
        self._chat.reset(seed)

    def __call__(self, messages: Messages) -> Reply:
        """Ask and write down.

        Raises:
            ProviderError: the chat raised it; that is written down as well.
        """
        asked = fingerprint(messages)
        try:
            reply = as_reply(self._chat(messages), self.name)
        except ProviderError as error:
            self._write({"asked": asked, "error": str(error)})
            raise
        usage = reply.usage
        self._write(
            {
                "asked": asked,
                "reply": reply.text,
                "usage": {
                    "input_tokens": usage.input_tokens,
                    "output_tokens": usage.output_tokens,
                    "cost_usd": usage.cost_usd,
                },
                "latency_s": reply.latency_s,
                "provider_retries": reply.retries,
                "wait_s": reply.wait_s,
            }
        )
        return reply

    def _write(self, fields: Mapping[str, Any]) -> None:
        append_whole(self._path, json.dumps(fields).encode() + b"\n")


def _scripted(line: Any) -> Iterator[ScriptedReply]:  # noqa: ANN401 - whatever JSON the file holds
    if isinstance(line, str):
        yield ScriptedReply(Reply(line))
    elif "queries" in line:
        for query in line["queries"]:
            yield _recorded(query)
    else:
        yield _recorded(line)


def _recorded(fields: Mapping[str, Any]) -> ScriptedReply:
    error = str(fields.get("error", ""))
    text = "" if error else fields["reply"]
    if not isinstance(text, str):
        msg = f"a reply must be text, got {type(text).__name__}"
        raise TypeError(msg)
    usage = Usage(**fields.get("usage") or {})
    numbers = (usage.input_tokens, usage.output_tokens, usage.cost_usd, fields.get("latency_s"))
    if not all(isinstance(number, int | float | None) for number in numbers):
        msg = "tokens, cost and seconds must be numbers or null"
        raise TypeError(msg)
    reply = Reply(
        text,
        usage=usage,
        latency_s=fields.get("latency_s"),
        retries=int(fields.get("provider_retries", 0)),
        wait_s=float(fields.get("wait_s", 0.0)),
    )
    return ScriptedReply(reply, fields.get("asked"), error)
