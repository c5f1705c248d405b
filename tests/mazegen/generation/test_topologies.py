"""Backbones: every parameter shows in the mazes, and hardly two of them are alike."""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import mean
from typing import TYPE_CHECKING

import pytest

from mazegen.core.symmetry import layout_hash
from mazegen.errors import GenerationFailed
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

from .. import floods

if TYPE_CHECKING:
    from mazegen.core.maze import Maze

BOARDS = ((11, 15), (12, 12), (16, 13))  # odd and even sides, none of them square but one
ROOMY: dict[Topology, Params] = {
    Topology.WINDING_CORRIDOR: WindingCorridor(turns=8),
    Topology.MULTI_ROUTE: MultiRoute(routes=3, wander=0.8),
    Topology.SIDE_VAULT: SideVault(),
    Topology.SEQUENTIAL_CHAIN: SequentialChain(rooms=4),
    Topology.DENSE_MAZE: DenseMaze(),
}


def mazes(
    params: Params, count: int = 30, *, chain: str = "none", sides: tuple[int, int] = (15, 16)
) -> list[Maze]:
    topology = {type(each): name for name, each in ROOMY.items()}[type(params)]
    spec = MazeGenSpec(topology, chain, *sides, params=params)
    return [generate(spec, seed) for seed in range(count)]


def tightest_square(maze: Maze) -> int:
    """Side of the largest square of floor."""
    cells, side = floods.floor(maze), 1
    while any(
        all((row + down, col + right) in cells for down in range(side + 1) for right in range(side + 1))
        for row, col in cells
    ):
        side += 1
    return side


@pytest.mark.parametrize("turns", [0, 1, 4, 9])
@pytest.mark.parametrize("sides", BOARDS)
def test_a_winding_corridor_turns_as_often_as_asked(turns: int, sides: tuple[int, int]) -> None:
    for maze in mazes(WindingCorridor(turns=turns), 15, sides=sides):
        path = floods.walk(maze)
        assert floods.turns(path) == turns
        assert len(path) == len(floods.floor(maze))  # and there is nothing else
        assert floods.cycles(maze) == 0


@pytest.mark.parametrize("max_straight", [1, 2, 4])
def test_no_straight_piece_of_a_corridor_is_longer_than_allowed(max_straight: int) -> None:
    longest = 0
    for maze in mazes(WindingCorridor(turns=5, max_straight=max_straight), sides=(15, 15)):
        path = floods.walk(maze)
        run = 1
        for first, second, third in zip(path, path[1:], path[2:], strict=False):
            straight = (second[0] - first[0], second[1] - first[1]) == (
                third[0] - second[0],
                third[1] - second[1],
            )
            run = run + 1 if straight else 1
            longest = max(longest, run)
    assert longest == 2 * max_straight  # cells: rooms are two apart on a board with odd sides


@pytest.mark.parametrize("length", [0, 1, 3, 5])
def test_a_spur_puts_the_key_so_many_cells_off_the_corridor(length: int) -> None:
    for maze in mazes(WindingCorridor(turns=4, spur_length=length), chain="k"):
        assert steps_off(maze, maze.keys[0].position) == length


@pytest.mark.parametrize("depth", [1, 2, 4, 6])
def test_a_vault_is_as_deep_as_asked(depth: int) -> None:
    for maze in mazes(SideVault(vault_depth=depth), chain="ks"):
        assert steps_off(maze, maze.keys[0].position) == depth
        assert steps_off(maze, maze.switches[0].position) == depth
    for maze in mazes(SideVault(vault_depth=depth), 10):  # one empty vault without a chain
        off = floods.floor(maze) - set(floods.walk(maze))
        assert len(off) == depth


def steps_off(maze: Maze, cell: floods.Cell) -> int:
    """Cells between a cell of a side branch and the walk from start to goal."""
    cells, path, steps = floods.floor(maze), set(floods.walk(maze)), 0
    seen, ring = {cell}, {cell}
    while not ring & path:
        ring = {near for each in ring for near in floods.neighbours(each, cells)} - seen
        seen |= ring
        steps += 1
    return steps


