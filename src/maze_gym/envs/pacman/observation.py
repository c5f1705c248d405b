"""The symbolic observation of PacmanArray: planes of the board and three counters."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from gymnasium import spaces

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.layouts import MAX_GHOSTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.envs.pacman.rules import Board, State


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
    power_timer: NDArray[np.int32]  # (1,): steps of power left, 0..15
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


def legend() -> dict[str, dict[int, str]]:
    """What each number of the observation means."""
    return {
        "plane": {int(plane): plane.name.lower() for plane in Plane},
        "action": {int(action): action.name for action in rules.Action},
    }


class Planes:
    """The planes of one episode, changed in place step by step; ``copy`` hands out a fresh array.

    Args:
        board: the board.
        state: the first state.
        shape: (rows, cols) that the planes are padded to, below and to the right.
    """

    def __init__(self, board: Board, state: State, shape: tuple[int, int]) -> None:
        """Write the whole board once."""
        layout = board.layout
        rows, cols = shape
        self._shape = (len(Plane), rows, cols)
        self._at = tuple(row * cols + col for row, col in map(layout.position, range(layout.cells)))
        self._size = rows * cols
        self._bytes = bytearray(len(Plane) * self._size)
        self._bytes[: self._size] = bytes([1]) * self._size
        for cell, place in enumerate(self._at):
            self._bytes[place] = layout.walls >> cell & 1
            left = state.pellets >> cell & 1
            self._put(Plane.POWER if board.power >> cell & 1 else Plane.DOT, cell, left)
        self._put(Plane.PLAYER, state.player, 1)
        self._draw_ghosts((), state.ghosts, state.spent)
        self._link()

    def _link(self) -> None:
        self.copy = np.frombuffer(self._bytes, np.uint8).reshape(self._shape).copy

    def _put(self, plane: int, cell: int, value: int) -> None:
        self._bytes[plane * self._size + self._at[cell]] = value

    def _draw_ghosts(self, before: tuple[int, ...], after: tuple[int, ...], spent: int) -> None:
        data, at = self._bytes, self._at
        ghosts, paid = Plane.GHOSTS * self._size, Plane.SPENT * self._size
        for ghost in before:
            data[ghosts + at[ghost]] = data[paid + at[ghost]] = 0
        for index, ghost in enumerate(after):
            data[ghosts + at[ghost]] += 1
            data[paid + at[ghost]] += spent >> index & 1

    def update(self, before: State, after: State) -> None:
        """Change what a step changed."""
        data, at, size = self._bytes, self._at, self._size
        here = at[after[0]]
        if before[0] != after[0]:
            data[_PLAYER * size + at[before[0]]] = 0
            data[_PLAYER * size + here] = 1
        if before[2] != after[2]:  # pellets go only where the player is
            data[size + here] = data[_POWER * size + here] = 0
        if before[4] or after[4]:
            self._draw_ghosts(before[1], after[1], after[4])
        elif before[1] != after[1]:
            ghosts = _GHOSTS * size
            for cell in before[1]:
                data[ghosts + at[cell]] = 0
            for cell in after[1]:
                data[ghosts + at[cell]] += 1

    def __getstate__(self) -> dict[str, object]:
        """Without the array, which would not share its memory in a copy."""
        return {name: value for name, value in self.__dict__.items() if name != "copy"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Look at the copied bytes."""
        self.__dict__.update(state)
        self._link()


_PLAYER, _POWER, _GHOSTS = int(Plane.PLAYER), int(Plane.POWER), int(Plane.GHOSTS)  # plain: on the hot path
