"""What was compiled from other sources, or by another numba, is gone before anything is compiled."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numba
import pytest

from mazegen import compiling, rules
from mazegen.compiling import PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable

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
        compiling.forget_stale_code("kernels", ("rules.py", "kernels.py"), (function,))


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


@pytest.mark.parametrize("changed", ["rules.py", "compiling.py"])
def test_cached_code_is_forgotten_when_a_source_changes(
    changed: str, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rules.py", "kernels.py", "compiling.py"):
        (tmp_path / name).write_text("as it was")
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
    cache.forget_stale_code()
    for name in KERNELS:
        (cache.folder / name).write_bytes(b"compiled since")
    (tmp_path / changed).write_text("as it is now")
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
    compiling.forget_stale_code("kernels", ("rules.py", "kernels.py"), (rules.apply,))
    assert list(tmp_path.iterdir()) == []


SOURCE = """
from mazegen.compiling import compiled, forget_stale_code

@compiled
def answer(number):
    return number + {more}

forget_stale_code("rewritten", (__file__,), (answer,))
"""


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("rewritten", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
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
    older = _module(path)
    assert older.answer(1) == 2
    folder = Path(older.answer.stats.cache_path)
    assert len(list(folder.glob("rewritten.*.nbc"))) == 1
    path.write_text(SOURCE.format(more=10))
    newer = _module(path)
    assert not list(folder.glob("rewritten.*.nb?"))
    assert newer.answer(1) == 11
