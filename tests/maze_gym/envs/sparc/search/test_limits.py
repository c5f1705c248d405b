"""What is too large for the search is said to be unknown, by everybody who asks; never to be unsolvable."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest
from hypothesis import event, given

from maze_gym.cli import other_worlds
from maze_gym.ending import EndReason
from maze_gym.envs.sparc.levels.record import to_record
from maze_gym.envs.sparc.rules import constraints
from maze_gym.envs.sparc.rules.puzzle import Color, Kind, Puzzle, Symbol
from maze_gym.envs.sparc.search import plans, solver
from maze_gym.errors import SearchLimitExceeded
from maze_gym.evaluation.episode import run_episode
from maze_gym.policies.oracle import OraclePolicy

from .. import puzzles as boards

if TYPE_CHECKING:
    from pathlib import Path

STAR, SQUARE = Symbol(Kind.STAR, Color.RED), Symbol(Kind.SQUARE, Color.BLUE)
PAIRED, ODD = ((1, 1), (5, 9), (9, 3), (11, 5)), ((1, 1), (5, 9), (9, 3))


def starry(stars: tuple[tuple[int, int], ...], square: Symbol = SQUARE) -> Puzzle:
    symbols = [(spot, STAR) for spot in stars] + [((7, 7), square)]
    return Puzzle("starry", 6, 6, (12, 0), (0, 12), symbols=tuple(sorted(symbols)))


# Five stars and a square of their colour, which make three pairs: counting does not tell, only search does.
HARD = starry((*PAIRED, (11, 11)), Symbol(Kind.SQUARE, Color.RED))


def test_stars_that_cannot_be_paired_are_known_at_once() -> None:
    puzzle = starry(ODD)
    assert solver.count_solutions(puzzle, bound=1) == 0
    assert not solver.is_completable(puzzle, (puzzle.start,), bound=1)
    assert solver.shortest_completion(puzzle, (puzzle.start,), bound=1) is None
    assert plans.shortest_plan(puzzle, (puzzle.start,), backtracking=True, bound=1) is None
    env: Any = gym.make("SpatialGym-v0", puzzle=puzzle).unwrapped
    env.reset(seed=0)
    assert (env.optimal_action(), env.remaining_actions(), env.fewest_moves()) == (None, None, None)


@given(boards.puzzles(max_cells=6))
def test_whoever_is_refused_by_counting_has_no_solution(puzzle: Puzzle) -> None:
    is_refused = solver._is_hopeless(puzzle)
    event(f"refused: {is_refused}")
    assert not (is_refused and list(boards.brute_force(puzzle)))


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that are given up soon, as those of a large board are given up late."""
    plain = solver.shortest_completion
    monkeypatch.setattr(plans, "shortest_completion", lambda puzzle, path, **_: plain(puzzle, path, bound=20))
    plans._completion.cache_clear()


@pytest.mark.usefixtures("short_patience")
def test_an_env_says_that_it_does_not_know() -> None:
    env: Any = gym.make("SpatialGym-v0", puzzle=HARD, backtracking=True).unwrapped
    env.reset(seed=0)
    for ask in (env.optimal_action, env.remaining_actions, env.fewest_moves):
        with pytest.raises(SearchLimitExceeded, match=r"'starry' is too large: .* more than 20 extensions"):
            ask()
    env.step(env.greedy_action())
    with pytest.raises(SearchLimitExceeded):
        env.remaining_actions()


@pytest.mark.usefixtures("short_patience")
def test_an_oracle_that_does_not_know_ends_unscored_and_says_why() -> None:
    env = gym.make("SpatialGym-v0", puzzle=HARD)
    record = run_episode(env, OraclePolicy(env), seed=0)
    assert (record.end_reason, record.success, record.steps) == (EndReason.ABORTED, None, 0)
    assert "is too large" in record.detail


@pytest.mark.usefixtures("short_patience")
def test_solve_tells_the_unknown_from_the_unsolvable(tmp_path: Path) -> None:
    file = tmp_path / "levels.jsonl"
    records = [to_record(HARD) | {"id": "hard"}, to_record(starry(ODD)) | {"id": "odd"}]
    file.write_text("".join(json.dumps(each) + "\n" for each in records))
    hard, odd = other_worlds.solve("SpatialGym-v0", str(file))
    assert (hard.plan, odd.plan) == (None, None)
    assert "too large" in hard.given_up
    assert odd.given_up == ""


def test_a_search_that_pauses_often_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from maze_gym.envs.sparc.search import kernels

    puzzle = starry(PAIRED)
    found = solver.enumerate_solutions(puzzle, 20)
    assert len(found) == 20
    calls = []
    plain = kernels.extend

    def counted(*given: Any) -> kernels.Progress:
        calls.append(1)
        return plain(*given)

    monkeypatch.setattr(kernels, "extend", counted)
    assert solver.enumerate_solutions(puzzle, 20) == found
    with pytest.raises(SearchLimitExceeded):
        solver.count_solutions(HARD, bound=5 * kernels.SLICE)
    assert len(calls) >= 4


def test_shapes_that_nobody_can_lay_in_time_are_not_called_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constraints, "MAX_TRIES", 3)
    constraints._is_filled.cache_clear()
    shape = ((0, 0), (0, 1))
    region = tuple((row, col) for row in (1, 3) for col in (1, 3))
    with pytest.raises(SearchLimitExceeded, match="is not known after 3 tries"):
        constraints._is_filled(2, 2, region, (shape, ((0, 0), (1, 0))), ())
    constraints._is_filled.cache_clear()
