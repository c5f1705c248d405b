"""What ``info`` of every world holds, as docs/architecture.md promises it."""

from __future__ import annotations

import re
from pathlib import Path

import gymnasium as gym
import pytest

from maze_gym.registration import WORLDS, WorldSpec

EVERY = ("event", "message", "action_mask", "steps_left", "level_id", "level_hash")  # reset and step
LAST = "is_success"  # of an episode
PAGE = Path(__file__).parents[3] / "docs/architecture.md"


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.id)
def test_every_info_holds_what_all_worlds_say(world: WorldSpec) -> None:
    env = gym.make(world.id, max_steps=5)
    env.action_space.seed(0)
    _, info = env.reset(seed=0)
    terminated = truncated = False
    while not (terminated or truncated):
        assert set(EVERY) <= set(info)
        assert LAST not in info
        *_, terminated, truncated, info = env.step(env.action_space.sample())
    assert {*EVERY, LAST} <= set(info)


def test_the_page_promises_the_same() -> None:
    text = PAGE.read_text(encoding="utf-8")
    promise = re.search(
        r"`info` of every reset and step holds (.*?); the\s+last one of .*? also `(\w+)`\.", text, re.DOTALL
    )
    assert promise is not None
    assert (*re.findall(r"`(\w+)`", promise[1]), promise[2]) == (*EVERY, LAST)
