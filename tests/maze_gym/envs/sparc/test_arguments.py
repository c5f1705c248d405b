"""The step limit of SpatialGym: the paper's on the paper's boards, and never too low by default."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import gymnasium as gym
import pytest

from maze_gym import evaluation
from maze_gym.envs.sparc.arguments import limit_of
from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.levels.datasets import load_puzzles
from maze_gym.envs.sparc.rules.puzzle import MAX_SIDE, Puzzle
from maze_gym.evaluation.episode import run_episode
from maze_gym.llm.config import ExperimentConfig, Querying
from maze_gym.policies.oracle import OraclePolicy

from .small import CORNER

# What ``generate`` makes of 8 x 8 and 10 x 10 rule cells with seed 0, kept: to make it takes half a minute.
LARGE_FILE = Path(__file__).with_name("large.jsonl")


def test_by_default_no_line_is_longer_than_the_step_limit() -> None:
    """The paper's limit where it is enough; the longest line passes every node and comes in from edges."""
    for height, width in product(range(1, MAX_SIDE + 1), repeat=2):
        limit = limit_of(None, 2 * height + 1, 2 * width + 1)
        assert limit >= 2 * (height + 1) * (width + 1)
        assert (limit == 100) or max(height, width) > 6
    tall = Puzzle("tall", 7, 1, (0, 0), (0, 2))
    env = SpatialGymEnv(puzzles=[tall, CORNER], max_shape=(15, 3))
    for name in ("tall", "corner"):  # on a larger board never fewer steps than on a smaller one
        observation, info = env.reset(options={"puzzle": name})
        assert info["steps_left"] == 100
        assert env.observation_space.contains(observation)


@pytest.mark.parametrize(("side", "optimum"), [(8, 109), (10, 144)])
def test_the_oracle_wins_large_generated_puzzles_under_default_arguments(side: int, optimum: int) -> None:
    spec = {"height": [side, side], "width": [side, side]}
    env = gym.make("SpatialGym-v0", spec=spec)
    (puzzle,) = [each for each in load_puzzles(LARGE_FILE) if each.height == side]
    record = run_episode(env, OraclePolicy(env), options={"puzzle": puzzle})
    assert (record.success, record.steps, record.optimal_actions) == (True, optimum, optimum)


@pytest.mark.parametrize("querying", [Querying.STEP, Querying.FULL_TRAJECTORY])
def test_a_plan_told_at_once_has_as_many_steps_as_one_told_step_by_step(querying: Querying) -> None:
    config = ExperimentConfig(querying=querying)
    run = evaluation.make_plan(["oracle-chat"], env_id="SpatialGym-v0", levels=LARGE_FILE, config=config)
    assert [record.steps for record in evaluation.play(run) if record.success] == [109, 144]
