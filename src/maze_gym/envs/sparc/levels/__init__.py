"""Levels of this world: the door of the room."""

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
