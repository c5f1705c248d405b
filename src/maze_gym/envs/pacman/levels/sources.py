"""Where boards of PacmanArray come from: the classic one, a file, a folder, a list, or the generator."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from maze_gym.close_names import did_you_mean
from maze_gym.envs.arguments import level_numbers
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.generation.generator import MAX_STEPS, PacmanSpec, generate
from maze_gym.envs.pacman.rules import layout as layouts
from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.rules.layout import CLASSIC, Layout
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.game import Level, LevelSet, Suite
from mazegen.core.file_errors import read_text

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules import Board
    from maze_gym.envs.pacman.search import WinningPlan

CLASSIC_NAME = "classic"
CLASSIC_NAMES = (CLASSIC_NAME, f"{CLASSIC_NAME}/{CLASSIC.level_id}", CLASSIC.level_id)
SUFFIX = ".txt"
LayoutSource: TypeAlias = Layout | str | os.PathLike[str] | Sequence[str]


class Start(NamedTuple):
    """A board to begin on.

    Attributes:
        board: the board.
        luck: of its first state; None lets the env draw it.
        witness: a plan that wins, if one is known.
    """

    board: Board
    luck: int | None = None
    witness: WinningPlan | None = None


class BoardSource(Protocol):
    """Numbered boards; the same number is the same board, whatever was played before."""

    @property
    def count(self) -> int:
        """How many there are: numbers run from 0 to count - 1."""
        ...

    @property
    def draws(self) -> bool:
        """Whether anything is left to chance: which board, or the luck of its first state."""
        ...

    @property
    def largest(self) -> tuple[int, int]:
        """(rows, cols) that every board fits in."""
        ...

    @property
    def max_score(self) -> int:
        """No board brings more points."""
        ...

    @property
    def max_steps(self) -> int:
        """Step limit of an episode, where none is asked for."""
        ...

    def start(self, number: int) -> Start:
        """The board of a number."""
        ...


class FixedBoards:
    """A list of layouts.

    Args:
        chosen: at least one.
        mind: how ghosts think on each of them.
    """

    def __init__(self, chosen: Sequence[Layout], mind: GhostBehaviour) -> None:
        """Keep the layouts; a board is compiled when it is first played."""
        self.layouts = tuple(chosen)
        self.mind = mind
        self.count = len(self.layouts)
        self.draws = self.count > 1 or mind.random_ties
        self.largest = max(each.rows for each in chosen), max(each.cols for each in chosen)
        self.max_score = max(rules.max_score(each) for each in chosen)
        self.max_steps = MAX_STEPS
        self._last: tuple[int, Start] | None = None

    def start(self, number: int) -> Start:
        """The number-th board."""
        if self._last is None or self._last[0] != number:
            self._last = number, Start(rules.compile_board(self.layouts[number], self.mind))
        return self._last[1]


class GeneratedBoards:
    """Boards made on demand.

    Args:
        spec: what each of them is like.
        num_levels: how many there are; None for ``LEVEL_NUMBERS``.
        start_level: number of the first among all of this spec, as in Procgen: two envs whose ranges do
            not overlap share no board's seed, so that training and evaluation can be kept apart.

    Raises:
        InvalidArgument: a number is out of range.
    """

    def __init__(self, spec: PacmanSpec, num_levels: int | None = None, start_level: int = 0) -> None:
        """Check the numbers; nothing is generated yet."""
        self.spec = spec
        self.count, self._first = level_numbers(num_levels, start_level)
        self.draws = self.count > 1  # a board comes with the luck for which it is proved
        self.largest = spec.shape
        self.max_score = spec.max_score
        self.max_steps = spec.max_steps

    def start(self, number: int) -> Start:
        """Generate the board of a number, with its witness."""
        return Start(*generate(self.spec, self._first + number))


def board_source(
    *,
    layout: LayoutSource | None = None,
    layouts: Sequence[LayoutSource] | None = None,
    spec: PacmanSpec | Mapping[str, object] | None = None,
    num_levels: int | None = None,
    start_level: int = 0,
    mind: GhostBehaviour,
    max_steps: int | None = None,
) -> BoardSource:
    """The one source that the arguments of an env name; the classic board when they name none.

    Where ``max_steps`` is below the limit of the spec it takes its place: a board is no good to an env whose
    episodes end before the proof that it can be won.

    Raises:
        InvalidArgument: more than one is named, or an argument is out of range.
        LevelsNotFound: there is nothing of that name.
        LayoutError: a layout cannot be played.
    """
    choices = {"layout": layout, "layouts": layouts, "spec": spec}
    named = [name for name, value in choices.items() if value is not None]
    if len(named) > 1:
        msg = f"give only one of {', '.join(choices)}; got {' and '.join(named)}"
        raise InvalidArgument(msg)
    if spec is not None:
        if mind != GhostBehaviour():
            msg = "ghosts names the mind of fixed layouts; a spec has its own minds"
            raise InvalidArgument(msg)
        wanted = _spec(spec)
        if max_steps is not None and max_steps < wanted.max_steps:
            wanted = replace(wanted, max_steps=max_steps)
        return GeneratedBoards(wanted, num_levels, start_level)
    if num_levels is not None or start_level != 0:
        msg = "num_levels and start_level number generated boards; they need spec"
        raise InvalidArgument(msg)
    if layouts is not None:
        if not isinstance(layouts, list | tuple):
            msg = f"layouts must be a list of layouts, got {layouts!r}; for one of them, pass layout=..."
            raise InvalidArgument(msg)
        chosen = [load_layout(each) for each in layouts]
        if not chosen:
            msg = "the list of layouts is empty"
            raise LevelsNotFound(msg)
        return FixedBoards(chosen, mind)
    return FixedBoards([CLASSIC if layout is None else load_layout(layout)], mind)


def load_layout(source: LayoutSource) -> Layout:
    """One layout from a ``Layout``, ``"classic"``, a list of rows, text of several lines, or a file's path.

    Raises:
        LayoutError: it cannot be played.
        LevelsNotFound: there is no such file.
        InvalidArgument: it is none of these.
    """
    if isinstance(source, Layout):
        return source
    if isinstance(source, list | tuple) and all(isinstance(row, str) for row in source):
        return layouts.parse(list(source))
    if isinstance(source, str) and source in CLASSIC_NAMES:
        return CLASSIC
    if isinstance(source, str) and "\n" in source:
        return layouts.parse(source)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not path.is_file():
            hint = did_you_mean(str(source), [CLASSIC_NAME])
            msg = f"no layout file or folder {str(source)!r}; built in: {CLASSIC_NAME}{hint}"
            raise LevelsNotFound(msg)
        try:
            return layouts.parse(read_text(path), level_id=path.stem)
        except layouts.LayoutError as error:
            msg = f"{path.name}: {error}"
            raise layouts.LayoutError(msg) from error
    msg = f"a layout must be a Layout, rows of text or a path, got {type(source).__name__}"
    raise InvalidArgument(msg)


def load_levels(source: str | os.PathLike[str]) -> LevelSet:
    """Levels for evaluation and play: ``classic``, a layout file, or a folder of ``.txt`` layouts.

    Raises:
        LayoutError: a layout cannot be played.
        LevelsNotFound: there is nothing of that name, or nothing in it.
    """
    path = Path(source)
    if source not in CLASSIC_NAMES and path.is_dir():
        found = [load_layout(file) for file in sorted(path.glob(f"*{SUFFIX}"))]
        if not found:
            msg = f"{str(source)!r} holds no {SUFFIX} layout"
            raise LevelsNotFound(msg)
    else:
        found = [load_layout(source)]
    levels = tuple(Level(each.level_id, each.content_hash, {"layout": each}) for each in found)
    return LevelSet(levels, (), {"layouts": found})


def is_bundled(name: str) -> bool:
    """Whether the built-in board has this name."""
    return name in CLASSIC_NAMES


def table() -> tuple[Suite, ...]:
    """What there is, for people to choose from."""
    return (Suite(CLASSIC_NAME, 1, None, "the one board of the game as everybody knows it"),)


def _spec(spec: PacmanSpec | Mapping[str, object]) -> PacmanSpec:
    if isinstance(spec, PacmanSpec):
        return spec
    if not isinstance(spec, Mapping):
        msg = f"spec must be a PacmanSpec or the object of its JSON, got {type(spec).__name__}"
        raise InvalidArgument(msg)
    return PacmanSpec.from_dict(spec)
