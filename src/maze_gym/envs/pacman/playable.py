"""A board made ready for an env: everything about it that does not change within an episode."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.observation import Planes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maze_gym.envs.pacman.rules import Board


class PlayableBoard:
    """One board with its look-up tables and first planes; use ``playable``, which keeps it.

    Args:
        board: the board.
        shape: (rows, cols) that the planes are padded to.

    Attributes:
        positions: (row, col) of each cell.
        masks: per cell (4,) int8, 1 for each action that moves the player from there; do not write to it.
        level_id: name of the layout.
        maze_hash: what the layout is, independent of its name.
        max_score: the most points that the board can bring.
    """

    def __init__(self, board: Board, shape: tuple[int, int]) -> None:
        """Look everything up once."""
        layout = board.layout
        self.board = board
        self.shape = shape
        self.positions = tuple(layout.position(cell) for cell in range(layout.cells))
        self.masks: tuple[NDArray[np.int8], ...] = tuple(
            np.array([moves[cell] != cell for moves in board.moves], np.int8) for cell in range(layout.cells)
        )
        self.level_id, self.maze_hash = layout.level_id, layout.content_hash
        self.max_score = rules.max_score(layout)
        self._planes = Planes(board, board.start, shape)

    def first_planes(self) -> Planes:
        """The planes of the first state, to be changed in place."""
        return self._planes.fork()

    def __reduce__(self) -> tuple[Callable[..., PlayableBoard], tuple[Board, tuple[int, int]]]:
        """A copy is the same one, for nothing in it ever changes."""
        return playable, (self.board, self.shape)


@lru_cache(maxsize=256)
def playable(board: Board, shape: tuple[int, int]) -> PlayableBoard:
    """A board made ready; kept for boards used last."""
    return PlayableBoard(board, shape)
