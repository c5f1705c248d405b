"""One self-contained HTML file: tables, charts and every episode to be stepped through; it needs no network.

Whatever a model or a file said is untrusted. It goes into the page in three ways only: escaped as HTML, in
JSON whose every ``<`` is written as an escape, or packed as base64; the script shows it by ``textContent``.
The page forbids itself every script but its own, by hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from maze_gym.evaluation.analysis.diagnosis import FailureClass
from maze_gym.evaluation.report import sections
from maze_gym.game import Disguise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.evaluation.analysis.contenders import Contender
    from maze_gym.evaluation.report.examining import Material


def page(material: Material, title: str = "") -> str:
    """The report as the text of an HTML file; the same runs are the same text.

    Args:
        material: of ``examine``.
        title: by default the worlds that were played.
    """
    script, style = _asset("page.js"), _asset("page.css")
    title = title or " and ".join(dict.fromkeys(str(run.config["env_id"]) for run in material.runs))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    atlas = base64.b64encode(material.atlas.png()).decode("ascii")
    fields = {
        "policy": policy,
        "title": escape(title),
        "style": style,
        "notices": sections.notices(material),
        "facts": sections.facts(material),
        "sections": sections.all_sections(material.contenders),
        "atlas": f"data:image/png;base64,{atlas}",
        "index": as_script_data(_index(material)),
        "replays": as_script_data(list(material.replays.values())),
        "script": script,
    }
    parts = _asset("page.html").split("{{")
    pieces = [parts[0]]
    for part in parts[1:]:
        name, _, rest = part.partition("}}")
        pieces += [fields[name], rest]
    return "".join(pieces)


def as_script_data(data: Any) -> str:  # noqa: ANN401 - any JSON value
    """JSON that can stand in a ``script`` element: nothing in it ends the element or begins a comment."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII, so no line separator of Unicode is in it either
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _index(material: Material) -> dict[str, Any]:
    """What the list of episodes shows; the script knows the columns by their order."""
    places = {key: number for number, key in enumerate(material.replays)}
    rows: list[Sequence[Any]] = []
    for place, contender in enumerate(material.contenders):
        rows += [
            _row(place, contender, number, places.get((place, number)))
            for number in range(len(contender.episodes))
        ]
    return {
        "contenders": [
            {"label": contender.label, "kind": str(contender.kind), "actions": names}
            for contender, names in zip(material.contenders, material.action_names, strict=True)
        ],
        "failures": [str(each) for each in FailureClass],
        "tile": material.atlas.cell_px,
        "episodes": rows,
    }


def _row(place: int, contender: Contender, number: int, replay: int | None) -> Sequence[Any]:
    each = contender.episodes[number]
    record, diagnosis = each.record, each.diagnosis
    disguise = Disguise.of(record.level_id)[1]
    return (
        place,
        contender.indices[number],
        each.level,
        "" if disguise is None else str(disguise),
        None if record.success is None else int(record.success),
        str(record.end_reason),
        str(each.failure),
        record.steps,
        record.optimal_actions,
        None if diagnosis is None else diagnosis.first_mistake,
        None if diagnosis is None else diagnosis.dead_at,
        None if each.talk is None else each.talk.queries,
        replay,
        f"{each.cluster}/{disguise or ''}",
    )


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
