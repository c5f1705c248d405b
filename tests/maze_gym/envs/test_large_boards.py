"""A board may be larger than any picture of it: pictures have limits, play has none of theirs."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from maze_gym.errors import InvalidArgument
from mazegen.rendering.canvas import MAX_SIDE_PX

LONG = {"topology": "dense_maze", "rows": 128, "cols": 20}
WIDE = {"topology": "dense_maze", "rows": 20, "cols": 128}
PADDED = (161, 161)  # rows and columns of observations; pictures of all levels of an env are of one size
CASES: list[tuple[str, dict[str, Any]]] = [
    ("MazeNLU-v0", {"spec": LONG}),
    ("MazeNLU-v0", {"spec": WIDE}),
    ("PacmanArray-v0", {"max_shape": PADDED}),
    ("SpatialGym-v0", {"max_shape": PADDED}),
]


@pytest.mark.parametrize(("env_id", "arguments"), CASES)
def test_it_is_played_and_by_default_drawn_as_large_as_it_fits(
    env_id: str, arguments: dict[str, Any]
) -> None:
    env = gym.make(env_id, render_mode="rgb_array", **arguments)
    env.reset(seed=1)
    env.step(0)
    frame = np.asarray(env.render())
    assert max(frame.shape) <= MAX_SIDE_PX
    assert frame.max() > frame.min()


@pytest.mark.parametrize(("env_id", "arguments"), CASES)
def test_vector_envs_play_it_too(env_id: str, arguments: dict[str, Any]) -> None:
    envs = gym.make_vec(env_id, num_envs=2, **arguments)
    envs.reset(seed=1)
    envs.step(np.array([0, 0]))
    envs.close()


@pytest.mark.parametrize(("env_id", "arguments"), CASES)
def test_a_size_that_was_asked_for_is_refused_in_words(env_id: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="for boards of this size take at most"):
        gym.make(env_id, cell_px=512, **arguments)
