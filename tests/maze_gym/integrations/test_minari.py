"""Minari data sets: the real library reads them, and a fresh env replays every step."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest

from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, PolicyStopped
from maze_gym.evaluation.episode import run_episode
from maze_gym.integrations.minari import (
    DATASETS_PATH,
    Episodes,
    NoisyPolicy,
    _check_id,
    datasets_in,
    default_name,
    export_minari,
    replay,
)
from maze_gym.policies import make_policy
from mazegen import codec

from ..levels import ALL_KINDS, TALL

if TYPE_CHECKING:
    from maze_gym.evaluation import EpisodeRecord

pytestmark = pytest.mark.extra("minari", "minari")


def metadata(dataset: Any) -> list[dict[str, Any]]:
    return list(dataset.storage.get_episode_metadata(dataset.episode_indices))


@pytest.mark.parametrize(
    "what",
    [
        Episodes(),
        Episodes("PacmanArray-v0", ("oracle", "greedy")),
        Episodes("SpatialGym-v0", ("oracle", "random"), episodes=3),
        Episodes("MazeNLU-KeyDoor-9x9-v0", ("oracle", "random"), episodes=2, noise=0.3),
        Episodes(tier=1, episodes=2),
    ],
)
def test_what_was_written_is_read_back_and_replays(tmp_path: Path, what: Episodes) -> None:
    import minari

    played: list[EpisodeRecord] = []
    dataset = export_minari(what, "test/some-v0", tmp_path, on_episode=played.append)
    with datasets_in(tmp_path):
        again = minari.load_dataset("test/some-v0")
    assert again.total_episodes == dataset.total_episodes == len(played)
    assert again.total_steps == sum(record.steps for record in played)
    assert replay(again) == again.total_steps
    for episode, record, told in zip(again, played, metadata(again), strict=True):
        assert tuple(episode.actions.tolist()) == record.actions
        assert episode.rewards.sum() == pytest.approx(record.total_reward)
        assert episode.terminations[-1] or episode.truncations[-1]
        assert not episode.terminations[:-1].any()
        assert (told["policy"], told["success"], told["level_hash"]) == (
            record.policy,
            record.success,
            record.content_hash,
        )


def test_every_policy_plays_the_same_levels_with_the_same_seeds(tmp_path: Path) -> None:
    dataset = export_minari(Episodes(policies=("oracle", "random"), episodes=3), "test/mixed-v0", tmp_path)
    told = metadata(dataset)
    assert [row["policy"] for row in told] == ["oracle", "random"] * 3
    for oracle, random in zip(told[::2], told[1::2], strict=True):
        assert (oracle["seed"], oracle["level_hash"]) == (random["seed"], random["level_hash"])
    assert all(row["success"] for row in told[::2])


def test_levels_of_ones_own_come_with_the_data(tmp_path: Path) -> None:
    for maze in (ALL_KINDS, TALL):
        (tmp_path / f"{maze.level_id}.json").write_text(codec.dumps(maze))
    dataset = export_minari(Episodes(levels=tmp_path), "test/own-v0", tmp_path / "sets")
    for file in tmp_path.glob("*.json"):
        file.unlink()
    assert replay(dataset) == dataset.total_steps
    assert {row["level_id"] for row in metadata(dataset)} == {"all_kinds", "tall"}


def test_the_folder_may_be_a_relative_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = export_minari(Episodes(episodes=1), "test/here-v0", Path("sets"))
    assert replay(dataset) == dataset.total_steps
    assert (tmp_path / "sets" / "test" / "here-v0").is_dir()


def test_a_replay_that_differs_is_found_out(tmp_path: Path) -> None:
    dataset = export_minari(Episodes(episodes=1), "test/changed-v0", tmp_path)
    dataset.storage.update_episode_metadata([{"options": {"start": [1, 2]}}], [0])
    with pytest.raises(InvalidArgument, match="episode 0, step 0: stored"):
        replay(dataset)


def test_noise_is_a_share_of_the_actions() -> None:
    env: gym.Env[Any, Any] = gym.make("MazeNLU-v0")
    _, info = env.reset(seed=0)
    best = make_policy("oracle", env).act(None, info)
    for noise, expected in ((0.0, 1.0), (0.5, 0.5 + 0.5 / 6), (1.0, 1 / 6)):
        policy = NoisyPolicy(make_policy("oracle", env), env, noise)
        policy.reset(7)
        same = np.mean([policy.act(None, info) == best for _ in range(2_000)])
        assert same == pytest.approx(expected, abs=0.04)
    with pytest.raises(InvalidArgument, match="noise must be from 0 to 1, got 2"):
        NoisyPolicy(make_policy("oracle", env), env, 2)


def test_a_policy_that_noise_has_led_astray_goes_on_at_random() -> None:
    env: gym.Env[Any, Any] = gym.make("SpatialGym-Generated-v0")
    oracle = make_policy("oracle", env)
    lost = []

    class Oracle:
        name = "oracle"
        reset = oracle.reset

        def act(self, observation: Any, info: Any) -> int:
            try:
                return oracle.act(observation, info)
            except PolicyStopped:
                lost.append(info)
                raise

    player = NoisyPolicy(Oracle(), env, 0.5)
    records = [run_episode(env, player, seed=seed) for seed in range(4)]
    assert lost  # without it the test says nothing
    assert not any(record.detail for record in records)  # the world ended them, and no policy


def test_only_a_policy_without_a_way_on_goes_on_at_random() -> None:
    env: gym.Env[Any, Any] = gym.make("MazeNLU-v0")

    class Stuck:
        name = "stuck"

        def __init__(self, reason: EndReason) -> None:
            self._reason = reason

        def reset(self, seed: int | None = None) -> None:
            del seed

        def act(self, observation: Any, info: Any) -> int:
            del observation, info
            raise PolicyStopped(self._reason, "no more")

    with pytest.raises(PolicyStopped):
        NoisyPolicy(Stuck(EndReason.FAILED), env, 0.0).act(None, {})
    for _ in range(20):
        NoisyPolicy(Stuck(EndReason.FAILED), env, 0.01).act(None, {})
    with pytest.raises(PolicyStopped):
        NoisyPolicy(Stuck(EndReason.PROVIDER_ERROR), env, 0.01).act(None, {})


@pytest.mark.parametrize(
    ("env_id", "policies", "noise", "name"),
    [
        ("MazeNLU-v0", ("oracle",), 0.0, "MazeNLU/oracle-v0"),
        ("maze_gym:MazeNLU-v0", ("oracle", "random"), 0.2, "MazeNLU/oracle-random-noise20-v0"),
        ("MazeNLU-v0", ("noisy:0.2",), 0.0, "MazeNLU/noisy_0_2-v0"),
        ("MazeNLU-v0", ("sb3:/data/runs/first.run",), 0.0, "MazeNLU/sb3_first_run-v0"),
        ("MazeNLU-v0", ("sb3-sampled:runs/first/", "ppo"), 0.0, "MazeNLU/sb3-sampled_first-ppo-v0"),
        ("SpatialGym-v0", ("hf:org/model-1.5",), 0.0, "SpatialGym/hf_org_model-1_5-v0"),
        ("MazeNLU-v0", ("sb3:.",), 0.0, "MazeNLU/sb3-v0"),
    ],
)
def test_each_policy_makes_a_name_in_the_worlds_own_namespace(
    env_id: str, policies: tuple[str, ...], noise: float, name: str
) -> None:
    assert default_name(env_id, policies, noise) == name
    _check_id(name)
    assert name.count("/") == 1


def test_minaris_own_folder_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "elsewhere"):
        monkeypatch.delenv(DATASETS_PATH, raising=False)
        if before is not None:
            monkeypatch.setenv(DATASETS_PATH, before)
        with datasets_in(tmp_path):
            assert os.environ[DATASETS_PATH] == str(tmp_path)
        assert os.environ.get(DATASETS_PATH) == before


def test_what_cannot_be_done_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    export_minari(Episodes(episodes=1), "test/there-v0", tmp_path)
    with pytest.raises(InvalidArgument, match="there is a data set 'test/there-v0'"):
        export_minari(Episodes(episodes=1), "test/there-v0", tmp_path)
    with pytest.raises(InvalidArgument, match="a data set is named as in"):
        export_minari(Episodes(), "no name", tmp_path)
    with pytest.raises(InvalidArgument, match="did you mean 'oracle'"):
        export_minari(Episodes(policies=("oracl",)), "test/a-v0", tmp_path)

    def interrupt(record: EpisodeRecord) -> None:
        raise KeyboardInterrupt(record.level_id)

    with pytest.raises(KeyboardInterrupt):
        export_minari(Episodes(episodes=2), "test/b-v0", tmp_path, on_episode=interrupt)
    assert sorted(path.name for path in (tmp_path / "test").iterdir() if path.is_dir()) == ["there-v0"]
