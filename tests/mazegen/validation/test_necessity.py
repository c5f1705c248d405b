"""Needed means: without it there is no plan as good, or none. Held by the tests' own search, on any board."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from mazegen.core.maze import Door, Gate, Maze, Validation
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import Distractors, MazeGenSpec, MultiRoute, Topology
from mazegen.validation.claims import check_claims
from mazegen.validation.validator import validate

from ...strategies import mazes
from ..reference import Reference, distances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mazegen.core.maze import Mechanism


def optimum(maze: Maze, gone: Mechanism | None = None) -> int | None:
    """Fewest actions, without a key or switch, or with a wall in the place of a door or gate."""
    reference = Reference(maze)
    if gone is not None:
        at = (gone.position.row, gone.position.col)
        for kept in (reference.keys, reference.switches, reference.doors, reference.gates):
            kept.pop(at, None)
        if isinstance(gone, Door | Gate):
            reference.walls.add(at)
    return distances(reference.explore()).get(reference.start)


def truth(maze: Maze) -> Iterator[tuple[str, bool]]:
    best = optimum(maze)
    assert best is not None
    for thing in maze.mechanisms:
        left = optimum(maze, gone=thing)
        yield thing.id, left is None or left > best


@given(mazes())
def test_necessary_is_what_leaves_no_plan_as_good_when_it_is_gone(maze: Maze) -> None:
    assume(maze.mechanisms)
    assume(optimum(maze) is not None)
    proof = validate(maze).proof
    expected = dict(truth(maze))
    event("some are needed" if any(expected.values()) else "none is needed")
    assert dict(proof.necessity) == expected


ALL = Distractors(wrong_keys=1, wrong_switches=1, dead_end_rooms=1)
TRAPS = Distractors(wrong_switches=1, traps=True)
SMALL = [
    MazeGenSpec(Topology.MULTI_ROUTE, "k", 9, 11, params=MultiRoute(routes=3)),
    MazeGenSpec(Topology.MULTI_ROUTE, "s", 9, 11, ALL, MultiRoute(routes=2)),
    MazeGenSpec(Topology.MULTI_ROUTE, "none", 9, 11, TRAPS, MultiRoute(routes=2)),
    MazeGenSpec(Topology.DENSE_MAZE, "kk", 9, 9),
    MazeGenSpec(Topology.DENSE_MAZE, "sk", 9, 9, TRAPS),
    MazeGenSpec(Topology.SIDE_VAULT, "ks", 9, 11, ALL),
]


@pytest.mark.parametrize("spec", SMALL, ids=lambda spec: f"{spec.topology}-{spec.chain}")
def test_what_the_generator_claims_is_what_is_gone_with_it(spec: MazeGenSpec) -> None:
    for seed in range(4):
        maze = generate(spec, seed)
        assert maze.validation is not None
        assert dict(maze.validation.necessity) == dict(truth(maze))
        assert validate(maze).to_validation() == maze.validation


@given(mazes(), st.data())
def test_a_file_that_claims_another_necessity_is_caught(maze: Maze, data: st.DataObject) -> None:
    assume(maze.mechanisms)
    assume(optimum(maze) is not None)
    said = dict(truth(maze))
    lie = data.draw(st.sampled_from(sorted(said)))
    for claimed, is_true in ((said, True), (said | {lie: not said[lie]}, False)):
        told = dataclasses.replace(
            maze, validation=Validation(is_valid=True, necessity=tuple(claimed.items()))
        )
        checks = {check.name: check.passed for check in check_claims(told, validate(told))}
        assert checks["claim:necessity"] == is_true
