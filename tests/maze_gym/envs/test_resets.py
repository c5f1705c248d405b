"""A reset begins an episode, whatever was played before: two with one seed are equal in everything."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from maze_gym.game import Wording, text_game
from maze_gym.registration import PRESETS, WORLDS

from .same import assert_equal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    AnyEnv = gym.Env[Any, Any]

STEPS = 15
SEED = 3
# For each id, the values of its arguments that are tried, each with each.
GRIDS: dict[str, dict[str, list[Any]]] = {
    "MazeNLU-v0": {"finish": ["arrival", "done_action"], "max_steps": [None, 7], "suite": [None, "smoke"]},
    "SpatialGym-v0": {"backtracking": [False, True], "max_steps": [None, "board", 5], "tier": [None, 1]},
    "SpatialGym-Backtracking-v0": {"max_steps": [None, 5]},
    "SpatialGym-Generated-v0": {"num_levels": [1, 2], "backtracking": [False, True]},
    "PacmanArray-v0": {
        "ghosts": [None, {"random_ties": True}, {"flee": True, "scatter": True}],
        "max_steps": [None, 6],
    },
    "PacmanArray-Random-v0": {"num_levels": [1, 2, None], "start_level": [0, 5]},
}
IDS = [*(world.id for world in WORLDS), *(preset.id for preset in PRESETS)]


def combinations(env_id: str) -> Iterator[dict[str, Any]]:
    """The arguments of an id, every value with every other one."""
    grid = GRIDS.get(env_id, {"num_levels": [1, 2]})
    for values in itertools.product(*grid.values()):
        yield {name: value for name, value in zip(grid, values, strict=True) if value is not None}


CASES = [(env_id, arguments) for env_id in IDS for arguments in combinations(env_id)]
NAMES = [f"{env_id}-{arguments}" for env_id, arguments in CASES]


def episode(env: AnyEnv, seed: int) -> list[Any]:
    """All that anybody can see of an episode that begins with this seed and is played by its own draws."""
    game = text_game(env)
    seen: list[Any] = []

    def see(observation: object, info: object) -> None:
        seen.append((observation, info, game.snapshot(), game.describe(Wording())._asdict(), env.render()))

    see(*env.reset(seed=seed))
    for action in np.random.default_rng(seed).integers(env.action_space.n, size=STEPS).tolist():  # type: ignore[attr-defined]  # worlds are Discrete
        observation, reward, terminated, truncated, info = env.step(action)
        see(observation, info)
        seen.append((reward, terminated, truncated))
        if terminated or truncated:
            break
    return seen


@pytest.mark.parametrize(("env_id", "arguments"), CASES, ids=NAMES)
def test_two_resets_with_one_seed_are_equal_in_everything(env_id: str, arguments: Mapping[str, Any]) -> None:
    """In one env, after another seed was played in between, and in another env."""
    env = gym.make(env_id, render_mode="ansi", **arguments)
    first = episode(env, SEED)
    episode(env, SEED + 1)
    again = episode(env, SEED)
    assert_equal(list(map(list, again)), list(map(list, first)))
    assert_equal(
        list(map(list, episode(gym.make(env_id, render_mode="ansi", **arguments), SEED))),
        list(map(list, first)),
    )


@pytest.mark.parametrize(("env_id", "arguments"), CASES, ids=NAMES)
def test_gymnasiums_own_check_passes(env_id: str, arguments: Mapping[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(env_id, **arguments).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
@pytest.mark.parametrize(("env_id", "arguments"), CASES, ids=NAMES)
def test_two_resets_of_a_vector_env_with_one_seed_are_equal(
    env_id: str, arguments: Mapping[str, Any], mode: str
) -> None:
    if mode == "vector_entry_point" and gym.spec(env_id).vector_entry_point is None:
        return  # this world has no vector env of its own
    envs = gym.make_vec(env_id, num_envs=2, vectorization_mode=mode, **arguments)

    def play(seed: int) -> list[Any]:
        seen: list[Any] = [list(envs.reset(seed=seed))]
        rng = np.random.default_rng(seed)
        for _ in range(STEPS):
            actions = rng.integers(envs.single_action_space.n, size=2)  # type: ignore[attr-defined]  # worlds are Discrete
            seen.append(list(envs.step(actions)))
        return seen

    first = play(SEED)
    play(SEED + 1)
    assert_equal(play(SEED), first)
    envs.close()
