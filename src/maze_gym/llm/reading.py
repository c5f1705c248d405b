"""What a reply is read by, and what comes of it: the records that prompts, parsers and policies share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

from maze_gym.game import Coordinates, ReplyFormat, Route  # the last for readers of annotations


def marker_of(kind: ReplyFormat) -> str:
    """The word before the colon of an answer, or what marks it where there is no colon."""
    match kind:
        case ReplyFormat.FINAL_OUTPUT:
            return "FINAL_OUTPUT"
        case ReplyFormat.ACTIONS:
            return "ACTIONS"
        case ReplyFormat.FINAL:
            return "Final"
        case ReplyFormat.ACTION_TAG:
            return "<action>"
        case ReplyFormat.COORDINATES:
            return "####"
        case _:
            assert_never(kind)


class FailureKind(StrEnum):
    """Why a reply cannot be used; each kind is asked again in its own words."""

    EMPTY = "empty"  # nothing was said aloud
    NO_MARKER = "no_marker"  # no line begins with the marker
    UNKNOWN_ACTION = "unknown_action"  # what follows it is no action
    WRONG_SHAPE = "wrong_shape"  # an action and more, several for one, or nothing
    ILLEGAL = (
        "illegal"  # one action was asked for, and this one is not open now, or no single move leads there
    )


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The one reading of a reply.

    Attributes:
        actions: numbers of the actions, in order; at least one, unless ``broken``.
        subgoal: what the reply says it is for, on one line; empty where it says nothing.
        evidence: the text that was read as the answer, safe to print.
        broken: of a plan that can be read and cannot be followed beyond ``actions``: why, safe to print. Such
            a plan is an answer, and a wrong one: it is played as far as it goes, and never asked for again.
    """

    actions: tuple[int, ...]
    subgoal: str
    evidence: str
    broken: str = ""


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Why there is no reading.

    Attributes:
        kind: which of the failures.
        detail: what was found, safe to print.
        evidence: the text that was read as the answer, safe to print; empty where there was none.
    """

    kind: FailureKind
    detail: str
    evidence: str = ""


class Grammar(NamedTuple):
    """What a prompt asked for.

    Attributes:
        format: how the answer is marked.
        action_names: the words for the actions.
        several: whether a list of actions is asked for.
        legal: the actions that the prompt listed as legal; None where it listed none.
        route: what turns positions into actions; None in formats that name actions.
        coordinates: how positions are named.
    """

    format: ReplyFormat
    action_names: tuple[str, ...]
    several: bool = False
    legal: tuple[int, ...] | None = None
    route: Route | None = None
    coordinates: Coordinates = Coordinates.ROW_COL
