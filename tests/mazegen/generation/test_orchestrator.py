"""Generation as a whole: what is made is proved, and proved again here by searches of the tests' own."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from maze_gym.envs import GridWorldEnv
from maze_gym.envs.maze.vector_env import GridWorldVectorEnv
from mazegen import codec
from mazegen.core.randomness import MAX_SEED
from mazegen.core.rules import Action, compile_board
from mazegen.errors import GenerationFailed
from mazegen.generation import making, orchestrator
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import (
    DenseMaze,
    Distractors,
    MazeGenSpec,
    Params,
    SideVault,
    Topology,
    WindingCorridor,
)
from mazegen.generation.spec_options import in_short
from mazegen.generation.tiers import TIERS, sample_spec
from mazegen.search import proving
from mazegen.search.solver import solve
from mazegen.validation.validator import recheck, validate

from ..floods import Without, reach_goal
from ..reference import Reference, distances

if TYPE_CHECKING:
    from mazegen.core.maze import Maze
    from mazegen.search.kernels import Layout

SEEDS = 512  # of every combination
SIDE_BY_SIDE = 64  # mazes that the vector env plays at once
ALONE = 16  # mazes of every combination that a single env plays as well
SIDES = (14, 15)
CHAINS = ("none", "k", "s", "ks", "sk", "kk", "ksk")
DISTRACTORS = {
    "no distractors": Distractors(),
    "wrong keys": Distractors(wrong_keys=2),
    "wrong switches": Distractors(wrong_switches=2),
    "dead-end rooms": Distractors(dead_end_rooms=2),
    "decoy chain": Distractors(decoy_chains=1),
    "one of each": Distractors(1, 1, 1, 1),
    "a trap": Distractors(wrong_switches=1, traps=True),
}
PARAMS: dict[Topology, Params | None] = {
    Topology.WINDING_CORRIDOR: WindingCorridor(turns=6, spur_length=1),
    Topology.MULTI_ROUTE: None,
    Topology.SIDE_VAULT: SideVault(vault_depth=2),
    Topology.SEQUENTIAL_CHAIN: None,
    Topology.DENSE_MAZE: DenseMaze(loops=1, coverage=0.8),
}


@pytest.mark.slow
@pytest.mark.no_cover  # nothing that the others do not run, but much of it
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("topology", list(Topology))
def test_every_claim_of_every_combination_holds(topology: Topology, chain: str) -> None:
    """The witness of every maze succeeds in the env, and every claim of necessity is checked by a flood.

    To enter a state for the first time costs a single env so much that the vector env, which is held to do
    the same by tests of its own, plays all of them, and the single one a share. The plain oracle of the rules
    takes longer than all else together: it gets a maze of each chain and of each kind of distractor.
    """
    fleet = in_a_row(topology)
    for number, wrong in enumerate(DISTRACTORS.values()):
        spec = MazeGenSpec(topology, chain, *SIDES, wrong, PARAMS[topology])
        for first in range(0, SEEDS, SIDE_BY_SIDE):
            mazes = [generate(spec, seed) for seed in range(first, first + SIDE_BY_SIDE)]
            replay_side_by_side(fleet, mazes)
            assert [prove_again(maze) for maze in mazes] == [2 * len(spec.steps)] * SIDE_BY_SIDE
            if first == 0:
                for maze in mazes[:ALONE]:
                    replay_alone(maze)
                if number == CHAINS.index(chain):
                    check_exactly(mazes[0])


def in_a_row(topology: Topology) -> GridWorldVectorEnv:
    """An env that plays mazes side by side; each is given one at its reset."""
    fleet = GridWorldVectorEnv(SIDE_BY_SIDE, maze=generate(MazeGenSpec(topology, "none", *SIDES)), copy=False)
    fleet.reset()
    return fleet


def prove_again(maze: Maze) -> int:
    """Re-check every claim of necessity with what can be reached; how many there were."""
    assert maze.validation is not None
    pairs = [
        (step["element"], step["unlocks"])
        for step in maze.metadata.get("dependency_chain", {}).get("sequence", [])
    ]
    partner = dict(pairs) | {blocker: opener for opener, blocker in pairs}
    asked, expected = [Without()], [True]
    claims = 0
    for name, needed in maze.validation.necessity:
        if not needed:
            continue
        if name not in partner:  # of the distractors only the open gate of a trap may stand on the way
            assert {"element_id": name, "type": "trap_gate"} in maze.metadata["distractors"]
            asked.append(Without(walled=[name]))
            expected.append(False)
            continue
        claims += 1
        if name[0] in "ks":  # without the key or the switch there is no way, not even with everything kept
            asked.append(Without(gone=[name]))
            expected.append(False)
        else:  # the door or gate gone, its key or switch is good for nothing, and nobody goes around it
            asked += [Without(gone=[name, partner[name]]), Without(walled=[name])]
            expected += [True, False]
    assert reach_goal(maze, asked) == expected, (maze.level_id, asked)
    return claims


def replay_side_by_side(fleet: GridWorldVectorEnv, mazes: list[Maze]) -> None:
    """Each maze's plan succeeds with its last action and not before, and no plan is shorter."""
    for env, maze in enumerate(mazes):
        fleet.reset(options={"maze": maze, "reset_mask": np.arange(SIDE_BY_SIDE) == env})
    witnesses = [maze.validation.optimal_actions for maze in mazes if maze.validation is not None]
    lengths = np.array([len(plan) for plan in witnesses])
    plans = np.full((lengths.max(), len(mazes)), int(Action.TURN_LEFT))  # turning ends no episode
    for env, plan in enumerate(witnesses):
        plans[: len(plan), env] = [Action[name] for name in plan]
    for taken, actions in enumerate(plans, 1):
        _, rewards, terminated, truncated, infos = fleet.step(actions)
        if taken == 1:
            assert infos["optimal_actions"].tolist() == lengths.tolist()
        assert terminated.tolist() == (lengths == taken).tolist(), [maze.level_id for maze in mazes]
        assert rewards.tolist() == terminated.tolist()
        assert not truncated[lengths >= taken].any()


