"""MazeNLU-v0 as a Gymnasium env."""

from __future__ import annotations

import copy
import json
import pickle
import random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from hypothesis import given, settings

from maze_gym import suites
from maze_gym.envs import GridWorldEnv
from maze_gym.envs.maze.levels import playable
from maze_gym.envs.maze.levels.playable import MAX_STEPS_PER_OPTIMAL
from maze_gym.envs.maze.observation import Object
from maze_gym.errors import InvalidArgument, LevelsNotFound, MazeFormatError
from maze_gym.testing import check_world
from mazegen import codec
from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, Facing, Maze, Position
from mazegen.core.rules import Action
from mazegen.search import solver

from ....strategies import actions_of, choices, mazes
from ...levels import ALL_KINDS, CORRIDOR, TALL, TRAP, UNSOLVABLE

ALL_KINDS_PAYLOAD = codec.to_dict(ALL_KINDS)


def play(env: GridWorldEnv, *names: str) -> tuple[Any, ...]:
    """Reset, take the named actions, return what the last step returned."""
    env.reset()
    outcome: tuple[Any, ...] = ()
    for name in names:
        outcome = env.step(int(Action[name]))
    return outcome


@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"maze": ALL_KINDS_PAYLOAD},
        {"maze": codec.to_dict(TALL), "finish": "done_action", "max_shape": (12, 30)},
        {"maze": codec.to_dict(TRAP), "max_steps": 7},
    ],
    ids=["suite", "wide", "tall and padded", "short"],
)
def test_conforms_to_gymnasium_and_to_this_suite(kwargs: dict[str, Any]) -> None:
    check_world("MazeNLU-v0", **kwargs)


def test_spaces_and_names_are_those_of_the_documentation() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    space = env.observation_space
    assert env.action_names == ("TURN_LEFT", "TURN_RIGHT", "MOVE_FORWARD", "PICKUP", "TOGGLE", "DONE")
    assert env.action_space == gym.spaces.Discrete(6)
    assert space["grid"].shape == (5, 9, 3)
    assert space["grid"].dtype == np.uint8
    assert space["inventory"].shape == (len(KEY_COLORS),)
    assert env.legend()["action"][2] == "MOVE_FORWARD"
    assert env.legend()["object"][int(Object.GATE)] == "gate"


def test_grid_bounds_are_tight() -> None:
    highest = GridWorldEnv(maze=ALL_KINDS).observation_space["grid"].high[0, 0]  # type: ignore[attr-defined]
    assert highest.tolist() == [len(Object) - 1, 9, 1]


@given(maze=mazes(), chosen=choices())
def test_observation_says_what_the_state_is(maze: Maze, chosen: bytes) -> None:
    """Position, facing, inventory and every mechanism are read back from the arrays alone."""
    env = GridWorldEnv(maze=maze, max_steps=10_000)
    observation, _ = env.reset()
    board = rules.compile_board(maze)
    for action in actions_of(rules.compile_board(maze), chosen):
        state = env.state
        assert maze.cell(Position(*observation["position"].tolist())) == state.cell
        assert observation["facing"] == state.facing
        assert tuple(observation["inventory"].tolist()) == rules.keys_held(board, state)
        grid = observation["grid"].tolist()
        for index, key in enumerate(maze.keys):
            shown = grid[key.position.row][key.position.col][0] == Object.KEY
            assert shown == (not state.taken >> index & 1)
        for index, door in enumerate(maze.doors):
            assert grid[door.position.row][door.position.col][2] == (not state.opened >> index & 1)
        for index, switch in enumerate(maze.switches):
            assert grid[switch.position.row][switch.position.col][2] == state.on >> index & 1
        for index, gate in enumerate(maze.gates):
            is_open = rules.is_gate_open(board, state, index)
            assert grid[gate.position.row][gate.position.col][2] == (not is_open)
        walls = [cell[0] == Object.WALL for row in grid for cell in row]
        assert walls == [wall == 1 for wall in maze.walls]
        observation, _, terminated, truncated, _ = env.step(int(action))
        if terminated or truncated:
            break


