"""The symbolic observation of PacmanArray: planes of the board and three counters."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from gymnasium import spaces

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules.layout import MAX_GHOSTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maze_gym.envs.pacman.rules import Board


class Plane(IntEnum):
    """First index of ``planes``; each is a board of small numbers."""

    WALL = 0  # 1 where nobody can be; also beyond the board, where it is padded
    DOT = 1
    POWER = 2
    GHOSTS = 3  # how many
    SPENT = 4  # how many of them pay nothing until the next power pellet
    PLAYER = 5


class Observation(TypedDict):
    """One observation; every array is fresh."""

    planes: NDArray[np.uint8]  # (6, rows, cols), see Plane
    power_timer: NDArray[np.int32]  # (1,): coming steps in which ghosts can be eaten, 0..15
    score: NDArray[np.int32]  # (1,): points so far
    steps: NDArray[np.int32]  # (1,): actions taken


def observation_space(shape: tuple[int, int], max_score: int, max_steps: int) -> spaces.Dict:
    """The space of observations of boards padded to ``shape``, with true bounds on every number."""
    highest = np.ones((len(Plane), *shape), np.uint8)
    highest[[Plane.GHOSTS, Plane.SPENT]] = MAX_GHOSTS
    return spaces.Dict(
        {
            "planes": spaces.Box(np.zeros_like(highest), highest, dtype=np.uint8),
            "power_timer": spaces.Box(0, rules.POWER_STEPS, (1,), np.int32),
            "score": spaces.Box(0, max_score, (1,), np.int32),
            "steps": spaces.Box(0, max_steps, (1,), np.int32),
        }
    )


class _Counters(dict[int, "Callable[[], NDArray[np.int32]]"]):
    """By number, what makes fresh (1,) int32 arrays that hold it: copying is twice as fast as converting."""

    def __missing__(self, number: int) -> Callable[[], NDArray[np.int32]]:
        make = np.array((number,), np.int32).copy
        if len(self) < COUNTERS_KEPT:
            self[number] = make
        return make


COUNTERS_KEPT = 1 << 14  # 4 MB; more numbers than any game of this suite counts to
counters = _Counters()


def legend() -> dict[str, dict[int, str]]:
    """What each number of the observation means."""
    return {
        "plane": {int(plane): plane.name.lower() for plane in Plane},
        "action": {int(action): action.name for action in rules.Action},
    }


class Planes:
    """Where the planes of a board are kept in one run of bytes, and what is written there.

    Args:
        board: the board.
        shape: (rows, cols) that the planes are padded to, below and to the right.

    Attributes:
        shape: (6, rows, cols) of the array that the bytes are.
        pellet: per cell, the place of the pellet or power pellet that may lie there.
        figures: the places of ghosts, spent ghosts and the player: the last three planes.
    """

    def __init__(self, board: Board, shape: tuple[int, int]) -> None:
        """Write what never changes, and look up where everything else is kept."""
        layout = board.layout
        rows, cols = shape
        self.shape = (len(Plane), rows, cols)
        self._size = size = rows * cols
        self._places = [row * cols + col for row, col in map(layout.position, range(layout.cells))]
        self.pellet = tuple(
            place + size * (Plane.POWER if board.power >> cell & 1 else Plane.DOT)
            for cell, place in enumerate(self._places)
        )
        self._spent = tuple(place + size * Plane.SPENT for place in self._places)
        self.figures = slice(Plane.GHOSTS * size, len(Plane) * size)
        self._empty = bytearray(len(Plane) * size)
        self._empty[:size] = bytes([1]) * size
        for cell, place in enumerate(self._places):
            self._empty[place] = layout.walls >> cell & 1

    def of_pellets(self, pellets: int) -> bytearray:
        """All bytes of a board with so much left to eat and nobody on it."""
        data = self._empty.copy()
        for cell, place in enumerate(self.pellet):
            data[place] = pellets >> cell & 1
        return data

    def of_figures(self, player: int, ghosts: tuple[int, ...]) -> bytes:
        """The bytes of the last three planes, with no ghost spent."""
        places = self._places
        data = bytearray(3 * self._size)
        for ghost in ghosts:
            data[places[ghost]] += 1
        data[2 * self._size + places[player]] = 1
        return bytes(data)

    def spend(self, data: bytearray, ghosts: tuple[int, ...], spent: int) -> None:
        """Mark ghosts as spent in bytes in which none is."""
        for index, ghost in enumerate(ghosts):
            data[self._spent[ghost]] += spent >> index & 1
