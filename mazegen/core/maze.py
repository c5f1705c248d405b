"""What a maze is: a frozen record of walls, start, goal, keys, doors, switches and gates.

All coordinates are ``(row, col)``, 0-based, origin top-left. The outer ring (row 0, column 0 and
their opposites) belongs to the maze and is always solid. The parts of a maze can be imported from here, too.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mazegen.core.parts import (
    KEY_COLORS,
    MAX_DESCRIPTION,
    MAX_METADATA,
    MAX_PER_KIND,
    MAX_SEED,
    MAX_SIDE,
    MAX_STEPS,
    MAX_TEXT,
    MAX_TIER,
    MECHANISM_KINDS,
    MIN_SIDE,
    PALETTE,
    Door,
    Facing,
    Gate,
    Key,
    Mechanism,
    Observability,
    Position,
    Rules,
    Switch,
    SwitchKind,
    Validation,
)
from mazegen.core.well_formed import find_problems, find_problems_beside_the_board
from mazegen.errors import MazeFormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_painters: list[Callable[[Maze], str]] = []  # at most one, see ``show_mazes_by``

__all__ = [
    "KEY_COLORS",
    "MAX_DESCRIPTION",
    "MAX_METADATA",
    "MAX_PER_KIND",
    "MAX_SEED",
    "MAX_SIDE",
    "MAX_STEPS",
    "MAX_TEXT",
    "MAX_TIER",
    "MECHANISM_KINDS",
    "MIN_SIDE",
    "PALETTE",
    "Door",
    "Facing",
    "Gate",
    "Key",
    "Maze",
    "Mechanism",
    "Observability",
    "Position",
    "Rules",
    "Switch",
    "SwitchKind",
    "Validation",
    "View",
    "canonical_form",
    "show_mazes_by",
]


@dataclass(frozen=True, slots=True)
class Maze:
    """One level: the board, its mechanisms, its rules, and what is known about it.

    Attributes:
        rows: height in cells, ring included.
        cols: width in cells, ring included.
        walls: ``rows * cols`` bytes in row-major order, 1 where a wall stands.
        start: where the agent begins.
        goal: where it has to arrive.
        start_facing: where it looks at the beginning.
        keys: at most ``MAX_PER_KIND`` of each kind of mechanism, one mechanism to a cell.
        doors: see ``keys``.
        switches: see ``keys``.
        gates: see ``keys``.
        rules: variations of the rules.
        level_id: a name for people and tables.
        max_steps: step limit that the level asks for, or None.
        description: one sentence for people.
        seed: the seed it was generated from, or None.
        difficulty_tier: 1 (easiest) and up, or None.
        metadata_json: anything else, as canonical JSON text so that a maze stays immutable.
        validation: the proof, or None.

    Raises:
        MazeFormatError: the board breaks a rule of the format; every problem is listed.
    """

    rows: int
    cols: int
    walls: bytes
    start: Position
    goal: Position
    start_facing: Facing = Facing.NORTH
    keys: tuple[Key, ...] = ()
    doors: tuple[Door, ...] = ()
    switches: tuple[Switch, ...] = ()
    gates: tuple[Gate, ...] = ()
    rules: Rules = field(default_factory=Rules)
    level_id: str = "unnamed"
    max_steps: int | None = None
    description: str = ""
    seed: int | None = None
    difficulty_tier: int | None = None
    metadata_json: str = "{}"
    validation: Validation | None = None
    _content_hash: str | None = field(default=None, init=False, repr=False, compare=False)  # once it is known

    def __post_init__(self) -> None:
        """Refuse a maze that no file could hold."""
        problems = [*find_problems(self), *find_problems_beside_the_board(self)]
        if problems:
            raise MazeFormatError(problems, f"maze {self.level_id!r}")

    @property
    def metadata(self) -> dict[str, Any]:
        """A fresh copy of the free-form metadata."""
        loaded: dict[str, Any] = json.loads(self.metadata_json)
        return loaded

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Keys, doors, switches and gates, in that order."""
        return (*self.keys, *self.doors, *self.switches, *self.gates)

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) of what is played and seen: names, order and provenance do not count."""
        if self._content_hash is None:
            digest = hashlib.sha256(canonical_form(self)).hexdigest()
            object.__setattr__(self, "_content_hash", digest)
            return digest
        return self._content_hash

    def cell(self, position: Position) -> int:
        """Row-major index of a position."""
        return position.row * self.cols + position.col

    def position(self, cell: int) -> Position:
        """Position of a row-major index."""
        return Position(*divmod(cell, self.cols))

    def is_wall(self, position: Position) -> bool:
        """Whether a wall stands at a position on the board."""
        return self.walls[position.row * self.cols + position.col] != 0

    def _repr_svg_(self) -> str | None:
        """What a notebook shows; see ``show_mazes_by``."""
        return _painters[0](self) if _painters else None


def show_mazes_by(painter: Callable[[Maze], str]) -> None:
    """Say who draws the picture, an SVG text, that a notebook shows of a maze."""
    _painters[:] = [painter]


class View(NamedTuple):
    """A maze as it lies, or turned or mirrored; see ``mazegen.core.symmetry``.

    Attributes:
        rows: height in cells.
        cols: width in cells.
        walls: as in ``Maze``.
        start_facing: where the agent looks at the beginning.
        place: from a position of the maze to its (row, col) here, in plain ints.
        colors: what colours of keys and doors are called here; those that are not named stay.
    """

    rows: int
    cols: int
    walls: bytes
    start_facing: Facing
    place: Callable[[Position], tuple[int, int]]
    colors: Mapping[str, str] = MappingProxyType({})


def canonical_form(maze: Maze, view: View | None = None) -> bytes:
    """Bytes that two mazes share exactly when they play and look alike.

    Mechanisms are sorted by position and refer to each other by position, so ids and the order of
    lists drop out; so do the level's name, seed, description, step limit and proof.
    """
    if view is None:
        view = View(maze.rows, maze.cols, maze.walls, maze.start_facing, _place)
    place, named = view.place, view.colors.get
    gate_at = {gate.id: place(gate.position) for gate in maze.gates}
    hidden = {m.id: place(m.position) for m in maze.mechanisms}
    form = (
        (view.rows, view.cols, place(maze.start), int(view.start_facing), place(maze.goal)),
        sorted((place(k.position), named(k.color, k.color)) for k in maze.keys),
        sorted((place(d.position), named(d.color, d.color), d.initially_open) for d in maze.doors),
        sorted(
            (
                place(s.position),
                sorted({gate_at[gate] for gate in s.controls}),
                s.kind,
                s.initially_on,
                s.color or "",
            )
            for s in maze.switches
        ),
        sorted((place(g.position), g.initially_open, g.color or "") for g in maze.gates),
        (maze.rules.key_consumption, maze.rules.observability, maze.rules.view_size),
        sorted(hidden[name] for name in maze.rules.hidden_mechanisms),
    )
    return b"maze 1\n" + repr(form).encode() + b"\n" + view.walls


def _place(position: Position) -> tuple[int, int]:
    """Plain ints: numpy's print otherwise, and equal mazes must have equal hashes."""
    return int(position.row), int(position.col)
