"""What every world offers besides the Gymnasium API; policies and the episode loop know only this."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping


class EndReason(StrEnum):
    """Why an episode ended; every episode ends with exactly one."""

    SUCCESS = "success"
    FAILED = "failed"  # a final wrong answer, or no way to the goal any more
    TIMEOUT = "timeout"  # the step limit
    STALLED = "stalled"  # no new state for as long as the caller allows
    PARSE_FAILED = "parse_failed"  # retries for unreadable replies are used up
    PLAN_EXHAUSTED = "plan_exhausted"  # a plan given in advance has run out
    PROVIDER_ERROR = "provider_error"  # the model could not be asked: unscored, no failure of its own
    ABORTED = "aborted"  # interrupted by a person: unscored


UNSCORED = frozenset({EndReason.PROVIDER_ERROR, EndReason.ABORTED})


class Level(NamedTuple):
    """One level of any world.

    Attributes:
        level_id: its name in tables and records.
        content_hash: what it is, independent of its name.
        options: what to pass to ``env.reset(options=...)`` to play it.
    """

    level_id: str
    content_hash: str
    options: Mapping[str, Any]


class LevelSet(NamedTuple):
    """What a file, folder or suite holds.

    Attributes:
        levels: the levels, in playing order.
        skipped: (file, why) for files that are not played.
        env_kwargs: arguments with which the world's env can play every one of them.
    """

    levels: tuple[Level, ...]
    skipped: tuple[tuple[str, str], ...]
    env_kwargs: Mapping[str, Any]


@runtime_checkable
class World(Protocol):
    """The methods that an env of this suite has on ``env.unwrapped``."""

    action_names: tuple[str, ...]

    def optimal_action(self) -> int | None:
        """An action that begins a shortest plan from the current state; None where none exists."""
        ...

    def greedy_action(self) -> int:
        """What an agent does that walks straight towards the goal and uses what lies in its way."""
        ...

    def progress_signature(self) -> Hashable:
        """Equal in two states exactly when going from one to the other is no progress at all."""
        ...
