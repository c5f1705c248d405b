"""One episode as a page shows it: pictures, steps, the oracle's word on each, and what a model was asked."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from maze_gym.evaluation.analysis.diagnosis import Diagnosis
    from maze_gym.evaluation.report.frames import Film

MAX_TEXT = 100_000  # characters of one message or reply that are shown; a page is for reading
_EFFORT = 9  # of zlib: a page is written once and opened often


class _Strings:
    """Texts by number, each once: an episode repeats its rules in every prompt."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        if len(text) > MAX_TEXT:
            text = f"{text[:MAX_TEXT]}\n[{len(text) - MAX_TEXT} more characters are not shown]"
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]


def packed(diagnosis: Diagnosis, film: Film, queries: Sequence[Mapping[str, Any]] = ()) -> str:
    """An episode as base64 of deflated JSON, which a page unpacks when it is looked at.

    Args:
        diagnosis: of the episode.
        film: its pictures.
        queries: of its ``Transcript``, for a language model.
    """
    strings = _Strings()
    steps = [
        [
            step.action,
            strings.number(step.event),
            strings.number(step.message),
            int(step.failed),
            step.best,
            step.remaining,
            step.regret,
        ]
        for step in diagnosis.steps
    ]
    data = {
        "size": [film.rows, film.cols],
        "first": film.first,
        "changes": film.changes,
        "optimal": diagnosis.optimal,
        "steps": steps,
        "queries": [_query(query, strings) for query in queries],
        "strings": strings.texts,
    }
    text = json.dumps(data, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, _EFFORT)).decode("ascii")


def unpacked(text: str) -> dict[str, Any]:
    """What ``packed`` packed."""
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
    return data


def _query(query: Mapping[str, Any], strings: _Strings) -> dict[str, Any]:
    usage = query.get("usage") or {}
    fields = {
        "step": query["step"],
        "attempt": query["attempt"],
        "asked": [
            [strings.number(str(part["role"])), strings.number(text)]
            for part in query["messages"]
            for text in _texts(part)
        ],
        "reply": None if query.get("reply") is None else strings.number(str(query["reply"])),
        "actions": (query.get("parsed") or {}).get("actions"),
        "subgoal": (query.get("parsed") or {}).get("subgoal") or None,
        "failure": query["failure"]["kind"] if "failure" in query else None,
        "detail": strings.number(str(query["failure"]["detail"])) if "failure" in query else None,
        "error": strings.number(str(query["error"])) if query.get("error") else None,
        "tokens": [usage.get("input_tokens"), usage.get("output_tokens")],
        "cost": usage.get("cost_usd"),
        "latency": query.get("latency_s"),
        "wait": query.get("wait_s") or None,
        "retries": query.get("provider_retries") or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _texts(message: Mapping[str, Any]) -> Iterator[str]:
    """Pictures are named, not repeated: the board of the replay is the very same picture."""
    for _ in message.get("images", ()):
        yield "[the picture of the board at this step]"
    yield str(message["text"])
