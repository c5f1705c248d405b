"""Positions as an answer: ``#### (0, 0), (0, 1)`` and what actions lead along them, or why none do.

1. The last line that begins with ``####`` counts, dressing apart. What follows it are positions in round or
   square brackets, two whole numbers each, with or without signs, spaces, commas and arrows; on its own
   line, or on the lines after it for as long as they hold nothing else.
2. Nothing is skipped. A word, an ellipsis or half a position among them is the wrong shape.
3. A list that begins elsewhere than where the agent is, leaves the board, or jumps, can be read. Where a
   plan was asked for it is a wrong one: the actions up to there, and why it is ``broken``. Where one move was
   asked for there is none that it could be: illegal.

This module knows no world: a ``Route`` says by how much each action changes a position.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.game import ReplyFormat
from maze_gym.llm.reading import FailureKind, Grammar, ParsedReply, ParseFailure, marker_of
from maze_gym.llm.untrusted import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.game import Coordinates, Route

    Position = tuple[int, int]

MARK = marker_of(ReplyFormat.COORDINATES)
_DRESSING = " \t>*_`\"'"  # before the marker; a struck-out line (~~) is none
_MARKED = re.compile(r"####(?!#)[ \t:*_`\"']*")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)[\w+-]*[ \t]*", re.ASCII)
_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022]|[0-9]{1,3}[.)])[ \t]+(?=[(\[])")
_GAP = r"[ \t]{0,8}"  # bounded, so that reading stays linear
_NUMBER = r"([+-]?" + _GAP + r"[0-9]{1,4})"
_PAIR = re.compile(rf"[(\[]{_GAP}{_NUMBER}(?:{_GAP}[,;]{_GAP}|[ \t]{{1,8}}){_NUMBER}{_GAP}[)\]]")
_BETWEEN = re.compile(r"(?:[\s,;*_`\"']|->|=>)*")
_BEFORE = re.compile(r"[\s*_`\"'(\[]*")
_AFTER = re.compile(r"[\s,;*_`\"')\]]*[.!]?[\s*_`\"']*")
_GOES_ON = (",", ";", "->", "=>")
_MINUS = str.maketrans("\u2212\u2013", "--")


def read(text: str, grammar: Grammar) -> ParsedReply | ParseFailure:
    """Read what was said aloud.

    Raises:
        InvalidArgument: the grammar does not say what positions lead to.
    """
    route = grammar.route
    if route is None:
        msg = "positions are asked for, but nothing says what they lead to; give the grammar a route"
        raise InvalidArgument(msg)
    lines = [line for line in text.translate(_MINUS).split("\n") if not _FENCE.fullmatch(line)]
    for index in range(len(lines) - 1, -1, -1):
        marked = _MARKED.match(lines[index].lstrip(_DRESSING))
        if marked:
            rest = marked.string[marked.end() :]
            return _answer(_payload(rest, lines[index + 1 :]), grammar, route)
    return ParseFailure(FailureKind.NO_MARKER, f"no line begins with {MARK}")


def along(actions: Sequence[int], route: Route) -> list[Position]:
    """The positions that actions lead along, the first included; from (0, 0) where the route begins anywhere.

    >>> from maze_gym.game import Route
    >>> along((0, 1), Route(steps=((0, 1), (1, 0))))
    [(0, 0), (0, 1), (1, 1)]
    """
    row, col = route.at or (0, 0)
    passed = [(row, col)]
    for action in actions:
        down, right = route.steps[action]
        row, col = row + down, col + right
        passed.append((row, col))
    return passed


def spoken(passed: Sequence[Position], coordinates: Coordinates) -> str:
    """Positions as a reply or a prompt names them."""
    return ", ".join(_name(position, coordinates) for position in passed)


def _payload(rest: str, following: Sequence[str]) -> str:
    gathered = [rest]
    for line in following:
        bare = _BULLET.sub("", line, count=1)
        tail = gathered[-1].rstrip(" \t*_`\"'")
        is_open = not any(map(str.strip, gathered)) or tail.endswith(_GOES_ON)
        if not bare.strip():
            if not is_open:
                break
        elif _is_pure(bare):
            gathered.append(bare)
        else:
            gathered += [bare] * is_open  # it should have been positions: refused, not overlooked
            break
    return "\n".join(gathered).strip()


def _is_pure(line: str) -> bool:
    """Whether a line holds positions and nothing else."""
    return _PAIR.search(line) is not None and not _PAIR.sub("", line).strip(" \t,;*_`\"'()[].->=")


def _answer(payload: str, grammar: Grammar, route: Route) -> ParsedReply | ParseFailure:
    evidence = shown(f"{MARK} {payload}", 120)
    pairs = list(_PAIR.finditer(payload))
    if not pairs:
        found = f"no position but {shown(payload)!r} follows" if payload else "nothing follows"
        return ParseFailure(FailureKind.WRONG_SHAPE, f"{found} {MARK}", evidence)
    edges = [0, *(edge for pair in pairs for edge in pair.span()), len(payload)]
    pieces = [payload[edges[place] : edges[place + 1]] for place in range(0, len(edges), 2)]
    for place, piece in enumerate(pieces):
        allowed = _BEFORE if place == 0 else _AFTER if place == len(pairs) else _BETWEEN
        if not allowed.fullmatch(piece):
            detail = f"{shown(piece.strip())!r} is no position"
            return ParseFailure(FailureKind.WRONG_SHAPE, detail, evidence)
    passed = [
        grammar.coordinates.cell(
            *(int(number.replace(" ", "").replace("\t", "")) for number in pair.groups())
        )
        for pair in pairs
    ]
    return _along(passed, grammar, route, evidence)


def _along(
    passed: Sequence[Position], grammar: Grammar, route: Route, evidence: str
) -> ParsedReply | ParseFailure:
    good, problem = _followed(passed, grammar.coordinates, route)
    if grammar.several:
        actions = tuple(
            route.steps.index(_difference(here, there)) for here, there in pairwise(passed[:good])
        )
        return ParsedReply(actions, "", evidence, problem or ("" if actions else "it makes no move"))
    if problem:
        return ParseFailure(FailureKind.ILLEGAL, problem, evidence)
    count = len(passed) - 1
    if count != 1:
        detail = f"{count or 'no'} move{'s' * (count > 1)} where exactly one move was asked for"
        return ParseFailure(FailureKind.WRONG_SHAPE, detail, evidence)
    action = route.steps.index(_difference(*passed))
    if grammar.legal is not None and action not in grammar.legal:
        detail = f"{grammar.action_names[action]} is not among the legal actions"
        return ParseFailure(FailureKind.ILLEGAL, detail, evidence)
    return ParsedReply((action,), "", evidence)


def _followed(passed: Sequence[Position], coordinates: Coordinates, route: Route) -> tuple[int, str]:
    """How many of these positions actions lead along, and why no further; empty where they do to the end."""
    rows, cols = route.shape or (math.inf, math.inf)
    for place, (row, col) in enumerate(passed):
        name = _name((row, col), coordinates)
        if not (0 <= row < rows and 0 <= col < cols):
            return place, f"{name} is not on the board"
        if place == 0:
            if route.at is not None and (row, col) != route.at:
                return 0, f"it begins at {name}, which is not where you are"
        elif _difference(passed[place - 1], (row, col)) not in route.steps:
            return place, f"no single move leads from {_name(passed[place - 1], coordinates)} to {name}"
    return len(passed), ""


def _difference(here: Position, there: Position) -> Position:
    return there[0] - here[0], there[1] - here[1]


def _name(position: Position, coordinates: Coordinates) -> str:
    first, second = coordinates.named(*position)
    return f"({first}, {second})"
