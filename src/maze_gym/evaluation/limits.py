"""What a run may spend, and how fast: budgets that end it, rates that slow it down."""

from __future__ import annotations

import dataclasses
import math
import time
from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from maze_gym.errors import InvalidArgument, RunStopped, StopReason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

WINDOW_S = 60.0  # rates are by the minute
ERRORS_IN_A_ROW = 20  # calls, each tried patiently: the server is down, and more episodes would be lost to it
_HAIR_S = 1e-6  # so that rounding never puts the 61st second into the minute
_LONGEST_NAP_S = 0.2  # so that a stop is noticed while somebody waits


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may spend and how fast; None is no limit.

    Attributes:
        max_cost: US dollars of the whole run, earlier sessions and calls in vain included.
        max_total_tokens: tokens of the whole run, sent and received, likewise.
        max_time_s: seconds of this session.
        requests_per_minute: requests to servers, retries included, in any 60 seconds.
        tokens_per_minute: tokens sent and received in any 60 seconds.

    Raises:
        InvalidArgument: a limit is not positive.
    """

    max_cost: float | None = None
    max_total_tokens: int | None = None
    max_time_s: float | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    def __post_init__(self) -> None:
        """Check the ranges."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None and not 0 < value < math.inf:
                msg = f"{field.name} must be more than 0, got {value}"
                raise InvalidArgument(msg)


class Ticket:
    """Leave to send one request at a time.

    Attributes:
        at: when it was, or will be, sent.
        tokens: what it is taken to cost; corrected when the answer tells.
    """

    __slots__ = ("at", "tokens")

    def __init__(self, at: float, tokens: int) -> None:
        """Book a request."""
        self.at, self.tokens = at, tokens


