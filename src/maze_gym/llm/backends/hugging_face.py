"""Models behind Hugging Face's router, or behind an endpoint that it hosts.

The token comes from ``HF_TOKEN`` alone: a token that was saved on this machine by a login is never looked
for. ``HF_BASE_URL`` names an endpoint of one's own; without it the client finds the router by itself.
``hf:ORGANISATION/MODEL:PROVIDER`` asks the router for one provider. Prices as for ``openai:MODEL``.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from maze_gym.errors import InvalidArgument, ProviderError
from maze_gym.extras import require
from maze_gym.llm.backends.endpoint import address_parts
from maze_gym.llm.backends.server import (
    MAX_RETRIES,
    NO_KEY,
    TIMEOUT_S,
    Patience,
    ServerChat,
    Service,
    grammar_text,
    prices_from_environment,
)
from maze_gym.llm.config import ExperimentConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from maze_gym.game import TextGame
    from maze_gym.llm.backends.server import Pace, Prices

TOKEN, BASE_URL = "HF_TOKEN", "HF_BASE_URL"
TOKEN_BEGINS = "hf_"  # noqa: S105 - the router takes no others


class HuggingFaceChat(ServerChat):
    """A model behind Hugging Face's router.

    Args:
        model: its name at the hub, and ``:PROVIDER`` behind it to ask for one.
        config: temperature and longest reply.
        grammar: GBNF to hold replies to, or empty; for an endpoint that runs llama.cpp.
        base_url: an endpoint of one's own; ``HF_BASE_URL``, or the router, by default.
        prices: to count costs with.
        max_retries: attempts after the first, on 408, 409, 429, 5xx and network failures.
        timeout_s: for one attempt.
        sleep: how to wait.
        pace: holds requests back to the rates of a run.

    Attributes:
        name: ``hf:MODEL``.
        settings: everything sent with each request.

    Raises:
        InvalidArgument: neither a token nor an address is given, or the router cannot take the token.
        MissingExtra: the package ``huggingface_hub`` is not installed.
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
    ) -> None:
        """Make a client; nothing is sent yet."""
        base_url = base_url or os.environ.get(BASE_URL) or None
        token = os.environ.get(TOKEN, "")
        if base_url is None and not token.startswith(TOKEN_BEGINS):
            found = f"{TOKEN} holds something else" if token else f"{TOKEN} is not set"
            msg = (
                f"hf:{model} needs a token ({TOKEN_BEGINS}...) in {TOKEN}, "
                f"or the address of an endpoint of your own in {BASE_URL}; {found}"
            )
            raise InvalidArgument(msg)
        if base_url is not None:
            address_parts(base_url)
        hub = require("huggingface_hub", "hf")
        errors = require("huggingface_hub.errors", "hf")
        self._offline: type[Exception] = errors.OfflineModeIsEnabled
        # An explicit token, so that the client never looks for one that a login has saved.
        self._client = hub.InferenceClient(
            provider="auto", base_url=base_url, api_key=token or NO_KEY, timeout=timeout_s
        )
        super().__init__(
            f"hf:{model}",
            model,
            config or ExperimentConfig(),
            key=token,
            base_url=base_url,
            # HTTPError is the base of the HTTP library's failures, whichever library the client stands on.
            errors=(errors.HTTPError, OSError, KeyError, TypeError),
            patience=Patience(max_retries, sleep, pace),
            prices=prices,
            body={"grammar": grammar} if grammar else {},
        )

    def _send(self, payload: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - the client's own type
        fields = {name: value for name, value in self._parameters.items() if name != "model"}
        try:
            return self._client.chat_completion(
                payload, model=self._parameters["model"], extra_body=fields | self._body
            )
        except self._offline as error:
            msg = f"{self.name} cannot be asked while the client is offline: unset HF_HUB_OFFLINE"
            raise ProviderError(msg) from self._cause(error)

    def _code(self, error: Exception) -> object:
        try:
            return error.response.json()["error"]["code"]  # type: ignore[attr-defined]  # if there is one
        except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
            return None


def hugging_face_chat(
    model: str, game: TextGame, config: ExperimentConfig, service: Service | None = None
) -> HuggingFaceChat:
    """The chat of ``hf:MODEL``, its prices from the environment where the service names none.

    Raises:
        InvalidArgument: neither a token nor an address is given, or a price is no number.
        MissingExtra: the package ``huggingface_hub`` is not installed.
    """
    service = service or Service()
    return HuggingFaceChat(
        model,
        config,
        grammar=grammar_text(game, config),
        prices=service.prices or prices_from_environment(),
        timeout_s=service.timeout_s,
        max_retries=service.patience.max_retries,
        sleep=service.patience.sleep,
        pace=service.patience.pace,
    )
