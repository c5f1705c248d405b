"""Playing a plan: its episodes, each handed out as soon as it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.concurrency import MOST_THREADS, Workers
from maze_gym.evaluation.limits import Control
from maze_gym.evaluation.plan import jobs_of
from maze_gym.evaluation.transcript import Transcript
from maze_gym.llm.backends.server import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.evaluation.plan import EvalPlan
    from maze_gym.evaluation.result import Played

__all__ = ["paced", "play", "play_run"]


def play(
    run: EvalPlan, *, on_transcript: Callable[[Transcript], None] | None = None
) -> Iterator[EpisodeRecord]:
    """Play a plan, one episode at a time; each record is handed out as soon as its episode has ended.

    Args:
        run: the plan.
        on_transcript: called with the full record of each episode that a language model played.

    Raises:
        RunStopped: a server refuses; see ``play_run``.
    """
    for played in play_run(run):
        if played.transcript and on_transcript is not None:
            on_transcript(Transcript.from_json(played.transcript))
        yield played.outcome.episode


def play_run(
    run: EvalPlan,
    control: Control | None = None,
    *,
    service: Service | None = None,
    concurrency: int = 1,
    done: Collection[tuple[str, int]] = (),
    take: str = "",
) -> Iterator[Played]:
    """Play what is left of a plan; each outcome is handed out as soon as its episode has ended.

    Args:
        run: the plan.
        control: budget and rates, and who hears of calls.
        service: how the servers of models are used; the control sets the pace.
        concurrency: episodes at a time. It changes the order of the outcomes and nothing else.
        done: (policy, index) of episodes that need not be played.
        take: which attempt at these episodes this is.

    Raises:
        InvalidArgument: the concurrency is out of range, or a policy cannot be played like that.
        RunStopped: a limit was reached, or a server refuses; what had ended was handed out before.
    """
    if not 1 <= concurrency <= MOST_THREADS:
        msg = f"concurrency must be from 1 to {MOST_THREADS}, got {concurrency}"
        raise InvalidArgument(msg)
    control = control or Control()
    workers = Workers(run, control, paced(service, control), threads=concurrency, take=take)
    yield from workers.play(jobs_of(run, done), in_order=not done)


def paced(service: Service | None, control: Control) -> Service:
    """A service that waits as the control says, so that a stop need not wait for it."""
    service = service or Service()
    return service._replace(patience=service.patience._replace(sleep=control.sleep, pace=control))
