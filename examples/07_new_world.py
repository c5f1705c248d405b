"""A world of your own, checked for what the suite asks of it and then played."""

from typing import Any

import gymnasium as gym
import numpy as np

from maze_gym import check_world, make_policy, run_episode

TILES, MAX_STEPS = 7, 20


class Corridor(gym.Env[np.int64, np.int64]):
    """Some tiles in a row: start anywhere, reach the last one."""

    action_names = ("LEFT", "RIGHT")

    def __init__(self) -> None:
        """Spaces of its own: they hold generators, which two envs must not share."""
        self.observation_space, self.action_space = gym.spaces.Discrete(TILES), gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.int64, dict[str, Any]]:
        """Start on a random tile."""
        super().reset(seed=seed, options=options)
        self.tile, self.steps = int(self.np_random.integers(TILES - 1)), 0
        return np.int64(self.tile), self.info() | {"optimal_actions": TILES - 1 - self.tile}

    def step(self, action: np.int64) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Walk by one tile."""
        self.tile, self.steps = max(self.tile + (1 if action == 1 else -1), 0), self.steps + 1
        won, late = self.tile == TILES - 1, self.steps >= MAX_STEPS
        last = {"is_success": won} if won or late else {}
        return np.int64(self.tile), float(won), won, late, self.info() | last

    def info(self) -> dict[str, Any]:
        """What every step says."""
        return {"level_id": "corridor", "action_mask": np.array([self.tile > 0, True], np.int8)}

    def optimal_action(self) -> int:
        """For the oracle; the greedy policy has the same idea here."""
        return 1

    greedy_action = optimal_action

    def progress_signature(self) -> int:
        """Equal in two states if going from one to the other gains nothing."""
        return self.tile


gym.register("Corridor-v0", f"{__name__}:Corridor")
if __name__ == "__main__":
    check_world("Corridor-v0")
    for name in ("random", "oracle"):
        env = gym.make("Corridor-v0")
        record = run_episode(env, make_policy(name, env, 0), seed=6)
        print(f"{name}: {record.end_reason} in {record.steps} steps; {record.optimal_actions} are enough")
