"""The page that follows requests through the house names what is there, and counts its rooms rightly."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "one-step-followed.md").read_text(encoding="utf-8")
WALKS = PAGE.split("\n## ")[1:]
MOST_ROOMS = 8
_PLACE = re.compile(r"`((?:mazegen|maze_gym)/[\w/]+\.py):([\w.]+)`")
_ROOMS = re.compile(r"^Rooms: (\d+)\.", re.MULTILINE)


@cache
def names_in(file: str) -> frozenset[str]:
    """Functions and classes at the top of a file, and the methods of its classes as ``Class.method``."""
    path = ROOT / file if file.startswith("mazegen/") else ROOT / "src" / file
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return frozenset(found)


@pytest.mark.parametrize("place", sorted(set(_PLACE.findall(PAGE))), ids=":".join)
def test_every_function_that_a_walk_passes_exists(place: tuple[str, str]) -> None:
    file, name = place
    assert name in names_in(file)


def test_every_place_that_looks_like_one_is_checked() -> None:
    assert len(re.findall(r"\.py:", PAGE)) == len(_PLACE.findall(PAGE))


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.partition("\n")[0])
def test_a_walk_passes_as_many_rooms_as_it_says(walk: str) -> None:
    steps = re.findall(r"^\d+\. .*(?:\n   .*)*", walk, re.MULTILINE)
    rooms = {file.rpartition("/")[0] for step in steps for file, _ in _PLACE.findall(step)}
    said = _ROOMS.search(walk)
    assert said is not None
    assert len(rooms) == int(said[1]), sorted(rooms)
    assert len(rooms) <= MOST_ROOMS
