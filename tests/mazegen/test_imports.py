"""What importing pulls in, and that the compiler only speeds up; each test in an interpreter of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mazegen.rendering.picture import parse
from mazegen.search import solver

HEAVY = ("numba", "gymnasium", "matplotlib", "pygame", "scipy", "maze_gym")
MAZE = "########\n#>rR0=.#\n#.bB...#\n#..#..*#\n########"
SOLVE = f"""
import dataclasses, json
from mazegen.search import solver
from mazegen.rendering.picture import parse
solution = solver.solve(parse({MAZE!r}, key_consumption=True))
print(json.dumps(dataclasses.asdict(solution)))
"""


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
