"""What Ctrl-C does: it ends a command at a moment when nothing is half done, in one line.

Python raises ``KeyboardInterrupt`` wherever the main thread happens to be. That is fine in most code and
wrong in four places: in an import, which it can leave half done or turn into another error; within the
compiler, which may crash; in a callback of the interpreter, which prints and forgets it; and between two
steps of a pool of processes, which then waits for ever. ``held`` is for the last, ``answered`` for the others
and for command lines alone.
Little of the standard library is imported here and nothing else: this has to be ready before all others.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

INTERRUPTED = 130  # what a shell reports for Ctrl-C
_AGAIN_S = 0.05  # after which an interrupt that a callback has swallowed is sent once more
_IMPORTING = "<frozen importlib._bootstrap>"  # the file of each frame that imports something
_COMPILING = ("numba", "llvmlite")  # the packages of frames that compile something
_NAMES = {"maze-gym": "maze-gym", "maze_gym": "maze-gym", "mazegen": "mazegen"}  # of commands and packages
_SHOW_CURSOR = b"\x1b[?25h"  # a progress bar hides it


def answer_from_the_start() -> None:
    """``answered`` for good, if this process was started as one of our command lines; else nothing.

    For the first line of a package: what is imported after it may take a second.
    """
    program = _program()
    if program and _is_pythons_own():
        _answer(program)


def _program() -> str:
    """The name of the command line that this process was started as, "" if it is another program's."""
    if not sys.argv:
        return ""
    if sys.argv[0] == "-m":  # which stands there until the module itself runs
        words = sys.orig_argv
        module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
        return _NAMES.get(module.partition(".")[0], "")
    folder, _, file = sys.argv[0].replace("\\", "/").rpartition("/")
    return _NAMES.get(file.removesuffix(".exe"), _NAMES.get(folder.rpartition("/")[2], ""))


@contextlib.contextmanager
def answered(program: str) -> Iterator[None]:
    """Within, an interrupt is an error like others for this program, and never a traceback.

    From an import or the compiler the process ends at once; elsewhere ``KeyboardInterrupt`` is raised as
    always, and raised again if a callback has swallowed it. Where interrupts are ignored (in a background job
    of a shell) or somebody else's business they stay so.
    """
    if not _is_pythons_own():
        yield
        return
    before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    _answer(program)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before[0])
        sys.unraisablehook = before[1]


def _is_pythons_own() -> bool:
    """Whether an interrupt of this thread would be a traceback."""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def _answer(program: str) -> None:
    signal.signal(signal.SIGINT, _Answer(program))
    sys.unraisablehook = _sent_again


def leave(program: str) -> None:
    """Say that the program was interrupted, and end the process at once, whatever it is doing."""
    with contextlib.suppress(OSError):  # nobody may be reading any more
        os.write(2, (_SHOW_CURSOR if os.isatty(2) else b"") + f"{program}: interrupted\n".encode())
    os._exit(INTERRUPTED)


class _Answer:
    """What a command line does when an interrupt comes."""

    def __init__(self, program: str) -> None:
        self.program = program

    def __call__(self, _number: int, frame: FrameType | None) -> None:
        """Leave, if something is just being imported or compiled; else raise ``KeyboardInterrupt``."""
        while frame is not None:
            package = frame.f_globals.get("__name__", "").partition(".")[0]
            if frame.f_code.co_filename == _IMPORTING or package in _COMPILING:
                leave(self.program)
            frame = frame.f_back
        raise KeyboardInterrupt


def _sent_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Report what a callback could not raise; but an interrupt is sent again, when the callback is over."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    timer = threading.Timer(_AGAIN_S, _interrupt_main)
    timer.daemon = True
    timer.start()


def _interrupt_main() -> None:
    """Send the interrupt to the main thread, so that it wakes up if it waits."""
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Within, an interrupt waits for the end: for stretches of a moment that must not be left half done.

    In other threads than the main one, which hear no interrupts, it does nothing.
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: waiting.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if waiting:
            usual(*waiting[0])
