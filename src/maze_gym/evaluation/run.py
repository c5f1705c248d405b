"""Playing a plan: ``evaluate`` in one call, or episode by episode as each has ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument, RunStopped, StopReason
from maze_gym.evaluation.concurrency import MOST_THREADS, Workers
from maze_gym.evaluation.limits import Control
from maze_gym.evaluation.plan import EvalPlan, jobs_of, make_plan
from maze_gym.evaluation.result_table import EvaluationResult
from maze_gym.evaluation.storage.run_folder import FINISHED, RunFolder
from maze_gym.evaluation.transcript import Transcript
from maze_gym.llm.backends.server import Service

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterator, Sequence

    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.evaluation.result import Played
    from maze_gym.llm.config import ExperimentConfig

__all__ = ["evaluate", "paced", "play", "play_run"]


def evaluate(  # noqa: PLR0913 - what the command line offers first
    policies: str | Sequence[str] | EvalPlan,
    *,
    env_id: str = "MazeNLU-v0",
    levels: str | os.PathLike[str] | None = None,
    tier: int | None = None,
    episodes: int | None = None,
    seed: int = 0,
    config: ExperimentConfig | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    concurrency: int = 1,
) -> EvaluationResult:
    """Let policies play the same levels and compare them, as ``maze-gym evaluate`` does.

    Args:
        policies: names of policies, or one name; or a plan of ``make_plan``, which says all that is played,
            so that the arguments up to ``config`` are left out.
        env_id: a world of this suite or one of its presets.
        levels: a file, folder or suite; by default the world's own suite, and for a preset generated ones.
        tier: generate levels of a difficulty tier instead.
        episodes: per policy, visiting the levels in turn; by default one for each level, 100 generated ones.
        seed: the run's seed, 0 or more.
        config: how language models are asked; the defaults of ``ExperimentConfig`` without one.
        out: keep the run in this folder, safe from any interruption; ``maze-gym report`` reads it.
        resume: go on with the run in ``out``, if it holds one; what is played must be the same.
        concurrency: episodes at a time. It never changes a result.

    Returns:
        The records and their table. Where a model's server refuses, the run stops, and the result holds what
        had ended by then: see its ``stopped``.

    Raises:
        InvalidArgument: a policy or world does not exist, an argument is wrong, or ``out`` holds a run and
            ``resume`` is false, or another run.
        LevelsNotFound: there is nothing of that name, or nothing in it.
        MazeFormatError: a level is broken.
        NotWritten: the disk does not take the run; what was written before is safe.
    """
    if resume and out is None:
        msg = "resume needs out, the folder of the run"
        raise InvalidArgument(msg)
    _check_concurrency(concurrency)
    if isinstance(policies, EvalPlan):
        if (env_id, levels, tier, episodes, seed, config) != ("MazeNLU-v0", None, None, None, 0, None):
            msg = "a plan says what is played; leave out env_id, levels, tier, episodes, seed and config"
            raise InvalidArgument(msg)
        plan = policies
    else:
        plan = make_plan(
            [policies] if isinstance(policies, str) else policies,
            env_id=env_id,
            levels=levels,
            tier=tier,
            episodes=episodes,
            seed=seed,
            config=config,
        )
    if out is None:
        return _evaluate_in_memory(plan, concurrency)
    with RunFolder(Path(out), plan, resume=resume) as folder:
        return _evaluate_in_folder(plan, concurrency, folder)


def _evaluate_in_memory(plan: EvalPlan, concurrency: int) -> EvaluationResult:
    stopped: RunStopped | None = None
    ended: dict[tuple[str, int], EpisodeRecord] = {}
    try:
        for played in play_run(plan, concurrency=concurrency):
            ended[played.outcome.key] = played.outcome.episode
    except RunStopped as stop:
        stopped = stop
    records = {
        policy: tuple(ended[key] for key in sorted(ended) if key[0] == policy) for policy in plan.policies
    }
    return EvaluationResult(plan, records, stopped=stopped)


def _evaluate_in_folder(plan: EvalPlan, concurrency: int, folder: RunFolder) -> EvaluationResult:
    stopped: RunStopped | None = None
    control = Control(on_call=folder.add_call, on_model=folder.check_model)
    done, take = frozenset(folder.done), str(folder.session)
    try:
        for played in play_run(plan, control, concurrency=concurrency, done=done, take=take):
            folder.add(played)
    except RunStopped as stop:
        stopped = stop
    except KeyboardInterrupt:
        folder.finish(_result_of(plan, folder).summaries, StopReason.INTERRUPTED)
        raise
    result = _result_of(plan, folder, stopped)
    folder.finish(result.summaries, FINISHED if stopped is None else stopped.why)
    return result


def _result_of(plan: EvalPlan, folder: RunFolder, stopped: RunStopped | None = None) -> EvaluationResult:
    records = {policy: tuple(folder.records(policy)) for policy in plan.policies}
    return EvaluationResult(plan, records, folder.path, stopped)


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
    _check_concurrency(concurrency)
    control = control or Control()
    workers = Workers(run, control, paced(service, control), threads=concurrency, take=take)
    yield from workers.play(jobs_of(run, done), in_order=not done)


def paced(service: Service | None, control: Control) -> Service:
    """A service that waits as the control says, so that a stop need not wait for it."""
    service = service or Service()
    return service._replace(patience=service.patience._replace(sleep=control.sleep, pace=control))


def _check_concurrency(concurrency: int) -> None:
    if not 1 <= concurrency <= MOST_THREADS:
        msg = f"concurrency must be from 1 to {MOST_THREADS}, got {concurrency}"
        raise InvalidArgument(msg)
