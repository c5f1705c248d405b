"""The one step loop: every policy, human or machine, plays through ``run_episode``."""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maze_gym._version import __version__
from maze_gym.ending import UNSCORED, EndReason
from maze_gym.errors import InvalidArgument, PolicyStopped, SearchLimitExceeded
from maze_gym.game import Prompting, Wording, World, metrics_of, text_game
from mazegen.core.bounded_files import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from maze_gym.policies.base import AnyEnv, Policy

_SHORTEST = Wording(Prompting.MINIMAL, pictured=True)


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One finished episode, complete enough to be replayed step for step.

    Attributes:
        env_id: Gymnasium id of the world.
        policy: name of the policy.
        level_id: name of the level.
        content_hash: what the level is, independent of its name.
        seed: seed of the env's reset and of the policy.
        end_reason: why it ended.
        success: True or False; None where the episode is unscored.
        steps: env actions taken.
        optimal_actions: length of a shortest plan, or None if unknown.
        total_reward: sum of rewards.
        actions: the actions, in order.
        events: what the world said came of each.
        version: of this package.
        detail: why the policy stopped, in words; untrusted, since a model may be quoted in it.
        metrics: the world's own measures of the episode, such as survival.
    """

    env_id: str
    policy: str
    level_id: str
    content_hash: str
    seed: int | None
    end_reason: EndReason
    success: bool | None
    steps: int
    optimal_actions: int | None
    total_reward: float
    actions: tuple[int, ...]
    events: tuple[str, ...]
    version: str = __version__
    detail: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields."""
        return {name: getattr(self, name) for name in _FIELDS}

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> EpisodeRecord:
        """The record that ``to_dict`` described; what a run has added to it is left aside.

        Raises:
            InvalidArgument: these are not such fields.
        """
        try:
            known = {name: fields[name] for name in _FIELDS if name in fields}
            known["end_reason"] = EndReason(known["end_reason"])
            known["actions"] = tuple(known["actions"])
            known["events"] = tuple(sys.intern(event) for event in known["events"])  # a few words, very often
            return cls(**known)
        except (TypeError, KeyError, ValueError) as error:
            msg = f"not an episode record: {error!r}"
            raise InvalidArgument(msg) from error

    @classmethod
    def from_json(cls, line: str) -> EpisodeRecord:
        """The record that ``to_json`` wrote; see ``from_dict``.

        Raises:
            InvalidArgument: the line is not such a record.
        """
        try:
            fields = json_of(line, "the line")
        except ValueError as error:
            msg = f"not an episode record: {error}"
            raise InvalidArgument(msg) from error
        return cls.from_dict(fields)


_FIELDS = tuple(each.name for each in dataclasses.fields(EpisodeRecord))


