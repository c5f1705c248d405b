"""SpatialGym as a language model meets it: prompts, both native formats, and the one-shot setting."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.evaluation import ExperimentRunner, run_episode
from maze_gym.evaluation.transcript import replay
from maze_gym.game import Coordinates, Prompting, ReplyFormat, Stepwise, TextGame, Wording
from maze_gym.llm.backends import OracleChat, RandomChat
from maze_gym.llm.config import ExperimentConfig, Observe, Querying
from maze_gym.llm.parsing import ParsedReply, ParseFailure, parse
from maze_gym.llm.prompts import Turn, at_turn, build, grammar_for
from maze_gym.policies.llm import LLMPolicy
from maze_gym.wrappers import TextView

from ....golden import check_golden
from ....llm.asking import echoes, page, turn_after
from ..small import CORNER, EXAMPLE, EXAMPLE_LINE, SOLUTION, TWO_CELLS

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Puzzle
    from maze_gym.llm.parsing import Grammar

MODES = list(product(Prompting, Observe, Querying))
SPOKEN = "#### " + ", ".join(map(str, EXAMPLE_LINE))
# A board that is not the one of the worked example: two stars, a ylop, three triangles.
BOARD = {
    "id": "golden",
    "puzzle_array": [
        ["+", "+", "S", "+", "+", "+", "+"],
        ["+", "*-B", "+", "C-K", "+", "P-O-51", "+"],
        ["+", ".", "+", "+", "+", "G", "+"],
        ["+", "*-B", "+", "N", "+", "Y-O-1", "+"],
        ["+", "+", "+", "+", "+", "+", "E"],
    ],
    "polyshapes": '{"1": [[1]], "51": [[1, 1], [1, 1]]}',
}


def asked(actions: tuple[int, ...], config: ExperimentConfig) -> tuple[Grammar, Turn]:
    env = SpatialGymEnv(puzzle=BOARD)
    turn = turn_after(env, actions, config)
    return at_turn(config, grammar_for(config, env), turn.description), turn


def play(reply: str, puzzle: Puzzle = EXAMPLE, **options: Any) -> Any:
    """One shot."""
    config = ExperimentConfig(querying=Querying.FULL_TRAJECTORY, retries=0, **options)
    env = SpatialGymEnv(puzzle=puzzle)
    return run_episode(env, LLMPolicy(lambda _: reply, config, env=env), seed=0)


@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_prompts_are_the_approved_ones(
    prompting: Prompting, observation: Observe, querying: Querying
) -> None:
    config = ExperimentConfig(prompting, observation, "last3", querying=querying)
    messages = build(config, *asked((0, 0, 3, 2), config))
    check_golden(f"prompts/spatial_{prompting}_{observation}_{querying}.txt", page(messages))


@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_an_echoed_prompt_is_no_answer(
    prompting: Prompting, observation: Observe, querying: Querying
) -> None:
    for kind in (None, *ReplyFormat):
        config = ExperimentConfig(prompting, observation, "last3", querying=querying, reply_format=kind)
        grammar, turn = asked((0, 0, 3), config)
        for echo in echoes(build(config, grammar, turn)):
            assert isinstance(parse(echo, grammar), ParseFailure), echo


@pytest.mark.parametrize(("prompting", "querying"), list(product(Prompting, Querying)))
def test_picture_first_leaves_the_state_to_the_picture(prompting: Prompting, querying: Querying) -> None:
    """No position, and no word that tells one state or board from another."""
    config = ExperimentConfig(prompting, Observe.IMAGE_FIRST, "last3", querying=querying)
    grammar, turn = asked((0, 0, 3, 2), config)
    system, user = build(config, grammar, turn)
    assert not re.search(r"\(\d+, \d+\)", system.text + user.text)
    _, elsewhere = asked((2, 2, 3, 1), config)
    assert build(config, grammar, elsewhere._replace(history=turn.history))[1].text == user.text
    assert "A worked example" not in system.text
    pictured = SpatialGymEnv(puzzle=EXAMPLE)
    pictured.reset()
    now = pictured.describe(Wording(pictured=True))
    assert (now.level, now.state, now.pose, now.result, now.example) == ("", "", "", "", None)


def test_the_worked_example_stands_in_the_one_shot_prompt_and_where_it_is_asked_for() -> None:
    def told(**options: Any) -> str:
        config = ExperimentConfig(**options)
        grammar, turn = asked((), config)
        return build(config, grammar, turn)[0].text

    shot = told(querying=Querying.FULL_TRAJECTORY)
    assert "A worked example, with another level:" in shot
    assert f"The complete answer would be: {SPOKEN.removeprefix('#### ')}" in shot
    assert "The complete answer would be: 0, 0, 1" in told(
        querying=Querying.FULL_TRAJECTORY, reply_format=ReplyFormat.FINAL
    )
    assert "The first answer would be: 0" in told(example=True)
    assert "worked example" not in told()
    assert "worked example" not in told(querying=Querying.FULL_TRAJECTORY, prompting=Prompting.MINIMAL)


def test_native_formats_are_those_of_the_original() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE)
    assert isinstance(env, TextGame)
    assert isinstance(env, Stepwise)
    assert (env.reply_format, env.plan_format) == (ReplyFormat.FINAL, ReplyFormat.COORDINATES)
    view = TextView(env, ExperimentConfig(retries=2))
    text, _ = view.reset()
    assert "0 = RIGHT, 1 = UP, 2 = LEFT, 3 = DOWN" in text
    assert text.count("Final: ") == 1
    step = view.step("I think about it.\n**Final:** right")
    assert step.info["path"] == EXAMPLE_LINE[:2]
    again = view.step("Let us go on.")
    assert (again.info["parse_failure"], again.truncated) == ("no_marker", False)
    for action in SOLUTION[1:]:
        step = view.step(f"Final: {action}")
    assert (step.reward, step.info["end_reason"]) == (1.0, "success")


@pytest.mark.parametrize("coordinates", Coordinates)
def test_one_shot_answers_are_played_move_by_move(coordinates: Coordinates) -> None:
    spoken = ", ".join(str(coordinates.named(*position)) for position in EXAMPLE_LINE)
    record = play(f"The line must pass the dot.\n\n#### {spoken}", coordinates=coordinates)
    assert (record.success, record.actions) == (True, SOLUTION)
    assert record.total_reward == 1.0


@pytest.mark.parametrize(
    ("reply", "reason", "steps"),
    [
        (SPOKEN.replace("(2, 2), ", ""), "plan_exhausted", 3),  # a jump
        ("#### (0, 4), (0, 3)", "plan_exhausted", 0),  # from the wrong end
        ("#### (4, 0), (5, 0)", "plan_exhausted", 0),  # off the board
        ("#### (4, 0), (4, -1)", "plan_exhausted", 0),
        ("(4, 0), (4, 1)", "parse_failed", 0),
        ("#### (4, 0), (4, 1)", "plan_exhausted", 1),
        ("#### (4, 0), (3, 0), (2, 0), (1, 0), (0, 0), (0, 1)", "plan_exhausted", 3),  # through the gap
        ("#### (4, 0), (4, 1), (3, 1), (2, 1)", "plan_exhausted", 2),  # through a rule cell
        ("#### (4, 0), (4, 1), (4, 0), (3, 0)", "plan_exhausted", 2),  # back, which is not allowed
        ("#### (4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (3, 4), (2, 4), (1, 4), (0, 4)", "failed", 8),
        (f"{SPOKEN}, (0, 3)", "success", 8),  # what comes after the end is not played
    ],
)
def test_one_shot_answers_that_go_wrong_end_as_what_they_are(reply: str, reason: str, steps: int) -> None:
    record = play(reply)
    assert (record.end_reason, record.steps) == (reason, steps)
    assert record.total_reward == float(reason == "success")


def test_moves_back_are_spoken_as_positions_too() -> None:
    env = SpatialGymEnv(puzzle=CORNER, backtracking=True)
    config = ExperimentConfig(querying=Querying.FULL_TRAJECTORY)
    reply = "#### (2, 0), (2, 1), (2, 0), (1, 0), (0, 0)"
    record = run_episode(env, LLMPolicy(lambda _: reply, config, env=env), seed=0)
    assert (record.success, record.events) == (True, ("MOVED", "UNDONE", "MOVED", "SOLVED"))


def test_subgoals_begin_where_the_line_is() -> None:
    replies = iter(["#### (4,0), (4,1), (4,2)", "#### (4,2), (3,2), (3,3)", "#### (3,2), (2,2)"])
    config = ExperimentConfig(querying=Querying.SUBGOAL, retries=0)
    env = SpatialGymEnv(puzzle=EXAMPLE)
    policy = LLMPolicy(lambda _: next(replies, ""), config, env=env)
    record = run_episode(env, policy, seed=0)
    assert record.events == ("MOVED", "MOVED", "MOVED", "BLOCKED", "MOVED")
    assert [query.step for query in policy.queries] == [0, 2, 4, 5]


@pytest.mark.parametrize(("kind", "querying"), list(product([None, *ReplyFormat], Querying)))
def test_oracle_and_random_chats_play_in_every_format(kind: ReplyFormat | None, querying: Querying) -> None:
    for coordinates, backtracking in ((Coordinates.ROW_COL, False), (Coordinates.X_Y, True)):
        config = ExperimentConfig(reply_format=kind, querying=querying, coordinates=coordinates)
        env = SpatialGymEnv(puzzles=[EXAMPLE, TWO_CELLS, CORNER], backtracking=backtracking, max_steps=40)
        oracle, blind = (LLMPolicy(chat(env, config), config, env=env) for chat in (OracleChat, RandomChat))
        for puzzle in (EXAMPLE, TWO_CELLS, CORNER):
            options = {"puzzle": puzzle}
            assert run_episode(env, oracle, seed=0, options=options).success
            record = run_episode(env, blind, seed=1, options=options)
            assert record.end_reason in {"success", "failed", "timeout", "plan_exhausted"}


@pytest.mark.parametrize(("prompting", "observation", "querying"), MODES)
def test_oracle_that_speaks_solves_in_every_mode(
    prompting: Prompting, observation: Observe, querying: Querying
) -> None:
    config = ExperimentConfig(prompting, observation, querying=querying, cell_px=16)
    env = SpatialGymEnv(puzzle=EXAMPLE)
    record = run_episode(env, LLMPolicy(OracleChat(env, config), config, env=env), seed=0)
    assert record.success


def test_a_recorded_run_replays_state_by_state() -> None:
    env = SpatialGymEnv(puzzle=CORNER, backtracking=True, max_steps=9)
    env.reset()
    recipe = env.recipe()
    again = SpatialGymEnv(**recipe.make)
    again.reset(options=dict(recipe.reset))
    for action in (0, 2, 0, 0):
        assert again.snapshot() == env.snapshot()
        env.step(action)
        again.step(action)
    assert again.snapshot() == env.snapshot()
    assert env.snapshot() == {"row": 2, "col": 2, "path": [[2, 0], [2, 1], [2, 2]]}


@pytest.mark.parametrize(("policy", "querying"), list(product(("oracle-chat", "random-chat"), Querying)))
def test_transcripts_of_chats_replay(policy: str, querying: Querying) -> None:
    import gymnasium as gym

    env = gym.make("SpatialGym-v0", puzzles=[CORNER, TWO_CELLS])
    runner = ExperimentRunner(ExperimentConfig(querying=querying), env, policy)
    record = runner.run(seed=3)
    assert replay(record).mismatch == ""
    runner.close()


def test_a_reply_is_read_the_same_by_the_class_and_by_an_episode() -> None:
    config = ExperimentConfig(querying=Querying.FULL_TRAJECTORY)
    by_class = parse(SPOKEN, grammar_for(config, SpatialGymEnv))  # type: ignore[arg-type]  # as ``maze-gym parse`` does
    assert isinstance(by_class, ParsedReply)
    assert by_class.actions == SOLUTION
