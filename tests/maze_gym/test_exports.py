"""The front door: the public names of ``maze_gym`` with their signatures, and what importing it costs."""

from __future__ import annotations

import enum
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import maze_gym

from .golden import check_golden

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"
HEAVY = ("torch", "pygame", "matplotlib", "numba", "scipy", "pandas", "stable_baselines3", "ray", "typer")
ROOMS = ("maze_gym.evaluation", "maze_gym.llm", "maze_gym.policies", "maze_gym.wrappers")


def loaded_after(code: str) -> list[str]:
    """Modules that an interpreter of its own has loaded after this code."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{code}\nimport json, sys; print(json.dumps([*sys.modules]))"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


class Annotation(str):
    """An annotation as it was written: ``inspect`` would put the quotes of a text around it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def as_written(annotation: object) -> object:
    text = getattr(annotation, "__forward_arg__", annotation)  # of a NamedTuple
    return Annotation(text) if isinstance(text, str) else annotation


def signature_of(called: Callable[..., object]) -> str:
    """Names, annotations as they were written, and defaults."""
    found = inspect.signature(called)
    parameters = [each.replace(annotation=as_written(each.annotation)) for each in found.parameters.values()]
    return str(found.replace(parameters=parameters, return_annotation=as_written(found.return_annotation)))


def signature_lines(name: str, value: object) -> list[str]:
    """A public name as the golden file shows it; a class with its own public members."""
    if inspect.isfunction(value):
        return [f"{name}{signature_of(value)}"]
    if not inspect.isclass(value):
        return [name]
    if issubclass(value, Exception | enum.Enum):
        return [f"class {name}({', '.join(base.__name__ for base in value.__bases__)})"]
    lines = [f"class {name}{signature_of(value)}"]
    for member, held in sorted(vars(value).items()):
        inner = held.__func__ if isinstance(held, classmethod | staticmethod) else held
        if member.startswith("_"):
            continue
        lines.append(f"    {member}{signature_of(inner)}" if inspect.isfunction(inner) else f"    {member}")
    return lines


def test_the_surface_is_the_one_that_was_approved() -> None:
    lines = [line for name in maze_gym.__all__ for line in signature_lines(name, getattr(maze_gym, name))]
    check_golden("surface/maze_gym.txt", "\n".join(lines) + "\n")


def test_the_reference_names_what_is_public() -> None:
    section = REFERENCE.read_text(encoding="utf-8").partition("## maze_gym\n")[2].partition("```")[0]
    assert re.findall(r"`(\w+)`", section)[1:] == maze_gym.__all__  # the first is the package


def test_dir_shows_the_public_names() -> None:
    assert dir(maze_gym) == sorted(maze_gym.__all__)


def test_a_mistyped_name_is_answered_with_the_one_that_was_meant() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'; did you mean 'evaluate'"):
        getattr(maze_gym, "evalute")  # noqa: B009 - a type checker refuses the attribute


def test_importing_loads_no_room_and_nothing_heavy() -> None:
    loaded = loaded_after("import maze_gym")
    assert [name for name in (*HEAVY, *ROOMS) if name in loaded] == []


def test_using_every_public_name_loads_nothing_heavy() -> None:
    loaded = loaded_after("import maze_gym\nfor name in maze_gym.__all__: getattr(maze_gym, name)")
    assert [name for name in HEAVY if name in loaded] == []
    assert [name for name in ROOMS if name not in loaded] == []
