"""What makes a maze one that a file can hold: every way in which one can break the format.

Paths are field names of ``Maze``; the codec turns them into JSON paths.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol, get_args

from mazegen.core.actions import Action
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
    Key,
    Observability,
    SwitchKind,
)
from mazegen.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mazegen.core.parts import Gate, Mechanism, Position, Rules, Switch, Validation


class BoardRecord(Protocol):
    """What these checks read of a maze's board; what a reader could not make out is None."""

    @property
    def rows(self) -> int: ...  # noqa: D102 - as in ``Maze``, like all that follow
    @property
    def cols(self) -> int: ...  # noqa: D102
    @property
    def walls(self) -> bytes: ...  # noqa: D102
    @property
    def start(self) -> Position | None: ...  # noqa: D102
    @property
    def goal(self) -> Position | None: ...  # noqa: D102
    @property
    def keys(self) -> Sequence[Key | None]: ...  # noqa: D102
    @property
    def doors(self) -> Sequence[Door | None]: ...  # noqa: D102
    @property
    def switches(self) -> Sequence[Switch | None]: ...  # noqa: D102
    @property
    def gates(self) -> Sequence[Gate | None]: ...  # noqa: D102
    @property
    def rules(self) -> Rules: ...  # noqa: D102


class DescriptionRecord(Protocol):
    """What these checks read of a maze beside its board."""

    @property
    def level_id(self) -> str: ...  # noqa: D102 - as in ``Maze``, like all that follow
    @property
    def description(self) -> str: ...  # noqa: D102
    @property
    def max_steps(self) -> int | None: ...  # noqa: D102
    @property
    def seed(self) -> int | None: ...  # noqa: D102
    @property
    def difficulty_tier(self) -> int | None: ...  # noqa: D102
    @property
    def rules(self) -> Rules: ...  # noqa: D102
    @property
    def metadata_json(self) -> str: ...  # noqa: D102
    @property
    def validation(self) -> Validation | None: ...  # noqa: D102


def text_problem(text: object, longest: int, *, multiline: bool = False) -> str | None:
    """What is wrong with a text, or None: an id is printable and never empty, a description may be either."""
    if not isinstance(text, str):
        return f"must be a string, got {type(text).__name__}"
    if len(text) > longest:
        return f"must be at most {longest} characters, got {len(text)}"
    if not (text or multiline):
        return "must not be empty"
    if not (text.replace("\n", " ").replace("\t", " ") if multiline else text).isprintable():
        return f"must not hold control or invisible characters, got {json.dumps(text[:60])}"
    return None


def find_problems_beside_the_board(maze: DescriptionRecord) -> Iterator[Problem]:
    """What is wrong with the names, numbers, rules, metadata and proof of a maze."""
    if problem := text_problem(maze.level_id, MAX_TEXT):
        yield Problem("level_id", problem)
    if problem := text_problem(maze.description, MAX_DESCRIPTION, multiline=True):
        yield Problem("description", problem)
    numbers = (("max_steps", maze.max_steps, 1, MAX_STEPS), ("seed", maze.seed, 0, MAX_SEED),
               ("difficulty_tier", maze.difficulty_tier, 1, MAX_TIER))  # fmt: skip
    for name, number, least, most in numbers:
        if number is not None and not (type(number) is int and least <= number <= most):
            yield Problem(name, f"must be an integer from {least} to {most} or None, got {number!r}")
    sights = get_args(Observability)
    if maze.rules.observability not in sights:
        known = ", ".join(sights)
        yield Problem("rules.observability", f"must be one of {known}, got {maze.rules.observability!r}")
    view = maze.rules.view_size
    if not (type(view) is int and MIN_SIDE <= view <= MAX_SIDE and view % 2 == 1):
        yield Problem("rules.view_size", f"must be odd and from {MIN_SIDE} to {MAX_SIDE}, got {view!r}")
    if maze.metadata_json != "{}":
        yield from _metadata_problems(maze.metadata_json)
    if maze.validation is not None:
        yield from _proof_problems(maze.validation)


def _metadata_problems(text: str) -> Iterator[Problem]:
    if len(text) > MAX_METADATA:
        yield Problem("metadata_json", f"must be at most {MAX_METADATA // 2**20} MiB of JSON")
        return
    try:
        metadata = json.loads(text)
        canonical = json.dumps(metadata, sort_keys=True, allow_nan=False)
    except ValueError as error:
        yield Problem("metadata_json", f"must be JSON: {error}")
        return
    if not isinstance(metadata, dict):
        yield Problem("metadata_json", f"must be an object, got {text[:60]}")
    elif canonical != text:
        yield Problem("metadata_json", "must be canonical: json.dumps(metadata, sort_keys=True)")


def _proof_problems(proof: Validation) -> Iterator[Problem]:
    cost = proof.optimal_cost
    if cost is not None and not (type(cost) is int and 0 <= cost <= MAX_STEPS):
        yield Problem("validation.optimal_cost", f"must be an integer from 0 to {MAX_STEPS}, got {cost!r}")
    unknown = set(proof.optimal_actions) - Action.__members__.keys()
    if unknown:
        yield Problem("validation.optimal_actions", f"no action is called {min(unknown)!r}")
    names = [name for name, _ in proof.necessity]
    if len(set(names)) < len(names):
        yield Problem("validation.necessity", "must name each mechanism once")


