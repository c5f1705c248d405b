"""Boards made from a seed: connected, without dead ends, fair at the start, and proved to be winnable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules import layout as layouts
from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.rules.ghost_paths import FAR, corner_cells, path_distances
from maze_gym.envs.pacman.rules.layout import MAX_GHOSTS, MAX_SIDE, Layout
from maze_gym.envs.pacman.search import WinningPlan, find_plan
from maze_gym.errors import InvalidArgument, MazeGymError

if TYPE_CHECKING:
    from numpy.random import Generator

    from maze_gym.envs.pacman.rules import Board

MAX_STEPS = 200  # README of pacman-array: "max_steps 200"
MAX_ATTEMPTS = 50  # boards of one number; so many that fail show that the spec cannot be met
MIN_SIDE = 5  # below it no block leaves room to walk around it
CORNERS = 4
MAX_WALL_SHARE = 0.4
WITNESS_WIDTHS = (24, 96)  # a board that needs a wider beam is thrown away
_BLOCKS = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3))  # heights and widths of wall blocks
_MADE = ("rows", "cols", "wall_share", "power_pellets")  # fields of a spec that a kept layout decides
_TRIES_PER_CELL = 2
_WAYS_OUT = 2  # that every cell has: a dead end is a grave
_MINDS = (
    GhostBehaviour(random_ties=True),
    GhostBehaviour(chase="path"),
    GhostBehaviour(chase="path", random_ties=True),
    GhostBehaviour(random_ties=True, flee=True),
    GhostBehaviour(chase="path", random_ties=True, scatter=True),
)


class GenerationFailed(MazeGymError):
    """No board of a spec could be made; the message says what to relax."""


@dataclass(frozen=True, slots=True)
class PacmanSpec:
    """What generated boards are like; the same spec and number make the same board on any machine.

    Attributes:
        rows: 5 to 16.
        cols: 5 to 16.
        wall_share: share of the cells that are walls, at most, 0 to 0.4.
        ghosts: fewest and most ghosts.
        power_pellets: 0 to 4, in the corners.
        min_distance: steps that lie between the player and every ghost at the start, at least.
        minds: what one is drawn from for each board.
        max_steps: the limit within which the board has to be won.
        layout: a board that is kept, one string a row; then only starts, number of ghosts and minds vary,
            and the fields that make walls and power pellets have to be left alone.

    Raises:
        InvalidArgument: a field is of the wrong kind or out of range, or says what ``layout`` says.
        LayoutError: the layout cannot be played.
    """

    rows: int = 10
    cols: int = 10
    wall_share: float = 0.24
    ghosts: tuple[int, int] = (2, 4)
    power_pellets: int = CORNERS
    min_distance: int = 5
    minds: tuple[GhostBehaviour, ...] = field(default=_MINDS)
    max_steps: int = MAX_STEPS
    layout: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check every field by itself."""
        whole = (
            ("rows", self.rows, MIN_SIDE, MAX_SIDE),
            ("cols", self.cols, MIN_SIDE, MAX_SIDE),
            ("power_pellets", self.power_pellets, 0, CORNERS),
            ("min_distance", self.min_distance, 1, 2 * MAX_SIDE),
            ("max_steps", self.max_steps, 1, FAR),
        )
        for name, value, least, most in whole:
            _check(name, f"an integer from {least} to {most}", value, is_right=_is_int(value, least, most))
        share = self.wall_share
        is_share = _is_number(share) and 0 <= share <= MAX_WALL_SHARE
        _check("wall_share", "a number from 0 to 0.4", share, is_right=is_share)
        wanted = f"(fewest, most) from 1 to {MAX_GHOSTS}"
        _check("ghosts", wanted, self.ghosts, is_right=_is_range(self.ghosts, 1, MAX_GHOSTS))
        _check("minds", "a non-empty tuple of GhostMind", self.minds, is_right=_are_minds(self.minds))
        if self.layout is not None:
            self._check_layout(self.layout)

    def _check_layout(self, kept: tuple[str, ...]) -> None:
        """It is a board, and nothing is asked for that it decides."""
        _check("layout", "a tuple of strings, one a row", kept, is_right=_are_rows(kept))
        layouts.parse(kept)
        idle = [
            each.name
            for each in fields(self)
            if each.name in _MADE and getattr(self, each.name) != each.default
        ]
        if idle:
            msg = f"a kept layout has its own {', '.join(_MADE)}; leave out {', '.join(idle)}, or layout"
            raise InvalidArgument(msg)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> PacmanSpec:
        """A spec from plain JSON: lists for tuples, objects for minds.

        Raises:
            InvalidArgument: a field does not exist or is wrong.
            LayoutError: the layout cannot be played.
        """
        known = [each.name for each in fields(cls)]
        for name in data:
            _check("the names of a spec's fields", f"among {', '.join(known)}", name, is_right=name in known)
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
        minds = values.get("minds")
        if isinstance(minds, tuple):
            values["minds"] = tuple(ghost_mind(each) for each in minds)
        return cls(**values)  # type: ignore[arg-type]  # checked field by field

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols) of every board."""
        if self.layout is None:
            return self.rows, self.cols
        kept = layouts.parse(self.layout)
        return kept.rows, kept.cols

    @property
    def max_score(self) -> int:
        """No board of this spec can bring more points."""
        rows, cols = self.shape
        power = CORNERS if self.layout is None else layouts.parse(self.layout).power.bit_count()
        ghosts = power * self.ghosts[1] * rules.GHOST_POINTS
        return rows * cols * rules.DOT_POINTS + power * rules.POWER_POINTS + ghosts + rules.WIN_POINTS


class GeneratedBoard(NamedTuple):
    """A board with the proof that it can be won.

    Attributes:
        board: the board.
        luck: of its first state.
        witness: a plan that wins from there.
    """

    board: Board
    luck: int
    witness: WinningPlan


def ghost_mind(value: object) -> GhostBehaviour:
    """A ``GhostBehaviour``, or one from the object of its JSON.

    Raises:
        InvalidArgument: it is neither, or a field is wrong.
    """
    if isinstance(value, GhostBehaviour):
        return value
    known = [each.name for each in fields(GhostBehaviour)]
    is_object = isinstance(value, Mapping) and all(name in known for name in value)
    _check("a ghost's mind", f"an object with {', '.join(known)}", value, is_right=is_object)
    return GhostBehaviour(**value)  # type: ignore[arg-type]  # checked


@lru_cache(maxsize=1024)
def generate(spec: PacmanSpec, number: int) -> GeneratedBoard:
    """The board of a number; where one attempt cannot be won, the next stream of that number serves.

    Raises:
        GenerationFailed: ``MAX_ATTEMPTS`` boards could not be made or won.
    """
    for attempt in range(MAX_ATTEMPTS):
        rng = np.random.default_rng((number, attempt))
        layout = _layout(spec, number, rng)
        mind = spec.minds[int(rng.integers(len(spec.minds)))]
        luck = int(rng.integers(rules.LUCK_VALUES, dtype=np.uint64)) if mind.random_ties else 0
        if layout is None or layout.pellets.bit_count() > spec.max_steps:  # a step eats one at most
            continue
        board = rules.compile_board(layout, mind)
        plan = find_plan(board, board.start._replace(luck=luck), spec.max_steps, WITNESS_WIDTHS)
        if plan.wins:
            return GeneratedBoard(board, luck, plan)
    msg = (
        f"none of {MAX_ATTEMPTS} boards for number {number} could be won from a fair start within "
        f"{spec.max_steps} steps; allow more steps, fewer ghosts, fewer walls or a smaller min_distance"
    )
    raise GenerationFailed(msg)


def _layout(spec: PacmanSpec, number: int, rng: Generator) -> Layout | None:
    """Walls, pellets and starts; None where the starts do not fit."""
    bare = _bare(spec, rng) if spec.layout is None else layouts.parse(spec.layout)
    floor = [cell for cell in range(bare.cells) if not (bare.walls | bare.power) >> cell & 1]
    player = floor[int(rng.integers(len(floor)))]
    count = int(rng.integers(spec.ghosts[0], spec.ghosts[1] + 1))
    distances = path_distances(bare, player)
    fair = [cell for cell in floor if spec.min_distance <= distances[cell] < FAR]
    if len(fair) < count:
        return None
    ghosts = rng.choice(len(fair), size=count, replace=False)
    return replace(
        bare,
        level_id=f"generated-{number}",
        player=player,
        ghosts=tuple(sorted(fair[int(index)] for index in ghosts)),
    )


def _bare(spec: PacmanSpec, rng: Generator) -> Layout:
    """A board full of pellets, mirrored left to right, with placeholders for the starts."""
    rows, cols = spec.rows, spec.cols
    everything = (1 << rows * cols) - 1
    walls = 0
    for _ in range(_TRIES_PER_CELL * rows * cols):
        height, width = _BLOCKS[int(rng.integers(len(_BLOCKS)))]
        top, left = int(rng.integers(rows - height + 1)), int(rng.integers(cols - width + 1))
        block = 0
        for row in range(top, top + height):
            for col in range(left, left + width):
                block |= 1 << row * cols + col | 1 << row * cols + cols - 1 - col
        more = walls | block
        if more.bit_count() <= spec.wall_share * rows * cols and _is_sound(rows, cols, everything & ~more):
            walls = more
    floor = [cell for cell in range(rows * cols) if not walls >> cell & 1]
    dots = everything & ~walls
    first = Layout("bare", rows, cols, walls, dots, 0, floor[0], (floor[-1],))
    power = sum(1 << cell for cell in dict.fromkeys(corner_cells(first)[: spec.power_pellets]))
    middle = [cell for cell in floor if not power >> cell & 1]
    return replace(first, dots=dots & ~power, power=power, player=middle[0], ghosts=(middle[-1],))


def _is_sound(rows: int, cols: int, floor: int) -> bool:
    """Whether all floor is one piece and every cell of it has at least two ways out."""
    cells = [cell for cell in range(rows * cols) if floor >> cell & 1]
    everything = (1 << rows * cols) - 1
    probe = Layout("probe", rows, cols, everything & ~floor, 1 << cells[0], 0, cells[0], (cells[-1],))
    if probe.reachable(cells[0]) != floor:
        return False
    return all(len(set(probe.neighbours(cell)) - {cell}) >= _WAYS_OUT for cell in cells)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_range(value: object, least: int, most: int) -> bool:
    if not isinstance(value, tuple) or not all(_is_int(number, least, most) for number in value):
        return False
    return len(value) == 2 and bool(value[0] <= value[1])  # noqa: PLR2004 - fewest and most


def _are_minds(value: object) -> bool:
    return (
        isinstance(value, tuple) and bool(value) and all(isinstance(each, GhostBehaviour) for each in value)
    )


def _are_rows(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, str) for each in value)


def _is_int(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _check(name: str, wanted: str, value: object, *, is_right: bool) -> None:
    if not is_right:
        msg = f"{name} must be {wanted}, got {value!r}"
        raise InvalidArgument(msg)
