"""Any server that speaks OpenAI's chat API: OpenAI itself, vLLM, llama.cpp, Ollama, and most others.

The address comes from ``OPENAI_BASE_URL`` and the key from ``OPENAI_API_KEY``; the key is sent to the
server and goes nowhere else. Prices, in US dollars for a million tokens, come from
``MAZE_GYM_PRICE_IN`` and ``MAZE_GYM_PRICE_OUT``.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from maze_gym.errors import InvalidArgument
from maze_gym.extras import require
from maze_gym.llm.backends.server import (
    MAX_RETRIES,
    NO_KEY,
    TIMEOUT_S,
    Patience,
    ServerChat,
    grammar_text,
    prices_from_environment,
    without_secrets,
)
from maze_gym.llm.config import ExperimentConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.game import TextGame
    from maze_gym.llm.backends.server import Prices

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
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a client; nothing is sent yet."""
        base_url = base_url or os.environ.get(BASE_URL) or None
        key = os.environ.get(KEY, "")
        if not key and base_url is None:
            msg = f"openai:{model} needs a key in {KEY}, or the address of a server of your own in {BASE_URL}"
            raise InvalidArgument(msg)
        openai = require("openai", "llm")
        # The client's own retries would be neither counted nor recorded.
        self._client = openai.OpenAI(
            base_url=base_url, api_key=key or NO_KEY, timeout=timeout_s, max_retries=0
        )
        super().__init__(
            f"openai:{model}",
            model,
            config or ExperimentConfig(),
            key=key,
            server="" if base_url is None else without_secrets(base_url),
            errors=(openai.OpenAIError,),
            patience=Patience(max_retries, sleep),
            prices=prices,
            body=dict(extra or {}) | ({"grammar": grammar} if grammar else {}),
        )

    def _send(self, payload: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - the client's own type
        return self._client.chat.completions.create(
            messages=payload, **self._parameters, extra_body=self._body or None
        )


def openai_chat(model: str, game: TextGame, config: ExperimentConfig) -> OpenAIChat:
    """The chat of ``openai:MODEL``, its prices from the environment.

    Raises:
        InvalidArgument: neither a key nor an address is given, or a price is no number.
        MissingExtra: the package ``openai`` is not installed.
    """
    return OpenAIChat(model, config, grammar=grammar_text(game, config), prices=prices_from_environment())
