"""LLMPolicy: a language model that plays through the same loop as every other policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from maze_gym.ending import EndReason
from maze_gym.errors import AccessRefused, PolicyStopped, ProviderError
from maze_gym.game import text_game
from maze_gym.llm.chat import as_chat, as_reply
from maze_gym.llm.config import ExperimentConfig, History
from maze_gym.llm.messages import Message
from maze_gym.llm.parsing import ParsedReply, parse
from maze_gym.llm.prompts import (
    PastStep,
    Turn,
    at_turn,
    broken_plan_text,
    build,
    grammar_for,
    reask_text,
)
from maze_gym.llm.querying import FUTILE_PLANS, ActionQueue, Query
from maze_gym.llm.untrusted import without_thoughts
from mazegen.rendering import png

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.game import Description
    from maze_gym.llm.chat import Chat, Messages, Reply
    from maze_gym.policies.base import AnyEnv


class Meter(Protocol):
    """Watches what a policy asks; whatever it raises ends the episode, and the run."""

    def before(self) -> None:
        """The model is about to be asked."""
        ...

    def after(self, query: Query) -> None:
        """It has answered, or the provider has failed."""
        ...


class LLMPolicy:
    """Asks a chat for actions, reads its replies strictly, and asks again where they cannot be used.

    Args:
        chat: a ``Chat``, or any function from a tuple of ``Message`` to text.
        config: what it is told and how its replies are used.
        env: the env it will play.
        name: how tables and records call it; by default the chat's name.

    Attributes:
        chat: the model.
        config: the config.
        queries: everything asked in this episode, in order.
        subgoal: what the model said the current actions are for.
        meter: watches every query; None for nobody.
        stall_limit: the config's, which ``run_episode`` keeps where it is given no other one.
        failure_limit: likewise.

    Raises:
        InvalidArgument: the world says nothing in words, or the chat cannot be called.
    """

    def __init__(
        self,
        chat: Chat | Callable[[Messages], str | Reply],
        config: ExperimentConfig | None = None,
        *,
        env: AnyEnv,
        name: str | None = None,
    ) -> None:
        """Prepare to play."""
        self.chat = as_chat(chat)
        self.config = config or ExperimentConfig()
        self.stall_limit, self.failure_limit = self.config.stall_limit, self.config.failure_limit
        self.name = name or self.chat.name
        self.queries: list[Query] = []
        self.subgoal = ""
        self.meter: Meter | None = None
        self._game = text_game(env)
        self._grammar = grammar_for(self.config, self._game)
        self._queue = ActionQueue(self.config.querying)
        self._history: list[PastStep] = []
        self._dialogue: list[Message] = []
        self._last: PastStep | None = None

    def reset(self, seed: int | None = None) -> None:
        """Forget the last episode."""
        self.queries = []
        self.subgoal = ""
        self._queue.clear()
        self._history.clear()
        self._dialogue.clear()
        self._last = None
        self.chat.reset(seed)

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401, ARG002 - it reads the world's words
        """The next action of the last reply, or of a new one.

        Raises:
            PolicyStopped: the provider failed (unscored), no reply could be used, or the plan has run out, at
                its end or where it was wrong.
            InvalidArgument: the chat returned neither text nor a ``Reply``.
        """
        now = self._game.describe(self.config.wording)
        if self._last is not None:
            self._remember(self._last._replace(result=now.result))
        if now.failed and self._grammar.route is not None:
            self._queue.drop()  # the positions that follow lie along a way that was not gone
        self._stop_after_plan(now)
        if self._queue.needs_reply(failed=now.failed):
            self._ask_for_actions(now)
        action = self._queue.pop()
        self._last = PastStep(now.step + 1, now.pose, self._grammar.action_names[action], "")
        return action

    def _stop_after_plan(self, now: Description) -> None:
        """A plan that is asked for once is judged when it has been played: there is no other answer."""
        if self._queue.is_exhausted():
            why = f": {self._queue.broken}" if self._queue.broken else ""
            raise PolicyStopped(EndReason.PLAN_EXHAUSTED, f"the plan ran out after {now.step} steps{why}")

    def _ask_for_actions(self, now: Description) -> None:
        """Ask for the next part of a plan, until one can be begun; each of these questions is a turn."""
        allowed = self.config.failure_limit or FUTILE_PLANS
        for _ in range(allowed):
            self._ask(now)
            if not self._queue.needs_reply(failed=False):
                return
            self._stop_after_plan(now)
        msg = f"{allowed} plans in a row of which not even the first move can be made; the last one: "
        raise PolicyStopped(EndReason.STALLED, msg + self._queue.broken)

    def _remember(self, step: PastStep) -> None:
        """Keep no more than can be sent."""
        self._history.append(step)
        if self.config.history == History.WINDOW:
            del self._history[: -self.config.turns or None]

    def _ask(self, now: Description) -> None:
        """Ask until a reply can be used."""
        config = self.config
        grammar = at_turn(config, self._grammar, now)
        image = png.encode(self._game.picture(config.cell_px)) if config.has_image else None
        notice = broken_plan_text(self._queue.broken) if self._queue.broken else ""
        turn = Turn(now, tuple(self._history), image, notice, tuple(self._dialogue))
        attempts = config.retries + 1
        said = ""
        for attempt in range(attempts):
            messages = build(config, grammar, turn)
            reply = self._reply(messages, now.step, attempt)
            reading = parse(reply.text, grammar)
            self._note(
                Query(
                    now.step,
                    attempt,
                    messages,
                    reply,
                    reading,
                    provider_retries=reply.retries,
                    wait_s=reply.wait_s,
                )
            )
            if isinstance(reading, ParsedReply):
                self._queue.fill(reading)
                self.subgoal = reading.subgoal
                if config.history == History.FULL:
                    self._keep(build(config, grammar, turn._replace(reask=notice))[-1], reply)
                return
            turn = turn._replace(reask=reask_text(reading, grammar, attempt + 1, attempts))
            said = f"{reading.kind}, {reading.detail}"
        msg = f"no usable reply in {attempts} attempts; the last one: {said}"
        raise PolicyStopped(EndReason.PARSE_FAILED, msg)

    def _reply(self, messages: Messages, step: int, attempt: int) -> Reply:
        if self.meter is not None:
            self.meter.before()
        try:
            return as_reply(self.chat(messages), self.chat.name)
        except ProviderError as error:
            self._note(
                Query(
                    step,
                    attempt,
                    messages,
                    None,
                    None,
                    str(error),
                    error.retries,
                    error.wait_s,
                    isinstance(error, AccessRefused),
                )
            )
            raise PolicyStopped(EndReason.PROVIDER_ERROR, str(error)) from error

    def _note(self, query: Query) -> None:
        self.queries.append(query)
        if self.meter is not None:
            self.meter.after(query)

    def _keep(self, asked: Message, reply: Reply) -> None:
        """Later turns see what was said aloud; hidden reasoning would only crowd the context."""
        self._dialogue += [asked, Message("assistant", without_thoughts(reply.text).strip())]
        self._history.clear()
