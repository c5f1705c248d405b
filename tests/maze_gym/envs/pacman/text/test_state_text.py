"""What PacmanArray says: the sample interaction of the README, to the letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman import rules, text
from maze_gym.envs.pacman.rules import Action, Event
from maze_gym.envs.pacman.rules.layout import CLASSIC, Layout
from maze_gym.game import Coordinates, Prompting, ReplyFormat, TextGame, Wording
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.parsing import Grammar, ParsedReply, parse
from maze_gym.wrappers.text_view import TextView

from ..boards import ACTIONS, CLASSIC_BOARD, LUCK, MINDS, TOGETHER, layouts, play

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour

# README of pacman-array, "Example Interaction", verbatim.
FIRST = """\
2D Array Representation (10x10):
Legend: E=Empty, W=Wall, .=Pellet, O=PowerPellet, P=Pacman, G=Ghost

Row/Col:  0  1  2  3  4  5  6  7  8  9
------------------------------------------
Row  0:  .  .  .  .  .  .  .  .  .  .
Row  1:  .  .  .  .  .  .  .  .  .  .
Row  2:  .  .  W  W  .  .  W  W  .  .
Row  3:  .  .  W  W  .  .  W  W  .  .
Row  4:  .  .  .  .  .  .  .  .  .  .
Row  5:  .  .  .  .  .  .  .  .  .  .
Row  6:  .  .  W  W  .  .  W  W  .  .
Row  7:  .  .  W  W  .  .  W  W  .  .
Row  8:  .  .  .  .  .  .  .  .  .  .
Row  9:  .  .  .  .  .  .  .  .  .  .

Score: 0 | Reward: 0.00 | Steps: 0
Dots Remaining: 84
Powered Up: False | Power Timer: 0
Pacman Coordinates (row, column): (9, 4)
Ghost Coordinates (row, column): (0, 4), (0, 5), (9, 5)
Pellet Coordinates (row, column): (0, 0), (0, 9), (9, 0), (9, 9), ..."""
REPLY = """\
I'm at position (9, 4) near the bottom center. There are ghosts at (0, 4), (0, 5), and (9, 5).
The ghost at (9, 5) is very close - I should move away from it.
I'll move left to (9, 3) to put distance between me and the nearby ghost.
<action>2</action>"""
ANSWER = """\
Action: 2 (LEFT) - Reward: 0.10

