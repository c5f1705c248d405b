"""A puzzle that is turned, mirrored, reversed or recoloured is the same puzzle."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import assume, given
from hypothesis import strategies as st

from maze_gym.envs.sparc.generation.difficulty import content_of
from maze_gym.envs.sparc.rules.puzzle import Color, Puzzle
from maze_gym.envs.sparc.rules.symmetry import (
    SYMMETRIES,
    recolored,
    reversed_line,
    symmetry_hash,
    transformed,
)
from maze_gym.envs.sparc.search.solver import enumerate_solutions

from .. import puzzles as boards

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.symmetry import Symmetry

COLORINGS = st.permutations(list(Color)).map(lambda order: dict(zip(Color, order, strict=True)))


def solved(puzzle: Puzzle) -> Puzzle:
    """The puzzle with its solutions."""
    return replace(puzzle, solutions=tuple(enumerate_solutions(puzzle)))


@given(boards.puzzles(max_cells=6), st.sampled_from(SYMMETRIES), COLORINGS)
def test_the_solver_finds_the_image_of_each_solution(
    puzzle: Puzzle, symmetry: Symmetry, names: dict[Color, Color]
) -> None:
    for image in (
        transformed(solved(puzzle), symmetry),
        reversed_line(solved(puzzle)),
        recolored(solved(puzzle), names),
    ):
        assert set(enumerate_solutions(replace(image, solutions=()))) == set(image.solutions)


@given(boards.puzzles(), st.sampled_from(SYMMETRIES), COLORINGS)
def test_images_have_the_same_symmetry_hash_and_content(
    puzzle: Puzzle, symmetry: Symmetry, names: dict[Color, Color]
) -> None:
    image = reversed_line(recolored(transformed(puzzle, symmetry), names))
    assert symmetry_hash(image) == symmetry_hash(puzzle)
    one, two = content_of(image), content_of(puzzle)
    assert (sorted(one.kinds), one[2:]) == (sorted(two.kinds), two[2:])


@given(boards.puzzles())
def test_another_puzzle_has_another_hash(puzzle: Puzzle) -> None:
    assume(puzzle.dots)
    assert symmetry_hash(replace(puzzle, dots=puzzle.dots[1:])) != symmetry_hash(puzzle)


@given(boards.puzzles())
def test_eight_images_and_back(puzzle: Puzzle) -> None:
    for symmetry in SYMMETRIES:
        image = transformed(puzzle, symmetry)
        assert any(transformed(image, back).tokens == puzzle.tokens for back in SYMMETRIES)
