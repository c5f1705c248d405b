"""Answers in positions: ``####`` and a list, in each of which no position is skipped and none invented."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs import GridWorldEnv, PacmanArrayEnv
from maze_gym.errors import InvalidArgument
from maze_gym.game import Coordinates, ReplyFormat, Route
from maze_gym.llm import formats, positions
from maze_gym.llm.config import ExperimentConfig, Querying
from maze_gym.llm.parsing import FailureKind, Grammar, ParsedReply, ParseFailure, parse
from maze_gym.llm.prompts import broken_plan_text, grammar_for, reask_text
from maze_gym.llm.querying import ActionQueue
from maze_gym.llm.untrusted import shown
from maze_gym.policies.llm import LLMPolicy
from maze_gym.wrappers import TextView

from .corpus import MEGABYTE, Case
from .hallway import Hallway

NAMES = ("RIGHT", "UP", "LEFT", "DOWN")
STEPS = ((0, 1), (-1, 0), (0, -1), (1, 0))
ROUTE = Route(STEPS, (0, 0), (5, 5))
PLAN = Grammar(ReplyFormat.COORDINATES, NAMES, several=True, route=ROUTE)
ONE = PLAN._replace(several=False)
XY = PLAN._replace(coordinates=Coordinates.X_Y)
FROM_ONE = PLAN._replace(coordinates=Coordinates.ROW_COL_1)
LISTED = PLAN._replace(legal=(0,))

EMPTY, NO_MARKER = FailureKind.EMPTY, FailureKind.NO_MARKER
SHAPE, ILLEGAL = FailureKind.WRONG_SHAPE, FailureKind.ILLEGAL
BROKEN = "!"  # a plan that can be read and cannot be followed beyond the actions before this mark

_PLAN = [
    # The format as asked, and dressed.
    Case("#### (0, 0), (0, 1), (1, 1)", "RD"),
    Case("I think.\n\n#### (0,0),(0,1)\n", "R"),
    Case("####(0,0),(0,1)", "R"),
    Case("####: (0,0), (0,1)", "R"),
    Case("  #### ( 0 , 0 ) , ( 0 , 1 )", "R"),
    Case("#### (0,0) (0,1)", "R"),
    Case("#### (0,0)(0,1)", "R"),
    Case("#### (0,0); (0,1)", "R"),
    Case("#### (0;0), (0;1)", "R"),
    Case("#### (0 0), (0 1)", "R"),
    Case("#### (0,0) -> (0,1) => (1,1)", "RD"),
    Case("#### (0,0) \u2192 (0,1)", "R"),
    Case("#### [0,0], [0,1]", "R"),
    Case("#### [[0, 0], [0, 1]]", "R"),
    Case("#### [(0, 0), (0, 1)]", "R"),
    Case("#### ((0, 0), (0, 1)).", "R"),
    Case("#### (+0, 0), (0, +1)", "R"),
    Case("**#### (0,0), (0,1)**", "R"),
    Case("#### `(0,0), (0,1)`", "R"),
    Case("> #### (0,0), (0,1)", "R"),
    Case("```\n#### (0,0), (0,1)\n```\nThis is it.", "R"),
    Case("####\n```\n(0,0), (0,1)\n```", "R"),
    Case("#### \uff080\uff0c0\uff09\uff0c\uff080\uff0c1\uff09", "R"),
    Case("#### (0,0), (0,1),", "R"),
    Case("#### (0,0), (0,1)\r\n", "R"),
    # On the lines after the marker.
    Case("####\n(0,0), (0,1)", "R"),
    Case("####\n\n(0,0), (0,1)\n(1,1)", "RD"),
    Case("####\n- (0,0)\n- (0,1)\n- (1,1)\nThat is all.", "RD"),
    Case("####\n1. (0,0)\n2. (0,1)", "R"),
    Case("#### (0,0), (0,1),\n(1,1)", "RD"),
    Case("#### (0,0), (0,1),\n\n(1,1)", "RD"),
    Case("#### (0,0), (0,1)\n(and so the line is at (0,1))", "R"),
    Case("#### (0,0), (0,1)\n\n(1,1) would be wrong.", "R"),
    # The last marker counts, thoughts do not.
    Case("#### (0,0), (1,0)\nNo:\n#### (0,0), (0,1)", "R"),
    Case("<think>#### (0,0), (1,0)</think>#### (0,0), (0,1)", "R"),
    Case("### Solution\n#### (0,0), (0,1)\n##### end", "R"),
    Case("#### (0,0), (0,1), (0,0)", "RL"),
    # Nothing is skipped.
    Case("#### (0,0), (0,1), ..., (4,4)", SHAPE),
    Case("#### (0,0), (0,1), ...", SHAPE),
    Case("#### (0,0), (0,1), \u2026", SHAPE),
    Case("#### (0,0), (0,1), and so on", SHAPE),
    Case("#### Path: (0,0), (0,1)", SHAPE),
    Case("#### (0,0), then (0,1)", SHAPE),
    Case("#### (0,0), (0,1), (0", SHAPE),
    Case("#### (0,0), (0,1), (0,x)", SHAPE),
    Case("#### (0,0), (0.0,1)", SHAPE),
    Case("#### (0,0), (0,1,2)", SHAPE),
    Case("#### (0,0), -(0,1)", SHAPE),
    Case("#### 0,0, 0,1", SHAPE),
    Case("#### RIGHT, DOWN", SHAPE),
    Case("#### (0,0),\nnot (0,1)", SHAPE),
    Case("####", SHAPE),
    Case("####\nThe path is (0,0), (0,1)", SHAPE),
    Case("#### (0,0), (0,1)\n#### Explanation", SHAPE),
    Case("#### (<row>, <column>), (<row>, <column>), ...", SHAPE),
    Case("#### {'x': 0, 'y': 0}", SHAPE),
    Case("#### (99999,0), (0,1)", SHAPE),
    # Positions to which no move leads: an answer, and a wrong one, as far as it goes.
    Case("#### (0,0)", BROKEN),
    Case("#### (0,0), (0,2)", BROKEN),
    Case("#### (0,0), (1,1)", BROKEN),
    Case("#### (0,0), (0,0)", BROKEN),
    Case("#### (0,0), (-1,0)", BROKEN),
    Case("#### (0,0), (\u22121,0)", BROKEN),
    Case("#### (0,0), (- 1,0), (0,0)", BROKEN),
    Case("#### (0,1), (0,2)", BROKEN),
    Case("#### (0,1), (0,0)", BROKEN),
    Case("#### (0,0), (0,1), (0,2), (0,3), (0,4), (0,5)", "RRRR" + BROKEN),
    Case("#### (0,0), (7,0)", BROKEN),
    # No answer at all.
    Case("(0,0), (0,1)", NO_MARKER),
    Case("My answer is #### (0,0), (0,1)", NO_MARKER),
    Case("### (0,0), (0,1)", NO_MARKER),
    Case("##### (0,0), (0,1)", NO_MARKER),
    Case("~~#### (0,0), (0,1)~~", NO_MARKER),
    Case("Final: 0", NO_MARKER),
    Case("", EMPTY),
    Case("<think>#### (0,0), (0,1)", EMPTY),
    Case("#### (0,0), " + "(0,1), (0,0), " * 5_000, "RL" * 5_000),
]
CORPUS = [(PLAN, case) for case in _PLAN] + [
    (XY, Case("#### (0,0), (1,0), (1,1)", "RD")),
    (FROM_ONE, Case("#### (1,1), (1,2)", "R")),
    (FROM_ONE, Case("#### (0,0), (0,1)", BROKEN)),
    (ONE, Case("#### (0,0), (0,1)", "R")),
    (ONE, Case("#### (0,0), (0,1), (1,1)", SHAPE)),
    (ONE, Case("#### (0,1)", ILLEGAL)),
    (LISTED, Case("#### (0,0), (0,1), (1,1)", "RD")),
    (LISTED, Case("#### (0,0), (1,0)", "D")),
    (ONE, Case("#### (0,0), (0,2)", ILLEGAL)),
    (ONE, Case("#### (1,0), (1,1)", ILLEGAL)),
    (ONE._replace(legal=(0,)), Case("#### (0,0), (1,0)", ILLEGAL)),
]
walks = st.lists(st.integers(0, 3), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("grammar", "case"),
    CORPUS,
    ids=[f"{index}-{shown(case.reply, 40)}" for index, (_, case) in enumerate(CORPUS)],
)
def test_corpus_is_read_in_the_one_right_way(grammar: Grammar, case: Case) -> None:
    reading = parse(case.reply, grammar)
    if isinstance(reading, ParseFailure):
        assert reading.kind == case.reading, reading
        assert reading.detail.isprintable()
    else:
        read = "".join(NAMES[action][0] for action in reading.actions)
        assert read + BROKEN * bool(reading.broken) == case.reading
        assert reading.broken.isprintable()


@given(walks, st.sampled_from(Coordinates), st.tuples(st.integers(0, 90), st.integers(0, 90)))
def test_what_is_spoken_is_what_is_read(
    actions: list[int], coordinates: Coordinates, at: tuple[int, int]
) -> None:
    free = (at[0] + 40, at[1] + 40)
    grammar = PLAN._replace(coordinates=coordinates, route=Route(STEPS, free, (200, 200)))
    for several in (True, False):
        spoken = actions if several else actions[:1]
        asked = grammar._replace(several=several)
        reading = parse(formats.speak(spoken, asked, "ignored"), asked)
        assert isinstance(reading, ParsedReply)
        assert list(reading.actions) == spoken


@given(st.sampled_from(Coordinates), st.integers(-5, 99), st.integers(-5, 99))
def test_names_of_positions_lead_back_to_them(coordinates: Coordinates, row: int, col: int) -> None:
    assert coordinates.cell(*coordinates.named(row, col)) == (row, col)


@given(
    st.lists(
        st.sampled_from(
            ("####", "(0,0)", "(0, 1)", "[1,1]", ",", " ", "\n", "->", "(", ")", "-", "0", "x", "**", "- ")
        ),
        max_size=40,
    ).map("".join)
)
def test_nothing_raises_and_every_position_read_stands_in_the_reply(reply: str) -> None:
    for grammar in (PLAN, ONE, XY, FROM_ONE):
        reading = parse(reply, grammar)
        if isinstance(reading, ParsedReply):
            assert grammar.several or (len(reading.actions) == 1 and not reading.broken)
            assert reading.actions or reading.broken
            if not reading.actions:
                continue
            row, col = positions.along(reading.actions, ROUTE)[-1]
            first, second = grammar.coordinates.named(row, col)
            assert f"{first},{second}" in reply.replace(" ", "")


@pytest.mark.parametrize(
    "unit", ["#### ", "####\n", "(", "(0", "(0,", "(0,0)", "[ ", "-", ",", " ", "\n", "- \n"]
)
def test_time_is_linear(unit: str) -> None:
    """A megabyte of anything is read in seconds even on a busy machine; quadratic would take hours."""
    for reply in (unit * (MEGABYTE // len(unit)), "#### (0,0), " + unit * (MEGABYTE // len(unit))):
        begin = time.process_time()
        parse(reply, PLAN)
        assert time.process_time() - begin < 12


@pytest.mark.parametrize(("querying", "coordinates"), list(product(Querying, Coordinates)))
def test_instructions_examples_and_templates_keep_to_one_format(
    querying: Querying, coordinates: Coordinates
) -> None:
    several = querying != Querying.STEP
    grammar = Grammar(ReplyFormat.COORDINATES, NAMES, several, route=Route(STEPS), coordinates=coordinates)
    asked = formats.instructions(ReplyFormat.COORDINATES, querying, coordinates)
    template = formats.template(ReplyFormat.COORDINATES, several=several, coordinates=coordinates)
    assert asked.endswith(f"\n{template}")
    example = formats.example(grammar).removeprefix("For example:\n")
    assert isinstance(parse(example, grammar), ParsedReply)
    for echo in (template, asked, f"{example}\n{asked}"):
        reading = parse(echo, grammar)
        assert isinstance(reading, ParseFailure)
        assert reading.kind == FailureKind.WRONG_SHAPE


def test_what_is_wrong_with_positions_is_said_in_words() -> None:
    for reply, words in (
        ("#### (0,0), (0,2)", "no single move leads from (0, 0) to (0, 2)"),
        ("#### (0,0), (-1,0)", "(-1, 0) is not on the board"),
        ("#### (1,0), (0,0)", "it begins at (1, 0), which is not where you are"),
    ):
        reading, failure = parse(reply, PLAN), parse(reply, ONE)
        assert isinstance(reading, ParsedReply)
        assert reading.broken == words
        assert isinstance(failure, ParseFailure)
        for line in (reask_text(failure, ONE, 1, 3), broken_plan_text(reading.broken)):
            assert words in line
            assert len(line.splitlines()) == 1
    failure = parse("#### (0,0), (0,1), ...", PLAN)
    assert isinstance(failure, ParseFailure)
    assert "is no position" in reask_text(failure, PLAN, 1, 3)


def test_worlds_that_do_not_say_where_actions_lead_cannot_be_asked_for_positions() -> None:
    """Pacman's actions are steps in four directions, too; what is missing is that the world says so."""
    config = ExperimentConfig(reply_format=ReplyFormat.COORDINATES)
    for env in (GridWorldEnv(), PacmanArrayEnv()):
        said = (
            rf"says which position each action leads to .*, and {type(env).__name__} does not; "
            r"choose one of final_output, actions, final, action_tag$"
        )
        with pytest.raises(InvalidArgument, match=said):
            grammar_for(config, env)
    with pytest.raises(InvalidArgument, match="give the grammar a route"):
        parse("#### (0,0)", PLAN._replace(route=None))


