"""Many mazes being played: the arrays of their envs, and what the compiled loops do with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.envs.maze.observation.egocentric import Eye
from maze_gym.envs.maze.vector.pool import LevelQueue, MazePool
from mazegen.core.rules import Action, State
from mazegen.vector import arrays, batch, env_states, outcome_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from maze_gym.envs.maze.levels.playable import PlayableMaze
    from maze_gym.envs.maze.levels.sources import LevelSource
    from mazegen.core.maze import Maze


class Outputs(NamedTuple):
    """What a step writes: three arrays, described in ``mazegen.vector.arrays``, and their parts by name."""

    shown: NDArray[np.uint8]
    numbers: NDArray[np.int64]
    flags: NDArray[np.int8]
    boards: NDArray[np.uint8]  # (envs, rows, cols, 3)
    inventories: NDArray[np.uint8]  # (envs, 6)
    positions: NDArray[np.int64]  # (envs, 2)
    facings: NDArray[np.int64]  # (envs,), as all that follow without a shape
    steps_left: NDArray[np.int64]
    rewards: NDArray[np.float64]
    events: NDArray[
        np.int8
    ]  # ``rules.Event`` of the last action, ``outcome_table.NO_EVENT`` before the first
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    masks: NDArray[np.int8]  # (envs, 6) 1 for each action that changes the state or succeeds
    views: NDArray[np.uint8]  # (envs, size, size, 3), or of no envs where nobody looks from within

    def __reduce__(self) -> tuple[object, ...]:
        """Copy the whole arrays; a copy of a part would be an array of its own."""
        return _of_whole, (self.shown, self.numbers, self.flags, self.boards.shape, self.views)


_NO_VIEWS = Eye().empty(0)


def _outputs(
    shown: NDArray[np.uint8], boards: NDArray[np.uint8], inventories: NDArray[np.uint8], eye: Eye | None
) -> Outputs:
    """Fresh arrays beside ``shown`` and its two parts, which are kept: they are written where they change."""
    envs = len(boards)
    numbers = np.empty(arrays.NUMBER_PARTS * envs, np.int64)
    flags = np.empty(arrays.FLAG_PARTS * envs, np.int8)
    views = _NO_VIEWS if eye is None else eye.empty(envs)
    return _with_parts(shown, numbers, flags, boards, inventories, views)


def _of_whole(
    shown: NDArray[np.uint8],
    numbers: NDArray[np.int64],
    flags: NDArray[np.int8],
    shape: tuple[int, ...],
    views: NDArray[np.uint8],
) -> Outputs:
    """Cut the parts out of the arrays; ``shape`` is that of the boards of all envs."""
    grids = math.prod(shape)
    inventories = shown[grids:].reshape(shape[0], arrays.COLORS)
    return _with_parts(shown, numbers, flags, shown[:grids].reshape(shape), inventories, views)


def _with_parts(
    shown: NDArray[np.uint8],
    numbers: NDArray[np.int64],
    flags: NDArray[np.int8],
    boards: NDArray[np.uint8],
    inventories: NDArray[np.uint8],
    views: NDArray[np.uint8],
) -> Outputs:
    envs = len(boards)
    return Outputs(
        shown,
        numbers,
        flags,
        boards,
        inventories,
        numbers[: 2 * envs].reshape(envs, 2),
        numbers[arrays.FACINGS_PART * envs : arrays.STEPS_LEFT_PART * envs],
        numbers[arrays.STEPS_LEFT_PART * envs : arrays.REWARDS * envs],
        numbers[arrays.REWARDS * envs :].view(np.float64),
        flags[:envs],
        flags[arrays.TERMINATED * envs : arrays.TRUNCATED * envs].view(np.bool_),
        flags[arrays.TRUNCATED * envs : arrays.MASKS * envs].view(np.bool_),
        flags[arrays.MASKS * envs :].reshape(envs, len(Action)),
        views,
    )


class MazeBatch:
    """Many envs over a pool of mazes.

    Args:
        envs: how many.
        source: where levels come from.
        pool: where they are kept; ``LevelQueue.slots_needed`` says how many slots it must have.
        success: reward of a success.
        alternates: two sets of arrays take turns. Otherwise all but those that are kept are fresh each time.
        eye: what looks at the grids from within; then nobody sees them from above.

    Attributes:
        now: what was written last.
        queue: which levels come next.
    """

    def __init__(
        self,
        envs: int,
        source: LevelSource,
        pool: MazePool,
        *,
        success: float,
        alternates: bool,
        eye: Eye | None = None,
    ) -> None:
        """Make room; nothing is played yet."""
        self.pool, self.queue = pool, LevelQueue(source, pool, envs)
        self._lists = self.queue.lists
        self._alternates, self._eye = alternates, eye
        self._states = np.full((envs, arrays.STATE_COLUMNS), arrays.NO_SLOT, np.int32)
        self._settings = _settings(pool, success, narrow_view=eye is not None)
        self._table = outcome_table.outcome_table(envs, pool.finish == "arrival")
        self._guests: list[int] = []  # slots of mazes that came with a reset
        self.now = self._other = self._first_outputs(envs)
        if alternates:
            self._other = self._first_outputs(envs)
        self._views = np.zeros_like(self.now.views)

    def step(self, actions: NDArray[np.int64], due: int) -> int:
        """Play an action in each env and write what is seen into ``now``; how many episodes are over.

        The first ``due`` envs of ``over`` begin an episode in place of their action.
        """
        self._turn()
        now, lists = self.now, self._lists
        lists[arrays.PENDING_RESETS, 0] = due
        ends, missing, views = batch.play(
            actions, self._settings, self._table, self.pool.boards, self.pool.mechanisms, self._states,
            lists, now.shown, now.numbers, now.flags,
        )  # fmt: skip
        if self._eye is not None:
            self._look_from_within(self._eye, lists[arrays.VIEW_CHANGED, :views])
        if missing:
            self.queue.supply(self.queue.needs_level[:missing].tolist(), self.slots)
        return ends

    def reset(self, envs: NDArray[np.int64], maze: Maze | None, options: Mapping[str, object]) -> None:
        """Begin an episode in some envs, of the level that is up next or of a maze; all is written anew.

        Args:
            envs: their numbers, each once.
            maze: what they play; it fits the board.
            options: ``start`` and ``facing`` as in ``GridWorldEnv.reset``.

        Raises:
            InvalidArgument: an option is out of range; or a level cannot be solved, and nothing says how long
                to try. Then nothing has begun.
        """
        queue, pool = self.queue, self.pool
        # Before anything can refuse: an env that was seeded has no level that is up next.
        queue.supply(envs.tolist(), self.slots)
        if maze is None:
            slots = queue.next_slot[envs]
            rows = [pool.start_of(pool.level(slot), options) for slot in slots.tolist()] if options else []
            self._turn()
            self.begin(envs)
            if rows:
                self._states[envs, : arrays.SLOT] = [row[: arrays.SLOT] for row in rows]
        else:
            guest = self._guest(maze, envs, options)
            self._turn()
            next_slot = queue.next_slot[envs]
            queue.next_slot[envs] = guest
            self._restart(envs)
            queue.next_slot[envs] = next_slot  # what was drawn is not used up by a guest
        self.look(self._lists[arrays.EVERYONE])

    def begin(self, envs: NDArray[np.int64]) -> None:
        """Begin the episodes that are up next in these envs."""
        queue = self.queue
        self._restart(envs)
        missing = env_states.line_up(envs, len(envs), self.pool.mechanisms, self._lists)
        if missing:
            queue.supply(queue.needs_level[:missing].tolist(), self.slots)

    def look(self, envs: NDArray[np.int64]) -> None:
        """Write what these envs see into ``now``."""
        pool, now = self.pool, self.now
        batch.observe(
            envs, self._settings, self._table, pool.boards, pool.mechanisms, self._states, self._lists,
            now.numbers, now.flags,
        )  # fmt: skip
        if self._eye is not None:
            self._look_from_within(self._eye, envs)

    @property
    def over(self) -> NDArray[np.int64]:
        """(envs,) after a step, its first so many entries name the envs whose episode is over."""
        row: NDArray[np.int64] = self._lists[arrays.DONE]
        return row

    @property
    def optima(self) -> NDArray[np.int64]:
        """(envs,) actions of a shortest plan from the start, -1 where there is none; a fresh array."""
        return self._states[:, arrays.PLAN_LENGTH].astype(np.int64)

    @property
    def slots(self) -> NDArray[np.int32]:
        """(envs,) which maze of the pool is played."""
        return self._states[:, arrays.SLOT]

    def level(self, env: int) -> PlayableMaze:
        """The maze that an env plays."""
        return self.pool.level(int(self.slots[env]))

    def state(self, env: int) -> State:
        """The full state of an env, as ``rules.step`` of its own maze knows it."""
        pose, *masks = self._states[env, : arrays.STEPS_LEFT].tolist()
        cell, facing = divmod(pose, outcome_table.FACINGS)
        row, col = divmod(cell, self.pool.shape[1])
        return State(row * self.level(env).maze.cols + col, facing, *masks)

    def _look_from_within(self, eye: Eye, envs: NDArray[np.int64]) -> None:
        """Write all views into ``now``; these envs may see something else than before."""
        now = self.now
        eye.look(envs, now.boards, now.positions, now.facings, self._views)
        np.copyto(now.views, self._views)

    def _restart(self, envs: NDArray[np.int64]) -> None:
        pool, now = self.pool, self.now
        env_states.restart(
            envs, len(envs), 0, self._settings, pool.boards, pool.mechanisms, self._states, self._lists,
            now.shown,
        )  # fmt: skip
        now.events[envs] = outcome_table.NO_EVENT

    def _first_outputs(self, envs: int) -> Outputs:
        shape = (envs, *self.pool.shape, arrays.NUMBERS)
        return _of_whole(
            np.zeros(math.prod(shape) + envs * arrays.COLORS, np.uint8),
            np.empty(arrays.NUMBER_PARTS * envs, np.int64),
            np.empty(arrays.FLAG_PARTS * envs, np.int8),
            shape,
            _NO_VIEWS if self._eye is None else self._eye.empty(envs),
        )

    def _turn(self) -> None:
        """Another set of arrays becomes ``now``; what it keeps is brought up to date."""
        before = self.now
        if self._alternates:
            self.now, self._other = self._other, before
            env_states.catch_up(self._lists, before.shown, self.now.shown)
        else:
            self.now = _outputs(before.shown, before.boards, before.inventories, self._eye)

    def _guest(self, maze: Maze, envs: NDArray[np.int64], options: Mapping[str, object]) -> int:
        """A slot for a maze that comes from outside, where nobody else plays another one."""
        pool = self.pool
        for slot in self._guests:
            level = pool.levels[slot]
            if level is not None and level.maze is maze:
                pool.set_start(slot, pool.start_of(level, options))
                return slot
        others = set(np.delete(self.slots, envs).tolist())
        free = [slot for slot in self._guests if slot not in others]
        if not free:
            free = [pool.add_slots(1)]
            self._guests += free
        pool.fill(free[0], maze, options=options)
        return free[0]


def _settings(pool: MazePool, success: float, *, narrow_view: bool) -> NDArray[np.int64]:
    """What all envs of a pool share, see ``mazegen.vector.arrays``."""
    settings = np.zeros(arrays.CELLS + 2 * pool.cells, np.int64)
    settings[: arrays.ARRIVAL] = pool.strides
    settings[arrays.ARRIVAL], settings[arrays.NARROW_VIEW] = pool.finish == "arrival", narrow_view
    settings[arrays.SUCCESS : arrays.SUCCESS + 1].view(np.float64)[0] = success
    places = np.divmod(np.arange(pool.cells), pool.shape[1])
    settings[arrays.CELLS :] = np.stack(places, axis=1).reshape(-1)
    return settings
