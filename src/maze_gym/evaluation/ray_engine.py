"""Episodes and data sets on a Ray cluster: the same functions, somewhere else.

``RAY_ADDRESS`` names an existing cluster; without it a local one is started and ended again. Each node needs
this package, and the keys of the servers that are asked in its own environment: none is sent around. Nobody
but this process writes the run folder; what workers spend is booked at one desk,
which keeps budget and rates.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
import os
from collections import deque
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from maze_gym.errors import RunStopped, StopReason
from maze_gym.evaluation.concurrency import Workers
from maze_gym.evaluation.limits import Control
from maze_gym.evaluation.plan import Job, jobs_of
from maze_gym.evaluation.run import paced
from maze_gym.extras import require
from maze_gym.policies.chats import CHAT_POLICIES, is_chat_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from maze_gym.evaluation.limits import Limits, Ticket
    from maze_gym.evaluation.plan import EvalPlan
    from maze_gym.evaluation.result import Played
    from maze_gym.llm.backends.server import Service

    Stop: TypeAlias = tuple[StopReason, str] | None

Remote: TypeAlias = Any  # Ray itself, its actors and references: what they are is known at run time only

MAX_RETRIES = 3  # of a task whose worker or node has died
SHARD = 25  # episodes of a policy that thinks for itself: each takes no longer than handing it over
ROUNDS = 4  # episodes of a model for each thread of a worker, so that few threads wait for the last one
LOOKAHEAD = 2  # tasks in work or waiting for each processor; bounds the memory
_LOOK_S = 0.2
_T = TypeVar("_T")


def play_on_ray(
    run: EvalPlan,
    control: Control,
    service: Service | None = None,
    *,
    concurrency: int = 1,
    done: Collection[tuple[str, int]] = (),
    take: str = "",
) -> Iterator[Played]:
    """Play what is left of a plan on a cluster; see ``play_run``, which plays the same episodes.

    A worker that dies is replaced and its task played again, under another take; what it had not handed
    over is played once more and never counts twice.

    Raises:
        MissingExtra: Ray is not installed.
        RunStopped: a limit was reached, or a server refuses; what had ended was handed out before.
    """
    with cluster() as ray:
        processors = _processors(ray)
        threads = math.ceil(concurrency / processors)
        desk = _open_desk(ray, control, processors * threads + 1)
        plan, played = ray.put((run, service)), ray.remote(max_retries=MAX_RETRIES)(play_shard)
        shards = _shards(run, done, threads)
        in_work: dict[Any, None] = {}  # in the order in which they were sent
        try:
            while True:
                for shard in itertools.islice(shards, LOOKAHEAD * processors - len(in_work)):
                    in_work[played.remote(plan, shard, desk, threads, take)] = None
                if not in_work:
                    break
                ready, _ = ray.wait(list(in_work), timeout=_LOOK_S)
                _hear(ray, desk, control)
                for reference in ready:
                    del in_work[reference]
                    yield from _got(ray, reference)
                if control.stopped is not None:
                    shards = iter(())
        finally:
            for reference in in_work:
                with contextlib.suppress(Exception):  # it has ended, or its node has
                    ray.cancel(reference, force=True)
        _hear(ray, desk, control)
    if control.stopped is not None:
        raise control.stopped


def play_shard(
    plan: tuple[EvalPlan, Service | None], jobs: list[Job], desk: Remote, threads: int, take: str
) -> list[Played]:
    """Play some episodes; runs in a worker. A run that is stopped comes back with what had ended."""
    run, service = plan
    ray = require("ray", "ray")
    branch = Branch(desk, ray)
    # A worker that died has left calls under a take of its own, by which they are known to be in vain.
    own_take = f"{take}.{ray.get(desk.new_number.remote())}"
    workers = Workers(run, branch, paced(service, branch), threads=threads, take=own_take)
    found: list[Played] = []
    with contextlib.suppress(RunStopped):
        found.extend(workers.play(jobs, in_order=False))
    return found


class Desk:
    """Where the calls of all workers are booked; an actor, so there is one."""

    def __init__(self, limits: Limits, tokens: int, cost_usd: float) -> None:
        """Open, with what earlier sessions have spent."""
        self._control = Control(limits, on_call=self._keep)
        self._control.tokens, self._control.cost_usd = tokens, cost_usd
        self._calls: deque[Mapping[str, Any]] = deque()
        self._models: deque[tuple[str, Mapping[str, Any]]] = deque()
        self._tickets: dict[int, Ticket] = {}
        self._numbers = itertools.count()

    def _keep(self, call: Mapping[str, Any]) -> None:
        self._calls.append(call)

    def new_number(self) -> int:
        """A number that nobody has had."""
        return next(self._numbers)

    def check(self) -> Stop:
        """Whether the run has to stop, and why."""
        try:
            self._control.check()
        except RunStopped as stop:
            return stop.why, str(stop)
        return None

    def stop(self, why: StopReason, message: str) -> None:
        """Tell everybody to stop."""
        self._control.stop(why, message)

    def note(self, call: Mapping[str, Any]) -> Stop:
        """Book a call."""
        with contextlib.suppress(RunStopped):
            self._control.note(call)
        return self.check()

    def model(self, policy: str, settings: Mapping[str, Any]) -> None:
        """Hear of a model."""
        self._models.append((policy, settings))

    def begin_request(self, tokens: int) -> tuple[int, float]:
        """A ticket, and for how many seconds its request has to wait."""
        ticket, seconds = self._control.book(tokens)
        number = next(self._numbers)
        if ticket is not None:
            self._tickets[number] = ticket
        return number, seconds

    def end_request(self, number: int, tokens: int | None) -> None:
        """Say what a request has cost."""
        self._control.end_request(self._tickets.pop(number, None), tokens)

    def empty(self) -> tuple[list[Mapping[str, Any]], list[tuple[str, Mapping[str, Any]]]]:
        """What has been booked since the last time."""
        calls = [self._calls.popleft() for _ in range(len(self._calls))]
        models = [self._models.popleft() for _ in range(len(self._models))]
        return calls, models


class Branch(Control):
    """The control of a worker: it asks the desk."""

    def __init__(self, desk: Remote, ray: Remote) -> None:
        """Know the desk."""
        super().__init__(on_model=lambda policy, settings: ray.get(desk.model.remote(policy, dict(settings))))
        self._desk, self._ray = desk, ray

    def check(self) -> None:
        """Ask whether to go on."""
        super().check()
        self._heed(self._ray.get(self._desk.check.remote()))

    def note(self, call: Mapping[str, Any]) -> None:
        """Book a call; what comes of it is heard before the next."""
        self._ray.get(self._desk.note.remote(dict(call)))

    def stop(self, why: StopReason, message: str) -> RunStopped:
        """Tell the desk as well."""
        self._ray.get(self._desk.stop.remote(why, message))
        return super().stop(why, message)

    def begin_request(self, tokens: int) -> tuple[Remote, float]:
        """Wait as long as the desk says."""
        number, seconds = self._ray.get(self._desk.begin_request.remote(tokens))
        self.sleep(seconds)
        return number, seconds

    def end_request(self, ticket: Remote, tokens: int | None) -> None:
        """Say what a request has cost."""
        self._desk.end_request.remote(ticket, tokens)

    def _heed(self, stop: Stop) -> None:
        if stop is not None:
            raise super().stop(*stop)


class RayExecutor(Executor):
    """A pool of workers for ``generate_dataset``: tasks on a cluster.

    Args:
        ray: what ``cluster`` gave.
    """

    def __init__(self, ray: Remote) -> None:
        """Use the whole cluster."""
        self._ray = ray
        self.workers = _processors(ray)

    def submit(self, function: Callable[..., _T], /, *args: Remote, **kwargs: Remote) -> Future[_T]:
        """Run a function on some node, and again if that dies."""
        remote = self._ray.remote(max_retries=MAX_RETRIES)(function)
        future: Future[_T] = remote.remote(*args, **kwargs).future()
        return future


@contextlib.contextmanager
def cluster() -> Iterator[Remote]:
    """The cluster that this process is connected to, that ``RAY_ADDRESS`` names, or a local one for a while.

    Raises:
        MissingExtra: Ray is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported anywhere
    ray: Remote = require("ray", "ray")
    if ray.is_initialized():
        yield ray
        return
    how = {} if os.environ.get("RAY_ADDRESS") else {"address": "local", "include_dashboard": False}
    ray.init(logging_level=logging.ERROR, log_to_driver=False, **how)
    try:
        yield ray
    finally:
        ray.shutdown()


