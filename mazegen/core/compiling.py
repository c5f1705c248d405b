"""How functions are compiled, and how what was compiled from other sources is forgotten.

What is compiled is cached on disk. Numba itself looks only at the file of the function that it compiles, so
it would keep a copy of rules that have changed in another one. It writes the index of a function before its
code, so a process that starts in between would run the code that lay there before: that of older rules, or
of another numba. And where a function is missing that others on disk have taken in, it may compile that one
into code that cannot be loaded together with them. Therefore whatever is cached of a folder is kept or
deleted as a whole, once, before anything of it is compiled: see ``forget_stale_code``. Importing this module
imports numba; under ``NUMBA_DISABLE_JIT=1`` every function stays as it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numba

from mazegen.core import file_lock

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., object]")

PATIENCE_S = 5.0  # for a process that is just deleting stale code
ROOMS = ("core", "vector", "search", "generation")  # of mazegen: what the others compile in comes from here
_MAZEGEN = Path(__file__).parents[1]

# Part of the names of numba's files: each Python has files of its own.
PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}"


def _decorated(function: F, **options: bool) -> F:
    """Compile a function; typed, because numba's decorator is not."""
    decorate = cast("Callable[[F], F]", numba.njit(nogil=True, **options))  # type: ignore[call-overload]  # numba's stubs lack two
    done = decorate(function)
    if options.get("cache"):
        forget_stale_code(done)
    return done


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


def forget_stale_code(function: Callable[..., object]) -> None:
    """Delete all that numba has cached of a folder, if a source of its functions or numba itself has changed.

    Happens by itself when the first function of a folder is decorated, before one is called.
    """
    stats = getattr(function, "stats", None)
    if stats is None:  # without the compiler these are plain functions that have no cache
        return
    folder = Path(stats.cache_path)
    if folder in _looked_after:
        return
    _looked_after.add(folder)
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sources_of(Path(function.py_func.__code__.co_filename)):  # type: ignore[attr-defined]  # numba's
        # Numba goes by time and size, a file at a time; where one is touched all have to go.
        digest.update(f"{source.name} {source.stat().st_mtime_ns}".encode() + source.read_bytes())
    with contextlib.suppress(OSError):  # a read-only installation: its files never change either
        folder.mkdir(parents=True, exist_ok=True)
        _keep_only(folder, digest.hexdigest())


_looked_after: set[Path] = set()  # cache folders that hold nothing stale, as far as this process is concerned


def sources_of(module: Path) -> list[Path]:
    """All files whose code or numbers may be compiled into the functions of a module.

    These are the compiled rooms of mazegen, and the package that the module belongs to: a whole world, for
    its rooms are compiled into each other.
    """
    found = {path for room in ROOMS for path in (_MAZEGEN / room).rglob("*.py")} | {module}
    if not module.is_relative_to(_MAZEGEN) and (module.parent / "__init__.py").is_file():
        found |= set(_package_of(module).rglob("*.py"))
    return sorted(found)


def _package_of(module: Path) -> Path:
    """The world that a module belongs to, or for others the folder that it lies in."""
    for folder in module.parents:
        if folder.parent.name == "envs":
            return folder
    return module.parent


def _keep_only(folder: Path, digest: str) -> None:
    """Delete numba's files unless the stamp says that they were made from these sources; write the stamp."""
    with (folder / f"sources.{PYTHON}.sha256").open("a+") as stamp:
        _wait_for(stamp.fileno())
        stamp.seek(0)
        if stamp.read() == digest:
            return
        for suffix in ("nbi", "nbc"):  # each index first: nobody looks for code without one
            for path in folder.glob(f"*.{PYTHON}*.{suffix}"):
                path.unlink(missing_ok=True)
        stamp.truncate(0)
        stamp.write(digest)


def _wait_for(file: int) -> None:
    """Hold the stamp alone: whoever comes second must not delete what the first has compiled since."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            file_lock.lock(file)
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        except OSError:  # a file system without locks: stale code goes there all the same
            return
        else:
            return
