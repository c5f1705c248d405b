"""Many mazes being played: the arrays of a fleet of envs, and what the compiled loops do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maze_gym.envs.maze.observation.egocentric import Eye
from maze_gym.envs.maze.vector.pool import LevelQueue, MazePool
from mazegen.core.rules import Action, State
from mazegen.vector import batch
from mazegen.vector import env_states as fleet
from mazegen.vector import outcome_table as foresight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from maze_gym.envs.maze.levels.playable import PlayableMaze
    from maze_gym.envs.maze.levels.sources import LevelSource
    from mazegen.core.maze import Maze


class Outputs(NamedTuple):
    """Arrays that a step writes; the first eleven in the order in which ``batch.play`` takes them."""

    boards: NDArray[np.uint8]  # (envs, rows, cols, 3)
    inventories: NDArray[np.uint8]  # (envs, 6)
    optima: NDArray[np.int64]  # actions of a shortest plan from the start, -1 where there is none
    positions: NDArray[np.int64]  # (envs, 2)
    facings: NDArray[np.int64]  # (envs,), as all that follow without a shape
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    masks: NDArray[np.int8]  # (envs, 6) 1 for each action that changes the state or succeeds
    steps_left: NDArray[np.int64]
    events: NDArray[np.int8]  # ``rules.Event`` of the last action, ``NO_EVENT`` before the first
    views: NDArray[np.uint8]  # (envs, size, size, 3), or of no envs where nobody looks from within


_KEPT = 3  # the first so many are written where something changes, all others anew
_WRITTEN_BY_PLAY = 11
_NO_VIEWS = Eye().empty(0)


def _outputs(
    boards: NDArray[np.uint8], inventories: NDArray[np.uint8], optima: NDArray[np.int64], eye: Eye | None
) -> Outputs:
    """Fresh arrays beside those that are kept."""
    envs = len(boards)
    return Outputs(
        boards,
        inventories,
        optima,
        np.empty((envs, 2), np.int64),
        np.empty(envs, np.int64),
        np.empty(envs, np.float64),
        np.empty(envs, np.bool_),
        np.empty(envs, np.bool_),
        np.empty((envs, len(Action)), np.int8),
        np.empty(envs, np.int64),
        np.empty(envs, np.int8),
        _NO_VIEWS if eye is None else eye.empty(envs),
    )


def _flat(outputs: Outputs) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
    """Those that are kept, with a row of numbers for each board."""
    boards = outputs.boards
    return boards.reshape(len(boards), -1), outputs.inventories, outputs.optima


class MazeBatch:
    """A fleet of envs over a pool of mazes.

    Args:
        envs: how many.
        source: where levels come from.
        pool: where they are kept; ``LevelQueue.slots_needed`` says how many slots it must have.
        success: reward of a success.
        alternates: two sets of arrays take turns. Otherwise all but those that are kept are fresh each time.
        eye: what looks at the grids from within; then nobody sees them from above.

    Attributes:
        now: what was written last.
        over: (envs,) after a step, its first so many entries name the envs whose episode is over.
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
        rows, cols = pool.shape
        self.pool, self.queue = pool, LevelQueue(source, pool, envs)
        self.everyone = np.arange(envs)
        self.over = np.zeros(envs, np.int64)
        self._alternates, self._eye = alternates, eye
        self._fleet = np.full((envs, fleet.FLEET_COLUMNS), fleet.NO_SLOT, np.int32)
        self._changed, self._touched = np.zeros(envs, np.int64), np.zeros(envs, np.bool_)
        self._asking, self._stirred = np.zeros(envs, np.int64), np.zeros(envs if eye else 0, np.int64)
        self._cells = np.stack(np.divmod(np.arange(rows * cols), cols), axis=1)
        self._arrival = pool.finish == "arrival"
        self._table = foresight.foretell(envs, self._arrival)
        self._guests: list[int] = []  # slots of mazes that came with a reset
        self.now = self._other = self._first_outputs(envs)
        if alternates:
            self._other = self._first_outputs(envs)
        self._views = np.zeros_like(self.now.views)
        queue = self.queue
        # In the order in which ``batch.play`` takes them; gathered once, for that takes as long as playing.
        self._world: tuple[Any, ...] = (
            self.everyone, self._arrival, success, alternates, pool.strides, self._cells, self._table
        )  # fmt: skip
        self._arrays: tuple[Any, ...] = (
            queue.is_ready, self._fleet, queue.draws, queue.drawn, queue.upcoming, queue.wanting,
            self.over, self._changed, self._stirred, self._asking, self._touched,
        )  # fmt: skip

    def step(self, actions: NDArray[np.int64], due: int) -> int:
        """Play an action in each env and write what is seen into ``now``; how many episodes are over.

        The first ``due`` envs of ``over`` begin an episode in place of their action.
        """
        before = self._turn()
        rest: tuple[Any, ...] = (*self._arrays, *before[:_KEPT], *self.now[:_WRITTEN_BY_PLAY])
        ends, missing, stirs = batch.play(actions, due, *self._world, *self.pool.arrays, *rest)
        if self._eye is not None:
            self._look_from_within(self._eye, self._stirred[:stirs])
        if missing:
            self.queue.supply(self.queue.wanting[:missing].tolist(), self.slots)
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
            slots = queue.upcoming[envs]
            rows = [pool.start_of(pool.level(slot), options) for slot in slots.tolist()] if options else []
            self._turn_and_catch_up()
            self.begin(envs)
            if rows:
                self._fleet[envs, : fleet.SLOT] = [row[: fleet.SLOT] for row in rows]
                self.now.optima[envs] = self._fleet[envs, fleet.PLAN]
        else:
            guest = self._guest(maze, envs, options)
            self._turn_and_catch_up()
            upcoming = queue.upcoming[envs]
            queue.upcoming[envs] = guest
            self._restart(envs)
            queue.upcoming[envs] = upcoming  # what was drawn is not used up by a guest
        self.look(self.everyone)

    def begin(self, envs: NDArray[np.int64]) -> None:
        """Begin the episodes that are up next in these envs."""
        queue = self.queue
        self._restart(envs)
        missing = fleet.line_up(
            envs, len(envs), queue.is_ready, queue.draws, queue.drawn, queue.upcoming, queue.wanting
        )
        if missing:
            queue.supply(queue.wanting[:missing].tolist(), self.slots)

    def look(self, envs: NDArray[np.int64]) -> None:
        """Write what these envs see into ``now``."""
        pool, now = self.pool, self.now
        batch.observe(
            envs, len(envs), self._arrival, pool.strides, self._cells, self._table, pool.situations,
            pool.codes, pool.links, self._fleet, self._asking, now.positions, now.facings,
            now.masks, now.steps_left,
        )  # fmt: skip
        if self._eye is not None:
            self._look_from_within(self._eye, envs)

    @property
    def slots(self) -> NDArray[np.int32]:
        """(envs,) which maze of the pool is played."""
        return self._fleet[:, fleet.SLOT]

    def level(self, env: int) -> PlayableMaze:
        """The maze that an env plays."""
        return self.pool.level(int(self.slots[env]))

    def state(self, env: int) -> State:
        """The full state of an env, as ``rules.step`` of its own maze knows it."""
        pose, *masks = self._fleet[env, : fleet.LEFT].tolist()
        cell, facing = divmod(pose, foresight.FACINGS)
        row, col = divmod(cell, self.pool.shape[1])
        return State(row * self.level(env).maze.cols + col, facing, *masks)

    def _look_from_within(self, eye: Eye, envs: NDArray[np.int64]) -> None:
        """Write all views into ``now``; these envs may see something else than before."""
        now = self.now
        eye.look(envs, now.boards, now.positions, now.facings, self._views)
        np.copyto(now.views, self._views)

    def _restart(self, envs: NDArray[np.int64]) -> None:
        pool, now = self.pool, self.now
        fleet.restart(
            envs, len(envs), 0, pool.starts, pool.first_grids, pool.first_held, self._fleet,
            self.queue.upcoming, *_flat(now), self._touched,
        )  # fmt: skip
        now.events[envs] = foresight.NO_EVENT

    def _first_outputs(self, envs: int) -> Outputs:
        boards = np.zeros((envs, *self.pool.shape, fleet.NUMBERS), np.uint8)
        return _outputs(boards, np.zeros((envs, fleet.COLORS), np.uint8), np.zeros(envs, np.int64), self._eye)

    def _turn(self) -> Outputs:
        """Another set of arrays becomes ``now``; the one that was."""
        before = self.now
        if self._alternates:
            self.now, self._other = self._other, before
        else:
            self.now = _outputs(before.boards, before.inventories, before.optima, self._eye)
        return before

    def _turn_and_catch_up(self) -> None:
        before = self._turn()
        if self._alternates:
            fleet.catch_up(self._touched, *_flat(before), *_flat(self.now))

    def _guest(self, maze: Maze, envs: NDArray[np.int64], options: Mapping[str, object]) -> int:
        """A slot for a maze that comes from outside, where nobody else plays another one."""
        pool = self.pool
        for slot in self._guests:
            level = pool.levels[slot]
            if level is not None and level.maze is maze:
                pool.starts[slot] = pool.start_of(level, options)
                return slot
        others = set(np.delete(self.slots, envs).tolist())
        free = [slot for slot in self._guests if slot not in others]
        if not free:
            free = [pool.add_slots(1)]
            self._guests += free
        pool.fill(free[0], maze, options=options)
        return free[0]