def _open_desk(ray: Remote, control: Control, visitors: int) -> Remote:
    """The desk, on this very node: if it is lost, so is the run."""
    strategies = require("ray.util.scheduling_strategies", "ray")
    here = strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    desk = ray.remote(num_cpus=0, max_concurrency=visitors, scheduling_strategy=here)(Desk)
    return desk.remote(control.limits, control.tokens, control.cost_usd)


def _processors(ray: Remote) -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _shards(run: EvalPlan, done: Collection[tuple[str, int]], threads: int) -> Iterator[list[Job]]:
    """The episodes that are left, in portions for one task each."""
    for policy, jobs in itertools.groupby(jobs_of(run, done), key=lambda job: job.policy):
        asks = is_chat_name(policy) or policy in CHAT_POLICIES
        size = (ROUNDS * threads if threads > 1 else 1) if asks else SHARD
        while shard := list(itertools.islice(jobs, size)):
            yield shard


def _hear(ray: Remote, desk: Remote, control: Control) -> None:
    """Pass on what was booked, and tell the desk where this side wants to stop."""
    calls, models = ray.get(desk.empty.remote())
    for policy, settings in models:
        if control.on_model is not None:
            control.on_model(policy, settings)
    for call in calls:  # all of them: those after the one that stops the run have been paid for as well
        with contextlib.suppress(RunStopped):  # whoever looks at the control next will know
            control.note(call)
    with contextlib.suppress(RunStopped):
        control.check()
    if control.stopped is not None:
        ray.get(desk.stop.remote(control.stopped.why, str(control.stopped)))
    elif (stop := ray.get(desk.check.remote())) is not None:
        control.stop(*stop)


def _got(ray: Remote, reference: Remote) -> list[Played]:
    """What a task has come to; its error as it was raised there."""
    try:
        found: list[Played] = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    return found
