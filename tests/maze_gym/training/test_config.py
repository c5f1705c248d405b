"""Settings of a run: checked, round trip, named by one hash."""

from __future__ import annotations

import dataclasses
import json
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.training import TrainConfig

CONFIG = TrainConfig(env_kwargs={"tier": 1}, num_levels=5, network_kwargs={"channels": 4})


def test_settings_survive_json() -> None:
    assert TrainConfig.from_dict(CONFIG.to_dict()) == CONFIG


@pytest.mark.parametrize("name", [each.name for each in dataclasses.fields(TrainConfig)])
def test_every_setting_changes_the_hash(name: str) -> None:
    others: dict[str, Any] = {
        "env_id": "PacmanArray-v0",
        "env_kwargs": {},
        "num_levels": None,
        "levels": "starter",
        "algorithm": "maskable-ppo",
        "network": "view",
        "network_kwargs": {},
        "log": True,
        "batch_size": 1024,
        "shaping": 0.1,
        "gamma": 0.9,
        "gae_lambda": 0.9,
        "learning_rate": 1e-4,
        "entropy": 0.1,
        "clip": 0.1,
    }
    value = others.get(name, getattr(CONFIG, name) * 2 if name not in others and name != "seed" else 3)
    other = dataclasses.replace(CONFIG, **{name: value})
    assert other.content_hash != CONFIG.content_hash
    (difference,) = CONFIG.differences(other)
    assert difference.startswith(f"{name} (")


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"steps": 0}, "steps must be a whole number of at least 1, got 0"),
        ({"envs": 2.0}, "envs must be a whole number"),
        ({"rollout": 1}, "rollout must be"),
        ({"seed": 2**32}, r"below 2\*\*32"),
        ({"num_levels": 0}, "num_levels must be"),
        ({"algorithm": "dqn"}, "algorithm must be one of ppo, maskable-ppo"),
        ({"network": "cnn"}, "network must be one of auto, planner, view, flat"),
        ({"gamma": 1.5}, "gamma must be a number from 0 to 1, got 1.5"),
        ({"shaping": -1}, "shaping must be"),
        ({"learning_rate": True}, "learning_rate must be"),
        ({"network_kwargs": {"channels": 0}}, r"network_kwargs\['channels'\] must be a whole number of at"),
        ({"env_kwargs": {"tier": np.int64(1)}}, "env_kwargs must hold plain JSON values.*int64"),
        ({"batch_size": 1000}, r"batch_size must divide envs \* rollout = 16384, got 1000"),
    ],
)
def test_what_is_out_of_range_is_named(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidArgument, match=match):
        TrainConfig(**wrong)


def test_the_card_of_the_shipped_baseline_has_all_settings_and_their_hash() -> None:
    card = files("maze_gym.policies").joinpath("shipped", "ppo_maze", "card.json")
    trained = json.loads(card.read_text(encoding="utf-8"))["training"]
    config = TrainConfig.from_dict(trained["config"])
    assert config.to_dict() == trained["config"]
    assert config.content_hash == trained["config_hash"]


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="unknown setting 'stepz'"):
        TrainConfig.from_dict({"stepz": 1})
