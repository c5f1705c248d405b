"""Chats by one string: what can stand behind an ``LLMPolicy``."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.llm.backends.baselines import NoisyChat, OracleChat, RandomChat, checked_noise
from maze_gym.llm.backends.scripted import RecordingChat, ScriptedChat
from maze_gym.llm.config import ExperimentConfig

if TYPE_CHECKING:
    from maze_gym.game import TextGame
    from maze_gym.llm.backends.server import Service
    from maze_gym.llm.chat import Chat

__all__ = [
    "BACKENDS",
    "NoisyChat",
    "OracleChat",
    "RandomChat",
    "RecordingChat",
    "ScriptedChat",
    "check_chat_name",
    "make_chat",
]

BACKENDS = {
    "random": "speaks a random action in the asked format",
    "oracle": "speaks an optimal action in the asked format",
    "noisy:SHARE": "speaks a random action in this share of its replies, such as 0.2, and else optimal ones",
    "scripted:FILE": "repeats recorded replies",
    "openai:MODEL": "any OpenAI-compatible server (OPENAI_BASE_URL, OPENAI_API_KEY)",
    "hf:MODEL": "Hugging Face's router (HF_TOKEN), or an endpoint of one's own (HF_BASE_URL)",
    "transformers:MODEL": "a name, folder or GGUF file, loaded by transformers into this process",
    "local:smollm2": "SmolLM2-135M-Instruct in this process, without any network",
}


def check_chat_name(name: str) -> None:
    """Raise ``InvalidArgument`` unless ``make_chat`` knows the name."""
    kind, colon, argument = name.partition(":")
    for known in BACKENDS:
        prefix, needs, _ = known.partition(":")
        if kind == prefix and bool(colon) == bool(needs) and (argument or not needs):
            if kind == "noisy":
                checked_noise(argument)
            return
    close = difflib.get_close_matches(kind, [known.partition(":")[0] for known in BACKENDS], n=1)
    meant = [known for known in BACKENDS if close and known.partition(":")[0] == close[0]]
    hint = f"; did you mean {meant[0]!r}?" if meant else ""
    msg = f"no chat {name!r}; there are: {', '.join(BACKENDS)}{hint}"
    raise InvalidArgument(msg)


def make_chat(
    name: str, game: TextGame, config: ExperimentConfig | None = None, service: Service | None = None
) -> Chat:
    """Make a chat by its name.

    Args:
        name: one of ``BACKENDS``, with what stands in capitals filled in.
        game: the world that it will talk about.
        config: what it will be asked for.
        service: how a server is used, for chats that have one.

    Raises:
        InvalidArgument: there is no such chat, or it needs something that is not there.
        MissingExtra: it needs a package that is not installed.
    """
    check_chat_name(name)
    config = config or ExperimentConfig()
    kind, _, argument = name.partition(":")
    if kind == "random":
        return RandomChat(game, config)
    if kind == "oracle":
        return OracleChat(game, config)
    if kind == "noisy":
        return NoisyChat(game, config, checked_noise(argument))
    if kind == "scripted":
        return ScriptedChat.from_file(Path(argument))
    if kind == "local":
        from maze_gym.llm.backends.local import local_chat

        return local_chat(argument, game, config, service)
    if kind == "hf":
        from maze_gym.llm.backends.hugging_face import hugging_face_chat

        return hugging_face_chat(argument, game, config, service)
    if kind == "transformers":
        from maze_gym.llm.backends.transformers_local import transformers_chat

        return transformers_chat(argument, config)
    from maze_gym.llm.backends.openai_compatible import openai_chat

    return openai_chat(argument, game, config, service)
