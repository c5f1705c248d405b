"""SpatialGym-v0 as a Gymnasium env."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.levels.record import from_record, to_record
from maze_gym.envs.sparc.rules.constraints import judge
from maze_gym.envs.sparc.rules.puzzle import Puzzle, PuzzleError
from maze_gym.envs.sparc.search.plans import actions_along
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.game import Measured, World
from maze_gym.testing import check_world

from .puzzles import needs_sample, puzzles, sample_records
from .small import ACTIONS, CORNER, EXAMPLE, SOLUTION, TWO_CELLS, play

BOXED_IN = Puzzle("boxed in", 1, 1, (0, 0), (2, 2), gaps=((0, 1), (1, 0)))


@pytest.mark.parametrize(
    ("env_id", "kwargs"),
    [
        ("SpatialGym-v0", {}),
        ("SpatialGym-v0", {"puzzle": to_record(EXAMPLE), "max_shape": (7, 9), "max_steps": 9}),
        ("SpatialGym-Backtracking-v0", {"difficulty": [1, 2], "max_steps": "board"}),
        ("SpatialGym-Generated-v0", {"num_levels": 2, "start_level": 5}),
    ],
    ids=["suite", "one puzzle, padded", "backtracking", "generated"],
)
def test_conforms_to_gymnasium_and_to_this_suite(env_id: str, kwargs: dict[str, Any]) -> None:
    check_world(env_id, **kwargs)


def test_defaults_are_those_of_the_paper_on_the_bundled_suite() -> None:
    env = gym.make("SpatialGym-v0").unwrapped
    assert isinstance(env, SpatialGymEnv)
    assert isinstance(env, World)
    assert isinstance(env, Measured)
    assert env.action_names == ("RIGHT", "UP", "LEFT", "DOWN")
    assert env.action_space == gym.spaces.Discrete(4)
    observation, info = env.reset(seed=5)
    assert observation["planes"].shape == (7, 13, 13)
    assert (info["steps_left"], env.backtracking, env.source.count) == (100, False, 500)
    assert info["path"] == (env.puzzle.start,)
    assert info["legal_actions"] == tuple(np.flatnonzero(info["action_mask"]).tolist())
    assert (info["level_id"], info["level_hash"]) == (env.puzzle.puzzle_id, env.puzzle.content_hash)
    assert "is_success" not in info


def test_a_right_line_pays_one_and_nothing_else_does() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE)
    env.reset()
    for action in SOLUTION[:-1]:
        assert env.step(action)[1:4] == (0.0, False, False)
    _, reward, terminated, truncated, info = env.step(SOLUTION[-1])
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["is_success"], info["event"], info["end_reason"]) == (True, "SOLVED", "success")
    assert info["rule_report"]["ok"]
    assert info["metrics"] == {"solved": 1.0, "reached_end": 1.0, "steps": len(SOLUTION), "undone": 0}
    assert not {"level", "optimal_actions", "stored_match"} & set(info)  # nobody knows
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)


def test_a_wrong_line_fails_and_says_why_in_plain_data() -> None:
    env = SpatialGymEnv(puzzle=CORNER)
    env.reset()
    total, info = play(env, (0, 0, 1, 1, 2, 2))
    assert (total, info["is_success"], info["event"], info["end_reason"]) == (0.0, False, "FAILED", "failed")
    assert info["message"].endswith("The line is finished and breaks the rule dot.")
    report = json.loads(json.dumps(info["rule_report"]))
    broken = [verdict for verdict in report["verdicts"] if not verdict["ok"]]
    assert [verdict["rule"] for verdict in broken] == ["dot"]
    assert broken[0]["reasons"][0]["cells"] == [[1, 0]]
    assert info["stored_match"] is False
    assert info["metrics"]["reached_end"] == 1.0


def test_a_move_that_is_not_possible_is_an_event_and_costs_a_step() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE)
    first, _ = env.reset()
    for action, left in ((2, 99), (3, 98)):
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated, info["event"]) == (0.0, False, False, "BLOCKED")
        assert "the board ends here" in info["message"]
        assert info["steps_left"] == left
        assert np.array_equal(observation["planes"], first["planes"])
    env.step(0)
    assert env.step(2)[4]["message"] == "You cannot move left: the line has been there."
    assert env.step(1)[4]["message"] == "You cannot move up: a rule cell is in the way."
    env.reset()
    play(env, (1, 1))
    assert env.step(1)[4]["message"] == "You cannot move up: a gap is in the way."


def test_a_dead_end_ends_the_episode_as_failed_unless_moves_can_be_taken_back() -> None:
    with_gap = Puzzle("stuck", 1, 2, (2, 0), (0, 4), gaps=((0, 1), (0, 3)))
    env = SpatialGymEnv(puzzle=with_gap)
    env.reset()
    _, info = play(env, (0, 0, 1, 1))
    assert (info["event"], info["end_reason"], info["is_success"]) == ("DEAD_END", "failed", False)
    assert "rule_report" not in info
    assert info["legal_actions"] == ()
    back = SpatialGymEnv(puzzle=with_gap, backtracking=True)
    back.reset()
    _, info = play(back, (0, 0, 1, 1))
    assert (info["event"], info["legal_actions"]) == ("MOVED", (3,))
    total, info = play(back, (3, 3, 0, 0, 1, 1))
    assert (total, info["event"], info["metrics"]["undone"]) == (1.0, "SOLVED", 2)


@given(puzzle=puzzles(), actions=ACTIONS)
def test_undoing_restores_exactly_what_was_there(puzzle: Puzzle, actions: list[int]) -> None:
    """Step by step: wherever a move back is made, everything but the clock is as it was."""
    if not any(puzzle.lanes[puzzle.start]):
        return
    env = SpatialGymEnv(puzzle=puzzle, backtracking=True, max_steps=1_000)
    observation, info = env.reset()
    seen = [(observation["planes"], env.render(), info["path"], info["legal_actions"])]
    for action in actions:
        observation, _, terminated, _, info = env.step(action)
        if terminated:
            break
        now = (observation["planes"], env.render(), info["path"], info["legal_actions"])
        if info["event"] == "UNDONE":
            seen.pop()
        elif info["event"] == "MOVED":
            seen.append(now)
        assert np.array_equal(now[0], seen[-1][0])
        assert now[1:] == seen[-1][1:]


@needs_sample
def test_stored_solutions_are_right_on_every_visit_and_agree_with_the_rules() -> None:
    """The second visit of a puzzle is like the first; the original's is broken."""
    board = [from_record(record) for record in sample_records()]
    env = SpatialGymEnv(puzzles=board, max_steps=1_000)
    rng = np.random.default_rng(1)
    for puzzle in board:
        for path in puzzle.solutions[:3] * 2:
            _, info = env.reset(options={"puzzle": puzzle.puzzle_id})
            assert info["path"] == (puzzle.start,)
            total, info = play(env, actions_along(path))
            assert (total, info["stored_match"]) == (1.0, True)
            assert info["rule_report"] == judge(puzzle, path).to_dict()
        for _ in range(5):
            _, info = env.reset(options={"puzzle": puzzle})
            while "is_success" not in info:
                *_, info = env.step(int(rng.choice(info["legal_actions"])))
            assert info["is_success"] == info["stored_match"]


