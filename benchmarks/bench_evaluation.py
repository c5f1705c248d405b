"""How close a run comes to what its model's server allows, and what 10,000 episodes leave in memory.

A server on loopback, in a process of its own, answers every call after 200 ms. With N episodes at a time N
calls can be on their way at once, so N / 0.2 s is the most that can be answered; the table shows what share
of it is reached with everything switched on: prompts, parsing, env, run folder. The second part plays 10,000
episodes into a run folder and watches the memory of the process.

Run: ``python benchmarks/bench_evaluation.py [--episodes 10000]``; it needs the extra ``llm``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maze_gym import evaluation
from maze_gym.evaluation.limits import Control
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.llm.config import ExperimentConfig, Querying

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LATENCY_S = 0.2
GOAL = 0.9
CONCURRENCIES = (1, 8, 64)
MEASURED_S = 8.0  # of each concurrency, at least
CALLS = 11  # of an episode: who only turns on the spot is stopped
EDGE = 0.1  # share of the calls left out at both ends: threads start, and the last ones are alone
_KIB = 1024

MESSAGE = {"role": "assistant", "content": "FINAL_OUTPUT: TURN_LEFT\n\nACTIONS: TURN_LEFT"}
COMPLETION = {
    "id": "c",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
}


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer every request of a connection, each after the latency."""
    body = json.dumps(COMPLETION).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    )
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            request = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(request.split(b"content-length:")[1].split(b"\r\n")[0]))
            await asyncio.sleep(LATENCY_S)
            writer.write(head + body)
            await writer.drain()
    writer.close()


async def serve() -> None:
    """Serve until this process is ended."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def server() -> Iterator[None]:
    """A server in a process of its own, to which the environment points."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
    ) as process:
        port = process.stdout.readline().strip() if process.stdout is not None else ""
        os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
        os.environ["OPENAI_API_KEY"] = "none"
        try:
            yield
        finally:
            process.terminate()


def throughput(concurrency: int, folder: Path) -> tuple[float, float]:
    """Calls a second, away from the beginning and the end, and milliseconds of this process for each."""
    rounds = math.ceil(MEASURED_S / (CALLS * LATENCY_S))  # whole ones: nobody idles while others play
    config = ExperimentConfig(stall_limit=CALLS - 1)
    run = evaluation.make_plan(["openai:m"], levels="smoke", episodes=rounds * concurrency, config=config)
    times: list[tuple[float, float]] = []  # of the clock on the wall, and of the processor
    with RunFolder(folder, run) as kept:

        def note(call: Mapping[str, Any]) -> None:
            kept.add_call(call)
            times.append((time.perf_counter(), time.process_time()))

        control = Control(on_call=note)
        for played in evaluation.play_run(run, control, concurrency=concurrency):
            kept.add(played)
    edge = int(EDGE * len(times))
    inner = times[edge : len(times) - edge]
    wall_s, spent_s = (last - first for first, last in zip(inner[0], inner[-1], strict=True))
    return (len(inner) - 1) / wall_s, 1000 * spent_s / (len(inner) - 1)


def measure_throughput(concurrencies: Sequence[int]) -> None:
    """Print what share of the ideal each concurrency reaches."""
    print(f"a server that answers after {1000 * LATENCY_S:.0f} ms")
    for concurrency in concurrencies:
        with tempfile.TemporaryDirectory() as folder:
            rate, spent_ms = throughput(concurrency, Path(folder) / "run")
        ideal = concurrency / LATENCY_S
        goal = f"   (goal {GOAL:.0%})" if concurrency == CONCURRENCIES[-1] else ""
        share = f"{rate:>8.1f} calls/s of {ideal:>6.1f}: {rate / ideal:>6.1%}{goal}"
        print(f"{concurrency:4} at a time {share}, {spent_ms:.1f} ms of processor a call")


def measure_memory(episodes: int) -> None:
    """Print the memory of this process as episodes go by."""
    config = ExperimentConfig(querying=Querying.FULL_TRAJECTORY)
    run = evaluation.make_plan(["openai:m"], levels="smoke", episodes=episodes, config=config)
    print(f"memory over {episodes:,} episodes, 64 at a time")
    with tempfile.TemporaryDirectory() as folder, RunFolder(Path(folder) / "run", run) as kept:
        control = Control(on_call=kept.add_call)
        for number, played in enumerate(evaluation.play_run(run, control, concurrency=64), 1):
            kept.add(played)
            if number % max(1, episodes // 5) == 0:
                highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
                print(f"{number:>8,} episodes {resident_mib():>7.1f} MiB   (highest {highest:.1f})")


def resident_mib() -> float:
    """Memory of this process as the system counts it."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / _KIB**2


def main() -> None:
    """Measure, or be the server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--at-a-time", type=int, nargs="+", default=CONCURRENCIES)
    parser.add_argument("--serve", action="store_true")
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    with server():
        measure_throughput(options.at_a_time)
        if options.episodes:
            measure_memory(options.episodes)


if __name__ == "__main__":
    main()
