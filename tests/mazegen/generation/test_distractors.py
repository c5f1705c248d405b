"""Distractors: as many as asked for, for every topology and chain, and the optimum never notices."""

from __future__ import annotations

import dataclasses
from statistics import mean
from typing import TYPE_CHECKING

import pytest

from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import DenseMaze, Distractors, MazeGenSpec, Topology
from mazegen.search.solver import solve
from mazegen.validation.validator import validate

from .. import floods
from ..reference import Reference, distances

if TYPE_CHECKING:
    from mazegen.core.maze import Maze

CHAINS = ["none", "k", "s", "ks"]
each_topology = pytest.mark.parametrize("topology", list(Topology))
each_chain = pytest.mark.parametrize("chain", CHAINS)


def made(topology: Topology, chain: str, wrong: Distractors, count: int = 8) -> list[Maze]:
    params = DenseMaze(coverage=0.7) if topology is Topology.DENSE_MAZE else None
    return [generate(MazeGenSpec(topology, chain, 15, 16, wrong, params), seed) for seed in range(count)]


def declared(maze: Maze, kind: str) -> list[str]:
    return [
        each.get("element_id", "") for each in maze.metadata.get("distractors", []) if each["type"] == kind
    ]


@each_chain
@each_topology
def test_no_door_wants_a_wrong_key(topology: Topology, chain: str) -> None:
    for maze in made(topology, chain, Distractors(wrong_keys=3)):
        wrong = declared(maze, "wrong_color_key")
        assert len(wrong) == 3
        assert len(maze.keys) == 3 + chain.count("k")
        doors = {door.color for door in maze.doors}
        assert not doors & {key.color for key in maze.keys if key.id in wrong}


@each_chain
@each_topology
def test_a_wrong_switch_controls_nothing(topology: Topology, chain: str) -> None:
    for maze in made(topology, chain, Distractors(wrong_switches=3)):
        wrong = declared(maze, "inactive_switch")
        assert [switch.controls for switch in maze.switches if switch.id in wrong] == [()] * 3
        assert len(maze.switches) == 3 + chain.count("s")


@each_topology
def test_dead_end_rooms_make_so_many_dead_ends_more(topology: Topology) -> None:
    means = [
        mean(floods.dead_ends(maze) for maze in made(topology, "none", Distractors(dead_end_rooms=rooms), 60))
        for rooms in (0, 1, 3)
    ]
    if topology is Topology.DENSE_MAZE:  # the rooms are dug where the maze would have gone otherwise
        assert means[0] < means[1] < means[2]
    else:
        assert means[1] - means[0] == pytest.approx(1, abs=0.35)
        assert means[2] - means[0] == pytest.approx(3, abs=0.35)


@each_chain
@each_topology
def test_nothing_lies_behind_the_door_of_a_decoy_chain(topology: Topology, chain: str) -> None:
    for maze in made(topology, chain, Distractors(decoy_chains=2)):
        keys, doors = declared(maze, "decoy_key"), declared(maze, "decoy_door")
        assert len(keys) == len(doors) == 2
        color = {key.id: key.color for key in maze.keys} | {door.id: door.color for door in maze.doors}
        assert [color[each] for each in keys] == [color[each] for each in doors]
        everything, _ = floods.flood(maze)
        for door in doors:
            shut, _ = floods.flood(maze, walled=[door])
            behind = everything - shut
            assert 2 <= len(behind) <= 3  # the doorway, and a cell or two
            held = {each.position for each in maze.mechanisms if each.id != door}
            assert not behind & (held | {maze.goal})


@each_chain
@each_topology
def test_the_optimum_is_the_same_without_them(topology: Topology, chain: str) -> None:
    for maze in made(topology, chain, Distractors(1, 1, 1, 1), 4):
        wrong = {each["element_id"] for each in maze.metadata["distractors"] if "element_id" in each}
        walls = bytearray(maze.walls)
        for door in maze.doors:
            if door.id in wrong:
                walls[maze.cell(door.position)] = 1
        bare = dataclasses.replace(
            maze,
            walls=bytes(walls),
            keys=tuple(key for key in maze.keys if key.id not in wrong),
            doors=tuple(door for door in maze.doors if door.id not in wrong),
            switches=tuple(switch for switch in maze.switches if switch.id not in wrong),
        )
        oracle = Reference(bare)
        assert maze.validation is not None
        assert distances(oracle.explore())[oracle.start] == len(maze.validation.optimal_actions)
        assert solve(maze).dead_states == 0


@each_chain
@each_topology
def test_a_trap_can_lose_the_game_and_only_a_trap_can(topology: Topology, chain: str) -> None:
    for maze in made(topology, chain, Distractors(wrong_switches=2, traps=True), 5):
        found = solve(maze)
        assert 0 < found.dead_states < found.states
        trap = [gate for gate in maze.gates if gate.initially_open]
        assert len(trap) == 1
        assert declared(maze, "trap_gate") == [trap[0].id]
        springs = [switch for switch in maze.switches if trap[0].id in switch.controls]
        assert [spring.id for spring in springs] == declared(maze, "trap_switch")
        assert {spring.kind for spring in springs} == {"one_shot"}
        assert validate(maze).passed


def test_colours_of_chain_decoys_and_wrong_keys_never_meet() -> None:
    wrong = Distractors(wrong_keys=4, decoy_chains=3)
    for maze in made(Topology.DENSE_MAZE, "kk", wrong, 20):
        groups = [declared(maze, kind) for kind in ("wrong_color_key", "decoy_key")]
        color = {key.id: key.color for key in maze.keys}
        chain = {color[step["element"]] for step in maze.metadata["dependency_chain"]["sequence"]}
        wrong_colors, decoys = ({color[name] for name in group} for group in groups)
        assert len(chain | wrong_colors | decoys) == len(chain) + len(wrong_colors) + len(decoys)
        assert len(chain) == 2
