"""Maze files: what is written is read back, and everything wrong gets one clear error with its place."""

from __future__ import annotations

import copy
import io
import json
import math
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mazegen import codec
from mazegen.codec.checked_json import MAX_BYTES, MAX_DEPTH
from mazegen.core.maze import MECHANISM_KINDS, Facing, Maze, Position
from mazegen.errors import MazeFormatError, Problem, UnsupportedMechanism
from mazegen.rendering.picture import parse

from ...strategies import documented_mazes, json_values, mazes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Payload = dict[str, Any]

SCHEMA = jsonschema.Draft202012Validator(codec.schema())


def sample() -> Payload:
    """A valid file with one of everything: 7 wide, 5 high."""
    return {
        "version": "2.0",
        "task_id": "sample",
        "seed": 7,
        "difficulty_tier": 2,
        "description": "One of\neverything.",
        "max_steps": 90,
        "maze": {
            "dimensions": [7, 5],
            "walls": [[0, 0], [5, 3], [3, 2]],
            "start": [1, 1],
            "start_facing": "EAST",
            "goal": [5, 1],
            "floor": None,
        },
        "mechanisms": {
            "keys": [{"id": "k", "position": [2, 1], "color": "red"}],
            "doors": [{"id": "d", "position": [3, 1], "requires_key": "red", "initial_state": "locked"}],
            "switches": [
                {"id": "s", "position": [2, 3], "controls": ["g"], "switch_type": "toggle", "color": "white"}
            ],
            "gates": [{"id": "g", "position": [4, 1], "initial_state": "closed", "color": "black"}],
            "blocks": [],
            "teleporters": [],
            "hazards": [],
        },
        "rules": {
            "key_consumption": True,
            "switch_type": "toggle",
            "hidden_mechanisms": ["s"],
            "observability": "fog_of_war",
            "view_size": 5,
        },
        "goal": {"type": "reach_position", "target": [5, 1], "auxiliary_conditions": []},
        "metadata": {"made by": "hand", "nested": {"pi": 3.14}},
        "validation": {
            "is_valid": True,
            "reasons": [],
            "optimal_cost": 4,
            "optimal_path": [[1, 1], [2, 1]],
            "interactions": ["pickup:k"],
            "optimal_actions": ["MOVE_FORWARD", "PICKUP"],
            "necessity": {"k": True},
        },
    }


def put(path: str, value: Any) -> Callable[[Payload], None]:
    """Damage: a value in the place of what stands at ``a.b.0.c``."""
    *parents, last = [int(name) if name.isdigit() else name for name in path.split(".")]

    def damage(payload: Payload) -> None:
        place: Any = payload
        for name in parents:
            place = place[name]
        place[last] = value

    return damage


def drop(path: str) -> Callable[[Payload], None]:
    """Damage: nothing where something stood."""
    *parents, last = path.split(".")

    def damage(payload: Payload) -> None:
        place: Any = payload
        for name in parents:
            place = place[int(name) if name.isdigit() else name]
        del place[last]

    return damage


def damaged(*damages: Callable[[Payload], object]) -> Payload:
    payload = sample()
    for damage in damages:
        damage(payload)
    return payload


def problems_of(payload: object) -> dict[str, str]:
    """What ``from_dict`` says is wrong, by path."""
    with pytest.raises(MazeFormatError) as caught:
        codec.from_dict(payload)
    return dict(caught.value.problems)


# --- there and back --------------------------------------------------------------------------------


@given(maze=documented_mazes())
def test_what_is_written_is_read_back(maze: Maze) -> None:
    assert codec.loads(codec.dumps(maze)) == maze


@given(maze=documented_mazes())
def test_the_dictionary_is_read_back_without_going_through_text(maze: Maze) -> None:
    assert codec.from_dict(codec.to_dict(maze)) == maze


@given(maze=documented_mazes())
def test_bytes_are_read_like_text(maze: Maze) -> None:
    assert codec.loads(codec.dumps(maze).encode()) == maze


@given(maze=documented_mazes())
def test_everything_that_is_written_fits_the_schema(maze: Maze) -> None:
    SCHEMA.validate(json.loads(codec.dumps(maze)))


@given(maze=mazes())
def test_reading_does_not_change_the_payload(maze: Maze) -> None:
    payload = codec.to_dict(maze)
    before = copy.deepcopy(payload)
    codec.from_dict(payload)
    assert payload == before


@given(maze=documented_mazes())
def test_the_same_maze_is_written_as_the_same_bytes(maze: Maze) -> None:
    assert codec.dumps(codec.loads(codec.dumps(maze))) == codec.dumps(maze)


def test_a_file_is_read_back(tmp_path: Path) -> None:
    maze = codec.from_dict(sample())
    codec.dump(maze, tmp_path / "maze.json")
    assert codec.load(tmp_path / "maze.json") == maze


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "maze.json"
    target.write_text("old")
    codec.dump(codec.from_dict(sample()), target)
    assert [path.name for path in tmp_path.iterdir()] == ["maze.json"]
    assert codec.load(str(target)).level_id == "sample"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "maze.json"
    target.write_text("old")

    def fail(_: Maze) -> str:
        msg = "full disk"
        raise OSError(msg)

    monkeypatch.setattr(codec, "dumps", fail)
    with pytest.raises(OSError, match="full disk"):
        codec.dump(codec.from_dict(sample()), target)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("maze.json", "old")]


