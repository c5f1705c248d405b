"""Any server that speaks OpenAI's chat API: OpenAI itself, vLLM, llama.cpp, Ollama, and most others.

The address comes from ``OPENAI_BASE_URL`` and the key from ``OPENAI_API_KEY``; the key is sent to the
server and goes nowhere else. Prices, in US dollars for a million tokens, come from
``MAZE_GYM_PRICE_IN`` and ``MAZE_GYM_PRICE_OUT``.
"""

from __future__ import annotations

import json
import os
import time
import weakref
from functools import cache
from threading import Lock
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.errors import InvalidArgument
from maze_gym.extras import require
from maze_gym.llm.backends.server import (
    MAX_RETRIES,
    NO_KEY,
    TIMEOUT_S,
    NoCompletion,
    Patience,
    ServerChat,
    Service,
    grammar_text,
    prices_from_environment,
    without_secrets,
)
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.untrusted import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.game import TextGame
    from maze_gym.llm.backends.server import Pace, Prices

_READING = Lock()  # many threads begin at once, and each would read the same
FIRST_ERROR = 400  # of the HTTP statuses
KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"


class OpenAIChat(ServerChat):
    """A model behind an OpenAI-compatible server.

    Args:
        model: its name there.
        config: temperature, longest reply, and whether the reply is held to a grammar.
        grammar: GBNF to hold replies to, or empty.
        base_url: address of the server; ``OPENAI_BASE_URL``, or OpenAI's own, by default.
        prices: to count costs with.
        max_retries: attempts after the first, on 408, 409, 429, 5xx and network failures.
        timeout_s: for one attempt.
        sleep: how to wait.
        pace: holds requests back to the rates of a run.
        extra: further fields of the request's body.

    Attributes:
        name: ``openai:MODEL``.
        settings: everything sent with each request.

    Raises:
        InvalidArgument: neither a key nor an address is given.
        MissingExtra: the package ``openai`` is not installed.
    """

    def __init__(  # noqa: PLR0913 - keyword-only, each documented above
        self,
        model: str,
        config: ExperimentConfig | None = None,
        *,
        grammar: str = "",
        base_url: str | None = None,
        prices: Prices | None = None,
        max_retries: int = MAX_RETRIES,
        timeout_s: float = TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
        pace: Pace | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a client; nothing is sent yet."""
        base_url = base_url or os.environ.get(BASE_URL) or None
        key = os.environ.get(KEY, "")
        if not key and base_url is None:
            msg = f"openai:{model} needs a key in {KEY}, or the address of a server of your own in {BASE_URL}"
            raise InvalidArgument(msg)
        require("openai", "llm")
        with _READING:
            web, (address, headers) = _web(), _account(base_url, key or NO_KEY)
        # Requests do not go through openai's methods: these check every message against their types, which
        # takes longer than all that this package does in a turn, and retry without telling. One client a
        # chat, and so a thread: a shared one looks through all of its connections at every request.
        self._client = web.client(base_url=address, headers=headers, timeout=timeout_s, verify=web.trust)
        weakref.finalize(self, self._client.close)
        super().__init__(
            f"openai:{model}",
            model,
            config or ExperimentConfig(),
            key=key,
            server="" if base_url is None else without_secrets(base_url),
            errors=(Refusal, *web.errors),
            patience=Patience(max_retries, sleep, pace),
            prices=prices,
            body=dict(extra or {}) | ({"grammar": grammar} if grammar else {}),
        )

    def _send(self, payload: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - what JSON holds, as attributes
        response = self._client.post(
            "chat/completions", json={"messages": payload, **self._parameters, **self._body}
        )
        if response.status_code >= FIRST_ERROR:
            raise Refusal(response)
        try:
            return json.loads(response.content, object_hook=lambda fields: SimpleNamespace(**fields))
        except (ValueError, RecursionError) as error:
            msg = f"the answer is no completion: {shown(response.text, 200)}"
            raise NoCompletion(msg) from error


class Refusal(Exception):
    """The server answered that it will not, or cannot.

    Attributes:
        response: the answer.
        code: the server's own word for what is wrong, if it has one.
    """

    def __init__(self, response: Any) -> None:  # noqa: ANN401 - of an optional package
        """Read what the server says."""
        try:
            body = json.loads(response.content)
        except ValueError:
            body = response.text
        told = body.get("error", body) if isinstance(body, dict) else body
        words = told.get("message", told) if isinstance(told, dict) else told
        super().__init__(f"error {response.status_code}: {words}")
        self.response = response
        self.code = told.get("code") if isinstance(told, dict) else None


class _Web(NamedTuple):
    """What openai speaks HTTP with: its client, what that raises, and whom it trusts."""

    client: Any
    errors: tuple[type[Exception], ...]
    trust: Any


@cache
def _web() -> _Web:
    """Read once: whom to trust is a long list."""
    client = require("openai", "llm").DefaultHttpxClient
    library = require(client.__mro__[1].__module__.partition(".")[0], "llm")  # httpx or httpx2
    return _Web(client, (library.HTTPError, library.InvalidURL), library.create_ssl_context())


@cache
def _account(base_url: str | None, key: str) -> tuple[str, dict[str, str]]:
    """The address and the headers that openai would use."""
    sdk = require("openai", "llm").OpenAI(base_url=base_url, api_key=key)
    headers = {**sdk.default_headers, **sdk.auth_headers}
    return str(sdk.base_url), {name: value for name, value in headers.items() if isinstance(value, str)}


def openai_chat(
    model: str, game: TextGame, config: ExperimentConfig, service: Service | None = None
) -> OpenAIChat:
    """The chat of ``openai:MODEL``, its prices from the environment where the service names none.

    Raises:
        InvalidArgument: neither a key nor an address is given, or a price is no number.
        MissingExtra: the package ``openai`` is not installed.
    """
    service = service or Service()
    return OpenAIChat(
        model,
        config,
        grammar=grammar_text(game, config),
        prices=service.prices or prices_from_environment(),
        timeout_s=service.timeout_s,
        max_retries=service.patience.max_retries,
        sleep=service.patience.sleep,
        pace=service.patience.pace,
    )
