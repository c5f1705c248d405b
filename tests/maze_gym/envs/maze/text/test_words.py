"""What MazeNLU says in words: all of the visible state, nothing false, and nothing that a picture shows."""

from __future__ import annotations

import re
from itertools import product
from typing import NamedTuple

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.envs import GridWorldEnv
from maze_gym.envs.maze.text import words
from maze_gym.game import Coordinates, Prompting, TextGame, Wording, text_game
from maze_gym.policies import make_policy
from mazegen import codec
from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, Facing
from mazegen.core.rules import Action, Event
from mazegen.rendering.frames import FrameComposer, FrameSize

from .....strategies import Play, plays
from ....levels import ALL_KINDS, CORRIDOR, TALL, TRAP

WORDINGS = [Wording(*choice) for choice in product(Prompting, Coordinates)]
wordings = st.sampled_from(WORDINGS)


class Seen(NamedTuple):
    """The visible state."""

    walls: bytes
    start: tuple[int, int, str]
    pose: tuple[int, int, str]
    goal: tuple[int, int]
    held: dict[str, int]
    things: frozenset[tuple[object, ...]]  # kind, id, place, colour, state, what else is said of it


def read(level: str, state: str, coordinates: Coordinates) -> Seen:
    """The state as a reader of the two texts would write it down."""
    first = 1 if coordinates == Coordinates.ROW_COL_1 else 0
    names = ("y", "x") if coordinates == Coordinates.X_Y else ("row", "column")
    pair = r"(\w+) (\d+), (\w+) (\d+)"

    def place(found: tuple[str, ...]) -> tuple[int, int]:
        numbers = {found[0]: int(found[1]), found[2]: int(found[3])}
        return numbers[names[0]] - first, numbers[names[1]] - first

    size = re.search(r"has (\d+) rows and (\d+) columns", level)
    assert size
    rows, cols = int(size[1]), int(size[2])
    walls = bytearray(rows * cols)
    for row, col in product(range(rows), range(cols)):
        walls[row * cols + col] = row in (0, rows - 1) or col in (0, cols - 1)
    listed = re.search(r"Walls inside: (.*)\.", level)
    assert listed
    for part in listed[1].split("; ") if listed[1] != "none" else []:
        found = re.fullmatch(rf"{names[0]} (\d+): {names[1]} (.*)", part)
        assert found
        for span in found[2].split(", "):
            low, _, high = span.partition("-")
            for col in range(int(low), int(high or low) + 1):
                walls[(int(found[1]) - first) * cols + col - first] = 1
    poses = [
        re.search(rf"{begin} {pair}, facing (\w+)\.", text)
        for begin, text in (("Start:", level), ("at", state))
    ]
    goals = [
        re.search(rf"{begin} {pair}\.", text) for begin, text in (("Goal:", level), ("goal is at", state))
    ]
    assert all(poses)
    assert all(goals)
    start, pose = ((*place(each.groups()), each[5]) for each in poses if each)
    assert {place(each.groups()) for each in goals if each} == {place(goals[0].groups())}  # type: ignore[union-attr]
    held = re.search(r"You hold (.*)\.", state)
    assert held
    counts = {color: int(count) for count, color in re.findall(r"(\d+) (\w+) key", held[1])}
    things = frozenset(_thing(line, place) for line in state.splitlines() if line.startswith("- "))
    return Seen(bytes(walls), start, pose, place(goals[0].groups()), counts, things)  # type: ignore[union-attr]


def _thing(line: str, place: object) -> tuple[object, ...]:
    found = re.fullmatch(
        r"- (?:(\w+) )?(key|door|switch|gate) (\w+): (\w+) (\d+), (\w+) (\d+)(?:, (\w+))?(, only turns on)?"
        r"(?:, controls (?:nothing|gates? (.*)))?",
        line,
    )
    assert found, line
    where = place(found.groups()[3:7])  # type: ignore[operator]  # the reader's own function
    controls = tuple((found[10] or "").split(", ")) if found[10] else ()
    return found[2], found[3], where, found[1], found[8], bool(found[9]), controls


