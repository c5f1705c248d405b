"""PacmanArray-v0: steps a second of rules and env, beside MazeNLU-v0, and what the search takes.

The figure that the goal is about is that of random legal actions, other ones in every round, with their
resets: on the classic board such a game lasts three steps. New ground is a game that the env has never seen,
a known game one that it has; what it remembers makes the difference. All observations are fresh arrays.

Rounds of all of them alternate, so that a busy machine slows them alike, and time is that of the processor;
each figure is the best round, and the ratio, not the figure, is what lasts.
Run: ``python benchmarks/bench_pacman.py``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np

import maze_gym  # noqa: F401 - registers the ids
from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.generation.generator import PacmanSpec, generate
from maze_gym.envs.pacman.rules.layout import CLASSIC
from maze_gym.envs.pacman.search import find_plan

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 200
GAMES = 5  # of a round
STEPS = 1_000  # of a round of random games
WARM_UP = 20_000  # random steps before the first round: an env that trains has played before
GOAL = 300_000  # steps/s of the single env, unwrapped
GENERATED = 10


def main() -> None:
    """Print everything."""
    board = rules.compile_board(CLASSIC)
    begin = time.process_time()
    plan = find_plan(board, board.start, 200)
    took = time.process_time() - begin
    env = PacmanArrayEnv()
    maze: gym.Env[Any, Any] = gym.make("MazeNLU-v0").unwrapped
    made: gym.Env[Any, Any] = gym.make("PacmanArray-v0")
    rng = np.random.default_rng(0)
    for each in (env, made):
        _random_games(each, _legal(board, rng, WARM_UP))
    back_and_forth = [2, 0] * (len(plan.actions) // 2)
    measures: dict[str, Callable[[], float]] = {
        "rules.step": lambda: _rules(board, plan.actions),
        "five fresh arrays, nothing else": lambda: _arrays(env, len(plan.actions)),
        "MazeNLU-v0, unwrapped": lambda: _known_game(maze, back_and_forth),
        "PacmanArray-v0, random legal": lambda: _random_games(env, _legal(board, rng, STEPS)),
        "the same through gym.make": lambda: _random_games(made, _legal(board, rng, STEPS)),
        "PacmanArray-v0, new ground": lambda: _new_ground(plan.actions),
        "PacmanArray-v0, a known game": lambda: _known_game(env, plan.actions),
    }
    best = dict.fromkeys(measures, 0.0)
    for _ in range(ROUNDS):
        for name, measure in measures.items():
            best[name] = max(best[name], measure())
    for name, rate in best.items():
        ratio = rate / best["MazeNLU-v0, unwrapped"]
        print(f"{name:34}{rate:>14,.0f} steps/s{1e6 / rate:>8.2f} us{ratio:>8.2f} of MazeNLU-v0")
    print(f"{'goal, random legal, unwrapped':34}{GOAL:>14,.0f} steps/s{1e6 / GOAL:>8.2f} us")
    print(f"\nsearch: wins {CLASSIC.level_id} in {len(plan.actions)} steps, found in {took:.2f} s")
    begin = time.process_time()
    lengths = [len(generate(PacmanSpec(), number).witness.actions) for number in range(GENERATED)]
    took = (time.process_time() - begin) / GENERATED
    print(f"generator: {took:.2f} s a board with its witness, of {min(lengths)} to {max(lengths)} steps")


def _legal(board: rules.Board, rng: np.random.Generator, steps: int) -> list[int]:
    """Random actions that move the player, of games one after the other, drawn before the clock starts."""
    state, actions = board.start, []
    for number in rng.integers(1 << 30, size=steps).tolist():
        legal = [action for action in range(4) if board.moves[action][state.player] != state.player]
        actions.append(legal[number % len(legal)])
        state, events, _ = rules.step(board, state, actions[-1])
        if events & rules.OVER:
            state = board.start
    return actions


def _rules(board: rules.Board, actions: tuple[int, ...]) -> float:
    """Steps a second of the bare transition function along a winning game."""
    begin = time.process_time()
    for _ in range(GAMES):
        state = board.start
        for action in actions:
            state = rules.step(board, state, action)[0]
    return GAMES * len(actions) / (time.process_time() - begin)


def _arrays(env: PacmanArrayEnv, steps: int) -> float:
    """The floor under every step that hands out four observed arrays and a mask of its own."""
    observation, info = env.reset()
    arrays: list[Any] = [*observation.values(), info["action_mask"]]
    first, second, third, fourth, fifth = (array.copy for array in arrays)
    begin = time.process_time()
    for _ in range(GAMES * steps):
        first()
        second()
        third()
        fourth()
        fifth()
    return GAMES * steps / (time.process_time() - begin)


def _random_games(env: gym.Env[Any, Any], actions: list[int]) -> float:
    """Steps a second of games one after the other, resets included."""
    env.reset()
    begin = time.process_time()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return len(actions) / (time.process_time() - begin)


def _new_ground(actions: tuple[int, ...]) -> float:
    """Steps a second of a winning game in an env that has never played."""
    env = PacmanArrayEnv()
    env.reset()
    begin = time.process_time()
    for action in actions:
        env.step(action)
    return len(actions) / (time.process_time() - begin)


def _known_game(env: gym.Env[Any, Any], actions: tuple[int, ...] | list[int]) -> float:
    """Steps a second of one game again and again, resets left out."""
    seconds, steps = 0.0, 0
    for _ in range(GAMES):
        env.reset(seed=0)
        begin = time.process_time()
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            steps += 1
            if terminated or truncated:
                break
        seconds += time.process_time() - begin
    return steps / seconds


if __name__ == "__main__":
    main()
