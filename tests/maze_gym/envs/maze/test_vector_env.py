"""The vector env of MazeNLU: equal to as many single envs, in everything that it promises."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.envs.maze.env import GridWorldEnv
from maze_gym.envs.maze.vector_env import GridWorldVectorEnv
from maze_gym.errors import InvalidArgument
from maze_gym.wrappers import EgocentricView
from mazegen import codec
from mazegen.core import rules
from mazegen.core.rules import Action, Event

from ....strategies import mazes
from ...levels import ALL_KINDS, CORRIDOR, TALL, TRAP, UNSOLVABLE
from ..same import assert_equal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MODES = tuple(AutoresetMode)
STEPS = 10_000  # of the long proofs, in env steps
ADDED = ("event_code",)  # keys that only the vector env has
KEY_DOOR: dict[str, Any] = {"spec": {"topology": "dense_maze", "chain": "ks", "rows": 9, "cols": 9}}
# Walking and what is worth doing abound, so that episodes end for every reason.
KNOWING = 0.8
LIVELY = np.array([0, 1, 2, 2, 2, 2, 2, 3, 3, 4, 4, 5])


def pair(
    mode: AutoresetMode, envs: int, *, copy: bool = True, full_infos: bool = True, **kwargs: Any
) -> tuple[GridWorldVectorEnv, SyncVectorEnv[Any, Any]]:
    """The vector env, and single envs in a row."""
    ours = GridWorldVectorEnv(envs, autoreset_mode=mode, copy=copy, full_infos=full_infos, **kwargs)
    theirs: SyncVectorEnv[Any, Any] = SyncVectorEnv(
        [lambda: GridWorldEnv(**kwargs) for _ in range(envs)], autoreset_mode=mode
    )
    return ours, theirs


def without_added(infos: dict[str, Any]) -> dict[str, Any]:
    """Infos without what only the vector env says; that is compared with the words."""
    kept = {key: value for key, value in infos.items() if key.removeprefix("_") not in ADDED}
    if "event" in infos:
        named = [None if code < 0 else Event(int(code)).name for code in infos["event_code"]]
        spoken = zip(named, infos["event"], infos["_event"], strict=True)
        assert all(name == event for name, event, said in spoken if said)
    if "final_info" in kept:
        kept["final_info"] = without_added(kept["final_info"])
    return kept


def same_step(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    """What a reset or a step returned is the same."""
    *ours_before, our_infos = ours
    *theirs_before, their_infos = theirs
    for index, (one, other) in enumerate(zip(ours_before, theirs_before, strict=True)):
        assert_equal(one, other, f"returned[{index}]")
    assert_equal(without_added(our_infos), their_infos, "infos")


def identical(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    """What two vector envs returned is the same."""
    for index, (mine, yours) in enumerate(zip(one, other, strict=True)):
        assert_equal(mine, yours, f"returned[{index}]")


def play_alike(
    ours: GridWorldVectorEnv, theirs: SyncVectorEnv[Any, Any], steps: int, seed: int = 7
) -> dict[str, int]:
    """Play both, comparing everything; how often episodes ended in which way."""
    generator = np.random.default_rng(seed)
    envs = ours.num_envs
    same_step(ours.reset(seed=seed), theirs.reset(seed=seed))
    counts = {"terminated": 0, "truncated": 0}
    ended = np.zeros(envs, np.bool_)
    for _ in range(steps):
        actions = generator.choice(LIVELY, envs)
        for env in range(0, envs, 4):  # one in four knows the way, for chance alone hardly ever succeeds
            if not ended[env] and generator.random() < KNOWING:
                actions[env] = theirs.envs[env].unwrapped.optimal_action() or 0  # type: ignore[attr-defined]
        outcome = ours.step(actions)
        same_step(outcome, theirs.step(actions))
        _, _, terminated, truncated, _ = outcome
        counts["terminated"] += int(terminated.sum())
        counts["truncated"] += int(truncated.sum())
        ended = terminated | truncated
        if ours.autoreset_mode == AutoresetMode.DISABLED and ended.any():
            again = [each.reset(options={"reset_mask": ended}) for each in (ours, theirs)]
            same_step(*again)
            ended[:] = False
    return counts


LEVELS: dict[str, dict[str, Any]] = {
    "suite": {"suite": "starter", "max_steps": 60},
    "unlimited": KEY_DOOR | {"max_steps": 60},
    "few": KEY_DOOR | {"num_levels": 3, "start_level": 5, "max_shape": (10, 12), "max_steps": 50},
    "sizes": {"mazes": [codec.to_dict(each) for each in (ALL_KINDS, TALL, TRAP, CORRIDOR)], "max_steps": 30},
    "one": {"maze": codec.to_dict(ALL_KINDS), "finish": "done_action"},
}


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_equals_single_envs_in_every_field_of_10_000_steps(mode: AutoresetMode) -> None:
    envs = 16
    counts = play_alike(*pair(mode, envs, **LEVELS["suite"]), STEPS // envs)
    assert all(count >= 5 for count in counts.values()), counts


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("levels", ["unlimited", "few", "sizes", "one"])
def test_equals_single_envs_wherever_levels_come_from(mode: AutoresetMode, levels: str) -> None:
    envs = 8
    counts = play_alike(*pair(mode, envs, **LEVELS[levels]), STEPS // 4 // envs)
    assert sum(counts.values()) >= 20, counts


def test_equals_single_envs_where_a_level_has_no_plan() -> None:
    mazes_ = [codec.to_dict(UNSOLVABLE), codec.to_dict(CORRIDOR)]
    play_alike(*pair(AutoresetMode.SAME_STEP, 6, mazes=mazes_, max_steps=5), 60)
    ours, theirs = pair(AutoresetMode.NEXT_STEP, 2, maze=codec.to_dict(UNSOLVABLE), max_steps=5)
    play_alike(ours, theirs, 12)
    assert "optimal_actions" not in ours.reset()[1]


@settings(max_examples=20)
@given(
    drawn=st.lists(mazes(), min_size=1, max_size=3),
    mode=st.sampled_from(MODES),
    finish=st.sampled_from(("arrival", "done_action")),
    seed=st.integers(0, 2**32),
)
def test_equals_single_envs_on_any_mazes(
    drawn: list[Any], mode: AutoresetMode, finish: str, seed: int
) -> None:
    ours, theirs = pair(mode, 3, mazes=drawn, max_steps=9, finish=finish)
    generator = np.random.default_rng(seed)
    same_step(ours.reset(seed=seed), theirs.reset(seed=seed))
    for _ in range(40):
        actions = generator.choice(LIVELY, 3)
        outcome = ours.step(actions)
        same_step(outcome, theirs.step(actions))
        if mode == AutoresetMode.DISABLED and (outcome[2] | outcome[3]).any():
            same_step(ours.reset(), theirs.reset())


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(("size", "through"), [(7, False), (5, True), (3, False)])
def test_equals_single_envs_in_the_egocentric_view(mode: AutoresetMode, size: int, *, through: bool) -> None:
    kwargs: dict[str, Any] = {"suite": "starter", "max_steps": 25}
    ours = GridWorldVectorEnv(
        8, autoreset_mode=mode, full_infos=True, view_size=size, see_through_walls=through, **kwargs
    )
    theirs: SyncVectorEnv[Any, Any] = SyncVectorEnv(
        [lambda: EgocentricView(GridWorldEnv(**kwargs), size, see_through_walls=through)] * 8,
        autoreset_mode=mode,
    )
    assert ours.single_observation_space == theirs.single_observation_space
    play_alike(ours, theirs, 150)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("view_size", [None, 5])
def test_two_sets_of_arrays_hold_what_fresh_ones_hold(mode: AutoresetMode, view_size: int | None) -> None:
    kwargs: dict[str, Any] = LEVELS["sizes"] | {"view_size": view_size, "autoreset_mode": mode}
    fresh, reused = GridWorldVectorEnv(12, **kwargs), GridWorldVectorEnv(12, copy=False, **kwargs)
    generator = np.random.default_rng(3)
    identical(reused.reset(seed=1), fresh.reset(seed=1))
    before = None
    for step in range(300):
        actions = generator.choice(LIVELY, 12)
        outcome, expected = reused.step(actions), fresh.step(actions)
        identical(outcome, expected)
        if before is not None:
            assert_equal(before[0], before[1], "the step before it")
        before = outcome[0], expected[0]
        ended = expected[2] | expected[3]
        if (mode == AutoresetMode.DISABLED and ended.any()) or step % 50 == 49:
            mask = ended if ended.any() else np.arange(12) % 5 == 0
            options = [{"reset_mask": mask}] * 2
            identical(reused.reset(options=options[0]), fresh.reset(options=options[1]))
            before = None


def test_two_sets_of_arrays_take_turns() -> None:
    envs = GridWorldVectorEnv(4, maze=ALL_KINDS, copy=False)
    envs.reset()
    observations = [envs.step(np.full(4, Action.TURN_LEFT))[0] for _ in range(3)]
    for name, array in observations[2].items():
        assert np.shares_memory(array, observations[0][name])
        assert not np.shares_memory(array, observations[1][name])


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_arrays_are_fresh_on_every_call(mode: AutoresetMode) -> None:
    """Also those inside ``final_info`` and ``final_obs``, and nothing changes after it was handed out."""
    envs = GridWorldVectorEnv(4, maze=CORRIDOR, max_steps=3, autoreset_mode=mode)
    kept: list[tuple[NDArray[Any], NDArray[Any]]] = []
    returned: list[Any] = [envs.reset(seed=0)]
    for step in range(8):
        returned.append(envs.step(np.full(4, step % 3)))
        if mode == AutoresetMode.DISABLED and step % 3 == 2:
            returned.append(envs.reset())
    for one in returned:
        for array in arrays_in(one):
            assert not any(np.shares_memory(array, other) for other, _ in kept)
        kept += [(array, array.copy()) for array in arrays_in(one)]
    envs.step(np.zeros(4, np.int64)) if mode != AutoresetMode.DISABLED else None
    assert all(np.array_equal(array, before) for array, before in kept)


def arrays_in(data: object) -> Iterator[NDArray[Any]]:
    """Every array of numbers in nested data, masks of infos excepted within one call."""
    if isinstance(data, dict):
        for value in data.values():
            yield from arrays_in(value)
    elif isinstance(data, tuple | list):
        for value in data:
            yield from arrays_in(value)
    elif isinstance(data, np.ndarray):
        if data.dtype == object:
            yield from arrays_in(list(data))
        else:
            yield data


# --- resets ----------------------------------------------------------------------------------------


def test_seeds_are_those_of_single_envs() -> None:
    ours, theirs = pair(AutoresetMode.NEXT_STEP, 3, suite="starter")
    for seed in (5, [7, None, 2**40], None, [None, None, None], 5):
        same_step(ours.reset(seed=seed), theirs.reset(seed=seed))  # type: ignore[arg-type]  # lists of None are fine
        assert ours.np_random_seed[0] == theirs.np_random_seed[0]
    number: Any = np.int64(5)
    assert ours.reset(seed=number)[1]["level_id"].tolist() == ours.reset(seed=5)[1]["level_id"].tolist()


def test_unseeded_envs_differ_and_are_not_repeated() -> None:
    one, other = (GridWorldVectorEnv(64, suite="starter", full_infos=True).reset()[1] for _ in range(2))
    assert len(set(one["level_id"])) > 5
    assert one["level_id"].tolist() != other["level_id"].tolist()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_options_are_those_of_single_envs(mode: AutoresetMode) -> None:
    ours, theirs = pair(mode, 5, suite="starter", max_steps=40, max_shape=(12, 30))
    generator = np.random.default_rng(0)
    same_step(ours.reset(seed=1), theirs.reset(seed=1))
    guest = codec.from_dict(codec.to_dict(ALL_KINDS))
    guests: tuple[dict[str, Any], ...] = (
        {"maze": guest},
        {"maze": guest, "start": (1, 3), "facing": "SOUTH"},
        {"maze": codec.to_dict(TALL), "reset_mask": np.array([True, False, False, True, False])},
        {"facing": "west"},
        {"facing": 2, "reset_mask": np.array([False, True, False, True, False])},
        {"maze": TRAP, "start": [2, 2], "reset_mask": np.array([False, True, True, True, False])},
        {"maze": UNSOLVABLE, "start": (1, 2)},
        {},
    )
    for options in guests:
        given_mask = options.get("reset_mask")
        same_step(ours.reset(options=dict(options)), theirs.reset(options=dict(options)))
        for step in range(25):
            actions = generator.choice(LIVELY, 5)
            if mode == AutoresetMode.DISABLED and ours._ended.any():
                break
            same_step(ours.step(actions), theirs.step(actions))
            if step == 12 and given_mask is not None:
                again = {"reset_mask": ~given_mask}
                same_step(ours.reset(seed=3, options=dict(again)), theirs.reset(seed=3, options=again))
        if mode == AutoresetMode.DISABLED:
            same_step(ours.reset(), theirs.reset())


def test_options_of_the_caller_stay_as_they_are() -> None:
    envs = GridWorldVectorEnv(2, maze=CORRIDOR)
    envs.reset()
    options = {"reset_mask": np.array([True, False]), "facing": "EAST"}
    envs.reset(options=options)
    assert set(options) == {"reset_mask", "facing"}


def test_a_refused_reset_changes_nothing() -> None:
    envs = GridWorldVectorEnv(2, maze=ALL_KINDS, full_infos=True)
    envs.reset()
    envs.step(np.array([1, 1]))
    states = [envs.state(env) for env in range(2)]
    for options in ({"start": (0, 0)}, {"maze": UNSOLVABLE}, {"facing": "UP"}, {"speed": 3}):
        with pytest.raises(InvalidArgument):
            envs.reset(options=options)
    assert [envs.state(env) for env in range(2)] == states
    assert envs.step(np.array([0, 1]))[4]["steps_left"].tolist() == [envs._batch.now.steps_left[0]] * 2


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("levels", ["suite", "unlimited"])
def test_after_a_refused_reset_with_a_seed_play_goes_on_as_in_single_envs(
    mode: AutoresetMode, levels: str
) -> None:
    ours, theirs = pair(mode, 2, **LEVELS[levels] | {"max_steps": 3, "max_shape": (30, 30)})
    same_step(ours.reset(seed=0), theirs.reset(seed=0))
    for each in (ours, theirs):
        with pytest.raises(InvalidArgument, match="option start"):
            # Single envs in a row get no further than the first, so only that one is given a seed.
            each.reset(seed=[5, None], options={"maze": ALL_KINDS, "start": (0, 0)})
    for _ in range(10):
        if mode == AutoresetMode.DISABLED and ours._ended.any():
            same_step(ours.reset(), theirs.reset())
        actions = np.array([0, 1])
        same_step(ours.step(actions), theirs.step(actions))


# --- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limits", "expected"), [((None, 3), 3), ((5, 3), 3), ((3, 5), 3), ((None, 900), 8)])
def test_the_lowest_limit_counts(limits: tuple[int | None, int], expected: int) -> None:
    max_steps, max_episode_steps = limits
    kwargs: dict[str, Any] = {"maze": codec.to_dict(CORRIDOR), "max_episode_steps": max_episode_steps}
    envs = gym.make_vec("MazeNLU-v0", num_envs=2, max_steps=max_steps, **kwargs)
    _, infos = envs.reset()
    for step in range(1, expected + 1):
        _, _, terminated, truncated, infos = envs.step(np.zeros(2, np.int64))
        assert infos["steps_left"].tolist() == [expected - step] * 2
        assert truncated.all() == (step == expected)
        assert not terminated.any()
    assert infos["is_success"].tolist() == [False, False]


def test_success_on_the_last_step_terminates_and_does_not_truncate() -> None:
    envs = GridWorldVectorEnv(1, maze=CORRIDOR, max_episode_steps=2)
    envs.reset()
    envs.step(np.array([2]))
    _, reward, terminated, truncated, infos = envs.step(np.array([2]))
    assert (reward[0], terminated[0], truncated[0]) == (1.0, True, False)
    assert infos["is_success"].tolist() == [True]


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "3", None])
def test_a_number_of_envs_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(InvalidArgument, match="num_envs must be an integer from 1 to"):
        GridWorldVectorEnv(count, maze=CORRIDOR)


@pytest.mark.parametrize(
    "actions",
    [[0], [0, 1, 2], 1, [[0], [1]], [0.0, 1.0], ["a", "b"], [True, False], None, [0, None], [0, 6], [-1, 0]],
    ids=str,
)
def test_actions_that_are_none_are_refused_and_nothing_is_played(actions: Any) -> None:
    envs = GridWorldVectorEnv(2, maze=ALL_KINDS)
    limit = envs.reset()[1]["steps_left"][0]
    with pytest.raises(InvalidAction, match="action"):
        envs.step(actions)
    assert envs.step(np.array([0, 0]))[4]["steps_left"][0] == limit - 1


def test_a_wrong_action_is_named_with_its_env() -> None:
    envs = GridWorldVectorEnv(3, maze=ALL_KINDS)
    envs.reset()
    with pytest.raises(InvalidAction, match=r"0 TURN_LEFT, .* got 18446744073709551615 for env 1"):
        envs.step(np.array([0, 2**64 - 1, 1], np.uint64))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_integers_of_every_kind_are_actions(dtype: Any) -> None:
    envs = GridWorldVectorEnv(2, maze=ALL_KINDS)
    envs.reset()
    strided = np.array([[1, 9], [2, 9]], dtype)[:, 0]
    read_only = np.array([1, 2], dtype)
    read_only.flags.writeable = False
    for actions in (strided, read_only, [1, 2], (np.int64(1), 2)):
        envs.step(actions)  # type: ignore[arg-type]  # any integers serve
    assert [envs.state(env).facing for env in range(2)] == [envs.maze(0).start_facing] * 2


def test_play_before_reset_and_after_the_end_is_refused() -> None:
    envs = GridWorldVectorEnv(
        2, maze=CORRIDOR, autoreset_mode="Disabled", max_steps=1, render_mode="rgb_array"
    )
    for call in (lambda: envs.step(np.array([0, 0])), envs.render, envs.action_masks, lambda: envs.state(0)):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    with pytest.raises(InvalidArgument, match="never begun"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset()
    envs.step(np.array([0, 0]))
    envs.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeeded, match="env 1 has ended"):
        envs.step(np.array([0, 0]))


@pytest.mark.parametrize(
    "mask", [[True, False], np.array([1, 0]), np.array([True]), np.array([False, False])], ids=str
)
def test_a_reset_mask_that_is_none_is_refused(mask: Any) -> None:
    envs = GridWorldVectorEnv(2, maze=CORRIDOR)
    envs.reset()
    with pytest.raises(InvalidArgument, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("seed", [-1, [1], [1, 2, 3], [1, -2], 1.5, "a", True, [True, 1]], ids=str)
def test_seeds_that_are_none_are_refused(seed: Any) -> None:
    with pytest.raises(InvalidArgument, match="seed"):
        GridWorldVectorEnv(2, maze=CORRIDOR).reset(seed=seed)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"autoreset_mode": "sometimes"}, "'NextStep', 'SameStep', 'Disabled'"),
        ({"render_mode": "human"}, "render_mode"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"max_steps": 1.5}, "max_steps"),
        ({"view_size": 4}, "odd number from 3"),
        ({"view_size": True}, "view_size"),
        ({"see_through_walls": True}, "needs view_size"),
        ({"view_size": 3, "see_through_walls": 1}, "True or False"),
        ({"finish": "never"}, "arrival, done_action"),
        ({"max_shape": (2, 2)}, "max_shape"),
        ({"suite": "starter"}, "only one of"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_arguments_out_of_range_are_refused(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        GridWorldVectorEnv(2, maze=CORRIDOR, **kwargs)


# --- Gymnasium -------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["MazeNLU-v0", "MazeNLU-KeyDoor-9x9-v0"])
def test_make_vec_takes_the_native_env(env_id: str) -> None:
    envs = gym.make_vec(env_id, num_envs=2)
    assert isinstance(envs.unwrapped, GridWorldVectorEnv)
    assert envs.spec is not None
    again = gym.make_vec(envs.spec)
    assert_equal(again.reset(seed=2)[0], envs.reset(seed=2)[0])
    single = gym.make(env_id)
    assert (envs.single_observation_space, envs.single_action_space) == (
        single.observation_space,
        single.action_space,
    )
    observation, *_ = envs.step(envs.action_space.sample())
    assert observation in envs.observation_space
    envs.close()
    envs.close()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_gymnasium_counts_the_same_episodes_as_over_single_envs(mode: AutoresetMode) -> None:
    wrapped: list[Any] = list(pair(mode, 4, maze=CORRIDOR, max_steps=6))
    if mode != AutoresetMode.SAME_STEP:  # where Gymnasium's wrapper refuses to flatten
        wrapped = [gym.wrappers.vector.FlattenObservation(each) for each in wrapped]
    wrapped = [gym.wrappers.vector.RecordEpisodeStatistics(each) for each in wrapped]
    generator = np.random.default_rng(0)
    assert_equal(wrapped[0].reset(seed=0)[0], wrapped[1].reset(seed=0)[0])
    for _ in range(60):
        actions = generator.choice(LIVELY, 4)
        one, other = (each.step(actions) for each in wrapped)
        assert_equal(one[0], other[0])
        if mode == AutoresetMode.DISABLED and (one[2] | one[3]).any():
            for each in wrapped:
                each.reset()
    for name in ("return_queue", "length_queue"):
        assert list(getattr(wrapped[0], name)) == list(getattr(wrapped[1], name))
    assert len(wrapped[0].return_queue) > 10


def test_infos_become_lists_with_gymnasiums_wrapper() -> None:
    envs = gym.wrappers.vector.DictInfoToList(GridWorldVectorEnv(2, maze=ALL_KINDS, full_infos=True))
    _, infos = envs.reset()
    assert infos[1]["level_id"] == "all_kinds"
    assert infos[0]["action_mask"].shape == (6,)


def test_a_pickled_vector_env_goes_on_like_the_original() -> None:
    for copy in (True, False):
        kwargs: dict[str, Any] = KEY_DOOR | {"copy": copy, "max_steps": 20}
        envs = GridWorldVectorEnv(6, **kwargs)
        envs.reset(seed=4)
        for _ in range(30):
            envs.step(np.full(6, Action.MOVE_FORWARD))
        twin = pickle.loads(pickle.dumps(envs))  # noqa: S301 - our own bytes
        generator = np.random.default_rng(1)
        for _ in range(60):
            actions = generator.choice(LIVELY, 6)
            identical(twin.step(actions), envs.step(actions))


def test_frames_are_those_of_single_envs() -> None:
    kwargs: dict[str, Any] = {"suite": "starter", "render_mode": "rgb_array", "cell_px": 8}
    ours = gym.make_vec("MazeNLU-v0", num_envs=3, **kwargs)
    theirs: SyncVectorEnv[Any, Any] = SyncVectorEnv([lambda: GridWorldEnv(**kwargs)] * 3)
    for each in (ours, theirs):
        each.reset(seed=2)
        each.step(np.array([0, 1, 2]))
    frames, expected = ours.render(), theirs.render()
    assert frames is not None
    assert all(np.array_equal(one, other) for one, other in zip(frames, expected, strict=True))
    assert GridWorldVectorEnv(1, maze=CORRIDOR).render() is None


def test_state_mask_and_maze_are_at_hand() -> None:
    envs = GridWorldVectorEnv(2, mazes=[TALL, ALL_KINDS], max_shape=(10, 12))
    _, infos = envs.reset(seed=3)
    for _ in range(20):
        for env in range(2):
            board = rules.compile_board(envs.maze(env))
            outcomes = [rules.step(board, envs.state(env), action) for action in Action]
            changing = [each.state != envs.state(env) or each.event == Event.DONE for each in outcomes]
            assert envs.action_masks()[env].tolist() == changing
            assert infos["action_mask"][env].tolist() == changing
        *_, infos = envs.step(np.array([2, 1]))


SCRIPT = """
import hashlib, numpy as np
from maze_gym.envs.maze.vector_env import GridWorldVectorEnv
digest = hashlib.sha256()
def take(data):
    if isinstance(data, dict):
        for key in sorted(data):
            take(data[key])
    elif isinstance(data, np.ndarray) and data.dtype != object:
        digest.update(str((data.dtype, data.shape)).encode() + data.tobytes())
    elif isinstance(data, (np.ndarray, list, tuple)):
        for each in data:
            take(each)
    else:
        digest.update(repr(data).encode())
for kwargs in ({}, {"view_size": 5}, {"view_size": 3, "see_through_walls": True, "copy": False}):
    envs = GridWorldVectorEnv(5, suite="starter", max_steps=7, autoreset_mode="SameStep", **kwargs)
    generator = np.random.default_rng(0)
    take(envs.reset(seed=3))
    for _ in range(30):
        take(envs.step(generator.choice([0, 1, 2, 2, 2, 3, 4, 5], 5)))
print(digest.hexdigest())
"""


def test_without_the_compiler_everything_is_the_same() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    }
    assert len(digests) == 1
