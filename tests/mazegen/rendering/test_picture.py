"""Mazes as text: what is drawn, and what is read from a drawing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazegen.core import rules
from mazegen.core.maze import Facing, Maze, Position
from mazegen.core.rules import Action, compile_board
from mazegen.errors import MazeFormatError
from mazegen.rendering.picture import draw, legend, parse

from ...strategies import Play, mazes, plays

EVERYTHING = "########\n#>rR0=.#\n#.bB1:*#\n########"


def at_start(maze: Maze) -> str:
    board = compile_board(maze)
    return draw(maze, board, board.start)


# --- drawing ---------------------------------------------------------------------------------------


def test_a_drawing_of_everything_is_drawn_as_it_was() -> None:
    assert at_start(parse(EVERYTHING)) == EVERYTHING


@given(maze=mazes(max_mechanisms=8))
def test_what_is_drawn_at_the_start_is_read_back_and_drawn_the_same(maze: Maze) -> None:
    drawn = at_start(maze)
    if "'" in drawn or maze.start in [mechanism.position for mechanism in maze.mechanisms]:
        return  # an open door tells no colour, and the agent covers what it stands on
    again = parse(drawn, key_consumption=maze.rules.key_consumption)
    assert at_start(again) == drawn
    assert (again.walls, again.start, again.goal, again.start_facing) == (
        maze.walls, maze.start, maze.goal, maze.start_facing,
    )  # fmt: skip


@given(play=plays())
def test_a_picture_has_a_line_per_row_and_one_agent(play: Play) -> None:
    lines = draw(play.maze, play.board, play.state).split("\n")
    assert [len(line) for line in lines] == [play.maze.cols] * play.maze.rows
    row, col = play.maze.position(play.state.cell)
    assert lines[row][col] == "^>v<"[play.state.facing]
    assert sum(line.count(glyph) for line in lines for glyph in "^>v<") == 1


@given(play=plays(), action=st.sampled_from(Action))
def test_a_picture_shows_every_change_except_under_the_agent(play: Play, action: Action) -> None:
    after = rules.step(play.board, play.state, action).state
    same_picture = draw(play.maze, play.board, after) == draw(play.maze, play.board, play.state)
    # A key that is picked up lies under the agent, and an opened door is what it now stands on.
    only_hidden = after == play.state or after == play.state._replace(taken=after.taken)
    assert same_picture == only_hidden


def test_a_taken_key_is_gone_once_the_agent_has_left() -> None:
    maze = parse("#####\n#>r*#\n#####")
    state = compile_board(maze).start._replace(taken=0b1)
    assert draw(maze, compile_board(maze), state) == "#####\n#>.*#\n#####"


def test_an_open_door_looks_open() -> None:
    maze = parse("#####\n#>R*#\n#####")
    state = compile_board(maze).start._replace(opened=0b1)
    assert draw(maze, compile_board(maze), state) == "#####\n#>'*#\n#####"


def test_a_switch_and_its_gate_change_looks() -> None:
    maze = parse("######\n#>0=*#\n######")
    state = compile_board(maze).start._replace(on=0b1)
    assert draw(maze, compile_board(maze), state) == "######\n#>1:*#\n######"


def test_the_legend_says_what_is_where_and_in_which_state() -> None:
    maze = parse("#######\n#>rR0=#\n#.:..*#\n#######", controls={"s1": ["g1", "g2"]})
    board = compile_board(maze)
    assert legend(maze, board, board.start).splitlines() == [
        "red key k1 at row 1, column 2",
        "red door d1 at row 1, column 3, locked",
        "switch s1 at row 1, column 4, off, controls g1, g2",
        "gate g1 at row 1, column 5, closed",
        "gate g2 at row 2, column 2, open",
    ]


def test_the_legend_follows_the_state() -> None:
    maze = parse("#######\n#>rR0=#\n#.:..*#\n#######", controls={"s1": ["g1"]})
    board = compile_board(maze)
    state = board.start._replace(taken=0b1, opened=0b1, on=0b1)
    assert legend(maze, board, state).splitlines() == [
        "red key k1 taken",
        "red door d1 at row 1, column 3, open",
        "switch s1 at row 1, column 4, on, controls g1",
        "gate g1 at row 1, column 5, open",
        "gate g2 at row 2, column 2, open",
    ]


def test_a_decoy_controls_nothing() -> None:
    maze = parse("#####\n#>0*#\n#####")
    assert "controls nothing" in legend(maze, compile_board(maze), compile_board(maze).start)


# --- parsing ---------------------------------------------------------------------------------------


def test_indentation_and_blank_lines_around_do_not_count() -> None:
    assert parse("\n\n    #####\n    #>.*#\n    #####\n\n") == parse("#####\n#>.*#\n#####")


@pytest.mark.parametrize(("glyph", "facing"), list(zip("^>v<S", [*Facing, Facing.NORTH], strict=True)))
def test_the_agent_looks_where_its_glyph_points(glyph: str, facing: Facing) -> None:
    assert parse(f"#####\n#{glyph}.*#\n#####").start_facing == facing


def test_mechanisms_are_named_in_reading_order() -> None:
    maze = parse("#######\n#>rbB.#\n#Rg..*#\n#######")
    assert [(key.id, key.color, key.position) for key in maze.keys] == [
        ("k1", "red", Position(1, 2)), ("k2", "blue", Position(1, 3)), ("k3", "green", Position(2, 2)),
    ]  # fmt: skip
    assert [(door.id, door.color) for door in maze.doors] == [("d1", "blue"), ("d2", "red")]


@pytest.mark.parametrize("color", ["red", "green", "blue", "yellow", "purple", "orange"])
def test_every_colour_of_keys_and_doors_can_be_drawn(color: str) -> None:
    maze = parse(f"######\n#>{color[0]}{color[0].upper()}*#\n######")
    assert (maze.keys[0].color, maze.doors[0].color) == (color, color)


def test_the_first_switch_controls_the_first_gate_unless_told_otherwise() -> None:
    assert [switch.controls for switch in parse("########\n#>000==#\n#....*.#\n########").switches] == [
        ("g1",), ("g2",), (),
    ]  # fmt: skip


def test_controls_can_be_told() -> None:
    maze = parse("########\n#>00.==#\n#....*.#\n########", controls={"s2": ["g1", "g2"]})
    assert [switch.controls for switch in maze.switches] == [(), ("g1", "g2")]


def test_the_name_and_the_use_of_keys_can_be_told() -> None:
    maze = parse("#####\n#>.*#\n#####", level_id="tiny", key_consumption=True)
    assert (maze.level_id, maze.rules.key_consumption) == ("tiny", True)


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "nothing": ("", {}, "start: must be drawn exactly once, found 0"),
    "only blanks": ("  \n \n", {}, "start: must be drawn exactly once, found 0"),
    "no goal": ("#####\n#>..#\n#####", {}, "goal: must be drawn exactly once, found 0"),
    "two goals": ("#####\n#>**#\n#####", {}, "goal: must be drawn exactly once, found 2"),
    "two agents": ("######\n#>S.*#\n######", {}, "start: must be drawn exactly once, found 2"),
    "ragged": ("#####\n#>.*##\n#####", {}, r"row 1: must be as long as the first row \(5\), is 6"),
    "a strange glyph": ("#####\n#>?*#\n#####", {}, r"row 1, column 2: unknown character '\?'"),
    "an open door": ("#####\n#>'*#\n#####", {}, "row 1, column 2: unknown character"),
    "a hole in the ring": ("##.##\n#>.*#\n#####", {}, "the outer ring of the board must be solid"),
    "too low": ("#####\n#>.*#", {}, "rows: must be from 3 to 128, got 2"),
    "an unknown gate": ("######\n#>0=*#\n######", {"controls": {"s1": ["g7"]}}, "no gate 'g7'; gates: g1"),
    "an unknown switch": ("######\n#>0=*#\n######", {"controls": {"s7": ["g1"]}}, "s7"),
}


@pytest.mark.parametrize(("drawing", "options", "says"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_drawing_is_refused(drawing: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(MazeFormatError, match=says):
        parse(drawing, **options)


def test_all_problems_of_a_drawing_are_reported_at_once() -> None:
    with pytest.raises(MazeFormatError) as caught:
        parse("#####\n#?..##\n#####")
    assert [problem.path for problem in caught.value.problems] == [
        "row 1",
        "row 1, column 1",
        "start",
        "goal",
    ]


@given(text=st.text("#.*>SrR0=:\n ?'", max_size=60))
def test_any_text_is_refused_or_read(text: str) -> None:
    try:
        maze = parse(text)
    except MazeFormatError:
        return
    assert at_start(maze).replace("^", "S") == "\n".join(
        line.strip() for line in text.strip().splitlines()
    ).replace("^", "S")
