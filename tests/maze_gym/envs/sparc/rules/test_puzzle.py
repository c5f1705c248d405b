"""What a puzzle is, and what is refused."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from maze_gym.envs.sparc.rules.puzzle import (
    MAX_SIDE,
    Color,
    Kind,
    Puzzle,
    PuzzleError,
    Symbol,
    normalized,
    parse_symbol,
)
from maze_gym.errors import InvalidArgument

from .. import puzzles as boards

PUZZLE = boards.board(
    """
    S + + . +
    + o-R G N +
    + + + + E
    + P-B-3 + D-K +
    + + + + +
    """,
    {3: ["#.", "##"]},
    difficulty_level=2,
    difficulty_score=1.5,
)


def test_tokens_say_what_lies_where() -> None:
    assert PUZZLE.tokens[0] == ("S", "+", "+", ".", "+")
    assert PUZZLE.tokens[1] == ("+", "o-R", "G", "N", "+")
    assert PUZZLE.token(3, 1) == "P-B-3"
    assert PUZZLE.symbol_at((3, 3)) == Symbol(Kind.TRIANGLE, Color.BLACK, 4)
    assert PUZZLE.symbol_at((1, 3)) is None
    assert PUZZLE.symbol_at((0, 0)) is None
    assert (PUZZLE.rows, PUZZLE.cols) == (5, 5)
    assert PUZZLE.shapes == ((3, ((0, 0), (1, 0), (1, 1))),)


def test_lanes_lead_right_up_left_and_down_but_into_no_gap_and_no_rule_cell() -> None:
    assert PUZZLE.lanes[0, 0] == ((0, 1), None, None, (1, 0))
    assert PUZZLE.lanes[0, 2] == ((0, 3), None, (0, 1), None)
    assert PUZZLE.lanes[2, 1] == ((2, 2), None, (2, 0), None)
    assert (1, 2) not in PUZZLE.lanes
    assert (1, 1) not in PUZZLE.lanes


@given(boards.puzzles())
def test_lanes_are_mutual(puzzle: Puzzle) -> None:
    for here, around in puzzle.lanes.items():
        for action, there in enumerate(around):
            assert there is None or puzzle.lanes[there][(action + 2) % 4] == here


@given(boards.puzzles())
def test_the_content_hash_knows_the_board_and_nothing_else(puzzle: Puzzle) -> None:
    renamed = replace(puzzle, puzzle_id="other", level=3, score=2.5)
    assert renamed.content_hash == puzzle.content_hash
    assert renamed != puzzle
    swapped = replace(puzzle, start=puzzle.end, end=puzzle.start)
    assert swapped.content_hash != puzzle.content_hash
    assert hash(replace(puzzle)) == hash(puzzle)
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle  # noqa: S301 - our own bytes


@given(boards.puzzles())
def test_every_symbol_reads_back_from_its_token(puzzle: Puzzle) -> None:
    for _, symbol in puzzle.symbols:
        assert parse_symbol(symbol.token) == symbol


@pytest.mark.parametrize(
    "token",
    ["", "Q-R", "o", "o-X", "o-R-3", "E-R", "P-R", "P-R-", "P-R-x", "P-R--1", "N-R", "*-r", "A-R-1"],
)
def test_unknown_tokens_are_refused(token: str) -> None:
    with pytest.raises(InvalidArgument, match="token"):
        parse_symbol(token)


def test_an_id_of_more_digits_than_python_reads_is_refused_in_few_words() -> None:
    with pytest.raises(InvalidArgument, match=r"ends its tokens, must be a number, got '9+\.\.\.9+'$"):
        parse_symbol("P-R-" + "9" * 5000)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "square"},
        {"color": "R"},
        {"count": 1},
        {"shape": 3},
        {"kind": Kind.TRIANGLE},
        {"kind": Kind.TRIANGLE, "count": 5},
        {"kind": Kind.POLYOMINO},
        {"kind": Kind.YLOP, "shape": -1},
    ],
)
def test_symbols_that_no_token_stands_for_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        Symbol(**{"kind": Kind.SQUARE, "color": Color.RED} | fields)


@pytest.mark.parametrize(
    ("fields", "field", "problem"),
    [
        ({"puzzle_id": ""}, "puzzle_id", "non-empty"),
        ({"puzzle_id": "a\nb"}, "puzzle_id", "printable"),
        ({"height": 0}, "height", f"from 1 to {MAX_SIDE}"),
        ({"width": MAX_SIDE + 1}, "width", f"from 1 to {MAX_SIDE}"),
        ({"width": True}, "width", "True"),
        ({"start": (2, 2)}, "start", "border"),
        ({"start": (1, 1)}, "start", "node or edge"),
        ({"start": (0, 9)}, "start", "node or edge"),
        ({"end": [0, 0]}, "end", "node or edge"),
        ({"end": (2, 0), "start": (2, 0)}, "end", "differ from the start"),
        ({"gaps": ((2, 2),)}, "gaps", "the node"),
        ({"gaps": ((1, 1),)}, "gaps", "nodes or edges"),
        ({"gaps": ((3, 2), (1, 2))}, "gaps", "sorted"),
        ({"gaps": ((1, 2), (1, 2))}, "gaps", "each once"),
        ({"gaps": (), "dots": ((0, 0),)}, "dots", "hold nothing else"),
        ({"dots": ((1, 2),)}, "dots", "a gap can hold no dot"),
        ({"shapes": ()}, "shapes", "P-B-3 at (3, 1) has no shape; there are: none"),
        ({"shapes": ((3, ()),)}, "shapes[3]", "no cell"),
        (
            {"shapes": ((3, ((0, 0), (0, 1), (0, 2))),)},
            "shapes[3]",
            "1 x 3 cells do not fit on a board of 2 x 2",
        ),
        ({"symbols": (((1, 2), Symbol(Kind.STAR, Color.RED)),)}, "symbols", "rule cells"),
        ({"symbols": (((5, 1), Symbol(Kind.STAR, Color.RED)),)}, "symbols", "rule cells"),
        ({"level": 6}, "level", "from 1 to 5"),
        ({"level": 1}, "level", "must be 2 where the score is 1.5, got 1"),
        ({"score": 4.5}, "level", "must be 5 where the score is 4.5, got 2"),
        ({"score": math.nan}, "score", "from 0 to 5 or None, got nan"),
        ({"score": -5.0}, "score", "from 0 to 5 or None, got -5.0"),
        ({"level": None, "score": 5.1}, "score", "from 0 to 5"),
        ({"score": True}, "score", "from 0 to 5"),
        ({"solutions": (((0, 0), (0, 1)),)}, "solutions[0]", "must lead from (0, 0) to (2, 4)"),
        ({"solutions": (((0, 0), (2, 4)),)}, "solutions[0]", "no lane leads"),
        (
            {"solutions": (boards.walk(PUZZLE, "RR DDRR"),)},
            "solutions[0]",
            "no lane leads from (0, 2) to (1, 2)",
        ),
        ({"solutions": (boards.walk(PUZZLE, "LRRRRRDD"),)}, "solutions[0]", "no lane leads"),
        ({"solutions": (boards.walk(PUZZLE, "RLRRRRDD"),)}, "solutions[0]", "twice"),
    ],
)
def test_puzzles_that_cannot_be_are_refused_by_id_and_field(
    fields: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(PuzzleError) as caught:
        replace(PUZZLE, **fields)
    assert caught.value.field == field
    assert problem in caught.value.problem
    assert repr(fields.get("puzzle_id", "drawn")) in str(caught.value)
    assert isinstance(caught.value, InvalidArgument)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert str(again) == str(caught.value)


def test_a_shape_may_lie_anywhere_in_its_frame() -> None:
    assert normalized(((2, 3), (3, 2))) == ((0, 1), (1, 0))
