"""A puzzle made ready for an env: everything about it that does not change within an episode."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.observation import Planes, shape_array
from maze_gym.envs.sparc.rules.puzzle import PuzzleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maze_gym.envs.sparc.observation import Frame
    from maze_gym.envs.sparc.rules.puzzle import Puzzle

_ACTIONS = len(rules.Action)
# For each set of possible actions, as bits: the actions, and the mask to be copied.
CHOICES = tuple(tuple(map(int, actions)) for actions in rules.ACTION_SETS)
MASKS: tuple[NDArray[np.int8], ...] = tuple(
    np.array([bits >> action & 1 for action in range(_ACTIONS)], np.int8) for bits in range(1 << _ACTIONS)
)
# The same masks, each as what makes a fresh array of it: bound once, for it is called at every step.
FRESH_MASKS: tuple[Callable[[], NDArray[np.int8]], ...] = tuple(mask.copy for mask in MASKS)


class PlayablePuzzle:
    """One puzzle with its first planes; use ``playable``, which keeps it.

    Args:
        puzzle: the puzzle.
        frame: how large the arrays of its observations are.

    Attributes:
        puzzle: the puzzle.
        solutions: the stored ones, to look lines up in; empty where none are stored.
        facts: what every info says of it; what is not known of it is left out.
        fresh_shapes: makes the array of the shapes, a fresh one each time.

    Raises:
        PuzzleError: no move leads away from the start.
    """

    def __init__(self, puzzle: Puzzle, frame: Frame) -> None:
        """Look everything up once."""
        if not any(puzzle.lanes[puzzle.start]):
            raise PuzzleError(puzzle.puzzle_id, "gaps", "every way out of the start is a gap; open one")
        self.puzzle = puzzle
        self.frame = frame
        self.solutions = frozenset(puzzle.solutions)
        self.facts: dict[str, str | int] = {
            "level_id": puzzle.puzzle_id,
            "puzzle_id": puzzle.puzzle_id,
            "level_hash": puzzle.content_hash,
        }
        if puzzle.level is not None:
            self.facts["level"] = puzzle.level
        if puzzle.solutions:
            self.facts["optimal_actions"] = min(map(len, puzzle.solutions)) - 1
        self.fresh_shapes = shape_array(puzzle, frame).copy
        self._planes = Planes(puzzle, frame)

    def first_planes(self) -> Planes:
        """The planes of the first state, to be changed in place."""
        return self._planes.fork()

    def __deepcopy__(self, memo: object) -> PlayablePuzzle:
        """A copy is the same one, for nothing in it ever changes."""
        return self

    def __reduce__(self) -> tuple[Callable[..., PlayablePuzzle], tuple[Puzzle, Frame]]:
        """Another process looks it up again."""
        return playable, (self.puzzle, self.frame)


@lru_cache(maxsize=512)
def playable(puzzle: Puzzle, frame: Frame) -> PlayablePuzzle:
    """A puzzle made ready; kept for puzzles used last."""
    return PlayablePuzzle(puzzle, frame)
