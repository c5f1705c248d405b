"""Play a run in processes that are killed at random moments, and then to its end.

Run: ``python killed.py KILLS SEED FOLDER OPTION...`` with the options of ``maze-gym evaluate``. Each session
is a process of its own, forked so that it need not import everything once more, and killed by SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import urllib3  # noqa: F401 - imported once, for all sessions

from maze_gym import cli, evaluation

MOST_CALLS = 40  # that a session makes before it is killed, and then some milliseconds
LONGEST_S = 0.03
WAIT_S = 60.0


def session(folder: str, options: list[str]) -> int:
    """Start a session; its process."""
    process = os.fork()
    if process == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.argv = ["maze-gym", "evaluate", "--out", folder, "--resume", *options]
        code = 1
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        finally:
            os._exit(code)
    return process


def wait_for(calls: Path, more: int) -> None:
    """Until so many calls have been added."""
    begin = calls.read_bytes().count(b"\n") if calls.exists() else 0
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if more == 0 or (calls.exists() and calls.read_bytes().count(b"\n") >= begin + more):
            return
        time.sleep(0.002)


def main() -> None:
    """Kill sessions, then let one end."""
    kills, seed, folder, *options = sys.argv[1:]
    rng = np.random.default_rng(int(seed))
    list(
        evaluation.play(evaluation.make_plan(["random", "oracle-chat"], episodes=1))
    )  # warm, for all sessions
    for _ in range(int(kills)):
        process = session(folder, options)
        wait_for(Path(folder) / "calls.jsonl", int(rng.integers(MOST_CALLS)))
        time.sleep(rng.uniform(0, LONGEST_S))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(session(folder, options), 0)[1]))


if __name__ == "__main__":
    main()
