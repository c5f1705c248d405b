"""What every chat with a server shares: patience, one reading of its answers, prices, no secrets told."""

from __future__ import annotations

import email.utils
import math
import os
import random
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from maze_gym.errors import AccessRefused, InvalidArgument, PromptTooLong, ProviderError
from maze_gym.llm import formats
from maze_gym.llm.backends.masking import secrets_of, without_secrets
from maze_gym.llm.chat import Reply, Usage
from maze_gym.llm.config import Constrain, ExperimentConfig
from maze_gym.llm.prompts import grammar_for
from maze_gym.llm.untrusted import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.game import TextGame
    from maze_gym.llm.chat import Messages

PRICE_IN, PRICE_OUT = "MAZE_GYM_PRICE_IN", "MAZE_GYM_PRICE_OUT"
NO_KEY = "none"  # sent to servers that ask for no key
MAX_RETRIES = 5
TIMEOUT_S = 120.0
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 60.0
CHARS_PER_TOKEN = 4  # of English text, roughly: what is booked before the server has counted
TOKENS_PER_PICTURE = 1_000  # roughly, likewise
_RETRIED = frozenset({408, 409, 429})  # and every 5xx
# No key that it takes, no money, no such model or address: true of every further question.
_NO_ACCESS = frozenset({401, 402, 404})
_NO_ACCESS_CODES = frozenset({"insufficient_quota", "model_not_found"})  # under whatever status
_BAD_REQUEST, _SERVER_ERRORS = 400, 500
_MILLION = 1_000_000


class Prices(NamedTuple):
    """US dollars for a million tokens."""

    input: float
    output: float