@pytest.mark.parametrize(
    ("side", "expected"), [("left", {"left"}), ("right", {"right"}), ("any", {"left", "right"})]
)
def test_a_vault_opens_on_the_side_asked_for(side: str, expected: set[str]) -> None:
    found = set()
    for maze in mazes(SideVault(vault_depth=2, vault_side=side), 40, chain="k"):  # type: ignore[arg-type]  # a Literal
        path = floods.walk(maze)
        branch = next(
            (index, near)
            for index, cell in enumerate(path)
            for near in floods.neighbours(cell, floods.floor(maze))
            if near not in path
        )
        (row, col), ahead = path[branch[0]], path[branch[0] + 1]
        down, right = ahead[0] - row, ahead[1] - col
        if branch[1] == (row - right, col + down):
            found.add("left")
        elif branch[1] == (row + right, col - down):
            found.add("right")
    assert found == expected


@pytest.mark.parametrize("routes", [1, 2, 3, 5])
@pytest.mark.parametrize("sides", BOARDS)
def test_so_many_routes_make_one_cycle_less(routes: int, sides: tuple[int, int]) -> None:
    for chain in ("none", "k"):
        for maze in mazes(MultiRoute(routes=routes), 10, chain=chain, sides=sides):
            assert floods.cycles(maze) == routes - 1


def test_routes_wander_as_asked() -> None:
    still, lively = (mazes(MultiRoute(routes=2, wander=wander)) for wander in (0.0, 1.0))
    assert max(floods.turns(floods.walk(maze)) for maze in still) <= 4  # at the trunks only
    assert mean(len(floods.floor(maze)) for maze in lively) > 1.2 * mean(
        len(floods.floor(maze)) for maze in still
    )


@pytest.mark.parametrize("size", [1, 2, 4])
def test_no_room_is_larger_than_allowed(size: int) -> None:
    squares = [tightest_square(maze) for maze in mazes(SequentialChain(rooms=3, room_size=size), 60)]
    assert max(squares) == size


def wide_rooms(maze: Maze) -> int:
    """Connected groups of cells that belong to a two by two square of floor."""
    cells = floods.floor(maze)
    corners = {
        cell
        for cell in cells
        if {(cell[0] + 1, cell[1]), (cell[0], cell[1] + 1), (cell[0] + 1, cell[1] + 1)} <= cells
    }
    wide = {(row + down, col + right) for row, col in corners for down in (0, 1) for right in (0, 1)}
    groups = 0
    while wide:
        groups += 1
        queue = [wide.pop()]
        for cell in queue:
            near = floods.neighbours(cell, wide)
            wide -= set(near)
            queue += near
    return groups


def test_there_are_as_many_rooms_as_asked() -> None:
    for rooms in (2, 3, 4):
        for size in (2, 3):
            assert {wide_rooms(maze) for maze in mazes(SequentialChain(rooms, size), 50)} == {rooms}
    chained = mazes(SequentialChain(), 10, chain="ksk")  # rooms default to one more than steps
    assert all(len(maze.doors) + len(maze.gates) == 3 for maze in chained)


@pytest.mark.parametrize("loops", [0, 1, 5])
@pytest.mark.parametrize("sides", BOARDS)
def test_a_dense_maze_has_as_many_loops_as_asked(loops: int, sides: tuple[int, int]) -> None:
    for maze in mazes(DenseMaze(loops=loops), 10, sides=sides):
        assert floods.cycles(maze) == loops


