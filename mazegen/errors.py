"""Everything that can go wrong with a maze, as one tree.

::

    MazeError
    ├── MazeFormatError       (also ValueError)    a maze that breaks the format; lists every problem
    │   └── UnsupportedMechanism                   a well-formed file that asks for what is not built yet
    ├── UnsolvableMaze        (also ValueError)    no sequence of actions reaches the goal
    ├── UnreachableState      (also LookupError)   a state that cannot occur in this episode
    ├── SearchLimitExceeded   (also RuntimeError)  the search would need more states than it was allowed
    ├── GenerationFailed      (also RuntimeError)  a spec for which no attempt gave a maze that passed
    │   └── TooFewMazes                            a data set for which there are not as many as asked for
    ├── WorkerLost            (also RuntimeError)  a worker process ended in the middle of its work
    ├── NotWritten            (also OSError)       the disk is full or broken; what was there is as it was
    ├── UnreadableFile        (also ValueError)    a file of others that is broken, or larger than it may be
    ├── NoMazeFiles           (also ValueError)    a folder without mazes that could be proved again
    ├── NotText               (also ValueError)    a file that is to be text and is none
    └── of pictures, in ``mazegen.rendering.canvas``:
        ├── PictureError      (also ValueError)    a picture that cannot be drawn as asked
        ├── MissingPainter    (also ImportError)   matplotlib or pygame is absent; names the install command
        └── NoDisplay         (also RuntimeError)  a window where there is no screen
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


SHOWN_PROBLEMS = 20  # lines of a message; the error's attribute holds them all


class Problem(NamedTuple):
    """One thing that is wrong, and where: ``$.mechanisms.keys[0].position``; ``$`` is the file as a whole."""

    path: str
    message: str

    def __str__(self) -> str:
        return self.message if self.path == "$" else f"{self.path}: {self.message}"


class MazeError(Exception):
    """Base of every error that mazegen raises on purpose."""


class MazeFormatError(MazeError, ValueError):
    """A maze breaks the format.

    Attributes:
        problems: every problem that was found, not only the first.
        source: the file or object the maze came from, for the message.
    """

    def __init__(self, problems: Sequence[Problem], source: str = "maze") -> None:
        """Collect ``problems`` of ``source`` into one message, a line each when there are several."""
        self.problems = tuple(problems)
        self.source = source
        lines = [str(problem) for problem in self.problems]
        if len(lines) == 1:
            message = f"{source}: {lines[0]}"
        else:
            shown = lines[:SHOWN_PROBLEMS]
            if len(lines) > SHOWN_PROBLEMS:
                shown.append(f"and {len(lines) - SHOWN_PROBLEMS} more")
            message = f"{source}: {len(lines)} problems\n" + "\n".join(f"  {line}" for line in shown)
        super().__init__(message)

    def __reduce__(self) -> tuple[type[MazeFormatError], tuple[tuple[Problem, ...], str]]:
        """Pickle by the arguments, so that the error survives the way out of a worker process."""
        return (type(self), (self.problems, self.source))


class UnsupportedMechanism(MazeFormatError):
    """The file is in order but uses a reserved mechanism (blocks, teleporters, hazards, ...)."""


class UnsolvableMaze(MazeError, ValueError):
    """No sequence of actions leads from the given state to the goal."""


class UnreachableState(MazeError, LookupError):
    """A distance was asked for a state that no sequence of actions reaches from the start."""


class SearchLimitExceeded(MazeError, RuntimeError):
    """The exact search would have to hold more states than its bound allows."""


class NotWritten(MazeError, OSError):
    """Something could not be written; what had been written before is safe."""


class UnreadableFile(MazeError, ValueError):
    """A file is not what it should be, or larger or deeper than such a file may be."""


class NoMazeFiles(MazeError, ValueError):
    """A folder holds no maze files, or a data set that is not finished."""


class WorkerLost(MazeError, RuntimeError):
    """A worker process has ended in the middle of its work.

    Attributes:
        exit_code: as ``multiprocessing`` has it, negative for a signal; None if it is not known.
    """

    def __init__(self, exit_code: int | None) -> None:
        """Say how it ended, and what may help."""
        self.exit_code = exit_code
        how = f"exit code {exit_code}" if exit_code is None or exit_code >= 0 else f"signal {-exit_code}"
        super().__init__(
            f"a worker process has ended in the middle of its work ({how}); what was written is kept. Is "
            'memory short? Then take fewer. In a script, start workers below `if __name__ == "__main__":`'
        )

    def __reduce__(self) -> tuple[type[WorkerLost], tuple[int | None]]:
        """Pickle by the argument."""
        return (type(self), (self.exit_code,))


class NotText(MazeError, ValueError):
    """A file is not in UTF-8, where text is meant."""


class GenerationFailed(MazeError, RuntimeError):
    """No attempt at a spec gave a maze that passed every check.

    Attributes:
        spec: the spec, as one line of JSON.
        reasons: how many attempts failed for which reason, the most frequent first.
    """

    def __init__(self, spec: str, reasons: Mapping[str, int]) -> None:
        """Say how often what went wrong."""
        self.spec = spec
        self.reasons = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
        super().__init__(self._words())

    def _words(self) -> str:
        return f"no maze after {sum(self.reasons.values())} attempts ({self._counted()}); spec {self.spec}"

    def _counted(self) -> str:
        return ", ".join(f"{count} x {reason}" for reason, count in self.reasons.items())

    def __reduce__(self) -> tuple[type[GenerationFailed], tuple[object, ...]]:
        """Pickle by the arguments, so that the error survives the way out of a worker process."""
        return (type(self), (self.spec, self.reasons))


class ImpossibleSpec(GenerationFailed):
    """A spec of which counting shows that there cannot be a single maze; nothing was tried.

    Attributes:
        spec: the spec, as one line of JSON.
        why: what does not fit, and what to change.
    """

    def __init__(self, spec: str, why: str) -> None:
        """Say what does not fit."""
        self.why = why
        super().__init__(spec, {why: 0})

    def _words(self) -> str:
        return f"there is no such maze: {self.why}; spec {self.spec}"

    def __reduce__(self) -> tuple[type[ImpossibleSpec], tuple[object, ...]]:
        """Pickle by the arguments, so that the error survives the way out of a worker process."""
        return (type(self), (self.spec, self.why))


class TooFewMazes(GenerationFailed):
    """A data set for which candidate after candidate failed or was there already, or counting shows it would.

    Attributes:
        spec: what the mazes were to be, as one line of JSON.
        reasons: how many candidates came to nothing for which reason, the most frequent first.
        done: different mazes that were made.
        wanted: how many were asked for.
    """

    def __init__(self, spec: str, reasons: Mapping[str, int], done: int, wanted: int) -> None:
        """Say how far it came, and what to do."""
        self.done, self.wanted = done, wanted
        super().__init__(spec, reasons)

    def _words(self) -> str:
        candidates = self.done + sum(self.reasons.values())
        if not candidates:
            return (
                f"there are no {self.wanted:,} different mazes: {', '.join(self.reasons)}; ask for fewer "
                f"(count), or raise rows or cols; spec {self.spec}"
            )
        return (
            f"only {self.done} different mazes of {self.wanted} after {candidates} candidates "
            f"({self._counted()}), too few to go on; ask for fewer (count) or a larger board (rows, cols); "
            f"spec {self.spec}"
        )

    def __reduce__(self) -> tuple[type[TooFewMazes], tuple[object, ...]]:
        """Pickle by the arguments, so that the error survives the way out of a worker process."""
        return (type(self), (self.spec, self.reasons, self.done, self.wanted))
