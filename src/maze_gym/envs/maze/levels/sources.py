"""Which level an episode plays: one of a fixed list, or one that is generated for it."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from maze_gym.envs.arguments import level_numbers
from maze_gym.envs.maze.levels import MazeSource, load_maze, load_mazes
from maze_gym.errors import InvalidArgument
from mazegen.generation.spec import MazeGenSpec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mazegen.core.maze import Maze

DEFAULT_SUITE = "starter"
MAX_ATTEMPTS = 20  # a spec that fails so often is one that cannot be met


class LevelSource(Protocol):
    """Numbered levels; the same number is the same level, whatever was played before."""

    @property
    def count(self) -> int:
        """How many there are: numbers run from 0 to count - 1."""
        ...

    @property
    def is_generated(self) -> bool:
        """Whether a level is made, and proved, when it is asked for."""
        ...

    @property
    def largest(self) -> tuple[int, int]:
        """(rows, cols) that every level fits in."""
        ...

    def level(self, number: int) -> Maze:
        """The level of a number."""
        ...


class FixedLevels:
    """A list of mazes.

    Args:
        mazes: at least one.
    """

    is_generated = False

    def __init__(self, mazes: Sequence[Maze]) -> None:
        """Keep the mazes."""
        self.mazes = tuple(mazes)
        self.count = len(self.mazes)
        self.largest = max(maze.rows for maze in mazes), max(maze.cols for maze in mazes)

    def level(self, number: int) -> Maze:
        """The number-th maze."""
        return self.mazes[number]


class GeneratedLevels:
    """Mazes made on demand from one spec, or from the specs of a difficulty tier.

    Args:
        spec: what each of them is; or
        tier: 1 to 5, each number its own spec of that tier.
        num_levels: how many there are; None for ``LEVEL_NUMBERS``.
        start_level: number of the first one among all of this spec or tier, as in Procgen: two envs whose
            ranges do not overlap share no level seed.

    Raises:
        InvalidArgument: a number is out of range.
    """

    is_generated = True

    def __init__(
        self,
        *,
        spec: MazeGenSpec | None = None,
        tier: int | None = None,
        num_levels: int | None = None,
        start_level: int = 0,
    ) -> None:
        """Check the numbers; nothing is generated yet."""
        from mazegen.generation.tiers import TIERS

        self.count, self._first = level_numbers(num_levels, start_level)
        self._spec = spec
        self._tier = _tier(tier) if spec is None else None
        if spec is not None:
            self.largest = spec.rows, spec.cols
        else:
            side = TIERS[self._tier].sides[1]  # type: ignore[index]  # checked above
            self.largest = side, side

    def level(self, number: int) -> Maze:
        """Generate the level of a number; where one attempt fails, the next stream of that number serves."""
        from mazegen.core.randomness import derive_seed
        from mazegen.errors import GenerationFailed
        from mazegen.generation.orchestrator import generate
        from mazegen.generation.tiers import sample_spec

        seed = self._first + number
        attempt = 0
        while True:
            spec = self._spec or sample_spec(np.random.default_rng((seed, attempt)), self._tier)
            try:
                return generate(spec, derive_seed(seed, attempt))
            except GenerationFailed:
                attempt += 1
                if attempt == MAX_ATTEMPTS:
                    raise


def level_source(
    *,
    maze: MazeSource | None = None,
    mazes: MazeSource | Sequence[MazeSource] | None = None,
    suite: str | None = None,
    spec: MazeGenSpec | Mapping[str, object] | None = None,
    tier: int | None = None,
    num_levels: int | None = None,
    start_level: int = 0,
) -> LevelSource:
    """The one source that the arguments of an env name; the bundled default suite when they name none.

    Raises:
        InvalidArgument: more than one is named, or an argument is out of range.
        LevelsNotFound: there is nothing of that name.
        MazeFormatError: a level is broken.
    """
    choices = {"maze": maze, "mazes": mazes, "suite": suite, "spec": spec, "tier": tier}
    named = [name for name, value in choices.items() if value is not None]
    if len(named) > 1:
        msg = f"give only one of {', '.join(choices)}; got {' and '.join(named)}"
        raise InvalidArgument(msg)
    if spec is None and tier is None:
        if num_levels is not None or start_level != 0:
            msg = "num_levels and start_level number generated levels; they need spec or tier"
            raise InvalidArgument(msg)
        if maze is not None:
            return FixedLevels([load_maze(maze)])
        if suite is not None:
            from maze_gym import suites

            if not isinstance(suite, str):
                msg = f"suite must be one of {', '.join(suites.names())}, got {suite!r}"
                raise InvalidArgument(msg)
            return FixedLevels(suites.load(suite))
        return FixedLevels(load_mazes(DEFAULT_SUITE if mazes is None else mazes)[0])
    return GeneratedLevels(
        spec=None if spec is None else _spec(spec), tier=tier, num_levels=num_levels, start_level=start_level
    )


def _tier(tier: object) -> int:
    """A tier, from an integer of any kind, as a plain one."""
    from mazegen.generation.tiers import TIERS

    try:
        number = operator.index(tier)  # type: ignore[arg-type]  # that it may be none is the point
    except TypeError:
        number = 0
    if isinstance(tier, bool) or number not in TIERS:
        msg = f"tier must be one of {', '.join(map(str, TIERS))}, got {tier!r}"
        raise InvalidArgument(msg)
    return number


def _spec(spec: MazeGenSpec | Mapping[str, object]) -> MazeGenSpec:
    if isinstance(spec, MazeGenSpec):
        return spec
    try:
        return MazeGenSpec.from_dict(spec)
    except ValueError as error:
        msg = f"spec: {error}"
        raise InvalidArgument(msg) from error
