"""ExperimentConfig: how a world is told to a model, and how its replies are used."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from maze_gym.errors import InvalidArgument
from maze_gym.game import Coordinates, Prompting, ReplyFormat, Wording
from mazegen.core.bounded_files import json_of

PROMPT_VERSION = 2  # goes up whenever the words of a prompt change; part of every record
MAX_TURNS = 1_000
MAX_RETRIES = 100
MAX_CELL_PX = 512
MAX_TEMPERATURE = 2
_WINDOW = re.compile(r"last([1-9][0-9]{0,3})")


class Observe(StrEnum):
    """What a turn shows."""

    TEXT = "text"
    TEXT_IMAGE = "text_image"
    IMAGE_FIRST = "image_first"  # the picture, minimal text, a history of actions alone


class Querying(StrEnum):
    """How many actions a reply holds."""

    STEP = "step"  # one
    SUBGOAL = "subgoal"  # some; asked again when they are done, or when one of them failed
    FULL_TRAJECTORY = "full_trajectory"  # all; asked once in an episode


class History(StrEnum):
    """Where earlier turns go."""

    WINDOW = "window"  # into the one user message, as many as ``context_window`` says
    FULL = "full"  # every earlier turn stays a message of its own: an ever-growing chat


class Constrain(StrEnum):
    """Whether the server holds the reply to the asked format."""

    NONE = "none"
    GRAMMAR = "grammar"  # a GBNF grammar, understood by llama.cpp


_E = TypeVar("_E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class ExperimentConfig:
    """Everything between a world and a model; recorded with every result.

    Attributes:
        prompting: how much the world explains.
        observation: text, text and picture, or picture with minimal text.
        context_window: ``"current"``, or ``"lastN"`` for the N latest steps; a number is taken too.
        history: ``"full"`` sends every earlier turn as messages of its own instead of a window.
        querying: one action, some or all in a reply.
        reply_format: how the answer is marked; None for the world's own format.
        retries: how often an unusable reply is asked again before the episode ends ``parse_failed``.
        stall_limit: steps without a new state after which the episode ends; None for never.
        failure_limit: actions in a row that failed, after which the episode ends; None for never.
        show_legal_actions: list the actions that do something now; an answer outside the list is
            then refused as ILLEGAL. Off, a futile action is a step like any other.
        example: show one example of a reply.
        coordinates: how texts name cells.
        cell_px: pixels a cell of the picture.
        constrain: whether the server holds the reply to the format.
        temperature: of the model's sampling, 0 for the most likely reply.
        max_tokens: longest reply; the same for all models, or they cannot be compared.

    Raises:
        InvalidArgument: a field is out of range, or two contradict each other.
    """

    prompting: Prompting = Prompting.STANDARD
    observation: Observe = Observe.TEXT
    context_window: str = "current"
    history: History = History.WINDOW
    querying: Querying = Querying.STEP
    reply_format: ReplyFormat | None = None
    retries: int = 3
    stall_limit: int | None = None
    failure_limit: int | None = None
    show_legal_actions: bool = False
    example: bool = False
    coordinates: Coordinates = Coordinates.ROW_COL
    cell_px: int = 32
    constrain: Constrain = Constrain.NONE
    temperature: float = 0.0
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        """Take plain strings for choices, a number for the window; refuse what makes no sense."""
        choices: dict[str, type[StrEnum]] = {
            "prompting": Prompting,
            "observation": Observe,
            "history": History,
            "querying": Querying,
            "coordinates": Coordinates,
            "constrain": Constrain,
        }
        if self.reply_format is not None:
            choices["reply_format"] = ReplyFormat
        for name, kind in choices.items():
            object.__setattr__(self, name, _choice(name, getattr(self, name), kind))
        object.__setattr__(self, "context_window", _window(self.context_window))
        check_whole("retries", self.retries, 0, MAX_RETRIES)
        check_whole("cell_px", self.cell_px, 1, MAX_CELL_PX)
        check_whole("max_tokens", self.max_tokens, 1)
        for name in ("stall_limit", "failure_limit"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)
        for name in ("show_legal_actions", "example"):
            if not isinstance(getattr(self, name), bool):
                msg = f"{name} must be true or false, got {getattr(self, name)!r}"
                raise InvalidArgument(msg)
        object.__setattr__(self, "temperature", _temperature(self.temperature))
        if self.show_legal_actions and self.observation == Observe.IMAGE_FIRST:
            msg = "show_legal_actions tells what observation='image_first' leaves to the picture; drop one"
            raise InvalidArgument(msg)
        if self.history == History.FULL and self.turns:
            msg = f"history 'full' sends every turn; a context of {self.context_window!r} contradicts it"
            raise InvalidArgument(msg)

    @property
    def turns(self) -> int:
        """How many earlier steps a turn repeats."""
        return 0 if self.context_window == "current" else int(self.context_window.removeprefix("last"))

    @property
    def wording(self) -> Wording:
        """What the world is asked for."""
        return Wording(self.prompting, self.coordinates, self.observation == Observe.IMAGE_FIRST)

    @property
    def has_image(self) -> bool:
        """Whether a turn carries a picture."""
        return self.observation != Observe.TEXT

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields."""
        return {
            name: str(value) if isinstance(value, StrEnum) else value
            for name, value in dataclasses.asdict(self).items()
        }

    @classmethod
    def from_dict(cls, fields: Any) -> ExperimentConfig:  # noqa: ANN401 - it comes from a file
        """The config that ``to_dict`` described; fields may be left out.

        Raises:
            InvalidArgument: it is no object, or a field is unknown or wrong.
        """
        if not isinstance(fields, dict):
            msg = f"a config must be an object, got {type(fields).__name__}"
            raise InvalidArgument(msg)
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                msg = f"a config has no field {name!r}; there are: {', '.join(known)}"
                raise InvalidArgument(msg)
        return cls(**fields)

    def to_json(self) -> str:
        """Canonical JSON: equal configs are equal bytes."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> ExperimentConfig:
        """The config that ``to_json`` wrote.

        Raises:
            InvalidArgument: the text is no JSON, or not such a config.
        """
        try:
            fields = json_of(text, "the text")
        except ValueError as error:
            msg = f"a config must be JSON: {error}"
            raise InvalidArgument(msg) from error
        return cls.from_dict(fields)

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) of the fields and of the version of the prompts."""
        return hashlib.sha256(f"prompts {PROMPT_VERSION}\n{self.to_json()}".encode()).hexdigest()


