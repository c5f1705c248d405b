"""The mazes of a vector env as arrays: one slot a maze, and the slots that are up next in each env.

What a slot holds is worked out by the same ``PlayableMaze`` that a single env plays. An env draws the
numbers of its levels with a generator of its own, exactly as a single env of the same seed does; they are
drawn in blocks, because a block of 64 costs as much as two single draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from gymnasium.utils import seeding

from maze_gym.envs.maze.levels.playable import PlayableMaze
from mazegen.core import rules
from mazegen.vector import arrays, outcome_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from maze_gym.envs.maze.levels.sources import LevelSource
    from mazegen.core.maze import Maze
    from mazegen.core.rules import Finish

MAX_KEPT = 16_384  # levels that are kept ready; where a source has more, each is made when it is drawn
BLOCK = 64  # numbers drawn at a time
NO_PLAN = -1  # in place of the length of a plan


class MazePool:
    """Slots with mazes laid out on boards of one size, as ``mazegen.vector.batch`` reads them.

    Args:
        finish: see ``rules.compile_board``.
        shape: (rows, cols) of the boards.
        max_steps: step limit of every level, or None for its own.
        max_episode_steps: no level has a higher one.
        size: number of slots to begin with.

    Attributes:
        boards: (slots, 8 * cells + 6) uint8, see ``mazegen.vector.arrays``, like the next one.
        mechanisms: (slots, ``arrays.THINGS`` + 8 * things) int64.
        strides: (4,) what to add to a cell to look north, east, south, west.
        levels: the mazes themselves.
        has_unsolvable: whether a maze has ever come that has no plan.
    """

    def __init__(
        self,
        finish: Finish,
        shape: tuple[int, int],
        *,
        max_steps: int | None,
        max_episode_steps: int | None,
        size: int,
    ) -> None:
        """Make empty slots."""
        self.cells = shape[0] * shape[1]
        self.finish: Finish = finish
        self.shape = shape
        self.strides = np.array([-shape[1], 1, shape[1], -1], np.int64)
        self._max_steps = max_steps
        self._ceiling = min(max_episode_steps or arrays.MAX_STEPS, arrays.MAX_STEPS)
        self.boards = np.zeros((size, arrays.FIRST_HELD * self.cells + arrays.COLORS), np.uint8)
        self.mechanisms = np.zeros((size, arrays.THINGS + arrays.THING_COLUMNS), np.int64)
        self.levels: list[PlayableMaze | None] = [None] * size
        self.has_unsolvable = False

    def fill(
        self, slot: int, maze: Maze, *, is_fresh: bool = False, options: Mapping[str, object] | None = None
    ) -> None:
        """Put a maze into a slot in place of what it held; ``options`` may name another first state.

        Raises:
            InvalidArgument: as for ``start_of``.
        """
        level = PlayableMaze(maze, self.finish, self.shape, is_fresh=is_fresh)
        board = level.board
        self.set_start(slot, self.start_of(level, options or {}))
        codes = np.full(self.shape, rules.WALL, np.uint8)
        codes[: maze.rows, : maze.cols] = np.array(board.codes, np.uint8).reshape(maze.rows, maze.cols)
        self.boards[slot] = np.concatenate(
            [
                outcome_table.outcome_rows(codes.reshape(-1), self.strides),
                codes.reshape(-1),
                level.first_grid.reshape(-1),
                np.array(rules.keys_held(board, board.start), np.uint8),
            ]
        )
        row = self.mechanisms[slot]
        row[arrays.LINKS : arrays.KEY_MASKS] = board.link
        row[arrays.LINKS : arrays.KEY_MASKS] |= np.array(board.trait) << arrays.TRAIT_SHIFT
        row[arrays.KEY_MASKS : arrays.LOCK_MASKS] = board.color_keys
        row[arrays.LOCK_MASKS : arrays.START] = board.color_locks
        self._show_things(slot, level)
        self.levels[slot] = level

    def _show_things(self, slot: int, level: PlayableMaze) -> None:
        """Write what each mechanism looks like in either of its states."""
        shown = [
            number
            for look in level.looks
            for number in (
                look.code, look.position.row * self.shape[1] + look.position.col, *look.unset, *look.set
            )
        ]  # fmt: skip
        more = arrays.THINGS + len(shown) - self.mechanisms.shape[1]
        if more > 0:
            self.mechanisms = np.pad(self.mechanisms, ((0, 0), (0, more)))
        self.mechanisms[slot, arrays.THINGS :] = 0
        self.mechanisms[slot, arrays.THINGS : arrays.THINGS + len(shown)] = shown

    def set_start(self, slot: int, start: list[int]) -> None:
        """Let episodes of a slot begin with this row, see ``start_of``."""
        self.mechanisms[slot, arrays.START : arrays.IS_READY] = start

    def start_of(self, level: PlayableMaze, options: Mapping[str, object]) -> list[int]:
        """First row of an env that begins a level.

        Raises:
            InvalidArgument: an option is out of range; or it cannot be solved from there, and nothing says
                how long to try.
        """
        start = level.start(options)
        limit = min(level.step_limit(start, self._max_steps), self._ceiling)
        plan = level.optimal_actions(start)
        self.has_unsolvable |= plan is None
        row, col = level.maze.position(start.cell)
        pose = (row * self.shape[1] + col) * outcome_table.FACINGS + start.facing
        begun = outcome_table.BEGUN + start.facing
        return [pose, *start[2:], limit, NO_PLAN if plan is None else plan, begun, arrays.NO_SLOT]

    def add_slots(self, more: int) -> int:
        """Make room; the number of the first new slot."""
        first = len(self.levels)
        self.boards = np.pad(self.boards, ((0, more), (0, 0)))
        self.mechanisms = np.pad(self.mechanisms, ((0, more), (0, 0)))
        self.levels += [None] * more
        return first

    def level(self, slot: int) -> PlayableMaze:
        """The maze in a slot."""
        level = self.levels[slot]
        if level is None:
            msg = f"slot {slot} is empty"
            raise LookupError(msg)
        return level


class LevelQueue:
    """Which level comes next in each env, drawn as a single env draws it.

    Args:
        source: where levels come from.
        pool: where they are kept. Slots of the same numbers as the levels if there are few of them, else two
            an env, that take turns.
        envs: how many there are.

    Attributes:
        lists: (``arrays.DRAWS`` + BLOCK, envs) int64, see ``mazegen.vector.arrays``.
        seeds: what each env was seeded with.
    """

    def __init__(self, source: LevelSource, pool: MazePool, envs: int) -> None:
        """Draw nothing yet."""
        self._source, self._pool = source, pool
        self._keeps_all = source.count <= MAX_KEPT
        self.lists = np.zeros((arrays.DRAWS + BLOCK, envs), np.int64)
        self.lists[arrays.EVERYONE] = np.arange(envs)
        self._drawn[:], self.next_slot[:] = BLOCK, arrays.NO_SLOT
        self.seeds: list[int | None] = [None] * envs
        self._generators: list[np.random.Generator | None] = [None] * envs

    @property
    def next_slot(self) -> NDArray[np.int64]:
        """(envs,) slot of the next episode; a part of ``lists`` that can be written."""
        row: NDArray[np.int64] = self.lists[arrays.NEXT_SLOT]
        return row

    @property
    def needs_level(self) -> NDArray[np.int64]:
        """(envs,) where ``env_states.line_up`` names envs that need help."""
        row: NDArray[np.int64] = self.lists[arrays.NEEDS_LEVEL]
        return row

    @property
    def _drawn(self) -> NDArray[np.int64]:
        """(envs,) how many of the draws are used up."""
        row: NDArray[np.int64] = self.lists[arrays.DRAWN]
        return row

    @staticmethod
    def slots_needed(source: LevelSource, envs: int) -> int:
        """How many slots a pool needs for the levels of a source."""
        return source.count if source.count <= MAX_KEPT else 2 * envs

    def seed(self, env: int, seed: int) -> None:
        """Begin the draws of an env anew."""
        self._generators[env], self.seeds[env] = seeding.np_random(seed)
        self._drawn[env] = BLOCK
        self.next_slot[env] = arrays.NO_SLOT

    def supply(self, envs: Iterable[int], slots: NDArray[np.int32]) -> None:
        """See to it that a level is up next in each of these envs; ``slots`` says what is being played."""
        for env in envs:
            if self.next_slot[env] != arrays.NO_SLOT:
                continue
            if self._drawn[env] >= BLOCK:
                self._draw(env)
            number = int(self.lists[arrays.DRAWS + self._drawn[env], env])
            if self._keeps_all:
                slot = number
                if not self._pool.mechanisms[slot, arrays.IS_READY]:
                    self._pool.fill(slot, self._source.level(number), is_fresh=self._source.is_generated)
                    self._pool.mechanisms[slot, arrays.IS_READY] = 1
            else:
                slot = 2 * env + int(slots[env] == 2 * env)  # the one of the two that is not being played
                self._pool.fill(slot, self._source.level(number), is_fresh=self._source.is_generated)
            self._drawn[env] += 1
            self.next_slot[env] = slot

    def _draw(self, env: int) -> None:
        self._drawn[env] = 0
        if self._source.count == 1:
            return  # a single env draws nothing either
        generator = self._generators[env]
        if generator is None:
            generator, self.seeds[env] = seeding.np_random()
            self._generators[env] = generator
        self.lists[arrays.DRAWS :, env] = generator.integers(self._source.count, size=BLOCK)