class ServerChat(ABC):
    """A model behind a server; how the request travels is all that a subclass adds.

    Args:
        name: how tables and records call it.
        model: its name at the server.
        config: temperature and longest reply.
        key: sent to the server. It, what is secret in the address, and the credentials of proxies are kept
            out of everything that is told or kept: replies, records and errors.
        base_url: address of the server where it is not the usual one; told without secrets.
        errors: what the client raises when it could not ask.
        prices: to count costs with.
        patience: how long to wait, and for what.
        body: further fields of the request.

    Attributes:
        name: how tables and records call it.
    """

    def __init__(  # noqa: PLR0913 - keyword-only, each documented above
        self,
        name: str,
        model: str,
        config: ExperimentConfig,
        *,
        key: str,
        base_url: str | None,
        errors: tuple[type[Exception], ...],
        patience: Patience,
        prices: Prices | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        """Nothing is sent yet."""
        self.name = name
        self._secrets = secrets_of(base_url, key, body)
        self._server = "" if base_url is None else without_secrets(base_url)
        self._errors: tuple[type[Exception], ...] = (*errors, NoCompletion, ValueError)
        self._prices = prices
        self._patience = patience
        self._parameters: dict[str, Any] = {
            "model": model,
            "temperature": config.temperature,
            "max_tokens": config.max_tokens,
        }
        self._body = dict(body or {})

    @abstractmethod
    def _send(self, payload: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - clients have types of their own
        """Send messages with ``_parameters`` and ``_body``, and return the completion."""

    def _code(self, error: Exception) -> object:
        """The server's own word for what went wrong."""
        return getattr(error, "code", None)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything sent with each request, and the server's address; no secrets."""
        prices = None if self._prices is None else self._prices._asdict()
        body = self._secrets.mask_all(self._body)
        return {"server": self._server, **self._parameters, **body, "prices": prices}

    def reset(self, seed: int | None = None) -> None:  # noqa: B027 - no subclass has anything to add
        """Nothing to forget: each request carries all that it needs."""

    def __call__(self, messages: Messages) -> Reply:
        """Ask, patiently.

        Raises:
            PromptTooLong: the messages do not fit into the model's context.
            AccessRefused: the server takes no key of this kind, no money is left, or there is no such model.
            ProviderError: the server refused, or did not answer in as many attempts as are allowed.
        """
        waits: list[float] = []
        try:
            return self._ask(messages, waits)
        except ProviderError as error:
            error.retries, error.wait_s = max(0, len(waits) - 1), sum(waits)
            raise

    def _ask(self, messages: Messages, waits: list[float]) -> Reply:
        """Ask until there is an answer; ``waits`` gets the seconds waited before each attempt."""
        payload = [message.to_openai() for message in messages]
        pace, wait = self._patience.pace, 0.0
        while True:
            ticket, held = (None, 0.0) if pace is None else pace.begin_request(self._expected(messages))
            waits.append(wait + held)
            answer = self._once(payload, waits)
            if isinstance(answer, Reply):
                if pace is not None:
                    pace.end_request(ticket, answer.usage.total_tokens)
                return answer
            if self._adapt(answer):
                waits.pop()
                continue
            self._give_up_on(answer)
            if len(waits) > self._patience.max_retries:
                last = self._words(answer)
                msg = f"{self.name} did not answer in {len(waits)} attempts; the last time: {last}"
                raise ProviderError(msg) from self._cause(answer)
            wait = self._wait_s(answer, len(waits) - 1)
            self._patience.sleep(wait)

    def _once(self, payload: list[dict[str, Any]], waits: list[float]) -> Reply | Exception:
        """The answer, or what was wrong with it: handed back, since tracebacks would show what it quotes."""
        begin = time.perf_counter()
        try:
            response = self._send(payload)
            return self._reply(response, time.perf_counter() - begin, len(waits) - 1, sum(waits))
        except self._errors as error:
            return error

    def _expected(self, messages: Messages) -> int:
        """Tokens that a request is booked with until the server has counted them."""
        chars = sum(len(message.text) for message in messages)
        pictures = sum(len(message.images) for message in messages)
        longest = self._parameters.get("max_tokens") or self._parameters.get("max_completion_tokens") or 0
        return chars // CHARS_PER_TOKEN + pictures * TOKENS_PER_PICTURE + int(longest)

    def _reply(self, response: Any, latency_s: float, retries: int, wait_s: float) -> Reply:  # noqa: ANN401
        try:
            choice = response.choices[0]
            text = _text(choice.message.content)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            msg = f"the answer is no completion: {shown(self._secrets.mask(str(response)), 200)}"
            raise NoCompletion(msg) from error
        usage = getattr(response, "usage", None)
        sent = _count(getattr(usage, "prompt_tokens", None))
        received = _count(getattr(usage, "completion_tokens", None))
        raw = {
            "id": getattr(response, "id", None),
            "model": getattr(response, "model", None),
            "finish_reason": getattr(choice, "finish_reason", None),
        }
        return Reply(
            self._secrets.mask(text),
            Usage(sent, received, self._cost(sent, received)),
            latency_s,
            retries,
            wait_s,
            {
                name: self._secrets.mask(value) if isinstance(value, str) else None
                for name, value in raw.items()
            },
        )

    def _cost(self, sent: int | None, received: int | None) -> float | None:
        if self._prices is None or sent is None or received is None:
            return None
        return (sent * self._prices.input + received * self._prices.output) / _MILLION

    def _adapt(self, error: Exception) -> bool:
        """Whether the server refused a parameter by name and can be asked again without it."""
        if _status(error) != _BAD_REQUEST:
            return False
        words = str(error)
        if "max_completion_tokens" in words and "max_tokens" in self._parameters:
            self._parameters["max_completion_tokens"] = self._parameters.pop("max_tokens")
            return True
        if "temperature" in words and "temperature" in self._parameters:
            del self._parameters["temperature"]
            return True
        return False

    def _give_up_on(self, error: Exception) -> None:
        """Raise at once what no further attempt can cure."""
        words = self._words(error)
        lower = words.lower()
        status = _status(error)
        if "image input is not supported" in lower:
            msg = f"{self.name} takes no pictures; use observation='text': {words}"
            raise ProviderError(msg) from self._cause(error)
        code = self._code(error)
        told = "context" in lower and ("exceed" in lower or "length" in lower)
        if status is not None and (told or code == "context_length_exceeded"):
            msg = f"the prompt does not fit into the context of {self.name}: {words}"
            raise PromptTooLong(msg) from self._cause(error)
        if status is not None and (status in _NO_ACCESS or str(code) in _NO_ACCESS_CODES):
            msg = f"{self.name} refused: {words}"
            raise AccessRefused(msg) from self._cause(error)
        if status is not None and not (status in _RETRIED or status >= _SERVER_ERRORS):
            msg = f"{self.name} refused: {words}"
            raise ProviderError(msg) from self._cause(error)

    def _words(self, error: Exception) -> str:
        return shown(self._secrets.mask(str(error)) or type(error).__name__, 400)

    def _cause(self, error: Exception) -> ServerSaid:
        """What stands for an error of a client in tracebacks: those quote addresses, headers and answers."""
        return ServerSaid(f"{type(error).__name__}: {self._words(error)}")

    def _wait_s(self, error: Exception, retries: int) -> float:
        """What the server asks for; else twice as long each time, and not in step with other clients."""
        response = getattr(error, "response", None)
        asked = None if response is None else _retry_after_s(response.headers.get("retry-after"))
        if asked is None:
            longest = min(FIRST_WAIT_S * 2.0**retries, LONGEST_WAIT_S)
            return longest * random.uniform(0.5, 1.0)  # noqa: S311 - to be out of step with other clients
        if asked > LONGEST_WAIT_S:
            words = self._words(error)
            msg = f"{self.name} asks to wait {asked:.0f} s, more than {LONGEST_WAIT_S:.0f} s: {words}"
            raise ProviderError(msg) from self._cause(error)
        return asked


class Pace(Protocol):
    """Holds requests back to the rates that a run may keep."""

    def begin_request(self, tokens: int) -> tuple[Any, float]:
        """Wait until a request of about so many tokens may be sent; a ticket, and the seconds waited."""
        ...

    def end_request(self, ticket: Any, tokens: int | None) -> None:  # noqa: ANN401 - its own, handed back
        """Say what the request has cost, where that is known."""
        ...


class Patience(NamedTuple):
    """How long a server is waited for.

    Attributes:
        max_retries: attempts after the first, on 408, 409, 429, 5xx and network failures.
        sleep: how to wait.
        pace: asked before every attempt.
    """

    max_retries: int = MAX_RETRIES
    sleep: Callable[[float], None] = time.sleep
    pace: Pace | None = None


class Service(NamedTuple):
    """How a run uses the servers of its models; the replies do not depend on it.

    Attributes:
        prices: to count costs with; those of the environment if None.
        timeout_s: for one attempt.
        patience: how often and how to try again.
    """

    prices: Prices | None = None
    timeout_s: float = TIMEOUT_S
    patience: Patience = Patience()


class ServerSaid(Exception):
    """What went wrong at a server, in words without secrets."""


class NoCompletion(Exception):
    """The server answered with something else."""


def grammar_text(game: TextGame, config: ExperimentConfig) -> str:
    """The GBNF grammar that this config asks for, or nothing."""
    return formats.gbnf(grammar_for(config, game)) if config.constrain == Constrain.GRAMMAR else ""


def prices_from_environment() -> Prices | None:
    """The prices in ``MAZE_GYM_PRICE_IN`` and ``MAZE_GYM_PRICE_OUT``; None where neither is set.

    Raises:
        InvalidArgument: see ``known_prices``.
    """
    return known_prices()


def known_prices(price_in: float | None = None, price_out: float | None = None) -> Prices | None:
    """Both prices, each from the option or else from the environment; None where neither is known.

    Args:
        price_in: ``--price-in``, US dollars for a million tokens sent.
        price_out: ``--price-out``, for a million tokens of replies.

    Raises:
        InvalidArgument: one of them is no price, or only one is known: the other half would pass for free.
    """
    prices = {
        option: _price(option, variable, given)
        for option, variable, given in (
            ("--price-in", PRICE_IN, price_in),
            ("--price-out", PRICE_OUT, price_out),
        )
    }
    known = [price for price in prices.values() if price is not None]
    if len(known) == 1:
        missing = next(option for option, price in prices.items() if price is None)
        msg = (
            f"--price-in and --price-out (or {PRICE_IN} and {PRICE_OUT}) belong together; "
            f"{missing} is missing (0 if it is free)"
        )
        raise InvalidArgument(msg)
    return Prices(*known) if known else None


def _price(option: str, variable: str, given: float | None) -> float | None:
    """One price: what was given, else what the environment holds; an empty variable holds nothing."""
    name, value = (variable, os.environ.get(variable) or None) if given is None else (option, given)
    if value is None:
        return None
    try:
        price = float(value)
    except ValueError:
        price = math.nan
    if not 0 <= price < math.inf:  # nothing is ever more than a NaN, so no budget would be kept by it
        msg = f"{name} must be US dollars for a million tokens, 0 or more, got {value!r}"
        raise InvalidArgument(msg)
    return price


def _text(content: object) -> str:
    """What was said: a text, nothing, or parts, of which thoughts and whatever else is no text are left out.

    Raises:
        TypeError: it is something else, which no model says by itself.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        msg = f"content must be a text or a list of parts, got {type(content).__name__}"
        raise TypeError(msg)
    parts = [part if isinstance(part, dict) else vars(part) for part in content]  # clients differ in this
    return "".join([part["text"] for part in parts if part["type"] == "text"])


def _count(tokens: object) -> int | None:
    """A number of tokens, if the server told one."""
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def _status(error: Exception) -> int | None:
    """The HTTP status, where a server answered at all."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def _retry_after_s(header: str | None) -> float | None:
    """Seconds from a ``Retry-After`` header, which may also be a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
