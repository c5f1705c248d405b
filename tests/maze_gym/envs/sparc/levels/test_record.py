"""Public records: read and written without loss, and refused with id and field where they are wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from maze_gym.envs.sparc.levels.record import from_record, to_record
from maze_gym.envs.sparc.levels.yaml_text import from_yaml, to_yaml
from maze_gym.envs.sparc.rules.puzzle import MAX_SIDE, Puzzle, PuzzleError
from maze_gym.envs.sparc.search.solver import enumerate_solutions

from .. import puzzles as boards

RECORD: dict[str, Any] = {
    "id": "0123abc",
    "difficulty_level": 2,
    "difficulty_score": 1.25,
    "grid_size": {"height": 1, "width": 2},
    "puzzle_array": [["S", "+", "+", ".", "+"], ["+", "P-R-17", "+", "N", "+"], ["+", "+", "+", "E", "+"]],
    "polyshapes": '{"17":[[1,1,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]}',
    "solution_count": 1,
    "solutions": [
        {
            "index": 0,
            "path": [
                {"x": x, "y": y} for x, y in ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2), (3, 2))
            ],
            "pathLength": 8,
        }
    ],
}


def test_x_grows_to_the_right_and_y_down() -> None:
    puzzle = from_record(RECORD)
    assert (puzzle.start, puzzle.end) == ((0, 0), (2, 3))
    assert puzzle.dots == ((0, 3),)
    assert puzzle.shapes == ((17, ((0, 0), (0, 1))),)
    assert puzzle.solutions[0][-2:] == ((2, 4), (2, 3))
    assert (puzzle.level, puzzle.score) == (2, 1.25)


@given(boards.puzzles())
def test_records_read_back(puzzle: Puzzle) -> None:
    solved = replace(puzzle, level=4, score=3.5, solutions=tuple(enumerate_solutions(puzzle, 5)))
    for short in (False, True):
        text = json.dumps(to_record(solved, short=short))
        assert from_record(json.loads(text)) == solved


@given(boards.puzzles())
def test_yaml_texts_read_back(puzzle: Puzzle) -> None:
    assert from_yaml(to_yaml(puzzle), "drawn", puzzle.shapes) == puzzle


@boards.needs_sample
def test_public_records_come_out_as_they_went_in() -> None:
    for record in boards.sample_records():
        written = to_record(from_record(record))
        shapes = written.pop("polyshapes"), record.pop("polyshapes")
        assert json.loads(str(shapes[0])) == json.loads(str(shapes[1])), "but for the order of shapes"
        assert written == record


@boards.needs_sample
def test_public_yaml_says_what_the_array_says() -> None:
    for record in boards.sample_records():
        puzzle = from_record(record)
        read = from_yaml(str(record["text_visualization"]), puzzle.puzzle_id, puzzle.shapes)
        assert read.content_hash == puzzle.content_hash


def test_only_id_and_array_have_to_be_there() -> None:
    puzzle = from_record({"id": "bare", "puzzle_array": [["S", "+", "E"], ["+", "N", "+"], ["+", "+", "+"]]})
    assert (puzzle.level, puzzle.score, puzzle.solutions, puzzle.shapes) == (None, None, (), ())


def changed(row: int, col: int, token: object) -> dict[str, Any]:
    """The record's array with another token."""
    array = [list(line) for line in RECORD["puzzle_array"]]
    array[row][col] = token
    return {"puzzle_array": array}


LONG = 2 * MAX_SIDE + 3