def find_problems(maze: BoardRecord) -> Iterator[Problem]:
    """Every way in which a board breaks the format; paths are field names of ``Maze``."""
    size_problems = list(_size_problems(maze))
    yield from size_problems
    if not size_problems:
        yield from _place_problems(maze)
    yield from _name_problems(maze)


def _size_problems(maze: BoardRecord) -> Iterator[Problem]:
    for name, side in (("rows", maze.rows), ("cols", maze.cols)):
        if not MIN_SIDE <= side <= MAX_SIDE:
            yield Problem(name, f"must be from {MIN_SIDE} to {MAX_SIDE}, got {side}")
            return
    if len(maze.walls) != maze.rows * maze.cols:
        expected = f"must hold rows * cols = {maze.rows * maze.cols} bytes"
        yield Problem("walls", f"{expected}, got {len(maze.walls)}")
        return
    cols, walls = maze.cols, maze.walls
    ring = walls[:cols] + walls[-cols:] + walls[::cols] + walls[cols - 1 :: cols]
    if 0 in ring:
        yield Problem("walls", "the outer ring of the board must be solid")
    if walls.count(0) + walls.count(1) != len(walls):
        yield Problem("walls", "each byte must be 0 (free) or 1 (wall)")


def _place_problems(maze: BoardRecord) -> Iterator[Problem]:
    start, goal = maze.start, maze.goal
    if start is not None and start == goal:
        yield Problem("goal", f"is the start cell ({start}); move one of them")
    places: list[tuple[str, Position | None]] = [("start", start), ("goal", goal)]
    occupied: dict[Position, str] = {} if goal is None else {goal: "the goal"}
    for kind in MECHANISM_KINDS:
        for index, mechanism in enumerate(getattr(maze, kind)):
            if mechanism is not None:
                place = f"{kind}[{index}].position"
                places.append((place, mechanism.position))
                if mechanism.position in occupied:
                    other = occupied[mechanism.position]
                    yield Problem(place, f"{mechanism.position} is taken by {other}; use another cell")
                occupied[mechanism.position] = f"{type(mechanism).__name__.lower()} {mechanism.id!r}"
    for path, position in places:
        if position is not None:
            yield from _position_problems(maze, path, position)


def _position_problems(maze: BoardRecord, path: str, position: Position) -> Iterator[Problem]:
    row, col = position
    if not (0 <= row < maze.rows and 0 <= col < maze.cols):
        yield Problem(path, f"{position} is outside the {maze.rows} x {maze.cols} board")
    elif row in (0, maze.rows - 1) or col in (0, maze.cols - 1):
        yield Problem(path, f"{position} is on the outer ring, which is always solid")
    elif maze.walls[row * maze.cols + col]:
        yield Problem(path, f"{position} is a wall")


def _name_problems(maze: BoardRecord) -> Iterator[Problem]:
    owner: dict[str, str] = {}
    for kind in MECHANISM_KINDS:
        mechanisms = getattr(maze, kind)
        if len(mechanisms) > MAX_PER_KIND:
            yield Problem(kind, f"at most {MAX_PER_KIND} are supported, got {len(mechanisms)}")
        for index, mechanism in enumerate(mechanisms):
            if mechanism is not None:
                path = f"{kind}[{index}]"
                if mechanism.id in owner:
                    yield Problem(f"{path}.id", f"{mechanism.id!r} is also the id of {owner[mechanism.id]}")
                owner.setdefault(mechanism.id, path)
                yield from _mechanism_problems(path, mechanism)
    yield from _reference_problems(maze, owner)


def _reference_problems(maze: BoardRecord, owner: dict[str, str]) -> Iterator[Problem]:
    """Names that lead nowhere; not asked where some mechanism is unread, for it may be the one meant."""
    gates = {gate.id for gate in maze.gates if gate is not None}
    known = ", ".join(sorted(gates)) or "none"
    if None not in maze.gates:
        for index, switch in enumerate(maze.switches):
            for place, gate_id in enumerate(switch.controls if switch is not None else ()):
                if gate_id not in gates:
                    yield Problem(
                        f"switches[{index}].controls[{place}]", f"no gate {gate_id!r}; gates: {known}"
                    )
    if not any(None in getattr(maze, kind) for kind in MECHANISM_KINDS):
        for index, name in enumerate(maze.rules.hidden_mechanisms):
            if name not in owner:
                yield Problem(f"rules.hidden_mechanisms[{index}]", f"no mechanism has the id {name!r}")


def _mechanism_problems(path: str, mechanism: Mechanism) -> Iterator[Problem]:
    if problem := text_problem(mechanism.id, MAX_TEXT):
        yield Problem(f"{path}.id", problem)
    allowed = KEY_COLORS if isinstance(mechanism, Key | Door) else (*PALETTE, None)
    if mechanism.color not in allowed:
        names = ", ".join(name for name in allowed if name)
        yield Problem(f"{path}.color", f"unknown colour {mechanism.color!r}; use one of {names}")
    kind = getattr(mechanism, "kind", "toggle")
    if kind not in get_args(SwitchKind):
        yield Problem(f"{path}.kind", f"must be one of {', '.join(get_args(SwitchKind))}, got {kind!r}")
