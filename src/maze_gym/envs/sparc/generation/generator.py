"""Puzzles made from a seed: a line is drawn first, what it obeys is laid around it, and the solver counts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias, get_args

from maze_gym.envs.sparc.generation.draft import Draft
from maze_gym.envs.sparc.generation.line import END_PLACES, EndPlace, draw_ends, draw_line
from maze_gym.envs.sparc.generation.random_stream import RandomStream
from maze_gym.envs.sparc.rules.puzzle import LEVELS, MAX_SIDE, Color, Kind, Puzzle, level_of
from maze_gym.envs.sparc.search.solver import enumerate_solutions
from maze_gym.errors import InvalidArgument, MazeGymError, SearchLimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.envs.sparc.rules.puzzle import Path

RuleName: TypeAlias = Literal["gap", "dot", "square", "star", "triangle", "polyomino", "ylop"]
RULE_NAMES: tuple[RuleName, ...] = get_args(RuleName)
MIN_SIDE = 2
MAX_SOLUTIONS = 48  # the most that a public puzzle has
MAX_ATTEMPTS = 400
_BOUND = 100_000  # extensions of lines that one count may take: a good second at most
_MAX_SEARCHES = 3  # counts of a draft that may run into the bound; more symbols make the next one easier
_CELLS_PER_ADDITION = (
    12  # one thing more, and one for so many cells, is added to a board with too many solutions
)
_MAX_FAILURES = 8  # symbols in a row that found no room
_KINDS: dict[RuleName, Kind] = {
    "square": Kind.SQUARE,
    "star": Kind.STAR,
    "triangle": Kind.TRIANGLE,
    "polyomino": Kind.POLYOMINO,
    "ylop": Kind.YLOP,
}
# How many of the 500 public puzzles have the rule, and how many such symbols there are in all of them.
_PUZZLES = {"square": 355, "gap": 313, "polyomino": 305, "dot": 292, "triangle": 233, "star": 210, "ylop": 25}
_SYMBOLS = {Kind.SQUARE: 842, Kind.STAR: 395, Kind.TRIANGLE: 375, Kind.POLYOMINO: 630, Kind.YLOP: 29}
_ALL = 500
_MAX_MARKS = 4  # dots, and gaps, of a board with such; two on average, as in public
# Rule cells of the board and most colours, by level.
_CELLS = {1: (4, 10), 2: (6, 12), 3: (6, 16), 4: (10, 20), 5: (12, 30)}
_COLORS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 4}
_SIDES = (2, 6)  # where the spec names none
_COVERAGE = (0.5, 0.9)  # share of the nodes that the line visits at least


class GenerationFailed(MazeGymError):
    """No puzzle of a spec could be made.

    Attributes:
        spec: the spec, as one line of JSON.
        reasons: how many attempts failed for which reason, the most frequent first.
    """

    def __init__(self, spec: str, reasons: Mapping[str, int]) -> None:
        """Say how often what went wrong."""
        self.spec, self.reasons = spec, dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
        counted = ", ".join(f"{count} x {reason}" for reason, count in self.reasons.items())
        super().__init__(f"no puzzle after {sum(reasons.values())} attempts ({counted}); spec {spec}")

    def __reduce__(self) -> tuple[type[GenerationFailed], tuple[str, dict[str, int]]]:
        """Pickle by the arguments, so that the error survives the way out of a worker process."""
        return (type(self), (self.spec, self.reasons))


@dataclass(frozen=True, slots=True)
class PuzzleSpec:
    """What generated puzzles are like; the same spec and seed make the same puzzle on any machine.

    Attributes:
        level: difficulty, 1 to 5; None for any.
        height: fewest and most rule cells from top to bottom, 2 to ``MAX_SIDE``; None for what suits the
            level, 2 to 6.
        width: the same from left to right.
        rules: which rules may occur; ylops bring polyominoes, which they take back, with them.
        max_solutions: most solutions of a puzzle.
        ends: where lines may begin and end: at corners, other nodes of the border, or edges.
        dots: fewest and most dots; None for as many as public puzzles have.
        gaps: fewest and most gaps; None likewise.
        connected: whether the cells of a polyomino must share sides.

    Raises:
        InvalidArgument: a field is of the wrong kind or out of range.
    """

    level: int | None = None
    height: tuple[int, int] | None = None
    width: tuple[int, int] | None = None
    rules: tuple[RuleName, ...] = RULE_NAMES
    max_solutions: int = MAX_SOLUTIONS
    ends: tuple[EndPlace, ...] = END_PLACES
    dots: tuple[int, int] | None = None
    gaps: tuple[int, int] | None = None
    connected: bool = True

    def __post_init__(self) -> None:
        """Check every field by itself."""
        if self.level is not None and not _is_int(self.level, LEVELS[0], LEVELS[-1]):
            _refuse("level", f"from {LEVELS[0]} to {LEVELS[-1]}, or None", self.level)
        for name, sides in (("height", self.height), ("width", self.width)):
            if sides is not None and not _is_range(sides, MIN_SIDE, MAX_SIDE):
                _refuse(name, f"(fewest, most) rule cells from {MIN_SIDE} to {MAX_SIDE}, or None", sides)
        for name, marks in (("dots", self.dots), ("gaps", self.gaps)):
            if marks is not None and not _is_range(marks, 0, MAX_SIDE * MAX_SIDE):
                _refuse(name, "(fewest, most) from 0 on, or None", marks)
        if not _is_int(self.max_solutions, 1, None):
            _refuse("max_solutions", "a positive integer", self.max_solutions)
        chosen: tuple[tuple[str, object, tuple[str, ...]], ...] = (
            ("rules", self.rules, RULE_NAMES),
            ("ends", self.ends, END_PLACES),
        )
        for name, some, every in chosen:
            if not isinstance(some, tuple) or not some or not set(some) <= set(every):
                _refuse(name, f"a non-empty tuple of {', '.join(every)}", some)
        if type(self.connected) is not bool:
            _refuse("connected", "True or False", self.connected)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> PuzzleSpec:
        """A spec from plain JSON: lists for tuples.

        Raises:
            InvalidArgument: a field does not exist or is wrong.
        """
        known = [each.name for each in fields(cls)]
        for name in data:
            if name not in known:
                _refuse("the names of a spec's fields", f"among {', '.join(known)}", name)
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
        return cls(**values)  # type: ignore[arg-type]  # checked field by field

    @property
    def largest(self) -> tuple[int, int]:
        """Height and width that no board of this spec exceeds."""
        return (self.height or _SIDES)[1], (self.width or _SIDES)[1]


class _Unfit(Exception):
    """No error, but the reason why an attempt is given up."""


def generate(spec: PuzzleSpec, seed: int) -> Puzzle:
    """The puzzle of a seed, with all of its solutions; where an attempt fails, the seed's next one serves.

    Raises:
        GenerationFailed: no attempt gave a puzzle of the spec.
        InvalidArgument: the seed is no integer from 0 on.
    """
    if not _is_int(seed, 0, None):
        _refuse("seed", "an integer from 0 on", seed)
    reasons: Counter[str] = Counter()
    for attempt in range(MAX_ATTEMPTS):
        try:
            puzzle = _attempt(spec, RandomStream(seed, attempt))
        except _Unfit as reason:
            reasons[str(reason)] += 1
        else:
            return replace(puzzle, puzzle_id=f"generated-{seed}")
    raise GenerationFailed(json.dumps(asdict(spec)), reasons)


def _attempt(spec: PuzzleSpec, dice: RandomStream) -> Puzzle:
    """One try."""
    level = spec.level or dice.choice(LEVELS)
    height, width = _draw_sides(spec, level, dice)
    start, end = draw_ends(dice, height, width, spec.ends)
    low, high = _COVERAGE
    least = round((low + dice.share() * (high - low)) * (height + 1) * (width + 1))
    path = draw_line(dice, height, width, start, end, least)
    if path is None:
        msg = "the line became too short"
        raise _Unfit(msg)
    palette = tuple(dice.shuffled(tuple(Color))[: dice.between(1, _COLORS[level])])
    draft = Draft(height, width, path, palette, dice, connected=spec.connected)
    rules = [rule for rule in spec.rules if dice.below(_ALL) < _PUZZLES[rule]]
    kinds = [_KINDS[rule] for rule in (rules or spec.rules) if rule in _KINDS]
    kinds = kinds or [_KINDS[rule] for rule in spec.rules if rule in _KINDS]
    _add_marks(spec, rules, draft, dice)
    _add_symbols(draft, kinds, level - 1 + dice.share(), dice)
    puzzle, solutions = _narrowed(spec, draft, kinds, level, dice)
    return replace(puzzle, level=level_of(draft.score), score=draft.score, solutions=tuple(solutions))


def _draw_sides(spec: PuzzleSpec, level: int, dice: RandomStream) -> tuple[int, int]:
    """Height and width within the spec, and within what suits the level if there is any."""
    heights, widths = spec.height or _SIDES, spec.width or _SIDES
    sizes = list(product(range(heights[0], heights[1] + 1), range(widths[0], widths[1] + 1)))
    least, most = _CELLS[level]
    return dice.choice([size for size in sizes if least <= size[0] * size[1] <= most] or sizes)


def _add_marks(spec: PuzzleSpec, rules: list[RuleName], draft: Draft, dice: RandomStream) -> None:
    """Dots and gaps; a range in the spec overrules what public puzzles have."""
    marks: tuple[tuple[RuleName, tuple[int, int] | None, Callable[[], bool]], ...] = (
        ("dot", spec.dots, draft.add_dot),
        ("gap", spec.gaps, draft.add_gap),
    )
    for rule, wanted, add in marks:
        if rule in spec.rules and (wanted is not None or rule in rules):
            for _ in range(dice.between(*(wanted or (1, _MAX_MARKS)))):
                if not add() and wanted is not None:
                    msg = f"no room for so many {rule}s"
                    raise _Unfit(msg)


def _add_symbols(draft: Draft, kinds: list[Kind], goal: float, dice: RandomStream) -> None:
    """Symbols until the board is as hard as wanted, or has no room."""
    # Each kind once, ylops first: later they might find no region without shapes.
    for kind in sorted(dice.shuffled(kinds), key=lambda kind: kind != Kind.YLOP):
        if draft.score < goal:
            draft.add(kind)
    failures = 0
    while kinds and draft.score < goal and failures < _MAX_FAILURES:
        kind = dice.weighted(kinds, [_SYMBOLS[each] for each in kinds])
        failures = 0 if draft.add(kind) else failures + 1


def _narrowed(
    spec: PuzzleSpec, draft: Draft, kinds: list[Kind], level: int, dice: RandomStream
) -> tuple[Puzzle, list[Path]]:
    """The puzzle and its solutions, after adding to it while it has too many of them."""
    adders: list[Callable[[], bool]] = [partial(draft.add, kind) for kind in kinds]
    adders += [draft.add_dot] if "dot" in spec.rules and spec.dots is None else []
    adders += [draft.add_gap] if "gap" in spec.rules and spec.gaps is None else []
    searches = 0
    while True:
        if spec.level is not None and level_of(draft.score) != level:
            msg = "too easy for the level" if draft.score < level else "too hard for the level"
            raise _Unfit(msg)
        puzzle = draft.to_puzzle()
        try:
            solutions = enumerate_solutions(puzzle, spec.max_solutions + 1, bound=_BOUND)
        except SearchLimitExceeded as error:
            searches += 1
            if searches == _MAX_SEARCHES:
                msg = "the search for its solutions took too long"
                raise _Unfit(msg) from error
        else:
            if len(solutions) <= spec.max_solutions:
                return puzzle, solutions
        more = 1 + puzzle.height * puzzle.width // _CELLS_PER_ADDITION
        if not sum(any(add() for add in dice.shuffled(adders)) for _ in range(more)):
            msg = "too many solutions"
            raise _Unfit(msg)


def _is_range(value: object, least: int, most: int) -> bool:
    if not isinstance(value, tuple) or not all(_is_int(number, least, most) for number in value):
        return False
    return len(value) == 2 and bool(value[0] <= value[1])  # noqa: PLR2004 - fewest and most


def _is_int(value: object, least: int, most: int | None) -> bool:
    return type(value) is int and least <= value and (most is None or value <= most)


def _refuse(name: str, wanted: str, value: object) -> NoReturn:
    msg = f"{name} must be {wanted}, got {value!r}"
    raise InvalidArgument(msg)