2D Array Representation (10x10):
...
Score: 10 | Reward: 0.10 | Steps: 1
Dots Remaining: 83
Powered Up: False | Power Timer: 0
Pacman Coordinates (row, column): (9, 3)
Ghost Coordinates (row, column): (0, 3), (0, 4), (9, 4)
..."""
# The README draws pellets alone; its own legend, and its coordinates, want these on top of them.
ON_TOP = {
    (0, 0): "O",
    (0, 9): "O",
    (9, 0): "O",
    (9, 9): "O",
    (9, 4): "P",
    (0, 4): "G",
    (0, 5): "G",
    (9, 5): "G",
}
GRID = range(5, 15)  # lines of the array


def test_the_first_state_is_the_sample_to_the_letter() -> None:
    env = PacmanArrayEnv(render_mode="ansi", show_pellets=4)
    env.reset()
    shown = str(env.render()).splitlines()
    for (row, col), symbol in ON_TOP.items():
        line = shown[GRID[row]]
        place = len("Row  0:") + 3 * col + 2
        assert line[place] == symbol
        shown[GRID[row]] = line[:place] + "." + line[place + 1 :]
    assert shown == FIRST.splitlines()


def test_the_answer_to_the_sample_reply_is_the_sample_to_the_letter() -> None:
    env = PacmanArrayEnv(render_mode="ansi", show_pellets=4)
    env.reset()
    reading = parse(REPLY, Grammar(env.reply_format, env.action_names))
    assert isinstance(reading, ParsedReply)
    assert reading.actions == (Action.LEFT,)
    env.step(reading.actions[0])
    answer = str(env.render())
    for part in ANSWER.split("\n...\n"):
        assert part.removesuffix("\n...") in answer
    assert answer.startswith(ANSWER.partition("\n...")[0])


@pytest.mark.parametrize(
    "reply", ["<action>LEFT</action>", "<action>left</action>", "<action>0</action> no: <action>2</action>"]
)
def test_words_are_accepted_and_the_last_tag_wins(reply: str) -> None:
    reading = parse(reply, Grammar(ReplyFormat.ACTION_TAG, PacmanArrayEnv.action_names))
    assert isinstance(reading, ParsedReply)
    assert reading.actions == (Action.LEFT,)


def test_an_unusable_reply_is_asked_again_then_ends_the_episode_and_moves_nothing() -> None:
    """An older reply is never used again."""
    view = TextView(PacmanArrayEnv(), ExperimentConfig(retries=1))
    view.reset()
    view.step("<action>2</action>")
    first = view.step("I move on.")
    assert (first.info["parse_failure"], first.truncated, first.info["player"]) == (
        "no_marker",
        False,
        (9, 3),
    )
    assert "<action>number</action>" in first.text
    last = view.step("<action>7</action>")
    assert (last.info["end_reason"], last.truncated, last.info["player"]) == ("parse_failed", True, (9, 3))


@given(layout=layouts(), actions=ACTIONS)
def test_the_array_shows_the_first_of_player_ghost_power_pellet(layout: Layout, actions: list[int]) -> None:
    board = rules.compile_board(layout)
    for _, _, (state, _, _) in play(board, actions):
        lines = text.board_text(board, state, text.Places(layout)).splitlines()[5:]
        for cell in range(layout.cells):
            row, col = layout.position(cell)
            symbol = lines[row].split(":")[1].split()[col]
            expected = "W" if layout.walls >> cell & 1 else "E"
            expected = "." if state.pellets >> cell & 1 else expected
            expected = "O" if state.pellets >> cell & 1 and board.power >> cell & 1 else expected
            expected = "G" if cell in state.ghosts else expected
            assert symbol == ("P" if cell == state.player else expected)


def test_pellets_are_off_by_default_and_listed_power_first() -> None:
    state = CLASSIC_BOARD.start
    assert "Pellet Coordinates" not in text.state_text(CLASSIC_BOARD, state, 0)
    few = state._replace(pellets=1 << 99 | 1 << 5 | 1 << 1)
    shown = text.state_text(CLASSIC_BOARD, few, 0, show_pellets=3).splitlines()[-1]
    assert shown.endswith(": (9, 9), (0, 1), (0, 5)")


@pytest.mark.parametrize(
    ("coordinates", "line"),
    [
        (Coordinates.ROW_COL, "Pacman Coordinates (row, column): (9, 4)"),
        (Coordinates.ROW_COL_1, "Pacman Coordinates (row, column): (10, 5)"),
        (Coordinates.X_Y, "Pacman Coordinates (x, y): (4, 9)"),
    ],
)
def test_cells_are_named_as_asked(coordinates: Coordinates, line: str) -> None:
    env = PacmanArrayEnv()
    env.reset()
    described = env.describe(Wording(coordinates=coordinates))
    assert line in described.state.splitlines()
    assert described.pose in line


def test_prompt_levels_say_more_and_more() -> None:
    env = PacmanArrayEnv()
    env.reset()
    lengths = [len(env.describe(Wording(prompting)).rules) for prompting in Prompting]
    assert lengths == sorted(lengths)
    assert isinstance(env, TextGame)


def test_a_pictured_turn_leaks_nothing_and_legal_actions_are_those_that_move() -> None:
    env = PacmanArrayEnv()
    env.reset()
    env.step(int(Action.LEFT))
    pictured = env.describe(Wording(pictured=True))
    assert (pictured.level, pictured.state, pictured.pose, pictured.result) == ("", "", "", "")
    assert pictured.legal == (Action.UP, Action.LEFT, Action.RIGHT)
    told = env.describe(Wording())
    assert told.result == "Action: 2 (LEFT) - Reward: 0.10. You move left. You eat a pellet: 10 points."
    assert (told.step, told.steps_left, told.failed) == (1, 199, False)


def test_rules_tell_how_the_ghosts_of_this_board_think() -> None:
    env = PacmanArrayEnv(ghosts={"chase": "path", "random_ties": True, "flee": True, "scatter": True})
    env.reset()
    told = env.describe(Wording()).rules
    for words in ("shortest way", "at random", "run from you", "corners for 7 steps"):
        assert words in told


def test_every_event_has_its_sentence() -> None:
    everything = text.said(0, int(sum(Event)), 0)
    assert everything.names == tuple(event.name for event in Event)
    assert len({text.said(0, int(event), 0).message for event in Event}) == len(Event)
    assert text.said(3, 0, 0) == text.Said((), "MOVED", "You move right.")


def points_named(message: str) -> int:
    """The sum of all points that a message names."""
    return sum(int(points) for points in re.findall(r"(\d+) points", message))


@given(layout=layouts(ghosts=8), mind=MINDS, actions=ACTIONS, luck=LUCK)
def test_points_that_are_named_add_up_to_what_is_paid(
    layout: Layout, mind: GhostBehaviour, actions: list[int], luck: int
) -> None:
    """However many ghosts are eaten in a step, and also where they pay nothing."""
    env = PacmanArrayEnv(layout=layout, ghosts=mind)
    _, info = env.reset(options={"luck": luck})
    for action in actions:
        score = info["score"]
        _, reward, ended, _, info = env.step(action)
        assert points_named(info["message"]) == info["score"] - score == round(reward * 100)
        assert env.describe(Wording()).result.endswith(f"Reward: {reward:.2f}. {info['message']}")
        if ended:
            break


def test_ghosts_that_are_eaten_together_are_counted() -> None:
    env = PacmanArrayEnv(layout=TOGETHER)
    env.reset()
    _, reward, *_, info = env.step(int(Action.UP))
    assert (reward, info["events"]) == (4.5, ("POWER", "GHOST"))
    assert info["message"].endswith("eat ghosts now. You eat 2 ghosts: 400 points.")
    _, reward, *_, info = env.step(int(Action.UP))
    assert (reward, info["events"]) == (0.0, ("BUMPED", "AGAIN")), "they pay once per power pellet"
    assert points_named(info["message"]) == 0


def test_the_plan_of_the_search_is_told_truly_on_the_classic_board() -> None:
    env = PacmanArrayEnv()
    env.reset()
    ended, most = False, 0.0
    while not ended:
        _, reward, ended, _, info = env.step(env.search_action())
        assert points_named(info["message"]) == round(reward * 100)
        most = max(most, reward % 10)
    assert most > 4, "two ghosts in one step"


def test_a_recipe_brings_the_episode_back() -> None:
    env = PacmanArrayEnv(ghosts={"random_ties": True})
    env.reset(seed=4, options={"ghosts": [(5, 5), (0, 1)]})
    recipe = env.recipe()
    again = PacmanArrayEnv(**recipe.make)
    again.reset(options=dict(recipe.reset))
    for action in (2, 0, 2, 2):
        assert again.snapshot() == env.snapshot()
        ended = [each.step(action)[2] for each in (env, again)]
        assert ended[0] == ended[1]
        if ended[0]:
            break
    assert again.snapshot() == env.snapshot()
    assert again.board.layout.content_hash == env.board.layout.content_hash != CLASSIC.content_hash
