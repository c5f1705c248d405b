"""The vector env of PacmanArray: equal to as many single envs, in everything that it promises."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.envs.pacman.env import PacmanArrayEnv
from maze_gym.envs.pacman.rules import Event
from maze_gym.envs.pacman.rules.layout import LayoutError
from maze_gym.envs.pacman.vector_env import PacmanVectorEnv
from maze_gym.errors import InvalidArgument

from ..same import assert_equal
from .boards import TOGETHER

MODES = tuple(AutoresetMode)
STEPS = 10_000  # of the long proof, in env steps
ADDED = ("event_code",)  # keys that only the vector env has
SMALL = ["P.O..", ".WW.G", "...O.", ".W.WG", "....."]
APART = ["P....", "WWWWW", "EEEEg"]  # nobody ever meets
TALL = ["P.", "O.", ".W", "..", "G."]
MINDS: dict[str, dict[str, Any]] = {
    "readme": {},
    "lucky": {"random_ties": True},
    "by path": {"chase": "path", "random_ties": True},
    "fleeing": {"random_ties": True, "flee": True},
    "scattering": {"chase": "path", "scatter": True, "flee": True},
}
PRESET: dict[str, Any] = {"spec": {"rows": 7, "cols": 6}, "num_levels": 4}


def pair(mode: AutoresetMode, envs: int, **kwargs: Any) -> tuple[PacmanVectorEnv, SyncVectorEnv[Any, Any]]:
    """The vector env, and single envs in a row."""
    ours = PacmanVectorEnv(envs, autoreset_mode=mode, full_infos=True, **kwargs)
    theirs: SyncVectorEnv[Any, Any] = SyncVectorEnv(
        [lambda: PacmanArrayEnv(**kwargs) for _ in range(envs)], autoreset_mode=mode
    )
    return ours, theirs


def without_added(infos: dict[str, Any]) -> dict[str, Any]:
    """Infos without what only the vector env says; that is compared with the words."""
    kept = {key: value for key, value in infos.items() if key.removeprefix("_") not in ADDED}
    for code, names, said in zip(infos["event_code"], infos["events"], infos["_events"], strict=True):
        bits = max(int(code), 0)
        assert not said or names == tuple(str(event.name) for event in Event if bits & event)
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


def play_alike(
    ours: PacmanVectorEnv, theirs: SyncVectorEnv[Any, Any], steps: int, seed: int = 7
) -> dict[str, int]:
    """Play both, comparing everything; how often games were won, lost and cut off."""
    generator = np.random.default_rng(seed)
    envs = ours.num_envs
    same_step(ours.reset(seed=seed), theirs.reset(seed=seed))
    counts = {"won": 0, "lost": 0, "cut off": 0}
    ended = np.zeros(envs, np.bool_)
    for _ in range(steps):
        actions = generator.integers(0, 4, envs)
        for env in range(envs // 2):  # half of them are hungry and careful, or games would be short and lost
            if not ended[env] and generator.random() < 0.9:
                actions[env] = theirs.envs[env].unwrapped.greedy_action()  # type: ignore[attr-defined]
        outcome = ours.step(actions)
        same_step(outcome, theirs.step(actions))
        _, _, terminated, truncated, infos = outcome
        last = infos.get("final_info", infos)
        won = last["is_success"] if "is_success" in last else np.zeros(envs, np.bool_)
        counts["won"] += int(won.sum())
        counts["lost"] += int((terminated & ~won).sum())
        counts["cut off"] += int(truncated.sum())
        ended = terminated | truncated
        if ours.autoreset_mode == AutoresetMode.DISABLED and ended.any():
            again = [each.reset(options={"reset_mask": ended}) for each in (ours, theirs)]
            same_step(*again)
            ended = np.zeros(envs, np.bool_)
    return counts


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_equals_single_envs_in_every_field_of_10_000_steps(mode: AutoresetMode) -> None:
    counts = play_alike(*pair(mode, 10, layout=SMALL, max_steps=40), STEPS // 10)
    assert all(counts.values()), counts


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("mind", MINDS)
def test_equals_single_envs_whatever_ghosts_think(mode: AutoresetMode, mind: str) -> None:
    kwargs: dict[str, Any] = {"ghosts": MINDS[mind], "max_steps": 60}
    play_alike(*pair(mode, 6, layouts=["classic", SMALL, TALL], **kwargs), 100)
    play_alike(*pair(mode, 4, layout="classic", max_shape=(12, 18), **kwargs), 60)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_equals_single_envs_on_generated_boards(mode: AutoresetMode) -> None:
    play_alike(*pair(mode, 3, **PRESET), 150)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("limit", [1, 200])
def test_equals_single_envs_where_ghosts_are_eaten_together(mode: AutoresetMode, limit: int) -> None:
    ours, theirs = pair(mode, 2, layout=TOGETHER, max_steps=limit)
    same_step(ours.reset(seed=0), theirs.reset(seed=0))
    outcome = ours.step(np.array([0, 1]))
    same_step(outcome, theirs.step(np.array([0, 1])))
    _, rewards, *_, infos = outcome
    assert rewards.tolist() == [4.5, 0.1]
    assert infos.get("final_info", infos)["message"][0].endswith("You eat 2 ghosts: 400 points.")


def test_more_boards_than_are_kept_take_turns() -> None:
    ours, theirs = pair(AutoresetMode.SAME_STEP, 2, layouts=[SMALL, TALL, "classic"], max_steps=4)
    ours._pool._most = 2
    play_alike(ours, theirs, 60)
    assert len(ours._pool.boards) == 2


@settings(max_examples=15)
@given(seed=st.integers(0, 2**31), mind=st.sampled_from(sorted(MINDS)))
def test_equals_single_envs_for_any_seed(seed: int, mind: str) -> None:
    ours, theirs = pair(AutoresetMode.SAME_STEP, 4, layouts=[SMALL, TALL], ghosts=MINDS[mind], max_steps=25)
    play_alike(ours, theirs, 40, seed)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    "boards",
    [{}, {"layouts": [SMALL, "classic"], "ghosts": {"random_ties": True}}],
    ids=["the same one", "drawn"],
)
def test_options_are_those_of_single_envs(mode: AutoresetMode, boards: dict[str, Any]) -> None:
    ours, theirs = pair(mode, 4, max_steps=5, **boards)  # so few that each option is followed by autoresets
    generator = np.random.default_rng(0)
    same_step(ours.reset(seed=1), theirs.reset(seed=1))
    chosen: tuple[dict[str, Any], ...] = (
        {"layout": TALL},
        {"luck": 12345},
        {"layout": SMALL, "player": (4, 2), "ghosts": [(0, 4)], "luck": 7},
        {"layout": SMALL, "reset_mask": np.array([True, False, True, False])},
        {"reset_mask": np.array([False, False, True, True])},
        {},
    )
    for options in chosen:
        same_step(ours.reset(options=dict(options)), theirs.reset(options=dict(options)))
        for _ in range(12):
            if mode == AutoresetMode.DISABLED and ours._ended.any():
                break
            actions = generator.integers(0, 4, 4)
            same_step(ours.step(actions), theirs.step(actions))
        if mode == AutoresetMode.DISABLED:
            same_step(ours.reset(), theirs.reset())


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_two_sets_of_arrays_hold_what_fresh_ones_hold(mode: AutoresetMode) -> None:
    kwargs: dict[str, Any] = {"layouts": [SMALL, TALL], "max_steps": 20, "autoreset_mode": mode}
    fresh, reused = PacmanVectorEnv(6, **kwargs), PacmanVectorEnv(6, copy=False, **kwargs)
    generator = np.random.default_rng(3)
    assert_equal(list(reused.reset(seed=1)), list(fresh.reset(seed=1)))
    before = None
    for _ in range(150):
        actions = generator.integers(0, 4, 6)
        outcome, expected = reused.step(actions), fresh.step(actions)
        assert_equal(list(outcome), list(expected))
        if before is not None:
            assert_equal(*before)
        before = outcome[0], expected[0]
        ended = expected[2] | expected[3]
        if mode == AutoresetMode.DISABLED and ended.any():
            again = [each.reset(options={"reset_mask": ended}) for each in (reused, fresh)]
            assert_equal(list(again[0]), list(again[1]))
            before = None


def test_states_are_those_of_single_envs_and_so_are_frames() -> None:
    kwargs: dict[str, Any] = {"layout": SMALL, "ghosts": {"random_ties": True}}
    ours = gym.make_vec("PacmanArray-v0", num_envs=3, render_mode="rgb_array", cell_px=8, **kwargs)
    assert isinstance(ours.unwrapped, PacmanVectorEnv)
    theirs: SyncVectorEnv[Any, Any] = SyncVectorEnv(
        [lambda: PacmanArrayEnv(render_mode="rgb_array", cell_px=8, **kwargs)] * 3
    )
    for each in (ours, theirs):
        each.reset(seed=2)
    for step in range(6):
        for each in (ours, theirs):
            each.step(np.array([1, 3, step % 4]))
        states = [env.unwrapped.state for env in theirs.envs]  # type: ignore[attr-defined]
        assert [ours.unwrapped.state(env) for env in range(3)] == states
        frames, expected = ours.render(), theirs.render()
        assert frames is not None
        assert all(np.array_equal(one, other) for one, other in zip(frames, expected, strict=True))


def test_the_lowest_limit_counts() -> None:
    envs = gym.make_vec("PacmanArray-v0", num_envs=2, max_steps=9, max_episode_steps=3, layout=APART)
    envs.reset()
    for step in range(1, 4):
        _, _, _, truncated, infos = envs.step(np.array([3, 3]))
        assert infos["steps_left"].tolist() == [3 - step] * 2
        assert truncated.all() == (step == 3)


def test_a_pickled_vector_env_goes_on_like_the_original() -> None:
    envs = PacmanVectorEnv(4, layouts=[SMALL, TALL], ghosts={"random_ties": True}, max_steps=15)
    envs.reset(seed=4)
    twin = pickle.loads(pickle.dumps(envs))  # noqa: S301 - our own bytes
    generator = np.random.default_rng(1)
    for _ in range(60):
        actions = generator.integers(0, 4, 4)
        assert_equal(list(twin.step(actions)), list(envs.step(actions)))


def test_bad_input_is_refused() -> None:
    for count in (0, -2, 1.5, True):
        with pytest.raises(InvalidArgument, match="num_envs"):
            PacmanVectorEnv(count)  # type: ignore[arg-type]  # that is what is tested
    envs = PacmanVectorEnv(2, layout=SMALL, autoreset_mode="Disabled", max_steps=1)
    with pytest.raises(ResetNeeded):
        envs.step(np.array([0, 0]))
    envs.reset()
    for actions in ([0], [0, 4], [0.0, 1.0], [True, False]):
        with pytest.raises(InvalidAction, match="action"):
            envs.step(np.array(actions))
    envs.step(np.array([0, 0]))
    with pytest.raises(ResetNeeded, match="env 0 has ended"):
        envs.step(np.array([0, 0]))
    for options, error in (
        ({"speed": 1}, InvalidArgument),
        ({"luck": -1}, InvalidArgument),
        ({"layout": ["W"]}, LayoutError),
        ({"layout": "classic"}, InvalidArgument),
    ):
        with pytest.raises(error):
            envs.reset(options=options)


SCRIPT = """
import hashlib, numpy as np
from maze_gym.envs.pacman.vector_env import PacmanVectorEnv
digest = hashlib.sha256()
minds = {"random_ties": True, "flee": True, "scatter": True}
envs = PacmanVectorEnv(5, ghosts=minds, max_steps=20)
generator = np.random.default_rng(0)
envs.reset(seed=3)
for _ in range(60):
    seen, *rest = envs.step(generator.integers(0, 4, 5))
    for each in (*seen.values(), *rest[:3], rest[3]["action_mask"]):
        digest.update(each.tobytes())
print(digest.hexdigest())
"""


def test_without_the_compiler_everything_is_the_same() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", SCRIPT],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    }
    assert len(digests) == 1
