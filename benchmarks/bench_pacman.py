"""PacmanArray-v0: steps a second of rules, env and frames, beside MazeNLU-v0, and what the search takes.

Rounds of all of them alternate, so that a busy machine slows them alike; each figure is the best round, and
the ratio, not the figure, is what lasts. Run: ``python benchmarks/bench_pacman.py``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import gymnasium as gym

import maze_gym  # noqa: F401 - registers the ids
from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.generator import PacmanSpec, generate
from maze_gym.envs.pacman.layouts import CLASSIC
from maze_gym.envs.pacman.search import find_plan

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 60
GAMES = 5  # of a round
GOAL = 300_000  # steps/s of the single env, unwrapped
GENERATED = 10


def main() -> None:
    """Print everything."""
    board = rules.compile_board(CLASSIC)
    begin = time.perf_counter()
    plan = find_plan(board, board.start, 200)
    took = time.perf_counter() - begin
    env, maze = PacmanArrayEnv(), gym.make("MazeNLU-v0").unwrapped
    measures = {
        "rules.step": lambda: _rules(board, plan.actions),
        "PacmanArray-v0, unwrapped": lambda: _env(env, plan.actions),
        "MazeNLU-v0, unwrapped": lambda: _env(maze, [2, 0] * (len(plan.actions) // 2)),
        "PacmanArray-v0 through gym.make": _through_make(plan.actions),
    }
    best = dict.fromkeys(measures, 0.0)
    for _ in range(ROUNDS):
        for name, measure in measures.items():
            best[name] = max(best[name], measure())
    for name, rate in best.items():
        print(f"{name:34}{rate:>14,.0f} steps/s{rate / best['MazeNLU-v0, unwrapped']:>8.2f} of MazeNLU-v0")
    print(f"{'goal, unwrapped':34}{GOAL:>14,.0f} steps/s")
    print(f"\nsearch: wins {CLASSIC.level_id} in {len(plan.actions)} steps, found in {took:.2f} s")
    begin = time.perf_counter()
    lengths = [len(generate(PacmanSpec(), number).witness.actions) for number in range(GENERATED)]
    took = (time.perf_counter() - begin) / GENERATED
    print(f"generator: {took:.2f} s a board with its witness, of {min(lengths)} to {max(lengths)} steps")


def _rules(board: rules.Board, actions: tuple[int, ...]) -> float:
    """Steps a second of the bare transition function along a winning game."""
    begin = time.perf_counter()
    for _ in range(GAMES):
        state = board.start
        for action in actions:
            state = rules.step(board, state, action)[0]
    return GAMES * len(actions) / (time.perf_counter() - begin)


def _env(env: gym.Env[Any, Any], actions: tuple[int, ...] | list[int]) -> float:
    """Steps a second of an env, resets left out."""
    seconds, steps = 0.0, 0
    for _ in range(GAMES):
        env.reset(seed=0)
        begin = time.perf_counter()
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            steps += 1
            if terminated or truncated:
                break
        seconds += time.perf_counter() - begin
    return steps / seconds


def _through_make(actions: tuple[int, ...]) -> Callable[[], float]:
    env: gym.Env[Any, Any] = gym.make("PacmanArray-v0")
    return lambda: _env(env, actions)


if __name__ == "__main__":
    main()
