"""Many mazes being played: the arrays of a fleet of envs, and what the compiled loops do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maze_gym.envs.maze.egocentric import Eye
from maze_gym.envs.maze.pool import LevelQueue, MazePool
from mazegen import batch, fleet
from mazegen.rules import Action, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from maze_gym.envs.maze.playable import PlayableMaze
    from maze_gym.envs.maze.sources import LevelSource
    from mazegen.maze import Maze


class Outputs(NamedTuple):
    """Arrays that a step writes; the first nine in the order in which ``batch.play`` takes them."""

    grids: NDArray[np.uint8]  # (envs, cells * 3)
    positions: NDArray[np.int64]  # (envs, 2)
    facings: NDArray[np.int64]  # (envs,), as all that follow without a shape
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    masks: NDArray[np.int8]  # (envs, 6) 1 for each action that changes the state or succeeds
    steps_left: NDArray[np.int64]
    events: NDArray[np.int8]  # ``rules.Event`` of the last action, ``fleet.NO_EVENT`` before the first
    inventories: NDArray[np.uint8]  # (envs, 6)
    optima: NDArray[np.int64]  # actions of a shortest plan from the start, -1 where there is none
    views: NDArray[np.uint8]  # (envs, size, size, 3), or of no envs where nobody looks from within


_WRITTEN_BY_PLAY = 9
_NO_VIEWS = Eye().empty(0)


def _outputs(grids: NDArray[np.uint8], eye: Eye | None) -> Outputs:
    envs = len(grids)
    return Outputs(
        grids,
        np.empty((envs, 2), np.int64),
        np.empty(envs, np.int64),
        np.empty(envs, np.float64),
        np.empty(envs, np.bool_),
        np.empty(envs, np.bool_),
        np.empty((envs, len(Action)), np.int8),
        np.empty(envs, np.int64),
        np.empty(envs, np.int8),
        np.empty((envs, fleet.COLORS), np.uint8),
        np.empty(envs, np.int64),
        _NO_VIEWS if eye is None else eye.empty(envs),
    )


class MazeBatch:
    """A fleet of envs over a pool of mazes.

    Args:
        envs: how many.
        source: where levels come from.
        pool: where they are kept; ``LevelQueue.slots_needed`` says how many slots it must have.
        success: reward of a success.
        alternates: two sets of arrays take turns. Otherwise all but the grids are fresh each time.
        eye: what looks at the grids from within; then nobody sees them from above.

    Attributes:
        now: what was written last.
        over: (envs,) after a step, its first so many entries name the envs whose episode is over.
        queue: which levels come next.
        slots: (envs,) which maze of the pool is played.
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
        self.slots = np.full(envs, fleet.NO_SLOT, np.int64)
        self.over = np.zeros(envs, np.int64)
        self._alternates, self._eye = alternates, eye
        self._two_grids = alternates and eye is None
        self._fleet = np.zeros((envs, fleet.FLEET_COLUMNS), np.int32)
        self._held = np.zeros((envs, fleet.COLORS), np.uint8)
        self._optima = np.zeros(envs, np.int64)
        self._changed, self._touched = np.zeros(envs, np.int64), np.zeros(envs, np.bool_)
        self._stirred = np.zeros(envs, np.int64)
        self._strides = np.array([-cols, 1, cols, -1], np.int64)
        self._cells = np.stack(np.divmod(np.arange(rows * cols), cols), axis=1)
        self._arrival = pool.finish == "arrival"
        self._guests: list[int] = []  # slots of mazes that came with a reset
        cells = rows * cols * fleet.NUMBERS
        self.now = self._other = _outputs(np.zeros((envs, cells), np.uint8), eye)
        if alternates:
            self._other = _outputs(self.now.grids.copy() if self._two_grids else self.now.grids, eye)
        self._views = np.zeros_like(self.now.views)
        queue = self.queue
        # In the order in which ``batch.play`` takes them; gathered once, for that takes as long as playing.
        self._world: tuple[Any, ...] = (
            self.everyone, self._arrival, success, self._two_grids, self._strides, self._cells
        )  # fmt: skip
        self._arrays: tuple[Any, ...] = (
            queue.is_ready, self._fleet, self.slots, self._optima, queue.draws, queue.drawn, queue.upcoming,
            queue.wanting, self.over, self._changed, self._stirred, self._touched, self._held,
        )  # fmt: skip

    def step(self, actions: NDArray[np.int64], due: int) -> int:
        """Play an action in each env and write what is seen into ``now``; how many episodes are over.

        The first ``due`` envs of ``over`` begin an episode in place of their action.
        """
        before = self._turn()
        rest: tuple[Any, ...] = (*self._arrays, before, *self.now[:_WRITTEN_BY_PLAY])
        ends, missing, stirs = batch.play(actions, due, *self._world, *self.pool.arrays, *rest)
        self._look_further(self._stirred[:stirs])
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
        if maze is None:
            queue.supply(envs.tolist(), self.slots)
            slots = queue.upcoming[envs]
            rows = [pool.start_of(pool.level(slot), options) for slot in slots.tolist()] if options else []
            self._turn_and_catch_up()
            self.begin(envs)
            for env, (row, plan) in zip(envs, rows, strict=bool(rows)):
                self._fleet[env], self._optima[env] = row, plan
        else:
            guest = self._guest(maze, envs, options)
            self._turn_and_catch_up()
            upcoming = queue.upcoming[envs]
            queue.upcoming[envs] = guest
            self._restart(envs)
            queue.upcoming[envs] = upcoming  # what was drawn is not used up by a guest
            queue.supply(envs.tolist(), self.slots)
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
            envs, len(envs), self._arrival, self._strides, self._cells, pool.codes, pool.links, self._fleet,
            self.slots, now.positions, now.facings, now.masks, now.steps_left,
        )  # fmt: skip
        self._look_further(envs)

    def level(self, env: int) -> PlayableMaze:
        """The maze that an env plays."""
        return self.pool.level(int(self.slots[env]))

    def state(self, env: int) -> State:
        """The full state of an env, as ``rules.step`` of its own maze knows it."""
        cell, *rest = self._fleet[env, : fleet.STEPS].tolist()
        row, col = divmod(cell, self.pool.shape[1])
        return State(row * self.level(env).maze.cols + col, *rest)

    def _look_further(self, envs: NDArray[np.int64]) -> None:
        """Write what is kept up to date apart from ``now``; these envs may see something else than before."""
        now = self.now
        np.copyto(now.inventories, self._held)
        np.copyto(now.optima, self._optima)
        if self._eye is not None:
            boards = now.grids.reshape(len(now.grids), *self.pool.shape, fleet.NUMBERS)
            self._eye.look(envs, boards, now.positions, now.facings, self._views)
            np.copyto(now.views, self._views)

    def _restart(self, envs: NDArray[np.int64]) -> None:
        pool, now = self.pool, self.now
        fleet.restart(
            envs, len(envs), 0, pool.starts, pool.shortest, pool.first_grids, pool.first_held, self._fleet,
            self.slots, self.queue.upcoming, self._optima, now.grids, self._held, self._touched,
        )  # fmt: skip
        now.events[envs] = fleet.NO_EVENT

    def _turn(self) -> NDArray[np.uint8]:
        """Another set of arrays becomes ``now``; the grids that were seen last."""
        before = self.now
        if self._alternates:
            self.now, self._other = self._other, before
        else:
            self.now = _outputs(before.grids, self._eye)
        return before.grids

    def _turn_and_catch_up(self) -> None:
        before = self._turn()
        if self._two_grids:
            fleet.catch_up(self._touched, before, self.now.grids)

    def _guest(self, maze: Maze, envs: NDArray[np.int64], options: Mapping[str, object]) -> int:
        """A slot for a maze that comes from outside, where nobody else plays another one."""
        pool = self.pool
        for slot in self._guests:
            level = pool.levels[slot]
            if level is not None and level.maze is maze:
                pool.starts[slot], pool.shortest[slot] = pool.start_of(level, options)
                return slot
        others = set(np.delete(self.slots, envs).tolist())
        free = [slot for slot in self._guests if slot not in others]
        if not free:
            free = [pool.add_slots(1)]
            self._guests += free
        pool.fill(free[0], maze, options=options)
        return free[0]
