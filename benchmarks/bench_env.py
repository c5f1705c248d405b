"""One env: steps and resets a second of MazeNLU-v0 beside MiniGrid's DoorKey-8x8, and the solver's states.

``pip install -e '.[bench]'`` brings MiniGrid; without it our own figures are printed alone.
Rounds of the two envs alternate, so that a busy machine slows both; each figure is the best round, and
the ratio, not the figure, is what lasts. Run: ``python benchmarks/bench_env.py``.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import gymnasium as gym

import maze_gym  # noqa: F401 - registers the ids
from mazegen import codec
from mazegen.core import rules
from mazegen.rendering import picture
from mazegen.search import solver

if TYPE_CHECKING:
    from collections.abc import Callable

    from mazegen.core.rules import Board, State

ROUNDS = 30
STEPS = 2_000  # of a round
DOORKEY_MAX_STEPS = 640
GOAL = 40  # times MiniGrid's steps

# As large as DoorKey-8x8, and like it: two rooms, a key and its door.
LIKE_DOORKEY = picture.parse(
    """
    ########
    #>..#..#
    #...#..#
    #.y.#..#
    #...Y..#
    #...#..#
    #...#.*#
    ########
    """,
    level_id="like DoorKey-8x8",
)
# 16 x 16 with two key-door pairs and one switch-gate pair.
LARGE = picture.parse(
    """
    ################
    #>....#....#...#
    #..r..#....#...#
    #.....#..b.#...#
    #.....R....B...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#.0.#
    #.....#....#...#
    #.....#....##=##
    #.....#....#...#
    #.....#....#..*#
    ################
    """,
    level_id="16 x 16, two keys, one switch",
)


def steps_per_second(env: gym.Env[Any, Any], seed: int) -> float:
    """One round of random steps, resets included."""
    env.action_space.seed(seed)
    actions = [int(env.action_space.sample()) for _ in range(STEPS)]
    env.reset(seed=seed)
    begin = time.perf_counter()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return STEPS / (time.perf_counter() - begin)


def resets_per_second(env: gym.Env[Any, Any], count: int) -> float:
    """One round of unseeded resets."""
    begin = time.perf_counter()
    for _ in range(count):
        env.reset()
    return count / (time.perf_counter() - begin)


def best(measure: Callable[[], float], rounds: int = ROUNDS) -> float:
    """The best of several rounds: what the code can do when nothing else runs."""
    return max(measure() for _ in range(rounds))


def deque_search(board: Board) -> int:
    """States that a textbook breadth-first search in Python visits; the same rules, no compiler."""
    seen: set[State] = {board.start}
    queue = deque(seen)
    while queue:
        state = queue.popleft()
        for action in range(len(rules.Action)):
            after, event, _ = rules.step(board, state, action)
            if event != rules.Event.DONE and after not in seen:
                seen.add(after)
                queue.append(after)
    return len(seen)


def compare_envs() -> None:
    """Print steps and resets beside MiniGrid's."""
    # Both with DoorKey-8x8's step limit, so that neither resets more often than the other.
    ours = gym.make("MazeNLU-v0", maze=codec.to_dict(LIKE_DOORKEY), max_steps=DOORKEY_MAX_STEPS)
    ours.reset(seed=0)
    if importlib.util.find_spec("minigrid") is None:
        print(f"MazeNLU-v0  {best(lambda: steps_per_second(ours, 0)):>12,.0f} steps/s (MiniGrid is absent)")
        return
    importlib.import_module("minigrid")
    peer = gym.make("MiniGrid-DoorKey-8x8-v0")
    fresh = gym.make("MazeNLU-KeyDoor-9x9-v0", max_steps=DOORKEY_MAX_STEPS)
    fresh.reset(seed=0)
    mine, theirs, raw, new = 0.0, 0.0, 0.0, 0.0
    for seed in range(ROUNDS):
        mine = max(mine, steps_per_second(ours, seed))
        new = max(new, steps_per_second(fresh, seed))
        theirs = max(theirs, steps_per_second(peer, seed))
        raw = max(raw, steps_per_second(ours.unwrapped, seed))
    print(f"{'':34}{'MazeNLU-v0':>14}{'MiniGrid':>12}{'ratio':>8}   (goal {GOAL}x for steps)")
    print_row("steps/s through gym.make", mine, theirs)
    print_row("steps/s, new level each episode", new, theirs)
    print(f"{'steps/s unwrapped':34}{raw:>14,.0f}")
    mine, new = (
        best(lambda: resets_per_second(ours, 2_000), 10),
        best(lambda: resets_per_second(fresh, 200), 10),
    )
    theirs = best(lambda: resets_per_second(peer, 200), 10)
    print_row("resets/s, level kept", mine, theirs)
    print_row("resets/s, level made and proved", new, theirs)


def print_row(what: str, ours: float, peer: float) -> None:
    """One row of the comparison."""
    print(f"{what:34}{ours:>14,.0f}{peer:>12,.0f}{ours / peer:>7.1f}x")


def measure_solver() -> None:
    """Print what the compiled search does with the large board, beside a Python queue."""
    board = rules.compile_board(LARGE)
    field = solver.DistanceField(board)  # compiles, or loads what was compiled before

    def whole() -> float:
        begin = time.perf_counter()
        solver.DistanceField(board)
        return 1 / (time.perf_counter() - begin)

    def queue() -> float:
        begin = time.perf_counter()
        deque_search(board)
        return 1 / (time.perf_counter() - begin)

    compiled, plain = best(whole), best(queue, 5)
    print(f"\n{LARGE.level_id}: {field.states:,} states")
    for what, speed in (("all states and distances", compiled), ("Python deque and set, states only", plain)):
        print(f"{what:34}{1e3 / speed:>12.2f} ms{speed * field.states:>16,.0f} states/s")
    print(f"{'ratio':34}{compiled / plain:>11.1f}x")


if __name__ == "__main__":
    compare_envs()
    measure_solver()
