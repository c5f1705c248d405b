"""An interrupt waits while compiled code runs, is never lost, and is heard as soon as Python is back."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import numba
import pytest

from mazegen.core.interruptible import Shield, heed, honestly, shielded

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself there")


@pytest.fixture(autouse=True)
def _python_hears_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores them
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "done"


def test_an_interrupt_waits_until_the_call_is_over() -> None:
    said = []
    with pytest.raises(KeyboardInterrupt):
        shielded(lambda: said.append(interrupt()))
    assert said == ["done"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_shield_within_a_shield_is_heard_at_once_after_the_inner_call() -> None:
    said: list[str] = []

    def outer() -> None:
        said.append(interrupt())
        said.append(shielded(lambda: "inner call"))

    with pytest.raises(KeyboardInterrupt):
        shielded(outer)
    assert said == ["done"]
    heed()  # nothing is left


def test_an_error_does_not_swallow_the_interrupt() -> None:
    def fail() -> None:
        interrupt()
        msg = "of the call"
        raise ValueError(msg)

    with pytest.raises(KeyboardInterrupt) as caught:
        shielded(fail)
    assert isinstance(caught.value.__context__, ValueError)


def test_where_interrupts_are_ignored_they_stay_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert shielded(interrupt) == "done"
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def test_another_thread_is_left_alone() -> None:
    said: list[object] = []
    thread = threading.Thread(target=lambda: said.append(shielded(lambda: "other thread")))
    with Shield():
        thread.start()
        thread.join()
    assert said == ["other thread"]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]  # numba sets it from the environment
def test_results_of_compiled_code_come_back_whole_while_an_interrupt_waits() -> None:
    from mazegen.rendering.picture import parse
    from mazegen.search import proving
    from mazegen.search.subject import as_subject

    subject = as_subject(parse("#####\n#S.*#\n#####"), 1000)
    expected = proving.survey(subject.layout, subject.start, 1000)

    def interrupted() -> proving.Survey:
        interrupt()
        return proving.survey(subject.layout, subject.start, 1000)

    found: list[proving.Survey] = []
    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            shielded(lambda: found.append(interrupted()))
    assert {(each.optimum, each.states) for each in found} == {(expected.optimum, expected.states)}


def test_what_numba_makes_of_an_interrupt_is_an_interrupt_again() -> None:
    def broken() -> None:
        msg = "returned a result with an exception set"
        raise SystemError(msg) from KeyboardInterrupt()

    with pytest.raises(KeyboardInterrupt):
        honestly(broken)

    def other() -> None:
        msg = "of something else"
        raise SystemError(msg)

    with pytest.raises(SystemError, match="of something else"):
        honestly(other)
