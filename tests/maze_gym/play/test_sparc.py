"""A person at a line puzzle: arrow keys, moves back, and a board that says what was wrong."""

from __future__ import annotations

import numpy as np

from maze_gym.play.bindings import action_bindings
from maze_gym.play.launch import make_env
from maze_gym.play.screen import draw_screen
from maze_gym.play.session import PlaySession


def begin(env_id: str, level: int) -> PlaySession:
    """The first puzzle of a level, as ``maze-gym play`` shows it."""
    env, levels = make_env(env_id)
    session = PlaySession(env, levels)
    session.move_on(level - 1)
    return session


def test_a_person_solves_a_level_3_puzzle_with_the_arrow_keys() -> None:
    session = begin("SpatialGym-v0", 3)
    assert session.title == "spatial-L3-001"
    assert [binding.keys[0] for binding in action_bindings(session.action_names)] == [
        "right", "up", "left", "down",
    ]  # fmt: skip
    before = session.frame()
    while not session.is_over:
        session.ask()
        session.act(session.action_names.index(session.hint.upper()))
    assert session.is_won
    assert session.steps == session.optimum
    assert not session.explains
    assert not np.array_equal(session.frame(), before)
    assert draw_screen(session).height > 0
    session.env.close()


def test_backspace_takes_back_even_where_the_rules_do_not() -> None:
    session = begin("SpatialGym-v0", 1)
    before = session.frame()
    first = int(np.flatnonzero(session.info["action_mask"])[0])
    session.act(first)
    session.act((first + 2) % 4)  # back again: the line has been there
    assert "the line has been there" in session.message
    session.undo()
    session.undo()
    assert np.array_equal(session.frame(), before)
    assert session.as_record().policy == "human+undo"
    session.env.close()


def test_stepping_back_undoes_in_the_preset_that_allows_it() -> None:
    session = begin("SpatialGym-Backtracking-v0", 1)
    before = session.frame()
    first = int(np.flatnonzero(session.info["action_mask"])[0])
    session.act(first)
    session.act((first + 2) % 4)
    assert session.message.endswith("The last move is taken back.")
    assert np.array_equal(session.frame(), before)
    session.env.close()


def test_a_failed_rule_is_marked_and_nothing_covers_the_board() -> None:
    session = begin("SpatialGym-v0", 3)
    while not session.is_over:
        session.act(session.env.unwrapped.greedy_action())  # type: ignore[attr-defined]  # a World
    assert session.explains
    assert "breaks the rule" in session.message
    assert not np.array_equal(session.frame(), np.asarray(session.env.unwrapped.render()))
    covered = draw_screen(session)
    import pygame

    shown = pygame.surfarray.array3d(covered.surface).swapaxes(0, 1)[:720, :720]
    assert np.array_equal(shown, session.frame())
    session.env.close()
