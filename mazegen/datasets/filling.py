"""Many mazes into a folder: maze files or JSON-lines shards, and a manifest.

The candidates are numbered; candidate i is a function of the data set's seed and of i alone. They are
made in any process and taken in order, so neither the number of workers nor an interruption changes
a byte of the result.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import gc
import multiprocessing
import time
from typing import TYPE_CHECKING

from mazegen.datasets.folder import DatasetConfig, DatasetFolder, Made
from mazegen.datasets.progress import Progress
from mazegen.errors import GenerationFailed, TooFewMazes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from mazegen.generation.spec import MazeGenSpec

BLOCK = 50  # candidates that a worker makes in one go, and that are written at once
RARELY = 100_000  # objects that a worker makes before it looks for garbage
LOOKAHEAD = 3  # blocks in work for each worker; bounds the memory
MAX_WASTE = 20  # candidates for each maze asked for, and one block at least, before it gives up


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
            layout's hash alone, so even two data sets never share one across splits, turned or recoloured.
        on_progress: called after every block.

    Raises:
        ValueError: an argument is out of range, or the folder holds something else, or has lost some of
            what was written there, or another process is writing it.
        TooFewMazes: too many candidates failed or were duplicates.
    """
    if workers < 1:
        msg = f"workers must be at least 1, got {workers}"
        raise ValueError(msg)
    config = DatasetConfig(count, seed, spec, tier, as_files, shard_size, splits)
    began = time.monotonic()
    with DatasetFolder(out, config) as folder:
        already = folder.done
        if not folder.is_finished:
            with _own_pool(workers) if pool is None else contextlib.nullcontext(pool) as makers:
                for first, made in _blocks(makers, config, folder.candidates, workers):
                    folder.add(first, made)
                    if on_progress is not None:
                        on_progress(_progress(folder, time.monotonic() - began, already))
                    if folder.done == count:
                        break
                    _check_waste(folder, config)
            folder.finish()
        return _progress(folder, time.monotonic() - began, already)


def _own_pool(workers: int) -> concurrent.futures.Executor:
    return concurrent.futures.ThreadPoolExecutor(1) if workers == 1 else _processes(workers)


def _processes(workers: int) -> concurrent.futures.Executor:
    if workers > multiprocessing.cpu_count() * 4:
        msg = f"workers must be at most {multiprocessing.cpu_count() * 4} on this machine, got {workers}"
        raise ValueError(msg)
    context = multiprocessing.get_context("spawn")  # a forked copy of a threaded process may hang
    return concurrent.futures.ProcessPoolExecutor(workers, mp_context=context, initializer=_collect_rarely)


def _collect_rarely() -> None:
    """Mazes hold no cycles of objects; looking for some after each of them takes a tenth of the time."""
    gc.set_threshold(RARELY)


def _blocks(
    pool: concurrent.futures.Executor, config: DatasetConfig, first: int, workers: int
) -> Iterator[tuple[int, list[Made]]]:
    """Blocks of candidates from ``first`` on, in order, with a bounded number in work."""
    # The first one alone: what has to be compiled is then compiled once and found in the cache.
    yield first, pool.submit(make_block, config, first, first + BLOCK).result()
    first += BLOCK
    in_work: collections.deque[tuple[int, concurrent.futures.Future[list[Made]]]] = collections.deque()
    try:
        while True:
            while len(in_work) < workers * LOOKAHEAD:
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
    if folder.candidates > MAX_WASTE * max(config.count, BLOCK):
        what = config.spec.to_json() if config.spec is not None else f'{{"tier": {config.tier}}}'
        reasons = {"duplicate of an earlier maze": folder.duplicates} if folder.duplicates else {}
        reasons |= {f"generation failed, mostly: {reason}": count for reason, count in folder.reasons.items()}
        raise TooFewMazes(what, reasons, folder.done, config.count)


def _progress(folder: DatasetFolder, seconds: float, already: int) -> Progress:
    rate = (folder.done - already) / seconds if seconds > 0 else 0.0
    left = (folder.config.count - folder.done) / rate if rate else None
    return Progress(folder.done, folder.config.count, folder.duplicates, folder.failed, rate, left)
