"""Where line puzzles come from: suites, records of the public data, or the generator; and one made ready."""

from maze_gym.envs.sparc.levels.sources import (
    BundledPuzzles,
    FixedPuzzles,
    PuzzleSource,
    PuzzlesSource,
    as_puzzle,
    in_turns,
    load,
    load_levels,
    of_difficulty,
    puzzle_source,
)

__all__ = [
    "BundledPuzzles",
    "FixedPuzzles",
    "PuzzleSource",
    "PuzzlesSource",
    "as_puzzle",
    "in_turns",
    "load",
    "load_levels",
    "of_difficulty",
    "puzzle_source",
]
