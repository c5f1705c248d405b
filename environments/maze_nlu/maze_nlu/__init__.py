"""MazeNLU for verifiers: keys and doors, switches and gates in a grid maze (``vf-eval maze-nlu``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import verifiers.v1 as vf
from pydantic import Field, model_validator

from maze_gym.evaluation.plan import choose_levels
from maze_gym.integrations.sessions import episodes, episodes_of_tiers
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

    from maze_gym.llm.config import ExperimentConfig

__all__ = ["ChatHarness", "GameEnv", "MazeNLUTaskset"]

WORLD = "MazeNLU-v0"


class MazeNLUConfig(GameTasksetConfig):
    """``--env.taskset.NAME``; the texts below are those of ``--help``."""

    levels: str | None = None
    """A file, folder or bundled suite; by default `starter`."""
    tier: list[Annotated[int, Field(ge=1, le=5)]] | None = Field(None, min_length=1)
    """Generate levels of these difficulty tiers (1 to 5) instead, one of each in turn."""
    num_examples: int | None = Field(None, ge=1)
    """How many; by default one for each level, and 20 for each tier."""
    seed: int = Field(0, ge=0)
    """From which generated levels are drawn."""
    max_steps: int | None = Field(None, ge=1)
    """Step limit; by default the level's own, else 4 times the optimum."""
    querying: Literal["step", "subgoal", "full_trajectory"] = "step"
    """One action in a reply, some of them with a sub-goal, or the whole plan."""
    context_window: str = "current"
    """With history `current`: `lastN`, where N earlier steps are repeated in a turn."""
    show_legal_actions: bool = False
    """List what has an effect, and refuse the rest."""

    @model_validator(mode="after")
    def _are_there(self) -> Self:
        if self.levels is not None:  # the world's own need no search
            choose_levels(WORLD, self.levels, self.tier[0] if self.tier else None)
        return self

    def experiment(self, **more: Any) -> ExperimentConfig:  # noqa: ANN401 - fields of the config
        """How episodes are put into words."""
        own = {name: getattr(self, name) for name in ("querying", "context_window", "show_legal_actions")}
        return super().experiment(**own, **more)


class MazeNLUTask(GameTask):
    """The reward is 1.0 for reaching the goal."""

    @vf.reward
    async def success(self, trace: vf.Trace) -> float:
        """1.0 if the goal was reached, else 0.0."""
        return float(outcome(trace)["is_success"])

    @vf.metric
    async def measures(self, trace: vf.Trace) -> dict[str, float]:
        """Steps, how they compare with the optimum, and what became of replies."""
        played = outcome(trace)
        found = {name: float(played[name]) for name in ("steps", "invalid_reply", "retries")}
        if played["optimal_actions"]:
            best = float(played["optimal_actions"])
            found["optimal_steps"] = best
            found["spl"] = float(played["is_success"]) * best / max(best, found["steps"])
        return found


class MazeNLUTaskset(vf.Taskset[MazeNLUTask, MazeNLUConfig]):
    """The levels of a suite, file, folder or of difficulty tiers."""

    def load(self) -> Iterator[MazeNLUTask]:
        """One task for each episode that ``maze-gym evaluate`` would play."""
        knobs = self.config
        config = knobs.experiment()
        make = {} if knobs.max_steps is None else {"max_steps": knobs.max_steps}
        specs = (
            episodes(WORLD, config, levels=knobs.levels, count=knobs.num_examples, seed=knobs.seed, make=make)
            if knobs.tier is None
            else episodes_of_tiers(
                WORLD,
                config,
                knobs.tier,
                levels=knobs.levels,
                count=knobs.num_examples,
                seed=knobs.seed,
                make=make,
            )
        )
        return game_tasks(MazeNLUTask, specs, knobs)
