"""House rules that a test can hold: arguments of a function, lines of a module, names of classes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "mazegen").rglob("*.py"))
MOST_ARGUMENTS, MOST_LINES = 10, 400
# ``generate_dataset``: two things that it needs, and nine keywords with defaults.
MORE_ARGUMENTS = {("mazegen/datasets/filling.py", "generate_dataset")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_are_short_and_functions_take_few_arguments(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            many = len([each for each in taken if each.arg not in ("self", "cls")]) > MOST_ARGUMENTS
            assert many == ((path.relative_to(ROOT).as_posix(), node.name) in MORE_ARGUMENTS), node.name


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