def test_env_and_rules_go_the_same_way_and_tell_what_happened() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    *_, info = play(env, "TURN_RIGHT")
    assert (info["event"], info["message"]) == ("TURNED", "You turn and now face east.")
    *_, info = play(env, "MOVE_FORWARD")
    assert (info["event"], info["blocker"], info["message"]) == ("BLOCKED", "wall", "A wall blocks the way.")
    *_, info = play(env, "TURN_LEFT", "TURN_LEFT", "MOVE_FORWARD", "PICKUP")
    assert (info["event"], info["message"]) == ("PICKUP", "You pick up the red key k1.")
    to_the_door = ["TURN_LEFT", "TURN_LEFT", "MOVE_FORWARD", "TURN_LEFT", "MOVE_FORWARD", "MOVE_FORWARD"]
    *_, info = play(env, *to_the_door, "MOVE_FORWARD")
    assert info["blocker"] == "d1"
    assert info["message"] == "The red door d1 is locked and you hold no red key."
    *_, info = play(env, *to_the_door[:3], "PICKUP", *to_the_door[3:], "MOVE_FORWARD")
    assert info["message"] == "You open the red door d1 and walk into it."
    *_, info = play(env, *to_the_door[:3], "PICKUP", *to_the_door[3:], *["MOVE_FORWARD"] * 3)
    assert (info["blocker"], info["message"]) == ("g1", "Gate g1 is closed and blocks the way.")
    *_, info = play(env, *to_the_door[:3], "PICKUP", *to_the_door[3:], "MOVE_FORWARD", "MOVE_FORWARD",
                    "TURN_RIGHT", "TOGGLE")  # fmt: skip
    assert (info["event"], info["message"]) == ("TOGGLED", "You turn switch s1 on.")
    *_, info = play(env, "TOGGLE")
    assert (info["event"], info["message"]) == ("NOTHING", "Nothing happens.")
    *_, info = play(env, "DONE")
    assert (info["event"], info["message"]) == ("WRONG_DONE", "You say DONE, but this is not the goal.")


def test_success_on_arrival_pays_one_and_terminates() -> None:
    _, reward, terminated, truncated, info = play(GridWorldEnv(maze=CORRIDOR), "MOVE_FORWARD", "MOVE_FORWARD")
    assert (reward, terminated, truncated, info["is_success"]) == (1.0, True, False, True)
    assert (info["event"], info["message"]) == ("DONE", "You have reached the goal.")


def test_done_action_mode_wants_the_word() -> None:
    env = GridWorldEnv(maze=CORRIDOR, finish="done_action")
    _, reward, terminated, _, info = play(env, "MOVE_FORWARD", "MOVE_FORWARD")
    assert (reward, terminated, info["event"]) == (0.0, False, "MOVED")
    _, reward, terminated, _, info = env.step(int(Action.DONE))
    assert (reward, terminated, info["event"], info["is_success"]) == (1.0, True, "DONE", True)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_truncates_after_exactly_the_limit(limit: int) -> None:
    env = GridWorldEnv(maze=ALL_KINDS, max_steps=limit)
    _, info = env.reset()
    for step in range(1, limit + 1):
        *_, terminated, truncated, info = env.step(0)
        assert (terminated, truncated) == (False, step == limit)
        assert info["steps_left"] == limit - step
    assert info["is_success"] is False


def test_goal_on_the_last_step_is_success_not_timeout() -> None:
    _, _, terminated, truncated, info = play(
        GridWorldEnv(maze=CORRIDOR, max_steps=2), "MOVE_FORWARD", "MOVE_FORWARD"
    )
    assert (terminated, truncated, info["is_success"]) == (True, False, True)


def test_step_limit_is_the_argument_then_the_file_then_a_multiple_of_the_optimum() -> None:
    def limit(**kwargs: Any) -> int:
        env = GridWorldEnv(**kwargs)
        return int(env.reset()[1]["steps_left"])

    payload = codec.to_dict(CORRIDOR)
    assert limit(maze=payload) == MAX_STEPS_PER_OPTIMAL * 2
    assert limit(maze=payload | {"max_steps": 33}) == 33
    assert limit(maze=payload | {"max_steps": 33}, max_steps=11) == 11


def test_time_limit_of_gym_make_works_beside_our_own() -> None:
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(TALL), max_episode_steps=3)
    env.reset()
    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]


