"""The symbolic observation of PacmanArray: planes of the board and three counters."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from gymnasium import spaces

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.layouts import MAX_GHOSTS

if TYPE_CHECKING:
    from collections.abc import Callable

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


@cache
def counter(number: int) -> Callable[[], NDArray[np.int32]]:
    """Makes (1,) int32 arrays that hold a number; twice as fast as making them from the number."""
    return np.array((number,), np.int32).copy


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
        size = rows * cols
        places = [row * cols + col for row, col in map(layout.position, range(layout.cells))]
        # By plane and cell, where its number is kept.
        self._at = tuple(tuple(plane * size + place for place in places) for plane in range(len(Plane)))
        self._bytes = bytearray(len(Plane) * size)
        self._bytes[:size] = bytes([1]) * size
        for cell in range(layout.cells):
            self._bytes[places[cell]] = layout.walls >> cell & 1
            kind = Plane.POWER if board.power >> cell & 1 else Plane.DOT
            self._bytes[self._at[kind][cell]] = state.pellets >> cell & 1
        self._bytes[self._at[Plane.PLAYER][state.player]] = 1
        self._draw_ghosts((), state.ghosts, state.spent)
        self._link()

    def fork(self) -> Planes:
        """The same planes, to be changed apart from these."""
        other = Planes.__new__(Planes)
        other.__dict__.update(self.__dict__)
        other._bytes = self._bytes[:]  # noqa: SLF001 - its own class
        other._link()  # noqa: SLF001 - its own class
        return other

    def _link(self) -> None:
        self.copy = np.frombuffer(self._bytes, np.uint8).reshape(self._shape).copy

    def _draw_ghosts(self, before: tuple[int, ...], after: tuple[int, ...], spent: int) -> None:
        data, ghosts, paid = self._bytes, self._at[Plane.GHOSTS], self._at[Plane.SPENT]
        for ghost in before:
            data[ghosts[ghost]] = data[paid[ghost]] = 0
        for index, ghost in enumerate(after):
            data[ghosts[ghost]] += 1
            data[paid[ghost]] += spent >> index & 1

    def update(self, before: State, after: State) -> None:
        """Change what a step changed."""
        was, ghosts_were, pellets_were, _, spent_was, _, _, _ = before
        here, ghosts, pellets, _, spent, _, _, _ = after
        data = self._bytes
        _, dots_at, power_at, ghosts_at, _, player_at = self._at
        data[player_at[was]] = 0
        data[player_at[here]] = 1
        if pellets != pellets_were:  # only where the player is
            data[dots_at[here]] = data[power_at[here]] = 0
        if spent or spent_was:
            self._draw_ghosts(ghosts_were, ghosts, spent)
            return
        for cell in ghosts_were:
            data[ghosts_at[cell]] = 0
        for cell in ghosts:
            data[ghosts_at[cell]] += 1

    def __getstate__(self) -> dict[str, object]:
        """Without the array, which would not share its memory in a copy."""
        return {name: value for name, value in self.__dict__.items() if name != "copy"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Look at the copied bytes."""
        self.__dict__.update(state)
        self._link()
