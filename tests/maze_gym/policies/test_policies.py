"""Random, greedy and oracle, on their own."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.ending import EndReason
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument, PolicyStopped
from maze_gym.policies import POLICIES, make_policy
from mazegen import codec
from mazegen.core.rules import Action
from mazegen.rendering import picture

from ..levels import ALL_KINDS, CORRIDOR, TALL, TRAP


def test_random_is_fixed_by_its_seed_and_never_takes_a_masked_action() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    observation, info = env.reset()
    info["action_mask"] = np.array([0, 1, 0, 0, 1, 0], np.int8)

    def draws(seed: int) -> list[int]:
        policy = make_policy("random", env, seed)
        return [policy.act(observation, info) for _ in range(50)]

    assert set(draws(0)) == {1, 4}
    assert draws(0) == draws(0) != draws(1)


def test_random_without_a_mask_takes_every_action() -> None:
    policy = make_policy("random", gym.make("CartPole-v1"), 0)
    assert {policy.act(None, {}) for _ in range(50)} == {0, 1}


def test_random_reset_with_a_seed_begins_again() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    observation, info = env.reset()
    policy = make_policy("random", env)
    policy.reset(3)
    first = [policy.act(observation, info) for _ in range(20)]
    policy.reset(3)
    assert [policy.act(observation, info) for _ in range(20)] == first


@given(seed=st.integers(0, 2**32), wandering=st.integers(0, 60))
@settings(max_examples=30)
def test_oracle_is_optimal_from_wherever_it_stands(seed: int, wandering: int) -> None:
    """After any random walk it needs exactly as many actions as the distance field says."""
    env = GridWorldEnv(maze=ALL_KINDS, max_steps=1_000)
    env.reset()
    generator = np.random.default_rng(seed)
    for _ in range(wandering):
        if env.step(int(generator.integers(6)))[2]:
            return
    remaining = env.distances().distance(env.state)
    oracle = make_policy("oracle", gym.wrappers.OrderEnforcing(env))
    terminated, steps = False, 0
    while not terminated:
        _, _, terminated, _, _ = env.step(oracle.act(None, {}))
        steps += 1
    assert steps == remaining


def test_oracle_stops_where_no_way_is_left() -> None:
    env = GridWorldEnv(maze=TRAP)
    env.reset()
    for action in ("MOVE_FORWARD", "PICKUP", "TURN_LEFT", "MOVE_FORWARD"):
        env.step(int(Action[action]))
    with pytest.raises(PolicyStopped) as caught:
        make_policy("oracle", env).act(None, {})
    assert caught.value.reason is EndReason.FAILED


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("#####\n#>.*#\n#####", Action.MOVE_FORWARD),
        ("#####\n#v.*#\n#####", Action.TURN_LEFT),
        ("#####\n#^.*#\n#####", Action.TURN_RIGHT),
        ("#####\n#<.*#\n#####", Action.TURN_RIGHT),
        ("######\n#>#.*#\n######", Action.MOVE_FORWARD),  # it walks into the wall: it never goes around
        ("######\n#>#.*#\n#....#\n#....#\n######", Action.MOVE_FORWARD),
        ("#####\n#>##\n#..#\n#.*#\n####".replace("#####\n", "####\n"), Action.TURN_RIGHT),
        ("######\n#>0.*#\n######", Action.TOGGLE),
        ("######\n#>1.*#\n######", Action.MOVE_FORWARD),
    ],
)
def test_greedy_walks_straight_and_uses_what_lies_ahead(drawing: str, expected: Action) -> None:
    env = GridWorldEnv(maze=picture.parse(drawing), max_steps=50)
    env.reset()
    assert make_policy("greedy", env).act(None, {}) == expected


def test_greedy_picks_up_the_key_it_stands_on() -> None:
    env = GridWorldEnv(maze=TRAP)
    env.reset(options={"start": (2, 2)})
    assert make_policy("greedy", env).act(None, {}) == Action.PICKUP


def test_greedy_says_done_on_the_goal() -> None:
    env = GridWorldEnv(maze=CORRIDOR, finish="done_action")
    env.reset()
    greedy = make_policy("greedy", env)
    greedy.reset()
    events = [env.step(greedy.act(None, {}))[4]["event"] for _ in range(3)]
    assert events == ["MOVED", "MOVED", "DONE"]


def test_unknown_policy_is_answered_with_the_close_name() -> None:
    with pytest.raises(InvalidArgument, match="did you mean 'oracle'"):
        make_policy("orcale", GridWorldEnv(maze=TALL))
    with pytest.raises(InvalidArgument, match=", ".join(POLICIES)):
        make_policy("zzz", GridWorldEnv(maze=TALL))


@pytest.mark.parametrize("name", ["greedy", "oracle"])
def test_policies_that_need_a_world_say_so(name: str) -> None:
    with pytest.raises(InvalidArgument, match=r"maze_gym\.game\.World"):
        make_policy(name, gym.make("CartPole-v1"))


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_carries_the_name_it_is_made_by(name: str) -> None:
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(TALL))
    assert make_policy(name, env, 0).name == name
