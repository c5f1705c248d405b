"""Training runs: they learn, leave everything behind, and when stopped end where an unbroken one does."""

from __future__ import annotations

import dataclasses
import json
import re
import runpy
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from maze_gym.errors import InvalidArgument, MissingExtra
from maze_gym.evaluation import run_episode
from maze_gym.policies import make_policy
from maze_gym.training import TrainConfig, levels, train
from mazegen import codec

from ..levels import ALL_KINDS

pytestmark = pytest.mark.extra("stable_baselines3", "rl")
ROOT = Path(__file__).parents[3]
EXAMPLE, CURVES = ROOT / "examples" / "02_train_ppo.py", ROOT / "tools" / "learning_curves.py"
TINY = TrainConfig(
    env_kwargs={"maze": codec.to_dict(ALL_KINDS)},
    steps=4 * 16 * 8,
    envs=8,
    rollout=16,
    batch_size=64,
    epochs=2,
    eval_every=16 * 8,
    eval_episodes=4,
)


class Stopped(Exception):
    """A power cut, say."""


def weights_of(folder: Path) -> dict[str, Any]:
    with np.load(folder / "policy.npz", allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def progress_of(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "progress.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("algorithm", ["ppo", "maskable-ppo"])
def test_a_run_that_was_stopped_ends_in_the_same_weights(tmp_path: Path, algorithm: Any) -> None:
    config = dataclasses.replace(TINY, algorithm=algorithm)
    train(config, tmp_path / "whole")
    seen = []

    def stop(now: Any) -> None:
        seen.append(now.steps)
        if len(seen) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        train(config, tmp_path / "broken", on_progress=stop)
    np.random.seed(999)  # noqa: NPY002 - whatever the process did in between does not matter
    train(config, tmp_path / "broken", resume=True)
    whole, broken = weights_of(tmp_path / "whole"), weights_of(tmp_path / "broken")
    assert set(whole) == set(broken)
    for name, values in whole.items():
        np.testing.assert_array_equal(values, broken[name], err_msg=name)
    lines = [
        [
            {key: value for key, value in line.items() if not key.endswith("_s")}
            for line in progress_of(tmp_path / name)
        ]
        for name in ("whole", "broken")
    ]
    assert lines[0] == lines[1]
    assert [line["steps"] for line in lines[0]] == [0, 128, 256, 384, 512]


def interrupt(*_: object, **__: object) -> Any:
    """In the place of a run's first test, which comes before its first checkpoint."""
    raise Stopped


@pytest.mark.parametrize("resume", [True, False])
def test_a_run_stopped_before_its_first_checkpoint_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, resume: bool
) -> None:
    config, out = dataclasses.replace(TINY, steps=128), tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr("maze_gym.training.run.score", interrupt)
        with pytest.raises(Stopped):
            train(config, out)
    assert sorted(path.name for path in out.iterdir()) == ["config.json", "progress.jsonl"]
    if resume:
        other = dataclasses.replace(config, seed=1)
        with pytest.raises(
            InvalidArgument, match=r"config\.json is of a run with other settings: seed \(1, not 0"
        ):
            train(other, out, resume=True)
    train(config, out, resume=resume)
    train(config, tmp_path / "whole")
    whole, broken = weights_of(tmp_path / "whole"), weights_of(out)
    assert all(np.array_equal(values, broken[name]) for name, values in whole.items())
    assert [line["steps"] for line in progress_of(out)] == [0, 128]


@pytest.mark.parametrize("resume", [True, False])
def test_results_without_their_checkpoint_are_not_trained_over(tmp_path: Path, *, resume: bool) -> None:
    config = dataclasses.replace(TINY, steps=128)
    train(config, tmp_path / "run")
    (tmp_path / "run" / "checkpoint.pt").unlink()
    with pytest.raises(
        InvalidArgument, match=r"already holds a run, without its checkpoint\.pt; choose another"
    ):
        train(config, tmp_path / "run", resume=resume)


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("content", ["{}", "{", '{"config": {"policy": "random"}}', "[]"])
def test_the_config_of_another_program_is_not_trained_over(
    tmp_path: Path, content: str, *, resume: bool
) -> None:
    (tmp_path / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(
        InvalidArgument, match=r"config\.json is not of a training run; choose another folder"
    ):
        train(TINY, tmp_path, resume=resume)
    assert (tmp_path / "config.json").read_text(encoding="utf-8") == content


def test_the_curves_of_the_docs_go_on_after_being_stopped_at_any_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves, config = runpy.run_path(str(CURVES)), dataclasses.replace(TINY, steps=128)
    with monkeypatch.context() as patched:
        patched.setattr("maze_gym.training.run.score", interrupt)
        with pytest.raises(Stopped):
            curves["play"]("tiny", config, tmp_path)
    curves["play"]("tiny", config, tmp_path)
    assert [line["steps"] for line in progress_of(tmp_path / "tiny")] == [0, 128]


def test_the_table_of_sparse_rewards_counts_the_seeds_that_learned(tmp_path: Path) -> None:
    curves = runpy.run_path(str(CURVES))
    for seed, rate in enumerate((1.0, 0.94, 0.0)):
        folder = tmp_path / f"sparse-navigation-9-maskable-ppo-sparse-{seed}"
        folder.mkdir()
        score = {"rate": rate, "successes": round(200 * rate), "episodes": 200}
        line = {"steps": 131_072, "greedy": score, "sampled": score, "cpu_s": 7.0}
        (folder / "progress.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    rows = curves["sparse_table"](tmp_path)[2:]
    assert len(rows) == 1
    assert "| 1/3 | 6% - 79% | 100, 94, 0 | 100, 94, 0 | 7 |" in rows[0]


def test_the_page_has_a_row_for_each_kind_of_run_with_sparse_or_shaped_rewards() -> None:
    page = (ROOT / "docs" / "reinforcement-learning.md").read_text(encoding="utf-8")
    for trial in runpy.run_path(str(CURVES))["SPARSE"].values():
        for kind, seeds in trial.seeds.items():
            algorithm, _, reward = kind.rpartition("-")
            row = f"| {trial.what} | {algorithm} | {reward} | {trial.steps:,} | "
            assert re.search(re.escape(row) + rf"\d/{seeds} ", page), row


def test_a_random_walk_reaches_the_goal_of_a_maze_that_is_short_enough() -> None:
    spec = {"topology": "dense_maze", "chain": "none", "rows": 5, "cols": 5}
    config = TrainConfig(env_kwargs={"spec": spec, "max_steps": 100}, eval_episodes=20)
    walk = runpy.run_path(str(CURVES))["random_walk"]
    assert 0 < walk(config, masked=True) <= 20
    assert walk(dataclasses.replace(config, env_kwargs={"spec": spec, "max_steps": 1}), masked=True) == 0


def test_a_run_leaves_everything_behind_and_its_policy_plays(tmp_path: Path) -> None:
    out = tmp_path / "run"
    last = train(TINY, out)
    assert last.steps == TINY.steps
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert TrainConfig.from_dict(config["config"]) == TINY
    assert config["config_hash"] == TINY.content_hash
    assert config["seeds"]["run"] == 0
    assert config["packages"]["torch"]
    assert config["held_out"] is False
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(ALL_KINDS))
    record = run_episode(env, make_policy(f"sb3:{out}", env), seed=0)
    assert record.policy == f"sb3:{out}"
    assert record.actions == run_episode(env, make_policy(f"sb3:{out}", env), seed=1).actions
    drawn = [
        run_episode(env, make_policy(f"sb3-sampled:{out}", env), seed=seed).actions for seed in (0, 0, 1)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    with pytest.raises(InvalidArgument, match="already holds a run"):
        train(TINY, out)


def test_a_run_that_has_ended_keeps_its_last_result_when_it_is_resumed(tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, env_kwargs={**TINY.env_kwargs, "max_steps": 10})
    last = train(config, tmp_path)
    assert last.training_success is not None  # what another test of the same weights would not know
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    told: list[Any] = []
    assert train(config, tmp_path, resume=True, on_progress=told.append) == last
    assert told == [last]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_run_that_has_ended_is_tested_again_where_its_last_result_is_gone(tmp_path: Path) -> None:
    last = train(TINY, tmp_path)
    lines = (tmp_path / "progress.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "progress.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    again = train(TINY, tmp_path, resume=True)
    assert (again.steps, again.greedy, again.sampled) == (last.steps, last.greedy, last.sampled)
    assert [line["steps"] for line in progress_of(tmp_path)] == [0, 128, 256, 384, 512]


def test_the_same_seed_is_the_same_run_and_another_is_not(tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, steps=128)
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        train(dataclasses.replace(config, seed=seed), tmp_path / name)
    one, same, other = (weights_of(tmp_path / name) for name in ("one", "same", "other"))
    assert all(np.array_equal(values, same[name]) for name, values in one.items())
    assert not all(np.array_equal(values, other[name]) for name, values in one.items())


@pytest.mark.slow
def test_it_learns_to_find_its_way_on_levels_it_has_never_seen(tmp_path: Path) -> None:
    spec = {"topology": "dense_maze", "chain": "none", "rows": 7, "cols": 7}
    config = TrainConfig(
        env_kwargs={"spec": spec}, steps=65_536, envs=128, rollout=32, batch_size=1024, eval_every=65_536
    )
    first: list[Any] = []
    last = train(config, tmp_path / "run", on_progress=first.append)
    assert first[0].greedy.rate < 0.3
    assert last.greedy.rate > 0.9


def test_levels_of_training_and_test_are_different_ones() -> None:
    config = TrainConfig(env_kwargs={"tier": 1}, envs=4, batch_size=64, eval_episodes=4)
    trained, tested = levels.training_envs(config), levels.test_envs(config)
    trained.reset(seed=0)
    tested.reset(seed=levels.held_out_seeds(config))  # type: ignore[arg-type]  # vector envs take lists
    names = [
        {envs.unwrapped.maze(env).content_hash for env in range(4)}  # type: ignore[attr-defined]  # of mazes
        for envs in (trained, tested)
    ]
    assert not names[0] & names[1]
    assert levels.has_held_out(config)
    assert not levels.has_held_out(TINY)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"env_id": "MazeNLU-v9"}, "did you mean"),
        ({"env_id": "PacmanArray-v0", "env_kwargs": {}}, "shaping needs a world with exact search"),
        ({"env_id": "PacmanArray-v0", "env_kwargs": {}, "shaping": 0, "network": "view"}, "reads mazes"),
        ({"env_kwargs": {"tier": 1}, "levels": "starter"}, "leave out levels"),
        ({"env_id": "PacmanArray-v0", "env_kwargs": {"tier": 1}, "shaping": 0}, "no difficulty tiers"),
        ({"num_levels": 3}, "num_levels numbers generated levels"),
        ({"env_kwargs": {"spec": {}, "start_level": 2**31}}, "start_level is not for env_kwargs"),
        ({"network_kwargs": {"depth": 3}}, "do not fit the network 'planner'"),
        ({"env_kwargs": {"tier": 1, "nope": 5}}, "MazeNLU-v0 takes no argument 'nope' here; there are:"),
        ({"env_kwargs": {"tier": 1, "copy": True}}, "MazeNLU-v0 takes no argument 'copy' here"),
        (
            {"env_id": "SpatialGym-v0", "env_kwargs": {"tiers": 1}, "shaping": 0},
            "SpatialGym-v0 takes no argument 'tiers' here; did you mean 'tier'",
        ),
    ],
)
def test_settings_that_do_not_fit_the_world_are_named(
    tmp_path: Path, changed: dict[str, Any], match: str
) -> None:
    with pytest.raises(InvalidArgument, match=match):
        train(dataclasses.replace(TINY, **changed), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_cannot_be_resumed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"no checkpoint\.pt to resume"):
        train(TINY, tmp_path / "nothing", resume=True)
    short = dataclasses.replace(TINY, steps=128)
    train(short, tmp_path / "run")
    with pytest.raises(InvalidArgument, match=r"other settings: steps \(512, not 128\)"):
        train(TINY, tmp_path / "run", resume=True)
    (tmp_path / "run" / "checkpoint.pt").write_bytes(b"something else")
    with pytest.raises(InvalidArgument, match="no checkpoint that can be read"):
        train(short, tmp_path / "run", resume=True)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr("maze_gym.extras.importlib.import_module", absent)
    with pytest.raises(MissingExtra, match=r"maze-gym\[rl\]"):
        train(TINY, tmp_path / "run")