def test_a_class_is_enough_to_read_positions_wherever_they_begin() -> None:
    config = ExperimentConfig(reply_format=ReplyFormat.COORDINATES, querying=Querying.FULL_TRAJECTORY)
    grammar = grammar_for(config, Hallway)  # type: ignore[arg-type]  # as ``maze-gym parse`` does
    reading = parse("#### (0,3), (0,4)", grammar)
    assert isinstance(reading, ParsedReply)
    assert reading.actions == (1,)


def test_a_way_ends_at_its_first_move_without_effect() -> None:
    """What is listed behind it lies along a way that was not gone."""
    config = ExperimentConfig(reply_format=ReplyFormat.COORDINATES, querying=Querying.FULL_TRAJECTORY)

    class Walled(Hallway):
        """A hallway whose tile 2 cannot be entered."""

        def step(self, action: int):  # type: ignore[no-untyped-def]  # noqa: ANN202 - as the hallway's
            before = self.tile
            result = super().step(action)
            if self.tile == 2:
                self.tile, self.moved = before, False
            return result

    from maze_gym.evaluation import run_episode

    env = Walled()
    record = run_episode(env, LLMPolicy(lambda _: "#### (0,1), (0,2), (0,1), (0,0)", config, env=env), seed=0)
    assert (record.actions, record.end_reason) == ((1,), "plan_exhausted")
    view = TextView(Walled(), config)
    view.reset()
    step = view.step("#### (0,1), (0,2), (0,1), (0,0)")
    assert (step.info["end_reason"], step.truncated) == ("plan_exhausted", True)


def test_a_queue_can_be_dropped() -> None:
    queue = ActionQueue(Querying.FULL_TRAJECTORY)
    queue.fill(ParsedReply((1, 2), "", ""))
    queue.drop()
    assert queue.is_exhausted()
