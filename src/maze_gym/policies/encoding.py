"""What a learner is shown: the observation of a world as few plain arrays, one row an env.

stable-baselines3 takes every three-dimensional box for a picture, so a maze becomes one code a cell, pose and
keys, and the observation of any other world one row of numbers from 0 to 1. The same
function serves a batch in training and a single env in an episode.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from gymnasium import spaces

from maze_gym.errors import InvalidArgument
from mazegen.core.maze import PALETTE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

Arrays: TypeAlias = "dict[str, NDArray[Any]]"

MAZE_ENTRIES = {"grid", "position", "facing", "inventory"}
COLORS, STATES = len(PALETTE) + 1, 2  # how many colours, "none" among them, and states a cell can show
CELLS, AGENT, INVENTORY, NUMBERS = "cells", "agent", "inventory", "numbers"
MAX_SIDE = 256  # rows and columns are counted in bytes


class Encoding(ABC):
    """Turns batches of observations of one space into batches of another.

    Attributes:
        kind: what it is called in a run's settings.
        space: of one encoded observation: a ``Dict`` of one-dimensional boxes with true bounds.
    """

    kind: str
    space: spaces.Dict

    @abstractmethod
    def encode(self, batch: Mapping[str, Any]) -> Arrays:
        """Encode observations with a leading axis of envs; the result shares no memory with them."""

    def encode_one(self, observation: Mapping[str, Any]) -> Arrays:
        """Encode the observation of one env; no axis is added."""
        batch = {name: np.asarray(value)[None] for name, value in observation.items()}
        return {name: value[0] for name, value in self.encode(batch).items()}


class MazeEncoding(Encoding):
    """A maze: ``cells`` (rows * cols,) one code a cell, ``agent`` (row, col, facing), ``inventory`` (6,).

    A code is ``(object * COLORS + colour) * STATES + state`` in the numbers of ``GridWorldEnv.legend()``.

    Args:
        space: of ``GridWorldEnv``.

    Raises:
        InvalidArgument: the board has too many rows or columns.
    """

    kind = "maze"

    def __init__(self, space: spaces.Dict) -> None:
        """Read the size of the board."""
        grid, inventory = space["grid"], space["inventory"]
        if not isinstance(grid, spaces.Box) or not isinstance(inventory, spaces.Box):
            msg = f"a maze observes boxes 'grid' and 'inventory', got {grid} and {inventory}"
            raise InvalidArgument(msg)
        rows, cols = int(grid.shape[0]), int(grid.shape[1])
        if max(rows, cols) > MAX_SIDE:
            msg = f"boards of up to {MAX_SIDE} rows and columns can be learned, got {rows} x {cols}"
            raise InvalidArgument(msg)
        self.shape = rows, cols
        highest = (int(grid.high[..., 0].max()) * COLORS + COLORS) * STATES - 1  # 139, within a byte
        corner = np.array([rows - 1, cols - 1, 3], np.uint8)
        self.space = spaces.Dict(
            {
                CELLS: spaces.Box(0, highest, (rows * cols,), np.uint8),
                AGENT: spaces.Box(np.zeros_like(corner), corner, dtype=np.uint8),
                INVENTORY: spaces.Box(inventory.low, inventory.high, dtype=np.uint8),
            }
        )

    def encode(self, batch: Mapping[str, Any]) -> Arrays:
        """Encode observations; see the class."""
        grid = batch["grid"]
        cells = (grid[..., 0] * COLORS + grid[..., 1]) * STATES + grid[..., 2]
        agent = np.empty((len(grid), 3), np.uint8)
        agent[:, :2], agent[:, 2] = batch["position"], batch["facing"]
        return {
            CELLS: cells.reshape(len(grid), -1),
            AGENT: agent,
            INVENTORY: np.array(batch["inventory"], np.uint8),
        }


class FlatEncoding(Encoding):
    """Any world of bounded boxes and discrete entries: ``numbers`` (n,) float32 from 0 to 1.

    Boxes are scaled by their bounds, discrete entries become one-hot. So what an observation becomes depends
    on the space, and spaces whose ``entries`` are equal encode alike.

    Args:
        space: of the world.

    Attributes:
        numbers: how many there are.
        entries: what the numbers are made of, by name, as plain JSON data.

    Raises:
        InvalidArgument: an entry is of another kind, or a box has no bounds.
    """

    kind = "flat"

    def __init__(self, space: spaces.Dict) -> None:
        """Measure the entries."""
        self._space = space
        self.entries: dict[str, dict[str, Any]] = {}
        size = 0
        for name, entry in space.spaces.items():
            if isinstance(entry, spaces.Discrete):
                size += int(entry.n)
                self.entries[name] = {"choices": int(entry.n), "first": int(entry.start)}
            elif isinstance(entry, spaces.MultiDiscrete):
                size += int(entry.nvec.sum())
                self.entries[name] = {"choices": entry.nvec.tolist()}
            elif isinstance(entry, spaces.Box) and entry.is_bounded():
                size += int(np.prod(entry.shape))
                low, high = _bounds(entry.low), _bounds(entry.high)
                self.entries[name] = {"shape": list(entry.shape), "low": low, "high": high}
            else:
                msg = f"entry {name!r} of the observation is {entry}; only bounded numbers can be learned"
                raise InvalidArgument(msg)
        self.numbers = size
        self.space = spaces.Dict({NUMBERS: spaces.Box(0, 1, (size,), np.float32)})

    def encode(self, batch: Mapping[str, Any]) -> Arrays:
        """Encode observations; see the class."""
        parts: list[NDArray[np.float32]] = []
        for name, entry in self._space.spaces.items():
            values = np.asarray(batch[name])
            if isinstance(entry, spaces.Discrete):
                parts.append(np.eye(int(entry.n), dtype=np.float32)[values - entry.start])
            elif isinstance(entry, spaces.MultiDiscrete):
                digits = values.reshape(len(values), -1)
                parts += [
                    np.eye(int(count), dtype=np.float32)[digits[:, index]]
                    for index, count in enumerate(entry.nvec.reshape(-1))
                ]
            elif isinstance(entry, spaces.Box):
                span = np.maximum(entry.high.astype(np.float32) - entry.low, 1)
                scaled = (values.astype(np.float32) - entry.low) / span
                parts.append(scaled.reshape(len(values), -1).astype(np.float32))
        return {NUMBERS: np.concatenate(parts, axis=1)}


def _bounds(values: NDArray[Any]) -> Any:  # noqa: ANN401 - a number, or lists of lists of them
    """One number where all are the same; else nested lists, of length 1 along an axis without change."""
    for axis in range(values.ndim):
        first = values.swapaxes(0, axis)[:1].swapaxes(0, axis)
        if (values == first).all():
            values = first
    return values.item() if values.size == 1 else values.tolist()


def encoding_for(space: spaces.Space[Any], kind: str | None = None) -> Encoding:
    """The encoding of a world's observations; mazes have one of their own.

    Raises:
        InvalidArgument: the space cannot be encoded, or not in this kind.
    """
    if not isinstance(space, spaces.Dict):
        msg = f"only worlds that observe a Dict can be learned, got {space}"
        raise InvalidArgument(msg)
    kinds = (MazeEncoding.kind, FlatEncoding.kind)
    if kind is not None and kind not in kinds:
        msg = f"kind of encoding must be None or one of {', '.join(kinds)}, got {kind!r}"
        raise InvalidArgument(msg)
    is_maze = set(space.spaces) == MAZE_ENTRIES
    if kind == MazeEncoding.kind and not is_maze:
        msg = f"this needs a maze, which observes {', '.join(sorted(MAZE_ENTRIES))}; got {', '.join(space)}"
        raise InvalidArgument(msg)
    return MazeEncoding(space) if is_maze and kind != FlatEncoding.kind else FlatEncoding(space)
