"""Generation: proved mazes a second by tier, the cost of a reachable state, and plain mazes beside peers.

The peers (maze-dataset, mazelib) make layouts without mechanisms and without a proof; those that are not
installed are named. Rounds alternate, so that a busy machine slows all alike; each figure is the best
round, and the ratio, not the figure, is what lasts. Run: ``python benchmarks/bench_generation.py``;
``--dataset 100000`` also writes a data set with two workers and reports time and memory.
"""

from __future__ import annotations

import argparse
import importlib
import math
import multiprocessing
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mazegen.datasets.filling import BLOCK, generate_dataset
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import DenseMaze, Distractors, MazeGenSpec, Topology
from mazegen.generation.tiers import TIERS, sample_spec
from mazegen.validation.difficulty import measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from mazegen.datasets.progress import Progress

ROUNDS = 7
SPECS = 200  # of a round
LOOK_EVERY = 2_000  # mazes of a data set between two looks at the memory
GOAL, GOAL_TIER = 5_000, 2  # proved mazes a second on one core
ROOMS = 16  # side of the plain mazes beside the peers, in rooms: 33 x 33 cells


def best_rates(works: dict[str, Callable[[], int]], rounds: int = ROUNDS) -> dict[str, float]:
    """Units a second of each work in its best round; a work returns how many units it did."""
    rates = dict.fromkeys(works, 0.0)
    for work in works.values():
        work()  # compiles, fills caches
    for _ in range(rounds):
        for name, work in works.items():
            began = time.process_time()
            units = work()
            rates[name] = max(rates[name], units / (time.process_time() - began))
    return rates


def calibration() -> int:
    """A loop of plain Python, to tell a slow machine from slow code; units are turns of the loop."""
    total = 0
    for number in range(1_000_000):
        total += number
    return 1_000_000 if total else 0


def tier_work(tier: int) -> Callable[[], int]:
    """Generate ``SPECS`` mazes of specs that were drawn before."""
    rng = np.random.default_rng((tier, 77))
    specs = [sample_spec(rng, tier) for _ in range(SPECS)]

    def work() -> int:
        for seed, spec in enumerate(specs):
            generate(spec, seed)
        return SPECS

    return work


def maze_dataset() -> Callable[[], int]:
    """A depth-first maze by maze-dataset."""
    generators: Any = importlib.import_module("maze_dataset.generation")

    def work() -> int:
        generators.LatticeMazeGenerators.gen_dfs(np.array([ROOMS, ROOMS]))
        return 1

    return work


def mazelib() -> Callable[[], int]:
    """A depth-first maze by mazelib."""
    backtracking: Any = importlib.import_module("mazelib.generate.BacktrackingGenerator")

    def work() -> int:
        backtracking.BacktrackingGenerator(ROOMS, ROOMS).generate()
        return 1

    return work


def peers() -> dict[str, Callable[[], int]]:
    """The peers that can be imported; the others are named."""
    works = {}
    for name, work in (("maze-dataset", maze_dataset), ("mazelib", mazelib)):
        try:
            works[name] = work()
        except ImportError as error:
            print(f"  {name} is absent ({error}): pip install {name}")
    return works


def beside_peers() -> None:
    """Our plain maze of the same size, with its proof, and one with a chain, beside the peers' layouts."""
    side = 2 * ROOMS + 1
    plain = MazeGenSpec(Topology.DENSE_MAZE, rows=side, cols=side, params=DenseMaze(branching=0.0))
    rich = replace(plain, chain="ks", distractors=Distractors(wrong_keys=1))
    seeds = iter(range(10**9))

    def make(spec: MazeGenSpec) -> Callable[[], int]:
        def work() -> int:
            for _ in range(20):
                generate(spec, next(seeds))
            return 20

        return work

    installed = peers()
    rates = best_rates({"ours, proved": make(plain), "ours, ks + wrong key, proved": make(rich), **installed})
    for name, rate in rates.items():
        ratio = f"   ours, proved: {rates['ours, proved'] / rate:,.1f}x" if name in installed else ""
        print(f"  {name:32} {rate:10,.0f} mazes/s{ratio}")


def cost_per_state() -> None:
    """Time for one maze by reachable states: it may grow no faster than they do."""
    for side in (12, 24, 48, 96):
        spec = MazeGenSpec(Topology.DENSE_MAZE, "ks", side, side)
        states = sum(measure(generate(spec, seed)).states for seed in range(5)) / 5

        def work(spec: MazeGenSpec = spec) -> int:
            for seed in range(5):
                generate(spec, seed)
            return 5

        seconds = 1 / best_rates({"": work}, 3)[""]
        cost = f"{1e6 * seconds:9,.0f} us {1e9 * seconds / states:6,.0f} ns/state"
        print(f"  {side:3} x {side:<3} {states:9,.0f} states {cost}")


def resident_mib() -> float:
    """Memory of this process and its workers, what they share counted once; Linux knows it, else NaN."""
    total_kib = 0
    for process in (os.getpid(), *(child.pid for child in multiprocessing.active_children())):
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
        except FileNotFoundError:
            return math.nan
        except ProcessLookupError:  # a worker that ends while it is asked
            continue
        total_kib += int(rollup.partition("\nPss:")[2].split()[0])
    return total_kib / 1024


def dataset(count: int) -> None:
    """Write a data set with two workers; the memory is the largest sum that was seen."""
    sums = [resident_mib()]
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()

        def look(progress: Progress) -> None:
            if progress.done % LOOK_EVERY < BLOCK:  # asking the kernel takes it some milliseconds
                sums.append(resident_mib())

        done = generate_dataset(folder, count, tier=2, workers=2, on_progress=look)
        seconds = time.monotonic() - began
    rate = f"{count:,} mazes in {seconds:.1f} s ({count / seconds:,.0f}/s)"
    print(f"  {rate}, {done.duplicates} duplicates dropped")
    print(f"  memory of all processes together: at most {max(sums):,.0f} MiB")


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dataset", type=int, default=0, metavar="N", help="also write N mazes")
    options = parser.parse_args()
    began = time.process_time()
    for topology in Topology:
        generate(MazeGenSpec(topology, "ks", distractors=Distractors(1, 1, 1, 1)), 0)
    print(
        f"first maze of each topology, compiled or from the cache: {time.process_time() - began:.1f} s of CPU"
    )
    print("proved mazes a second, one core, specs drawn before:")
    rates = best_rates({"loop": calibration} | {str(tier): tier_work(tier) for tier in TIERS})
    print(f"  (calibration: {rates['loop'] / 1e6:.0f} million turns a second of a plain Python loop)")
    for tier, ranges in TIERS.items():
        reached = f"   {rates[str(tier)] / GOAL:.2f} of the goal" if tier == GOAL_TIER else ""
        print(f"  tier {tier}, sides {ranges.sides[0]}-{ranges.sides[1]}: {rates[str(tier)]:8,.0f}{reached}")
    print("dense mazes, chain ks, by size:")
    cost_per_state()
    print(f"plain depth-first mazes of {ROOMS} x {ROOMS} rooms:")
    beside_peers()
    if options.dataset:
        print("a data set of tier 2, two workers:")
        dataset(options.dataset)


if __name__ == "__main__":
    main()
