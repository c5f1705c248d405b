"""Generated boards: sound, fair, winnable, and the same for the same number."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.generation.generator import GenerationFailed, PacmanSpec, generate
from maze_gym.envs.pacman.rules import Event
from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.rules.ghost_paths import path_distances
from maze_gym.envs.pacman.rules.layout import CLASSIC
from maze_gym.envs.pacman.search import find_plan
from maze_gym.envs.pacman.vector_env import PacmanVectorEnv
from maze_gym.errors import InvalidArgument

SPEC = PacmanSpec(rows=7, cols=8, ghosts=(1, 3), min_distance=4)
NUMBERS = range(8)


@pytest.mark.parametrize("number", NUMBERS)
def test_boards_are_sound_fair_and_won_by_their_witness(number: int) -> None:
    board, luck, witness = generate(SPEC, number)
    layout = board.layout
    floor = [cell for cell in range(layout.cells) if not layout.walls >> cell & 1]
    assert (layout.rows, layout.cols) == (7, 8)
    assert layout.reachable(layout.player) == sum(1 << cell for cell in floor)
    assert layout.pellets == sum(1 << cell for cell in floor)
    assert all(len(set(layout.neighbours(cell)) - {cell}) >= 2 for cell in floor), "no dead end"
    assert layout.walls.bit_count() <= SPEC.wall_share * layout.cells
    assert SPEC.ghosts[0] <= len(layout.ghosts) <= SPEC.ghosts[1]
    distances = path_distances(layout, layout.player)
    assert min(distances[ghost] for ghost in layout.ghosts) >= SPEC.min_distance
    assert board.mind in SPEC.minds
    assert rules.max_score(layout) <= SPEC.max_score
    state, events = board.start._replace(luck=luck), 0
    for action in witness.actions:
        state, events, _ = rules.step(board, state, action)
    assert events & Event.WON
    assert len(witness.actions) <= SPEC.max_steps


def test_boards_differ_by_number_and_not_by_what_was_made_before() -> None:
    texts = {tuple(generate(SPEC, number).board.layout.to_rows()) for number in NUMBERS}
    assert len(texts) == len(NUMBERS)
    first = generate(SPEC, 3)
    generate.cache_clear()
    again = generate(SPEC, 3)
    assert (again.board.layout, again.luck, again.witness) == (first.board.layout, first.luck, first.witness)


def test_train_and_evaluation_boards_are_disjoint() -> None:
    def names(start_level: int) -> set[str]:
        env = PacmanArrayEnv(spec=SPEC, num_levels=3, start_level=start_level)
        return {env.reset(seed=seed)[1]["level_id"] for seed in range(12)}

    assert names(0) == {"generated-0", "generated-1", "generated-2"}
    assert not names(0) & names(3)


def test_starts_alone_vary_on_a_kept_layout() -> None:
    spec = PacmanSpec(
        layout=tuple(CLASSIC.to_rows()), minds=(GhostBehaviour(random_ties=True),), min_distance=6
    )
    layouts = [generate(spec, number).board.layout for number in range(3)]
    assert {layout.walls for layout in layouts} == {CLASSIC.walls}
    assert len({layout.player for layout in layouts}) > 1


def test_a_generated_level_comes_with_its_luck_so_its_witness_wins_in_the_env() -> None:
    env = PacmanArrayEnv(spec=SPEC, num_levels=4)
    for seed in range(4):
        env.reset(seed=seed)
        ended = False
        info: dict[str, Any] = {}
        while not ended:
            *_, ended, truncated, info = env.step(env.search_action())
            assert not truncated
        assert info["is_success"]


@pytest.mark.parametrize(
    ("proved", "asked", "limit"),
    [(400, None, 400), (50, None, 50), (200, 50, 50), (50, 120, 120)],
    ids=["the spec's, above the default", "the spec's, below it", "a smaller one", "a larger one"],
)
def test_generated_boards_are_winnable_within_the_limit_that_is_played(
    proved: int, asked: int | None, limit: int
) -> None:
    """Scalar and vector env alike: the plan of the search wins within ``steps_left``."""
    spec = {"rows": 7, "cols": 7, "ghosts": [1, 3], "min_distance": 4, "max_steps": proved}
    kwargs: dict[str, Any] = {"spec": spec, "num_levels": 4, "max_steps": asked}
    env, envs = PacmanArrayEnv(**kwargs), PacmanVectorEnv(1, autoreset_mode="Disabled", **kwargs)
    met = set()
    for seed in range(8):
        _, info = env.reset(seed=seed)
        _, infos = envs.reset(seed=seed)
        assert (env.max_steps, info["steps_left"], infos["steps_left"].tolist()) == (limit, limit, [limit])
        assert envs.state(0) == env.state
        plan = find_plan(env.board, env.state, info["steps_left"])
        ended = truncated = False
        while not (ended or truncated):
            action = env.search_action()
            *_, ended, truncated, info = env.step(action)
            *_, infos = envs.step(np.array([action]))
        assert (plan.wins, info["is_success"], infos["is_success"].tolist()) == (True, True, [True])
        met.add(info["level_id"])
    assert len(met) > 2


def test_a_limit_in_which_nobody_could_eat_everything_is_said_to_be_too_low() -> None:
    env = PacmanArrayEnv(spec={"rows": 7, "cols": 7}, max_steps=20)
    with pytest.raises(GenerationFailed, match="within 20 steps; allow more steps"):
        env.reset(seed=0)


def test_a_spec_that_cannot_be_met_says_what_to_relax() -> None:
    with pytest.raises(GenerationFailed, match="allow more steps, fewer ghosts, fewer walls"):
        generate(PacmanSpec(rows=5, cols=5, min_distance=20), 0)


@pytest.mark.parametrize(
    "fields",
    [
        {"rows": 17},
        {"cols": True},
        {"wall_share": 0.5},
        {"ghosts": (3, 2)},
        {"ghosts": (1,)},
        {"ghosts": 2},
        {"minds": ()},
        {"power_pellets": 5},
        {"max_steps": 0},
        {"layout": ("P.", "..")},
    ],
)
def test_wrong_specs_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        PacmanSpec(**fields)


@pytest.mark.parametrize("layout", ["abc", "P.\n.G", [1], [], 5, ["P.", b".G"]])
def test_a_kept_layout_is_rows_of_text(layout: Any) -> None:
    with pytest.raises(InvalidArgument, match="layout"):
        PacmanSpec.from_dict({"layout": layout})


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"rows": 12}, "leave out rows, or layout"),
        ({"cols": 5}, "leave out cols, or layout"),
        ({"wall_share": 0}, "leave out wall_share, or layout"),
        ({"power_pellets": 0}, "leave out power_pellets, or layout"),
        ({"power_pellets": 1, "rows": 5, "ghosts": [1, 1]}, "leave out rows, power_pellets, or layout"),
    ],
)
def test_a_kept_layout_takes_no_field_that_it_decides(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        PacmanSpec.from_dict({"layout": CLASSIC.to_rows(), **fields})


def test_a_spec_with_a_layout_reads_from_its_own_json() -> None:
    spec = PacmanSpec(layout=tuple(CLASSIC.to_rows()), ghosts=(1, 1))
    assert PacmanSpec.from_dict(json.loads(json.dumps(asdict(spec)))) == spec


def test_a_spec_reads_from_json() -> None:
    spec = PacmanSpec.from_dict({"ghosts": [1, 2], "minds": [{"chase": "path", "flee": True}]})
    assert (spec.ghosts, spec.minds) == ((1, 2), (GhostBehaviour(chase="path", flee=True),))


def test_search_without_a_way_out_gives_the_longest_survivor() -> None:
    board = rules.compile_board(CLASSIC)
    plan = find_plan(board, board.start, 5, (8,))
    assert not plan.wins
    assert len(plan.actions) == len(plan.states) == 5
