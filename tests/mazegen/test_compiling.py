"""What was compiled from other sources, or by another numba, is gone before anything is compiled."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numba
import pytest

from mazegen import compiling, kernels, rules
from mazegen.compiling import PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = Path(__file__).parents[2]
RULES = {f"rules.apply-82.{PYTHON}.nbi", f"rules.apply-82.{PYTHON}.1.nbc"}
KERNELS = {f"kernels.explore-109.{PYTHON}.nbi", f"kernels.explore-109.{PYTHON}.1.nbc"}
OTHERS = {
    f"others.f-1.{PYTHON}.nbi",
    f"others.f-1.{PYTHON}.1.nbc",
    "rules.apply-82.py27.nbi",
    "rules.apply-82.py27.1.nbc",
}


class Cache(NamedTuple):
    """A cache folder with an index and a code of each kind, in place of numba's."""

    folder: Path

    @property
    def files(self) -> set[str]:
        return {path.name for path in self.folder.glob("*.nb?")}

    @property
    def stamp(self) -> Path:
        return self.folder / f"mazegen-kernels.{PYTHON}.sha256"

    def forget_stale_code(self) -> None:
        stats = SimpleNamespace(cache_path=str(self.folder))
        function = cast("Callable[..., object]", SimpleNamespace(stats=stats))
        compiling.forget_stale_code("kernels", (rules.__name__, kernels.__name__), (function,))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    folder = tmp_path / "cache"
    folder.mkdir()
    for name in RULES | KERNELS | OTHERS:
        (folder / name).write_bytes(b"index or code")
    return Cache(folder)


def test_what_was_compiled_from_other_sources_is_forgotten(cache: Cache) -> None:
    cache.stamp.write_text("of another version")
    cache.forget_stale_code()
    assert cache.files == OTHERS


def test_what_was_compiled_from_unknown_sources_is_forgotten(cache: Cache) -> None:
    cache.forget_stale_code()
    assert cache.files == OTHERS


def test_what_was_compiled_from_these_sources_is_kept(cache: Cache) -> None:
    cache.forget_stale_code()
    for name in RULES:
        (cache.folder / name).write_bytes(b"compiled since")
    cache.forget_stale_code()
    assert cache.files == RULES | OTHERS


def test_what_another_numba_compiled_is_forgotten(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.forget_stale_code()
    for name in RULES:
        (cache.folder / name).write_bytes(b"compiled since")
    monkeypatch.setattr(numba, "__version__", "0.1")
    cache.forget_stale_code()
    assert cache.files == OTHERS


@pytest.mark.parametrize("changed", ["rules", "compiling"])
def test_cached_code_is_forgotten_when_a_source_changes(
    changed: str, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rules", "kernels", "compiling"):
        (tmp_path / f"{name}.py").write_text("as it was")
        monkeypatch.setattr(sys.modules[f"mazegen.{name}"], "__file__", str(tmp_path / f"{name}.py"))
    cache.forget_stale_code()
    for name in KERNELS:
        (cache.folder / name).write_bytes(b"compiled since")
    (tmp_path / f"{changed}.py").write_text("as it is now")
    cache.forget_stale_code()
    assert cache.files == OTHERS


def test_a_cache_folder_that_does_not_exist_yet_is_stamped(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "cache")
    cache.forget_stale_code()
    assert cache.stamp.exists()


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    Cache(tmp_path / "cache").forget_stale_code()
    assert (tmp_path / "cache").is_file()


def test_functions_that_are_not_compiled_have_no_cache_to_forget(tmp_path: Path) -> None:
    compiling.forget_stale_code("kernels", (rules.__name__, kernels.__name__), (rules.apply,))
    assert list(tmp_path.iterdir()) == []


SOURCE = """
from mazegen.compiling import compiled, forget_stale_code

@compiled
def answer(number):
    return number + {more}

forget_stale_code("rewritten", (__name__,), (answer,))
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
    newer = _module(path, monkeypatch)
    assert not list(folder.glob("rewritten.*.nb?"))
    assert newer.answer(1) == 11


# --- what a list of modules has to hold ---------------------------------------------------------------

COMPILED = sorted(
    path
    for root in (PROJECT / "mazegen", PROJECT / "src" / "maze_gym")
    for path in root.rglob("*.py")
    if path.name != "compiling.py" and "forget_stale_code(" in path.read_text(encoding="utf-8")
)


def test_the_modules_that_hold_compiled_code_are_found() -> None:
    assert {path.stem for path in COMPILED} >= {"kernels", "batch", "sight", "plan_field", "making", "trials"}


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_all_that_is_compiled_into_a_module_is_in_its_list(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number that comes from a module that is not listed would live on in the cache when it changes."""
    listed: dict[str, set[Path]] = {}

    def note(_: str, modules: tuple[str, ...], __: object) -> None:
        listed["here"] = {Path(sys.modules[each].__file__ or "") for each in modules}

    module = importlib.import_module(_name(path))
    monkeypatch.setattr(module, "forget_stale_code", note)
    call = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if _calls(node)]
    assert len(call) == 1
    code = compile(ast.Module(call, []), str(path), "exec")
    exec(code, vars(module))  # noqa: S102 - the module's own last statement
    assert listed["here"] == _imported(path)


def _name(path: Path) -> str:
    folder = PROJECT if path.is_relative_to(PROJECT / "mazegen") else PROJECT / "src"
    return ".".join(path.relative_to(folder).with_suffix("").parts)


def _calls(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "forget_stale_code"
    )


def _imported(path: Path) -> set[Path]:
    """Modules of ours that this one imports when it runs, directly or not, but for those of errors."""
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
