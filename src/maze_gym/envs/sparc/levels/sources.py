"""Where puzzles of SpatialGym come from: a suite, a file, a list, the public data set, or the generator."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from itertools import chain, count, zip_longest
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from maze_gym.envs.arguments import LEVEL_NUMBERS, level_numbers
from maze_gym.envs.sparc.levels.datasets import (
    BUNDLED,
    SUITE,
    BundledRecord,
    bundled_puzzle,
    bundled_records,
    load_puzzles,
)
from maze_gym.envs.sparc.levels.record import from_record
from maze_gym.envs.sparc.observation import Frame, frame_of
from maze_gym.envs.sparc.rules.puzzle import LEVELS, Puzzle
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.game import Level, LevelSet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.sparc.generation.generator import PuzzleSpec

_CELLS_PER_PIECE = 4  # rule cells for each different shape that a generated board may have
Leveled = TypeVar("Leveled", Puzzle, BundledRecord)  # what has a name and a level
PuzzleSource: TypeAlias = Puzzle | Mapping[str, object]
PuzzlesSource: TypeAlias = str | os.PathLike[str] | Sequence[PuzzleSource]


class Puzzles(Protocol):
    """Numbered puzzles; the same number is the same puzzle, whatever was played before."""

    @property
    def count(self) -> int:
        """How many there are: numbers run from 0 to count - 1."""
        ...

    @property
    def frame(self) -> Frame:
        """The frame that holds every one of them."""
        ...

    def puzzle(self, number: int) -> Puzzle:
        """The puzzle of a number."""
        ...

    def named(self, puzzle_id: str) -> Puzzle:
        """The puzzle of a name.

        Raises:
            InvalidArgument: none has it.
        """
        ...


class FixedPuzzles:
    """A list of puzzles.

    Args:
        chosen: at least one.
    """

    def __init__(self, chosen: Sequence[Puzzle]) -> None:
        """Keep the puzzles."""
        self.puzzles = tuple(chosen)
        self.count = len(self.puzzles)
        frames = [frame_of(puzzle) for puzzle in self.puzzles]
        self.frame = Frame(*(max(sizes) for sizes in zip(*frames, strict=True)))

    def __deepcopy__(self, memo: object) -> FixedPuzzles:
        """A copy is the same one, for nothing in it ever changes."""
        return self

    def puzzle(self, number: int) -> Puzzle:
        """The number-th puzzle."""
        return self.puzzles[number]

    def named(self, puzzle_id: str) -> Puzzle:
        """The puzzle of a name; see ``Puzzles.named``."""
        return self.puzzles[_number_of(puzzle_id, self.puzzles)]


class BundledPuzzles:
    """A bundled suite, whose puzzles are read when they are first played: an env is made at once.

    Args:
        suite: its name.
        difficulty: the levels that are wanted; all of them without any.

    Raises:
        InvalidArgument: these are no levels.
    """

    frame = Frame()  # which every bundled puzzle fits into

    def __init__(self, suite: str, difficulty: int | Sequence[int] | None = None) -> None:
        """Put them into the order in which they are played."""
        self._records = in_turns(of_difficulty(bundled_records(BUNDLED[suite]), difficulty))
        self.count = len(self._records)

    def __deepcopy__(self, memo: object) -> BundledPuzzles:
        """A copy is the same one, for nothing in it ever changes."""
        return self

    def puzzle(self, number: int) -> Puzzle:
        """The number-th puzzle."""
        return bundled_puzzle(self._records[number])

    def named(self, puzzle_id: str) -> Puzzle:
        """The puzzle of a name; see ``Puzzles.named``."""
        return self.puzzle(_number_of(puzzle_id, self._records))


class GeneratedPuzzles:
    """Puzzles made on demand.

    Args:
        spec: what each of them is like.
        num_levels: how many there are; None for ``LEVEL_NUMBERS``.
        start_level: number of the first among all of this spec, as in Procgen: two envs whose ranges do
            not overlap share no puzzle's seed, so that training and evaluation can be kept apart.

    Raises:
        InvalidArgument: a number is out of range.
    """

    def __init__(self, spec: PuzzleSpec, num_levels: int | None = None, start_level: int = 0) -> None:
        """Check the numbers; nothing is generated yet."""
        self.spec = spec
        self.count, self._first = level_numbers(num_levels, start_level)
        height, width = spec.largest
        usual = Frame()
        pieces = max(usual.pieces, height * width // _CELLS_PER_PIECE)
        self.frame = Frame(2 * height + 1, 2 * width + 1, pieces, usual.side)

    def puzzle(self, number: int) -> Puzzle:
        """Generate the puzzle of a number; one that has too many shapes gives way to another."""
        from maze_gym.envs.sparc.generation.generator import generate

        # Seeds from LEVEL_NUMBERS on are no other puzzle's.
        for seed in count(self._first + number, 2 * LEVEL_NUMBERS):
            puzzle = generate(self.spec, seed)
            if self.frame.holds(frame_of(puzzle)):
                return puzzle
        raise AssertionError  # count() does not end

    def named(self, puzzle_id: str) -> Puzzle:
        """Refuse; generated puzzles go by their numbers."""
        msg = f"generated puzzles are not found by name, got {puzzle_id!r}; pass the puzzle itself"
        raise InvalidArgument(msg)


def as_puzzle(source: PuzzleSource) -> Puzzle:
    """One puzzle from a ``Puzzle`` or the object of a record.

    Raises:
        PuzzleError: the record is wrong.
        InvalidArgument: it is neither.
    """
    if isinstance(source, Puzzle):
        return source
    if isinstance(source, Mapping):
        return from_record(source)
    msg = f"a puzzle must be a Puzzle or the object of a record, got {type(source).__name__}"
    raise InvalidArgument(msg)


def load(source: PuzzlesSource) -> tuple[Puzzle, ...]:
    """Puzzles of a suite, a JSONL file, the public data set by its id, or a list, in their order.

    Raises:
        PuzzleError: a record is wrong.
        LevelsNotFound: there is nothing of that name, or nothing in it.
        MissingExtra: the public data set needs a package that is not installed.
    """
    if isinstance(source, str | os.PathLike):
        return load_puzzles(source)
    if not isinstance(source, list | tuple):
        msg = f"puzzles must be a suite, a file or a list of puzzles, got {type(source).__name__}"
        raise InvalidArgument(msg)
    return tuple(map(as_puzzle, source))


def _number_of(puzzle_id: str, among: Sequence[Leveled]) -> int:
    names = [each.puzzle_id for each in among]
    if puzzle_id in names:
        return names.index(puzzle_id)
    close = difflib.get_close_matches(puzzle_id, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"the first of them is {names[0]!r}"
    msg = f"no puzzle {puzzle_id!r} among the {len(names)} of this env; {hint}"
    raise InvalidArgument(msg)


def of_difficulty(puzzles: Sequence[Leveled], difficulty: int | Sequence[int] | None) -> tuple[Leveled, ...]:
    """The puzzles of some levels; all of them where none is named.

    Raises:
        InvalidArgument: these are no levels.
        LevelsNotFound: no puzzle has such a level.
    """
    if difficulty is None:
        chosen = tuple(puzzles)
    else:
        try:
            levels = [difficulty] if isinstance(difficulty, int) else list(difficulty)
        except TypeError:
            levels = []
        if not levels or any(type(level) is not int or level not in LEVELS for level in levels):
            msg = f"difficulty must list levels from {LEVELS[0]} to {LEVELS[-1]}, got {difficulty!r}"
            raise InvalidArgument(msg)
        chosen = tuple(puzzle for puzzle in puzzles if puzzle.level in levels)
    if not chosen:
        wanted = "" if difficulty is None else f" of difficulty {difficulty!r}"
        msg = f"there is no puzzle{wanted} among {len(puzzles)}"
        raise LevelsNotFound(msg)
    return chosen


def in_turns(puzzles: Iterable[Leveled]) -> tuple[Leveled, ...]:
    """One puzzle of each level in turn, in their own order within a level: the first ten are two of each."""
    by_level: dict[int, list[Leveled]] = {}
    for puzzle in puzzles:
        by_level.setdefault(puzzle.level or 0, []).append(puzzle)
    rounds = zip_longest(*(by_level[level] for level in sorted(by_level)))
    return tuple(puzzle for puzzle in chain.from_iterable(rounds) if puzzle is not None)


def puzzle_source(
    *,
    puzzle: PuzzleSource | None,
    puzzles: PuzzlesSource | None,
    spec: PuzzleSpec | Mapping[str, object] | None,
    tier: int | None,
    difficulty: int | Sequence[int] | None,
    num_levels: int | None,
    start_level: int,
) -> Puzzles:
    """The one source that the arguments of an env name; the bundled suite when they name none.

    Raises:
        InvalidArgument: more than one is named, or an argument is out of range.
        LevelsNotFound: there is nothing of that name or difficulty.
        PuzzleError: a puzzle is wrong.
    """
    choices = {"puzzle": puzzle, "puzzles": puzzles, "spec": spec, "tier": tier}
    named = [name for name, value in choices.items() if value is not None]
    if len(named) > 1:
        msg = f"give only one of {', '.join(choices)}; got {' and '.join(named)}"
        raise InvalidArgument(msg)
    if spec is not None or tier is not None:
        return _generated({"level": tier} if spec is None else spec, difficulty, num_levels, start_level)
    if num_levels is not None or start_level != 0:
        msg = "num_levels and start_level number generated puzzles; they need spec or tier"
        raise InvalidArgument(msg)
    if puzzle is not None:
        return FixedPuzzles(of_difficulty([as_puzzle(puzzle)], difficulty))
    if puzzles is None or (isinstance(puzzles, str) and puzzles in BUNDLED):
        return BundledPuzzles(puzzles or SUITE, difficulty)
    return FixedPuzzles(in_turns(of_difficulty(load(puzzles), difficulty)))


def _generated(
    spec: PuzzleSpec | Mapping[str, object],
    difficulty: int | Sequence[int] | None,
    num_levels: int | None,
    start_level: int,
) -> GeneratedPuzzles:
    from maze_gym.envs.sparc.generation.generator import PuzzleSpec

    if difficulty is not None:
        msg = "difficulty chooses among fixed puzzles; a spec has a level of its own"
        raise InvalidArgument(msg)
    if isinstance(spec, PuzzleSpec):
        return GeneratedPuzzles(spec, num_levels, start_level)
    if not isinstance(spec, Mapping):
        msg = f"spec must be a PuzzleSpec or the object of its JSON, got {type(spec).__name__}"
        raise InvalidArgument(msg)
    return GeneratedPuzzles(PuzzleSpec.from_dict(spec), num_levels, start_level)


def load_levels(source: str | os.PathLike[str]) -> LevelSet:
    """Levels for evaluation and play, one of each difficulty in turn; see ``load``.

    The name of a bundled suite can be followed by the difficulties that are wanted, as in ``spatial:1,2``.
    """
    name, colon, wanted = str(source).partition(":")
    difficulty = None
    if colon and name in BUNDLED:
        source, difficulty = name, [int(each) if each.isdecimal() else -1 for each in wanted.split(",")]
    found = in_turns(of_difficulty(load(source), difficulty))
    levels = tuple(Level(each.puzzle_id, each.content_hash, {"puzzle": each}) for each in found)
    return LevelSet(levels, (), {"puzzles": found})
