"""What a learner is shown: nothing is lost, and everything lies in the declared space."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs import GridWorldEnv
from maze_gym.envs.maze.observation import observation_space
from maze_gym.errors import InvalidArgument
from maze_gym.policies.encoding import COLORS, STATES, FlatEncoding, MazeEncoding, encoding_for
from maze_gym.policies.networks import places_around, plan_codes, view_table

from ..levels import ALL_KINDS


def walk(env: gym.Env[Any, Any], steps: int, seed: int) -> list[Any]:
    generator = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    found = [seen]
    for _ in range(steps):
        seen, _, terminated, truncated, _ = env.step(int(generator.integers(6)))
        found.append(seen)
        if terminated or truncated:
            break
    return found


@given(st.integers(0, 1000))
def test_a_maze_can_be_read_back_from_its_codes(seed: int) -> None:
    env = GridWorldEnv(maze=ALL_KINDS, max_shape=(6, 10))
    encoding = encoding_for(env.observation_space)
    assert isinstance(encoding, MazeEncoding)
    for seen in walk(env, 40, seed):
        encoded = encoding.encode_one(seen)
        assert encoding.space.contains(encoded)
        cells = encoded["cells"].astype(int).reshape(6, 10)
        whole = np.stack([cells // (COLORS * STATES), cells // STATES % COLORS, cells % STATES], axis=-1)
        np.testing.assert_array_equal(whole, seen["grid"])
        assert encoded["agent"].tolist() == [*seen["position"].tolist(), seen["facing"]]
        np.testing.assert_array_equal(encoded["inventory"], seen["inventory"])
        assert not np.shares_memory(encoded["inventory"], seen["inventory"])


@pytest.mark.parametrize("env_id", ["MazeNLU-v0", "PacmanArray-v0"])
def test_flat_numbers_of_any_world_lie_from_0_to_1(env_id: str) -> None:
    env = gym.make(env_id)
    encoding = encoding_for(env.observation_space, "flat")
    assert isinstance(encoding, FlatEncoding)
    seen, _ = env.reset(seed=1)
    encoded = encoding.encode_one(seen)
    assert encoding.space.contains(encoded)
    assert encoded["numbers"].shape == (encoding.numbers,)


def test_a_batch_is_encoded_as_its_members_are() -> None:
    envs = gym.make_vec("MazeNLU-v0", num_envs=3)
    seen, _ = envs.reset(seed=4)
    for kind in ("maze", "flat"):
        encoding = encoding_for(envs.single_observation_space, kind)
        batch = encoding.encode(seen)
        for index in range(3):
            one = encoding.encode_one({name: values[index] for name, values in seen.items()})
            for name, values in one.items():
                np.testing.assert_array_equal(values, batch[name][index])


def test_a_flat_encoding_says_what_its_numbers_are_made_of() -> None:
    high = np.broadcast_to(np.array([6, 9, 1]), (4, 5, 3))
    low = np.arange(2, dtype=np.float32) / 3
    space = spaces.Dict(
        {
            "board": spaces.Box(np.zeros_like(high), high, dtype=np.int64),
            "dial": spaces.Box(low, low + 1),
            "facing": spaces.Discrete(4, start=1),
            "place": spaces.MultiDiscrete([4, 5]),
            "void": spaces.Box(0, 1, (0, 2)),
        }
    )
    entries = FlatEncoding(space).entries
    assert entries == {
        "board": {"shape": [4, 5, 3], "low": 0, "high": [[[6, 9, 1]]]},
        "dial": {"shape": [2], "low": low.tolist(), "high": (low + 1).tolist()},
        "facing": {"choices": 4, "first": 1},
        "place": {"choices": [4, 5]},
        "void": {"shape": [0, 2], "low": [], "high": []},
    }
    assert json.loads(json.dumps(entries)) == entries


@pytest.mark.parametrize(
    ("space", "kind", "match"),
    [
        (spaces.Discrete(3), None, "observe a Dict"),
        (spaces.Dict({"a": spaces.Box(-np.inf, np.inf, (2,))}), None, "'a'.*bounded numbers"),
        (spaces.Dict({"a": spaces.Text(3)}), None, "'a'"),
        (spaces.Dict({"a": spaces.Discrete(3)}), "maze", "needs a maze"),
        (observation_space((5, 5)), "nope", "kind of encoding must be None or one of maze, flat, got 'nope'"),
    ],
)
def test_what_cannot_be_encoded_is_named(space: spaces.Space[Any], kind: str | None, match: str) -> None:
    with pytest.raises(InvalidArgument, match=match):
        encoding_for(space, kind)


def test_a_key_changes_what_its_door_is_to_a_plan_whatever_the_colour() -> None:
    door = 4 * COLORS * STATES + 1
    cells = np.array([[door + color * STATES for color in (1, 2)]], np.uint8)
    none, first, second = (np.array([[held == 1, held == 2, 0, 0, 0, 0]], np.uint8) for held in (0, 1, 2))
    assert plan_codes(cells, none)[0, 0] == plan_codes(cells, none)[0, 1]
    assert plan_codes(cells, first)[0].tolist() == plan_codes(cells, second)[0].tolist()[::-1]
    assert plan_codes(cells, first)[0, 0] != plan_codes(cells, none)[0, 0]


def test_around_is_ahead_right_behind_left() -> None:
    agent = np.array([[2, 3, facing] for facing in range(4)], np.uint8)
    north, east, south, west = 1 * 7 + 3, 2 * 7 + 4, 3 * 7 + 3, 2 * 7 + 2
    assert places_around(agent, 7).tolist() == [
        [17, north, east, south, west],
        [17, east, south, west, north],
        [17, south, west, north, east],
        [17, west, north, east, south],
    ]


@given(st.integers(3, 8), st.integers(3, 8), st.data())
def test_a_view_shows_every_inner_cell_where_it_lies_from_the_agent(
    rows: int, cols: int, data: st.DataObject
) -> None:
    row, col = data.draw(st.integers(1, rows - 2)), data.draw(st.integers(1, cols - 2))
    facing = data.draw(st.integers(0, 3))
    view = view_table(rows, cols)[row, col, facing]
    side = int(len(view) ** 0.5)
    assert side * side == len(view)
    assert {r * cols + c for r in range(1, rows - 1) for c in range(1, cols - 1)} <= set(view.tolist())
    middle = side // 2
    square = view.reshape(side, side)
    assert square[middle, middle] == row * cols + col
    if side > 1:
        ahead = (row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)
        assert square[middle - 1, middle] == np.dot(ahead[facing], (cols, 1))
        assert square[middle, middle + 1] == np.dot(ahead[(facing + 1) % 4], (cols, 1))


def test_boards_beyond_a_byte_are_refused() -> None:
    space = observation_space((300, 5))
    with pytest.raises(InvalidArgument, match="256"):
        encoding_for(space)
