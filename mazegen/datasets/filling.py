"""Many mazes into a folder: maze files or JSON-lines shards, and a manifest.

The candidates are numbered; candidate i is a function of the data set's seed and of i alone. They are
made in any process and taken in order, so neither the number of workers nor an interruption changes
a byte of the result.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import math
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from mazegen.datasets.config import DatasetConfig
from mazegen.datasets.folder import DatasetFolder, Made
from mazegen.datasets.progress import Progress
from mazegen.datasets.worker_pool import WorkerPool
from mazegen.errors import GenerationFailed, TooFewMazes
from mazegen.generation.feasibility import check_plenty, check_possible
from mazegen.generation.spec_options import in_short

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from mazegen.generation.spec import MazeGenSpec

T = TypeVar("T")

BLOCK = 50  # candidates that a worker makes in one go, and that are written at once
LOOKAHEAD = 3  # blocks in work for each worker; bounds the memory
MAX_WASTE = 20  # candidates for each maze asked for, and one block at least, before it gives up
_SPREADS = 3  # standard deviations: how far by bad luck fewer mazes may be there than are to be expected


def generate_dataset(  # noqa: PLR0913 - keywords, each a choice of its own
    out: str | os.PathLike[str],
    count: int,
    *,
    spec: MazeGenSpec | None = None,
    tier: int | None = None,
    seed: int = 0,
    workers: int = 1,
    pool: concurrent.futures.Executor | None = None,
    as_files: bool = False,
    shard_size: int = 10_000,
    splits: tuple[float, float, float] = (0.8, 0.1, 0.1),
    on_progress: Callable[[Progress], None] | None = None,
) -> Progress:
    """Write ``count`` different proved mazes; go on where an interrupted run of the same call stopped.

    Args:
        out: folder; made if it does not exist.
        count: number of mazes.
        spec: what every maze is; else specs are drawn from a tier.
        tier: 1 to 5, or None for all of them in turn by chance.
        seed: of the data set.
        workers: processes; with a ``pool``, how many workers it has.
        pool: where blocks of candidates are made, for example on other machines; by default here.
        as_files: one maze file each in ``train/``, ``validation/`` and ``test/``; else JSON-lines shards.
        shard_size: mazes in a shard.
        splits: shares of train, validation and test. Which one a maze belongs to depends on its
            ``symmetry.layout_hash`` alone, so even two data sets with these shares never have one in two
            splits, turned or recoloured. That is the hash of the whole puzzle: the same walls with another
            start, goal or key are another maze, and on small boards often lie in another split.
        on_progress: called after every block.

    Raises:
        ValueError: an argument is out of range, or the folder holds something else, or has lost some of
            what was written there, or another process is writing it.
        ImpossibleSpec: counting shows that there is no such maze.
        TooFewMazes: too many candidates failed or were duplicates, or counting shows that they would.
    """
    if workers < 1:
        msg = f"workers must be at least 1, got {workers}"
        raise ValueError(msg)
    config = DatasetConfig(count, seed, spec, tier, as_files, shard_size, splits)
    if spec is not None:
        check_possible(spec)
        check_plenty(spec, count)
    began = time.monotonic()
    with DatasetFolder(out, config) as folder:
        already = folder.done
        if not folder.is_finished:
            ahead = 1 if pool is None and workers == 1 else workers * LOOKAHEAD
            _check_waste(folder, config)
            with _own_pool(workers) if pool is None else contextlib.nullcontext(pool) as makers:
                for first, made in _blocks(makers, config, folder.candidates, ahead):
                    folder.add(first, made)
                    if on_progress is not None:
                        on_progress(_progress(folder, time.monotonic() - began, already))
                    if folder.done == count:
                        break
                    _check_waste(folder, config)
            folder.finish()
        return _progress(folder, time.monotonic() - began, already)


def _own_pool(workers: int) -> contextlib.AbstractContextManager[concurrent.futures.Executor]:
    return contextlib.nullcontext(_AtOnce()) if workers == 1 else WorkerPool(workers)


class _AtOnce(concurrent.futures.Executor):
    """Does a job when it is submitted, in the very thread, so that Ctrl-C finds nobody else at work."""

    def submit(self, function: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        """Do it; an error is raised and not kept."""
        future: Future[T] = Future()
        future.set_result(function(*args, **kwargs))
        return future


def _blocks(
    pool: concurrent.futures.Executor, config: DatasetConfig, first: int, ahead: int
) -> Iterator[tuple[int, list[Made]]]:
    """Blocks of candidates from ``first`` on, in order, with at most ``ahead`` in work."""
    # The first one alone: what has to be compiled is then compiled once and found in the cache.
    yield first, pool.submit(make_block, config, first, first + BLOCK).result()
    first += BLOCK
    in_work: collections.deque[tuple[int, Future[list[Made]]]] = collections.deque()
    try:
        while True:
            while len(in_work) < ahead:
                in_work.append((first, pool.submit(make_block, config, first, first + BLOCK)))
                first += BLOCK
            start, future = in_work.popleft()
            yield start, future.result()
    finally:
        for _, future in in_work:
            future.cancel()


def make_block(config: DatasetConfig, first: int, behind: int) -> list[Made]:
    """Make the candidates from ``first`` to ``behind - 1``; runs in a worker."""
    import numpy as np

    from mazegen.core.randomness import derive_seed
    from mazegen.generation.orchestrator import generate_proved
    from mazegen.generation.tiers import sample_spec

    made = []
    for index in range(first, behind):
        spec = config.spec
        if spec is None:
            spec = sample_spec(np.random.default_rng((config.seed, index)), config.tier)
        try:
            proved = generate_proved(spec, derive_seed(config.seed, index))
        except GenerationFailed as error:
            made.append(Made("", "", {}, next(iter(error.reasons))))
            continue
        made.append(Made.of(proved, spec, config))
    return made


def _check_waste(folder: DatasetFolder, config: DatasetConfig) -> None:
    """Give up once the candidates that may be spent are not enough, by what has come of them so far.

    The first ones are the richest, for duplicates only become more frequent. What is asked is a function of
    numbers that the folder keeps, at the end of a block: neither workers nor interruptions change the answer.
    """
    budget = MAX_WASTE * max(config.count, BLOCK)
    # Not so few would be there, but for very bad luck, if each candidate had the chance that is called for.
    plausible = folder.done + _SPREADS * math.sqrt(folder.done) + _SPREADS**2
    if folder.candidates > budget * min(1, plausible / config.count):
        what = in_short(config.spec) if config.spec is not None else f'{{"tier": {config.tier}}}'
        reasons = {"duplicate of an earlier maze": folder.duplicates} if folder.duplicates else {}
        reasons |= {f"generation failed, mostly: {reason}": count for reason, count in folder.reasons.items()}
        raise TooFewMazes(what, reasons, folder.done, config.count)


def _progress(folder: DatasetFolder, seconds: float, already: int) -> Progress:
    rate = (folder.done - already) / seconds if seconds > 0 else 0.0
    left = (folder.config.count - folder.done) / rate if rate else None
    return Progress(folder.done, folder.config.count, folder.duplicates, folder.failed, rate, left)
