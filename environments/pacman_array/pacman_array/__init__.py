"""PacmanArray for verifiers: eat everything while ghosts chase you (``vf-eval pacman-array``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import verifiers.v1 as vf
from pydantic import Field

from maze_gym.integrations.boards import board_episodes
from maze_gym.integrations.verifiers import (
    ChatHarness,
    GameEnv,
    GameTask,
    GameTasksetConfig,
    game_tasks,
    outcome,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ChatHarness", "GameEnv", "PacmanArrayTaskset"]

# Of the rewards, the README of pacman-array states only the last weight; the first three are those that
# its author published for the picture variant of the same game.
WIN_WEIGHT, SCORE_WEIGHT, SURVIVAL_WEIGHT, FORMAT_WEIGHT = 1.0, 0.4, 0.1, 0.1


class PacmanArrayConfig(GameTasksetConfig):
    """``--env.taskset.NAME``; the texts below are those of ``--help``."""

    num_train_examples: int = Field(1000, ge=1)
    """Number of training episodes."""
    num_eval_examples: int = Field(20, ge=1)
    """Number of evaluation episodes."""
    max_steps: int = Field(200, ge=1)
    """Maximum steps per episode."""
    split: Literal["train", "eval"] = "eval"
    """Which of the two kinds of episodes is played."""
    boards: Literal["classic", "random"] = "classic"
    """The same board each time, or generated ones: training and evaluation have none in common."""
    seed: int = Field(0, ge=0)
    """From which random boards, and the luck of their ghosts, are drawn."""
    show_pellets: int = Field(0, ge=0)
    """How many pellets a turn lists with their coordinates."""


class PacmanArrayTask(GameTask):
    """Four rewards under the names that the README of pacman-array gives them."""

    @vf.reward(weight=WIN_WEIGHT)
    async def _win_reward_func(self, trace: vf.Trace) -> float:
        """1.0 if everything was eaten, else 0.0."""
        return float(outcome(trace)["game"]["win"])

    @vf.reward(weight=SCORE_WEIGHT)
    async def _score_reward_func(self, trace: vf.Trace) -> float:
        """Points over the most that the board can bring: from 0 to 1, and no farming saturates it."""
        return float(outcome(trace)["game"]["score"])

    @vf.reward(weight=SURVIVAL_WEIGHT)
    async def _survival_reward_func(self, trace: vf.Trace) -> float:
        """What was eaten over what there was to eat."""
        return float(outcome(trace)["game"]["survival"])

    @vf.reward(weight=FORMAT_WEIGHT)
    async def format_reward(self, trace: vf.Trace) -> float:
        """The share of replies that held exactly one action in its tag."""
        return float(outcome(trace)["format"])

    @vf.metric
    async def measures(self, trace: vf.Trace) -> dict[str, float]:
        """The same without their weights, and what became of replies."""
        played = outcome(trace)
        own = {name: float(played[name]) for name in ("format", "steps", "invalid_reply", "retries")}
        return {**{name: float(value) for name, value in played["game"].items()}, **own}


class PacmanArrayTaskset(vf.Taskset[PacmanArrayTask, PacmanArrayConfig]):
    """The classic board as often as asked, or random ones."""

    def load(self) -> Iterator[PacmanArrayTask]:
        """One task for each episode of the split."""
        knobs = self.config
        is_training = knobs.split == "train"
        specs = board_episodes(
            knobs.experiment(),
            knobs.boards,
            knobs.split,
            count=knobs.num_train_examples if is_training else knobs.num_eval_examples,
            seed=knobs.seed,
            max_steps=knobs.max_steps,
            show_pellets=knobs.show_pellets,
        )
        return game_tasks(PacmanArrayTask, specs, knobs)