def test_a_written_file_is_readable_by_everyone(tmp_path: Path) -> None:
    codec.dump(codec.from_dict(sample()), tmp_path / "maze.json")
    assert (tmp_path / "maze.json").stat().st_mode & 0o777 == 0o644


def test_a_missing_file_is_the_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        codec.load(tmp_path / "absent.json")


def test_the_error_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(MazeFormatError, match=r"bad\.json: lacks 'maze'"):
        codec.load(tmp_path / "bad.json")


# --- what a file means -----------------------------------------------------------------------------


def test_pairs_are_x_then_y() -> None:
    maze = codec.from_dict(damaged(put("maze.goal", [5, 2]), put("goal.target", [5, 2])))
    assert maze.goal == Position(row=2, col=5)
    assert (maze.rows, maze.cols) == (5, 7)


def test_the_ring_is_solid_whether_listed_or_not() -> None:
    unlisted = codec.from_dict(damaged(put("maze.walls", [[5, 3], [3, 2]])))
    ring = [[x, y] for x in range(7) for y in range(5) if x in (0, 6) or y in (0, 4)]
    listed = codec.from_dict(damaged(put("maze.walls", [*ring, [3, 2], [5, 3]])))
    assert unlisted.walls == listed.walls == codec.from_dict(sample()).walls


def test_every_field_of_a_file_arrives() -> None:
    maze = codec.from_dict(sample())
    assert (maze.level_id, maze.seed, maze.difficulty_tier, maze.max_steps) == ("sample", 7, 2, 90)
    assert maze.description == "One of\neverything."
    assert maze.start_facing == Facing.EAST
    assert maze.metadata == {"made by": "hand", "nested": {"pi": 3.14}}
    assert (maze.rules.key_consumption, maze.rules.observability, maze.rules.view_size) == (
        True, "fog_of_war", 5,
    )  # fmt: skip
    assert maze.rules.hidden_mechanisms == ("s",)
    assert (maze.switches[0].color, maze.gates[0].color) == ("white", "black")
    assert maze.validation is not None
    assert maze.validation.optimal_path == (Position(1, 1), Position(1, 2))
    assert maze.validation.necessity == (("k", True),)


def test_a_bare_board_is_enough() -> None:
    maze = codec.from_dict({"maze": {"dimensions": [4, 3], "start": [1, 1], "goal": [2, 1]}})
    assert (maze.mechanisms, maze.level_id, maze.start_facing) == ((), "unnamed", Facing.NORTH)
    assert (maze.max_steps, maze.seed, maze.validation) == (None, None, None)
    assert not maze.rules.key_consumption


@pytest.mark.parametrize("version", ["0.1", "1.0", "1.1", "2.0", "3.0"])
def test_three_generations_of_files_are_read(version: str) -> None:
    assert codec.from_dict(damaged(put("version", version))) == codec.from_dict(sample())


def test_what_older_files_say_beside_the_maze_is_kept_as_metadata() -> None:
    chain = {"depth": 1, "sequence": [], "notation": "k>d>G"}
    maze = codec.from_dict(damaged(put("dependency_chain", chain), put("distractors", [{"type": "decoy"}])))
    assert maze.metadata["dependency_chain"] == chain
    assert maze.metadata["distractors"] == [{"type": "decoy"}]
    assert maze.metadata["made by"] == "hand"


@pytest.mark.parametrize("name", ["seed", "difficulty_tier", "max_steps", "goal", "metadata", "validation"])
def test_null_means_absent(name: str) -> None:
    assert codec.from_dict(damaged(put(name, None))) == codec.from_dict(damaged(drop(name)))


@pytest.mark.parametrize(
    ("kind", "state", "field"),
    [
        ("doors", "open", "initially_open"),
        ("switches", "on", "initially_on"),
        ("gates", "open", "initially_open"),
    ],
)
def test_initial_states_arrive(kind: str, state: str, field: str) -> None:
    maze = codec.from_dict(damaged(put(f"mechanisms.{kind}.0.initial_state", state)))
    assert getattr(getattr(maze, kind)[0], field) is True
    assert getattr(getattr(codec.from_dict(sample()), kind)[0], field) is False


def test_a_one_shot_switch_arrives() -> None:
    assert codec.from_dict(damaged(put("mechanisms.switches.0.switch_type", "one_shot"))).switches[
        0
    ].kind == ("one_shot")


def test_a_door_may_repeat_the_colour_of_its_key() -> None:
    assert codec.from_dict(damaged(put("mechanisms.doors.0.color", "red"))).doors[0].color == "red"


def test_tuples_are_read_like_lists() -> None:
    assert codec.from_dict(damaged(put("maze.start", (1, 1)))) == codec.from_dict(sample())


def test_a_byte_order_mark_is_tolerated() -> None:
    assert codec.loads(b"\xef\xbb\xbf" + json.dumps(sample()).encode()) == codec.from_dict(sample())


def test_the_file_is_text_that_diffs_well() -> None:
    text = codec.dumps(parse("#####\n#>r*#\n#####", level_id="näme"))
    lines = text.splitlines()
    assert '  "task_id": "näme",' in lines
    assert '    "keys": [{"id": "k1", "position": [2, 1], "color": "red"}],' in lines
    assert text.endswith("}\n")


# --- what is wrong with a file ---------------------------------------------------------------------


class Wrong(NamedTuple):
    """One kind of wrongness: what to do to the sample, where the error must point, what it must say."""

    name: str
    damage: Callable[[Payload], object]
    path: str
    says: str


def _nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