def test_info_of_a_reset_describes_the_level() -> None:
    _, info = GridWorldEnv(maze=ALL_KINDS).reset()
    assert info["level_hash"] == ALL_KINDS.content_hash
    assert info["level_id"] == "all_kinds"
    assert info["optimal_actions"] == len(solver.solve(ALL_KINDS).actions)
    assert info["event"] is None
    assert "is_success" not in info


@pytest.mark.parametrize(
    "action", [np.int64(2), np.int8(2), np.array(2), np.array(2, np.uint8), Action.MOVE_FORWARD]
)
def test_integers_of_any_kind_are_actions(action: Any) -> None:
    env = GridWorldEnv(maze=CORRIDOR)
    env.reset()
    assert env.step(action)[4]["event"] == "MOVED"


@pytest.mark.parametrize(
    "action",
    [
        6,
        -1,
        2.0,
        2.5,
        "left",
        "MOVE_FORWARD",
        None,
        True,
        np.array([2]),
        np.array([1, 2]),
        np.float64(2),
        [2],
    ],
)
def test_anything_else_is_refused_and_changes_nothing(action: Any) -> None:
    env = GridWorldEnv(maze=CORRIDOR)
    env.reset()
    before = env.state
    with pytest.raises(InvalidAction, match="MOVE_FORWARD"):
        env.step(action)
    assert (env.state, env.steps_left) == (before, MAX_STEPS_PER_OPTIMAL * 2)


def test_step_before_reset_and_after_the_end_is_refused() -> None:
    env = GridWorldEnv(maze=CORRIDOR)
    for call in (lambda: env.step(0), env.render, lambda: env.state, lambda: env.maze, env.action_masks):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    play(env, "MOVE_FORWARD", "MOVE_FORWARD")
    with pytest.raises(ResetNeeded, match="ended"):
        env.step(0)
    env.reset()
    env.step(0)


@given(maze=mazes(), chosen=choices(max_size=30))
@settings(max_examples=25)
def test_mask_is_one_exactly_where_the_state_changes(maze: Maze, chosen: bytes) -> None:
    env = GridWorldEnv(maze=maze, max_steps=1_000)
    _, info = env.reset()
    for action in actions_of(rules.compile_board(maze), chosen):
        for candidate in Action:
            probe = copy.deepcopy(env)
            *_, terminated, _, _ = probe.step(int(candidate))
            assert info["action_mask"][candidate] == (probe.state != env.state or terminated)
        assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        *_, terminated, truncated, info = env.step(int(action))
        if terminated or truncated:
            break


def test_masked_sampling_never_bumps_into_anything() -> None:
    env = GridWorldEnv(maze=ALL_KINDS, max_steps=2_000)
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(1_000):
        *_, terminated, _, info = env.step(int(env.action_space.sample(info["action_mask"])))
        assert info["event"] not in {"BLOCKED", "NOTHING", "WRONG_DONE"}
        if terminated:
            _, info = env.reset()


def test_each_direction_moves_the_agent_the_right_way_in_index_text_and_state() -> None:
    """Row grows south, column grows east: the same in the arrays, the picture and the rules."""
    for facing, (south, east), glyph in (
        (Facing.NORTH, (-1, 0), "^"),
        (Facing.EAST, (0, 1), ">"),
        (Facing.SOUTH, (1, 0), "v"),
        (Facing.WEST, (0, -1), "<"),
    ):
        env = GridWorldEnv(maze=ALL_KINDS, render_mode="ansi")
        before, _ = env.reset(options={"start": (2, 2), "facing": facing.name})
        after, *_ = env.step(int(Action.MOVE_FORWARD))
        assert (after["position"] - before["position"]).tolist() == [south, east]
        picture = str(env.render()).splitlines()
        assert picture[2 + south][2 + east] == glyph


