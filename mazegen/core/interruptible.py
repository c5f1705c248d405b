"""Ctrl-C while compiled code runs: it waits until the call is over, and is heard then.

What a compiled call hands out becomes objects of Python on its way back. Some of that is Python code, in
which a waiting interrupt would be raised; numba does not look for exceptions there and goes on, at best into
a ``SystemError``, at worst into a crash of the process. ``Shield`` keeps the interrupt until Python is back.

To change a handler costs a call of the system, on some machines more than to make a small maze. What is
called that often hands out plain tuples, never a ``NamedTuple``, whose class is called on the way, into a
crash; then ``honestly`` suffices, and costs nothing.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType

T = TypeVar("T")

# What the standard library wraps into enums, which takes longer than making a small maze does.
_set_handler = getattr(signal.signal, "__wrapped__", signal.signal)
_get_handler = getattr(signal.getsignal, "__wrapped__", signal.getsignal)
_SIGINT = int(signal.SIGINT)


class Shield:
    """Within it an interrupt waits until ``heed`` is called, or until it is left.

    Handlers run in the main thread alone, so elsewhere there is nothing to do; nor is there where whoever
    runs the process has interrupts ignored. A shield within a shield adds nothing.
    """

    _outermost: ClassVar[Shield | None] = None

    def __init__(self) -> None:
        """Nothing is held back yet."""
        self._handler: Callable[[int, FrameType | None], object] | None = None
        self._came: tuple[int, FrameType | None] | None = None

    def __enter__(self) -> Self:
        """Hold interrupts back from now on."""
        if Shield._outermost is None and threading.get_ident() == threading.main_thread().ident:
            handler = _get_handler(_SIGINT)
            if callable(handler):
                self._handler = handler
                Shield._outermost = self
                _set_handler(_SIGINT, self._keep)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Let interrupts through again, and the one that came."""
        if self._handler is None:
            return
        Shield._outermost = None
        _set_handler(_SIGINT, self._handler)
        self._raise()

    def _keep(self, number: int, frame: FrameType | None) -> None:
        self._came = number, frame

    def _raise(self) -> None:
        came, self._came = self._came, None
        if came is not None and self._handler is not None:
            self._handler(*came)


def heed() -> None:
    """Raise what a shield around this has held back, if the caller is in the thread that it is for."""
    shield = Shield._outermost  # noqa: SLF001 - of this module
    if shield is None or shield._came is None:  # noqa: SLF001
        return
    if threading.get_ident() == threading.main_thread().ident:
        shield._raise()  # noqa: SLF001


def honestly(function: Callable[..., T], *arguments: object) -> T:
    """Call compiled code that hands out no ``NamedTuple``; an interrupt on its way back is one again.

    Raises:
        KeyboardInterrupt: in place of the ``SystemError`` that numba makes of it.
    """
    try:
        return function(*arguments)
    except SystemError as error:
        behind: BaseException | None = error
        while behind is not None and not isinstance(behind, KeyboardInterrupt):
            behind = behind.__cause__ or behind.__context__
        if behind is None:
            raise
        raise KeyboardInterrupt from error


def shielded(function: Callable[..., T], *arguments: object) -> T:
    """Call compiled code, and then hear whatever interrupt has come."""
    if Shield._outermost is None:  # noqa: SLF001 - of this module
        with Shield():
            return function(*arguments)
    result = function(*arguments)
    heed()
    return result
