"""OracleShaping: what it adds telescopes, ranks no plan anew, and is the same for vector envs."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.envs import GridWorldEnv
from maze_gym.envs.maze.vector.guided import GuidedMazeVectorEnv
from maze_gym.errors import InvalidArgument
from maze_gym.policies import make_policy
from maze_gym.wrappers.oracle_shaping import DEAD_FACTOR, OracleShaping, VectorOracleShaping
from mazegen import codec
from mazegen.core.rules import Action

from ..levels import ALL_KINDS, CORRIDOR, TRAP

SPEC = {"topology": "dense_maze", "chain": "kk", "rows": 9, "cols": 9}


@given(st.integers(0, 2**32), st.floats(0.5, 1), st.floats(0.01, 1))
@settings(max_examples=20)
def test_the_additions_of_an_episode_telescope(seed: int, gamma: float, scale: float) -> None:
    world = GridWorldEnv(maze=ALL_KINDS, max_steps=60)
    env = OracleShaping(world, gamma, scale)
    env.reset()
    first = -scale * world.distances().distance(world.state)  # type: ignore[operator]  # it can be solved
    generator = np.random.default_rng(seed)
    added, discount, ended, terminated = 0.0, 1.0, False, False
    while not ended:
        _, reward, terminated, truncated, info = env.step(int(generator.integers(6)))
        added += discount * (reward - info["unshaped_reward"])
        discount *= gamma
        ended = terminated or truncated
    remaining = 0 if terminated else world.distances().distance(world.state)
    assert remaining is not None
    assert added == pytest.approx(discount * -scale * remaining - first)


@given(st.integers(0, 2**32))
@settings(max_examples=20)
def test_optimal_actions_and_they_alone_have_the_best_value_under_the_shaping(seed: int) -> None:
    """In any state: reward now, plus the discounted value of what follows when all goes on optimally."""
    gamma, scale = 0.9, 0.3
    world = GridWorldEnv(maze=ALL_KINDS, max_steps=1000)
    env = OracleShaping(world, gamma, scale)
    env.reset()
    generator = np.random.default_rng(seed)
    for _ in range(int(generator.integers(40))):
        if env.step(int(generator.integers(6)))[2]:
            return
    field, state, steps = world.distances(), world.state, world.max_steps - world.steps_left  # type: ignore[operator]
    here = field.distance(state)
    assert here is not None
    values = []
    for action in Action:
        env.reset()
        replayed = np.random.default_rng(seed)
        for _ in range(int(replayed.integers(40))):
            env.step(int(replayed.integers(6)))
        assert (world.state, world.max_steps - world.steps_left) == (state, steps)  # type: ignore[operator]
        _, reward, terminated, _, _ = env.step(int(action))
        after = 0 if terminated else field.distance(world.state)
        assert after is not None
        rest = (
            0.0 if terminated else gamma ** (after - 1) + scale * after
        )  # its value, less the potential there
        values.append(reward + gamma * rest)
    best = {Action(index) for index, value in enumerate(values) if value > max(values) - 1e-9}
    assert best == set(field.best_actions(state))


def test_the_oracle_still_gets_there_and_each_of_its_actions_is_rewarded() -> None:
    env = OracleShaping(GridWorldEnv(maze=ALL_KINDS), gamma=1.0, scale=0.1)
    env.reset()
    oracle = make_policy("oracle", env)
    terminated, rewards = False, []
    while not terminated:
        _, reward, terminated, _, _ = env.step(oracle.act(None, {}))
        rewards.append(reward)
    assert rewards == pytest.approx([0.1] * (len(rewards) - 1) + [1.1])


def test_walking_into_a_trap_costs_what_lies_between() -> None:
    world = GridWorldEnv(maze=TRAP)
    env = OracleShaping(world, gamma=1.0, scale=0.1)
    env.reset()
    optimum = world.distances().distance(world.state)
    assert optimum is not None
    total = sum(
        env.step(int(Action[name]))[1] for name in ("MOVE_FORWARD", "PICKUP", "TURN_LEFT", "MOVE_FORWARD")
    )
    assert total == pytest.approx(-0.1 * (DEAD_FACTOR - 1) * optimum)


def test_it_is_rebuilt_from_its_spec() -> None:
    env = OracleShaping(gym.make("MazeNLU-v0", maze=codec.to_dict(CORRIDOR)), gamma=0.9, scale=0.2)
    again = gym.make(env.spec)  # type: ignore[arg-type]  # there is one
    for each in (env, again):
        each.reset(seed=0)
    assert env.step(2)[1] == again.step(2)[1] != 0


def test_vector_envs_are_shaped_as_single_ones() -> None:
    count = 6
    kwargs: dict[str, Any] = {"spec": SPEC, "num_levels": 9}
    envs: Any = VectorOracleShaping(GuidedMazeVectorEnv(count, **kwargs, copy=False), 0.97, 0.1)
    singles = [OracleShaping(gym.make("MazeNLU-v0", **kwargs), 0.97, 0.1) for _ in range(count)]
    envs.reset(seed=5)
    for index, single in enumerate(singles):
        single.reset(seed=5 + index)
    generator, ends = np.random.default_rng(0), 0
    for _ in range(400):
        actions = generator.integers(6, size=count)
        _, rewards, terminated, truncated, infos = envs.step(actions)
        for index, single in enumerate(singles):
            _, reward, one_terminated, one_truncated, _ = single.step(int(actions[index]))
            assert rewards[index] == pytest.approx(reward, abs=1e-12)
            assert (terminated[index], truncated[index]) == (one_terminated, one_truncated)
            if one_terminated or one_truncated:
                single.reset()
                ends += 1
        assert (infos["remaining_actions"] >= 1).all()
    assert ends > count


def test_a_reset_of_some_vector_envs_leaves_the_others_alone() -> None:
    envs: Any = VectorOracleShaping(GuidedMazeVectorEnv(2, maze=ALL_KINDS), 1.0, 0.1)
    envs.reset(seed=1)
    total = envs.step(np.array([1, 1]))[1].copy()
    envs.reset(options={"reset_mask": np.array([True, False])})
    after = envs.step(np.array([0, 0]))[1]
    assert total[1] + after[1] == pytest.approx(0)  # there and back
    fresh: Any = VectorOracleShaping(GuidedMazeVectorEnv(2, maze=ALL_KINDS), 1.0, 0.1)
    fresh.reset(seed=1)
    assert after[0] == pytest.approx(fresh.step(np.array([0, 0]))[1][0])


def test_what_cannot_be_shaped_is_refused() -> None:
    world = GridWorldEnv(maze=CORRIDOR)
    with pytest.raises(InvalidArgument, match="gamma must be"):
        OracleShaping(world, gamma=1.5)
    for scale in (0, -1.0, float("inf"), float("nan")):
        with pytest.raises(InvalidArgument, match=f"scale must be a finite number above 0, got {scale}"):
            OracleShaping(world, scale=scale)
    with pytest.raises(InvalidArgument, match="exact search"):
        OracleShaping(gym.make("CartPole-v1"))
    with pytest.raises(InvalidArgument, match="same step"):
        VectorOracleShaping(gym.make_vec("MazeNLU-v0", num_envs=1))
    with pytest.raises(InvalidArgument, match="same step"):
        GuidedMazeVectorEnv(1, maze=CORRIDOR, autoreset_mode=AutoresetMode.NEXT_STEP)
    plain = gym.make_vec("MazeNLU-v0", num_envs=1, autoreset_mode=AutoresetMode.SAME_STEP)
    with pytest.raises(InvalidArgument, match="remaining_actions"):
        VectorOracleShaping(plain).reset(seed=0)