@given(puzzle=puzzles(), actions=ACTIONS, backtracking=st.booleans())
def test_env_goes_along_with_the_rules(puzzle: Puzzle, actions: list[int], backtracking: bool) -> None:  # noqa: FBT001 - drawn by name
    if not any(puzzle.lanes[puzzle.start]):
        with pytest.raises(PuzzleError, match="every way out of the start is a gap"):
            SpatialGymEnv(puzzle=puzzle).reset()
        return
    env = SpatialGymEnv(puzzle=puzzle, backtracking=backtracking)
    env.reset()
    state = rules.initial_state(puzzle)
    for action in actions:
        state, event = rules.step(puzzle, state, action, backtracking=backtracking)
        _, reward, terminated, _, info = env.step(action)
        assert (env.state, info["event"]) == (state, event.name)
        assert reward == float(event == rules.Event.SOLVED)
        legal = rules.legal_actions(puzzle, state, backtracking=backtracking)
        assert info["legal_actions"] == legal == tuple(np.flatnonzero(env.action_masks()))
        assert terminated == (event in {rules.Event.SOLVED, rules.Event.FAILED, rules.Event.DEAD_END})
        if terminated:
            break


def test_going_to_and_fro_brings_nothing() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE, backtracking=True, max_steps=50)
    env.reset()
    total, info = play(env, (0, 2) * 25)
    assert (total, info["end_reason"], info["metrics"]["undone"]) == (0.0, "timeout", 25)
    assert "rule_report" not in info


def test_the_step_limit_can_scale_with_the_board() -> None:
    for puzzle, limit in ((CORNER, 16), (TWO_CELLS, 26), (EXAMPLE, 42)):
        env = SpatialGymEnv(puzzle=puzzle, max_steps="board")
        assert env.reset()[1]["steps_left"] == limit


