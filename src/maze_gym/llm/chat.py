"""What a model is: one callable, messages to a reply. Any plain function ``messages -> str`` will do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.llm.messages import Message

    Messages: TypeAlias = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a reply cost; None is what the provider did not say.

    Attributes:
        input_tokens: tokens sent, pictures included.
        output_tokens: tokens of the reply, hidden reasoning included.
        cost_usd: at the prices that the chat was given.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def total_tokens(self) -> int | None:
        """Sent and received; None where one of them is not known."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        text: what the model said: untrusted, never printed as it is.
        usage: what it cost.
        latency_s: seconds of the attempt that succeeded.
        retries: attempts before it that the provider failed: no fault of the model's.
        wait_s: seconds spent waiting between attempts.
        raw: what else the provider said, JSON-safe.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    latency_s: float | None = None
    retries: int = 0
    wait_s: float = 0.0
    raw: Mapping[str, Any] | None = None


class Chat(Protocol):
    """A model.

    Attributes:
        name: how tables and records call it.
        settings: all that its replies depend on, JSON-safe and without secrets.
    """

    @property
    def name(self) -> str:
        """How tables and records call it."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that its replies depend on, JSON-safe and without secrets."""
        ...

    def reset(self, seed: int | None = None) -> None:
        """Begin an episode; ``seed`` fixes what the chat itself draws."""
        ...

    def __call__(self, messages: Messages) -> Reply:
        """Answer.

        Raises:
            ProviderError: the model could not be asked.
        """
        ...


class FunctionChat:
    """A plain function as a chat.

    Args:
        function: takes a tuple of ``Message``, returns the text or a ``Reply``.
    """

    def __init__(self, function: Callable[[Messages], str | Reply]) -> None:
        """Wrap it."""
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.settings: Mapping[str, Any] = {}

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""

    def __call__(self, messages: Messages) -> Reply:
        """Call the function.

        Raises:
            InvalidArgument: it returned neither text nor a ``Reply``.
        """
        return as_reply(self._function(messages), self.name)


def as_reply(answer: object, name: str) -> Reply:
    """What a chat or a function returned, as a ``Reply``.

    Args:
        answer: a reply, or its text.
        name: of the chat, for the error.

    Raises:
        InvalidArgument: it is neither text nor a ``Reply``.
    """
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, str):
        return Reply(answer)
    msg = f"the chat {name} must return str or Reply, got {type(answer).__name__}"
    raise InvalidArgument(msg)


def as_chat(chat: Chat | Callable[[Messages], str | Reply]) -> Chat:
    """A chat as it is; a plain function wrapped.

    Raises:
        InvalidArgument: it cannot be called.
    """
    if not callable(chat):
        msg = f"a chat must be a Chat or a function from messages to text, got {type(chat).__name__}"
        raise InvalidArgument(msg)
    if all(hasattr(chat, name) for name in ("reset", "settings", "name")):
        return cast("Chat", chat)
    return FunctionChat(chat)