KEY, DOOR, SWITCH, GATE = (f"mechanisms.{kind}.0" for kind in MECHANISM_KINDS)  # to be damaged
K, D, S, G = (f"$.mechanisms.{kind}[0]" for kind in MECHANISM_KINDS)  # in a message
LONG = "x" * 201
UNPRINTABLE = "control or invisible characters"
WRONG = (
    # objects and names
    Wrong("no maze", drop("maze"), "$", "lacks 'maze'"),
    Wrong("maze is a list", put("maze", []), "$.maze", "must be an object"),
    Wrong("no dimensions", drop("maze.dimensions"), "$.maze", "lacks 'dimensions'"),
    Wrong("no start", drop("maze.start"), "$.maze", "lacks 'start'"),
    Wrong("no goal", drop("maze.goal"), "$.maze", "lacks 'goal'"),
    Wrong("unknown field", put("zzz", 1), "$.zzz", 'unknown field "zzz"; free-form data belongs in'),
    Wrong("misspelt field", put("mechanism", {}), "$.mechanism", "did you mean 'mechanisms'?"),
    Wrong("misspelt slot", put("mechanisms.dors", []), "$.mechanisms.dors", "did you mean 'doors'?"),
    Wrong("misspelt rule", put("rules.key_consumtion", 0), "$.rules.key_consumtion", "'key_consumption'?"),
    Wrong("a name that is no identifier", put("a b\u0007", 1), "$", r'unknown field "a b\u0007"'),
    Wrong("a name with a lone surrogate", put("a\ud800", 1), "$", r'unknown field "a\ud800"'),
    Wrong("unknown version", put("version", "9.9"), "$.version", 'unknown version "9.9"; this package'),
    Wrong("version as a number", put("version", 2.0), "$.version", "unknown version 2.0"),
    Wrong("version as a list", put("version", ["2.0"]), "$.version", "unknown version"),
    # numbers
    Wrong("bool for int", put("seed", value=True), "$.seed", "must be an integer, got true"),
    Wrong("float for int", put("max_steps", 10.0), "$.max_steps", "must be an integer, got 10.0"),
    Wrong("string for int", put("seed", "7"), "$.seed", 'must be an integer, got "7"'),
    Wrong("NaN for int", put("seed", math.nan), "$.seed", "must be an integer, got NaN"),
    Wrong("Infinity for int", put("seed", math.inf), "$.seed", "must be an integer, got Infinity"),
    Wrong("negative seed", put("seed", -1), "$.seed", "must be from 0 to"),
    Wrong("seed past 64 bits", put("seed", 2**64), "$.seed", "must be from 0 to 18446744073709551615"),
    Wrong("no steps", put("max_steps", 0), "$.max_steps", "must be from 1 to 1000000, got 0"),
    Wrong("tier 0", put("difficulty_tier", 0), "$.difficulty_tier", "must be from 1 to 100, got 0"),
    Wrong("negative width", put("maze.dimensions", [-7, 5]), "$.maze.dimensions[0]", "from 3 to 128, got -7"),
    Wrong("absurd height", put("maze.dimensions", [7, 10**9]), "$.maze.dimensions[1]", "from 3 to 128"),
    Wrong("just too wide", put("maze.dimensions", [129, 5]), "$.maze.dimensions[0]", "got 129"),
    Wrong("just too low", put("maze.dimensions", [7, 2]), "$.maze.dimensions[1]", "got 2"),
    Wrong("three dimensions", put("maze.dimensions", [7, 5, 1]), "$.maze.dimensions", "a pair of integers"),
    Wrong("bool coordinate", put("maze.start", [True, 1]), "$.maze.start[0]", "must be an integer, got true"),
    Wrong("float coordinate", put("maze.start", [1.5, 1]), "$.maze.start[0]", "must be an integer, got 1.5"),
    Wrong("null coordinate", put("maze.start", [1, None]), "$.maze.start[1]", "must be an integer, got null"),
    Wrong("a word for a pair", put("maze.goal", "51"), "$.maze.goal", 'a pair of integers, got "51"'),
    Wrong("null for a pair", put("maze.goal", None), "$.maze.goal", "a pair of integers, got null"),
    Wrong("even view", put("rules.view_size", 4), "$.rules.view_size", "must be odd"),
    # texts
    Wrong("empty id", put(f"{KEY}.id", ""), f"{K}.id", "must not be empty"),
    Wrong("id with a bell", put(f"{KEY}.id", "k\u0007"), f"{K}.id", r'got "k\u0007"'),
    Wrong("id with a line break", put(f"{KEY}.id", "k\n1"), f"{K}.id", UNPRINTABLE),
    Wrong("lone surrogate", put(f"{KEY}.id", "\ud800"), f"{K}.id", r'got "\ud800"'),
    Wrong("surrogate in text", put("description", "\udfff"), "$.description", UNPRINTABLE),
    Wrong("endless id", put(f"{KEY}.id", LONG), f"{K}.id", "at most 200 characters, got 201"),
    Wrong("numeric id", put(f"{KEY}.id", 1), f"{K}.id", "must be a string, got 1"),
    Wrong("numeric name", put("task_id", 1), "$.task_id", "must be a string"),
    Wrong("null name", put("task_id", None), "$.task_id", "must be a string, got null"),
    Wrong("escape in description", put("description", "\x1b[31m"), "$.description", UNPRINTABLE),
    Wrong("a list of metadata", put("metadata", []), "$.metadata", "must be an object"),
    Wrong("NaN in metadata", put("metadata.x", math.nan), "$.metadata", "must be plain JSON"),
    Wrong("a set in metadata", put("metadata.x", {1}), "$.metadata", "must be plain JSON"),
    # places
    Wrong("start = goal", put("maze.start", [5, 1]), "$.maze.goal", "is the start cell"),
    Wrong("start off the board", put("maze.start", [7, 1]), "$.maze.start", "is outside the 5 x 7 board"),
    Wrong("start on the ring", put("maze.start", [0, 1]), "$.maze.start", "is on the outer ring"),
    Wrong("start on a wall", put("maze.start", [3, 2]), "$.maze.start", "row 2, column 3 is a wall"),
    Wrong("start at -1", put("maze.start", [-1, 1]), "$.maze.start[0]", "from 0 to 127, got -1"),
    Wrong("goal on a wall", put("maze.goal", [3, 2]), "$.maze.goal", "is a wall"),
    Wrong("goal on the ring", put("maze.goal", [6, 1]), "$.maze.goal", "is on the outer ring"),
    Wrong("key on a wall", put(f"{KEY}.position", [3, 2]), f"{K}.position", "is a wall"),
    Wrong("door on the ring", put(f"{DOOR}.position", [3, 0]), f"{D}.position", "outer ring"),
    Wrong("gate off", put(f"{GATE}.position", [4, 9]), f"{G}.position", "is outside the"),
    Wrong("two in a cell", put(f"{GATE}.position", [3, 1]), f"{G}.position", "by door 'd'"),
    Wrong("key on goal", put(f"{KEY}.position", [5, 1]), f"{K}.position", "taken by the goal"),
    Wrong("wall off the board", put("maze.walls.1", [9, 9]), "$.maze.walls[1]", "is outside the 5 x 7 board"),
    Wrong("wall is a number", put("maze.walls.1", 3), "$.maze.walls[1]", "must be a pair of integers, got 3"),
    Wrong("walls are an object", put("maze.walls", {}), "$.maze.walls", "must be a list, got {}"),
    Wrong("another target", put("goal.target", [1, 3]), "$.goal.target", "maze.goal is row 1, column 5"),
    Wrong("target is no pair", put("goal.target", 5), "$.goal.target", "must be a pair"),
    # mechanisms
    Wrong("mechanisms are a list", put("mechanisms", []), "$.mechanisms", "must be an object"),
    Wrong("keys are an object", put("mechanisms.keys", {}), "$.mechanisms.keys", "must be a list"),
    Wrong("key is a word", put(KEY, "k"), K, 'must be an object, got "k"'),
    Wrong("key without a place", drop(f"{KEY}.position"), K, "lacks 'position'"),
    Wrong("key without an id", drop(f"{KEY}.id"), K, "lacks 'id'"),
    Wrong("key without a colour", drop(f"{KEY}.color"), K, "lacks 'color'"),
    Wrong("unknown colour", put(f"{KEY}.color", "mauve"), f"{K}.color", 'got "mauve"'),
    Wrong("misspelt colour", put(f"{KEY}.color", "purpel"), f"{K}.color", "mean 'purple'?"),
    Wrong("a key in grey", put(f"{KEY}.color", "grey"), f"{K}.color", "must be one of red"),
    Wrong("null colour", put(f"{KEY}.color", None), f"{K}.color", "got null"),
    Wrong("unknown lock", put(f"{DOOR}.requires_key", "mauve"), f"{D}.requires_key", "mauve"),
    Wrong("two colours", put(f"{DOOR}.color", "blue"), f"{D}.color", "requires a red key"),
    Wrong("ajar door", put(f"{DOOR}.initial_state", "ajar"), f"{D}.initial_state", "locked, open"),
    Wrong("lit switch", put(f"{SWITCH}.initial_state", "lit"), f"{S}.initial_state", "off, on"),
    Wrong("gate locked", put(f"{GATE}.initial_state", "locked"), f"{G}.initial_state", "closed"),
    Wrong("gate painted so", put(f"{GATE}.color", "mauve"), f"{G}.color", "must be one of"),
    Wrong("switch type", put(f"{SWITCH}.switch_type", "lever"), f"{S}.switch_type", "toggle"),
    Wrong("no controls", drop(f"{SWITCH}.controls"), S, "lacks 'controls'"),
    Wrong("g controls", put(f"{SWITCH}.controls", "g"), f"{S}.controls", "must be a list"),
    Wrong("1 controls", put(f"{SWITCH}.controls", [1]), f"{S}.controls[0]", "a string"),
    Wrong(
        "no such gate", put(f"{SWITCH}.controls", ["g", "gg"]), f"{S}.controls[1]",
        "no gate 'gg'; gates: g",
    ),
    Wrong("key as gate", put(f"{SWITCH}.controls", ["k"]), f"{S}.controls[0]", "no gate 'k'"),
    Wrong("duplicate id", put(f"{GATE}.id", "k"), f"{G}.id", "'k' is also the id of keys[0]"),
    Wrong("blocks are a word", put("mechanisms.blocks", "none"), "$.mechanisms.blocks", "must be a list"),
    # rules, goal, proof
    Wrong("rules are a list", put("rules", []), "$.rules", "must be an object"),
    Wrong("yes", put("rules.key_consumption", "yes"), "$.rules.key_consumption", "must be true or false"),
    Wrong("1 for true", put("rules.key_consumption", 1), "$.rules.key_consumption", "must be true or false"),
    Wrong("sight", put("rules.observability", "blind"), "$.rules.observability", "must be one of full"),
    Wrong("hidden x", put("rules.hidden_mechanisms", ["x"]), "$.rules.hidden_mechanisms[0]", "no mechanism"),
    Wrong("hidden number", put("rules.hidden_mechanisms", [1]), "$.rules.hidden_mechanisms[0]", "a string"),
    Wrong("goal is a word", put("goal", "reach"), "$.goal", "must be an object"),
    Wrong("goal without type", drop("goal.type"), "$.goal", "lacks 'type'"),
    Wrong("goal type is a number", put("goal.type", 5), "$.goal.type", "5"),
    Wrong("proof is a word", put("validation", "yes"), "$.validation", "must be an object"),
    Wrong("no verdict", drop("validation.is_valid"), "$.validation", "lacks 'is_valid'"),
    Wrong("half valid", put("validation.is_valid", 0.5), "$.validation.is_valid", "must be true or false"),
    Wrong("negative cost", put("validation.optimal_cost", -1), "$.validation.optimal_cost", "must be from 0"),
    Wrong("path: 3", put("validation.optimal_path", 3), "$.validation.optimal_path", "must be a list"),
    Wrong("path of words", put("validation.optimal_path", ["a"]), "$.validation.optimal_path[0]", "a pair"),
    Wrong(
        "no such action", put("validation.optimal_actions", ["JUMP"]), "$.validation.optimal_actions[0]",
        "must be one of TURN_LEFT",
    ),
    Wrong("reason 1", put("validation.reasons", [1]), "$.validation.reasons[0]", "must be a string"),
    Wrong("needed: list", put("validation.necessity", ["k"]), "$.validation.necessity", "must be an object"),
    Wrong("needed: 1", put("validation.necessity", {"k": 1}), "$.validation.necessity.k", "true or false"),
)  # fmt: skip


