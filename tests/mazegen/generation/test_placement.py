"""Chains: each opener lies behind the blocker before it, and each blocker is a doorway nobody goes around."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

import pytest

from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import (
    DenseMaze,
    Distractors,
    MazeGenSpec,
    MultiRoute,
    Params,
    SequentialChain,
    SideVault,
    Topology,
    WindingCorridor,
)
from mazegen.validation.validator import validate

from .. import floods

if TYPE_CHECKING:
    from mazegen.core.maze import Door, Gate, Maze

CHAINS = ["k", "s", "ks", "sk", "kk", "ss", "ksk", "sskk"]
LONG: dict[Topology, Params] = {
    Topology.WINDING_CORRIDOR: WindingCorridor(turns=14, max_straight=4),
    Topology.MULTI_ROUTE: MultiRoute(),
    Topology.SIDE_VAULT: SideVault(vault_depth=1),
    Topology.SEQUENTIAL_CHAIN: SequentialChain(room_size=2),
    Topology.DENSE_MAZE: DenseMaze(),
}


def chain_of(maze: Maze) -> list[tuple[str, str]]:
    """The declared (opener, blocker) pairs."""
    return [(step["element"], step["unlocks"]) for step in maze.metadata["dependency_chain"]["sequence"]]


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("topology", list(Topology))
def test_the_steps_of_a_chain_are_as_spelled(topology: Topology, chain: str) -> None:
    for seed in range(10):
        maze = generate(MazeGenSpec(topology, chain, 16, 17), seed)
        kinds = {"k": "key-door", "s": "switch-gate"}
        sequence = maze.metadata["dependency_chain"]["sequence"]
        assert [step["type"] for step in sequence] == [kinds[each] for each in chain]
        assert [step["step"] for step in sequence] == list(range(1, len(chain) + 1))
        assert maze.metadata["dependency_chain"]["depth"] == len(chain)
        assert len(maze.mechanisms) == 2 * len(chain)


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("topology", list(Topology))
def test_each_opener_lies_between_the_blocker_before_and_its_own(topology: Topology, chain: str) -> None:
    for seed in range(10):
        maze = generate(MazeGenSpec(topology, chain, 16, 17), seed)
        steps = chain_of(maze)
        for opener, blocker in steps:
            assert opener in floods.flood(maze, walled=[blocker])[1]
        for (_, before), (opener, blocker) in itertools.pairwise(steps):
            used = floods.flood(maze, walled=[before])[1]
            assert not used & {opener, blocker}


@pytest.mark.parametrize("topology", list(Topology))
def test_a_blocker_stands_between_two_walls(topology: Topology) -> None:
    for seed in range(20):
        maze = generate(MazeGenSpec(topology, "ksk", 16, 17), seed)
        cells = floods.floor(maze)
        blockers: tuple[Door | Gate, ...] = (*maze.doors, *maze.gates)
        for blocker in blockers:
            assert len(floods.neighbours(blocker.position, cells)) == 2
            assert not floods.reaches_goal(maze, walled=[blocker.id])


@pytest.mark.parametrize("topology", list(Topology))
def test_places_differ_from_seed_to_seed(topology: Topology) -> None:
    made = [generate(MazeGenSpec(topology, "k", 12, 13), seed) for seed in range(40)]
    assert len({maze.keys[0].position for maze in made}) > 15
    assert len({maze.doors[0].position for maze in made}) > 15
    assert len({maze.keys[0].color for maze in made}) == 6


@pytest.mark.parametrize("topology", list(Topology))
def test_long_chains_fit_a_large_board(topology: Topology) -> None:
    chain = "ksksksks"
    for seed in range(3):
        maze = generate(MazeGenSpec(topology, chain, 31, 33, params=LONG[topology]), seed)
        assert validate(maze).passed
        assert not maze.rules.key_consumption


def test_more_keys_than_colours_are_used_up_so_that_none_opens_two_doors() -> None:
    for chain, wrong in (("k" * 8, Distractors()), ("k" * 5, Distractors(wrong_keys=1, decoy_chains=1))):
        maze = generate(MazeGenSpec(Topology.DENSE_MAZE, chain, 25, 25, wrong), 5)
        assert maze.rules.key_consumption
        assert validate(maze).passed
        free = dataclasses.replace(maze, rules=dataclasses.replace(maze.rules, key_consumption=False))
        assert not validate(free).passed  # with keys that stay, a colour's second key is not needed
    six = generate(MazeGenSpec(Topology.DENSE_MAZE, "k" * 6, 25, 25), 5)
    assert not six.rules.key_consumption
    assert len({key.color for key in six.keys}) == 6


def test_switches_of_a_chain_only_turn_on_where_that_is_asked_for() -> None:
    for one_shot, kind in ((False, "toggle"), (True, "one_shot")):
        maze = generate(MazeGenSpec(Topology.DENSE_MAZE, "kss", 16, 16, one_shot=one_shot), 2)
        assert {switch.kind for switch in maze.switches} == {kind}
        assert validate(maze).passed
    many = generate(
        MazeGenSpec(
            Topology.WINDING_CORRIDOR, "s" * 16, 31, 31, one_shot=True, params=LONG[Topology.WINDING_CORRIDOR]
        ),
        0,
    )
    assert validate(many).states < 20_000  # sixteen toggles would make 2**16 times the cells of the last zone
