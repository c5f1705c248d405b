"""A pool of processes: results in any order that is asked for, and nothing left when it is over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from mazegen.datasets.worker_pool import PROCESSES_A_CORE, WorkerPool
from mazegen.errors import WorkerLost
from tests.mazegen.datasets import jobs

PROJECT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _workers_find_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PROJECT)


def is_there(process: int) -> bool:
    """Whether it still runs; one that has ended and was never asked about is gone as well."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_gone(processes: list[int]) -> bool:
    until = time.monotonic() + 20
    while any(map(is_there, processes)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(is_there, processes))


def marks(folder: Path, count: int) -> list[int]:
    """The processes that have begun, once there are so many."""
    until = time.monotonic() + 60
    while len(found := list(folder.iterdir())) < count and time.monotonic() < until:
        time.sleep(0.02)
    return [int(path.name) for path in found]


def test_results_are_those_of_the_jobs_in_whatever_order_they_are_asked_for() -> None:
    with WorkerPool(2) as pool:
        futures = [pool.submit(jobs.square, number) for number in range(20)]
        assert [future.result() for future in reversed(futures)] == [n * n for n in reversed(range(20))]
        futures = [pool.submit(jobs.square, number) for number in range(20)]
        assert sorted(future.result() for future in pool.completed(futures)) == [n * n for n in range(20)]


def test_what_is_quick_is_handed_out_before_what_is_slow() -> None:
    with WorkerPool(2) as pool:
        futures = [pool.submit(jobs.late, seconds) for seconds in (1.0, 0.0)]
        assert [future.result() for future in pool.completed(futures)] == [0.0, 1.0]


def test_an_error_of_a_job_is_raised_here_and_says_where_it_was() -> None:
    with WorkerPool(1) as pool:
        with pytest.raises(ValueError, match="no such thing") as caught:
            pool.submit(jobs.fail, "no such thing").result()
        assert "jobs.py" in "".join(caught.value.__notes__)
        assert pool.submit(jobs.square, 3).result() == 9


def test_a_job_that_a_worker_cannot_read_is_an_error_and_not_the_end_of_the_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("only_here")
    monkeypatch.setitem(sys.modules, "only_here", module)
    exec("def job(): ...", vars(module))  # noqa: S102 - a function of a module that no other process has
    with WorkerPool(1) as pool:
        with pytest.raises(ModuleNotFoundError, match="only_here"):
            pool.submit(module.job).result()
        assert pool.submit(jobs.square, 3).result() == 9


def test_what_cannot_be_sent_back_is_an_error_and_not_the_end_of_the_worker() -> None:
    with WorkerPool(1) as pool:
        with pytest.raises(TypeError, match="cannot send"):
            pool.submit(jobs.not_picklable).result()
        assert pool.submit(jobs.square, 3).result() == 9


def test_a_worker_that_vanishes_is_an_error_in_words() -> None:
    with pytest.raises(WorkerLost, match=r"signal 9.*take fewer"), WorkerPool(2) as pool:
        pool.submit(jobs.vanish).result()


def test_a_pool_that_is_left_with_cancelled_and_unfinished_jobs_ends(tmp_path: Path) -> None:
    """In Python 3.11.2 the pool of the standard library waits for ever then (gh-94440)."""
    with WorkerPool(2) as pool:
        first = pool.submit(jobs.square, 2)
        futures = [pool.submit(jobs.leave_a_mark, str(tmp_path), 60) for _ in range(8)]
        assert first.result() == 4
        began = marks(tmp_path, 1)
        for future in futures:
            future.cancel()
    assert wait_until_gone(began)


def test_no_worker_hears_an_interrupt() -> None:
    with WorkerPool(2) as pool:
        futures = [pool.submit(jobs.hears_interrupts) for _ in range(4)]
        assert not any(future.result() for future in futures)


@pytest.mark.parametrize("workers", [0, -1, 1_000_000])
def test_a_number_of_workers_that_makes_no_sense_is_refused(workers: int) -> None:
    with pytest.raises(ValueError, match=r"workers must be at (least 1|most [0-9]+ on this machine), got"):
        WorkerPool(workers)
    WorkerPool((os.cpu_count() or 1) * PROCESSES_A_CORE)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_never_outlive_the_process_that_started_them(tmp_path: Path, end: signal.Signals) -> None:
    """The signal goes to the main process alone, as from ``timeout`` or a scheduler."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.mazegen.datasets.jobs", str(tmp_path)],
        cwd=PROJECT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads
        stderr=subprocess.PIPE,
        text=True,
    )
    began = marks(tmp_path, 2)
    process.send_signal(end)
    _, said = process.communicate(timeout=60)
    assert len(began) == 2
    assert wait_until_gone(began)
    assert said.count("Traceback") <= (end == signal.SIGINT)  # the parent's own: no command line is there
