"""PacmanArray-v0 as a Gymnasium env."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from hypothesis import given

from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.observation import Plane
from maze_gym.envs.pacman.rules import Action
from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.rules.layout import CLASSIC, Layout, LayoutError
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.testing import check_world

from .boards import ACTIONS, MINDS, SMALL, layouts


@pytest.mark.parametrize(
    ("env_id", "kwargs"),
    [
        ("PacmanArray-v0", {}),
        ("PacmanArray-v0", {"layout": SMALL.to_rows(), "max_shape": (4, 6), "max_steps": 9}),
        ("PacmanArray-Random-v0", {"num_levels": 2}),
    ],
    ids=["classic", "small and padded", "random"],
)
def test_conforms_to_gymnasium_and_to_this_suite(env_id: str, kwargs: dict[str, Any]) -> None:
    check_world(env_id, **kwargs)


def test_defaults_are_the_classic_game() -> None:
    env = gym.make("PacmanArray-v0").unwrapped
    _, info = env.reset(seed=5)
    assert env.action_names == ("UP", "DOWN", "LEFT", "RIGHT")  # type: ignore[attr-defined]
    assert env.action_space == gym.spaces.Discrete(4)
    assert (info["level_id"], info["level_hash"]) == ("classic", CLASSIC.content_hash)
    assert (info["steps_left"], info["dots_left"], info["score"], info["power_timer"]) == (200, 84, 0, 0)
    assert info["player"] == (9, 4)
    assert info["ghosts"] == ((0, 4), (0, 5), (9, 5))
    assert info["action_mask"].tolist() == [1, 0, 1, 1]
    assert "optimal_actions" not in info
    assert "is_success" not in info


def test_one_left_is_the_sample() -> None:
    env = PacmanArrayEnv()
    env.reset()
    observation, reward, terminated, truncated, info = env.step(2)
    assert (reward, terminated, truncated) == (0.1, False, False)
    assert (info["score"], info["dots_left"], info["events"], info["event"]) == (10, 83, ("DOT",), "DOT")
    assert info["ghosts"] == ((0, 3), (0, 4), (9, 4))
    assert (observation["score"].tolist(), observation["steps"].tolist()) == ([10], [1])


@given(layout=layouts(), mind=MINDS, actions=ACTIONS)
def test_observation_and_info_say_what_the_state_is(
    layout: Layout, mind: GhostBehaviour, actions: list[int]
) -> None:
    env = PacmanArrayEnv(layout=layout, ghosts=mind, max_shape=(7, 8))
    observation, info = env.reset(seed=1)
    total = 0.0
    for action in [*actions, None]:
        state, planes = env.state, observation["planes"]
        assert env.observation_space.contains(observation)
        cells = planes[:, : layout.rows, : layout.cols].reshape(len(Plane), -1).tolist()
        for cell in range(layout.cells):
            on_it = [index for index, ghost in enumerate(state.ghosts) if ghost == cell]
            left, is_power = state.pellets >> cell & 1, env.board.power >> cell & 1
            assert [cells[plane][cell] for plane in Plane] == [
                layout.walls >> cell & 1,
                left & ~is_power,
                left & is_power,
                len(on_it),
                sum(state.spent >> index & 1 for index in on_it),
                int(cell == state.player),
            ]
        assert planes[0, layout.rows :].all()
        assert planes[0, :, layout.cols :].all()
        assert (info["player"], info["dots_left"]) == (
            layout.position(state.player),
            state.pellets.bit_count(),
        )
        assert info["ghosts"] == tuple(layout.position(ghost) for ghost in state.ghosts)
        assert (info["score"], info["power_timer"]) == (state.score, state.timer)
        assert total == pytest.approx(state.score / 100)
        if action is None or "is_success" in info:
            break
        observation, reward, _, _, info = env.step(action)
        total += reward


@given(actions=ACTIONS)
def test_same_seed_same_episode(actions: list[int]) -> None:
    def episode() -> list[Any]:
        env = PacmanArrayEnv(ghosts={"random_ties": True})
        infos = [env.reset(seed=11)[1]]
        for action in actions:
            *_, terminated, _, info = env.step(action)
            infos.append(info)
            if terminated:
                break
        return [{**info, "action_mask": info["action_mask"].tolist()} for info in infos]

    assert episode() == episode()


def test_other_seeds_draw_other_luck_where_ties_are_random_and_none_where_not() -> None:
    def luck(seed: int, **kwargs: Any) -> int:
        env = PacmanArrayEnv(**kwargs)
        env.reset(seed=seed)
        return env.state.luck

    assert luck(1, ghosts=GhostBehaviour(random_ties=True)) != luck(
        2, ghosts=GhostBehaviour(random_ties=True)
    )
    assert luck(1) == luck(2) == 0


def test_death_terminates_without_reward() -> None:
    env = PacmanArrayEnv()
    env.reset()
    _, reward, terminated, truncated, info = env.step(int(Action.DOWN))
    assert (reward, terminated, truncated, info["is_success"]) == (0.0, True, False, False)
    assert info["events"] == ("BUMPED", "DIED")
    assert info["bumped"]
    assert info["metrics"] == {"win": 0.0, "score": 0.0, "survival": 0.0}
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)


def test_search_wins_the_classic_board_within_its_limit_and_metrics_do_not_saturate() -> None:
    env = PacmanArrayEnv()
    env.reset()
    total, terminated = 0.0, False
    info: dict[str, Any] = {}
    while not terminated:
        _, reward, terminated, truncated, info = env.step(env.search_action())
        total += reward
        assert not truncated
    assert info["is_success"]
    assert "WON" in info["events"]
    assert total == pytest.approx(info["score"] / 100)
    assert info["metrics"] == {"win": 1.0, "score": info["score"] / 4400, "survival": 1.0}
    assert info["score"] <= 4400


def test_truncates_after_the_limit() -> None:
    env = PacmanArrayEnv(max_steps=3)
    env.reset()
    ends = [env.step(action)[2:4] for action in (2, 0, 2)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_options_choose_board_starts_and_luck() -> None:
    env = PacmanArrayEnv(layouts=["classic", SMALL])
    _, info = env.reset(options={"layout": SMALL, "player": (2, 0), "ghosts": [(0, 2)], "luck": 7})
    assert (info["player"], info["ghosts"], env.state.luck) == ((2, 0), ((0, 2),), 7)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"maze": 1}, InvalidArgument, "unknown reset option 'maze'; there are: layout, player"),
        ({"player": (2, 2)}, LayoutError, "the player starts in the wall at row 2, column 2"),
        ({"ghosts": [(0, 4), (2, 2)]}, LayoutError, "ghost 1 starts in the wall at row 2, column 2"),
        ({"player": (10, 0)}, InvalidArgument, "row 10, column 0, outside of the 10 x 10 board"),
        ({"player": 3}, InvalidArgument, r"\(row, col\) pairs"),
        ({"ghosts": 3}, InvalidArgument, "must be a list of"),
        ({"luck": -1}, InvalidArgument, "luck must be an integer from 0"),
        ({"layout": ["P." + "." * 9 + "G"]}, InvalidArgument, r"is 1 x 12 but this env observes 10 x 10"),
        (
            {"layout": "nowhere.txt"},
            LevelsNotFound,
            "no layout file or folder 'nowhere.txt'; built in: classic",
        ),
        (
            {"layout": ["POOOOOOOOO", "GGGGGGGGEE"]},
            InvalidArgument,
            "more than the 4400 that this env observes",
        ),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PacmanArrayEnv().reset(options=options)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"layout": "classic", "spec": {}}, "give only one of layout, layouts, spec"),
        ({"num_levels": 3}, "they need spec"),
        ({"spec": {}, "num_levels": 0}, "num_levels must be an integer from 1"),
        ({"spec": {}, "ghosts": {"flee": True}}, "a spec has its own minds"),
        ({"spec": {"rows": 4}}, "rows must be an integer from 5 to 16, got 4"),
        ({"spec": {"row": 4}}, "among rows, cols"),
        ({"ghosts": {"speed": 2}}, "an object with chase, random_ties, flee, scatter"),
        ({"layouts": []}, "the list of layouts is empty"),
        ({"layout": 3}, "must be a Layout, rows of text or a path, got int"),
        ({"max_steps": 0}, "max_steps must be an integer from 1 to 2147483646"),
        ({"max_shape": (9, 10)}, r"smaller than the largest board, which needs \(10, 10\)"),
        ({"max_shape": 9}, r"max_shape must be \(rows, cols\)"),
        ({"render_mode": "ascii"}, "render_mode must be None or one of ansi"),
        ({"render_size": 5}, "render_size: 5 x 5 px is too small"),
        ({"cell_px": 0}, "cell_px must be a whole number of pixels, at least 1, got 0"),
        ({"cell_px": 4, "render_size": 99}, "not both"),
    ],
)
def test_wrong_arguments_are_refused(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidArgument, LevelsNotFound), match=message):
        PacmanArrayEnv(**kwargs)


@pytest.mark.parametrize("action", [4, -1, 2.0, "LEFT", None, True, np.array([2])])
def test_anything_but_an_action_is_refused_and_changes_nothing(action: Any) -> None:
    env = PacmanArrayEnv()
    env.reset()
    before = env.state
    with pytest.raises(InvalidAction, match="2 LEFT"):
        env.step(action)
    assert (env.state, env.steps_left) == (before, 200)


def test_numpy_integers_are_actions() -> None:
    env = PacmanArrayEnv()
    env.reset()
    assert env.step(np.int64(2))[4]["event"] == "DOT"  # type: ignore[arg-type]  # what a Discrete space samples


def test_everything_wants_a_reset_first() -> None:
    env = PacmanArrayEnv()
    for call in (lambda: env.step(0), env.render, lambda: env.state, env.search_action, env.action_masks):
        with pytest.raises(ResetNeeded, match="reset"):
            call()


def test_greedy_never_walks_into_a_ghost_that_it_can_avoid() -> None:
    env = PacmanArrayEnv()
    env.reset()
    for _ in range(60):
        state = env.state
        action = env.greedy_action()
        deaths = [bool(rules.step(env.board, state, each).events & rules.Event.DIED) for each in range(4)]
        assert all(deaths) or not deaths[action]
        if env.step(action)[2]:
            break


def test_search_goes_on_from_wherever_the_game_has_come() -> None:
    env = PacmanArrayEnv(layout=SMALL)
    env.reset()
    env.search_action()
    env.step(int(Action.DOWN))
    assert env.action_masks()[env.search_action()]
    assert env.optimal_action() == env.search_action()
