"""Who imports whom in a package; imports in functions and those for the type checker count, too."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

Graph = dict[str, set[str]]


def import_graph(package: Path) -> Graph:
    """Modules of a package, by their dotted names, each with the modules of the package that it imports.

    A package's own name stands for its ``__init__``. That importing a module also runs the ``__init__`` of
    the packages around it does not count as an import.

    Args:
        package: its folder, such as ``mazegen`` or ``src/maze_gym``.
    """
    sources = {_name_of(path, package): path for path in sorted(package.rglob("*.py"))}
    graph = {}
    for name, path in sources.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        graph[name] = {module for module in _imports(tree, name, sources) if module in sources} - {name}
    return graph


def find_cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, the first one again at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def upward_edges(graph: Mapping[str, set[str]], layers: Sequence[Sequence[str]]) -> list[str]:
    """Imports that do not point down, as ``importing -> imported``.

    Args:
        graph: who imports whom.
        layers: the highest first. Those who share a layer must not import each other. A name speaks for all
            modules below it; every module must belong to a layer.
    """
    height = {name: level for level, names in enumerate(reversed(layers)) for name in names}
    found = []
    for module, imported in sorted(graph.items()):
        room = _room(module, height)
        for other in sorted(imported):
            there = _room(other, height)
            if there != room and height[there] >= height[room]:
                found.append(f"{module} -> {other}")
    return found


def _room(module: str, rooms: Mapping[str, int]) -> str:
    """The longest name of a room that a module belongs to."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in rooms:
            return name
    msg = f"{module} belongs to no layer"
    raise AssertionError(msg)


def _name_of(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(tree: ast.Module, name: str, sources: Mapping[str, Path]) -> Iterator[str]:
    """Names of modules that a module asks for, of this package or of others."""
    around = name.split(".") if sources[name].name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = around[: len(around) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:  # of a package, either a module or a name in its ``__init__``
                inside = f"{origin}.{alias.name}"
                yield inside if inside in sources else origin
