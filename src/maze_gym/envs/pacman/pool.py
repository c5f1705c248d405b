"""The boards of a vector env as arrays, one slot a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maze_gym.envs.pacman import batch
from maze_gym.envs.pacman.layouts import MAX_GHOSTS
from maze_gym.envs.pacman.playable import PlayableBoard, playable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from maze_gym.envs.pacman.paths import Table
    from maze_gym.envs.pacman.rules import Board

LEAST_KEPT = 64  # boards that are kept at least; tables of a board of 12 x 12 cells take 80 KB
_NEIGHBOURS = 4


class BoardPool:
    """Slots with boards laid out on one size; a board that is played again is found again.

    Args:
        shape: (rows, cols) that all boards are laid out on.
        envs: how many play on them; no board that one of them plays is given up.

    Attributes:
        moves: (slots, 4, cells) where an action leads to.
        toward: (slots, cells, cells) per target and ghost its equally good moves, see ``ways``.
        away: the same for ghosts that flee.
        corners: (slots, 4) where ghosts scatter to.
        traits: (slots, 4) number of ghosts, whether they flee, scatter, decide ties by luck.
        homes: (slots, 8) starts of the ghosts.
        starts: (slots, 8) first row of an env.
        first_planes: (slots, 6 * cells).
        totals: (slots, 2) the most points, and how much there is to eat.
        boards: the boards themselves, made ready for play.
    """

    def __init__(self, shape: tuple[int, int], envs: int) -> None:
        """Make room for one board."""
        cells = shape[0] * shape[1]
        self.shape = shape
        self._most = max(LEAST_KEPT, 2 * envs)
        self._slots: dict[Board, int] = {}
        self.boards: list[PlayableBoard | None] = [None]
        self.moves = np.zeros((1, _NEIGHBOURS, cells), np.int16)
        self.toward = np.zeros((1, cells, cells), np.uint16)
        self.away = np.zeros((1, cells, cells), np.uint16)
        self.corners = np.zeros((1, _NEIGHBOURS), np.int16)
        self.traits = np.zeros((1, 4), np.int64)
        self.homes = np.zeros((1, MAX_GHOSTS), np.int16)
        self.starts = np.zeros((1, batch.COLUMNS), np.int32)
        self.first_planes = np.zeros((1, 6 * cells), np.uint8)
        self.totals = np.ones((1, 2), np.int64)

    def slot(self, board: Board, in_use: Iterable[int]) -> int:
        """The slot of a board, filled if it is new; what is in use stays where it is."""
        known = self._slots.get(board)
        if known is not None:
            return known
        slot = len(self._slots)
        if slot >= self._most:
            used = set(in_use)
            old, slot = next((each, number) for each, number in self._slots.items() if number not in used)
            del self._slots[old]
        if slot >= len(self.boards):
            self._grow()
        self._fill(slot, board)
        self._slots[board] = slot
        return slot

    def level(self, slot: int) -> PlayableBoard:
        """The board in a slot."""
        level = self.boards[slot]
        if level is None:
            msg = f"slot {slot} is empty"
            raise LookupError(msg)
        return level

    def place(self, board: Board, cell: int) -> int:
        """The number that a cell of a board has on the boards of this pool."""
        row, col = board.layout.position(cell)
        return row * self.shape[1] + col

    def _grow(self) -> None:
        for name in _ARRAYS:
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros_like(array)]))
        self.boards += [None] * len(self.boards)

    def _fill(self, slot: int, board: Board) -> None:
        layout, start = board.layout, board.start
        level = playable(board, self.shape)
        places = np.array([self.place(board, cell) for cell in range(layout.cells)])
        for action, leads in enumerate(board.moves):
            self.moves[slot, action, places] = places[list(leads)]
        self.toward[slot][np.ix_(places, places)] = ways(board, board.toward)
        if board.away:
            self.away[slot][np.ix_(places, places)] = ways(board, board.away)
        if board.corners:
            self.corners[slot] = places[list(board.corners)]
        mind = board.mind
        self.traits[slot] = len(board.homes), mind.flee, mind.scatter, mind.random_ties
        self.homes[slot, : len(board.homes)] = places[list(board.homes)]
        self.starts[slot] = 0
        self.starts[slot, batch.PLAYER] = places[start.player]
        self.starts[slot, batch.LEFT] = start.pellets.bit_count()
        self.first_planes[slot] = level.first().planes().reshape(-1)
        self.totals[slot] = level.max_score, level.pellets
        self.boards[slot] = level


_ARRAYS = ("moves", "toward", "away", "corners", "traits", "homes", "starts", "first_planes", "totals")


def ways(board: Board, table: Table) -> NDArray[Any]:
    """(cells, cells) uint16: how many equally good moves there are, and each as an action; 0 to stay."""
    cells = board.layout.cells
    coded = np.zeros((cells, cells), np.uint16)
    codes: dict[tuple[int, tuple[int, ...]], int] = {}
    for target, row in enumerate(table):
        for cell, options in enumerate(row):
            known = codes.get((cell, options))
            if known is None:
                known = codes[cell, options] = _code(board, cell, options)
            coded[target, cell] = known
    return coded


def _code(board: Board, cell: int, options: tuple[int, ...]) -> int:
    if options == (cell,):
        return 0
    code = len(options)
    for index, option in enumerate(options):
        action = next(action for action, leads in enumerate(board.moves) if leads[cell] == option)
        code |= action << (batch.COUNT_BITS + batch.MOVE_BITS * index)
    return code
