"""TextView: text in, text out, for frameworks that speak to an environment as to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gymnasium.error import ResetNeeded

from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument
from maze_gym.game import text_game
from maze_gym.llm.config import ExperimentConfig, History, Querying
from maze_gym.llm.parsing import ParseFailure, parse
from maze_gym.llm.prompts import (
    PastStep,
    Turn,
    at_turn,
    broken_plan_text,
    grammar_for,
    reask_text,
    system_text,
    turn_text,
)
from maze_gym.llm.querying import FUTILE_PLANS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.game import Description
    from maze_gym.llm.parsing import ParsedReply
    from maze_gym.wrappers.added import AnyEnv


class TextStep(NamedTuple):
    """What a reply led to, in the order of ``env.step``."""

    text: str
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class TextView:
    """A world as a conversation: each text is a prompt, each reply is read strictly.

    A reply that cannot be read costs no step and is answered with what was wrong; when the retries are used
    up the episode is truncated. A reply of several actions is played to its end, with sub-goals to the
    first action without effect. A plan that can be read and cannot be followed is an answer: it is played as
    far as it goes, and where a whole plan was asked for that is the end. The last ``info`` holds
    ``end_reason``.

    Args:
        env: any world of this suite, wrapped or not.
        config: how it is put into words; pictures are left to the caller (``env.unwrapped.picture``), limits
            on stalls and failures to the episode loop.

    Raises:
        InvalidArgument: the world says nothing in words, or the config sets a limit that is not kept here.
    """

    def __init__(self, env: AnyEnv, config: ExperimentConfig | None = None) -> None:
        """Look at an env; closing it closes this."""
        self.env = env
        self.config = config or ExperimentConfig()
        if self.config.stall_limit is not None or self.config.failure_limit is not None:
            msg = (
                "stall_limit and failure_limit are kept by the episode loop (maze_gym.evaluation); leave "
                f"them out here, got {self.config.stall_limit} and {self.config.failure_limit}"
            )
            raise InvalidArgument(msg)
        self._game = text_game(env)
        self._grammar = grammar_for(self.config, self._game)
        self._history: list[PastStep] = []
        self._failures = self._futile = 0
        self._ended = True
        self._info: dict[str, Any] = {}

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode: task, level, rules, format and the first turn in one text."""
        _, self._info = self.env.reset(seed=seed, options=None if options is None else dict(options))
        self._history, self._ended = [], False
        self._failures = self._futile = 0
        return f"{self.system}\n\n{self.turn}", dict(self._info)

    @property
    def system(self) -> str:
        """Task, rules, level and format, for those who send them apart: the same in the whole episode."""
        return system_text(self.config, self._grammar, self._now())

    @property
    def turn(self) -> str:
        """What is asked now, without what ``system`` says."""
        return self._prompt(self._now())

    def step(self, reply: str) -> TextStep:
        """Read a reply and play what it says.

        Raises:
            ResetNeeded: there is no episode, or it has ended.
            InvalidArgument: the reply is no text.
        """
        if self._ended:
            msg = "the episode has ended or not begun; call reset() first"
            raise ResetNeeded(msg)
        if not isinstance(reply, str):
            msg = f"a reply must be text, an empty one where nothing was said, got {type(reply).__name__}"
            raise InvalidArgument(msg)
        now = self._now()
        reading = parse(reply, at_turn(self.config, self._grammar, now))
        if isinstance(reading, ParseFailure):
            return self._refuse(reading, now)
        self._failures = 0
        return self._play(reading, now)

    def close(self) -> None:
        """Close the env; safe to call again."""
        self.env.close()

    def _refuse(self, failure: ParseFailure, now: Description) -> TextStep:
        self._failures += 1
        attempts = self.config.retries + 1
        info = dict(self._info) | {"parse_failure": str(failure.kind)}
        if self._failures >= attempts:
            self._ended = True
            info |= {"end_reason": str(EndReason.PARSE_FAILED), "is_success": False}
        again = self._prompt(now, reask_text(failure, self._grammar, self._failures, attempts))
        return TextStep(again, 0.0, terminated=False, truncated=self._ended, info=info)

    def _play(self, reading: ParsedReply, now: Description) -> TextStep:
        total, terminated, truncated, is_dropped = 0.0, False, False, False
        if self.config.history == History.FULL:
            self._history = []
        for action in reading.actions:
            past = PastStep(now.step + 1, now.pose, self._grammar.action_names[action], "")
            _, reward, terminated, truncated, self._info = self.env.step(action)
            total += float(reward)
            now = self._now()
            self._history.append(past._replace(result=now.result))
            is_dropped = now.failed and self._stops_at_failure
            if terminated or truncated or is_dropped:
                break
        broken = "" if is_dropped else reading.broken
        self._futile = 0 if reading.actions else self._futile + 1
        reason = self._end(terminated=terminated, truncated=truncated)
        info = dict(self._info)
        if reason is not None:
            self._ended = True
            info |= {"end_reason": str(reason), "is_success": reason == EndReason.SUCCESS}
            truncated = not terminated
        told = broken_plan_text(broken) if broken and reason is None else ""
        return TextStep(self._prompt(now, told), total, terminated, truncated, info)

    @property
    def _stops_at_failure(self) -> bool:
        """Positions that follow a failure lie along a way that was not gone."""
        return self.config.querying == Querying.SUBGOAL or self._grammar.route is not None

    def _end(self, *, terminated: bool, truncated: bool) -> EndReason | None:
        if terminated:
            return EndReason.SUCCESS if self._info.get("is_success") else EndReason.FAILED
        if truncated:
            return EndReason.TIMEOUT
        if self.config.querying == Querying.FULL_TRAJECTORY:
            return EndReason.PLAN_EXHAUSTED
        return EndReason.STALLED if self._futile == FUTILE_PLANS else None

    def _now(self) -> Description:
        return self._game.describe(self.config.wording)

    def _prompt(self, now: Description, reask: str = "") -> str:
        turn = Turn(now, tuple(self._history), reask=reask)
        return turn_text(self.config, at_turn(self.config, self._grammar, now), turn)
