"""What splits keep apart: whole puzzles, however they are turned or coloured, and not their walls."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazegen.core import symmetry
from mazegen.core.maze import KEY_COLORS, Facing, Maze
from mazegen.datasets.config import DatasetConfig
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import MazeGenSpec, Topology

from ...strategies import mazes

PROJECT = Path(__file__).parents[3]
SHARES = st.sampled_from(((0.8, 0.1, 0.1), (0.5, 0.25, 0.25), (0.34, 0.33, 0.33)))


def split(maze: Maze, shares: tuple[float, float, float] = (0.34, 0.33, 0.33)) -> str:
    return DatasetConfig(1, splits=shares).split_of(symmetry.layout_hash(maze))


@given(
    mazes(),
    st.sampled_from(symmetry.SYMMETRIES),
    st.permutations(KEY_COLORS),
    st.sampled_from(Facing),
    SHARES,
)
def test_a_maze_stays_in_its_split_however_it_is_turned_coloured_faced_or_called(
    maze: Maze,
    view: symmetry.Symmetry,
    colors: list[str],
    facing: Facing,
    shares: tuple[float, float, float],
) -> None:
    renamed = dataclasses.replace(maze, level_id="another", seed=5, start_facing=facing)
    other = symmetry.transform(symmetry.recolour(renamed, dict(zip(KEY_COLORS, colors, strict=True))), view)
    assert split(other, shares) == split(maze, shares)


def test_the_same_walls_with_another_goal_lie_in_every_split() -> None:
    maze = generate(MazeGenSpec(Topology.DENSE_MAZE, rows=9, cols=9), 0)
    floor = [maze.position(cell) for cell, wall in enumerate(maze.walls) if not wall]
    others = [
        dataclasses.replace(maze, goal=goal, validation=None, metadata_json="{}")
        for goal in floor
        if goal != maze.start
    ]
    assert {split(each) for each in others} == {"train", "validation", "test"}


CLAIM = re.compile(
    r"(hash of (its|the|their) layout|layout(.s hash)? alone|disjoint (splits|walls|layouts))", re.IGNORECASE
)


@pytest.mark.parametrize("folder", ["docs", "mazegen", "src", "examples", "README.md"])
def test_nothing_says_that_splits_go_by_the_layout_alone(folder: str) -> None:
    root = PROJECT / folder
    files = [root] if root.is_file() else [*root.rglob("*.md"), *root.rglob("*.py")]
    claims = [
        f"{path}: {found.group()}"
        for path in files
        for found in CLAIM.finditer(" ".join(path.read_text(encoding="utf-8").split()))
    ]
    assert claims == []
