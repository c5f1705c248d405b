"""Gymnasium's own vector envs take every world: what the infos of many envs say fits into arrays."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest
from gymnasium.vector import AutoresetMode

from maze_gym.envs.sparc.rules.puzzle import Puzzle
from maze_gym.registration import PRESETS, WORLDS

# Few levels, for each is proved before it is played.
IDS: dict[str, dict[str, Any]] = {
    **{world.id: {} for world in WORLDS},
    **{preset.id: {"num_levels": 3} if preset.generates else {} for preset in PRESETS},
}
ENVS = 8
STEPS = 150  # several episodes of each world


def play(env: gym.vector.VectorEnv[Any, Any, Any], mode: AutoresetMode) -> int:
    """Random play; how many episodes have ended."""
    env.reset(seed=0)
    env.action_space.seed(0)
    ends = 0
    for _ in range(STEPS):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated | truncated
        ends += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            env.reset(options={"reset_mask": over})
    env.close()
    return ends


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("env_id", IDS)
def test_every_id_is_played_by_a_sync_vector_env(env_id: str, mode: AutoresetMode) -> None:
    env = gym.make_vec(env_id, ENVS, "sync", vector_kwargs={"autoreset_mode": mode}, **IDS[env_id])
    ends = play(env, mode)
    assert ends or env_id.startswith("MazeNLU")  # whose limit may lie behind so few steps


@pytest.mark.slow
@pytest.mark.parametrize("env_id", [world.id for world in WORLDS])
def test_every_world_is_played_by_an_async_vector_env(env_id: str) -> None:
    play(gym.make_vec(env_id, 2, "async"), AutoresetMode.NEXT_STEP)


def test_puzzles_of_which_little_is_known_lie_beside_others() -> None:
    bare = Puzzle("bare", 1, 1, (2, 0), (0, 2))
    env = gym.vector.SyncVectorEnv(
        [
            lambda: gym.make("SpatialGym-v0"),
            lambda: gym.make("SpatialGym-v0", puzzle=bare, max_shape=(13, 13)),
        ]
    )
    _, infos = env.reset(seed=0)
    assert infos["_level"].tolist() == infos["_optimal_actions"].tolist() == [True, False]
    play(env, AutoresetMode.NEXT_STEP)
