"""Line puzzles: what the solver, the generator, the rules and the bundled suite take, in seconds of one core.

Beside it stands what walkers without a plan achieve on the suite and on the public puzzles. The shared sample
of public puzzles is searched where it is there. Run: ``python benchmarks/bench_spatial_puzzles.py``.
"""

from __future__ import annotations

import importlib.util
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from maze_gym.envs.sparc.generation.generator import PuzzleSpec, generate
from maze_gym.envs.sparc.levels.datasets import load_puzzles
from maze_gym.envs.sparc.rules.constraints import judge, obeys
from maze_gym.envs.sparc.rules.puzzle import LEVELS
from maze_gym.envs.sparc.search.solver import count_solutions, enumerate_solutions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maze_gym.envs.sparc.rules.puzzle import Path as Line
    from maze_gym.envs.sparc.rules.puzzle import Puzzle

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT.parent / "shared" / "data" / "sparc" / "sparc_conformance.jsonl"
SAMPLE_GOAL = 15.0  # seconds for all 103 puzzles
GENERATOR_GOAL = 20  # accepted puzzles a second at level 3
GENERATED = 100  # a level


def seconds(work: Callable[[], object]) -> float:
    """Processor time of some work; another process on the same core does not count."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    """Print everything."""
    print(f"load the suite's 500 puzzles: {seconds(lambda: load_puzzles('spatial')):.2f} s")
    puzzles = load_puzzles("spatial")
    print(f"first search, compiled or from the cache: {seconds(lambda: count_solutions(puzzles[0])):.2f} s")
    _search("the bundled suite", puzzles)
    if SAMPLE.is_file():
        taken = _search("the shared sample", load_puzzles(SAMPLE))
        print(f"  goal: below {SAMPLE_GOAL:.0f} s, {'reached' if taken < SAMPLE_GOAL else 'MISSED'}")
    lines = [(puzzle, path) for puzzle in puzzles for path in puzzle.solutions]
    for name, check in (("obeys", obeys), ("judge", judge)):
        taken = seconds(partial(_check_all, check, lines))
        print(f"{name}: {1e6 * taken / len(lines):.0f} us a finished line")
    for level in LEVELS:
        taken = seconds(partial(_generate_all, PuzzleSpec(level=level)))
        goal = f"  goal: {GENERATOR_GOAL}" if level == 3 else ""  # noqa: PLR2004 - the level of the goal
        print(f"generate, level {level}: {GENERATED / taken:.0f} puzzles/s{goal}")
    spec = importlib.util.spec_from_file_location("spatial_suite", ROOT / "tools" / "spatial_suite.py")
    if spec is not None and spec.loader is not None:
        tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tool)
        tool.print_table(puzzles)


def _check_all(check: Callable[[Puzzle, Line], object], lines: list[tuple[Puzzle, Line]]) -> None:
    for puzzle, path in lines:
        check(puzzle, path)


def _generate_all(spec: PuzzleSpec) -> None:
    for seed in range(GENERATED):
        generate(spec, seed)


def _search(name: str, puzzles: Sequence[Puzzle]) -> float:
    """Find all solutions of all puzzles and compare them with the stored ones."""
    same: list[bool] = []

    def work() -> None:
        same.extend(set(enumerate_solutions(puzzle)) == set(puzzle.solutions) for puzzle in puzzles)

    taken = seconds(work)
    print(f"all solutions of {name}: {taken:.2f} s; {sum(same)} of {len(same)} puzzles as stored")
    return taken


if __name__ == "__main__":
    main()
