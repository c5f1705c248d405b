"""What every world offers besides the Gymnasium API; policies and the episode loop know only this."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import gymnasium as gym
    import numpy as np
    from numpy.typing import NDArray


class EndReason(StrEnum):
    """Why an episode ended; every episode ends with exactly one."""

    SUCCESS = "success"
    FAILED = "failed"  # a final wrong answer, or no way to the goal any more
    TIMEOUT = "timeout"  # the step limit
    STALLED = "stalled"  # no new state, or nothing but failures, for as long as the caller allows
    PARSE_FAILED = "parse_failed"  # retries for unreadable replies are used up
    PLAN_EXHAUSTED = "plan_exhausted"  # a plan given in advance has run out
    PROVIDER_ERROR = "provider_error"  # the model could not be asked: unscored, no failure of its own
    ABORTED = "aborted"  # interrupted by a person: unscored


UNSCORED = frozenset({EndReason.PROVIDER_ERROR, EndReason.ABORTED})


class Level(NamedTuple):
    """One level of any world.

    Attributes:
        level_id: its name in tables and records.
        content_hash: what it is, independent of its name.
        options: what to pass to ``env.reset(options=...)`` to play it.
    """

    level_id: str
    content_hash: str
    options: Mapping[str, Any]


class LevelSet(NamedTuple):
    """What a file, folder or suite holds.

    Attributes:
        levels: the levels, in playing order.
        skipped: (file, why) for files that are not played.
        env_kwargs: arguments with which the world's env can play every one of them.
    """

    levels: tuple[Level, ...]
    skipped: tuple[tuple[str, str], ...]
    env_kwargs: Mapping[str, Any]


@runtime_checkable
class World(Protocol):
    """The methods that an env of this suite has on ``env.unwrapped``."""

    action_names: tuple[str, ...]

    def optimal_action(self) -> int | None:
        """An action that begins a shortest plan from the current state; None where none exists."""
        ...

    def greedy_action(self) -> int:
        """What an agent does that walks straight towards the goal and uses what lies in its way."""
        ...

    def progress_signature(self) -> Hashable:
        """Equal in two states exactly when going from one to the other is no progress at all."""
        ...


class Prompting(StrEnum):
    """How much a world explains."""

    MINIMAL = "minimal"
    STANDARD = "standard"
    VERBOSE = "verbose"


class Coordinates(StrEnum):
    """How a text names a cell; the origin is the top-left cell in each of them."""

    ROW_COL = "row_col"  # counted from 0, as everywhere in this package
    ROW_COL_1 = "row_col_1"  # counted from 1
    X_Y = "x_y"  # counted from 0, column first


class ReplyFormat(StrEnum):
    """How an answer is marked in a reply."""

    FINAL_OUTPUT = "final_output"  # FINAL_OUTPUT: NAME
    ACTIONS = "actions"  # SUB_GOAL: text, then ACTIONS: NAME, NAME
    FINAL = "final"  # Final: NAME
    ACTION_TAG = "action_tag"  # <action>NUMBER</action>


class Wording(NamedTuple):
    """How a world should put things into words.

    Attributes:
        prompting: how much it explains.
        coordinates: how it names cells.
        pictured: a picture comes with the text, so the text holds nothing that the picture shows.
    """

    prompting: Prompting = Prompting.STANDARD
    coordinates: Coordinates = Coordinates.ROW_COL
    pictured: bool = False


class Description(NamedTuple):
    """All that a world says at one moment; every sentence in it is true.

    Attributes:
        rules: what the task is and how the world works; the same in every episode of an env.
        level: this level as it was at the start of the episode; empty if ``pictured``.
        state: how it is now; empty if ``pictured``.
        pose: the same in one short phrase, for a line of history; empty if ``pictured``.
        result: what came of the last action; empty before the first, and if ``pictured``.
        failed: whether the last action left everything as it was.
        legal: the actions that change the state or end the episode with success.
        step: actions taken so far.
        steps_left: actions until the episode is cut off.
    """

    rules: str
    level: str
    state: str
    pose: str
    result: str
    failed: bool
    legal: tuple[int, ...]
    step: int
    steps_left: int


class Recipe(NamedTuple):
    """JSON-safe arguments that bring an episode back: ``gym.make(id, **make)``, ``reset(options=reset)``."""

    make: Mapping[str, Any]
    reset: Mapping[str, Any]


@runtime_checkable
class TextGame(Protocol):
    """What a world offers to whoever plays it in words; methods of ``env.unwrapped``.

    Attributes:
        action_names: the words for the actions, in the order of their numbers.
        reply_format: the format in which this world is usually answered, one action at a time.
        plan_format: the same for several actions at a time.
    """

    action_names: tuple[str, ...]
    reply_format: ReplyFormat
    plan_format: ReplyFormat

    def describe(self, wording: Wording) -> Description:
        """The current state in words: a pure function of level, state and ``wording``."""
        ...

    def picture(self, cell_px: int, shape: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """(height, width, 3) RGB of the current state, without any solution.

        Args:
            cell_px: pixels a cell; the picture is as large as the level needs.
            shape: (height, width) that it is fitted into instead.
        """
        ...

    def picture_shape(self, cell_px: int) -> tuple[int, int]:
        """(height, width) that fit the pictures of all levels of this env."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """The full state as fresh JSON-safe data: equal exactly when the states are equal."""
        ...

    def recipe(self) -> Recipe:
        """What makes an env that begins this very episode again."""
        ...


def text_game(env: gym.Env[Any, Any]) -> TextGame:
    """The world under all wrappers, as a language model meets it.

    Raises:
        InvalidArgument: it says nothing in words.
    """
    game = env.unwrapped
    if isinstance(game, TextGame):
        return game
    msg = f"this needs a world with the methods of maze_gym.game.TextGame, got {type(game).__name__}"
    raise InvalidArgument(msg)
