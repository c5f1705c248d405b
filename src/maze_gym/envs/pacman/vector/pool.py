"""The boards of a vector env as arrays, one slot a board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maze_gym.envs.pacman.levels.playable import PlayableBoard, playable
from maze_gym.envs.pacman.rules import CORNERS, HOMES, MIND, WAYS, Action
from maze_gym.envs.pacman.rules.layout import MAX_GHOSTS
from maze_gym.envs.pacman.vector import batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.pacman.rules import Board

LEAST_KEPT = 64  # boards that are kept at least; tables of a board of 12 x 12 cells take 80 KB
_ACTIONS = len(Action)


class BoardPool:
    """Slots with boards laid out on one size; a board that is played again is found again.

    Args:
        shape: (rows, cols) that all boards are laid out on.
        envs: how many play on them; no board that one of them plays is given up.

    Attributes:
        tables: (slots, rows, columns) the table of a board, see ``rules``; columns are cells, or at least 8.
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
        self.tables = np.zeros((1, WAYS + 2 * cells, max(cells, MAX_GHOSTS)), np.int16)
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
        table = self.tables[slot]
        for row in range(_ACTIONS):
            table[row, places] = places[list(board.table[row])]
        for row in (HOMES, CORNERS):
            table[row, : len(board.table[row])] = places[list(board.table[row])]
        table[MIND, : len(board.table[MIND])] = board.mind.flee, board.mind.scatter, -board.mind.random_ties
        ways = np.array(board.table[WAYS:])
        if not board.mind.random_ties:
            ways = places[ways]
        rows = WAYS + 2 * np.repeat(places, 2) + np.tile((0, 1), len(places))
        table[np.ix_(rows, places)] = ways
        self.starts[slot] = 0
        self.starts[slot, batch.PLAYER] = places[start.player]
        self.starts[slot, batch.LEFT] = start.pellets.bit_count()
        self.starts[slot, batch.GHOSTS] = len(board.homes)
        self.first_planes[slot] = level.first(1).planes().reshape(-1)
        self.totals[slot] = level.max_score, level.pellets
        self.boards[slot] = level


_ARRAYS = ("tables", "starts", "first_planes", "totals")
