"""What is no argument is refused by every world, and in the same words."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from gymnasium.error import ResetNeeded

from maze_gym.envs import GridWorldEnv, PacmanArrayEnv, SpatialGymEnv
from maze_gym.errors import InvalidArgument

# Each makes an env of generated levels, with observations of its own kind.
WORLDS: list[partial[Any]] = [
    partial(GridWorldEnv, tier=1), partial(SpatialGymEnv, tier=1), partial(PacmanArrayEnv, spec={}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"render_mode": "ascii"}, "render_mode must be None or one of .*'ascii'"),
        ({"cell_px": 0}, "cell_px must be a whole number of pixels, at least 1, got 0"),
        ({"cell_px": 2.0}, "cell_px must be a whole number of pixels, at least 1, got 2.0"),
        ({"cell_px": 100_000}, "cell_px: a picture must have from 1 to"),
        ({"render_size": (10, True)}, "render_size must be a whole number of pixels, at least 1, got True"),
        ({"render_size": (10, 10, 3)}, r"render_size must be a number or \(height, width\)"),
        ({"render_size": 3}, "render_size: 3 x 3 px is too small"),
        ({"render_size": 99, "cell_px": 4}, "give either render_size .* not both"),
        ({"max_shape": 9}, r"max_shape must be \(rows, cols\), got 9"),
        ({"max_shape": (2, 2)}, r"max_shape \(2, 2\) is smaller than the largest"),
        ({"max_steps": 0}, "max_steps must be an integer of at least 1.*got 0"),
        ({"num_levels": 0}, "num_levels must be an integer from 1 to 2147483648, got 0"),
        ({"start_level": -1}, "start_level must be an integer from 0 to 2147483648, got -1"),
    ],
)
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.func.__name__)
def test_every_world_refuses_in_the_same_words(
    world: partial[Any], kwargs: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidArgument, match=message):
        world(**kwargs)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.func.__name__)
def test_every_world_says_when_there_is_no_episode(world: partial[Any]) -> None:
    env = world(max_steps=1)
    with pytest.raises(ResetNeeded, match=r"there is no episode yet; call reset\(\) first"):
        env.step(0)
    env.reset(seed=0)
    env.step(0)
    with pytest.raises(ResetNeeded, match=r"the episode has ended; call reset\(\) before step\(\)"):
        env.step(0)