@pytest.mark.parametrize("coverage", [0.3, 0.6, 1.0])
def test_a_dense_maze_covers_the_share_asked_for(coverage: float) -> None:
    for maze in mazes(DenseMaze(coverage=coverage), 10, sides=(15, 15)):
        rooms = sum((row % 2, col % 2) == (1, 1) for row, col in floods.floor(maze))
        assert rooms == -(-49 * coverage // 1)


def test_branching_makes_dead_ends() -> None:
    counts = [
        mean(floods.dead_ends(maze) for maze in mazes(DenseMaze(branching=share)))
        for share in (0.0, 0.3, 1.0)
    ]
    assert counts[0] * 1.2 < counts[1] < counts[2]


@pytest.mark.parametrize("topology", list(Topology))
def test_every_floor_cell_is_of_use(topology: Topology) -> None:
    for sides in BOARDS:
        for maze in mazes(
            ROOMY[topology], 15, sides=sides, chain="k" if topology is Topology.SIDE_VAULT else "none"
        ):
            assert floods.flood(maze)[0] == floods.floor(maze)  # nothing lies behind the goal
            assert (maze.rows, maze.cols) == sides


@pytest.mark.parametrize("topology", list(Topology))
def test_what_does_not_fit_is_a_counted_failure(topology: Topology) -> None:
    params: dict[Topology, Params] = {
        Topology.WINDING_CORRIDOR: WindingCorridor(turns=60),
        Topology.MULTI_ROUTE: MultiRoute(routes=9),
        Topology.SIDE_VAULT: SideVault(vault_depth=40),
        Topology.SEQUENTIAL_CHAIN: SequentialChain(rooms=9),
        Topology.DENSE_MAZE: DenseMaze(loops=99),
    }
    said = "there is no such maze" if topology == Topology.DENSE_MAZE else "no maze after 5 attempts"
    with pytest.raises(GenerationFailed, match=said) as caught:
        generate(MazeGenSpec(topology, rows=9, cols=8, params=params[topology]), 1, max_attempts=5)
    assert sum(caught.value.reasons.values()) == (0 if topology == Topology.DENSE_MAZE else 5)


@pytest.mark.parametrize("chain", ["none", "k", "s", "kk"])
@pytest.mark.parametrize(
    "params",
    [
        WindingCorridor(turns=7), WindingCorridor(max_straight=2), WindingCorridor(spur_length=3),
        MultiRoute(routes=3), MultiRoute(wander=0.1),
        SideVault(vault_depth=2), SideVault(vault_side="left"),
        SequentialChain(rooms=4), SequentialChain(room_size=2),
        DenseMaze(loops=2), DenseMaze(coverage=0.7), DenseMaze(branching=0.9),
    ],
    ids=repr,
)  # fmt: skip
def test_every_parameter_has_an_effect_with_every_chain_but_one(params: Params, chain: str) -> None:
    """A spur is there for what opens: without a chain its length is drawn and said, and changes nothing."""
    plain = mazes(type(params)(), 12, chain=chain)
    other = sum(
        each.content_hash != maze.content_hash
        for each, maze in zip(mazes(params, 12, chain=chain), plain, strict=True)
    )
    if params == WindingCorridor(spur_length=3) and chain == "none":
        assert other == 0
    else:
        assert other >= 6


@pytest.mark.slow
@pytest.mark.parametrize("params", [ROOMY, {}], ids=["roomy on 16 x 17", "default on 16 x 16"])
@pytest.mark.parametrize("topology", list(Topology))
def test_hardly_two_of_two_thousand_mazes_are_alike(
    topology: Topology, params: dict[Topology, Params]
) -> None:
    """Alike as data sets see it: turned, mirrored and recoloured mazes are the same one."""
    spec = MazeGenSpec(topology, rows=16, cols=17 if params else 16, params=params.get(topology))
    distinct = len({layout_hash(generate(spec, seed)) for seed in range(2000)})
    assert distinct >= 1980, f"{distinct} of 2,000"


PRINT_HASHES = """
import hashlib
from mazegen import codec
from mazegen.validation.difficulty import measure
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import DenseMaze, Distractors, MazeGenSpec, Topology
from mazegen.validation.validator import recheck
wrong = Distractors(1, 1, 1, 1)
specs = [MazeGenSpec(topology, "ks", 13, 14, wrong) for topology in Topology]
specs += [
    MazeGenSpec("dense_maze", "s", 13, 13, Distractors(0, 1, traps=True), DenseMaze(3), one_shot=True),
    MazeGenSpec("dense_maze", "k" * 7, 19, 19),
    MazeGenSpec("side_vault", optimal_actions=(20, 60)),
]
mazes = [generate(spec, seed) for spec in specs for seed in (0, 1)]
assert all(recheck(maze).passed for maze in mazes)
text = "".join(codec.dumps(maze) + str(measure(maze)) for maze in mazes)
print(hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_bytes_depend_on_nothing_but_spec_and_seed() -> None:
    found = set()
    for settings in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "77"}, {"NUMBA_DISABLE_JIT": "1"}):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PRINT_HASHES],
            env=os.environ | settings, check=True, capture_output=True, text=True,
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


def test_distractors_do_not_change_the_backbone_of_a_corridor() -> None:
    plain = MazeGenSpec(Topology.WINDING_CORRIDOR, rows=15, cols=15)
    rich = MazeGenSpec(Topology.WINDING_CORRIDOR, rows=15, cols=15, distractors=Distractors(dead_end_rooms=2))
    for seed in range(20):
        assert floods.walk(generate(plain, seed)) == floods.walk(generate(rich, seed))
