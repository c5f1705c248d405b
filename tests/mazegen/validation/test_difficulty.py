"""Difficulty measures: counted on mazes one can count by hand, and monotone where they should be."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mazegen.core import declared
from mazegen.core.maze import Facing, Maze, Position
from mazegen.errors import SearchLimitExceeded, UnsolvableMaze
from mazegen.generation.orchestrator import generate, generate_proved
from mazegen.generation.spec import Distractors, MazeGenSpec, Topology
from mazegen.generation.tiers import TIERS, sample_spec
from mazegen.search.solver import solve
from mazegen.validation.difficulty import EPISODES, measure

from ...strategies import json_values


def corridor(length: int, facing: Facing = Facing.EAST) -> Maze:
    cols = length + 3
    walls = bytearray(b"\1" * 3 * cols)
    walls[cols + 1 : cols + 2 + length] = bytes(length + 1)
    return Maze(3, cols, bytes(walls), Position(1, 1), Position(1, length + 1), start_facing=facing)


def test_a_corridor_can_be_counted_by_hand() -> None:
    found = measure(corridor(3))
    assert (found.optimal_actions, found.optimal_cost, found.turns) == (3, 3, 0)
    assert (found.states, found.dead_states, found.plans) == (12, 0, 1)
    assert (found.chain_depth, found.distractors, found.floor) == (0, 0, 4)
    # from each of 12 states two turns lead elsewhere, and from 5 of them a move, success included
    assert found.branching == pytest.approx((2 * 12 + 5) / 12, abs=0.001)
    assert found.greedy_success == 1.0


def test_an_about_turn_is_one_plan_and_two_turns() -> None:
    found = measure(corridor(2, Facing.WEST))
    assert (found.optimal_actions, found.turns, found.plans) == (4, 2, 1)


def test_chance_succeeds_less_often_the_longer_the_way() -> None:
    rates = [measure(corridor(length)).random_success for length in (1, 16)]
    assert rates[0] > rates[1] == 0.0
    assert all(rate * EPISODES == round(rate * EPISODES) for rate in rates)


def test_the_measures_are_those_of_the_solver() -> None:
    rng = np.random.default_rng(5)
    for seed in range(20):
        maze = generate(sample_spec(rng, 2), seed)
        found, solution = measure(maze), solve(maze)
        assert (found.optimal_actions, found.optimal_cost) == (len(solution.actions), solution.cell_moves)
        assert found.states <= solution.states  # what nothing listens to is not counted
        assert found.chain_depth == 1


def test_harder_tiers_are_harder() -> None:
    def measured(tier: int) -> tuple[float, float, float]:
        rng = np.random.default_rng((tier, 0))
        found = [measure(generate(sample_spec(rng, tier), seed)) for seed in range(40)]
        return tuple(
            mean(values)
            for values in zip(*((d.optimal_actions, d.states, -d.greedy_success) for d in found), strict=True)
        )

    tiers = [measured(tier) for tier in sorted(TIERS)]
    for easier, harder in itertools.pairwise(tiers):
        assert easier[0] < harder[0]
        assert easier[1] < harder[1]
    assert tiers[0][2] < tiers[2][2]


def test_distractors_and_depth_are_counted() -> None:
    maze = generate(MazeGenSpec(Topology.SIDE_VAULT, "ks", 15, 15, Distractors(1, 1, 1, 1)), 0)
    found = measure(maze)
    assert found.chain_depth == 2
    assert found.distractors == 5  # a decoy chain is a key and a door
    assert measure(maze) == found  # the players are seeded by what is played
    assert set(found.to_dict()) >= {"optimal_actions", "random_success", "greedy_success", "branching"}


SAYS = ("distractors", "dependency_chain", "distractor_chain", "spec", "traps")


@given(st.dictionaries(st.sampled_from(SAYS), json_values))
@example({"distractors": None})
@example({"distractors": 3, "dependency_chain": {"sequence": 3}})
def test_a_maze_is_measured_whatever_it_says_of_itself(metadata: dict[str, Any]) -> None:
    maze = replace(corridor(3), metadata_json=json.dumps(metadata, sort_keys=True))
    found = measure(maze)
    assert replace(found, distractors=0) == measure(corridor(3))
    assert found.distractors == declared.read(maze).decoys


def test_what_cannot_be_measured_is_an_error() -> None:
    with pytest.raises(UnsolvableMaze):
        measure(Maze(3, 5, b"\1\1\1\1\1" + b"\1\0\1\0\1" + b"\1\1\1\1\1", Position(1, 1), Position(1, 3)))
    with pytest.raises(SearchLimitExceeded):
        measure(corridor(9), max_states=8)


@pytest.mark.parametrize("tier", [1, 2, 3, 4])
def test_the_search_that_made_a_maze_measures_it_as_a_search_of_its_own_does(tier: int) -> None:
    for index in range(12):
        spec = sample_spec(np.random.default_rng((tier, index)), tier)
        proved = generate_proved(spec, index)
        assert measure(proved.maze, proved=proved) == measure(proved.maze)
