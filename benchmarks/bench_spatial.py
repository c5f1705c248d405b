"""SpatialGym-v0: steps a second through gym.make beside MazeNLU-v0, making and resetting it, and its frames.

Rounds of all of them alternate, so that a busy machine slows them alike; each figure is the best round, and
the ratio, not the figure, is what lasts. Run: ``python benchmarks/bench_spatial.py``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np

import maze_gym  # noqa: F401 - registers the ids
from maze_gym.envs.sparc.search.plans import actions_along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.envs.sparc.rules.puzzle import Path, Puzzle

    AnyEnv = gym.Env[Any, Any]

ROUNDS = 20
EPISODES = 60  # of a round
STEPS_GOAL = 100_000  # steps/s of the single env, through gym.make
MAKE_GOAL_MS = 50  # gym.make and the first reset, puzzles loaded


class Script(NamedTuple):
    """What a measurement plays: for each episode the reset's options and the actions."""

    env: AnyEnv
    episodes: Sequence[tuple[dict[str, Any], list[int]]]

    def rate(self) -> float:
        """Steps a second of processor time; resets are left out, the judging of finished lines is not."""
        steps, seconds = 0, 0.0
        for options, actions in self.episodes:
            self.env.reset(options=options)
            begin = time.process_time()  # other programs do not count
            for action in actions:
                self.env.step(action)
            seconds += time.process_time() - begin
            steps += len(actions)
        return steps / seconds


def main() -> None:
    """Print everything."""
    begin = time.perf_counter()
    gym.make("SpatialGym-v0").reset(seed=0)
    cold_ms = 1000 * (time.perf_counter() - begin)
    scripts = {
        "random legal moves": _random_play("SpatialGym-v0"),
        "random legal moves, backtracking": _random_play("SpatialGym-Backtracking-v0"),
        "along stored solutions": _solutions(),
        "MazeNLU-v0, random moves": _random_play("MazeNLU-v0"),
    }
    best = dict.fromkeys(scripts, 0.0)
    warm_ms = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        gym.make("SpatialGym-v0").reset(seed=0)
        warm_ms = min(warm_ms, 1000 * (time.perf_counter() - begin))
        for name, script in scripts.items():
            best[name] = max(best[name], script.rate())
    for name, rate in best.items():
        of_maze = rate / best["MazeNLU-v0, random moves"]
        print(f"{name:36}{rate:>12,.0f} steps/s{of_maze:>8.2f} of MazeNLU-v0")
    print(f"{'goal, through gym.make':36}{STEPS_GOAL:>12,.0f} steps/s")
    print(f"\ngym.make and first reset: {warm_ms:.1f} ms (goal {MAKE_GOAL_MS}), {cold_ms:.0f} the first time")
    _frames()


def _random_play(env_id: str) -> Script:
    """Moves drawn from the action mask until each episode ends."""
    env: AnyEnv = gym.make(env_id)
    rng = np.random.default_rng(0)
    episodes = []
    for seed in range(EPISODES):
        _, info = env.reset(seed=seed)
        world: Any = env.unwrapped
        options = {"puzzle": world.puzzle} if hasattr(world, "puzzle") else {"maze": world.maze}
        actions = []
        while "is_success" not in info:
            actions.append(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            *_, info = env.step(actions[-1])
        episodes.append((options, actions))
    return Script(env, episodes)


def _solutions() -> Script:
    """The longest stored solution of each of so many puzzles."""
    env: AnyEnv = gym.make("SpatialGym-v0")
    world: Any = env.unwrapped
    puzzles = [world.source.puzzle(number) for number in range(EPISODES)]
    return Script(env, [({"puzzle": each}, list(actions_along(_longest(each)))) for each in puzzles])


def _longest(puzzle: Puzzle) -> Path:
    return max(puzzle.solutions, key=len)


def _frames() -> None:
    """Milliseconds of a frame at 64 px a rule cell: first of a puzzle, after a move, nothing new."""
    env: Any = gym.make("SpatialGym-v0", render_mode="rgb_array").unwrapped
    first, moved, same = [], [], []
    for number in range(20):
        puzzle = env.source.puzzle(number)
        env.reset(options={"puzzle": puzzle})
        first.append(_ms(env))
        for action in actions_along(puzzle.solutions[0])[:-1]:
            env.step(action)
            moved.append(_ms(env))
            same.append(_ms(env))
    means = ", ".join(
        f"{name} {np.mean(times):.1f} ms"
        for name, times in (("first", first), ("after a move", moved), ("same", same))
    )
    print(f"frame of 448 x 448 px: {means}")


def _ms(env: Any) -> float:  # noqa: ANN401 - the world's own class
    begin = time.perf_counter()
    env.render()
    return 1000 * (time.perf_counter() - begin)


if __name__ == "__main__":
    main()
