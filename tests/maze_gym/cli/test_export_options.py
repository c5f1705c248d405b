"""Inspect and verifiers are told the same: their options are compared as source, since no venv holds both."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
INTEGRATIONS = ROOT / "src" / "maze_gym" / "integrations"
# What a command line of Inspect says in one word: its samples are those of the split.
RENAMED = {"num_train_examples": "num_examples", "num_eval_examples": "num_examples"}
WORLDS = (
    ("maze_nlu", "maze_nlu/maze_nlu", "MazeNLUConfig"),
    ("pacman_array", "pacman_array/pacman_array", "PacmanArrayConfig"),
    ("spatial_gym", "spatial_gym/spatial_gym_env", "SpatialGymConfig"),
)


def fields(file: Path, name: str) -> dict[str, object]:
    """The fields of a pydantic model, with their defaults."""
    (model,) = (
        node for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )  # fmt: skip
    found = {}
    for node in model.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            default = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
            found[node.target.id] = ast.literal_eval(default)
    return found


def parameters(file: Path, name: str) -> dict[str, object]:
    """The parameters of a function, with their defaults."""
    (function,) = (
        node for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    )  # fmt: skip
    defaults = function.args.defaults
    return {
        each.arg: ast.literal_eval(value) for each, value in zip(function.args.args, defaults, strict=True)
    }


@pytest.mark.parametrize(("task", "package", "config"), WORLDS)
def test_inspect_has_the_options_of_the_packages_for_verifiers(task: str, package: str, config: str) -> None:
    shared = fields(INTEGRATIONS / "verifiers.py", "GameTasksetConfig")
    own = fields(ROOT / "environments" / package / "__init__.py", config)
    told = {RENAMED.get(name, name): default for name, default in {**shared, **own}.items()}
    assert len(told) > len(shared) > 3
    assert parameters(INTEGRATIONS / "inspect.py", task) == told
