"""Single and vector envs for stable-baselines3."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from maze_gym.errors import InvalidArgument
from maze_gym.training import make_sb3_env, make_sb3_vec_env
from mazegen import codec

from ..levels import ALL_KINDS

pytestmark = pytest.mark.extra("stable_baselines3", "rl")
PAYLOAD = codec.to_dict(ALL_KINDS)
SPEC = {"topology": "dense_maze", "chain": "k", "rows": 7, "cols": 7}


@pytest.mark.parametrize(
    ("env_id", "kind", "kwargs"),
    [
        ("MazeNLU-v0", None, {"maze": PAYLOAD}),
        ("MazeNLU-v0", "flat", {"maze": PAYLOAD}),
        ("PacmanArray-v0", None, {}),
    ],
)
def test_its_checker_finds_nothing_to_warn_of(env_id: str, kind: str | None, kwargs: dict[str, Any]) -> None:
    """Warnings are errors here."""
    from stable_baselines3.common.env_checker import check_env

    env = make_sb3_env(env_id, kind=kind, **kwargs)
    check_env(env)
    assert isinstance(env.observation_space, spaces.Dict)
    for space in env.observation_space.values():
        assert isinstance(space, spaces.Box)
        assert len(space.shape) == 1
    env.reset()
    assert env.action_masks().dtype == np.bool_  # type: ignore[attr-defined]  # the wrapper's own


@pytest.mark.parametrize(
    ("env_id", "kwargs"),
    [
        ("MazeNLU-v0", {"spec": SPEC, "num_levels": 6, "max_steps": 30}),
        ("SpatialGym-v0", {"tier": 1, "num_levels": 6, "max_steps": 12}),
        ("PacmanArray-v0", {"max_steps": 30}),
    ],
)
def test_a_vector_env_is_what_single_envs_in_a_row_are(env_id: str, kwargs: dict[str, Any]) -> None:
    """Against stable-baselines3's own ``DummyVecEnv``, through many episode ends of both kinds."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    count = 4

    def make() -> gym.Env[Any, Any]:
        monitored: gym.Env[Any, Any] = Monitor(make_sb3_env(env_id, **kwargs))
        return monitored

    slow, fast = DummyVecEnv([make] * count), make_sb3_vec_env(env_id, count, **kwargs)
    assert fast.observation_space == slow.observation_space
    for each in (slow, fast):
        each.seed(11)
    first = slow.reset(), fast.reset()
    generator, ends = np.random.default_rng(0), 0
    assert_same(*first)
    for _ in range(150):
        masks = np.stack(slow.env_method("action_masks"))
        np.testing.assert_array_equal(np.stack(fast.env_method("action_masks")), masks)
        actions = (generator.random(masks.shape) * masks).argmax(axis=1)
        seen, rewards, dones, infos = slow.step(actions)
        fast_seen, fast_rewards, fast_dones, fast_infos = fast.step(actions)
        assert_same(seen, fast_seen)
        np.testing.assert_array_equal(rewards, fast_rewards)
        np.testing.assert_array_equal(dones, fast_dones)
        for env in np.flatnonzero(dones):
            info, fast_info = infos[env], fast_infos[env]
            assert_same(info["terminal_observation"], fast_info["terminal_observation"])
            assert fast_info["TimeLimit.truncated"] == info["TimeLimit.truncated"]
            assert fast_info["is_success"] == info["is_success"]
            assert fast_info["episode"]["r"] == pytest.approx(info["episode"]["r"])
            assert fast_info["episode"]["l"] == info["episode"]["l"]
            ends += 1
    assert ends > count
    slow.close()
    fast.close()


def assert_same(one: Any, other: Any) -> None:
    assert set(one) == set(other)
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name])


def test_a_world_without_a_vector_env_of_its_own_is_put_in_a_row() -> None:
    count = 8
    envs = make_sb3_vec_env("SpatialGym-v0", count)
    assert isinstance(envs.envs.unwrapped, gym.vector.SyncVectorEnv)
    envs.seed_each(range(count))
    seen = envs.reset()
    assert seen["numbers"].shape[0] == count
    generator, ends = np.random.default_rng(0), 0
    while ends < 10 * count:  # lines that broke rules, lines that ran into a corner and those out of steps
        masks = np.stack(envs.env_method("action_masks"))
        _, rewards, dones, infos = envs.step((generator.random(masks.shape) * masks).argmax(axis=1))
        assert rewards.dtype == np.float32
        assert [bool(info) for info in infos] == dones.tolist()
        ends += int(dones.sum())
    envs.close()


@pytest.mark.parametrize("env_id", ["MazeNLU-v0", "SpatialGym-v0", "PacmanArray-v0"])
@pytest.mark.parametrize(
    ("count", "kwargs", "match"),
    [
        (0, {}, "num_envs must be an integer from 1 to .*, got 0"),
        (2, {"kind": "nope"}, "kind of encoding must be None or one of maze, flat, got 'nope'"),
        (2, {"max_stepz": 5}, "takes no argument 'max_stepz' here; did you mean 'max_steps'"),
        (2, {"copy": True}, "takes no argument 'copy' here; there are: .*max_steps"),
    ],
)
def test_what_is_no_argument_of_a_row_of_envs_is_named(
    env_id: str, count: int, kwargs: dict[str, Any], match: str
) -> None:
    with pytest.raises(InvalidArgument, match=match):
        make_sb3_vec_env(env_id, count, **kwargs)


def test_what_the_envs_cannot_do_is_said() -> None:
    from maze_gym.training.vec_env import EncodedVecEnv

    envs = make_sb3_vec_env("MazeNLU-v0", 2, maze=PAYLOAD)
    with pytest.raises(InvalidArgument, match="action_masks alone"):
        envs.env_method("render")
    with pytest.raises(InvalidArgument, match="share their attributes"):
        envs.set_attr("finish", "done_action")
    assert envs.env_is_wrapped(gym.Wrapper) == [False, False]
    assert envs.get_attr("finish") == ["arrival"] * 2
    assert envs.has_attr("action_masks")
    assert envs.get_images() == [None, None]
    with pytest.raises(InvalidArgument, match="SAME_STEP"):
        EncodedVecEnv(gym.make_vec("MazeNLU-v0", num_envs=2, maze=PAYLOAD))
    with pytest.raises(InvalidArgument, match="did you mean"):
        make_sb3_vec_env("MazeNLU-v1", 2)