def truth(play: Play) -> Seen:
    """The same, from the rules."""
    maze, board, state = play
    things: set[tuple[object, ...]] = set()
    for index, key in enumerate(maze.keys):
        if not state.taken >> index & 1:
            things.add(("key", key.id, tuple(key.position), key.color, None, False, ()))
    for index, door in enumerate(maze.doors):
        condition = "open" if state.opened >> index & 1 else "locked"
        things.add(("door", door.id, tuple(door.position), door.color, condition, False, ()))
    for index, switch in enumerate(maze.switches):
        condition, once = "on" if state.on >> index & 1 else "off", switch.kind == "one_shot"
        things.add(
            ("switch", switch.id, tuple(switch.position), switch.color, condition, once, switch.controls)
        )
    for index, gate in enumerate(maze.gates):
        condition = "open" if rules.is_gate_open(board, state, index) else "closed"
        things.add(("gate", gate.id, tuple(gate.position), gate.color, condition, False, ()))
    held = zip(KEY_COLORS, rules.keys_held(board, state), strict=True)
    return Seen(
        walls=maze.walls,
        start=(*maze.start, maze.start_facing.name.lower()),
        pose=(*maze.position(state.cell), Facing(state.facing).name.lower()),
        goal=(maze.goal.row, maze.goal.col),
        held={color: count for color, count in held if count},
        things=frozenset(things),
    )


@given(plays(), wordings)
@settings(max_examples=150)
def test_the_visible_state_can_be_rebuilt_from_the_words(play: Play, wording: Wording) -> None:
    maze, board, state = play
    level = words.level_text(maze, board, board.start, wording)
    assert read(level, words.state_text(maze, board, state, wording), wording.coordinates) == truth(play)
    beginning = Play(maze, board, board.start)
    things = [line for line in level.splitlines() if line.startswith("- ")]
    assert read(level, words.state_text(maze, board, board.start, wording), wording.coordinates) == truth(
        beginning
    )
    assert things == [
        line
        for line in words.state_text(maze, board, board.start, wording).splitlines()
        if line.startswith("- ")
    ]


@given(plays())
@settings(max_examples=150)
def test_what_lies_around_is_told_truthfully(play: Play) -> None:
    """A side is called wall, closed, or locked without the key exactly when walking there is blocked."""
    maze, board, state = play
    text = words.state_text(maze, board, state, Wording(Prompting.VERBOSE))
    held = truth(play).held
    for turn, side in enumerate(("Ahead", "To the right", "Behind", "To the left")):
        found = re.search(rf"^{side} \(row (\d+), column (\d+)\): (.*)\.$", text, re.MULTILINE)
        assert found
        looking = state._replace(facing=(state.facing + turn) % 4)
        outcome = rules.step(board, looking, Action.MOVE_FORWARD)
        cell = state.cell + board.strides[looking.facing]
        assert (int(found[1]), int(found[2])) == maze.position(cell)
        says_blocked = (
            found[3] == "wall"
            or found[3].endswith(", closed")
            or (found[3].endswith(", locked") and found[3].split()[0] not in held)
        )
        assert says_blocked == (outcome.event == Event.BLOCKED)
        assert (found[3] == "the goal") == (maze.position(cell) == maze.goal)


@given(plays())
def test_hints_are_true(play: Play) -> None:
    maze, board, state = play
    held = truth(play).held
    closed = {g.id for i, g in enumerate(maze.gates) if not rules.is_gate_open(board, state, i)}
    locked = {d.color for i, d in enumerate(maze.doors) if not state.opened >> i & 1}
    text = words.state_text(maze, board, state, Wording(Prompting.VERBOSE))
    for color in re.findall(r"Hint: you hold a (\w+) key", text):
        assert color in held
        assert color in locked
    for color in re.findall(r"Hint: a locked (\w+) door needs", text):
        assert color not in held
        assert color in locked
    assert set(re.findall(r"Hint: gate (\w+) is closed", text)) <= closed


