"""A person, policies and records: PacmanArray under everything that the house offers to a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame
import pytest

from maze_gym import evaluation
from maze_gym.envs.pacman.levels import load_levels
from maze_gym.errors import LevelsNotFound
from maze_gym.evaluation import ExperimentRunner
from maze_gym.evaluation.transcript import replay
from maze_gym.llm.config import ExperimentConfig
from maze_gym.play.app import PlayApp, next_fraction
from maze_gym.play.bindings import action_bindings
from maze_gym.play.launch import make_env
from maze_gym.play.screen import draw_screen
from maze_gym.play.session import PlaySession

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


def test_arrow_keys_play_and_the_window_draws() -> None:
    env, levels = make_env("PacmanArray-v0")
    session = PlaySession(env, levels)
    assert [binding.keys[0] for binding in action_bindings(session.action_names)] == [
        "up",
        "down",
        "left",
        "right",
    ]
    session.act(2)
    assert session.message == "You move left. You eat a pellet: 10 points."
    session.ask()
    assert session.hint in ("up", "down", "left", "right")
    assert draw_screen(session).height > 0
    session.undo()
    session.act(3)
    assert session.is_over
    assert not session.is_won
    env.close()


def test_search_beats_greedy_and_random_on_the_classic_board() -> None:
    run = evaluation.make_plan(["random", "greedy", "search"], env_id="PacmanArray-v0")
    won = {record.policy: record.success for record in evaluation.play(run)}
    assert won == {"random": False, "greedy": False, "search": True}


@pytest.mark.parametrize(("policy", "reason"), [("oracle-chat", "success"), ("random-chat", "failed")])
def test_chats_play_and_their_records_replay(policy: str, reason: str) -> None:
    env, _ = make_env("PacmanArray-v0")
    runner = ExperimentRunner(ExperimentConfig(), env, policy)
    record = runner.run(seed=3)
    assert record.episode.end_reason == reason
    assert replay(record).mismatch == ""
    runner.close()


def test_levels_are_the_classic_one_a_file_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "tiny.txt").write_text("P.O\n..G\n", encoding="utf-8")
    for source, names in (("classic", ["classic"]), (tmp_path / "tiny.txt", ["tiny"]), (tmp_path, ["tiny"])):
        found = load_levels(source)
        assert [level.level_id for level in found.levels] == names
        assert [level.content_hash for level in found.levels] == [
            layout.content_hash for layout in found.env_kwargs["layouts"]
        ]
    with pytest.raises(LevelsNotFound, match="no layout file"):
        load_levels("nothing")
    (tmp_path / "tiny.txt").unlink()
    with pytest.raises(LevelsNotFound, match=r"holds no \.txt layout"):
        load_levels(tmp_path)


def test_an_action_glides_and_nothing_else_does() -> None:
    env, levels = make_env("PacmanArray-v0")
    session = PlaySession(env, levels)
    assert not session.is_gliding
    before = session.frame()
    session.act(2)
    assert session.is_gliding
    way = session.frame_between(0.5)
    assert way.shape == before.shape
    assert (way != before).any()
    assert (way != session.frame()).any()
    session.arrive()
    assert (session.frame_between(0.5) == session.frame()).all()
    session.act(0)
    session.undo()
    assert not session.is_gliding
    env.close()


def test_a_movement_takes_its_time_and_is_seen_on_a_slow_machine() -> None:
    fractions = [0.0]
    while fractions[-1] < 1:
        fractions.append(next_fraction(fractions[-1], 1000 / 60))
    assert len(fractions) == 7, "six pictures at 60 a second make the 90 ms"
    assert next_fraction(0.0, 5000) < 0.5


def test_the_window_glides_until_the_next_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env, levels = make_env("PacmanArray-v0")
    session = PlaySession(env, levels)
    shown: list[float] = []
    draw = session.frame_between

    def watched(fraction: float) -> NDArray[np.uint8]:
        shown.append(fraction)
        if len(shown) == 3:
            pygame.event.post(pygame.event.Event(pygame.QUIT))
        return draw(fraction)

    monkeypatch.setattr(session, "frame_between", watched)
    app = PlayApp(session)
    pygame.init()
    pygame.display.set_mode((1, 1))
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_LEFT))
    app.run()
    assert shown == sorted(shown)
    assert len(shown) == 3, "the third picture was the last: the person had left"
    assert session.actions == [2]
    env.close()
