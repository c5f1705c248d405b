"""Worker processes that never outlive the one that started them, however that ends.

The pool of the standard library is not used: in some versions it waits for ever for jobs that were cancelled
(CPython gh-94440), or after an interrupt that comes between two of its steps; its workers print tracebacks at
Ctrl-C, and go on when their parent has been killed. Here is one pipe a worker and no thread in the parent. It
waits a moment at a time, and is interrupted between two of those only.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from concurrent.futures import Executor, Future
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from mazegen.core import interrupts
from mazegen.errors import WorkerLost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection

    _Job: TypeAlias = tuple[Callable[..., object], tuple[object, ...], dict[str, object]]

T = TypeVar("T")

RARELY = 100_000  # objects that a worker makes before it looks for garbage
PROCESSES_A_CORE = 4  # at most
_LOOK_S = 0.1  # how long the parent waits without listening to Ctrl-C
_GRACE_S = 1.0  # for workers to end what they are doing


class WorkerPool(Executor):
    """Some processes, each at one job at a time; a context manager.

    Jobs begin in the order in which they are submitted. Things move on while somebody submits or waits for a
    result, and at no other time. Leaving the pool drops whatever is not done.

    Args:
        workers: how many processes at most; each is started when there is a job for it.

    Raises:
        ValueError: none, or far more than the machine has cores.
    """

    def __init__(self, workers: int) -> None:
        """Start nothing yet."""
        most = multiprocessing.cpu_count() * PROCESSES_A_CORE
        if not 1 <= workers <= most:
            rule = "at least 1" if workers < 1 else f"at most {most} on this machine"
            msg = f"workers must be {rule}, got {workers}"
            raise ValueError(msg)
        self._most = workers
        self._workers: list[_Worker] = []
        self._waiting: deque[tuple[Future[Any], _Job]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Send the workers home; what takes a moment only is done, for the sake of files being written."""
        with interrupts.held():
            until = time.monotonic() + _GRACE_S
            for worker in self._workers:
                worker.pipe.close()
            for worker in self._workers:
                worker.end(until)
            self._workers.clear()

    def submit(self, function: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        """Put a job in the queue; function, arguments and what it returns have to be picklable."""
        future: Future[T] = _Future(self)
        self._waiting.append((future, (function, args, kwargs)))
        self.advance(0)
        return future

    def completed(self, futures: Iterable[Future[T]]) -> Iterator[Future[T]]:
        """Hand out futures of this pool as they come to an end."""
        left: set[Future[Any]] = set(futures)
        done: Iterable[Future[Any]] = [future for future in left if future.done()]
        while left:
            for future in left.intersection(done):
                left.remove(future)
                yield future
            done = self.advance() if left else ()

    def advance(self, seconds: float = _LOOK_S) -> list[Future[Any]]:
        """Give out jobs and wait a moment for results, without listening to Ctrl-C; what has come to an end.

        Raises:
            WorkerLost: a worker has ended in the middle of a job.
        """
        with interrupts.held():
            while self._waiting and (worker := self._idle()) is not None:
                future, job = self._waiting.popleft()
                if future.set_running_or_notify_cancel():
                    worker.begin(future, job)
            busy: dict[object, _Worker] = {
                each.pipe: each for each in self._workers if each.future is not None
            }
            ready = connection.wait([each.pipe for each in busy.values()], seconds)
            return [busy[pipe].finish() for pipe in ready]

    def _idle(self) -> _Worker | None:
        """A worker without a job, a new one if there may be more of them."""
        for worker in self._workers:
            if worker.future is None:
                return worker
        if len(self._workers) == self._most:
            return None
        if not self._workers:
            # Here, once: what it may have to say of the place of compiled code is not said by each worker.
            from mazegen.core import compiling  # noqa: F401
        self._workers.append(_Worker())
        return self._workers[-1]


class _Future(Future[T]):
    """A future whose pool works on while somebody waits for it."""

    def __init__(self, pool: WorkerPool) -> None:
        super().__init__()
        self._pool = pool

    def result(self, timeout: float | None = None) -> T:
        """What the job returned or raised; there is no timeout, for whoever waits does the pool's work."""
        while not self.done():
            self._pool.advance()
        return super().result(timeout)


class _Worker:
    """One process and the pipe to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # a forked copy of a threaded process may hang
        self.pipe, theirs = context.Pipe()
        self.future: Future[Any] | None = None
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        with _deaf_children():
            self._process.start()
        theirs.close()

    def begin(self, future: Future[Any], job: _Job) -> None:
        """Send a job; the worker has none."""
        self.future = future
        with contextlib.suppress(BrokenPipeError):  # it is gone, which ``finish`` tells
            self.pipe.send(job)

    def finish(self) -> Future[Any]:
        """Take the result that is there."""
        future, self.future = self.future, None
        if future is None:
            msg = "a worker without a job has sent a result"
            raise AssertionError(msg)
        try:
            error, result = self.pipe.recv()
        except (EOFError, OSError) as gone:
            self._process.join(_GRACE_S)
            raise WorkerLost(self._process.exitcode) from gone
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
        return future

    def end(self, until: float) -> None:
        """Wait for the process to end, and end it at that time."""
        self._process.join(max(0.0, until - time.monotonic()))
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._process.close()


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """What is started within never hears Ctrl-C, from its first moment on: that is its parent's business."""
    if sys.platform == "win32":  # there, workers begin to ignore it when they begin to work
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which would undo the next line if it began later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection) -> None:
    """What a worker does: jobs, until there is nobody who sends any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    gc.set_threshold(RARELY)  # mazes hold no cycles of objects, so a worker seldom looks for some
    with contextlib.suppress(EOFError, OSError):  # the parent has closed the pipe, or is gone
        while True:
            outcome = _outcome(pipe.recv_bytes())
            try:
                pipe.send(outcome)
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                pipe.send((TypeError(f"a worker cannot send {outcome!r}: {error}"), None))


def _outcome(job: bytes) -> tuple[Exception | None, object]:
    """What a job raises, with the place where it does, or what it returns."""
    try:
        function, args, kwargs = pickle.loads(job)  # noqa: S301 - from the parent, through a pipe that it has made
        return None, function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - the parent raises it
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        return error, None


def _leave_with_parent() -> None:
    """End this process when its parent has ended, also in the middle of a job."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