@pytest.mark.parametrize(("prompting", "coordinates"), list(product(Prompting, Coordinates)))
def test_with_a_picture_the_words_hold_nothing_that_it_shows(
    prompting: Prompting, coordinates: Coordinates
) -> None:
    """No pose, goal, wall, state or coordinate, whatever is done and whatever comes of it."""
    env = GridWorldEnv(maze=ALL_KINDS, max_steps=56)
    env.reset()
    wording = Wording(prompting, coordinates, pictured=True)
    texts = set()
    for action in [0, 1, 1, 2, 3, 3, 2, 5, 4, 1, 2, 2, 4] * 4:
        env.step(action)
        now = env.describe(wording)
        assert (now.level, now.pose, now.result) == ("", "", "")
        assert not re.search(r"\d", now.rules)
        texts.add((now.rules, re.sub(r"\d+", "N", now.state)))
    hurry = {"", "Hurry: only N steps are left."} if prompting == Prompting.VERBOSE else {""}
    assert {state for _, state in texts} == hurry
    assert len({text for text, _ in texts}) == 1


def test_results_hold_no_coordinates_and_say_what_happened() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    env.reset()
    assert env.describe(Wording()).result == ""
    seen = []
    for action in ("TURN_RIGHT", "PICKUP", "TURN_LEFT", "MOVE_FORWARD", "DONE"):
        env.step(int(Action[action]))
        now = env.describe(Wording())
        seen.append((now.result, now.failed))
        assert not re.search(r"\d", now.result)
    assert seen == [
        ("You turn and now face east.", False),
        ("Nothing happens.", True),
        ("You turn and now face north.", False),
        ("A wall blocks the way.", True),
        ("You say DONE, but this is not the goal.", True),
    ]


def test_ending_and_keys_are_explained_as_the_level_has_them() -> None:
    def rules_of(env: GridWorldEnv) -> str:
        env.reset()
        return env.describe(Wording(Prompting.VERBOSE)).rules

    assert "say DONE there" in rules_of(GridWorldEnv(maze=CORRIDOR, finish="done_action"))
    assert "Arriving at the goal ends" in rules_of(GridWorldEnv(maze=CORRIDOR))
    assert "used up" in rules_of(GridWorldEnv(maze=TRAP))
    assert "is kept" in rules_of(GridWorldEnv(maze=ALL_KINDS))


def test_picture_is_the_dataset_picture_of_the_current_state() -> None:
    env = GridWorldEnv(mazes=[ALL_KINDS, TALL])
    for maze in (ALL_KINDS, TALL, ALL_KINDS):
        env.reset(options={"maze": maze})
        env.step(1)
        expected = FrameComposer(maze, size=FrameSize(cell_px=10)).frame(env.state)
        assert (env.picture(10) == expected).all()
        shape = env.picture_shape(10)
        assert env.picture(10, shape).shape == (*shape, 3)


def test_recipe_begins_the_same_episode_again() -> None:
    env = GridWorldEnv(mazes=[ALL_KINDS, TRAP], finish="done_action")
    env.reset(options={"maze": TRAP, "start": (3, 4), "facing": "WEST"})
    before = env.snapshot()
    recipe = env.recipe()
    again = gym.make("MazeNLU-v0", **recipe.make)
    again.reset(options=dict(recipe.reset))
    game = text_game(again)
    assert isinstance(game, TextGame)
    assert game.snapshot() == before
    assert game.describe(Wording()) == env.describe(Wording())
    assert codec.from_dict(recipe.make["maze"]).content_hash == TRAP.content_hash


def test_snapshots_are_equal_exactly_when_states_are() -> None:
    env = GridWorldEnv(maze=ALL_KINDS, max_steps=500)
    env.reset(seed=0)
    policy = make_policy("random", env, 0)
    pairs = set()
    for _ in range(400):
        *_, terminated, _, info = env.step(policy.act(None, {"action_mask": env.action_masks()}))
        pairs.add((env.state, repr(env.snapshot())))
        if terminated:
            env.reset()
        del info
    assert len({state for state, _ in pairs}) == len({snapshot for _, snapshot in pairs}) == len(pairs)