@pytest.mark.parametrize(
    ("fields", "field", "problem"),
    [
        ({"id": None}, "id", "non-empty text"),
        ({"id": 7}, "id", "non-empty text"),
        ({"puzzle_array": None}, "puzzle_array", "non-empty list"),
        ({"puzzle_array": [[]]}, "puzzle_array", "non-empty list"),
        (changed(0, 1, 3), "puzzle_array at x=1, y=0", "must be a token"),
        (changed(0, 1, "?"), "puzzle_array at x=1, y=0", "unknown token '?'"),
        (changed(0, 1, "o-R"), "puzzle_array at x=1, y=0", "unknown token 'o-R'"),
        (changed(1, 3, "o-Q"), "puzzle_array at x=3, y=1", "unknown token 'o-Q'"),
        (changed(1, 3, "+"), "puzzle_array at x=3, y=1", "unknown token '+'"),
        (changed(1, 1, "P-R-18"), "shapes", "P-R-18 at (1, 1) has no shape; there are: 17"),
        (changed(0, 0, "+"), "puzzle_array", "exactly one S, got none"),
        (changed(0, 1, "E"), "puzzle_array", "exactly one E, got x=1, y=0, x=3, y=2"),
        ({"puzzle_array": [*RECORD["puzzle_array"][:2], ["+"]]}, "puzzle_array", "row 2 has 1 tokens"),
        ({"puzzle_array": RECORD["puzzle_array"][:2]}, "puzzle_array", "odd number of rows"),
        (
            {"puzzle_array": [["+"] * LONG] * LONG},
            "puzzle_array",
            f"from 3 to {2 * MAX_SIDE + 1}, got {LONG}",
        ),
        ({"grid_size": {"height": 2, "width": 1}}, "grid_size", "the array has"),
        ({"polyshapes": "{"}, "polyshapes", "JSON text"),
        ({"polyshapes": "[]"}, "polyshapes", "an object"),
        ({"polyshapes": '{"x": [[1]]}'}, "polyshapes", "must be a number, got 'x'"),
        ({"polyshapes": json.dumps({"9" * 5000: [[1]]})}, "polyshapes", "must be a number, got '999"),
        ({"polyshapes": "[" * 100_000}, "polyshapes", "JSON text"),
        ({"polyshapes": '{"17": [[2]]}'}, "polyshapes[17]", "rows of 0 and 1"),
        ({"polyshapes": '{"17": [[1], [1, 0]]}'}, "polyshapes[17]", "equally long"),
        ({"polyshapes": '{"17": [[0]]}'}, "shapes[17]", "no cell"),
        ({"polyshapes": '{"17": [[1, 1, 1]]}'}, "shapes[17]", "1 x 3 cells do not fit on a board of 1 x 2"),
        ({"difficulty_level": "2"}, "difficulty_level", "must be int"),
        ({"difficulty_level": 9}, "level", "from 1 to 5"),
        ({"difficulty_score": "hard"}, "difficulty_score", "a number"),
        ({"difficulty_score": 10**400}, "score", "from 0 to 5 or None, got inf"),
        ({"difficulty_score": 4.5}, "level", "must be 5 where the score is 4.5, got 2"),
        ({"solution_count": 3}, "solution_count", "there are 1 solutions"),
        ({"solutions": {}}, "solutions", "a list"),
        ({"solutions": [[]]}, "solutions[0]", "an object with a path"),
        ({"solutions": [{"path": [{"x": 0}]}]}, "solutions[0].path", "{x, y}"),
        ({"solutions": [{"path": [{"x": 0, "y": 0}], "pathLength": 2}]}, "solutions[0].pathLength", "has 1"),
        ({"solutions": [{"path": [{"x": 0, "y": 0}]}]}, "solutions[0]", "must lead from (0, 0) to (2, 3)"),
        ({"solutions": [{"moves": "RX"}]}, "solutions[0].moves", "got 'X'"),
        ({"solutions": [{"moves": "DDRURDR"}]}, "solutions[0]", "no lane leads from (2, 1) to (1, 1)"),
        (
            {"solutions": [*RECORD["solutions"], {"moves": "RRDDR"}], "solution_count": 2},
            "solutions[1]",
            "breaks the rule dot: the line misses the dot at row 0, column 3",
        ),
    ],
)
def test_wrong_records_are_refused_by_id_and_field(fields: dict[str, Any], field: str, problem: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        from_record(RECORD | fields)
    assert caught.value.field == field
    assert problem in str(caught.value)
    if "id" not in fields:
        assert "'0123abc'" in str(caught.value)


def test_solutions_that_others_vouch_for_are_not_judged_again() -> None:
    wrong = RECORD | {"solutions": [{"moves": "RRDDR"}]}
    assert from_record(wrong, judged=True).solutions == (((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 3)),)


def test_a_start_inside_of_the_board_is_refused() -> None:
    array = [["+"] * 5 for _ in range(5)]
    array[1][1] = array[1][3] = array[3][1] = array[3][3] = "N"
    array[2][2], array[0][0] = "S", "E"
    with pytest.raises(PuzzleError, match="'inner': start: must lie on the border"):
        from_record({"id": "inner", "puzzle_array": array})


def test_a_record_must_be_an_object() -> None:
    with pytest.raises(PuzzleError, match="must be an object, got list"):
        from_record([])  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "must begin with"),
        (to_yaml(from_record(RECORD)) + "more", "at 'more'"),
        (to_yaml(from_record(RECORD)).replace('"red"', '"pink"'), "unknown type or color"),
        (to_yaml(from_record(RECORD)).replace("color", "hue"), "unknown type or color"),
        (
            to_yaml(from_record(RECORD)).replace("dot: 1\n", "dot: 1\n        hole: 1\n"),
            "unknown type or color",
        ),
        (to_yaml(from_record(RECORD)).replace('type: "poly"\n', 'type: "poly"\n        size: 3\n'), "size"),
    ],
)
def test_other_yaml_is_refused(text: str, problem: str) -> None:
    with pytest.raises(PuzzleError, match=problem):
        from_yaml(text, "other", from_record(RECORD).shapes)
