"""How long a level may be tried: by a proved plan, by the file's own, and what is said without either."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from maze_gym.envs.maze.levels.playable import MAX_STEPS_PER_OPTIMAL, PlayableMaze
from maze_gym.errors import InvalidArgument
from mazegen.search import solver
from mazegen.validation.validator import validate

from ....levels import ALL_KINDS, UNSOLVABLE

if TYPE_CHECKING:
    from mazegen.core.maze import Maze, Validation


@pytest.fixture(scope="module")
def proof() -> Validation:
    return validate(ALL_KINDS).proof


@pytest.fixture
def small_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search is given up at once."""
    monkeypatch.setattr(solver, "shortest_plan", partial(solver.shortest_plan, max_states=5))


def limit(maze: Maze, max_steps: int | None = None) -> int:
    level = PlayableMaze(maze, "arrival", (maze.rows, maze.cols))
    return level.step_limit(level.board.start, max_steps)


@pytest.mark.usefixtures("small_search")
def test_a_level_too_large_for_the_search_is_not_called_unsolvable() -> None:
    with pytest.raises(InvalidArgument, match=r"no plan was found within 5,000,000 states") as caught:
        limit(ALL_KINDS)
    assert "cannot be solved" not in str(caught.value)
    assert limit(ALL_KINDS, 9) == 9
    assert limit(replace(ALL_KINDS, max_steps=8)) == 8


def test_a_level_without_a_plan_is_still_called_unsolvable() -> None:
    with pytest.raises(InvalidArgument, match="cannot be solved"):
        limit(UNSOLVABLE)


@pytest.mark.usefixtures("small_search")
def test_where_the_search_is_given_up_the_plan_of_the_file_sets_the_limit(proof: Validation) -> None:
    assert limit(replace(ALL_KINDS, validation=proof)) == MAX_STEPS_PER_OPTIMAL * len(proof.optimal_actions)


@pytest.mark.usefixtures("small_search")
def test_a_plan_of_the_file_that_does_not_succeed_sets_no_limit(proof: Validation) -> None:
    claim = replace(proof, optimal_actions=proof.optimal_actions[:-1])
    with pytest.raises(InvalidArgument, match="no plan was found"):
        limit(replace(ALL_KINDS, validation=claim))


def test_a_plan_of_the_file_is_not_believed_to_be_the_shortest(proof: Validation) -> None:
    claim = replace(proof, optimal_actions=("TURN_LEFT",) * 4 + proof.optimal_actions)
    shortest = MAX_STEPS_PER_OPTIMAL * len(proof.optimal_actions)
    assert limit(replace(ALL_KINDS, validation=claim)) == shortest
