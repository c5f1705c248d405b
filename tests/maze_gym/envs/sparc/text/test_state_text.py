"""What SpatialGym says: every sentence true, and enough to draw the board anew."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.sparc import text
from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.rules import constraints
from maze_gym.envs.sparc.rules.constraints import judge
from maze_gym.envs.sparc.rules.puzzle import Puzzle, normalized
from maze_gym.envs.sparc.search.plans import actions_along
from maze_gym.envs.sparc.text.rules_text import rules_text, worked_example
from maze_gym.game import Coordinates, Prompting, Wording

from ..puzzles import puzzles
from ..small import ACTIONS, EXAMPLE, EXAMPLE_LINE, SOLUTION, play

if TYPE_CHECKING:
    from maze_gym.game import Description

wordings = st.builds(
    Wording, st.sampled_from(Prompting), st.sampled_from(Coordinates), pictured=st.just(value=False)
)
_PAIR = re.compile(r"\((\d+), (\d+)\)")


def positions(words: str, coordinates: Coordinates) -> list[tuple[int, int]]:
    """The positions that a piece of text names."""
    return [coordinates.cell(int(first), int(second)) for first, second in _PAIR.findall(words)]


def reconstruct(told: Description, coordinates: Coordinates) -> dict[str, Any]:
    """The level and the state from the words alone."""
    level, state = told.level, told.state
    lines = iter(state.splitlines())
    header = next(lines).split(":")[1].split()
    first = int(coordinates == Coordinates.ROW_COL_1)
    assert header == [str(col + first) for col in range(len(header))]
    tokens = []
    for number, line in enumerate(lines):
        if not line:
            break
        head, _, rest = line.partition(":")
        assert head.split() == ["y" if coordinates == Coordinates.X_Y else "Row", str(number + first)]
        tokens.append(rest.split())
    named = dict(re.findall(r"(The line so far|Your position|Possible moves)[^:]*: (.*)", state))
    shapes: dict[int, list[tuple[int, int]]] = {}
    shape: list[tuple[int, int]] = []
    row = 0
    for line in level.splitlines():
        if re.fullmatch(r"\d+:", line):
            shape, row = shapes.setdefault(int(line[:-1]), []), 0
        elif re.fullmatch(r"  [X-]+", line):
            shape += [(row, col) for col, mark in enumerate(line[2:]) if mark == "X"]
            row += 1
    ends = re.search(r"Start: (\(.*?\))\. End: (\(.*?\))\.", level)
    assert ends is not None
    size = re.search(r"has (\d+) x (\d+) rule cells .* array of (\d+) rows and (\d+) columns", level)
    assert size is not None
    return {
        "tokens": tokens,
        "size": tuple(map(int, size.groups())),
        "start": positions(ends[1], coordinates)[0],
        "end": positions(ends[2], coordinates)[0],
        "path": positions(named["The line so far"], coordinates),
        "head": positions(named["Your position"], coordinates)[0],
        "moves": [] if named["Possible moves"] == "none" else named["Possible moves"].split(", "),
        "shapes": shapes,
    }


@given(puzzle=puzzles(), actions=ACTIONS, wording=wordings, backtracking=st.booleans())
def test_board_and_line_can_be_drawn_anew_from_the_words(
    puzzle: Puzzle, actions: list[int], wording: Wording, *, backtracking: bool
) -> None:
    if not any(puzzle.lanes[puzzle.start]):
        return
    env = SpatialGymEnv(puzzle=puzzle, backtracking=backtracking)
    _, info = env.reset()
    for action in actions:
        *_, info = env.step(action)
        if "is_success" in info:
            break
    told = reconstruct(env.describe(wording), wording.coordinates)
    path = list(info["path"])
    assert told["size"] == (puzzle.height, puzzle.width, puzzle.rows, puzzle.cols)
    assert (told["start"], told["end"], told["path"], told["head"]) == (
        puzzle.start,
        puzzle.end,
        path,
        path[-1],
    )
    assert told["moves"] == [env.action_names[action] for action in info["legal_actions"]]
    for row in range(puzzle.rows):
        for col in range(puzzle.cols):
            here = "L" if (row, col) == path[-1] else "V" if (row, col) in path else puzzle.token(row, col)
            assert told["tokens"][row][col] == here
    used = {symbol.shape for _, symbol in puzzle.symbols if symbol.shape is not None}
    assert told["shapes"] == {shape: list(normalized(puzzle.cells_of[shape])) for shape in used}


def test_the_rules_are_told_in_the_words_of_those_who_check_them() -> None:
    for prompting in (Prompting.STANDARD, Prompting.VERBOSE):
        told = rules_text(Wording(prompting), backtracking=False)
        for _, sentence in constraints.RULES:
            assert sentence in told
        assert constraints.REGION_RULE in told


def test_the_worked_example_is_right() -> None:
    assert judge(EXAMPLE, EXAMPLE_LINE).ok
    for coordinates in Coordinates:
        shown = worked_example(coordinates)
        env = SpatialGymEnv(puzzle=EXAMPLE)
        env.reset()
        total, info = play(env, shown.actions)
        assert (total, info["path"], shown.at) == (1.0, EXAMPLE_LINE, EXAMPLE.start)
        line = next(line for line in shown.text.splitlines() if line.startswith("A solution"))
        assert positions(line, coordinates) == list(EXAMPLE_LINE)
        assert text.board_text(EXAMPLE.tokens, text.Places(coordinates)) in shown.text


def test_every_way_of_breaking_the_example_breaks_what_its_text_says() -> None:
    """Without each symbol's rule the reasons that the text gives would be idle."""
    wrong = ((4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (3, 4), (2, 4), (1, 4), (0, 4))
    broken = {verdict.rule for verdict in judge(EXAMPLE, wrong).verdicts if not verdict.ok}
    assert broken == {"dot", "square", "triangle", "polyomino"}


def test_prompt_levels_say_more_and_more() -> None:
    for backtracking in (False, True):
        lengths = [len(rules_text(Wording(each), backtracking=backtracking)) for each in Prompting]
        assert lengths == sorted(set(lengths))


def test_taking_back_is_told_as_it_is() -> None:
    assert "A move cannot be taken back." in rules_text(Wording(), backtracking=False)
    told = rules_text(Wording(), backtracking=True)
    assert "takes the last move back" in told
    assert "It is over too" not in rules_text(Wording(Prompting.VERBOSE), backtracking=True)


def test_directions_are_told_in_the_words_of_the_coordinates() -> None:
    assert "RIGHT to column + 1, UP to row - 1" in rules_text(Wording(), backtracking=False)
    told = rules_text(Wording(coordinates=Coordinates.X_Y), backtracking=False)
    assert "RIGHT to x + 1, UP to y - 1, LEFT to x - 1, DOWN to y + 1" in told


@pytest.mark.parametrize(
    ("coordinates", "line", "row"),
    [
        (Coordinates.ROW_COL, "Your position (row, column): (4, 1)", "Row 4:   V  L"),
        (Coordinates.ROW_COL_1, "Your position (row, column): (5, 2)", "Row 5:   V  L"),
        (Coordinates.X_Y, "Your position (x, y): (1, 4)", "y 4: V  L"),
    ],
)
def test_positions_are_named_as_asked(coordinates: Coordinates, line: str, row: str) -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE)
    env.reset()
    env.step(0)
    described = env.describe(Wording(coordinates=coordinates))
    assert line in described.state.splitlines()
    assert any(each.startswith(row) for each in described.state.splitlines())
    assert line.endswith(described.pose)


