"""The records: what a maze refuses to be, and what makes two mazes the same."""

from __future__ import annotations

import pickle
import random
from dataclasses import FrozenInstanceError, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mazegen import codec
from mazegen.core.maze import (
    KEY_COLORS,
    MAX_PER_KIND,
    PALETTE,
    Door,
    Facing,
    Gate,
    Key,
    Maze,
    Position,
    Rules,
    Switch,
    Validation,
)
from mazegen.errors import (
    GenerationFailed,
    MazeError,
    MazeFormatError,
    Problem,
    SearchLimitExceeded,
    TooFewMazes,
    UnreachableState,
    UnsolvableMaze,
    UnsupportedMechanism,
)
from mazegen.rendering.picture import parse

from ...strategies import documented_mazes, mazes, names

if TYPE_CHECKING:
    from collections.abc import Callable

    from mazegen.core.maze import Mechanism


def sample() -> Maze:
    """A maze with one of everything, no two of its cells alike."""
    maze = parse("#########\n#>rR0=..#\n#...#..*#\n#########", level_id="sample")
    return replace(maze, rules=Rules(hidden_mechanisms=("k1",)))


def refused(change: dict[str, Any]) -> dict[str, str]:
    """The problems with the sample after a change, by path."""
    with pytest.raises(MazeFormatError) as caught:
        replace(sample(), **change)
    return dict(caught.value.problems)


# --- what is refused -------------------------------------------------------------------------------

HOLE = bytearray(sample().walls)
HOLE[4] = 0
STRANGE = bytearray(sample().walls)
STRANGE[10] = 2

REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "too few rows": ({"rows": 2}, "rows", "must be from 3 to 128, got 2"),
    "too many columns": ({"cols": 129}, "cols", "must be from 3 to 128, got 129"),
    "walls of another size": ({"walls": b"\1" * 35}, "walls", "must hold rows * cols = 36 bytes, got 35"),
    "a hole in the ring": ({"walls": bytes(HOLE)}, "walls", "the outer ring of the board must be solid"),
    "a strange wall": ({"walls": bytes(STRANGE)}, "walls", "each byte must be 0 (free) or 1 (wall)"),
    "start on a wall": ({"start": Position(2, 4)}, "start", "row 2, column 4 is a wall"),
    "start on the ring": ({"start": Position(0, 1)}, "start", "is on the outer ring"),
    "start off the board": ({"start": Position(9, 1)}, "start", "is outside the 4 x 9 board"),
    "start above the board": ({"start": Position(-1, 1)}, "start", "is outside the 4 x 9 board"),
    "goal on the start": ({"goal": Position(1, 1)}, "goal", "is the start cell"),
    "goal on a key": ({"goal": Position(1, 2)}, "keys[0].position", "is taken by the goal"),
    "two in a cell": (
        {"keys": (Key("k1", Position(1, 2), "red"), Key("k2", Position(1, 2), "red"))},
        "keys[1].position",
        "is taken by key 'k1'",
    ),
    "a key on a wall": ({"keys": (Key("k1", Position(2, 4), "red"),)}, "keys[0].position", "is a wall"),
    "a grey key": ({"keys": (Key("k1", Position(2, 2), "grey"),)}, "keys[0].color", "unknown colour 'grey'"),
    "a mauve gate": (
        {"gates": (Gate("g1", Position(1, 5), color="mauve"),)}, "gates[0].color", "unknown colour 'mauve'",
    ),
    "a duplicate id": (
        {"doors": (Door("k1", Position(1, 3), "red"),)}, "doors[0].id", "'k1' is also the id of keys[0]",
    ),
    "an unknown gate": (
        {"switches": (Switch("s1", Position(1, 4), ("g1", "g9")),)},
        "switches[0].controls[1]",
        "no gate 'g9'; gates: g1",
    ),
    "hidden nobody": (
        {"rules": Rules(hidden_mechanisms=("x",))}, "rules.hidden_mechanisms[0]", "no mechanism has the id",
    ),
    "too many gates": (
        {"gates": tuple(Gate(f"g{n}", Position(1, 2 + n)) for n in range(MAX_PER_KIND + 1))},
        "gates",
        "at most 20 are supported, got 21",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "path", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_a_maze_that_breaks_the_format_is_refused_at_its_field(
    change: dict[str, Any], path: str, says: str
) -> None:
    found = refused(change)
    assert path in found
    assert says in found[path]


def test_all_problems_are_reported_at_once() -> None:
    change = {"start": Position(2, 4), "goal": Position(0, 0), "keys": (Key("d1", Position(1, 2), "grey"),)}
    assert set(refused(change)) == {
        "start", "goal", "keys[0].color", "doors[0].id", "rules.hidden_mechanisms[0]",
    }  # fmt: skip


def test_the_error_names_the_level() -> None:
    with pytest.raises(MazeFormatError, match=r"^maze 'sample': start: "):
        replace(sample(), start=Position(0, 0))


UNSTORABLE: dict[str, dict[str, Any]] = {
    "no name": {"level_id": ""},
    "a name with a bell": {"level_id": "\u0007"},
    "an endless name": {"level_id": "x" * 201},
    "a lone surrogate": {"description": "\ud800"},
    "no steps": {"max_steps": 0},
    "a negative seed": {"seed": -1},
    "tier 0": {"difficulty_tier": 0},
    "a view without a middle": {"rules": Rules(view_size=4)},
    "no such sight": {"rules": Rules(observability="blind")},  # type: ignore[arg-type]  # the point
    "no id": {"gates": (Gate("", Position(1, 5)),), "switches": ()},
    "no such switch": {
        "switches": (Switch("s1", Position(1, 4), kind="hold"),),  # type: ignore[arg-type]  # the point
    },
    "metadata that is no JSON": {"metadata_json": "{"},
    "metadata that is a list": {"metadata_json": "[]"},
    "metadata that is not canonical": {"metadata_json": '{"b":1,"a":2}'},
    "metadata that is no number": {"metadata_json": '{"a": NaN}'},
    "a proof that is negative": {"validation": Validation(is_valid=True, optimal_cost=-1)},
    "a proof by jumping": {"validation": Validation(is_valid=True, optimal_actions=("JUMP",))},
    "a proof that says two things": {
        "validation": Validation(is_valid=True, necessity=(("k1", True), ("k1", False)))
    },
}  # fmt: skip


@pytest.mark.parametrize("change", UNSTORABLE.values(), ids=UNSTORABLE.keys())
def test_a_maze_that_no_file_can_hold_is_refused_or_made_storable(change: dict[str, Any]) -> None:
    try:
        maze = replace(sample(), **change)
    except MazeFormatError:
        return
    assert codec.loads(codec.dumps(maze)) == maze


# --- records ---------------------------------------------------------------------------------------


def test_a_maze_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        sample().rows = 5  # type: ignore[misc]  # the point of the test


@given(maze=documented_mazes())
def test_a_maze_survives_pickling(maze: Maze) -> None:
    assert pickle.loads(pickle.dumps(maze)) == maze  # noqa: S301 - our own bytes


@given(maze=mazes())
def test_equal_mazes_have_equal_hashes(maze: Maze) -> None:
    twin = codec.from_dict(codec.to_dict(maze))
    assert (twin, hash(twin), twin.content_hash) == (maze, hash(maze), maze.content_hash)


def test_metadata_is_a_fresh_copy() -> None:
    maze = replace(sample(), metadata_json='{"a": [1]}')
    maze.metadata["a"].append(2)
    assert maze.metadata == {"a": [1]}


@given(maze=mazes())
def test_cells_count_row_by_row(maze: Maze) -> None:
    positions = [Position(row, col) for row in range(maze.rows) for col in range(maze.cols)]
    assert [maze.cell(position) for position in positions] == list(range(maze.rows * maze.cols))
    assert [maze.position(cell) for cell in range(len(positions))] == positions
    assert [maze.is_wall(position) for position in positions] == [byte == 1 for byte in maze.walls]


@given(maze=mazes())
def test_mechanisms_are_keys_doors_switches_gates(maze: Maze) -> None:
    kinds = [type(mechanism) for mechanism in maze.mechanisms]
    assert kinds == sorted(kinds, key=[Key, Door, Switch, Gate].index)
    assert len(kinds) == len(maze.keys) + len(maze.doors) + len(maze.switches) + len(maze.gates)


def test_a_position_reads_as_words() -> None:
    assert str(Position(row=2, col=7)) == "row 2, column 7"


def test_key_colours_differ_in_their_first_letter() -> None:
    assert len({color[0] for color in KEY_COLORS}) == len(KEY_COLORS)


# --- content hash ----------------------------------------------------------------------------------


@given(maze=mazes(), provenance=documented_mazes())
def test_the_hash_ignores_provenance(maze: Maze, provenance: Maze) -> None:
    told = replace(
        maze,
        level_id=provenance.level_id,
        max_steps=provenance.max_steps,
        description=provenance.description,
        seed=provenance.seed,
        difficulty_tier=provenance.difficulty_tier,
        metadata_json=provenance.metadata_json,
        validation=provenance.validation,
    )
    assert told.content_hash == maze.content_hash


def renamed(maze: Maze, new: dict[str, str]) -> Maze:
    """A maze whose mechanisms bear new names."""
    switches = [
        replace(s, id=new[s.id], controls=tuple(new[gate] for gate in s.controls)) for s in maze.switches
    ]
    return replace(
        maze,
        keys=tuple(replace(key, id=new[key.id]) for key in maze.keys),
        doors=tuple(replace(door, id=new[door.id]) for door in maze.doors),
        switches=tuple(switches),
        gates=tuple(replace(gate, id=new[gate.id]) for gate in maze.gates),
        rules=replace(
            maze.rules, hidden_mechanisms=tuple(new[name] for name in maze.rules.hidden_mechanisms)
        ),
    )


@given(maze=mazes(), data=st.data())
def test_the_hash_ignores_ids(maze: Maze, data: st.DataObject) -> None:
    size = len(maze.mechanisms)
    fresh = data.draw(st.lists(names, unique=True, min_size=size, max_size=size))
    new = {mechanism.id: name for mechanism, name in zip(maze.mechanisms, fresh, strict=True)}
    assert renamed(maze, new).content_hash == maze.content_hash


@given(maze=mazes(), seed=st.integers(0, 2**32))
def test_the_hash_ignores_the_order_of_lists(maze: Maze, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - no secret

    def shuffled(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(rng.sample(items, len(items)))

    other = replace(
        maze,
        keys=shuffled(maze.keys),
        doors=shuffled(maze.doors),
        switches=tuple(replace(s, controls=shuffled(s.controls)) for s in shuffled(maze.switches)),
        gates=shuffled(maze.gates),
        rules=replace(maze.rules, hidden_mechanisms=shuffled(maze.rules.hidden_mechanisms)),
    )
    assert other.content_hash == maze.content_hash


def test_the_hash_ignores_a_gate_that_is_listed_twice() -> None:
    maze = sample()
    doubled = replace(maze.switches[0], controls=("g1", "g1"))
    assert replace(maze, switches=(doubled,)).content_hash == maze.content_hash


def _with(slot: str, **change: Any) -> Callable[[Maze], Maze]:
    def changed(maze: Maze) -> Maze:
        first = replace(getattr(maze, slot)[0], **change)
        return replace(maze, **{slot: (first,)})  # type: ignore[arg-type]  # a field by name

    return changed


WALLED = bytearray(sample().walls)
WALLED[9 + 7] = 1
MATTERS: dict[str, Callable[[Maze], Maze]] = {
    "a wall": lambda maze: replace(maze, walls=bytes(WALLED)),
    "the start": lambda maze: replace(maze, start=Position(2, 1)),
    "the facing": lambda maze: replace(maze, start_facing=Facing.SOUTH),
    "the goal": lambda maze: replace(maze, goal=Position(2, 6)),
    "where a key lies": _with("keys", position=Position(2, 2)),
    "the colour of a key": _with("keys", color="blue"),
    "a key": lambda maze: replace(maze, keys=(), rules=Rules()),
    "where a door stands": _with("doors", position=Position(2, 3)),
    "the colour of a door": _with("doors", color="blue"),
    "whether a door is open": _with("doors", initially_open=True),
    "where a switch is": _with("switches", position=Position(2, 2)),
    "what a switch controls": _with("switches", controls=()),
    "whether a switch is on": _with("switches", initially_on=True),
    "the kind of a switch": _with("switches", kind="one_shot"),
    "the colour of a switch": _with("switches", color="white"),
    "where a gate stands": _with("gates", position=Position(2, 5)),
    "whether a gate is open": _with("gates", initially_open=True),
    "the colour of a gate": _with("gates", color="black"),
    "whether keys are used up": lambda maze: replace(maze, rules=replace(maze.rules, key_consumption=True)),
    "what is hidden": lambda maze: replace(maze, rules=replace(maze.rules, hidden_mechanisms=())),
    "what is seen": lambda maze: replace(maze, rules=replace(maze.rules, observability="view_cone")),
    "how far is seen": lambda maze: replace(maze, rules=replace(maze.rules, view_size=5)),
}


def test_everything_that_is_played_or_seen_counts_in_the_hash() -> None:
    hashes = {name: change(sample()).content_hash for name, change in MATTERS.items()}
    assert len(set(hashes.values()) | {sample().content_hash}) == len(MATTERS) + 1


@given(maze=mazes(), other=mazes())
def test_mazes_of_other_shapes_have_other_hashes(maze: Maze, other: Maze) -> None:
    assume(
        (maze.rows, maze.cols, maze.walls, maze.start) != (other.rows, other.cols, other.walls, other.start)
    )
    assert maze.content_hash != other.content_hash


def test_the_hash_is_the_same_on_every_machine() -> None:
    # Changing what is hashed orphans every recorded result; do it on purpose or not at all.
    assert sample().content_hash == HASH_OF_SAMPLE


HASH_OF_SAMPLE = "b76c39b78ad46619e97b9bf36edd0a33427db124e2b64b981cbc72782a0bb1cd"


def test_a_maze_made_with_numpy_integers_is_the_same_maze() -> None:
    maze = sample()
    numbers = [Position(np.int64(place.row), np.int64(place.col)) for place in (maze.start, maze.goal)]  # type: ignore[arg-type]  # the point
    twin = replace(maze, start=numbers[0], goal=numbers[1])
    assert (twin, twin.content_hash) == (maze, maze.content_hash)


# --- errors ----------------------------------------------------------------------------------------

ERRORS: tuple[tuple[MazeError, type[Exception]], ...] = (
    (MazeFormatError([Problem("$", "is wrong")]), ValueError),
    (
        UnsupportedMechanism([Problem("$", "is not built"), Problem("$.x", "neither")], "a.json"),
        MazeFormatError,
    ),
    (UnsolvableMaze("no way"), ValueError),
    (UnreachableState("nowhere"), LookupError),
    (SearchLimitExceeded("too many"), RuntimeError),
    (GenerationFailed("{}", {"no room": 2, "bypass": 3}), RuntimeError),
    (TooFewMazes("{}", {"no room": 2}, 3, 9), GenerationFailed),
)


@pytest.mark.parametrize(("error", "kind"), ERRORS, ids=[type(error).__name__ for error, _ in ERRORS])
def test_errors_are_maze_errors_and_of_a_common_kind_and_survive_pickling(
    error: MazeError, kind: type[Exception]
) -> None:
    assert isinstance(error, MazeError)
    assert isinstance(error, kind)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), str(again)) == (type(error), str(error))


def test_paints_include_the_colours_of_keys() -> None:
    def painted(color: str) -> tuple[Mechanism, ...]:
        return replace(sample(), gates=(Gate("g1", Position(1, 5), color=color),)).gates

    assert [painted(color)[0].color for color in PALETTE] == list(PALETTE)
