"""How functions are compiled, and how what was compiled from other sources is forgotten.

What is compiled is cached on disk. Numba itself looks only at the file of the function that it compiles, so
it would keep a copy of rules that have changed in another one; and it writes the index of a function before
its code, so a process that starts in between would run the code that lay there before: that of older rules,
or of another numba. Therefore ``forget_stale_code`` deletes both, index and code, before anything is
compiled. Importing this module imports numba; under ``NUMBA_DISABLE_JIT=1`` every function stays as it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

F = TypeVar("F", bound="Callable[..., object]")

# Part of the names of numba's files: each Python has files of its own.
PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}"


def _decorated(function: F, **options: bool) -> F:
    """Compile a function; typed, because numba's decorator is not."""
    decorate = cast("Callable[[F], F]", numba.njit(nogil=True, **options))  # type: ignore[call-overload]  # numba's stubs lack two
    return decorate(function)


def compiled(function: F) -> F:
    """Compile a function of scalars and arrays that Python calls."""
    return _decorated(function, cache=True)


def inner(function: F) -> F:
    """Compile a function that only compiled code calls: without a way in from Python it is cheaper."""
    return _decorated(function, cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def fast(function: F) -> F:
    """Compile a function that Python calls, free to sum in any order: its last bits depend on the machine."""
    return _decorated(function, cache=True, fastmath=True)


def inlined(function: F) -> F:
    """Compile a function into whoever calls it; unasked, the compiler finds some too long for that.

    Not cached on disk: numba would not tell it from the same function compiled without this wish.
    """
    return _decorated(function, forceinline=True)


def forget_stale_code(name: str, modules: Sequence[str], functions: Sequence[Callable[..., object]]) -> None:
    """Delete what numba has cached of these modules, if one of them or numba itself has changed since.

    To be called at the end of a module that holds compiled functions, before one of them is called.

    Args:
        name: of the stamp that remembers the modules.
        modules: names of all whose code or numbers are compiled into the functions. A test holds the list
            against what these modules import.
        functions: compiled functions, one at least of each folder that holds such modules.
    """
    sources = [Path(sys.modules[each].__file__ or "") for each in (__name__, *modules)]
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sources:
        digest.update(source.read_bytes())
    stems = tuple(f"{source.stem}." for source in sources)
    # Without the compiler (NUMBA_DISABLE_JIT=1) these are plain functions that have no cache.
    caches = [getattr(function, "stats", None) for function in functions]
    for folder in {Path(cache.cache_path) for cache in caches if cache is not None}:
        stamp = folder / f"mazegen-{name}.{PYTHON}.sha256"
        with contextlib.suppress(OSError):  # a read-only installation: its files never change either
            if not stamp.exists() or stamp.read_text() != digest.hexdigest():
                _delete(folder, stems)
                folder.mkdir(parents=True, exist_ok=True)
                stamp.write_text(digest.hexdigest())


def _delete(folder: Path, stems: tuple[str, ...]) -> None:
    """Delete numba's files of these modules: each index first, for nobody looks for code without one."""
    for suffix in ("nbi", "nbc"):
        for path in folder.glob(f"*.{PYTHON}*.{suffix}"):
            if path.name.startswith(stems):
                path.unlink(missing_ok=True)
