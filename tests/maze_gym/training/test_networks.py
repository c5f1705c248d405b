"""What a network says in NumPy is what it says in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.policies.encoding import MazeEncoding
from maze_gym.policies.networks import FEATURES, action_logits
from maze_gym.training import make_sb3_vec_env
from mazegen import codec

from ..levels import ALL_KINDS

pytestmark = pytest.mark.extra("stable_baselines3", "rl")


@pytest.mark.parametrize("network", FEATURES)
def test_numpy_and_pytorch_agree(network: str) -> None:
    import torch
    from stable_baselines3.common.policies import MultiInputActorCriticPolicy

    from maze_gym.training.networks import EXTRACTORS

    torch.manual_seed(1)
    envs = make_sb3_vec_env(
        "MazeNLU-v0", 8, kind="flat" if network == "flat" else None, maze=codec.to_dict(ALL_KINDS)
    )
    shape = envs.encoding.shape if isinstance(envs.encoding, MazeEncoding) else (0, 0)
    policy: Any = MultiInputActorCriticPolicy(
        envs.encoding.space,
        envs.action_space,
        lambda _: 1e-3,
        features_extractor_class=EXTRACTORS[network],
        features_extractor_kwargs={"shape": shape},
        net_arch={"pi": [64], "vf": [64]},
    )
    weights = {name: values.numpy() for name, values in policy.state_dict().items()}
    envs.seed(3)
    seen: Any = envs.reset()
    generator = np.random.default_rng(0)
    for _ in range(20):
        tensors = {name: torch.from_numpy(values) for name, values in seen.items()}
        expected = policy.get_distribution(tensors).distribution.logits.detach().numpy()
        logits = action_logits(network, weights, shape, seen)
        normalised = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        np.testing.assert_allclose(normalised, expected, atol=1e-5)
        seen, *_ = envs.step(generator.integers(6, size=8))


def test_an_unknown_network_is_answered_with_those_there_are() -> None:
    with pytest.raises(InvalidArgument, match="there are: planner, view, flat"):
        action_logits("cnn", {}, (0, 0), {})