class RateLimiter:
    """Holds requests back so that no 60 seconds see more of them, or of tokens, than is allowed.

    Requests leave in the order in which they asked. A single request that is larger than the limit on
    tokens goes alone. The limiter books time and never sleeps, so one serves any number of threads.

    Args:
        requests: in any window; None for any number.
        tokens: in any window; None for any number.
        clock: seconds that never go back.
    """

    def __init__(
        self, requests: int | None, tokens: int | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with an empty window."""
        self._most_requests, self._most_tokens = requests, tokens
        self._clock = clock
        self._lock = Lock()
        self._booked: deque[Ticket] = deque()

    @property
    def is_open(self) -> bool:
        """Whether nothing is limited."""
        return self._most_requests is None and self._most_tokens is None

    def book(self, tokens: int) -> Ticket:
        """The earliest time at which a request of about so many tokens may be sent."""
        with self._lock:
            now = self._clock()
            while self._booked and self._booked[0].at + WINDOW_S <= now:
                self._booked.popleft()
            at = max(now, self._booked[-1].at) if self._booked else now
            for freed in self._times(at):
                if self._fits(freed, tokens):
                    at = freed
                    break
            ticket = Ticket(at, tokens)
            self._booked.append(ticket)
            return ticket

    def settle(self, ticket: Ticket, tokens: int) -> None:
        """Correct what a request has cost: what was booked too much is free again."""
        with self._lock:
            ticket.tokens = tokens

    def _times(self, earliest: float) -> Iterable[float]:
        """When room may become free: now, and whenever a request leaves the window."""
        yield earliest
        for ticket in self._booked:
            if ticket.at + WINDOW_S > earliest:
                yield ticket.at + WINDOW_S + _HAIR_S

    def _fits(self, at: float, tokens: int) -> bool:
        window = [ticket.tokens for ticket in self._booked if ticket.at + WINDOW_S > at]
        if not window:
            return True
        if self._most_requests is not None and len(window) >= self._most_requests:
            return False
        return self._most_tokens is None or sum(window) + tokens <= self._most_tokens


class Control:
    """What all workers of a session share: the budget, the rates, the sign to stop, who hears of calls.

    Args:
        limits: what the run may spend and how fast.
        on_call: hears of every call of a model, from any thread, as soon as its answer is there.
        on_model: hears of each model before it is first asked: policy and settings.
        clock: seconds that never go back.
        nap: how to wait.

    Attributes:
        tokens: of the run so far.
        cost_usd: of the run so far.
        calls: of this session.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        on_call: Callable[[Mapping[str, Any]], None] | None = None,
        on_model: Callable[[str, Mapping[str, Any]], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        nap: Callable[[float], None] = time.sleep,
    ) -> None:
        """Start the clock."""
        self.limits = limits or Limits()
        self.on_model = on_model
        self.tokens, self.cost_usd, self.calls = 0, 0.0, 0
        self._on_call = on_call
        self._clock, self._nap = clock, nap
        self._began = clock()
        self._rates = RateLimiter(self.limits.requests_per_minute, self.limits.tokens_per_minute, clock)
        self._lock = Lock()
        self._stop: RunStopped | None = None
        self._errors_in_a_row = 0

    @property
    def stopped(self) -> RunStopped | None:
        """Why the run ends early, if it does."""
        return self._stop

    def stop(self, why: StopReason, message: str) -> RunStopped:
        """Ask all workers to stop; the first reason holds."""
        with self._lock:
            if self._stop is None:
                self._stop = RunStopped(why, message)
            return self._stop

    def check(self) -> None:
        """To be called before anything that costs.

        Raises:
            RunStopped: a limit has been reached, or somebody asked to stop.
        """
        if self._stop is not None:
            raise RunStopped(self._stop.why, str(self._stop))
        limits = self.limits
        if limits.max_cost is not None and self.cost_usd >= limits.max_cost:
            msg = f"${self.cost_usd:.4f} of ${limits.max_cost:g} are spent (--max-cost)"
            raise self.stop(StopReason.COST, msg)
        if limits.max_total_tokens is not None and self.tokens >= limits.max_total_tokens:
            msg = f"{self.tokens:,} of {limits.max_total_tokens:,} tokens are used (--max-total-tokens)"
            raise self.stop(StopReason.TOKENS, msg)
        if limits.max_time_s is not None and self._clock() - self._began >= limits.max_time_s:
            raise self.stop(StopReason.TIME, f"{limits.max_time_s:g} s are over (--max-time)")

    def count(self, call: Mapping[str, Any]) -> None:
        """Count what a call has cost, of this session or an earlier one."""
        with self._lock:
            self.tokens += (call["input_tokens"] or 0) + (call["output_tokens"] or 0)
            self.cost_usd += call["cost_usd"] or 0.0

    def note(self, call: Mapping[str, Any]) -> None:
        """Count a call that has just been answered, and pass it on.

        Raises:
            RunStopped: the provider has failed for a long time.
        """
        if self._on_call is not None:
            self._on_call(call)
        self.count(call)
        with self._lock:
            self.calls += 1
            self._errors_in_a_row = self._errors_in_a_row + 1 if call["error"] else 0
            failed = self._errors_in_a_row
        if failed >= ERRORS_IN_A_ROW:
            raise self.stop(
                StopReason.REFUSED, f"{failed} calls in a row failed; the last one: {call['error']}"
            )

    def sleep(self, seconds: float) -> None:
        """Wait, but no longer than the run goes on.

        Raises:
            RunStopped: see ``check``.
        """
        until = self._clock() + seconds
        while True:
            self.check()
            left = until - self._clock()
            if left <= 0:
                return
            self._nap(min(left, _LONGEST_NAP_S))

    def begin_request(self, tokens: int) -> tuple[Ticket | None, float]:
        """Wait until a request of about so many tokens may be sent; its ticket, and the seconds waited.

        Raises:
            RunStopped: see ``check``.
        """
        self.check()
        ticket, seconds = self.book(tokens)
        if seconds:
            self.sleep(seconds)
        return ticket, seconds

    def book(self, tokens: int) -> tuple[Ticket | None, float]:
        """A ticket for a request, and the seconds that it has to wait; None where nothing is limited."""
        if self._rates.is_open:
            return None, 0.0
        ticket = self._rates.book(tokens)
        return ticket, max(0.0, ticket.at - self._clock())

    def end_request(self, ticket: Ticket | None, tokens: int | None) -> None:
        """Say what a request has cost; where nobody does, it counts as what was booked."""
        if ticket is not None and tokens is not None:
            self._rates.settle(ticket, tokens)