def test_pacman_is_learned_from_flat_numbers(tmp_path: Path) -> None:
    config = dataclasses.replace(
        TINY, env_id="PacmanArray-v0", env_kwargs={"max_steps": 20}, shaping=0, steps=128, eval_episodes=2
    )
    train(config, tmp_path / "run")
    policy = f"sb3:{tmp_path / 'run'}"
    env = gym.make("PacmanArray-v0", max_steps=20)
    assert run_episode(env, make_policy(policy, env), seed=0).steps > 0
    with pytest.raises(InvalidArgument, match=r"'steps' .* high 20, and in this PacmanArray-v0 .* high 200,"):
        make_policy(policy, gym.make("PacmanArray-v0"))
    with pytest.raises(
        InvalidArgument, match=r"'score' .* high 4400, .* PacmanArray-Random-v0 .* high 5400,"
    ):
        make_policy(policy, gym.make("PacmanArray-Random-v0", max_steps=20))


def test_the_example_trains_a_small_agent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 60
    main = runpy.run_path(str(EXAMPLE))["main"]
    (tmp_path / "run").mkdir()  # as a run leaves it that is stopped at once
    main(["--steps", "1024", "--envs", "8", "--out", str(tmp_path / "run")])
    out = capsys.readouterr().out
    assert "of 8 held-out levels" in out
    assert "optimum" in out
