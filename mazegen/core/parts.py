"""The parts of a maze, its limits and its rules, each a frozen record.

All coordinates are ``(row, col)``, 0-based, origin top-left.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple

MIN_SIDE = 3  # a ring around one row of cells
MAX_SIDE = 128  # 16,384 cells: past it neither a picture nor a prompt of the board makes sense
MAX_PER_KIND = 20  # three masks of 20 bits pack into one 64-bit word of the search
MAX_TEXT = 200  # characters of an id
MAX_DESCRIPTION = 10_000  # characters
MAX_METADATA = 2**20  # characters of JSON
MAX_STEPS = 1_000_000
MAX_SEED = 2**64 - 1
MAX_TIER = 100
KEY_COLORS = ("red", "blue", "green", "yellow", "purple", "orange")
PALETTE = (*KEY_COLORS, "white", "grey", "black")  # switches and gates are also painted in these

SwitchKind = Literal["toggle", "one_shot"]
Observability = Literal["full", "view_cone", "fog_of_war"]
MECHANISM_KINDS = ("keys", "doors", "switches", "gates")


class Facing(IntEnum):
    """Where the agent looks; turning right adds one, modulo four."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


class Position(NamedTuple):
    """A cell: ``row`` grows south, ``col`` grows east."""

    row: int
    col: int

    def __str__(self) -> str:
        return f"row {self.row}, column {self.col}"


@dataclass(frozen=True, slots=True)
class Key:
    """A key lying on the floor; it fits every door of its colour."""

    id: str
    position: Position
    color: str


@dataclass(frozen=True, slots=True)
class Door:
    """A door that a key of ``color`` opens, for good, when the agent walks into it."""

    id: str
    position: Position
    color: str
    initially_open: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch in the floor that the agent faces to toggle; ``controls`` names gates by id."""

    id: str
    position: Position
    controls: tuple[str, ...] = ()
    kind: SwitchKind = "toggle"
    initially_on: bool = False
    color: str | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate that flips whenever "any of its switches is on" flips."""

    id: str
    position: Position
    initially_open: bool = False
    color: str | None = None


Mechanism = Key | Door | Switch | Gate


@dataclass(frozen=True, slots=True)
class Rules:
    """Per-maze variations of the rules.

    Attributes:
        key_consumption: one key object opens one door and is then used up.
        hidden_mechanisms: ids that the file asks to hide from the agent (kept, not yet acted on).
        observability: what the file asks the agent to see (kept, not yet acted on).
        view_size: side of the partial view in cells, odd (kept, not yet acted on).
    """

    key_consumption: bool = False
    hidden_mechanisms: tuple[str, ...] = ()
    observability: Observability = "full"
    view_size: int = 7


@dataclass(frozen=True, slots=True)
class Validation:
    """The proof that travels with a maze; anyone can replay and re-prove it.

    Attributes:
        is_valid: whether every check passed when the maze was made.
        reasons: what failed, empty for a valid maze.
        optimal_cost: fewest cell moves from start to goal (turns and pickups are free).
        optimal_path: the cells of such a walk, start and goal included.
        interactions: ``pickup:<id>``, ``toggle:<id>``, ``open:<id>``, ``cross:<id>`` along it.
        optimal_actions: a shortest plan in env actions, by name: the witness.
        necessity: ``(mechanism id, whether it is needed)`` pairs; needed means that without it there is no
            plan as good, or none (see ``mazegen.search.subject.Subject.need``).
    """

    is_valid: bool
    reasons: tuple[str, ...] = ()
    optimal_cost: int | None = None
    optimal_path: tuple[Position, ...] = ()
    interactions: tuple[str, ...] = ()
    optimal_actions: tuple[str, ...] = ()
    necessity: tuple[tuple[str, bool], ...] = ()
