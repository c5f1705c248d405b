"""Build the bundled suite ``spatial`` to the same bytes every time: three splits that share no puzzle.

``test`` holds 500 puzzles, 100 a level, and is what is evaluated on; ``train`` holds 300 and ``validation``
100. No puzzle of one is a puzzle of another turned, mirrored, reversed or in other colours. Each is stored
with all of its solutions, which the rules have checked. ``python tools/spatial_suite.py`` writes, ``--check``
compares, ``--table`` prints what walkers without a plan achieve, beside the public puzzles.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from maze_gym.envs.sparc.generation.difficulty import is_solved_by_a_shortest_line, random_walk_chance
from maze_gym.envs.sparc.generation.generator import MAX_SOLUTIONS, PuzzleSpec, generate
from maze_gym.envs.sparc.levels.datasets import SPLITS, load_puzzles
from maze_gym.envs.sparc.levels.record import to_record
from maze_gym.envs.sparc.rules.constraints import judge
from maze_gym.envs.sparc.rules.puzzle import LEVELS, Puzzle
from maze_gym.envs.sparc.rules.symmetry import symmetry_hash
from mazegen.core.randomness import derive_seed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = Path(__file__).parents[1] / "src" / "maze_gym" / "suites" / "spatial"
INDEX = "index.json"
PER_LEVEL = {"test": 100, "train": 60, "validation": 20}
# Most solutions, in turn: on easy boards many of them would let a random walker stumble into one too often.
CAPS = {1: (1, 2, 4, 12, MAX_SOLUTIONS)} | dict.fromkeys(LEVELS[1:], (MAX_SOLUTIONS,))
# Public test puzzles: solved by a random legal walk without undo, and by a shortest line, in per cent.
PUBLIC_RANDOM = (8.52, 3.53, 2.27, 0.57, 0.13)
PUBLIC_SHORTEST = (20.9, 15.3, 7.4, 4.7, 1.1)


def name_of(split: str, level: int, number: int) -> str:
    """The id of a puzzle: ``spatial-L3-042``, ``spatial-train-L1-001``."""
    prefix = "spatial" if split == "test" else f"spatial-{split}"
    return f"{prefix}-L{level}-{number:03d}"


def build(split: str, level: int, number: int, seen: set[str]) -> Puzzle:
    """One puzzle; the first of its seeds that gives one which is not in ``seen``, where it then is."""
    caps = CAPS[level]
    spec = PuzzleSpec(level=level, max_solutions=caps[number % len(caps)])
    attempt = 0
    while True:
        puzzle = generate(spec, derive_seed("spatial", split, level, number, attempt))
        key = symmetry_hash(puzzle)
        if key not in seen:
            break
        attempt += 1
    seen.add(key)
    wrong = [path for path in puzzle.solutions if not judge(puzzle, path).ok]
    if wrong or not puzzle.solutions:
        msg = f"{name_of(split, level, number)} is not fit for a suite"
        raise SystemExit(msg)
    return replace(puzzle, puzzle_id=name_of(split, level, number))


def build_all() -> Iterator[tuple[str, str]]:
    """Name and text of every file."""
    seen: set[str] = set()
    index: dict[str, object] = {}
    for split in SPLITS:
        puzzles = [
            build(split, level, number, seen) for level in LEVELS for number in range(1, PER_LEVEL[split] + 1)
        ]
        text = text_of(puzzles)
        yield f"{split}.jsonl", text
        index[split] = {
            "file": f"{split}.jsonl",
            "puzzles": len(puzzles),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "levels": {level: figures([one for one in puzzles if one.level == level]) for level in LEVELS},
        }
    yield INDEX, json.dumps({"suite": "spatial", "splits": index}, indent=2) + "\n"


def text_of(puzzles: Sequence[Puzzle]) -> str:
    """The file of a split: a short record a line."""
    records = (json.dumps(to_record(puzzle, short=True), separators=(",", ":")) for puzzle in puzzles)
    return "".join(f"{record}\n" for record in records)


def figures(puzzles: Sequence[Puzzle]) -> dict[str, float]:
    """What a level of a split is like, on average; chances are in per cent."""
    solutions = [len(puzzle.solutions) for puzzle in puzzles]
    return {
        "puzzles": len(puzzles),
        "cells": round(statistics.mean(puzzle.height * puzzle.width for puzzle in puzzles), 2),
        "symbols": round(statistics.mean(len(puzzle.symbols) for puzzle in puzzles), 2),
        "solutions": round(statistics.mean(solutions), 2),
        "unique": round(100 * solutions.count(1) / len(solutions), 1),
        "random_walk": round(100 * statistics.mean(map(random_walk_chance, puzzles)), 2),
        "shortest_line": round(100 * statistics.mean(map(is_solved_by_a_shortest_line, puzzles)), 1),
    }


def print_table(puzzles: Sequence[Puzzle]) -> None:
    """Solve rates by level, beside those of the public test puzzles."""
    heads = ("level", "random walk", "public", "shortest line", "public", "solutions", "cells")
    print("".join(f"{head:>15}" for head in heads))
    for level in (*LEVELS, None):
        chosen = [each for each in puzzles if level in {None, each.level}]
        row = figures(chosen)
        public = (2.97, 10.0) if level is None else (PUBLIC_RANDOM[level - 1], PUBLIC_SHORTEST[level - 1])
        rates = row["random_walk"], public[0], row["shortest_line"], public[1]
        print(f"{level or 'all':>15}" + "".join(f"{rate:>13.2f} %" for rate in rates), end="")
        print(f"{row['solutions']:>15.2f}{row['cells']:>15.2f}")


def main() -> int:
    """Build, check, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    parser.add_argument("--table", action="store_true", help="write nothing; print solve rates by level")
    options = parser.parse_args()
    if options.table:
        print_table(load_puzzles("spatial"))
        return 0
    stale = []
    for name, text in build_all():
        path = FOLDER / name
        if not path.is_file() or path.read_bytes() != text.encode():
            stale.append(name)
            if not options.check:
                FOLDER.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
    print(f"{len(stale)} files {'differ' if options.check else 'written'}", *stale, sep="\n  ")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
