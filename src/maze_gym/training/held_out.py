"""How good a policy is on levels that it has never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.evaluation.analysis.metrics import wilson_interval
from maze_gym.policies.encoding import MazeEncoding, encoding_for
from maze_gym.policies.networks import action_logits
from maze_gym.training.levels import held_out_seeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.policies.networks import Weights
    from maze_gym.training.config import TrainConfig
    from maze_gym.training.levels import AnyVectorEnv


class Score(NamedTuple):
    """Successes on held-out levels.

    Attributes:
        successes: episodes that reached the goal.
        episodes: one for each level.
        rate: successes / episodes.
        interval: 95 % Wilson interval of the rate.
        mean_return: of the world's own reward.
    """

    successes: int
    episodes: int
    rate: float
    interval: tuple[float, float]
    mean_return: float


def score(
    config: TrainConfig, envs: AnyVectorEnv, network: str, weights: Weights, *, sampled: bool = False
) -> Score:
    """Play one episode on each level; nothing of the run's own randomness is used up.

    Args:
        config: of the run.
        envs: from ``test_envs``.
        network: name of the network.
        weights: of the network.
        sampled: draw actions from the policy; else take the most likely one, always.
    """
    encoding = encoding_for(envs.single_observation_space, "flat" if network == "flat" else None)
    shape = encoding.shape if isinstance(encoding, MazeEncoding) else (0, 0)
    generator = np.random.default_rng(config.seed)
    masked = config.algorithm == "maskable-ppo"
    seen, infos = envs.reset(seed=held_out_seeds(config))  # type: ignore[arg-type]  # vector envs take lists, its base says ints
    count = envs.num_envs
    won, returns, playing = np.zeros(count, np.bool_), np.zeros(count), np.ones(count, np.bool_)
    while playing.any():
        logits: NDArray[np.floating] = action_logits(network, weights, shape, encoding.encode(seen))
        if masked:
            logits = np.where(np.asarray(infos["action_mask"], np.bool_), logits, -np.inf)
        if sampled:
            logits = logits + generator.gumbel(size=logits.shape)
        seen, rewards, terminated, truncated, infos = envs.step(logits.argmax(axis=1))
        returns += np.where(playing, rewards, 0)
        over = playing & (terminated | truncated)
        if over.any():
            success = np.asarray(infos["final_info"].get("is_success", terminated), np.bool_)
            won |= over & success
            playing &= ~over
    successes = int(won.sum())
    interval = wilson_interval(successes, count) or (0.0, 1.0)
    return Score(successes, count, successes / count, interval, float(returns.mean()))
