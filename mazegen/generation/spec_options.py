"""A spec as a command line asks for it: as JSON, as a file, or by its fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mazegen.core.file_errors import read_text
from mazegen.generation.spec import Distractors, MazeGenSpec

if TYPE_CHECKING:
    from collections.abc import Mapping


def spec_of(text: str | None, topology: str | None, fields: Mapping[str, Any]) -> MazeGenSpec | None:
    """The spec that options mean, or None if they mean none.

    Args:
        text: JSON of a spec, or the name of a file that holds it.
        topology: the backbone of a spec that is given by its fields.
        fields: its other fields by name, those of its distractors among them; None for what was not given.

    Raises:
        ValueError: options that exclude or need each other, or a spec that breaks a rule.
        OSError: the file cannot be read.
    """
    if text is not None and topology is not None:
        msg = "give --spec or --topology, not both"
        raise ValueError(msg)
    asked = {name: value for name, value in fields.items() if value is not None}
    if asked and topology is None:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in asked)
        msg = f"{options}: only with --topology, which makes a spec of them; give it, or leave them out"
        raise ValueError(msg)
    if text is not None:
        return MazeGenSpec.from_json(text) if text.lstrip().startswith("{") else _spec_in(text)
    if topology is None:
        return None
    wrong = {name: asked.pop(name) for name in Distractors.COUNTS if name in asked}
    return MazeGenSpec.from_dict({"topology": topology, "distractors": wrong, **asked})


def _spec_in(file: str) -> MazeGenSpec:
    text = read_text(file)
    try:
        return MazeGenSpec.from_json(text)
    except ValueError as error:
        msg = f"{file}: {error}"
        raise ValueError(msg) from error


def in_short(spec: MazeGenSpec) -> str:
    """The topology and what differs from its defaults, as a line of JSON that ``MazeGenSpec`` reads."""
    usual = MazeGenSpec(spec.topology).to_dict()
    short: dict[str, Any] = {"topology": str(spec.topology)}
    for name, value in spec.to_dict().items():
        if value == usual[name]:
            continue
        if isinstance(value, dict):
            short[name] = {key: each for key, each in value.items() if each != usual[name][key]}
        else:
            short[name] = value
    return json.dumps(short)
