"""A training loop of one's own: what the page shows learns; it has the rewards and networks of ``train``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.training import make_sb3_env, make_sb3_vec_env, policy_kwargs
from maze_gym.wrappers import OracleShaping
from mazegen import codec

from ..levels import ALL_KINDS

pytestmark = pytest.mark.extra("stable_baselines3", "rl")
PAGE = Path(__file__).parents[3] / "docs" / "reinforcement-learning.md"
MAZE: dict[str, Any] = {"maze": codec.to_dict(ALL_KINDS), "max_steps": 30}


@pytest.mark.slow
def test_the_loop_of_the_page_learns() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Your own training loop")[2]
    block = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {}
    exec(compile(block[1], str(PAGE), "exec"), names)  # noqa: S102 - our own page
    assert names["reached"] > 0.9  # before it learns: 0


def test_shaped_rewards_are_those_of_the_wrapper() -> None:
    gamma, scale = 0.9, 0.2
    many = make_sb3_vec_env("MazeNLU-v0", 1, shaping=scale, gamma=gamma, **MAZE)
    single = OracleShaping(make_sb3_env("MazeNLU-v0", **MAZE), gamma, scale)
    many.seed(3)
    many.reset()
    single.reset(seed=3)
    generator, seen = np.random.default_rng(0), set()
    for _ in range(29):
        action = int(generator.integers(6))
        _, rewards, *_ = many.step(np.array([action]))
        reward = single.step(action)[1]
        assert float(rewards[0]) == pytest.approx(reward, abs=1e-6)
        seen.add(round(reward, 3))
    assert len(seen) > 2
    many.close()


def test_without_shaping_the_rewards_are_the_worlds_own() -> None:
    envs = make_sb3_vec_env("MazeNLU-v0", 2, **MAZE)
    envs.reset()
    assert all((envs.step(np.array([action, action]))[1] == 0).all() for action in range(5))
    envs.close()


def test_a_world_without_exact_search_cannot_be_shaped() -> None:
    with pytest.raises(InvalidArgument, match="for PacmanArray-v0 set shaping to 0"):
        make_sb3_vec_env("PacmanArray-v0", 2, shaping=0.05)


@pytest.mark.parametrize(
    ("env_id", "kind", "network", "expected"),
    [
        ("MazeNLU-v0", None, "auto", "PlannerExtractor"),
        ("MazeNLU-v0", None, "view", "ViewExtractor"),
        ("MazeNLU-v0", "flat", "auto", "FlatExtractor"),
        ("PacmanArray-v0", None, "auto", "FlatExtractor"),
    ],
)
def test_a_policy_is_given_the_network_that_reads_its_envs(
    env_id: str, kind: str | None, network: str, expected: str
) -> None:
    from stable_baselines3 import PPO

    envs = make_sb3_vec_env(env_id, 2, kind=kind)
    chosen = policy_kwargs(envs, network, width=16)
    model = PPO("MultiInputPolicy", envs, n_steps=2, batch_size=4, policy_kwargs=chosen, device="cpu")
    assert type(model.policy.features_extractor).__name__ == expected
    assert model.policy.features_dim == 16
    envs.close()


@pytest.mark.parametrize(
    ("kind", "network", "sizes", "match"),
    [
        (None, "cnn", {}, "one of auto, planner, view, flat, got 'cnn'"),
        (None, "flat", {}, "'flat' reads the encoding 'flat'; envs encoded as 'maze' take 'planner'"),
        ("flat", "planner", {}, "'planner' reads mazes; envs encoded as 'flat' take 'flat'"),
        (
            None,
            "planner",
            {"depth": 3},
            "do not fit the network 'planner'; there are: channels, looks, width",
        ),
        (None, "planner", {"shape": 3}, "do not fit the network 'planner'"),
        (None, "planner", {"channels": 0}, "channels must be a whole number of at least 1, got 0"),
    ],
)
def test_a_network_that_does_not_fit_is_named(
    kind: str | None, network: str, sizes: dict[str, int], match: str
) -> None:
    envs = make_sb3_vec_env("MazeNLU-v0", 2, kind=kind)
    with pytest.raises(InvalidArgument, match=match):
        policy_kwargs(envs, network, **sizes)
    envs.close()
