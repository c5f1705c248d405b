"""Everything that maze_gym raises on purpose, as one tree.

::

    Exception
    ├── mazegen.errors.MazeError            a maze is wrong; see that module for its tree
    │   ├── NotWritten       (OSError)      the disk is full or broken; what was written before is safe
    │   └── UnreadableFile   (ValueError)   a file of others that is broken, or larger than it may be
    ├── MazeGymError
    │   ├── InvalidArgument  (ValueError)   an argument or option of an env, policy or command
    │   ├── LevelsNotFound   (ValueError)   a file, folder or suite that holds no levels
    │   ├── MissingExtra     (ImportError)  an optional dependency is absent; names the install command
    │   ├── ProviderError                   a language model could not be asked
    │   │   ├── PromptTooLong               what was to be sent does not fit into its context
    │   │   └── AccessRefused               no key, no money, no such model: nobody who asks will be answered
    │   ├── RunStopped                      a run reached a limit or cannot go on; it can be resumed
    │   └── PolicyStopped                   a policy cannot go on; carries the end reason
    └── gymnasium.error
        ├── ResetNeeded                     step or render before reset, or step after the end
        └── InvalidAction                   an action of the wrong type or range
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from mazegen.errors import (
    MazeError,
    MazeFormatError,
    NotWritten,
    SearchLimitExceeded,
    UnreachableState,
    UnreadableFile,
    UnsolvableMaze,
    UnsupportedMechanism,
)

if TYPE_CHECKING:
    from maze_gym.ending import EndReason

__all__ = [
    "AccessRefused",
    "InvalidArgument",
    "LevelsNotFound",
    "MazeError",
    "MazeFormatError",
    "MazeGymError",
    "MissingExtra",
    "NotWritten",
    "PolicyStopped",
    "PromptTooLong",
    "ProviderError",
    "RunStopped",
    "SearchLimitExceeded",
    "StopReason",
    "UnreachableState",
    "UnreadableFile",
    "UnsolvableMaze",
    "UnsupportedMechanism",
]


class MazeGymError(Exception):
    """Base of the errors that maze_gym itself raises."""


class InvalidArgument(MazeGymError, ValueError):
    """An argument that is of the wrong kind or out of range; says what was expected and what came."""


class LevelsNotFound(MazeGymError, ValueError):
    """A name or path that should hold levels and does not."""


class MissingExtra(MazeGymError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class ProviderError(MazeGymError):
    """A language model could not be asked, and asking again did not help: unscored, never its failure.

    Attributes:
        retries: attempts after the first.
        wait_s: seconds spent waiting between them.
    """

    retries = 0
    wait_s = 0.0


class PromptTooLong(ProviderError):
    """What was to be sent does not fit into the model's context; asking again cannot help."""


class AccessRefused(ProviderError):
    """No such key is taken, no money is left, no such model exists: every further question is in vain."""


class StopReason(StrEnum):
    """Why a run ends before its last episode."""

    COST = "cost"  # as much as it may
    TOKENS = "tokens"  # as many as it may
    TIME = "time"  # as long as it may
    UNTOLD = "untold"  # a server does not say what a limit is kept by
    REFUSED = "refused"  # no key, no money, no such model, or nobody there
    INTERRUPTED = "interrupted"  # by a person


class RunStopped(MazeGymError):
    """A run ends before its last episode: a limit was reached, or nobody answers any more.

    Attributes:
        why: the reason.
    """

    def __init__(self, why: StopReason, message: str) -> None:
        """Stop; ``message`` explains it to people."""
        super().__init__(message)
        self.why = why

    def __reduce__(self) -> tuple[type[RunStopped], tuple[StopReason, str]]:
        return type(self), (self.why, str(self))  # it comes back from other processes


class PolicyStopped(MazeGymError):
    """A policy cannot go on; the episode ends with this reason and is recorded, not lost.

    Attributes:
        reason: why, as an end reason of the episode.
    """

    def __init__(self, reason: EndReason, message: str) -> None:
        """Stop for ``reason``; ``message`` explains it to people."""
        super().__init__(message)
        self.reason = reason
