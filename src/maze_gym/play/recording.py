"""A person as a policy: the keys that were pressed, played again through the one step loop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, PolicyStopped
from maze_gym.evaluation.storage.line_file import LineFile
from mazegen.core.file_errors import in_words

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from maze_gym.evaluation.episode import EpisodeRecord


class ReplayedPerson:
    """Plays a list of actions, then stops as a person who walks away.

    Args:
        name: how tables and records call it.
        actions: what the person did.
    """

    def __init__(self, name: str, actions: Sequence[int]) -> None:
        """Keep the actions; ``reset`` goes back to the first."""
        self.name = name
        self._actions = tuple(actions)
        self._next = 0

    def reset(self, seed: int | None = None) -> None:
        """Begin with the first action; there is no randomness to seed."""
        del seed
        self._next = 0

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401 - any world's observation
        """The next action.

        Raises:
            PolicyStopped: there is none left.
        """
        del observation, info
        if self._next == len(self._actions):
            raise PolicyStopped(EndReason.ABORTED, "the person stopped playing")
        self._next += 1
        return self._actions[self._next - 1]


def append_record(record: EpisodeRecord, path: str | os.PathLike[str]) -> None:
    """Add one JSON line to a file; records that are there stay, a line that was left unfinished goes.

    Raises:
        OSError: the file cannot be opened.
        NotWritten: the disk did not take it; records that are there are safe.
    """
    with LineFile(Path(path)) as file:
        file.append_text(record.to_json())


def check_writable(path: str | os.PathLike[str]) -> None:
    """Find out before the first game that a recording could not be kept.

    Raises:
        InvalidArgument: the file cannot be opened for appending.
    """
    try:
        LineFile(Path(path)).close()
    except OSError as error:
        msg = f"cannot record: {in_words(error)}"
        raise InvalidArgument(msg) from error
