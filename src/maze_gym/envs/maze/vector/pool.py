"""The mazes of a vector env as arrays: one slot a maze, and the slots that are up next in each env.

What a slot holds is worked out by the same ``PlayableMaze`` that a single env plays. An env draws the
numbers of its levels with a generator of its own, exactly as a single env of the same seed does; they are
drawn in blocks, because a block of 64 costs as much as two single draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.utils import seeding

from maze_gym.envs.maze.levels.playable import PlayableMaze
from mazegen.core import rules
from mazegen.vector import env_states as fleet
from mazegen.vector import outcome_table as foresight
from mazegen.vector.outcome_table import TRAIT_SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from maze_gym.envs.maze.levels.sources import LevelSource
    from mazegen.core.maze import Maze
    from mazegen.core.rules import Finish

MAX_KEPT = 16_384  # levels that are kept ready; where a source has more, each is made when it is drawn
BLOCK = 64  # numbers drawn at a time
NO_PLAN = -1  # in place of the length of a plan
_ARRAYS = ("situations", "codes", "links", "things", "colors", "starts", "first_grids", "first_held")


class MazePool:
    """Slots with mazes on boards of one size; the attributes are what ``mazegen.vector.batch`` reads.

    Args:
        finish: see ``rules.compile_board``.
        shape: (rows, cols) of the boards.
        max_steps: step limit of every level, or None for its own.
        max_episode_steps: no level has a higher one.
        size: number of slots to begin with.

    Attributes:
        situations: (slots, cells * 4) row of ``outcome_table.foretell`` for each pose.
        strides: (4,) what to add to a cell to look north, east, south, west.
        codes: (slots, cells) what each cell holds.
        links: (slots, CODES) link, and trait above it.
        things: (slots, things, 8) code, cell and both looks of each mechanism.
        colors: (slots, 6, 2) masks of keys and locks per colour.
        starts: (slots, 8) first row of an env.
        first_grids: (slots, cells * 3) what is observed first.
        first_held: (slots, 6) keys held at first.
        levels: the mazes themselves.
        arrays: the eight arrays above, in the order in which ``mazegen.vector.batch.play`` takes them.
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
        cells = shape[0] * shape[1]
        self.finish: Finish = finish
        self.shape = shape
        self.strides = np.array([-shape[1], 1, shape[1], -1], np.int64)
        self._max_steps, self._ceiling = max_steps, min(max_episode_steps or fleet.MAX_STEPS, fleet.MAX_STEPS)
        self.situations = np.zeros((size, cells * foresight.FACINGS), np.uint8)
        self.codes = np.full((size, cells), rules.WALL, np.uint8)
        self.links = np.zeros((size, rules.CODES), np.int64)
        self.things = np.zeros((size, 1, fleet.THING_COLUMNS), np.int64)
        self.colors = np.zeros((size, fleet.COLORS, 2), np.int64)
        self.starts = np.zeros((size, fleet.FLEET_COLUMNS), np.int32)
        self.first_grids = np.zeros((size, cells * fleet.NUMBERS), np.uint8)
        self.first_held = np.zeros((size, fleet.COLORS), np.uint8)
        self.levels: list[PlayableMaze | None] = [None] * size
        self.has_unsolvable = False
        self._gather()

    def fill(
        self, slot: int, maze: Maze, *, is_fresh: bool = False, options: Mapping[str, object] | None = None
    ) -> None:
        """Put a maze into a slot in place of what it held; ``options`` may name another first state.

        Raises:
            InvalidArgument: as for ``start_of``.
        """
        level = PlayableMaze(maze, self.finish, self.shape, is_fresh=is_fresh)
        board = level.board
        self.starts[slot] = self.start_of(level, options or {})
        self.codes[slot] = rules.WALL
        codes = np.array(board.codes, np.uint8).reshape(maze.rows, maze.cols)
        self.codes[slot].reshape(self.shape)[: maze.rows, : maze.cols] = codes
        self.situations[slot] = foresight.situations(self.codes[slot], self.strides)
        self.links[slot] = np.array(board.link) | np.array(board.trait) << TRAIT_SHIFT
        self.colors[slot, :, fleet.KEYS], self.colors[slot, :, fleet.LOCKS] = (
            board.color_keys,
            board.color_locks,
        )
        self.first_grids[slot] = level.first_grid.reshape(-1)
        self.first_held[slot] = rules.keys_held(board, board.start)
        shown = [
            (look.code, look.position.row * self.shape[1] + look.position.col, *look.unset, *look.set)
            for look in level.looks
        ]
        if len(shown) > self.things.shape[1]:
            more = len(shown) - self.things.shape[1]
            self.things = np.pad(self.things, ((0, 0), (0, more), (0, 0)))
            self._gather()
        self.things[slot] = 0
        if shown:
            self.things[slot, : len(shown)] = shown
        self.levels[slot] = level

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
        pose = (row * self.shape[1] + col) * foresight.FACINGS + start.facing
        begun = foresight.BEGUN + start.facing
        return [pose, *start[2:], limit, NO_PLAN if plan is None else plan, begun, fleet.NO_SLOT]

    def add_slots(self, more: int) -> int:
        """Make room; the number of the first new slot."""
        first = len(self.levels)
        for name in _ARRAYS:
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)]))
        self.levels += [None] * more
        self._gather()
        return first

    def _gather(self) -> None:
        self.arrays: tuple[Any, ...] = (
            self.situations, self.codes, self.links, self.things, self.colors, self.starts, self.first_grids,
            self.first_held,
        )  # fmt: skip

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
        is_ready: (levels,) whether a level is in the slot of its number; empty if there are many.
        draws: (envs, BLOCK) numbers drawn in advance.
        drawn: (envs,) how many of them are used up.
        upcoming: (envs,) slot of the next episode.
        wanting: (envs,) where ``mazegen.vector.env_states.line_up`` names envs that need help.
    """

    def __init__(self, source: LevelSource, pool: MazePool, envs: int) -> None:
        """Draw nothing yet."""
        self._source, self._pool = source, pool
        self.is_ready = np.zeros(source.count if source.count <= MAX_KEPT else 0, np.bool_)
        self.draws = np.zeros((envs, BLOCK), np.int64)
        self.drawn = np.full(envs, BLOCK, np.int64)
        self.upcoming = np.full(envs, fleet.NO_SLOT, np.int64)
        self.wanting = np.zeros(envs, np.int64)
        self.seeds: list[int | None] = [None] * envs
        self._generators: list[np.random.Generator | None] = [None] * envs

    @staticmethod
    def slots_needed(source: LevelSource, envs: int) -> int:
        """How many slots a pool needs for the levels of a source."""
        return source.count if source.count <= MAX_KEPT else 2 * envs

    def seed(self, env: int, seed: int) -> None:
        """Begin the draws of an env anew."""
        self._generators[env], self.seeds[env] = seeding.np_random(seed)
        self.drawn[env] = BLOCK
        self.upcoming[env] = fleet.NO_SLOT

    def supply(self, envs: Iterable[int], slots: NDArray[np.int32]) -> None:
        """See to it that a level is up next in each of these envs; ``slots`` says what is being played."""
        for env in envs:
            if self.upcoming[env] != fleet.NO_SLOT:
                continue
            if self.drawn[env] >= BLOCK:
                self._draw(env)
            number = int(self.draws[env, self.drawn[env]])
            if len(self.is_ready):
                slot = number
                if not self.is_ready[number]:
                    self._pool.fill(slot, self._source.level(number), is_fresh=self._source.is_generated)
                    self.is_ready[number] = True
            else:
                slot = 2 * env + int(slots[env] == 2 * env)  # the one of the two that is not being played
                self._pool.fill(slot, self._source.level(number), is_fresh=self._source.is_generated)
            self.drawn[env] += 1
            self.upcoming[env] = slot

    def _draw(self, env: int) -> None:
        self.drawn[env] = 0
        if self._source.count == 1:
            return  # a single env draws nothing either
        generator = self._generators[env]
        if generator is None:
            generator, self.seeds[env] = seeding.np_random()
            self._generators[env] = generator
        self.draws[env] = generator.integers(self._source.count, size=BLOCK)
