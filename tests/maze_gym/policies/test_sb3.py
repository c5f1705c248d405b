"""Trained policies as files: read without pickles, refused where they do not fit; the shipped one is good."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest

from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation import run_episode
from maze_gym.evaluation.analysis.contenders import Kind, kind_of
from maze_gym.policies import check_policy_name, make_policy, sb3
from maze_gym.policies.encoding import FlatEncoding, encoding_for
from maze_gym.policies.weights_file import sizes_of
from mazegen.core.rules import Action

from ..levels import ALL_KINDS, CORRIDOR, TALL

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 400_000  # bytes of what is shipped


SIZES = {"channels": 2, "looks": 3, "joined": 2 * 9 + 3 * 5 + 6, "features": 8, "hidden": 8, "head": 64}


def trained(network: str = "planner", **changes: Any) -> sb3.Trained:
    """Random weights of the right shapes."""
    names = changes.get("action_names", tuple(action.name for action in Action))
    generator = np.random.default_rng(0)
    weights = {
        name: generator.normal(
            size=[SIZES[size] if isinstance(size, str) else size for size in sizes]
        ).astype(np.float32)
        for name, sizes in sizes_of(network, len(names), changes.get("numbers", 0)).items()
    }
    found = sb3.Trained(
        "MazeNLU-v0", network, "maze", (5, 9), 0, masked=False, action_names=names, weights=weights
    )
    return found._replace(**changes)


def test_a_policy_survives_its_files_and_no_pickle_is_read(tmp_path: Path) -> None:
    before = trained()
    sb3.save(tmp_path, before)
    after = sb3.load(tmp_path)
    assert after._replace(weights={}) == before._replace(weights={})
    for name, values in before.weights.items():
        np.testing.assert_array_equal(values, after.weights[name])
    np.savez(tmp_path / sb3.WEIGHTS, evil=np.array([object()], object))
    with pytest.raises(InvalidArgument, match="can be read"):
        sb3.load(tmp_path)


@pytest.mark.parametrize("maze", [ALL_KINDS, TALL, CORRIDOR])
def test_a_planner_plays_boards_of_every_size(tmp_path: Path, maze: Any) -> None:
    sb3.save(tmp_path, trained())
    env = GridWorldEnv(maze=maze)
    assert run_episode(env, make_policy(f"sb3:{tmp_path}", env), seed=0).steps > 0


def test_a_masked_policy_keeps_to_the_mask(tmp_path: Path) -> None:
    sb3.save(tmp_path, trained(masked=True))
    env = GridWorldEnv(maze=ALL_KINDS)
    seen, info = env.reset()
    for only in range(6):
        info["action_mask"] = np.eye(6, dtype=np.int8)[only]
        for kind in ("sb3", "sb3-sampled"):
            assert make_policy(f"{kind}:{tmp_path}", env, 0).act(seen, info) == only


@pytest.mark.parametrize(
    ("changes", "maze", "match"),
    [
        ({"network": "view"}, TALL, r"observed as 5 x 9, and this env observes 9 x 5"),
        ({"network": "flat", "encoding": "flat", "numbers": 7}, TALL, "observations of 7 numbers"),
        ({"action_names": ("UP", "DOWN"), "world": "PacmanArray-v0"}, TALL, "trained in PacmanArray-v0"),
    ],
)
def test_an_env_that_does_not_fit_is_told_what_differs(
    tmp_path: Path, changes: dict[str, Any], maze: Any, match: str
) -> None:
    sb3.save(tmp_path, trained(**changes))
    with pytest.raises(InvalidArgument, match=match):
        make_policy(f"sb3:{tmp_path}", GridWorldEnv(maze=maze))


FLAT = {"network": "flat", "encoding": "flat"}


def flat_policy(env: gym.Env[Any, Any], **changes: Any) -> sb3.Trained:
    """As if it had been trained on the flat numbers of an env."""
    encoding = encoding_for(env.observation_space, "flat")
    assert isinstance(encoding, FlatEncoding)
    names = tuple(env.unwrapped.action_names)  # type: ignore[attr-defined]  # a world of ours
    known: dict[str, Any] = {"action_names": names, "numbers": encoding.numbers, "entries": encoding.entries}
    return trained(**FLAT | known | changes)


@pytest.mark.parametrize(
    ("trained_on", "played", "match"),
    [
        (("PacmanArray-v0", {}), ("PacmanArray-Random-v0", {}), "'score' .* high 4400, .* high 5400"),
        (("PacmanArray-v0", {}), ("PacmanArray-v0", {"max_steps": 1000}), "'steps' .*200, .* high 1000"),
        (("MazeNLU-v0", {"maze": ALL_KINDS}), ("MazeNLU-v0", {"maze": TALL}), r"'grid' .* shape \[5, 9, 3\]"),
    ],
)
def test_numbers_of_other_bounds_are_refused_by_name(
    tmp_path: Path, trained_on: tuple[str, Any], played: tuple[str, Any], match: str
) -> None:
    """There are as many of them, so that nothing else would tell."""
    env, other = (gym.make(env_id, **kwargs) for env_id, kwargs in (trained_on, played))
    sb3.save(tmp_path, flat_policy(env))
    make_policy(f"sb3:{tmp_path}", env)
    with pytest.raises(InvalidArgument, match=match):
        make_policy(f"sb3:{tmp_path}", other)
    entries = {"more": {"choices": 2, "first": 0}}
    sb3.save(tmp_path, flat_policy(env, entries=flat_policy(env).entries | entries))  # type: ignore[operator]
    with pytest.raises(
        InvalidArgument, match=r"'more' .* has choices 2, first 0, and in this .* has nothing"
    ):
        make_policy(f"sb3:{tmp_path}", env)


def test_a_flat_policy_from_before_bounds_were_kept_still_plays(tmp_path: Path) -> None:
    env = gym.make("PacmanArray-v0")
    sb3.save(tmp_path, flat_policy(env, entries=None))
    assert "entries" not in json.loads((tmp_path / sb3.DESCRIPTION).read_text(encoding="utf-8"))
    make_policy(f"sb3:{tmp_path}", env)


def test_folders_without_a_policy_are_refused_before_the_first_episode(tmp_path: Path) -> None:
    for name, match in (
        (f"sb3:{tmp_path}", "holds no trained policy"),
        ("sb3:", "names no folder"),
        ("ppoo", "did you mean 'ppo'"),
    ):
        with pytest.raises(InvalidArgument, match=match):
            check_policy_name(name)
    sb3.save(tmp_path, trained())
    description = tmp_path / sb3.DESCRIPTION
    fields = json.loads(description.read_text(encoding="utf-8"))
    for change in ({"format": 99}, {"network": "cnn"}, {"shape": [1]}, {"surprise": 1}, {"entries": 5}):
        description.write_text(json.dumps(fields | change), encoding="utf-8")
        with pytest.raises(InvalidArgument, match="does not hold a trained policy that can be read"):
            check_policy_name(f"sb3:{tmp_path}")


def test_trained_policies_are_no_language_models() -> None:
    assert kind_of("sb3:runs/one") is Kind.LEARNED
    assert kind_of("ppo") is Kind.LEARNED


def test_the_shipped_baseline_solves_levels_it_was_never_trained_on() -> None:
    spec = {"topology": "dense_maze", "chain": "k", "rows": 9, "cols": 9}
    env = gym.make("MazeNLU-v0", spec=spec, start_level=2**31)
    policy = make_policy("ppo", env)
    assert policy.name == "ppo"
    won = sum(bool(run_episode(env, policy, seed=seed).success) for seed in range(20))
    assert won >= 18


def test_the_shipped_baseline_is_small_and_has_a_card() -> None:
    folder = files("maze_gym.policies").joinpath("shipped", "ppo_maze")
    card = json.loads(folder.joinpath("card.json").read_text(encoding="utf-8"))
    assert {"training", "scores", "limits"} <= set(card)
    assert sum(len(file.read_bytes()) for file in folder.iterdir() if file.is_file()) < LARGEST


def test_the_shipped_baseline_refuses_other_worlds() -> None:
    with pytest.raises(InvalidArgument, match="trained in MazeNLU-v0"):
        make_policy("ppo", gym.make("PacmanArray-v0"))
