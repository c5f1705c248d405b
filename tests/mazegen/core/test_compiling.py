"""What was compiled from other sources, or by another numba, is gone before anything is compiled."""

from __future__ import annotations

import ast
import errno
import importlib.util
import os
import sys
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numba
import pytest

from mazegen.core import compiling, file_lock, rules
from mazegen.core.compiling import PYTHON
from mazegen.search import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = Path(__file__).parents[3]
OURS = {f"rules.apply-82.{PYTHON}.nbi", f"rules.apply-82.{PYTHON}.1.nbc", f"others.f-1.{PYTHON}.2.nbc"}
ANOTHER_PYTHONS = {"rules.apply-82.py27.nbi", "rules.apply-82.py27.1.nbc"}


class Cache(NamedTuple):
    """A cache folder with indexes and codes, in place of numba's."""

    folder: Path

    @property
    def files(self) -> set[str]:
        return {path.name for path in self.folder.glob("*.nb?")}

    @property
    def stamp(self) -> Path:
        return self.folder / f"sources.{PYTHON}.sha256"

    def fill(self) -> None:
        for name in OURS:
            (self.folder / name).write_bytes(b"compiled")

    def forget_stale_code(self, source: str = kernels.__file__) -> None:
        """As a process does that has just started."""
        compiling._looked_after.discard(self.folder)
        self.look_after_again(source)

    def look_after_again(self, source: str = kernels.__file__) -> None:
        """As a process does in which a function of the folder was compiled before."""
        function = SimpleNamespace(
            stats=SimpleNamespace(cache_path=str(self.folder)),
            py_func=SimpleNamespace(__code__=SimpleNamespace(co_filename=source)),
        )
        compiling.forget_stale_code(cast("Callable[..., object]", function))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """With code of these very sources in it."""
    cache = Cache(tmp_path / "cache")
    cache.forget_stale_code()
    cache.fill()
    for name in ANOTHER_PYTHONS:
        (cache.folder / name).write_bytes(b"compiled")
    return cache


def test_what_was_compiled_from_these_sources_is_kept(cache: Cache) -> None:
    cache.forget_stale_code()
    assert cache.files == OURS | ANOTHER_PYTHONS


@pytest.mark.parametrize("said", ["of another version", ""])
def test_what_was_compiled_from_other_or_unknown_sources_is_forgotten(cache: Cache, said: str) -> None:
    cache.stamp.write_text(said)
    cache.forget_stale_code()
    assert cache.files == ANOTHER_PYTHONS
    cache.fill()
    cache.forget_stale_code()
    assert cache.files == OURS | ANOTHER_PYTHONS


def test_what_another_numba_compiled_is_forgotten(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "__version__", "0.1")
    cache.forget_stale_code()
    assert cache.files == ANOTHER_PYTHONS


@pytest.fixture
def mazegen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in place of mazegen."""
    mazegen = tmp_path / "mazegen"
    for name in ("core/rules", "search/kernels", "generation/topologies/dense_maze", "rendering/tiles"):
        path = mazegen / f"{name}.py"
        path.parent.mkdir(parents=True)
        path.write_text("as it was")
    monkeypatch.setattr(compiling, "_MAZEGEN", mazegen)
    return mazegen


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A package in place of a world."""
    world = tmp_path / "envs" / "golf"
    for name in ("__init__", "rules/__init__", "rules/balls", "search/__init__", "search/kernels"):
        path = world / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("as it was")
    return world


@pytest.mark.parametrize("changed", ["core/rules", "generation/topologies/dense_maze"])
@pytest.mark.parametrize("text", ["as it was", "as it is now"])
def test_all_is_forgotten_when_a_compiled_room_changes_or_is_touched(
    text: str, changed: str, mazegen: Path, world: Path, tmp_path: Path
) -> None:
    """Numba would compile again what stands in a file that was touched, and keep what has taken that in."""
    for source in (mazegen / "search" / "kernels.py", world / "search" / "kernels.py"):
        cache = Cache(tmp_path / "cache" / source.parents[1].name)
        cache.forget_stale_code(str(source))
        cache.fill()
    (mazegen / f"{changed}.py").write_text(text)
    os.utime(mazegen / f"{changed}.py", (0, 0))
    for source in (mazegen / "search" / "kernels.py", world / "search" / "kernels.py"):
        cache = Cache(tmp_path / "cache" / source.parents[1].name)
        cache.forget_stale_code(str(source))
        assert cache.files == set()


