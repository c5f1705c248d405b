"""From a reply to actions, by a strict grammar: one right reading or none, never a guess.

1. Control characters, think-blocks and code fences are dressing; so are the marks of bold, code,
   quotes, headings and lists around a marker or an action.
2. An answer is what follows a marker at the beginning of a line (a tag: anywhere). A marker in the
   middle of a sentence is talk. The last marker of the reply wins.
3. What follows the last marker is final. If it is not right it is a failure of a kind of its own, and
   the model is asked again; nothing else in the reply is searched for something better.
4. An action is its whole name in any case, with spaces, hyphens or nothing for the underscores, or an alias
   of ``ALIASES``; in formats that number the actions, also its number, or both where they agree, as a prompt
   writes them: ``2 = NAME``, ``2: NAME``, ``2 (NAME)``; and ``NAME (2)``, which in a list may be a count and
   is none. A word more or less, a minus or a count beside it, and it is no action. Answers in positions are
   read by ``positions``.
5. A list is read whole or not at all: an ellipsis in it is no action, and where a line below it holds
   nothing but actions it is not known where the list ends.
6. A plan that can be read is an answer, right or wrong: whether its actions are legal is for the world to
   judge. Only where one action was asked for, out of those that the prompt lists, another one is refused.

Time is linear in the length of the reply.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.errors import InvalidArgument
from maze_gym.game import ReplyFormat
from maze_gym.llm import positions
from maze_gym.llm.reading import FailureKind, Grammar, ParsedReply, ParseFailure, marker_of
from maze_gym.llm.untrusted import plain, shown, without_thoughts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["NUMBERED", "FailureKind", "Grammar", "ParseFailure", "ParsedReply", "parse"]

MAX_SUBGOAL = 200  # characters of a sub-goal that are kept
MAX_JSON = 1_000_000  # characters of a reply that is tried as JSON
ALIASES = {"PICKUP": "PICK UP"}  # one word in code, two in English
NUMBERED = frozenset({ReplyFormat.FINAL, ReplyFormat.ACTION_TAG})  # formats whose prompt numbers the actions

_MARKER = {
    ReplyFormat.FINAL_OUTPUT: r"final[ _-]?output",
    ReplyFormat.ACTIONS: r"actions",
    ReplyFormat.FINAL: r"final",
}
# What may stand between the marker's name and its colon: the end of bold, of code, of a quote.
_AFTER_NAME = r"[*_`\"' \t]*[:=]"
_LINE_MARKER = {
    kind: re.compile(name + _AFTER_NAME, re.IGNORECASE | re.ASCII) for kind, name in _MARKER.items()
}
_JSON_KEY = {kind: re.compile(name, re.IGNORECASE | re.ASCII) for kind, name in _MARKER.items()}
_SUBGOAL = re.compile(r"sub[ _-]?goal" + _AFTER_NAME, re.IGNORECASE | re.ASCII)
_TAG = re.compile(r"<(/?)action>", re.IGNORECASE | re.ASCII)
_FENCE = re.compile(r"[ \t]*(?:```|~~~)[\w+-]*[ \t]*", re.ASCII)
_POINT = re.compile(r"[ \t]*[-*+\u2022][ \t]+")
_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022]|[0-9]{1,3}[.)])[ \t]+")
_LINE_NUMBER = re.compile(r"[0-9]{1,3}[.)][ \t]*")
_ITEM_NUMBER = re.compile(
    r"[0-9]{1,3}[.)][ \t]*[*_`\"']*(?=[a-z])", re.IGNORECASE | re.ASCII
)  # "2.0" has none
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[ \t_-]+[a-z][a-z0-9]*)*", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,4}")
_JOINT = r"[ \t*_`\"']{0,8}"  # dressing between a number and a name; bounded, so that reading stays linear
_NUMBER_NAME = re.compile(
    rf"(?P<number>{_NUMBER.pattern}){_JOINT}[=:(]{_JOINT}(?P<name>{_NAME.pattern})", re.IGNORECASE | re.ASCII
)
_NAME_NUMBER = re.compile(
    rf"(?P<name>{_NAME.pattern}){_JOINT}\({_JOINT}(?P<number>{_NUMBER.pattern})", re.IGNORECASE | re.ASCII
)
_SEPARATORS = re.compile(r"[,;\n]|->")
_JOINTS = re.compile(r"[ \t_-]+")
_LEADING = " \t*_`\"'>#+-\u2022([{"  # dressing before a marker; a struck-out line (~~) is none
_AROUND = " \t*_`\"'()[]{}<>"  # dressing around an action; minus, tilde and question mark mean something
_ENDING = ".!"
_STOP = re.compile(r"(?<![.!])[.!]\Z")  # one: an ellipsis says that something is left out


def parse(reply: str, grammar: Grammar) -> ParsedReply | ParseFailure:
    """Read a reply; whatever it holds, this returns a reading or says why there is none.

    Raises:
        InvalidArgument: the grammar's names cannot be told apart, or positions are asked for and nothing
            says what they lead to; no reply ever raises.
    """
    vocabulary = _vocabulary(grammar.action_names)
    aloud = without_thoughts(plain(reply))
    if not aloud.strip():
        thoughts = reply.strip() and " but thoughts"
        return ParseFailure(FailureKind.EMPTY, f"the reply holds nothing{thoughts or ''}")
    if grammar.format == ReplyFormat.COORDINATES:
        return positions.read(aloud, grammar)
    found = _tagged(aloud) if grammar.format == ReplyFormat.ACTION_TAG else _marked(aloud, grammar.format)
    if isinstance(found, ParseFailure):
        return found
    return _read(found, grammar, vocabulary)


class _Answer(NamedTuple):
    """What follows the last marker: raw items, not yet looked up, and the lines below them."""

    items: tuple[str, ...]
    evidence: str
    subgoal: str = ""
    below: Sequence[str] = ()


class _Payload(NamedTuple):
    """What belongs to a marker, and the lines below it."""

    text: str
    below: Sequence[str] = ()


def _read(answer: _Answer, grammar: Grammar, vocabulary: Mapping[str, int]) -> ParsedReply | ParseFailure:
    evidence = shown(answer.evidence, 120)
    if not answer.items:
        return ParseFailure(FailureKind.WRONG_SHAPE, "nothing follows the marker", evidence)
    if len(answer.items) > 1 and not grammar.several:
        detail = f"{len(answer.items)} actions where one was asked for"
        return ParseFailure(FailureKind.WRONG_SHAPE, detail, evidence)
    actions: list[int] = []
    for item in answer.items:
        action = _action(item, grammar, vocabulary)
        if action is None:
            kind, detail = _why_not(item, vocabulary)
            return ParseFailure(kind, detail, evidence)
        actions.append(action)
    stray = _stray(answer.below, grammar, vocabulary) if grammar.several else None
    if stray is not None:
        detail = f"actions stand outside the list: {shown(stray.strip())}"
        return ParseFailure(FailureKind.WRONG_SHAPE, detail, evidence)
    if not grammar.several and grammar.legal is not None and actions[0] not in grammar.legal:
        detail = f"{grammar.action_names[actions[0]]} is not among the legal actions"
        return ParseFailure(FailureKind.ILLEGAL, detail, evidence)
    return ParsedReply(tuple(actions), answer.subgoal, evidence)


def _action(item: str, grammar: Grammar, vocabulary: Mapping[str, int]) -> int | None:
    if _NAME.fullmatch(item):
        return vocabulary.get(_spelled(item))
    if grammar.format not in NUMBERED:
        return None
    if _NUMBER.fullmatch(item):
        number = int(item)
        return number if number < len(grammar.action_names) else None
    both = _NUMBER_NAME.fullmatch(item) or (None if grammar.several else _NAME_NUMBER.fullmatch(item))
    action = vocabulary.get(_spelled(both["name"])) if both else None
    return action if both and action == int(both["number"]) else None  # where they differ, which is meant?


def _stray(lines: Sequence[str], grammar: Grammar, vocabulary: Mapping[str, int]) -> str | None:
    """The first of these lines that holds actions and nothing else, however it is numbered or dressed."""
    for line in lines:
        items = _items(_undressed(line) or line)  # "2." is a number, and not that of an empty item
        if items and all(_action(item, grammar, vocabulary) is not None for item in items):
            return line
    return None


def _why_not(item: str, vocabulary: Mapping[str, int]) -> tuple[FailureKind, str]:
    """A right beginning with something after it is a matter of shape; anything else is unknown."""
    words = re.split(r"[ \t]+", item[:200])
    for count in (1, 2, 3):
        head = " ".join(words[:count]).rstrip(_AROUND + _ENDING + ":")
        if len(words) > count and _NAME.fullmatch(head) and _spelled(head) in vocabulary:
            return FailureKind.WRONG_SHAPE, f"{shown(head)} and something after it: {shown(item)}"
    return FailureKind.UNKNOWN_ACTION, f"{shown(item)!r} is no action"


@lru_cache(maxsize=64)
def _vocabulary(names: tuple[str, ...]) -> dict[str, int]:
    """Every accepted spelling: words apart or joined, and the aliases; never a word broken in two."""
    vocabulary: dict[str, int] = {}
    for index, name in enumerate(names):
        words = _spelled(name)
        for spelling in {words, words.replace(" ", ""), ALIASES.get(words, words)}:
            if not _NAME.fullmatch(name) or spelling in vocabulary:
                msg = f"actions must have plain names that differ in more than case and joints, got {names}"
                raise InvalidArgument(msg)
            vocabulary[spelling] = index
    return vocabulary


def _spelled(name: str) -> str:
    return _JOINTS.sub(" ", name).upper()


def _tagged(text: str) -> _Answer | ParseFailure:
    """What the last ``<action>`` holds, up to the next tag of the kind, which must close it."""
    tags = list(_TAG.finditer(text))
    last = next((place for place in range(len(tags) - 1, -1, -1) if not tags[place][1]), None)
    if last is None:
        return ParseFailure(FailureKind.NO_MARKER, "there is no <action> tag")
    opening = tags[last]
    if last + 1 == len(tags):
        return ParseFailure(
            FailureKind.WRONG_SHAPE,
            "the last <action> tag is not closed",
            shown(text[opening.start() :], 120),
        )
    closing = tags[last + 1]
    items = _items(text[opening.end() : closing.start()], ReplyFormat.ACTION_TAG)
    return _Answer(items, text[opening.start() : closing.end()])


def _marked(text: str, kind: ReplyFormat) -> _Answer | ParseFailure:
    lines = [line for line in text.split("\n") if not _FENCE.fullmatch(line)]
    answer = _from_json("\n".join(lines), kind)
    if answer is not None:
        return answer
    for index in range(len(lines) - 1, -1, -1):
        rest = _after_marker(lines[index], _LINE_MARKER[kind])
        if rest is not None:
            payload = _payload(rest, lines, index, kind)
            subgoal = _subgoal(lines, index) if kind == ReplyFormat.ACTIONS else ""
            evidence = f"{lines[index].strip()}{payload.text[len(rest) :]}"
            return _Answer(_items(payload.text, kind), evidence, subgoal, payload.below)
    return ParseFailure(FailureKind.NO_MARKER, f"no line begins with {marker_of(kind)}:")


def _after_marker(line: str, marker: re.Pattern[str]) -> str | None:
    """What follows the marker if the line begins with it, dressing apart."""
    if ":" not in line and "=" not in line:
        return None
    bare = _undressed(line)
    found = marker.match(bare)
    return bare[found.end() :] if found else None


def _undressed(line: str) -> str:
    """A line without what dresses its beginning, a list number included."""
    bare = line.lstrip(_LEADING)
    numbered = _LINE_NUMBER.match(bare)
    return bare[numbered.end() :].lstrip(_LEADING) if numbered else bare


def _payload(rest: str, lines: Sequence[str], index: int, kind: ReplyFormat) -> _Payload:
    """The rest of the marker's line, and the lines after it that belong to the same list.

    Those are: the next line, where nothing follows the marker, and the list items under it; the
    lines up to a closing bracket; the line after a comma.
    """
    bullet = _POINT if kind in NUMBERED else _BULLET
    end = index + 1
    if not rest.strip(_AROUND) and "[" not in rest:
        while end < len(lines) and not lines[end].strip():
            end += 1
        if end == len(lines) or _is_marker(lines[end]):
            return _Payload("")
        is_bulleted = bullet.match(lines[end]) is not None
        gathered = [bullet.sub("", lines[end], count=1)]
        end += 1
        while is_bulleted and end < len(lines) and bullet.match(lines[end]) and not _is_marker(lines[end]):
            gathered.append(bullet.sub("", lines[end], count=1))
            end += 1
        if is_bulleted:
            return _Payload("\n".join(gathered), lines[end:])
    else:
        gathered = [rest]
    in_brackets = "[" in gathered[0] and "]" not in gathered[0]
    for line in lines[end:]:
        if not (in_brackets or gathered[-1].rstrip().endswith(",")) or _is_marker(line):
            break
        gathered.append(line)
        end += 1
        in_brackets = in_brackets and "]" not in line
    return _Payload("\n".join(gathered), lines[end:])


def _is_marker(line: str) -> bool:
    if ":" not in line and "=" not in line:
        return False
    markers = (*_LINE_MARKER.values(), _SUBGOAL)
    return any(_after_marker(line, marker) is not None for marker in markers)


def _items(payload: str, kind: ReplyFormat | None = None) -> tuple[str, ...]:
    items = (_bare(part, kind) for part in _SEPARATORS.split(payload))
    return tuple(item for item in items if item)


def _bare(item: str, kind: ReplyFormat | None = None) -> str:
    """An item without dressing: brackets, quotes, bold, one full stop, a list number.

    Where numbers are actions a number before an action is none of a list, for it may be the answer.
    """
    item = item.strip(_AROUND)
    numbered = None if kind in NUMBERED else _ITEM_NUMBER.match(item)
    if numbered:
        item = item[numbered.end() :]
    return _STOP.sub("", item.rstrip(_AROUND)).rstrip(_AROUND) or item


def _subgoal(lines: Sequence[str], index: int) -> str:
    """What the last SUB_GOAL line above the answer says."""
    for line in reversed(lines[:index]):
        rest = _after_marker(line, _SUBGOAL)
        if rest is not None:
            return shown(rest.strip(_AROUND), MAX_SUBGOAL)
    return ""


def _from_json(text: str, kind: ReplyFormat) -> _Answer | None:
    """The answer of a reply that is one JSON object with the marker as a name, else None."""
    body = text.strip()
    if not (body.startswith("{") and body.endswith("}")) or len(body) > MAX_JSON:
        return None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    answers = [each for name, each in value.items() if _JSON_KEY[kind].fullmatch(name.strip())]
    if not answers:
        return None
    subgoals = [each for name, each in value.items() if re.fullmatch(r"(?i)sub[ _-]?goal", name.strip())]
    subgoal = shown(subgoals[-1], MAX_SUBGOAL) if subgoals and isinstance(subgoals[-1], str) else ""
    parts = answers[-1] if isinstance(answers[-1], list) else [answers[-1]]
    items = [item for part in parts for item in _json_items(part, kind)]
    return _Answer(tuple(items), body, subgoal)


def _json_items(part: object, kind: ReplyFormat) -> tuple[str, ...]:
    if isinstance(part, str):
        return _items(plain(part), kind)
    # Anything else is kept as an item, so that it is refused and not overlooked; what is nested may be
    # nested too deep to be written.
    return ("{...}" if isinstance(part, dict | list) else json.dumps(part),)
