"""Everything that maze_gym raises on purpose, as one tree.

Exception
├── mazegen.errors.MazeError            a maze is wrong; see that module for its tree
├── MazeGymError
│   ├── InvalidArgument  (ValueError)   an argument or option of an env, policy or command
│   ├── LevelsNotFound   (ValueError)   a file, folder or suite that holds no levels
│   ├── MissingExtra     (ImportError)  an optional dependency is absent; names the install command
│   ├── ProviderError                   a language model could not be asked
│   │   └── PromptTooLong               what was to be sent does not fit into its context
│   └── PolicyStopped                   a policy cannot go on; carries the end reason
└── gymnasium.error
    ├── ResetNeeded                     step or render before reset, or step after the end
    └── InvalidAction                   an action of the wrong type or range
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.errors import (
    MazeError,
    MazeFormatError,
    SearchLimitExceeded,
    UnreachableState,
    UnsolvableMaze,
    UnsupportedMechanism,
)

if TYPE_CHECKING:
    from maze_gym.game import EndReason

__all__ = [
    "InvalidArgument",
    "LevelsNotFound",
    "MazeError",
    "MazeFormatError",
    "MazeGymError",
    "MissingExtra",
    "PolicyStopped",
    "PromptTooLong",
    "ProviderError",
    "SearchLimitExceeded",
    "UnreachableState",
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
    """A language model could not be asked, and asking again did not help: unscored, never its failure."""


class PromptTooLong(ProviderError):
    """What was to be sent does not fit into the model's context; asking again cannot help."""


class PolicyStopped(MazeGymError):
    """A policy cannot go on; the episode ends with this reason and is recorded, not lost.

    Attributes:
        reason: why, as an end reason of the episode.
    """

    def __init__(self, reason: EndReason, message: str) -> None:
        """Stop for ``reason``; ``message`` explains it to people."""
        super().__init__(message)
        self.reason = reason
