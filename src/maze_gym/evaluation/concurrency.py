"""Several episodes at a time on one machine: the same synchronous loop, in as many threads."""

from __future__ import annotations

import contextlib
import math
import queue
import time
from threading import Lock, Thread
from typing import TYPE_CHECKING

from maze_gym.errors import RunStopped, StopReason
from maze_gym.evaluation.worker import EpisodeWorker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from maze_gym.evaluation.limits import Control
    from maze_gym.evaluation.plan import EvalPlan, Job
    from maze_gym.evaluation.result import Played
    from maze_gym.llm.backends.server import Service

MOST_THREADS = 1_000  # each with a connection; systems often allow a process 1,024 files
GRACE_S = 5.0  # of waiting for calls that were sent when a run is left: their answers can still be kept
_INTERRUPTED = "the run was interrupted"
_LOOK_S = 0.1  # how often the main thread looks up, which it must for Ctrl-C to reach it


class Workers:
    """Plays jobs in threads; each has an env and a policy of its own, and all share the control.

    Outcomes come in the order in which episodes end. Nothing about an episode depends on the others, so
    the number of threads changes that order and nothing else.

    Args:
        run: the plan.
        control: shared by all.
        service: how the servers of models are used.
        threads: how many episodes at a time; with 1 no thread is made.
        take: which attempt at these episodes this is.
    """

    def __init__(
        self, run: EvalPlan, control: Control, service: Service | None, *, threads: int, take: str = ""
    ) -> None:
        """Nothing is made yet."""
        self._run, self._control, self._service = run, control, service
        self._threads, self._take = threads, take
        self._ready: queue.Queue[Played | BaseException | None] = queue.Queue(2 * threads)
        self._lock = Lock()

    def play(self, jobs: Iterable[Job], *, in_order: bool) -> Iterator[Played]:
        """Play jobs; policies should follow one after the other.

        Args:
            jobs: the episodes.
            in_order: whether they are all episodes of each policy, in order.

        Raises:
            RunStopped: the run has to end early; every episode that had ended was handed out before.
            KeyboardInterrupt: likewise, after at most ``GRACE_S`` for those whose calls are on their way.
        """
        if self._threads == 1:
            yield from self._play_each(iter(jobs), in_order=in_order)
        else:
            yield from self._play_in_threads(iter(jobs))
        if self._control.stopped is not None:
            raise self._control.stopped

    def _play_each(self, jobs: Iterator[Job], *, in_order: bool) -> Iterator[Played]:
        player: EpisodeWorker | None = None
        try:
            for job in jobs:
                if player is None or player.policy != job.policy:
                    if player is not None:
                        player.close()
                    player = EpisodeWorker(
                        self._run, job.policy, self._control, self._service, in_order=in_order
                    )
                try:
                    played = player.play(job.index, self._take)
                except RunStopped:
                    return  # the control knows why
                yield played
        finally:
            if player is not None:
                player.close()

    def _play_in_threads(self, jobs: Iterator[Job]) -> Iterator[Played]:
        """Hand out what the threads have played; after Ctrl-C or an error what still ends, for a while."""
        threads = [
            Thread(target=self._work, args=(jobs,), name=f"episodes {number}", daemon=True)
            for number in range(self._threads)
        ]
        working, until = len(threads), math.inf
        end: BaseException | None = None
        try:
            for thread in threads:
                thread.start()
            while working and (time.monotonic() < until or not self._ready.empty()):
                with contextlib.suppress(queue.Empty):
                    ready = self._next_ready()
                    if ready is None:
                        working -= 1
                    elif not isinstance(ready, BaseException):
                        yield ready  # also after the end: it has been played, and perhaps paid for
                    elif end is None:
                        end, until = ready, time.monotonic() + GRACE_S
                        self._control.stop(StopReason.INTERRUPTED, _INTERRUPTED)
                    elif isinstance(ready, KeyboardInterrupt):
                        until = 0.0  # a second Ctrl-C: leave at once
            if end is not None:
                raise end
        finally:
            if working:
                self._leave(threads, until)

    def _next_ready(self) -> Played | BaseException | None:
        """What a thread hands over: an episode, its error, None when it ends; or Ctrl-C, as an error."""
        try:
            return self._ready.get(timeout=_LOOK_S)
        except KeyboardInterrupt as interrupt:
            return interrupt

    def _work(self, jobs: Iterator[Job]) -> None:
        """What a thread does: jobs until there are none, or the run is stopped."""
        try:
            for played in self._play_each(self._taken(jobs), in_order=False):
                self._ready.put(played)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._ready.put(error)
        finally:
            self._ready.put(None)

    def _taken(self, jobs: Iterator[Job]) -> Iterator[Job]:
        """The jobs that this thread gets of those that all of them share."""
        while self._control.stopped is None:
            with self._lock:
                job = next(jobs, None)
            if job is None:
                return
            yield job

    def _leave(self, threads: list[Thread], until: float) -> None:
        """Nobody takes outcomes any more: stop the threads, and wait at most ``GRACE_S`` for them to end."""
        self._control.stop(StopReason.INTERRUPTED, _INTERRUPTED)
        until = min(until, time.monotonic() + GRACE_S)
        while any(thread.is_alive() for thread in threads) and time.monotonic() < until:
            with contextlib.suppress(queue.Empty):  # a thread that waits to hand something over can end
                self._ready.get(timeout=_LOOK_S)
