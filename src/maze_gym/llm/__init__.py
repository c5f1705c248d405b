"""Language models in the loop: config, prompts, parsing, chats. It knows ``TextGame`` and no world."""

from maze_gym.llm.chat import Chat, Reply, Usage
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.messages import Message
from maze_gym.llm.parsing import FailureKind, ParsedReply, ParseFailure, parse

__all__ = [
    "Chat",
    "ExperimentConfig",
    "FailureKind",
    "Message",
    "ParseFailure",
    "ParsedReply",
    "Reply",
    "Usage",
    "parse",
]