def _choice(name: str, value: Any, kind: type[_E]) -> _E:  # noqa: ANN401 - that it may not fit is the point
    try:
        return kind(value)
    except ValueError as error:
        msg = f"{name} must be one of {', '.join(kind)}, got {value!r}"
        raise InvalidArgument(msg) from error


def _temperature(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"temperature must be a number, got {value!r}"
        raise InvalidArgument(msg)
    if not 0 <= value <= MAX_TEMPERATURE:
        msg = f"temperature must be from 0 to {MAX_TEMPERATURE}, got {value!r}"
        raise InvalidArgument(msg)
    return float(value)


def _window(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TURNS:
        return f"last{value}" if value else "current"
    if isinstance(value, str):
        found = _WINDOW.fullmatch(value)
        if value == "current" or (found and int(found[1]) <= MAX_TURNS):
            return value
    msg = f"context_window must be 'current', 'lastN' or N with N from 0 to {MAX_TURNS}, got {value!r}"
    raise InvalidArgument(msg)


def check_whole(name: str, value: object, lowest: int, highest: int | None = None) -> None:
    """Refuse what is no whole number in range.

    Raises:
        InvalidArgument: names the number, what was expected and what came.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
        msg = f"{name} must be a whole number of at least {lowest}, got {value!r}"
        raise InvalidArgument(msg)
    if highest is not None and value > highest:
        msg = f"{name} must be at most {highest}, got {value!r}"
        raise InvalidArgument(msg)
