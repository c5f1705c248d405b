"""SpatialGym for verifiers: draw a line that obeys every rule on the board (``vf-eval spatial-gym-env``)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import verifiers.v1 as vf
from pydantic import Field, field_validator, model_validator

from maze_gym.envs.sparc.levels import of_difficulty
from maze_gym.evaluation.plan import choose_levels
from maze_gym.game import Coordinates, ReplyFormat
from maze_gym.integrations.sessions import episodes
from maze_gym.integrations.verifiers import (
    ChatHarness,
    GameEnv,
    GameTask,
    GameTasksetConfig,
    game_tasks,
    outcome,
)
from maze_gym.llm.config import Querying

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maze_gym.envs.sparc.rules.puzzle import Puzzle
    from maze_gym.llm.config import ExperimentConfig

__all__ = ["ChatHarness", "GameEnv", "SpatialGymTaskset"]

WORLD = "SpatialGym-v0"
_STEP_METRICS = ("steps", "reached_end", "invalid_reply", "retries", "difficulty")
_ONE_SHOT_METRICS = ("parsed_path", "steps", "difficulty")


class SpatialGymConfig(GameTasksetConfig):
    """``--env.taskset.NAME``; the texts below are those of ``--help``."""

    mode: Literal["step", "one_shot"] = "step"
    """One move in a turn, or the whole path in one message."""
    backtracking: bool = False
    """Whether the model may step back onto the previous cell to undo a move (step mode only)."""
    max_steps: int = Field(100, ge=1)
    """Move limit of an episode (step mode only); a board larger than 6 x 6 may need more."""
    difficulty: list[Annotated[int, Field(ge=1, le=5)]] | None = Field(None, min_length=1)
    """Levels 1 to 5, for example `[1]` for the easiest puzzles; by default all."""
    levels: str | None = None
    """A file or folder of SPaRC records, or a bundled suite; by default the bundled puzzles."""

    @field_validator("levels")
    @classmethod
    def _are_there(cls, levels: str | None) -> str | None:
        choose_levels(WORLD, levels)
        return levels

    @model_validator(mode="after")
    def _have_the_difficulties(self) -> Self:
        """Difficulties that no puzzle has are refused; without this there would be nothing to play."""
        if self.difficulty is not None:
            self.puzzles()
        return self

    def puzzles(self) -> tuple[Puzzle, ...]:
        """Those that are played.

        Raises:
            LevelsNotFound: there is none of these difficulties.
        """
        found = choose_levels(WORLD, self.levels).levels
        return of_difficulty([level.options["puzzle"] for level in found], self.difficulty)

    def experiment(self, **more: Any) -> ExperimentConfig:  # noqa: ANN401 - fields of the config
        """How puzzles are put into words."""
        if self.mode == "one_shot":
            more = {
                "querying": Querying.FULL_TRAJECTORY,
                "reply_format": ReplyFormat.COORDINATES,
                "coordinates": Coordinates.X_Y,
                **more,
            }
        return super().experiment(**more)


class SpatialGymTask(GameTask):
    """The reward is 1.0 for a path that obeys every rule, else 0.0."""

    @vf.reward
    async def outcome_reward(self, trace: vf.Trace) -> float:
        """1.0 if the final path solves the puzzle, else 0.0."""
        return float(outcome(trace)["is_success"])

    @vf.metric
    async def measures(self, trace: vf.Trace) -> dict[str, float]:
        """What the README of spatial-gym-env lists for the mode."""
        played, spec = outcome(trace), self.data.spec
        found = {
            "reached_end": 0.0,  # a line that has reached it is finished, and only then is it measured
            **played["game"],
            "steps": played["steps"],
            "invalid_reply": played["invalid_reply"],
            "retries": played["retries"],
            "parsed_path": 1 - played["invalid_reply"],
            "difficulty": spec.tags.get("difficulty"),
        }
        is_one_shot = spec.config["querying"] == Querying.FULL_TRAJECTORY
        names = _ONE_SHOT_METRICS if is_one_shot else _STEP_METRICS
        # A puzzle of a file may have no level: an average is over those that have one.
        return {name: float(found[name]) for name in names if found[name] is not None}


def _warn_of_too_few_steps(puzzles: Sequence[Puzzle], max_steps: int) -> None:
    """Say which puzzles nobody can solve within the limit, as far as their stored solutions tell."""
    needed = [(min(map(len, each.solutions)) - 1, each.puzzle_id) for each in puzzles if each.solutions]
    beyond = [each for each in needed if each[0] > max_steps]
    if beyond:
        moves, name = max(beyond)
        msg = (
            f"max_steps {max_steps} is too few for {len(beyond)} of {len(puzzles)} puzzles, which nobody can "
            f"solve then; {name!r} needs the most, {moves}"
        )
        warnings.warn(msg, stacklevel=3)


class SpatialGymTaskset(vf.Taskset[SpatialGymTask, SpatialGymConfig]):
    """Puzzles in turn by difficulty, so that the first ten are two of each."""

    def load(self) -> Iterator[SpatialGymTask]:
        """One task for each puzzle of the wanted difficulties."""
        knobs = self.config
        make: dict[str, Any] = {"max_steps": knobs.max_steps, "backtracking": knobs.backtracking}
        if knobs.mode == "one_shot":
            make = {"max_steps": "board"}  # no line without a crossing is too long for that
        else:
            _warn_of_too_few_steps(knobs.puzzles(), knobs.max_steps)
        specs = episodes(WORLD, knobs.experiment(), levels=knobs.levels, make=make)
        wanted = (
            spec for spec in specs if not knobs.difficulty or spec.tags.get("difficulty") in knobs.difficulty
        )
        return game_tasks(SpatialGymTask, wanted, knobs)