def test_verbose_tells_what_lies_around_and_is_still_missing() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE, max_steps=15)
    env.reset()
    play(env, SOLUTION[:3])
    state = env.describe(Wording(Prompting.VERBOSE)).state
    assert "Beside you: RIGHT: o-B; UP: .; LEFT: P-Y-19; DOWN: V." in state
    assert "Dots not passed yet: (2, 2)." in state
    assert "The end is at least 5 moves away." in state
    assert state.endswith("Only 12 steps are left.")
    env.step(1)
    assert "Dots not passed yet: none." in env.describe(Wording(Prompting.VERBOSE)).state


def test_only_what_is_on_the_board_is_in_its_legend() -> None:
    bare = Puzzle("bare", 1, 1, (0, 0), (2, 2))
    told = text.level_text(bare, text.Places())
    assert "gap" not in told
    assert "colour" not in told
    assert "Shapes" not in told
    full = text.level_text(EXAMPLE, text.Places())
    for words in ("G gap", ". dot", "o-C square", "P-C-ID polyomino", "19:\n  XX\n  X-"):
        assert words in full
    assert "*-C" not in full


def test_ansi_shows_the_last_event_and_the_board() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE, render_mode="ansi")
    env.reset()
    assert str(env.render()).startswith("The line stands at its start.\n\nRow/Col: ")
    env.step(SOLUTION[0])
    shown = str(env.render())
    assert shown.startswith("You move right.\n\n")
    assert "Row 4:   V  L" in shown
    assert actions_along(EXAMPLE_LINE) == SOLUTION
