"""Each rule: what it accepts, what it refuses, and what it says then."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.sparc.levels.record import from_record
from maze_gym.envs.sparc.rules import Event, constraints
from maze_gym.envs.sparc.rules.constraints import RULES, judge, obeys, shape_table
from maze_gym.envs.sparc.rules.filling import fills
from maze_gym.envs.sparc.rules.puzzle import Kind, Puzzle, normalized

from .. import puzzles as boards

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.constraints import Reason
    from maze_gym.envs.sparc.rules.puzzle import Path, Position

# Lines on a board of 2 x 2 cells that begin at its upper left corner and end at its lower right one.
AROUND = "RRRR DDDD"  # one region of all four cells
MIDDLE = "RR DDDD RR"  # left column, right column
STAIRS = "RR DD RR DD"  # all but the upper right cell, and that one


def square_board(cells: str, shapes: dict[int, list[str]] | None = None) -> Puzzle:
    """2 x 2 cells with symbols, row by row."""
    one, two, three, four = cells.split()
    text = f"S + + + + \n + {one} + {two} + \n + + + + + \n + {three} + {four} + \n + + + + E"
    return boards.board(text, shapes)


def broken(puzzle: Puzzle, moves: str) -> dict[str, tuple[Reason, ...]]:
    """The rules that a line breaks, with reasons; both ways to ask must agree."""
    path = boards.walk(puzzle, moves)
    report = judge(puzzle, path)
    assert [verdict.rule for verdict in report.verdicts] == [rule for rule, _ in RULES]
    assert report.ok == obeys(puzzle, path)
    assert json.loads(json.dumps(report.to_dict())) == report.to_dict()
    return {verdict.rule: verdict.reasons for verdict in report.verdicts if not verdict.ok}


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ("RRRR", "must end at row 4, column 4"),
        ("RRLL DDDD RRRR", "enters row 0, column 1 2 times"),
        ("R D D D RRR D", "row 1, column 1 is a rule cell"),
        ("U RRRRR DDDDD L", "row -1, column 0 is off the board"),
        ("RRRR DDDD D U", "goes on behind the end"),
    ],
)
def test_a_line_must_lead_along_the_lanes_from_start_to_end(moves: str, text: str) -> None:
    reasons = broken(square_board("N N N N"), moves)["path"]
    assert any(text in str(reason["text"]) for reason in reasons)


def test_a_line_without_positions_or_with_a_jump_is_no_line() -> None:
    puzzle = square_board("N N N N")
    assert not judge(puzzle, ()).ok
    report = judge(puzzle, ((0, 0), (4, 4)))
    assert report.verdicts[0].reasons[0]["text"] == "there is no move from row 0, column 0 to row 4, column 4"


def test_a_line_must_not_enter_a_gap() -> None:
    puzzle = boards.board("S G E \n + N + \n + + +")
    reason = broken(puzzle, "RR")["gap"][0]
    assert reason == {
        "cells": [[0, 1]],
        "expected": "not on the line",
        "found": "on the line",
        "text": "the line enters the gap at row 0, column 1",
    }
    assert not broken(puzzle, "DDRRUU")


def test_a_line_must_pass_through_every_dot() -> None:
    puzzle = boards.board("S . E \n + N . \n + . .")
    reasons = broken(puzzle, "RR")["dot"]
    assert [reason["cells"] for reason in reasons] == [[[1, 2]], [[2, 1]], [[2, 2]]]


def test_squares_of_one_region_have_one_colour() -> None:
    puzzle = square_board("o-R o-B o-R o-B")
    assert not broken(puzzle, MIDDLE)
    reason = broken(puzzle, AROUND)["square"][0]
    assert (reason["expected"], reason["found"]) == (1, ["blue", "red"])
    assert reason["cells"] == [[1, 1], [1, 3], [3, 1], [3, 3]]


def test_squares_do_not_mind_other_symbols() -> None:
    assert "square" not in broken(square_board("o-R *-B *-B D-G"), AROUND)


@pytest.mark.parametrize("partner", ["*-R", "o-R", "A-R", "P-R-1", "Y-R-1"])
def test_a_star_takes_any_symbol_of_its_colour_as_partner(partner: str) -> None:
    puzzle = square_board(f"*-R {partner} N N", {1: ["#"]})
    assert "star" not in broken(puzzle, AROUND)
    assert broken(puzzle, MIDDLE)["star"][0]["found"] == 1


def test_three_of_a_stars_colour_are_one_too_many() -> None:
    reason = broken(square_board("*-R o-R o-R o-B"), AROUND)["star"][0]
    assert (reason["expected"], reason["found"]) == (2, 3)
    assert reason["cells"] == [[1, 1], [1, 3], [3, 1]]
    assert reason["text"] == "the region of a red star must hold 2 red symbols, not 3"


def test_symbols_of_other_colours_do_not_count_for_a_star() -> None:
    assert not broken(square_board("*-R *-R *-B *-B"), AROUND)


@pytest.mark.parametrize(("letter", "count"), [("A", 1), ("B", 2), ("C", 3), ("D", 4)])
def test_triangles_count_the_edges_that_the_line_touches(letter: str, count: int) -> None:
    # Around one cell, so many edges are touched; all four only where the line ends on one.
    touched = {
        1: ("S + + \n + {0} + \n E + +", "DD"),
        2: ("S + + \n + {0} + \n + + E", "RRDD"),
        3: ("S + + \n + {0} + \n E + +", "RRDDLL"),
        4: ("S + + \n E {0} + \n + + +", "RRDDLLU"),
    }
    for number, (text, moves) in touched.items():
        puzzle = boards.board(text.format(f"{letter}-R"))
        reasons = broken(puzzle, moves).get("triangle", ())
        assert bool(reasons) == (number != count)
        if reasons:
            assert (reasons[0]["expected"], reasons[0]["found"]) == (count, number)


SHAPES = {
    1: ["#"],
    2: ["##"],
    3: ["#", "#"],
    4: ["#.", "##"],
    5: ["##", "##"],
    6: ["#.", ".#"],
    7: ["##", "#."],
}


def test_polyominoes_fill_their_region_exactly_wherever_they_stand() -> None:
    assert not broken(square_board("N N P-R-5 N", SHAPES), AROUND)
    assert not broken(square_board("P-R-3 N N P-B-3", SHAPES), MIDDLE)
    assert not broken(square_board("N P-R-1 P-B-4 N", SHAPES), STAIRS)
    assert not broken(square_board("P-R-2 N N P-R-2", SHAPES), AROUND)


def test_polyominoes_leave_no_cell_over_and_do_not_overlap() -> None:
    reason = broken(square_board("P-R-2 N N N", SHAPES), AROUND)["polyomino"][0]
    assert (reason["expected"], reason["found"]) == (4, 2)
    assert "polyomino" in broken(square_board("P-R-5 P-R-1 N N", SHAPES), AROUND)


def test_polyominoes_are_neither_rotated_nor_reflected() -> None:
    reason = broken(square_board("P-R-2 N N P-R-3", SHAPES), MIDDLE)["polyomino"][0]
    assert reason["expected"] == "an exact fit"
    assert reason["cells"] == [[1, 1]]
    assert broken(square_board("N P-R-1 P-B-7 N", SHAPES), STAIRS)


def test_polyominoes_need_not_be_connected() -> None:
    assert not broken(square_board("P-R-6 P-R-1 P-R-1 N", SHAPES), AROUND)
    assert broken(square_board("P-R-6 P-R-6 N N", SHAPES), AROUND)


def test_ylops_take_back_what_polyominoes_cover_beyond_their_region() -> None:
    # Three cells and one beside them, which the ylop takes back.
    assert not broken(square_board("P-R-5 N Y-B-1 N", SHAPES), STAIRS)
    assert broken(square_board("P-R-5 N N Y-B-2", SHAPES), STAIRS)["ylop"][0]["found"] == 2


def test_a_ylop_may_lie_inside_its_region() -> None:
    # Four cells are asked for once and two of them twice.
    assert not broken(square_board("P-R-5 P-R-2 Y-R-2 N", SHAPES), AROUND)
    assert (
        broken(square_board("P-R-5 P-R-3 Y-R-2 N", SHAPES), AROUND)["ylop"][0]["expected"] == "an exact fit"
    )


def test_polyominoes_and_ylops_that_come_to_nothing_cancel_only_if_they_match() -> None:
    assert not broken(square_board("P-R-2 Y-B-2 N N", SHAPES), AROUND)
    assert broken(square_board("P-R-2 Y-B-3 N N", SHAPES), AROUND)["ylop"]
    assert not broken(square_board("P-R-1 P-B-1 Y-B-3 N", SHAPES), AROUND)
    assert broken(square_board("Y-B-1 N N N", SHAPES), AROUND)["ylop"][0]["found"] == -1


def test_reports_are_fresh_copies() -> None:
    report = judge(square_board("o-R o-B N N"), boards.walk(square_board("N N N N"), AROUND))
    report.to_dict()["verdicts"].clear()  # type: ignore[attr-defined]  # plain JSON data
    assert len(report.to_dict()["verdicts"]) == len(RULES)  # type: ignore[arg-type]


@given(boards.puzzles(max_cells=6))
def test_both_ways_to_ask_agree_on_every_line(puzzle: Puzzle) -> None:
    for path, event in boards.lines(puzzle):
        report = judge(puzzle, path)
        assert report.ok == obeys(puzzle, path) == (event == Event.SOLVED)
        assert report.ok == all(verdict.ok for verdict in report.verdicts)
        for verdict in report.verdicts:
            assert verdict.ok == (not verdict.reasons)
            for reason in verdict.reasons:
                assert set(reason) == {"cells", "expected", "found", "text"}


@boards.needs_sample
def test_stored_solutions_of_public_puzzles_obey_all_rules() -> None:
    for record in boards.sample_records():
        puzzle = from_record(record)
        for path in puzzle.solutions:
            assert obeys(puzzle, path), puzzle.puzzle_id


def placements(shape: Path, height: int, width: int) -> list[frozenset[Position]]:
    """Every place of a shape on a board."""
    return [
        frozenset((row + down, col + right) for row, col in normalized(shape))
        for down in range(height)
        for right in range(width)
        if all(row + down < height and col + right < width for row, col in normalized(shape))
    ]


@given(st.data())
def test_fills_agrees_with_trying_everything(data: st.DataObject) -> None:
    height, width = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    cells = list(product(range(height), range(width)))
    kinds = sorted(data.draw(st.sets(boards.shapes(height, width, 3), min_size=1, max_size=3)))
    gives = data.draw(st.lists(st.sampled_from(kinds), max_size=3))
    takes = data.draw(st.lists(st.sampled_from(kinds), max_size=1))
    # The demand of some way to lay them, or of any region: both answers occur.
    net = sum(map(len, gives)) - sum(map(len, takes))
    if not 0 <= net <= len(cells):
        return
    region = set(data.draw(st.permutations(cells))[:net])
    expected = False
    for laid in product(*(placements(shape, height, width) for shape in gives + takes)):
        balance = [
            sum(cell in each for each in laid[: len(gives)])
            - sum(cell in each for each in laid[len(gives) :])
            for cell in cells
        ]
        expected = expected or balance == [int(cell in region) for cell in cells]
    found = fills(
        *shape_table(kinds),
        [gives.count(kind) for kind in kinds],
        [kinds.index(shape) for shape in takes],
        width,
        [int(cell in region) for cell in cells],
        [0] * len(gives + takes),
        [0] * len(gives + takes),
        [constraints.MAX_TRIES],
    )
    assert found == expected


def test_every_kind_of_symbol_has_a_rule() -> None:
    names = {rule for rule, _ in RULES}
    assert {kind.name.lower() for kind in Kind} <= names
    assert len(constraints.RULES) == len(names)
