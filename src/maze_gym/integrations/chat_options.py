"""How episodes become chats; apart from ``chat_data``, so that the command line starts at once."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple, Self

from maze_gym.errors import InvalidArgument

SPLITS = ("train", "validation", "test")
SHARES = (0.8, 0.1, 0.1)


class Reasoning(StrEnum):
    """What stands before an answer."""

    NONE = "none"
    PLAN = "plan"  # the solver's plan in words
    THINK = "think"  # the same between <think> and </think>


class Answers(StrEnum):
    """Whose answers a chat holds."""

    SPOKEN = "spoken"  # those of the player
    SOLVER = "solver"  # the solver's, to whatever situation the player came into (as in DAgger)


class Keep(StrEnum):
    """Which episodes are kept."""

    SUCCESS = "success"
    ALL = "all"  # all that were scored


class Layout(StrEnum):
    """The columns of a chat."""

    MESSAGES = "messages"
    PROMPT_COMPLETION = "prompt-completion"  # the last answer apart, so that a trainer learns only that


class ChatOptions(NamedTuple):
    """How recorded episodes become rows."""

    answers: Answers = Answers.SPOKEN
    reasoning: Reasoning = Reasoning.NONE
    keep: Keep = Keep.SUCCESS
    layout: Layout = Layout.MESSAGES
    shares: tuple[float, float, float] = SHARES

    def checked(self) -> Self:
        """Itself.

        Raises:
            InvalidArgument: the shares are not three that add up to 1.
        """
        shares = self.shares
        if len(shares) != len(SPLITS) or min(shares) < 0 or not math.isclose(sum(shares), 1):
            msg = f"the splits must be three shares ({', '.join(SPLITS)}) that add up to 1, got {shares}"
            raise InvalidArgument(msg)
        return self