def test_what_is_never_compiled_forgets_nothing_when_it_changes(mazegen: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.forget_stale_code(str(mazegen / "search" / "kernels.py"))
    cache.fill()
    (mazegen / "rendering" / "tiles.py").write_text("as it is now")
    cache.forget_stale_code(str(mazegen / "search" / "kernels.py"))
    assert cache.files == OURS


@pytest.mark.parametrize("changed", ["rules/balls", "search/kernels"])
def test_a_world_is_compiled_again_when_one_of_its_rooms_changes(
    changed: str, mazegen: Path, world: Path, tmp_path: Path
) -> None:
    kernels_of_world, kernels_of_mazegen = world / "search" / "kernels.py", mazegen / "search" / "kernels.py"
    cache, other = Cache(tmp_path / "cache" / "world"), Cache(tmp_path / "cache" / "mazegen")
    for each, source in ((cache, kernels_of_world), (other, kernels_of_mazegen)):
        each.forget_stale_code(str(source))
        each.fill()
    (world / f"{changed}.py").write_text("as it is now")
    cache.forget_stale_code(str(kernels_of_world))
    other.forget_stale_code(str(kernels_of_mazegen))
    assert (cache.files, other.files) == (set(), OURS)


def test_a_script_outside_every_package_depends_on_itself_and_on_mazegen(
    mazegen: Path, tmp_path: Path
) -> None:
    script, neighbour = tmp_path / "script.py", tmp_path / "neighbour.py"
    for path in (script, neighbour):
        path.write_text("as it was")
    sources = compiling.sources_of(script)
    assert script in sources
    assert neighbour not in sources
    assert mazegen / "core" / "rules.py" in sources


def test_a_folder_is_looked_after_once_in_a_process(cache: Cache) -> None:
    """What this process has compiled since is from the sources that it runs."""
    cache.stamp.write_text("of another version")
    cache.look_after_again()
    assert cache.files == OURS | ANOTHER_PYTHONS


def test_whoever_comes_second_waits_and_deletes_nothing(cache: Cache) -> None:
    """The first has found stale code, deletes it, and has compiled since."""
    right = cache.stamp.read_text()
    cache.stamp.write_text("of another version")
    waiting = Thread(target=cache.forget_stale_code)
    with cache.stamp.open("a+") as held:
        file_lock.lock(held.fileno())
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        held.truncate(0)
        held.write(right)
    waiting.join()
    assert cache.files == OURS | ANOTHER_PYTHONS


def test_without_locks_stale_code_is_forgotten_all_the_same(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(_: int) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(file_lock, "lock", no_locks)
    cache.stamp.write_text("of another version")
    cache.forget_stale_code()
    assert cache.files == ANOTHER_PYTHONS


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    Cache(tmp_path / "cache").forget_stale_code()
    assert (tmp_path / "cache").is_file()


def test_functions_that_are_not_compiled_have_no_cache_to_forget() -> None:
    compiling.forget_stale_code(rules.apply)


SOURCE = """
from mazegen.core.compiling import compiled

@compiled
def answer(number):
    return number + {more}
"""


def _module(path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location("rewritten", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "rewritten", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]  # numba sets it from the environment
def test_no_code_of_older_rules_is_left_where_another_process_could_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba writes an index before its code: whoever starts in between reads what lay there before."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "rewritten.py"
    path.write_text(SOURCE.format(more=1))
    older = _module(path, monkeypatch)
    assert older.answer(1) == 2
    folder = Path(older.answer.stats.cache_path)
    assert len(list(folder.glob("rewritten.*.nbc"))) == 1
    path.write_text(SOURCE.format(more=10))
    compiling._looked_after.discard(folder)  # as another process begins
    newer = _module(path, monkeypatch)
    assert not list(folder.glob("rewritten.*.nb?"))
    assert newer.answer(1) == 11


# --- what a module is compiled from -------------------------------------------------------------------

COMPILED = sorted(
    path
    for root in (PROJECT / "mazegen", PROJECT / "src" / "maze_gym")
    for path in root.rglob("*.py")
    if "from mazegen.core.compiling import" in path.read_text(encoding="utf-8")
)


def test_the_modules_that_hold_compiled_code_are_found() -> None:
    names = {path.stem for path in COMPILED}
    assert names >= {"kernels", "batch", "occlusion", "plan_field", "making", "dense_maze"}


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_all_that_may_be_compiled_into_a_module_is_among_its_sources(path: Path) -> None:
    """A number that comes from a module that is not among them would live on in the cache when it changes."""
    assert _imported(path) <= set(compiling.sources_of(path))


def _imported(path: Path) -> set[Path]:
    """Modules of ours that this one imports when it is loaded, directly or not, but for those of errors.

    What is imported later, inside a function, cannot be part of compiled code.
    """
    found, ahead = {path}, [path]
    while ahead:
        for node in ast.parse(ahead.pop().read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(
                ("mazegen", "maze_gym")
            ):
                continue
            for alias in node.names:
                source = _source(f"{node.module}.{alias.name}") or _source(str(node.module))
                if source and source.name not in ("errors.py", "compiling.py") and source not in found:
                    found.add(source)
                    ahead.append(source)
    return found


def _source(name: str) -> Path | None:
    base = PROJECT / ("src" if name.startswith("maze_gym") else "")
    path = base.joinpath(*name.split(".")).with_suffix(".py")
    return path if path.is_file() else None