def test_the_sample_is_in_order() -> None:
    assert codec.loads(codec.dumps(codec.from_dict(sample()))) == codec.from_dict(sample())


@pytest.mark.parametrize("wrong", WRONG, ids=[wrong.name for wrong in WRONG])
def test_what_is_wrong_is_named_at_its_place(wrong: Wrong) -> None:
    found = problems_of(damaged(wrong.damage))
    assert wrong.path in found
    assert wrong.says in found[wrong.path]


@pytest.mark.parametrize("wrong", WRONG, ids=[wrong.name for wrong in WRONG])
def test_what_is_wrong_in_one_place_is_not_reported_as_an_unbuilt_mechanism(wrong: Wrong) -> None:
    with pytest.raises(MazeFormatError) as caught:
        codec.from_dict(damaged(wrong.damage))
    assert not isinstance(caught.value, UnsupportedMechanism)


@pytest.mark.parametrize("wrong", WRONG, ids=[wrong.name for wrong in WRONG])
def test_an_error_can_be_printed_anywhere(wrong: Wrong) -> None:
    with pytest.raises(MazeFormatError) as caught:
        codec.from_dict(damaged(wrong.damage))
    text = str(caught.value)
    assert text.replace("\n", " ").isprintable()


TOO_MANY = [{"id": f"k{n}", "position": [1 + n % 30, 2 + n // 30], "color": "red"} for n in range(21)]


def test_more_mechanisms_than_fit_are_refused() -> None:
    board = {"dimensions": [40, 10], "start": [1, 1], "goal": [2, 1]}
    assert problems_of({"maze": board, "mechanisms": {"keys": TOO_MANY}}) == {
        "$.mechanisms.keys": "at most 20 are supported, got 21"
    }


def test_as_many_mechanisms_as_fit_are_read() -> None:
    board = {"dimensions": [40, 10], "start": [1, 1], "goal": [2, 1]}
    assert len(codec.from_dict({"maze": board, "mechanisms": {"keys": TOO_MANY[:20]}}).keys) == 20


# --- what is no JSON that mazes use ----------------------------------------------------------------

NOT_A_MAZE = {
    "empty": (b"", "is not JSON"),
    "a word": (b"maze", "is not JSON: Expecting value at line 1, column 1"),
    "cut off": (json.dumps(sample()).encode()[:-5], "is not JSON"),
    "two documents": (b"{} {}", "is not JSON: Extra data"),
    "single quotes": (b"{'maze': 1}", "is not JSON"),
    "a comment": (b"{} // really", "is not JSON"),
    "a raw control character": (b'{"a": "\x01"}', "is not JSON: Invalid control character"),
    "a list": (b"[]", "a maze file holds an object, got []"),
    "a number": (b"3", "a maze file holds an object, got 3"),
    "null": (b"null", "a maze file holds an object, got null"),
    "NaN": (b'{"maze": NaN}', "NaN is not a number"),
    "Infinity": (b'{"maze": [Infinity]}', "Infinity is not a number"),
    "-Infinity": (b'{"maze": -Infinity}', "-Infinity is not a number"),
    "the same name twice": (b'{"maze": 1, "seed": 2, "maze": 3}', "the name 'maze' stands twice"),
    "the same name twice below": (b'{"maze": {"goal": 1, "goal": 1}}', "the name 'goal' stands twice"),
    "a number of 5,000 digits": (b'{"seed": ' + b"9" * 5000 + b"}", "is not a JSON that mazes use"),
    "Latin-1": ('{"description": "Tür"}'.encode("latin-1"), "no text in UTF-8"),
    "UTF-16": (json.dumps(sample()).encode("utf-16"), "no text in UTF-8"),
    "zip": (b"PK\x03\x04", "is not JSON"),
    "too large": (b'{"a": "' + b"x" * MAX_BYTES + b'"}', "is larger than 4 MiB"),
    "a tower of lists": (b"[" * 100_000 + b"]" * 100_000, "is nested deeper than 32 levels"),
    "a tower of objects": (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "is nested deeper than 32 levels"),
    "an unfinished tower": (b"[" * 100_000, "is "),
}


@pytest.mark.parametrize(("data", "says"), NOT_A_MAZE.values(), ids=NOT_A_MAZE.keys())
def test_what_is_no_json_object_is_refused_as_a_whole(data: bytes, says: str) -> None:
    with pytest.raises(MazeFormatError) as caught:
        codec.loads(data, source="here.json")
    (problem,) = caught.value.problems
    assert problem.path == "$"
    assert says in problem.message
    assert str(caught.value).startswith(f"here.json: {problem.message}")


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(10**10)  # sparse
    with pytest.raises(MazeFormatError, match="is larger than 4 MiB"):
        codec.load(tmp_path / "huge.json")


def test_the_largest_maze_fits_into_a_file() -> None:
    walls = bytearray(b"\1" * 128 * 128)
    walls[129] = walls[130] = 0
    maze = Maze(128, 128, bytes(walls), Position(1, 1), Position(1, 2))
    assert codec.loads(codec.dumps(maze)) == maze


def test_nesting_is_bounded_exactly() -> None:
    # The payload and its metadata are two levels around the list.
    codec.from_dict(damaged(put("metadata.x", _nested(MAX_DEPTH - 2))))
    with pytest.raises(MazeFormatError, match="is nested deeper than 32 levels"):
        codec.from_dict(damaged(put("metadata.x", _nested(MAX_DEPTH - 1))))


def test_a_list_within_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(MazeFormatError, match="is nested deeper than 32 levels"):
        codec.from_dict(damaged(put("metadata.x", loop)))


def test_a_small_object_that_would_be_huge_as_text_is_refused() -> None:
    value: object = 1
    for _ in range(25):
        value = [value] * 4
    with pytest.raises(MazeFormatError):
        codec.from_dict(damaged(put("metadata.x", value)))


def test_a_number_too_large_for_text_is_refused_like_any_other() -> None:
    assert "$.seed" in problems_of(damaged(put("seed", 10**5000)))


def test_an_object_without_names_is_refused_like_any_other() -> None:
    assert "$.maze" in problems_of(damaged(put("maze", [{(1, 2): 3}])))


# --- several problems at once ----------------------------------------------------------------------


def test_all_problems_of_a_file_are_reported_at_once() -> None:
    found = problems_of(
        damaged(
            put("version", "9"),
            put("seed", -1),
            put("typo", 1),
            put("maze.start", [0, 1]),
            put("maze.walls.0", "x"),
            put(f"{KEY}.color", "mauve"),
            put(f"{DOOR}.position", [3, 2]),
            put(f"{GATE}.id", "s"),
            put("rules.view_size", 2),
            put("validation.optimal_cost", "4"),
        )
    )
    assert set(found) == {
        "$.version", "$.seed", "$.typo", "$.maze.start", "$.maze.walls[0]", "$.mechanisms.keys[0].color",
        "$.mechanisms.doors[0].position", "$.mechanisms.gates[0].id", "$.mechanisms.switches[0].controls[0]",
        "$.rules.view_size", "$.validation.optimal_cost",
    }  # fmt: skip


def test_several_problems_of_one_mechanism_are_reported_at_once() -> None:
    broken = {"id": "", "position": [1], "color": "mauve"}
    found = problems_of(damaged(put(KEY, broken)))
    assert set(found) == {f"$.mechanisms.keys[0].{name}" for name in ("id", "position", "color")}


def test_a_missing_field_of_a_mechanism_does_not_hide_what_else_is_wrong_with_it() -> None:
    found = problems_of(damaged(put(SWITCH, {"position": [1], "controls": 3})))
    assert {"$.mechanisms.switches[0]", "$.mechanisms.switches[0].position"} <= set(found)


def test_a_missing_board_does_not_hide_what_else_is_wrong() -> None:
    found = problems_of(damaged(drop("maze"), put(f"{KEY}.color", "mauve"), put("rules.view_size", "big")))
    assert {"$", "$.mechanisms.keys[0].color", "$.rules.view_size"} <= set(found)


def test_wrong_dimensions_do_not_hide_what_else_is_wrong() -> None:
    found = problems_of(damaged(put("maze.dimensions", 3), put(f"{KEY}.color", "mauve"), put("maze.goal", 1)))
    assert {"$.maze.dimensions", "$.mechanisms.keys[0].color", "$.maze.goal"} <= set(found)


def test_an_unread_gate_is_not_reported_a_second_time_by_the_switch_that_controls_it() -> None:
    assert set(problems_of(damaged(put(f"{GATE}.color", "mauve")))) == {"$.mechanisms.gates[0].color"}


# What can only be seen when both ends of a reference could be read.
ABOUT_TWO = (
    "duplicate id",
    "no such gate",
    "key as gate",
    "hidden x",
    "two in a cell",
    "key on goal",
)
ALONE = [wrong for wrong in WRONG if wrong.name not in ABOUT_TWO and not wrong.path.startswith("$.maze")]


@given(
    chosen=st.lists(st.sampled_from(ALONE), min_size=2, max_size=4, unique_by=lambda wrong: _part(wrong.path))
)
def test_one_problem_never_hides_another_in_a_different_part_of_the_file(chosen: list[Wrong]) -> None:
    parts = {_part(wrong.path) for wrong in chosen}
    assume("$" not in parts and not ("mechanisms" in parts and any("mechanisms." in part for part in parts)))
    found = problems_of(damaged(*[wrong.damage for wrong in chosen]))
    assert {wrong.path for wrong in chosen} <= set(found)


def _part(path: str) -> str:
    """The part of the file in which one problem may well hide another."""
    names = [name.partition("[")[0] for name in path.split(".")[:3]]
    return "$" if path == "$" else ".".join(names[1:3]) if names[1] == "mechanisms" else names[1]


def test_the_message_lists_each_problem_on_its_line() -> None:
    with pytest.raises(MazeFormatError) as caught:
        codec.from_dict(damaged(put("seed", -1), put("max_steps", 0)), source="a.json")
    assert str(caught.value).splitlines() == [
        "a.json: 2 problems",
        "  $.seed: must be from 0 to 18446744073709551615, got -1",
        "  $.max_steps: must be from 1 to 1000000, got 0",
    ]


def test_the_message_on_a_hopeless_file_stays_readable() -> None:
    with pytest.raises(MazeFormatError) as caught:
        codec.from_dict(damaged(put("maze.walls", [0] * 1_000)))
    assert len(caught.value.problems) == 1_000
    assert str(caught.value).splitlines()[-2:] == [
        "  $.maze.walls[19]: must be a pair of integers, got 0", "  and 980 more",
    ]  # fmt: skip


def test_a_list_that_no_maze_needs_is_one_problem() -> None:
    assert problems_of(damaged(put("maze.walls", [0] * 50_000))) == {
        "$.maze.walls": "must hold at most 32,768 items, got 50,000"
    }


def test_hundreds_of_unknown_fields_are_one_problem() -> None:
    assert problems_of(sample() | {f"x{n}": n for n in range(300)}) == {
        "$": "has 300 unknown fields; it knows maze, version, task_id, seed, difficulty_tier, description, "
        "max_steps, mechanisms, rules, goal, metadata, validation, dependency_chain, distractors"
    }


def test_an_error_survives_pickling() -> None:
    with pytest.raises(MazeFormatError) as caught:
        codec.from_dict(damaged(put("seed", -1), put("max_steps", 0)), source="a.json")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (again.problems, again.source, str(again)) == (
        caught.value.problems, "a.json", str(caught.value),
    )  # fmt: skip


# --- what is not built yet -------------------------------------------------------------------------

UNBUILT = {
    "blocks": (put("mechanisms.blocks", [{"id": "b", "position": [1, 3]}]), "$.mechanisms.blocks"),
    "teleporters": (put("mechanisms.teleporters", [{}]), "$.mechanisms.teleporters"),
    "hazards": (put("mechanisms.hazards", [{"hazard_type": "lava"}]), "$.mechanisms.hazards"),
    "a hold switch": (put(f"{SWITCH}.switch_type", "hold"), "$.mechanisms.switches[0].switch_type"),
    "another goal": (put("goal.type", "collect_all"), "$.goal.type"),
    "more conditions": (put("goal.auxiliary_conditions", [{"type": "x"}]), "$.goal.auxiliary_conditions"),
}


@pytest.mark.parametrize(("damage", "path"), UNBUILT.values(), ids=UNBUILT.keys())
def test_what_is_not_built_is_an_error_of_its_own(damage: Callable[[Payload], object], path: str) -> None:
    with pytest.raises(UnsupportedMechanism) as caught:
        codec.from_dict(damaged(damage))
    assert [problem.path for problem in caught.value.problems] == [path]


def test_everything_that_is_not_built_is_listed() -> None:
    with pytest.raises(UnsupportedMechanism) as caught:
        codec.from_dict(damaged(*[damage for damage, _ in UNBUILT.values()]))
    assert {problem.path for problem in caught.value.problems} == {path for _, path in UNBUILT.values()}


def test_a_file_that_is_wrong_and_uses_what_is_not_built_is_wrong_first() -> None:
    with pytest.raises(MazeFormatError) as caught:
        codec.from_dict(damaged(put("seed", -1), put("mechanisms.blocks", [{}])))
    assert not isinstance(caught.value, UnsupportedMechanism)
    assert {problem.path for problem in caught.value.problems} == {"$.seed", "$.mechanisms.blocks"}


# --- fuzz ------------------------------------------------------------------------------------------


def survives(payload: object) -> None:
    """Reading refuses with its own error, or gives a maze that is stored and read back as it is."""
    try:
        maze = codec.from_dict(payload)
    except MazeFormatError as error:
        assert error.problems  # noqa: PT017 - which error comes is not known beforehand
        str(error).encode()
    else:
        assert codec.loads(codec.dumps(maze).encode()) == maze
        SCHEMA.validate(codec.to_dict(maze))


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a JSON value."""
    children: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    return [path] * bool(path) + [place for name, child in children for place in places(child, (*path, name))]


anything = (
    json_values
    | st.integers(-2, 8)
    | st.tuples(st.integers(-2, 8), st.integers(-2, 8)).map(list)
    | st.sampled_from(["red", "open", "on", "k", "d", "s", "g", "", "\ud800", "one_shot", "hold", "NORTH"])
    | st.text(max_size=3)
    | st.sampled_from([math.nan, math.inf, 10**400, -0.0, 1.0, "\u0000", "\u200d"])
)


@given(
    changes=st.lists(
        st.tuples(st.integers(0, 10**6), anything, st.sampled_from(["set", "del", "add", "dup"])), max_size=4
    )
)
def test_a_mutated_file_is_refused_or_read_but_never_breaks_the_reader(
    changes: list[tuple[int, object, str]],
) -> None:
    payload = sample()
    for choice, value, how in changes:
        all_places = places(payload)
        if not all_places:
            break
        *parents, last = all_places[choice % len(all_places)]
        place: Any = payload
        for name in parents:
            place = place[name]
        if how == "set":
            place[last] = copy.deepcopy(value)
        elif how == "del":
            del place[last]
        elif how == "add" and isinstance(place, dict):
            place[str(value)] = copy.deepcopy(value)
        elif isinstance(place, list):
            place.insert(last, copy.deepcopy(place[last]))
    survives(payload)


@given(value=json_values)
def test_any_json_is_refused_or_read(value: object) -> None:
    survives(value)


@given(parts=st.fixed_dictionaries({}, optional=dict.fromkeys(sample(), json_values)))
def test_an_object_with_the_right_names_and_any_content_is_refused_or_read(parts: Payload) -> None:
    survives(parts)


@given(data=st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(MazeFormatError):
        codec.loads(data)


@given(start=st.integers(0, 2000), length=st.integers(1, 40), data=st.binary(max_size=10))
def test_a_file_with_a_hole_is_refused_or_read(start: int, length: int, data: bytes) -> None:
    text = codec.dumps(codec.from_dict(sample())).encode()
    broken = text[: start % len(text)] + data + text[start % len(text) + length :]
    try:
        maze = codec.loads(broken)
    except MazeFormatError:
        return
    assert codec.loads(codec.dumps(maze)) == maze


HARD_TO_KEEP = {
    "a lone surrogate in the metadata": put("metadata.x", "\ud800"),
    "a lone surrogate as a name in the metadata": put("metadata", {"\ud800": 1}),
    "a lone surrogate as a name in the proof": put("validation.necessity", {"\ud800": True}),
    "a control character as a name in the proof": put("validation.necessity", {"\u0007": True}),
    "nesting that grows when provenance is kept": put("dependency_chain", _nested(MAX_DEPTH - 1)),
    "a non-finite number": put("metadata.x", math.inf),
    "numbers as names": put("metadata", {1: 2}),
    "zero with a sign": put("metadata.x", -0.0),
    "text that grows when it is written": put("metadata.x", [0] * (MAX_BYTES // 2 - 2_000)),
}


@pytest.mark.parametrize("damage", HARD_TO_KEEP.values(), ids=HARD_TO_KEEP.keys())
def test_a_file_that_is_read_can_be_stored_and_read_again(
    damage: Callable[[Payload], object], tmp_path: Path
) -> None:
    try:
        maze = codec.from_dict(damaged(damage))
    except MazeFormatError:
        return
    codec.dump(maze, tmp_path / "maze.json")
    assert codec.load(tmp_path / "maze.json") == maze


# --- schema ----------------------------------------------------------------------------------------


def test_the_schema_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(codec.schema())


def test_the_schema_is_a_fresh_copy() -> None:
    codec.schema().clear()
    assert codec.schema()["title"] == "Maze"


SCHEMA_REFUSES = (
    "unknown field", "misspelt slot", "unknown version", "bool for int", "float that is no integer",
    "seed past 64 bits", "negative width", "absurd height", "three dimensions", "empty id", "endless id",
    "unknown colour", "a key in grey", "start on the ring of the smallest board", "key without a place",
    "ajar door", "switch type", "even view", "sight", "no such action", "needed: 1",
)  # fmt: skip
BY_NAME = {wrong.name: wrong.damage for wrong in WRONG} | {
    "float that is no integer": put("max_steps", 1.5),
    "start on the ring of the smallest board": put("maze.start", [0, 1]),
}


@pytest.mark.parametrize("name", SCHEMA_REFUSES)
def test_the_schema_refuses_what_has_the_wrong_form(name: str) -> None:
    payload = codec.to_dict(codec.from_dict(sample()))
    SCHEMA.validate(payload)
    BY_NAME[name](payload)
    assert not SCHEMA.is_valid(payload)


@given(maze=documented_mazes())
def test_the_schema_asks_for_every_field_that_is_always_written(maze: Maze) -> None:
    payload = codec.to_dict(maze)
    optional = {"seed", "difficulty_tier", "max_steps", "validation"}
    assert set(codec.schema()["required"]) == payload.keys() - optional


def test_every_part_of_the_schema_says_what_it_is() -> None:
    schema = codec.schema()
    undescribed = [name for name, part in schema["properties"].items() if "description" not in part]
    assert undescribed == []


def test_a_problem_reads_as_path_and_message() -> None:
    assert str(Problem("$.maze", "is gone")) == "$.maze: is gone"


def test_a_maze_is_read_from_a_path_an_open_file_or_what_json_made_of_one(tmp_path: Path) -> None:
    maze = parse("#####\n#>.*#\n#####")
    path = tmp_path / "maze.json"
    codec.dump(maze, path)
    assert codec.load(path) == codec.load(str(path)) == maze
    assert codec.load(json.loads(path.read_text())) == maze
    with path.open("rb") as as_bytes, path.open() as as_text:
        assert codec.load(as_bytes) == codec.load(as_text) == maze


def test_an_open_file_is_named_in_the_error() -> None:
    with pytest.raises(MazeFormatError, match="maze: "):
        codec.load(io.StringIO("{}"))