def test_reset_options_choose_maze_start_and_facing() -> None:
    env = GridWorldEnv(mazes=[ALL_KINDS, TALL])
    observation, info = env.reset(options={"maze": TALL, "start": (7, 1), "facing": 1})
    assert info["level_id"] == "tall"
    assert (observation["position"].tolist(), observation["facing"]) == ([7, 1], 1)
    assert info["optimal_actions"] == 2
    assert env.reset(options={"facing": "west"})[0]["facing"] == Facing.WEST


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 3}, "unknown reset option 'level'"),
        ({"start": (0, 0)}, "free cell"),
        ({"start": (99, 1)}, "free cell"),
        ({"start": (2, 7)}, "goal"),
        ({"start": 3}, r"\(row, col\)"),
        ({"start": (1.5, 2)}, r"\(row, col\)"),
        ({"facing": "up"}, "NORTH"),
        ({"facing": 4}, "NORTH"),
        ({"facing": 1.0}, "NORTH"),
        ({"maze": TALL}, r"max_shape=\(9, 9\)"),
        ({"maze": 7}, "a Maze, a dict or a path"),
    ],
)
def test_wrong_reset_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        GridWorldEnv(maze=ALL_KINDS).reset(options=options)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"maze": CORRIDOR, "mazes": "starter"}, "only one of"),
        ({"finish": "whenever"}, "arrival"),
        ({"render_mode": "hologram"}, "ansi"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": 2.5}, "max_steps"),
        ({"max_steps": True}, "max_steps"),
        ({"maze": TALL, "max_shape": (8, 8)}, "smaller than the largest level"),
        ({"maze": TALL, "max_shape": 9}, r"\(rows, cols\)"),
        ({"maze": 12}, "a Maze, a dict or a path"),
    ],
)
def test_wrong_arguments_are_named(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        GridWorldEnv(**kwargs)


def test_missing_levels_and_broken_files_are_told_apart(tmp_path: Any) -> None:
    with pytest.raises(LevelsNotFound, match="starter"):
        GridWorldEnv(mazes="no-such-suite")
    with pytest.raises(LevelsNotFound, match="empty"):
        GridWorldEnv(mazes=[])
    with pytest.raises(FileNotFoundError):
        GridWorldEnv(maze=str(tmp_path / "missing.json"))
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(MazeFormatError, match=r"broken\.json"):
        GridWorldEnv(maze=tmp_path / "broken.json")


def test_unsolvable_level_is_refused_unless_a_limit_is_given() -> None:
    with pytest.raises(InvalidArgument, match="cannot be solved"):
        GridWorldEnv(maze=UNSOLVABLE).reset()
    _, info = GridWorldEnv(maze=UNSOLVABLE, max_steps=9).reset()
    assert "optimal_actions" not in info


def test_smaller_mazes_are_padded_with_wall() -> None:
    env = GridWorldEnv(mazes=[CORRIDOR, TALL], max_shape=(10, 11))
    observation, _ = env.reset(options={"maze": CORRIDOR})
    grid = observation["grid"]
    assert grid.shape == (10, 11, 3)
    assert (grid[3:, :, 0] == Object.WALL).all()
    assert (grid[:, 5:, 0] == Object.WALL).all()
    assert grid[3:].max() == Object.WALL


def test_levels_are_drawn_by_the_seed_and_all_of_them_occur() -> None:
    env = GridWorldEnv(mazes="starter")
    first = [env.reset(seed=seed)[1]["level_id"] for seed in range(80)]
    again = [GridWorldEnv(mazes="starter").reset(seed=seed)[1]["level_id"] for seed in range(80)]
    assert first == again
    assert set(first) == {maze.level_id for maze in suites.load("starter")}


def test_unseeded_resets_after_a_seeded_one_repeat() -> None:
    def levels() -> list[str]:
        env = GridWorldEnv(mazes="starter")
        env.reset(seed=11)
        return [env.reset()[1]["level_id"] for _ in range(20)]

    assert levels() == levels()


def test_no_global_generator_is_touched() -> None:
    random.seed(5)
    before = random.getstate()
    env = GridWorldEnv(mazes="starter")
    env.reset(seed=1)
    env.step(0)
    assert random.getstate() == before


def test_a_level_is_the_same_whatever_was_played_before_it() -> None:
    env = GridWorldEnv(mazes=[ALL_KINDS, TRAP])
    fresh, _ = GridWorldEnv(mazes=[ALL_KINDS, TRAP]).reset(options={"maze": ALL_KINDS})
    for episode in range(6):
        env.reset(seed=episode)
        for _ in range(10):
            env.step(int(env.action_space.sample()))
    again, info = env.reset(options={"maze": ALL_KINDS})
    assert all(np.array_equal(fresh[name], again[name]) for name in fresh)  # type: ignore[literal-required]
    assert info["steps_left"] == MAX_STEPS_PER_OPTIMAL * info["optimal_actions"]


def test_class_metadata_survives_instances() -> None:
    before = json.dumps(GridWorldEnv.metadata)
    gym.make_vec("MazeNLU-v0", num_envs=2, vectorization_mode="sync").close()
    assert json.dumps(GridWorldEnv.metadata) == before


def test_pickle_after_the_oracle_has_searched() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    env.reset()
    action = env.optimal_action()
    restored = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own bytes
    assert restored.optimal_action() == action


def test_forgetting_situations_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a level remembers is bounded, and only a memory: the rules decide the same again."""

    def play_at_random(env: GridWorldEnv) -> list[Any]:
        env.reset(seed=0)
        env.action_space.seed(0)
        infos = [env.step(int(env.action_space.sample()))[4] for _ in range(300)]
        return [(info["event"], info["message"], info["action_mask"].tolist()) for info in infos]

    remembering = play_at_random(GridWorldEnv(maze=ALL_KINDS, max_steps=301))
    monkeypatch.setattr(playable, "MAX_REMEMBERED", 3)
    forgetful = GridWorldEnv(maze=ALL_KINDS, max_steps=301)
    assert play_at_random(forgetful) == remembering
    assert len(forgetful._playing()._situations) <= 3


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectorises_through_gymnasium(mode: str) -> None:
    envs = gym.make_vec("MazeNLU-v0", num_envs=3, vectorization_mode=mode, vector_kwargs={})
    try:
        observations, infos = envs.reset(seed=3)
        assert observations["grid"].shape[0] == 3
        assert infos["action_mask"].shape == (3, 6)
        envs.action_space.seed(3)
        for _ in range(60):
            observations, rewards, _, _, _ = envs.step(envs.action_space.sample())
            assert envs.observation_space.contains(observations)
            assert rewards.shape == (3,)
    finally:
        envs.close()


def test_ansi_shows_the_board_the_status_and_the_legend() -> None:
    env = GridWorldEnv(maze=ALL_KINDS, render_mode="ansi")
    play(env, "TURN_RIGHT")
    assert str(env.render()).splitlines() == [
        "#########",
        "#>..#...#",
        "#r..R.=*#",
        "#...#0..#",
        "#########",
        "step 1 of 56 | at row 1, column 1, facing east | keys: none",
        "You turn and now face east.",
        "red key k1 at row 2, column 1",
        "red door d1 at row 2, column 4, locked",
        "switch s1 at row 3, column 5, off, controls g1",
        "gate g1 at row 2, column 6, closed",
    ]


def test_without_a_render_mode_nothing_is_rendered() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    env.reset()
    assert env.render() is None


@pytest.mark.extra("stable_baselines3", "rl")
def test_stable_baselines3_accepts_the_flattened_env_without_a_warning() -> None:
    """Its checker takes every 3-D box for an image, so it is asked about the flat view of the same data."""
    from stable_baselines3.common.env_checker import check_env

    check_env(gym.wrappers.FlattenObservation(gym.make("MazeNLU-v0", maze=ALL_KINDS_PAYLOAD)))


@pytest.mark.extra("stable_baselines3", "rl")
def test_stable_baselines3_only_wonders_whether_the_grid_is_an_image() -> None:
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.preprocessing import is_image_space

    env = gym.make("MazeNLU-v0", maze=ALL_KINDS_PAYLOAD)
    with pytest.warns(UserWarning, match="image") as caught:
        check_env(env)
    assert all("is an image but" in str(each.message) or "36x36" in str(each.message) for each in caught)
    assert not is_image_space(env.observation_space["grid"])  # type: ignore[index]


@pytest.mark.extra("sb3_contrib", "rl")
def test_masked_ppo_trains_on_the_dict_observation() -> None:
    from sb3_contrib import MaskablePPO

    env = gym.make("MazeNLU-v0", maze=ALL_KINDS_PAYLOAD)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu")
    model.learn(64)
    observation, info = env.reset()
    action, _ = model.predict(observation, action_masks=info["action_mask"].astype(bool))
    env.step(action)
