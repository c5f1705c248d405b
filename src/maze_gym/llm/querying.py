"""When a model is asked again, and what it was asked: the queue between replies and steps."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maze_gym.llm.config import Querying
from maze_gym.llm.messages import fingerprint
from maze_gym.llm.parsing import ParsedReply, ParseFailure

if TYPE_CHECKING:
    from maze_gym.llm.chat import Messages, Reply


FUTILE_PLANS = 10  # in a row, without a failure limit: plans of which not even the first move can be made


class ActionQueue:
    """Actions that a reply named and the world has not seen yet.

    Args:
        querying: how many actions a reply holds.
    """

    def __init__(self, querying: Querying) -> None:
        """Begin empty."""
        self._querying = querying
        self._waiting: deque[int] = deque()
        self._asked = False
        self._broken = ""

    def clear(self) -> None:
        """Begin an episode."""
        self._waiting.clear()
        self._asked = False
        self._broken = ""

    def fill(self, reading: ParsedReply) -> None:
        """Replace what is left of the last reply."""
        self._waiting = deque(reading.actions)
        self._asked = True
        self._broken = reading.broken

    def drop(self) -> None:
        """Give up what is left of the last reply."""
        self._waiting.clear()
        self._broken = ""

    @property
    def broken(self) -> str:
        """Why the last plan leads no further, once it was played as far as it goes; else empty."""
        return "" if self._waiting else self._broken

    def pop(self) -> int:
        """The next action."""
        return self._waiting.popleft()

    def is_exhausted(self) -> bool:
        """Whether a plan that is asked for once has run out."""
        return self._querying == Querying.FULL_TRAJECTORY and self._asked and not self._waiting

    def needs_reply(self, *, failed: bool) -> bool:
        """Whether to ask now; with sub-goals also when the last action had no effect."""
        return not self._waiting or (self._querying == Querying.SUBGOAL and failed)


@dataclass(frozen=True, slots=True)
class Query:
    """One question to the model and what came of it.

    Attributes:
        step: actions taken before it.
        attempt: 0 for the first try of a turn, 1 for the first retry, and so on.
        messages: what was sent.
        reply: what came back; None if the provider failed.
        reading: how it was read; None if the provider failed.
        error: what the provider said, if it failed.
        provider_retries: attempts of the provider after the first.
        wait_s: seconds waited between them.
        is_refused: the provider will not answer any further question either.
    """

    step: int
    attempt: int
    messages: Messages
    reply: Reply | None
    reading: ParsedReply | ParseFailure | None
    error: str = ""
    provider_retries: int = 0
    wait_s: float = 0.0
    is_refused: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields; the reply is kept to the letter."""
        fields: dict[str, Any] = {
            "step": self.step,
            "attempt": self.attempt,
            "asked": fingerprint(self.messages),
            "messages": [message.to_dict() for message in self.messages],
            "provider_retries": self.provider_retries,
            "wait_s": self.wait_s,
        }
        if self.reply is not None:
            usage = self.reply.usage
            fields |= {
                "reply": self.reply.text,
                "usage": {
                    "input_tokens": usage.input_tokens,
                    "output_tokens": usage.output_tokens,
                    "cost_usd": usage.cost_usd,
                },
                "latency_s": self.reply.latency_s,
                "raw": None if self.reply.raw is None else dict(self.reply.raw),
            }
        if isinstance(self.reading, ParsedReply):
            fields["parsed"] = {"actions": list(self.reading.actions), "subgoal": self.reading.subgoal}
            if self.reading.broken:
                fields["parsed"]["broken"] = self.reading.broken
        elif isinstance(self.reading, ParseFailure):
            fields["failure"] = {"kind": str(self.reading.kind), "detail": self.reading.detail}
        if self.error:
            fields["error"] = self.error
        return fields
