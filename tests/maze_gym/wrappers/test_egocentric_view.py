"""EgocentricView: MazeNLU seen from within."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import maze_gym  # noqa: F401 - registers the ids
from maze_gym.errors import InvalidArgument
from maze_gym.testing import check_copies, check_determinism, check_fresh_data, check_observations
from maze_gym.wrappers import EgocentricView, TextObservation


def test_the_view_takes_the_place_of_board_and_position() -> None:
    env = EgocentricView(gym.make("MazeNLU-v0"))
    observation, _ = env.reset(seed=1)
    assert set(observation) == {"view", "facing", "inventory"}
    assert observation["view"].shape == (7, 7, 3)
    assert observation in env.observation_space
    world = env.unwrapped
    assert np.array_equal(observation["view"], world.egocentric_view(7))  # type: ignore[attr-defined]  # GridWorldEnv


def test_it_keeps_what_the_suite_promises() -> None:
    def make() -> gym.Env[object, object]:
        return EgocentricView(gym.make("MazeNLU-v0"), 5, see_through_walls=True)

    check_observations(make())
    check_fresh_data(make())
    check_determinism(make)
    check_copies(make())


def test_it_is_rebuilt_from_its_spec() -> None:
    env = EgocentricView(gym.make("MazeNLU-v0"), view_size=5, see_through_walls=True)
    assert env.spec is not None
    again = gym.make(env.spec)
    assert np.array_equal(again.reset(seed=3)[0]["view"], env.reset(seed=3)[0]["view"])


def test_other_entries_stay() -> None:
    env = EgocentricView(TextObservation(gym.make("MazeNLU-v0")))
    assert set(env.reset(seed=0)[0]) == {"view", "facing", "inventory", "text"}


def test_what_cannot_be_seen_from_within_is_refused() -> None:
    for env in (gym.make("PacmanArray-v0"), TextObservation(gym.make("MazeNLU-v0"), mode="replace")):
        with pytest.raises(InvalidArgument, match="seen from within"):
            EgocentricView(env)
    with pytest.raises(InvalidArgument, match="odd number"):
        EgocentricView(gym.make("MazeNLU-v0"), 6)