def replay_alone(maze: Maze) -> None:
    """The plan succeeds with its last action and not before."""
    assert maze.validation is not None
    plan = maze.validation.optimal_actions
    env = GridWorldEnv(maze=maze)
    _, info = env.reset(seed=0)
    for index, name in enumerate(plan):
        _, _, terminated, truncated, info = env.step(int(Action[name]))
        assert not truncated
        assert terminated == (index + 1 == len(plan))
    assert info["is_success"]


def check_exactly(maze: Maze) -> None:
    """By the tests' own telling of the rules: the optimum, and what it is without each mechanism."""
    assert maze.validation is not None
    optimum = len(maze.validation.optimal_actions)
    assert exact_optimum(maze) == optimum
    chained = [step["unlocks"] for step in maze.metadata.get("dependency_chain", {}).get("sequence", [])]
    for name, needed in maze.validation.necessity:
        without = exact_optimum(strip(maze, name))
        if name[0] in "ks":
            assert (without is None) == needed
            assert needed or without == optimum
        else:  # what test_necessity holds is that it is needed; a chain's door or gate is in the way besides
            assert without is not None
            assert (without < optimum) == (name in chained)


@pytest.fixture(scope="module")
def side_by_side() -> GridWorldVectorEnv:
    return in_a_row(Topology.DENSE_MAZE)


def told(**lies: Any) -> list[Maze]:
    """As many mazes as are played at once, the last of which says something else in its proof."""
    spec = MazeGenSpec(Topology.DENSE_MAZE, "ks", *SIDES, Distractors(wrong_keys=1))
    mazes = [generate(spec, seed) for seed in range(SIDE_BY_SIDE)]
    validation = mazes[-1].validation
    assert validation is not None
    lies = {name: lie(getattr(validation, name)) for name, lie in lies.items()}
    return [*mazes[:-1], dataclasses.replace(mazes[-1], validation=dataclasses.replace(validation, **lies))]


@pytest.mark.parametrize(
    "lie",
    [
        lambda plan: plan[:-1],
        lambda plan: ("TURN_LEFT", "TURN_RIGHT", *plan),
        lambda plan: (*plan, "TURN_LEFT"),
        lambda plan: ("TURN_LEFT", *plan[1:]) if plan[0] != "TURN_LEFT" else ("TURN_RIGHT", *plan[1:]),
    ],
    ids=["too short", "a detour", "one too many", "astray"],
)
def test_the_replay_notices_a_plan_that_is_no_witness(side_by_side: GridWorldVectorEnv, lie: Any) -> None:
    replay_side_by_side(side_by_side, told())
    mazes = told(optimal_actions=lie)
    with pytest.raises(AssertionError):
        replay_side_by_side(side_by_side, mazes)
    replay_side_by_side(side_by_side, told())  # the episodes that broke off are no burden


