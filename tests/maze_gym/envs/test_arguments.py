"""What is no argument is refused by every world, and in the same words."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from maze_gym.envs import GridWorldEnv, PacmanArrayEnv, SpatialGymEnv, arguments
from maze_gym.envs.maze.vector_env import GridWorldVectorEnv
from maze_gym.envs.pacman.vector_env import PacmanVectorEnv
from maze_gym.errors import InvalidArgument
from mazegen.vector import arrays

MAZES, SPATIAL, PACMAN = (
    (GridWorldEnv, GridWorldVectorEnv),
    (SpatialGymEnv,),
    (PacmanArrayEnv, PacmanVectorEnv),
)
# A board that can be won in one step: the env plays none that its limit is too low for.
QUICK = {"layout": ["p.gWWWWWWW"], "ghosts": [1, 1], "min_distance": 1}
# Each makes an env of generated levels, with observations of its own kind.
WORLDS: list[partial[Any]] = [
    partial(GridWorldEnv, tier=1), partial(SpatialGymEnv, tier=1), partial(PacmanArrayEnv, spec=QUICK),
]  # fmt: skip
VECTORS: list[partial[Any]] = [
    partial(GridWorldVectorEnv, 2, tier=1), partial(PacmanVectorEnv, 2, spec=QUICK),
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
        ({"max_shape": (30, 30, 30)}, r"max_shape must be \(rows, cols\), got \(30, 30, 30\)"),
        ({"max_shape": (30,)}, r"max_shape must be \(rows, cols\), got \(30,\)"),
        ({"max_shape": {30, 31}}, r"max_shape must be \(rows, cols\), got \{30, 31\}"),
        ({"max_steps": 0}, "max_steps must be an integer from 1 to 2147483646.*got 0"),
        ({"max_steps": 2**31}, "max_steps must be an integer from 1 to 2147483646.*got 2147483648"),
        ({"max_steps": True}, "max_steps must be an integer from 1 to 2147483646.*got True"),
        ({"max_steps": 5.0}, "max_steps must be an integer from 1 to 2147483646.*got 5.0"),
        ({"num_levels": 0}, "num_levels must be an integer from 1 to 2147483648, got 0"),
        ({"start_level": -1}, "start_level must be an integer from 0 to 2147483648, got -1"),
    ],
)
@pytest.mark.parametrize("world", [*WORLDS, *VECTORS], ids=lambda world: world.func.__name__)
def test_every_world_refuses_in_the_same_words(
    world: partial[Any], kwargs: dict[str, Any], message: str
) -> None:
    if world in VECTORS and "render_mode" in kwargs:
        message = "render_mode of a vector env must be None or 'rgb_array', got 'ascii'"
    with pytest.raises(InvalidArgument, match=message):
        world(**kwargs)


@pytest.mark.parametrize("limit", [np.int64(5), np.uint8(5), arguments.MOST_STEPS], ids=repr)
@pytest.mark.parametrize("world", [*WORLDS, *VECTORS], ids=lambda world: world.func.__name__)
def test_a_limit_is_an_integer_of_any_kind(world: partial[Any], limit: Any) -> None:
    env = world(max_steps=limit)
    _, info = env.reset(seed=0)
    assert np.all(info["steps_left"] == int(limit))


def assert_same(one: Any, other: Any) -> None:
    """They begin with the same observation, which shows the level."""
    seen, also = (env.reset(seed=0)[0] for env in (one, other))
    for name, values in seen.items():
        np.testing.assert_array_equal(values, also[name], err_msg=name)


@pytest.mark.parametrize("kind", [np.int64, np.uint8], ids=repr)
@pytest.mark.parametrize("world", [*WORLDS, *VECTORS], ids=lambda world: world.func.__name__)
def test_how_many_levels_there_are_is_an_integer_of_any_kind(world: partial[Any], kind: Any) -> None:
    assert_same(world(num_levels=kind(3)), world(num_levels=3))
    with pytest.raises(InvalidArgument, match="num_levels must be an integer from 1 to 2147483648, got True"):
        world(num_levels=True)


@pytest.mark.parametrize("kind", [np.int64, np.uint8], ids=repr)
@pytest.mark.parametrize("world", MAZES)
def test_levels_of_a_maze_are_named_by_integers_of_any_kind(world: Any, kind: Any) -> None:
    numbers = {"tier": 1, "num_levels": 9, "start_level": 250}
    assert_same(world(**{name: kind(number) for name, number in numbers.items()}), world(**numbers))


def test_the_highest_limit_is_what_the_vector_env_holds() -> None:
    assert arguments.MOST_STEPS == arrays.MAX_STEPS


@pytest.mark.parametrize(
    ("worlds", "kwargs", "message"),
    [
        (
            PACMAN,
            {"layouts": "classic"},
            r"layouts must be a list of layouts, got 'classic'; .* pass layout=",
        ),
        (PACMAN, {"layouts": 5}, "layouts must be a list of layouts, got 5"),
        (PACMAN, {"spec": 5}, "spec must be a PacmanSpec or the object of its JSON, got int"),
        (SPATIAL, {"difficulty": 1.5}, "difficulty must list levels from 1 to 5, got 1.5"),
        (SPATIAL, {"difficulty": np.int64(1)}, "difficulty must list levels from 1 to 5, got .*1"),
        (SPATIAL, {"max_steps": np.zeros(2)}, "max_steps must be an integer .* or 'board', got array"),
        (MAZES, {"tier": [1]}, r"tier must be one of 1, 2, 3, 4, 5, got \[1\]"),
        (MAZES, {"tier": True}, "tier must be one of 1, 2, 3, 4, 5, got True"),
        (MAZES, {"tier": 1.0}, "tier must be one of 1, 2, 3, 4, 5, got 1.0"),
        (MAZES, {"tier": 1, "start_level": True}, "start_level must be an integer from 0 to .*, got True"),
        (MAZES, {"suite": 3}, "suite must be one of core, smoke, starter, got 3"),
        (MAZES, {"orientation": "no"}, "orientation must be True or False, got 'no'"),
    ],
    ids=str,
)
def test_what_only_one_world_takes_is_checked_too(
    worlds: tuple[Any, ...], kwargs: dict[str, Any], message: str
) -> None:
    for world in worlds:
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
