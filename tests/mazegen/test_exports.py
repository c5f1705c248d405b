"""The front door: its names, their signatures, and that it opens without what it does not need."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import mazegen
from mazegen.core.maze import Maze

from ..surface import surface

GOLDEN = Path(__file__).parents[1] / "golden" / "surface" / "mazegen.txt"
PICTURE = "#####\n#>.*#\n#####"
PLAY = """
import json, sys
import mazegen
maze = mazegen.parse({picture!r})
board = mazegen.compile_board(maze)
outcome = mazegen.step(board, board.start, mazegen.Action.MOVE_FORWARD)
maze._repr_svg_(), mazegen.picture(maze, outcome.state)
print(json.dumps(sorted(sys.modules)))
"""


def test_the_public_names_and_their_signatures_are_these() -> None:
    """``MAZE_GYM_UPDATE_GOLDEN=1 pytest tests/mazegen/test_exports.py`` writes them anew: read the diff."""
    if os.environ.get("MAZE_GYM_UPDATE_GOLDEN") == "1":
        GOLDEN.parent.mkdir(parents=True, exist_ok=True)
        GOLDEN.write_text(surface(mazegen), encoding="utf-8")
    assert surface(mazegen) == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", mazegen.__all__)
def test_each_public_name_leads_to_one_thing_that_says_what_it_is(name: str) -> None:
    value = getattr(mazegen, name)
    assert (value.__doc__ or "").strip()
    assert value.__module__.startswith("mazegen.")
    assert getattr(importlib.import_module(value.__module__), name) is value


def test_the_door_shows_its_public_names_only() -> None:
    assert dir(mazegen) == sorted(mazegen.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'mazegen' has no attribute 'nonsense'"):
        mazegen.nonsense  # type: ignore[attr-defined]  # noqa: B018 - the point of this test


def test_opening_it_loads_nothing_heavy() -> None:
    """Neither the compiler nor numpy; what draws a picture for a notebook needs no painter."""
    light = _modules("import json, sys, mazegen; print(json.dumps(sorted(sys.modules)))")
    assert light.isdisjoint({"numba", "numpy", "gymnasium", "matplotlib", "pygame"})
    assert "mazegen.rendering" not in light
    playing = _modules(PLAY.format(picture=PICTURE))
    assert playing.isdisjoint({"numba", "gymnasium", "matplotlib", "pygame"})


def test_a_maze_shows_itself_however_it_was_imported() -> None:
    maze = mazegen.parse(PICTURE)
    assert type(maze) is Maze
    assert maze._repr_svg_() == mazegen.draw(maze)._repr_svg_()
    assert pickle.loads(pickle.dumps(maze))._repr_svg_() == maze._repr_svg_()  # noqa: S301 - our own


def _modules(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, check=True)
    return set(json.loads(done.stdout))
