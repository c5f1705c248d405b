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
    from collections.abc import Callable, Sequence

F = TypeVar("F", bound="Callable[..., object]")

PATIENCE_S = 5.0  # for a process that is just deleting stale code
# All whose code or numbers are compiled into functions of this package. A test holds it against imports.
_PARTS = (
    "actions", "maze", "rules", "kernels", "carving", "fleet", "foresight", "batch", "placement",
    "distractors", "proving", "trials", "making",
)  # fmt: skip
_TOPOLOGIES = ("winding_corridor", "multi_route", "side_vault", "sequential_chain", "dense_maze")
MODULES = (
    *(f"mazegen.{part}" for part in _PARTS),
    *(f"mazegen.generation.topologies.{name}" for name in _TOPOLOGIES),
)

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


def forget_stale_code(modules: Sequence[str], function: Callable[..., object]) -> None:
    """Delete all that numba has cached of a folder, if one of these modules or numba itself has changed.

    To be called once for each folder with compiled functions, while it is imported, before one is called.

    Args:
        modules: names of all whose code or numbers are compiled into the functions. A test holds the list
            against what the modules of the folder import.
        function: a compiled function of the folder.
    """
    stats = getattr(function, "stats", None)
    if stats is None:  # without the compiler these are plain functions that have no cache
        return
    digest = hashlib.sha256(numba.__version__.encode())
    for source in map(_file_of, (__name__, *modules)):
        # Numba goes by time and size, a file at a time; where one is touched all have to go.
        digest.update(f"{source.name} {source.stat().st_mtime_ns}".encode() + source.read_bytes())
    folder = Path(stats.cache_path)
    with contextlib.suppress(OSError):  # a read-only installation: its files never change either
        folder.mkdir(parents=True, exist_ok=True)
        _keep_only(folder, digest.hexdigest())


def _file_of(module: str) -> Path:
    """The file of a module; those of this package are not imported for it."""
    if module in sys.modules:
        return Path(sys.modules[module].__file__ or "")
    return Path(__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py")


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


@compiled
def _here() -> None:
    """Of it one can ask where numba keeps what is compiled in this folder."""


forget_stale_code(MODULES, _here)
