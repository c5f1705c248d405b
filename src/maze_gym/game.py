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


_DISGUISED = " ~ "  # between a level's name and its disguise


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


class Suite(NamedTuple):
    """Levels that come with a world.

    Attributes:
        name: what commands call them.
        levels: how many there are.
        optimal_actions: range of the lengths of their shortest plans; None where nobody has proved them.
        summary: what they are, in one line.
    """

    name: str
    levels: int
    optimal_actions: tuple[int, int] | None
    summary: str


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


class Disguise(StrEnum):
    """What can be changed about a level without changing the puzzle."""

    ROTATE = "rotate"  # by a quarter turn or more
    MIRROR = "mirror"  # left and right
    RECOLOUR = "recolour"  # keys and doors
    RENAME = "rename"  # whatever has a name

    def name_of(self, level_id: str) -> str:
        """The name of a level in this disguise."""
        return f"{level_id}{_DISGUISED}{self}"

    @classmethod
    def of(cls, level_id: str) -> tuple[str, Disguise | None]:
        """The name of the level behind a disguise, and the disguise; None where there is none."""
        name, _, kind = level_id.rpartition(_DISGUISED)
        return (name, cls(kind)) if name and kind in set(cls) else (level_id, None)


@runtime_checkable
class World(Protocol):
    """The methods that an env of this suite has on ``env.unwrapped``."""

    action_names: tuple[str, ...]

    def optimal_action(self) -> int | None:
        """An action that begins a shortest plan from the current state; None where none exists.

        Raises:
            SearchLimitExceeded: this level is too large to know.
        """
        ...

    def greedy_action(self) -> int:
        """What an agent does that walks straight towards the goal and uses what lies in its way."""
        ...

    def progress_signature(self) -> Hashable:
        """Equal in two states exactly when going from one to the other is no progress at all."""
        ...


@runtime_checkable
class Measured(Protocol):
    """What a world offers besides where it can be searched exactly; methods of ``env.unwrapped``.

    A world that does not know these numbers lacks the methods; one that guesses must not have them.
    """

    def remaining_actions(self) -> int | None:
        """Actions of a shortest plan from the current state, 0 after success; None if there is no plan.

        Raises:
            SearchLimitExceeded: this level is too large to know.
        """
        ...

    def fewest_moves(self) -> int | None:
        """Fewest changes of cell of any plan from where the episode began; None if there is no plan.

        Raises:
            SearchLimitExceeded: this level is too large to know.
        """
        ...


@runtime_checkable
class Animated(Protocol):
    """What a world may also offer: pictures of a step that is under way, for people, never for an agent."""

    def sight(self) -> Any:  # noqa: ANN401 - the world's own affair
        """What the picture of now depends on, to be handed back to ``draw_between``."""
        ...

    def draw_between(self, before: Any, fraction: float) -> NDArray[np.uint8]:  # noqa: ANN401 - see ``sight``
        """(height, width, 3) RGB of the way from an earlier ``sight`` (0) to now (1), as large as a frame."""
        ...


@runtime_checkable
class Tagged(Protocol):
    """What a world may also offer: by which qualities results can be broken down."""

    def tags(self) -> dict[str, str | int]:
        """What the current level is like: rows, cols, and whatever else the world knows; JSON-safe."""
        ...


@runtime_checkable
class Assessed(Protocol):
    """What a world may also offer: measures of its own, besides success."""

    def metrics(self) -> dict[str, float]:
        """What the episode has come to so far; called when it is over, however it ended."""
        ...


def metrics_of(env: gym.Env[Any, Any], info: Mapping[str, Any]) -> dict[str, float]:
    """The world's own measures of an episode, given its last info; empty where it measures nothing.

    Without ``metrics()`` they are what the info calls ``metrics``, which an episode that is broken off lacks.
    """
    world = env.unwrapped
    found = world.metrics() if isinstance(world, Assessed) else info.get("metrics", {})
    return {name: float(value) for name, value in found.items() if value is not None}


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

    def named(self, row: int, col: int) -> tuple[int, int]:
        """The two numbers by which a text names the cell at (row, col)."""
        if self is Coordinates.X_Y:
            return col, row
        first = int(self is Coordinates.ROW_COL_1)
        return row + first, col + first

    def cell(self, first: int, second: int) -> tuple[int, int]:
        """The (row, col) that two numbers of a text name: ``named`` backwards."""
        if self is Coordinates.X_Y:
            return second, first
        least = int(self is Coordinates.ROW_COL_1)
        return first - least, second - least


class ReplyFormat(StrEnum):
    """How an answer is marked in a reply."""

    FINAL_OUTPUT = "final_output"  # FINAL_OUTPUT: NAME
    ACTIONS = "actions"  # SUB_GOAL: text, then ACTIONS: NAME, NAME
    FINAL = "final"  # Final: NAME
    ACTION_TAG = "action_tag"  # <action>NUMBER</action>
    COORDINATES = "coordinates"  # #### and a list of positions; for worlds with ``action_steps``


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


class Route(NamedTuple):
    """What turns a list of positions into actions.

    Attributes:
        steps: for each action, by how much it changes (row, col).
        at: (row, col) at which a list has to begin; None for anywhere.
        shape: (rows, cols) of the board; None where it is not known.
    """

    steps: tuple[tuple[int, int], ...]
    at: tuple[int, int] | None = None
    shape: tuple[int, int] | None = None


class Example(NamedTuple):
    """A level and its solution, told before the first question; never one that is played.

    Attributes:
        text: the level in words, and why its solution is one.
        actions: the solution.
        at: (row, col) where it begins.
    """

    text: str
    actions: tuple[int, ...]
    at: tuple[int, int]


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
        route: how positions in a reply become actions; None in worlds without ``action_steps``.
        example: a worked example, if the world has one.
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
    route: Route | None = None
    example: Example | None = None


@runtime_checkable
class Stepwise(Protocol):
    """What a ``TextGame`` offers besides where each action is a step in a direction of its own.

    Its ``describe`` then gives a ``route``, and positions are an answer (``ReplyFormat.COORDINATES``).

    Attributes:
        action_steps: for each action, by how much it changes (row, col).
    """

    action_steps: tuple[tuple[int, int], ...]


class EpisodeSpec(NamedTuple):
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

    def recipe(self) -> EpisodeSpec:
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
