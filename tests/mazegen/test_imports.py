"""Who imports whom, what importing pulls in, and that the compiler only speeds up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mazegen.rendering.picture import parse
from mazegen.search import solver

from ..import_graph import find_cycle, import_graph, upward_edges

MAZEGEN = Path(__file__).parents[2] / "mazegen"
ROOMS = (  # the highest first; those in one line know nothing of each other
    ("mazegen",),  # the front door
    ("mazegen.generate_dataset", "mazegen.render_dataset"),
    ("mazegen.__main__",),
    ("mazegen.datasets",),
    ("mazegen.validation",),
    ("mazegen.generation", "mazegen.rendering"),
    ("mazegen.search",),
    ("mazegen.vector", "mazegen.codec"),
    ("mazegen.core",),
    ("mazegen.errors",),
)
HEAVY = ("numba", "gymnasium", "matplotlib", "pygame", "scipy", "maze_gym")
MAZE = "########\n#>rR0=.#\n#.bB...#\n#..#..*#\n########"
SOLVE = f"""
import dataclasses, json
from mazegen.search import solver
from mazegen.rendering.picture import parse
solution = solver.solve(parse({MAZE!r}, key_consumption=True))
print(json.dumps(dataclasses.asdict(solution)))
"""


def test_no_module_imports_itself_in_a_circle() -> None:
    assert find_cycle(import_graph(MAZEGEN)) == []


def test_imports_between_rooms_point_down() -> None:
    assert upward_edges(import_graph(MAZEGEN), ROOMS) == []


def write(package: Path, **modules: str) -> Path:
    package.mkdir()
    for name, source in modules.items():
        (package / f"{name}.py").write_text(source)
    return package


LATE = "def f():\n    from house import {0}"
TYPING = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.{0} import X"


@pytest.mark.parametrize(
    "back", ["import house.low", "from . import low", "from .low import f", LATE, TYPING]
)
def test_a_circle_is_found_however_it_is_hidden(back: str, tmp_path: Path) -> None:
    """Guards the two tests above: they would pass if the graph had no edges."""
    source = back.format("low")
    house = write(tmp_path / "house", __init__="", low=LATE.format("high"), high=source)
    graph = import_graph(house)
    assert graph == {"house": set(), "house.low": {"house.high"}, "house.high": {"house.low"}}
    cycle = find_cycle(graph)
    assert cycle[0] == cycle[-1]
    assert set(cycle) == {"house.low", "house.high"}
    assert upward_edges(graph, [["house"], ["house.high"], ["house.low"]]) == ["house.low -> house.high"]
    assert len(upward_edges(graph, [["house"], ["house.high", "house.low"]])) == 2


def test_a_module_outside_every_layer_is_refused(tmp_path: Path) -> None:
    graph = import_graph(write(tmp_path / "house", low=""))
    with pytest.raises(AssertionError, match=r"house\.low belongs to no layer"):
        upward_edges(graph, [["house.high"]])


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "module", ["mazegen", "mazegen.codec", "mazegen.search.solver", "mazegen.rendering.picture"]
)
def test_importing_is_light(module: str) -> None:
    loaded = json.loads(run(f"import {module}, json, sys; print(json.dumps(sorted(sys.modules)))"))
    assert [name for name in HEAVY if name in loaded] == []


def test_importing_prints_nothing() -> None:
    assert (
        run("import mazegen.search.solver, mazegen.codec, mazegen.core.symmetry, mazegen.rendering.picture")
        == ""
    )


def test_the_solver_says_the_same_without_the_compiler() -> None:
    plain = run(SOLVE, NUMBA_DISABLE_JIT="1")
    assert plain == run(SOLVE)
    assert len(json.loads(plain)["actions"]) == len(solver.solve(parse(MAZE, key_consumption=True)).actions)


def test_the_solver_does_not_depend_on_the_order_of_sets() -> None:
    assert run(SOLVE, PYTHONHASHSEED="1") == run(SOLVE, PYTHONHASHSEED="2")