def run_episode(
    env: AnyEnv,
    policy: Policy,
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    stall_limit: int | None = None,
    failure_limit: int | None = None,
    on_step: Callable[[int], None] | None = None,
) -> EpisodeRecord:
    """Play one episode and say how it ended.

    Args:
        env: any world of this suite, wrapped or not.
        policy: who acts.
        seed: for the env's reset and the policy; None leaves both to go on as they are.
        options: for the env's reset, for example the level.
        stall_limit: end the episode after this many steps in a row that reach no new state
            (``World.progress_signature``); None takes the policy's own ``stall_limit``, where it has one,
            else never does.
        failure_limit: end the episode after this many actions in a row that failed, each leaving
            everything as it was (``Description.failed``, by which the world itself says so); None likewise.
        on_step: called after each step with the number of steps taken.

    Raises:
        InvalidArgument: a limit is not positive, or needs a world that tells and the env is none.
    """
    stall_watch = _StallWatch(env, _limit(stall_limit, policy, "stall_limit"))
    failure_watch = _FailureWatch(env, _limit(failure_limit, policy, "failure_limit"))
    observation, info = env.reset(seed=seed, options=None if options is None else dict(options))
    stall_watch.begin()
    policy.reset(seed)
    first = info
    actions: list[int] = []
    events: list[str] = []
    total, detail = 0.0, ""
    reason: EndReason | None = None
    try:
        while reason is None:
            action = int(policy.act(observation, info))
            observation, reward, terminated, truncated, info = env.step(action)
            actions.append(action)
            events.append(str(info.get("event", "")))
            total += float(reward)
            if on_step is not None:
                on_step(len(actions))
            if terminated or truncated:
                reason = _reason(terminated=terminated, success=bool(info.get("is_success", False)))
            elif stall_watch.is_stalled() | failure_watch.is_stalled():  # "|": each counts every step
                reason = EndReason.STALLED
    except PolicyStopped as stop:
        reason, detail = stop.reason, str(stop)
    except SearchLimitExceeded as error:  # of an oracle, or of a judge: nobody knows what would be right
        reason, detail = EndReason.ABORTED, str(error)
    return EpisodeRecord(
        **_setting(env, first),
        policy=policy.name,
        seed=seed,
        end_reason=reason,
        success=None if reason in UNSCORED else reason is EndReason.SUCCESS,
        steps=len(actions),
        total_reward=total,
        actions=tuple(actions),
        events=tuple(events),
        detail=detail,
        metrics=metrics_of(env, info),
    )


def _limit(given: int | None, policy: Policy, name: str) -> int | None:
    """The limit that was given, else the one that comes with the policy, as a config's does."""
    return getattr(policy, name, None) if given is None else given


def _setting(env: AnyEnv, first: Mapping[str, Any]) -> dict[str, Any]:
    """The world and the level of an episode, by the info of its reset."""
    return {
        "env_id": "" if (spec := env.unwrapped.spec) is None else spec.id,  # a wrapper's is a deep copy
        "level_id": str(first.get("level_id", "")),
        "content_hash": str(first.get("level_hash", "")),
        "optimal_actions": first.get("optimal_actions"),
    }


def _reason(*, terminated: bool, success: bool) -> EndReason:
    if success:
        return EndReason.SUCCESS
    return EndReason.FAILED if terminated else EndReason.TIMEOUT


class _StallWatch:
    """Counts steps since the last state that this episode had not been in before."""

    def __init__(self, env: AnyEnv, limit: int | None) -> None:
        self._limit = limit
        self._seen: set[Hashable] = set()
        self._since = 0
        world = env.unwrapped
        if limit is not None:
            _check_limit("stall_limit", limit)
            if not isinstance(world, World):
                msg = f"stall_limit needs a world of this suite, got {type(world).__name__}"
                raise InvalidArgument(msg)
            self._world = world

    def begin(self) -> None:
        """To be told once after the reset: the episode has been in its first state before any step."""
        if self._limit is not None:
            self._seen.add(self._world.progress_signature())

    def is_stalled(self) -> bool:
        """To be asked once after each step."""
        if self._limit is None:
            return False
        signature = self._world.progress_signature()
        self._since = self._since + 1 if signature in self._seen else 0
        self._seen.add(signature)
        return self._since >= self._limit


class _FailureWatch:
    """Counts actions in a row that failed; the world is asked in its shortest wording."""

    def __init__(self, env: AnyEnv, limit: int | None) -> None:
        self._limit = limit
        self._in_a_row = 0
        if limit is not None:
            _check_limit("failure_limit", limit)
            self._game = text_game(env)

    def is_stalled(self) -> bool:
        """To be asked once after each step."""
        if self._limit is None:
            return False
        failed = self._game.describe(_SHORTEST).failed
        self._in_a_row = self._in_a_row + 1 if failed else 0
        return self._in_a_row >= self._limit


def _check_limit(name: str, limit: int) -> None:
    if limit < 1:
        msg = f"{name} must be at least 1, got {limit}"
        raise InvalidArgument(msg)