def test_the_floods_notice_what_is_said_to_be_needed_and_is_not() -> None:
    def all_needed(necessity: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
        assert not all(needed for _, needed in necessity)
        return tuple((name, True) for name, _ in necessity)

    honest, lying = told()[-1], told(necessity=all_needed)[-1]
    assert prove_again(honest) == 4
    with pytest.raises(AssertionError):
        prove_again(lying)


def exact_optimum(maze: Maze) -> int | None:
    oracle = Reference(maze)
    return distances(oracle.explore()).get(oracle.start)


def strip(maze: Maze, name: str) -> Maze:
    """The maze with one mechanism taken off the board; its cell is free."""
    return dataclasses.replace(
        maze,
        keys=tuple(key for key in maze.keys if key.id != name),
        doors=tuple(door for door in maze.doors if door.id != name),
        switches=tuple(
            dataclasses.replace(switch, controls=tuple(gate for gate in switch.controls if gate != name))
            for switch in maze.switches
            if switch.id != name
        ),
        gates=tuple(gate for gate in maze.gates if gate.id != name),
    )


@pytest.mark.parametrize("tier", sorted(TIERS))
def test_the_stored_proof_is_that_of_the_validator_and_the_solver(tier: int) -> None:
    rng = np.random.default_rng((tier, 8))
    for seed in range(25):
        maze = generate(sample_spec(rng, tier), seed)
        report = recheck(maze)
        assert report.passed, str(report)
        assert report.to_validation() == maze.validation
        solution = solve(maze)
        assert maze.validation is not None
        assert len(solution.actions) == len(maze.validation.optimal_actions)
        assert solution.cell_moves == maze.validation.optimal_cost
        low, high = TIERS[tier].optimal_actions
        assert low <= len(solution.actions) <= high
        assert maze.difficulty_tier == tier


@pytest.mark.parametrize("topology", list(Topology))
def test_the_board_that_was_proved_is_the_board_that_is_played(topology: Topology) -> None:
    boards = []

    def spy(board: Layout, start: proving.Start, limit: int) -> proving.Survey:
        boards.append(board)
        return proving.survey(board, start, limit)

    wrong = Distractors(wrong_switches=1, decoy_chains=1, traps=True)
    spec = MazeGenSpec(topology, "ksk", 15, 16, wrong, one_shot=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "survey", spy)
        board = compile_board(generate(spec, 3))
    proved = boards[-1]
    assert tuple(proved.codes) == board.codes
    assert tuple(proved.link) == board.link
    assert tuple(proved.trait) == board.trait
    assert tuple(proved.strides) == board.strides


def test_what_is_made_is_what_the_records_allow() -> None:
    rng = np.random.default_rng(11)
    for seed in range(300):
        maze = generate(sample_spec(rng), seed)
        assert dataclasses.replace(maze) == maze  # goes through the checks, which generation leaves out


def test_the_metadata_makes_the_same_maze_again() -> None:
    rng = np.random.default_rng(4)
    for seed in (0, 1, 2**53 - 1, 2**64 - 1):
        maze = generate(sample_spec(rng), seed)
        assert maze.seed == seed
        spec = MazeGenSpec.from_dict(maze.metadata["spec"])
        assert generate(spec) == maze
        assert codec.loads(codec.dumps(maze)) == maze


@pytest.mark.parametrize("seed", ["a", 1.5, True, -1, 2**64, 2**70, np.float64(1), np.True_], ids=repr)
def test_a_seed_that_no_file_could_hold_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=rf"generate\.seed must be an integer from 0 to {MAX_SEED}, got "):
        generate(MazeGenSpec(Topology.DENSE_MAZE), seed)


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7)], ids=repr)
def test_a_seed_of_numpy_is_the_number_that_it_is(seed: Any) -> None:
    maze = generate(MazeGenSpec(Topology.DENSE_MAZE), seed)
    assert type(maze.seed) is int
    assert codec.dumps(maze) == codec.dumps(generate(MazeGenSpec(Topology.DENSE_MAZE), 7))


@pytest.mark.parametrize("attempts", [0, -1, 1.0, True, None, "many"], ids=repr)
def test_a_number_of_attempts_that_is_none_is_refused(attempts: Any) -> None:
    with pytest.raises(ValueError, match=r"generate\.max_attempts must be an integer from 1 to "):
        generate(MazeGenSpec(Topology.DENSE_MAZE), max_attempts=attempts)


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    spec = MazeGenSpec(Topology.DENSE_MAZE, "k")
    assert len({generate(spec, seed).content_hash for seed in range(200)}) == 200


def test_the_length_of_the_optimum_stays_in_the_range_asked_for() -> None:
    for low, high in ((35, 45), (60, 75)):
        spec = MazeGenSpec(Topology.DENSE_MAZE, "k", optimal_actions=(low, high))
        for seed in range(20):
            assert low <= len(solve(generate(spec, seed)).actions) <= high


def test_what_cannot_be_is_a_typed_failure_with_counted_reasons() -> None:
    spec = MazeGenSpec(Topology.DENSE_MAZE, "k", 9, 9, optimal_actions=(300, 400))
    with pytest.raises(GenerationFailed) as caught:
        generate(spec, 0, max_attempts=20)
    assert caught.value.reasons == {"the optimum is shorter than asked": 20}
    assert in_short(spec) in str(caught.value)
    assert "20 x the optimum is shorter than asked" in str(caught.value)


def test_a_proof_that_would_grow_too_large_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orchestrator, "MAX_STATES", 300)
    orchestrator._prepare.cache_clear()
    try:
        with pytest.raises(GenerationFailed, match="more states than the proof may hold"):
            generate(MazeGenSpec(Topology.DENSE_MAZE, "ss"), 0, max_attempts=3)
    finally:
        orchestrator._prepare.cache_clear()


def test_names_and_rules_are_those_of_the_format() -> None:
    maze = generate(MazeGenSpec(Topology.DENSE_MAZE, "ks", distractors=Distractors(wrong_keys=1), seed=9))
    assert maze.level_id == "dense_maze-ks-d1-9"
    assert [key.id[0] for key in maze.keys] == ["k", "k"]
    assert maze.keys[0].id[1:] == maze.doors[0].id[1:] == maze.doors[0].color[0].upper()
    assert (maze.switches[0].id, maze.gates[0].id) == ("s1", "g1")
    assert validate(maze).passed
    assert "12 x 12" in maze.description
    assert "1 wrong keys" in maze.description