def test_options_choose_the_puzzle_itself_its_record_or_its_name() -> None:
    env = SpatialGymEnv(puzzles=[CORNER, TWO_CELLS])
    for option in (EXAMPLE, to_record(EXAMPLE), "two cells"):
        _, info = env.reset(options={"puzzle": option})
        assert info["level_id"] == (option if isinstance(option, str) else EXAMPLE.puzzle_id)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"maze": 1}, "unknown reset option 'maze'; there are: puzzle"),
        ({"puzzle": "two sells"}, "no puzzle 'two sells' among the 2 of this env; did you mean 'two cells'"),
        ({"puzzle": 3}, "a puzzle must be a Puzzle or the object of a record, got int"),
        ({"puzzle": {"id": "x"}}, "puzzle 'x': puzzle_array: must be a non-empty list"),
        ({"puzzle": Puzzle("wide", 1, 8, (0, 0), (2, 2))}, "needs a Frame.rows=3, cols=17.*puzzles="),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    env = SpatialGymEnv(puzzles=[CORNER, TWO_CELLS])
    with pytest.raises(InvalidArgument, match=message):
        env.reset(options=options)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"puzzle": CORNER, "spec": {}}, "give only one of puzzle, puzzles, spec, tier; got puzzle and spec"),
        ({"spec": {}, "tier": 2}, "give only one of puzzle, puzzles, spec, tier; got spec and tier"),
        ({"tier": 6}, "level must be from 1 to 5"),
        ({"puzzles": []}, "there is no puzzle among 0"),
        ({"puzzles": [CORNER], "difficulty": [2]}, r"no puzzle of difficulty \[2\] among 1"),
        ({"puzzles": [CORNER], "difficulty": [6]}, "difficulty must list levels from 1 to 5"),
        ({"puzzles": [CORNER], "difficulty": []}, "difficulty must list levels from 1 to 5"),
        ({"spec": {}, "difficulty": [1]}, "a spec has a level of its own"),
        ({"spec": 3}, "spec must be a PuzzleSpec or the object of its JSON"),
        ({"spec": {"level": 9}}, "level must be from 1 to 5"),
        ({"spec": {"size": 9}}, "among level, height, width"),
        ({"spec": {}, "num_levels": 0}, "num_levels must be an integer from 1"),
        ({"num_levels": 3}, "they need spec or tier"),
        ({"puzzles": 3}, "puzzles must be a suite, a file or a list"),
        ({"puzzle": "corner"}, "a puzzle must be a Puzzle or the object of a record, got str"),
        ({"puzzle": CORNER, "backtracking": 1}, "backtracking must be True or False, got 1"),
        ({"puzzle": CORNER, "max_steps": 0}, "max_steps must be an integer .* or 'board'"),
        ({"puzzle": CORNER, "max_steps": "auto"}, "max_steps must be an integer .* or 'board'"),
        ({"puzzle": EXAMPLE, "max_shape": (3, 13)}, r"smaller than the largest board, which needs \(5, 5\)"),
        ({"puzzle": EXAMPLE, "max_shape": 9}, r"max_shape must be \(rows, cols\)"),
        ({"puzzle": CORNER, "render_mode": "llm"}, "render_mode must be None or one of ansi"),
        ({"puzzle": CORNER, "render_size": 5}, "render_size: 5 x 5 px is too small"),
        ({"puzzle": CORNER, "cell_px": 0}, "cell_px must be a whole number of pixels, at least 1, got 0"),
        ({"puzzle": CORNER, "cell_px": 4, "render_size": 99}, "not both"),
    ],
)
def test_wrong_arguments_are_refused(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidArgument, LevelsNotFound), match=message):
        SpatialGymEnv(**kwargs)


@pytest.mark.parametrize("action", [4, -1, 2.0, "LEFT", None, True, np.array([2])])
def test_anything_but_an_action_is_refused_and_changes_nothing(action: Any) -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE)
    env.reset()
    with pytest.raises(InvalidAction, match="2 LEFT"):
        env.step(action)
    assert (env.state, env.steps_left) == (rules.initial_state(EXAMPLE), 100)
    assert env.step(np.int64(0))[4]["event"] == "MOVED"  # type: ignore[arg-type]  # what a Discrete space samples


def test_everything_wants_a_reset_first() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE)
    calls = (
        lambda: env.step(0), env.render, lambda: env.state, env.optimal_action, env.action_masks,
        env.greedy_action, env.progress_signature, env.explained_frame, env.remaining_actions,
        env.fewest_moves,
    )  # fmt: skip
    for call in calls:
        with pytest.raises(ResetNeeded, match="reset"):
            call()


def test_a_puzzle_without_a_way_out_of_its_start_is_refused() -> None:
    with pytest.raises(PuzzleError, match="puzzle 'boxed in': gaps: every way out of the start is a gap"):
        SpatialGymEnv(puzzle=BOXED_IN).reset()


def test_same_seed_same_puzzles_and_other_seeds_others() -> None:
    def drawn(seed: int) -> list[str]:
        env = SpatialGymEnv(spec={"level": 1, "height": [2, 3], "width": [2, 3]}, num_levels=50)
        return [env.reset(seed=seed if first else None)[1]["level_hash"] for first in (True, False, False)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert len(set(drawn(1))) > 1


def test_ranges_of_generated_puzzles_can_be_kept_apart() -> None:
    spec = {"level": 1, "height": [2, 3], "width": [2, 3]}
    whole = SpatialGymEnv(spec=spec, num_levels=4).source
    rest = SpatialGymEnv(spec=spec, num_levels=2, start_level=2).source
    assert [rest.puzzle(number) for number in (0, 1)] == [whole.puzzle(number) for number in (2, 3)]
    assert SpatialGymEnv(tier=1).source.puzzle(0).level == 1
    with pytest.raises(InvalidArgument, match="generated puzzles are not found by name"):
        SpatialGymEnv(spec=spec).reset(options={"puzzle": "generated-1"})
