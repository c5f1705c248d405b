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
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from maze_gym.errors import InvalidArgument
from maze_gym.llm.backends.endpoint import Endpoint, NoAnswer
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
)
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.untrusted import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.game import TextGame
    from maze_gym.llm.backends.endpoint import Answer
    from maze_gym.llm.backends.server import Pace, Prices

KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
OPENAI = "https://api.openai.com/v1"
ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
_FIRST_REFUSAL = 300  # of the HTTP statuses: a redirection is not followed, since the key would go elsewhere


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
        InvalidArgument: neither a key nor an address is given, or one of them cannot be used.
        MissingExtra: the packages ``urllib3`` and ``certifi`` are not installed.
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
        key = _setting(KEY)
        if not key and base_url is None:
            msg = f"openai:{model} needs a key in {KEY}, or the address of a server of your own in {BASE_URL}"
            raise InvalidArgument(msg)
        # One for each chat, and so for each thread: in a shared one they would wait for each other.
        self._endpoint = Endpoint(base_url or OPENAI, "chat/completions", _headers(key or NO_KEY), timeout_s)
        weakref.finalize(self, self._endpoint.close)
        super().__init__(
            f"openai:{model}",
            model,
            config or ExperimentConfig(),
            key=key,
            base_url=base_url,
            errors=(Refusal, NoAnswer),
            patience=Patience(max_retries, sleep, pace),
            prices=prices,
            body=dict(extra or {}) | ({"grammar": grammar} if grammar else {}),
        )

    def _send(self, payload: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - what JSON holds, as attributes
        answer = self._endpoint.post({"messages": payload, **self._parameters, **self._body})
        if answer.status_code >= _FIRST_REFUSAL:
            raise Refusal(answer)
        try:
            return json.loads(answer.content, object_hook=lambda fields: SimpleNamespace(**fields))
        except (ValueError, RecursionError) as error:
            msg = f"the answer is no completion: {shown(self._secrets.mask(answer.text), 200)}"
            raise NoCompletion(msg) from error


class Refusal(Exception):
    """The server answered that it will not, or cannot.

    Attributes:
        response: the answer.
        code: the server's own word for what is wrong, if it has one.
    """

    def __init__(self, response: Answer) -> None:
        """Read what the server says."""
        try:
            body = json.loads(response.content)
        except (ValueError, RecursionError):
            body = response.text
        told = body.get("error", body) if isinstance(body, dict) else body
        words = told.get("message", told) if isinstance(told, dict) else told
        if moved := response.headers.get("location"):
            words = f"the server has moved; give the address that leads to {moved}"
        super().__init__(f"error {response.status_code}: {words}")
        self.response = response
        self.code = told.get("code") if isinstance(told, dict) else None


def _headers(key: str) -> dict[str, str]:
    """The key, and the account that is to pay."""
    account = {name: _setting(variable) for variable, name in ACCOUNT.items()}
    known = {name: value for name, value in account.items() if value}
    return {"Accept": "application/json", "Authorization": f"Bearer {key}", **known}


def _setting(name: str) -> str:
    """What the environment holds for a header; it is never quoted, since it may be secret."""
    value = os.environ.get(name, "").strip()
    if not (value.isascii() and value.isprintable()):
        msg = f"{name} holds a line break or a letter beyond ASCII, which no header can"
        raise InvalidArgument(msg)
    return value


def openai_chat(
    model: str, game: TextGame, config: ExperimentConfig, service: Service | None = None
) -> OpenAIChat:
    """The chat of ``openai:MODEL``, its prices from the environment where the service names none.

    Raises:
        InvalidArgument: neither a key nor an address is given, or one of them or a price cannot be used.
        MissingExtra: the packages ``urllib3`` and ``certifi`` are not installed.
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
