"""Train PPO on small mazes, and let it play levels that it has never seen.

pip install -e '.[rl]'    (without an NVIDIA GPU, a CPU build of PyTorch before)
python examples/02_train_ppo.py --steps 131072 --out runs/example_ppo
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import gymnasium as gym

from maze_gym import make_policy, run_episode
from maze_gym.training import TrainConfig, train

if TYPE_CHECKING:
    from maze_gym.training.run import Progress

ENV_ID = "MazeNLU-Navigation-9x9-v0"


def show(now: Progress) -> None:
    """Print how good the policy is on held-out levels."""
    print(f"{now.steps:>8,} steps: {now.greedy.rate:.0%} of {now.greedy.episodes} held-out levels")


def main(arguments: list[str] | None = None) -> None:
    """Train, then play one level through the same loop that language models are evaluated in."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=131_072)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--out", type=Path, default=Path("runs/example_ppo"))
    chosen = parser.parse_args(arguments)
    config = TrainConfig(
        env_id=ENV_ID,
        steps=chosen.steps,
        envs=chosen.envs,
        batch_size=chosen.envs * 8,
        eval_every=32_768,
        eval_episodes=min(chosen.envs, 200),
    )
    begun = (chosen.out / "config.json").exists()
    train(config, chosen.out, resume=begun, on_progress=show)  # interrupted? call it again
    env = gym.make(ENV_ID, start_level=2**31)
    record = run_episode(env, make_policy(f"sb3:{chosen.out}", env), seed=7)
    print(f"{record.level_id}: {record.end_reason} in {record.steps} steps, optimum {record.optimal_actions}")


if __name__ == "__main__":
    main()
