"""Plays the episodes of one policy, with an env and a policy of its own; one thread at a time uses it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from maze_gym.errors import InvalidArgument, StopReason
from maze_gym.evaluation.episode import run_episode
from maze_gym.evaluation.plan import episode_seed
from maze_gym.evaluation.result import EpisodeResult, Played, level_key
from maze_gym.evaluation.runner import ExperimentRunner
from maze_gym.game import Tagged, TextGame
from maze_gym.llm.chat import Reply
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.reading import ParseFailure
from maze_gym.policies import make_policy
from maze_gym.policies.llm import LLMPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.evaluation.limits import Control
    from maze_gym.evaluation.plan import EvalPlan
    from maze_gym.evaluation.transcript import Transcript
    from maze_gym.llm.backends.server import Service
    from maze_gym.llm.chat import Usage
    from maze_gym.llm.querying import Query
    from maze_gym.policies.base import AnyEnv


class EpisodeWorker:
    """Plays episodes of one policy by their numbers; what comes of each depends on its number alone.

    Args:
        run: the plan.
        policy: name of the policy.
        control: shared with everybody who plays this run.
        service: how the server of a model is used.
        in_order: whether this player plays all episodes of the policy, in order.

    Attributes:
        policy: name of the policy.

    Raises:
        InvalidArgument: the policy answers in an order of its own, and episodes are not played in order.
    """

    def __init__(
        self,
        run: EvalPlan,
        policy: str,
        control: Control,
        service: Service | None = None,
        *,
        in_order: bool = True,
    ) -> None:
        """Make the env and the policy."""
        self.policy = policy
        self._run, self._control = run, control
        self._config = run.config or ExperimentConfig()
        self._env: AnyEnv = gym.make(run.env_id, **run.env_kwargs)
        try:
            self._player = make_policy(policy, self._env, run.seed, config=run.config, service=service)
            self._meter: _CallMeter | None = None
            self._runner: ExperimentRunner | None = None
            if isinstance(self._player, LLMPolicy):
                self._prepare_model(self._player, in_order=in_order)
        except BaseException:
            self._env.close()
            raise

    def _prepare_model(self, model: LLMPolicy, *, in_order: bool) -> None:
        if not in_order and getattr(model.chat, "is_in_order", False):
            msg = (
                f"{self.policy} gives its replies in one order, whatever is asked: it can be neither resumed "
                "nor played at several episodes at a time; a run's transcripts.jsonl can"
            )
            raise InvalidArgument(msg)
        if self._control.on_model is not None:
            self._control.on_model(self.policy, model.chat.settings)
        self._runner = ExperimentRunner(model.config, self._env, model)
        self._meter = model.meter = _CallMeter(self.policy, self._control, model.chat.settings)

    def play(self, index: int, take: str = "") -> Played:
        """Play an episode to its end.

        Args:
            index: its number.
            take: which attempt at it this is.

        Raises:
            RunStopped: the run ends before the episode does.
        """
        self._control.check()
        run = self._run
        options = run.levels[index % len(run.levels)].options if run.levels else None
        seed = episode_seed(run.seed, index)
        began = time.perf_counter()
        if self._runner is not None and self._meter is not None:
            self._meter.begin(index, take)
            record = self._runner.run(seed=seed, options=options)
            record = replace(record, episode=self._named(record.episode), index=index, take=take)
            return self._played(record, time.perf_counter() - began)
        episode = run_episode(
            self._env,
            self._player,
            seed=seed,
            options=options,
            stall_limit=self._config.stall_limit,
            failure_limit=self._config.failure_limit,
        )
        wall_s = time.perf_counter() - began
        found, key = {}, ""
        if isinstance(world := self._env.unwrapped, TextGame):  # others cannot say how to begin it again
            recipe = world.recipe()
            found = {"make": dict(recipe.make), "reset": dict(recipe.reset)}
            key = level_key(found)
        outcome = EpisodeResult(self._named(episode), index, key, self._tags(), wall_s=wall_s, take=take)
        return Played(outcome, found)

    def _named(self, episode: EpisodeRecord) -> EpisodeRecord:
        """An episode of the world as the plan names it: with the module that has to be imported for it."""
        return replace(episode, env_id=self._run.env_id)

    def _played(self, record: Transcript, wall_s: float) -> Played:
        failures = Counter(query["failure"]["kind"] for query in record.queries if "failure" in query)
        outcome = EpisodeResult(
            record.episode,
            record.index or 0,
            level_key(record.recipe),
            self._tags(),
            wall_s=wall_s,
            totals=record.totals,
            failures=dict(sorted(failures.items())),
            take=record.take,
        )
        return Played(outcome, record.recipe, record.to_json())

    def _tags(self) -> dict[str, str | int]:
        world = self._env.unwrapped
        return world.tags() if isinstance(world, Tagged) else {}

    def close(self) -> None:
        """Close the env; safe to call again."""
        self._env.close()


class _CallMeter:
    """Reports every call to the control, and asks it before each whether the run may go on."""

    def __init__(self, policy: str, control: Control, settings: Mapping[str, Any]) -> None:
        self._policy, self._control = policy, control
        limits = control.limits
        # A limit needs the server to say what each call took; a chat without a server is free.
        self._needs_cost = limits.max_cost is not None and settings.get("prices") is not None
        self._needs_tokens = limits.max_total_tokens is not None and "server" in settings
        self.begin(0, "")

    def begin(self, index: int, take: str) -> None:
        """An episode begins."""
        self._index, self._take, self._number = index, take, 0

    def before(self) -> None:
        """Stop before a call that the run cannot pay for."""
        self._control.check()

    def after(self, query: Query) -> None:
        """Write the call down; where nobody will be answered any more, stop the run.

        Raises:
            RunStopped: the server takes no key, no money is left, or it does not say what a call cost.
        """
        reply = query.reply or Reply("")
        self._control.note(
            {
                "policy": self._policy,
                "index": self._index,
                "take": self._take,
                "number": self._number,
                "step": query.step,
                "attempt": query.attempt,
                "input_tokens": reply.usage.input_tokens,
                "output_tokens": reply.usage.output_tokens,
                "cost_usd": reply.usage.cost_usd,
                "latency_s": reply.latency_s,
                "wait_s": query.wait_s,
                "provider_retries": query.provider_retries,
                "finish_reason": (reply.raw or {}).get("finish_reason"),
                "failure": str(query.reading.kind) if isinstance(query.reading, ParseFailure) else "",
                "error": query.error,
            }
        )
        self._number += 1
        if query.is_refused:
            raise self._control.stop(StopReason.REFUSED, query.error)
        if query.reply is not None:
            self._check_is_counted(query.reply.usage)

    def _check_is_counted(self, usage: Usage) -> None:
        if (self._needs_cost and usage.cost_usd is None) or (
            self._needs_tokens and usage.total_tokens is None
        ):
            name = "--max-cost" if self._needs_cost else "--max-total-tokens"
            msg = f"{self._policy} does not tell how many tokens a call took, so {name} cannot be kept"
            raise self._control.stop(StopReason.UNTOLD, msg)
