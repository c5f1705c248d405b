"""Where compiled code is kept where nobody may write beside the sources, nor at home.

Numba looks for a folder that it can write to: ``NUMBA_CACHE_DIR``, beside the source, or a cache folder at
home. Where there is none (a container, a cluster, a full disk) it raises an error at import or in the
middle of a game. Here such code is kept in a folder of this user among the temporary files, or is compiled
anew in each process; either is said once, in one line. What is loaded from that folder is executed, so no one
else may write to it.
"""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "NUMBA_CACHE_DIR"
ADVICE = f"set {VARIABLE} to a folder that can be written"
_OURS_ALONE = 0o700
_log = logging.getLogger("mazegen")  # without a handler of the program's own: a line on stderr

Kind = Literal["usual", "temporary", "none"]


class Place(NamedTuple):
    """Where compiled code is kept.

    Attributes:
        kind: where numba keeps it by itself; in a temporary folder; or nowhere, because nothing can be
            written.
        folder: the folder, None if there is none.
    """

    kind: Kind
    folder: str | None


_fallen_back: list[Place] = []  # at most one: where code is kept since numba has found no folder


def place(function: Callable[..., object]) -> Place:
    """Where the code of a compiled function is kept; of one that is not compiled: nowhere, as usual."""
    if _fallen_back:
        return _fallen_back[0]
    stats = getattr(function, "stats", None)
    return Place("usual", None if stats is None else stats.cache_path)


def fall_back() -> bool:
    """Choose a temporary folder, for all processes that this one starts also; whether there is one."""
    if not _fallen_back:
        folder = _temporary_folder()
        if folder is None:
            _fall(
                Place("none", None), "no folder for compiled code can be written: each process compiles anew"
            )
        else:
            _fall(Place("temporary", folder), f"compiled code is kept in {folder}")
            os.environ[VARIABLE] = folder
            _reload_config()
    return _fallen_back[0].folder is not None


def forgiving(dispatcher: Any) -> None:  # noqa: ANN401 - numba's own, which has no public type
    """Let a compiled function go on where its code cannot be read from disk or written there after all."""
    cache = getattr(dispatcher, "_cache", None)
    if cache is not None:
        dispatcher._cache = _Forgiving(cache)  # noqa: SLF001 - the only place; without it nothing is lost but comfort


class _Forgiving:
    """Numba's cache of a function, where a disk that is full or fails costs time and nothing else."""

    def __init__(self, cache: Any) -> None:  # noqa: ANN401 - numba's own
        self._cache = cache

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever numba asks for
        return getattr(self._cache, name)

    def load_overload(self, *args: object) -> object:
        """What numba finds on disk, None if that cannot be read."""
        try:
            return self._cache.load_overload(*args)
        except OSError as error:
            _cannot(error)
            return None

    def save_overload(self, *args: object) -> None:
        """Keep it on disk, if there is room."""
        try:
            self._cache.save_overload(*args)
        except OSError as error:
            _cannot(error)


def _cannot(error: OSError) -> None:
    if not _fallen_back:
        _fall(Place("none", None), f"compiled code is not kept: {error.strerror or error}")


def _fall(where: Place, why: str) -> None:
    _fallen_back.append(where)
    _log.warning("maze-gym: %s; %s", why, ADVICE)


def _temporary_folder() -> str | None:
    """A folder of this user, which nobody else can write to or has made; None if there can be none."""
    try:
        folder = Path(tempfile.gettempdir()) / f"maze-gym-code-{_user()}"
        folder.mkdir(mode=_OURS_ALONE, exist_ok=True)
        if not _is_ours_alone(folder):
            folder = Path(tempfile.mkdtemp(prefix="maze-gym-code-"))
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return str(folder)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _is_ours_alone(folder: Path) -> bool:
    """Whether it is a folder, not a link to one, that this user has made and no other can write to."""
    found = folder.lstat()
    if not hasattr(os, "getuid"):
        return stat.S_ISDIR(found.st_mode)  # the folder of temporary files is the user's own there
    mine = found.st_uid == os.getuid()
    return stat.S_ISDIR(found.st_mode) and mine and stat.S_IMODE(found.st_mode) == _OURS_ALONE


def _reload_config() -> None:
    from numba import config

    config.reload_config()  # type: ignore[no-untyped-call]  # numba's own
