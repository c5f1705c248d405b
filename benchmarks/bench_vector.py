"""Many envs: steps a second of MazeNLU's vector env beside a do-nothing one, MiniGrid and others.

``pip install -e '.[bench]'`` brings MiniGrid; EnvPool, NAVIX and XLand-MiniGrid are measured where they are
installed. All rounds take turns, so that a busy machine slows everybody; figures are per second of CPU time
of this process, and the ratio, not the figure, is what lasts. EnvPool and JAX have threads of their own:
all that they use is counted. Run: ``python benchmarks/bench_vector.py [--curve]``; ``--curve`` adds steps a
second for 1 to 16,384 envs on one thread and on two.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

import maze_gym  # noqa: F401 - registers the ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENVS = 1024
ROUNDS = 7
ROUND_S = 0.3  # of CPU time, about
BATCHES = 64  # of actions drawn in advance
CURVE = (1, 4, 16, 64, 256, 1024, 4096, 16384)
# A key and its door on 9 x 9 cells, observed as 10 x 10; 1,024 levels in turn.
LEVELS: dict[str, Any] = {"num_levels": 1024, "max_shape": (10, 10)}
OURS = "MazeNLU-KeyDoor-9x9-v0"
PEER = "MiniGrid-DoorKey-8x8-v0"


class Rival(NamedTuple):
    """Something that steps many envs.

    Attributes:
        name: of its row.
        envs: how many at a time.
        run: steps them so many times.
        goal: what it should reach, as a ratio to MiniGrid; empty without a goal.
    """

    name: str
    envs: int
    run: Callable[[int], None]
    goal: str = ""


class DoNothing(VectorEnv[Any, Any, Any]):
    """What the API itself costs: fresh copies of the same arrays, and an empty info."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - gymnasium's own type

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        """Look like these envs."""
        self.num_envs = envs.num_envs
        self.single_action_space, self.action_space = envs.single_action_space, envs.action_space
        self._seen = envs.reset(seed=0)[0]
        self._rewards, self._ends = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - as in gymnasium
        """The same again."""
        return {name: array.copy() for name, array in self._seen.items()}, {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:  # noqa: ANN401 - as in gymnasium
        """The same again."""
        del actions
        seen = {name: array.copy() for name, array in self._seen.items()}
        return seen, self._rewards.copy(), self._ends.copy(), self._ends.copy(), {}


def stepper(envs: VectorEnv[Any, Any, Any], actions: int) -> Callable[[int], None]:
    """Random actions through the real ``step``; episodes end and begin as they do."""
    generator = np.random.default_rng(0)
    batches = generator.integers(0, actions, (BATCHES, envs.num_envs))
    envs.reset(seed=0)

    def run(times: int) -> None:
        for index in range(times):
            envs.step(batches[index % BATCHES])

    run(BATCHES)
    return run


def ours(envs: int, **kwargs: Any) -> Callable[[int], None]:  # noqa: ANN401 - arguments of the env
    """The native vector env."""
    return stepper(gym.make_vec(OURS, num_envs=envs, **(LEVELS | kwargs)), 6)


def minigrid(wrap: bool) -> SyncVectorEnv[Any, Any]:  # noqa: FBT001 - one of two
    """MiniGrid's DoorKey, 64 of them in a row: its own 7x7 view, or the full board."""
    wrappers = importlib.import_module("minigrid.wrappers")

    def make() -> gym.Env[Any, Any]:
        env: gym.Env[Any, Any] = gym.make(PEER)
        env = wrappers.FullyObsWrapper(env) if wrap else env
        made: gym.Env[Any, Any] = wrappers.ImgObsWrapper(env)
        return made

    return SyncVectorEnv([make] * 64)


def envpool() -> Callable[[int], None]:
    """EnvPool's C++ port of MiniGrid."""
    envs: Any = importlib.import_module("envpool").make_gymnasium(PEER, num_envs=ENVS, num_threads=1)
    return stepper(envs, 7)


def navix() -> Callable[[int], None]:
    """NAVIX: JAX on the CPU, one compiled call a step."""
    jax, library = importlib.import_module("jax"), importlib.import_module("navix")
    env = library.make("Navix-DoorKey-8x8-v0")
    step = jax.jit(jax.vmap(env.step))
    timestep = jax.vmap(env.reset)(jax.random.split(jax.random.PRNGKey(0), ENVS))
    batches = jax.random.randint(jax.random.PRNGKey(1), (BATCHES, ENVS), 0, 7)
    now = [step(timestep, batches[0])]

    def run(times: int) -> None:
        for index in range(times):
            now[0] = step(now[0], batches[index % BATCHES])
        jax.block_until_ready(now[0].reward)

    run(2)
    return run


def xland() -> Callable[[int], None]:
    """XLand-MiniGrid: JAX on the CPU, one compiled call a step."""
    jax, library = importlib.import_module("jax"), importlib.import_module("xminigrid")
    wrappers = importlib.import_module("xminigrid.wrappers")
    env, params = library.make(PEER.removesuffix("-v0"))
    env = wrappers.GymAutoResetWrapper(env)
    step = jax.jit(jax.vmap(env.step, in_axes=(None, 0, 0)))
    keys = jax.random.split(jax.random.PRNGKey(0), ENVS)
    batches = jax.random.randint(jax.random.PRNGKey(1), (BATCHES, ENVS), 0, 6)
    now = [jax.vmap(env.reset, in_axes=(None, 0))(params, keys)]

    def run(times: int) -> None:
        for index in range(times):
            now[0] = step(params, now[0], batches[index % BATCHES])
        jax.block_until_ready(now[0].reward)

    run(2)
    return run


def rivals() -> Iterator[Rival]:
    """Everybody who is there."""
    yield Rival("MazeNLU, whole board, fresh arrays", ENVS, ours(ENVS), "3,000")
    yield Rival("MazeNLU, whole board, copy=False", ENVS, ours(ENVS, copy=False), "5,000")
    yield Rival("MazeNLU, 7x7 view with occlusion, fresh", ENVS, ours(ENVS, view_size=7), "1,500")
    yield Rival("MazeNLU, 7x7 view, copy=False", ENVS, ours(ENVS, view_size=7, copy=False))
    yield Rival("MazeNLU, whole board, SAME_STEP, fresh", ENVS, ours(ENVS, autoreset_mode="SameStep"))
    yield Rival("MazeNLU, whole board, fresh, 64 envs", 64, ours(64))
    nothing = DoNothing(gym.make_vec(OURS, num_envs=ENVS, **LEVELS))
    yield Rival("do-nothing vector env, fresh arrays", ENVS, stepper(nothing, 6))
    if importlib.util.find_spec("minigrid") is not None:
        importlib.import_module("minigrid")
        yield Rival("MiniGrid SyncVectorEnv, full board, 64", 64, stepper(minigrid(True), 7))  # noqa: FBT003
        yield Rival("MiniGrid SyncVectorEnv, 7x7 view, 64", 64, stepper(minigrid(False), 7))  # noqa: FBT003
    for module, make in (("envpool", envpool), ("navix", navix), ("xminigrid", xland)):
        if importlib.util.find_spec(module) is None:
            print(f"{module}: not installed")
            continue
        yield Rival(f"{module}, {PEER}, 7x7 view", ENVS, make())


def compare() -> None:
    """Print everybody's steps a second, and the ratios to MiniGrid's."""
    everybody = list(rivals())
    times = [calibrated(rival.run) for rival in everybody]
    best = [0.0] * len(everybody)
    for _ in range(ROUNDS):
        for index, rival in enumerate(everybody):
            begin = time.process_time()
            rival.run(times[index])
            speed = times[index] * rival.envs / (time.process_time() - begin)
            best[index] = max(best[index], speed)
    base = next(
        (speed for rival, speed in zip(everybody, best, strict=True) if "7x7 view, 64" in rival.name), 0
    )
    print(f"{'':42}{'steps/s':>14}{'to MiniGrid':>14}{'goal':>8}")
    for rival, speed in zip(everybody, best, strict=True):
        ratio = f"{speed / base:,.0f}x" if base else ""
        print(f"{rival.name:42}{speed:>14,.0f}{ratio:>14}{rival.goal:>8}")


def calibrated(run: Callable[[int], None]) -> int:
    """How many steps make a round."""
    times = 1
    while True:
        begin = time.process_time()
        run(times)
        took = time.process_time() - begin
        if took > ROUND_S / 10:
            return max(1, int(times * ROUND_S / took))
        times *= 4


def curve() -> None:
    """Print steps a second for more and more envs; two threads share them, wall time."""
    print(f"\n{'envs':>6}{'fresh':>16}{'copy=False':>16}{'two threads, copy=False':>26}   steps/s")
    for envs in CURVE:
        # A level is made when it is first drawn; few envs would not have seen all of many when time is up.
        levels = min(envs, LEVELS["num_levels"])
        row = []
        for copy in (True, False):
            run = ours(envs, copy=copy, num_levels=levels)
            times = calibrated(run)
            row.append(max(envs * times / cpu_seconds(run, times) for _ in range(ROUNDS)))
        shared = 0.0
        if envs > 1:
            runs = [ours(envs // 2, copy=False, num_levels=levels) for _ in range(2)]
            times = calibrated(runs[0])
            shared = max(envs * times / together(runs, times) for _ in range(ROUNDS))
        print(f"{envs:>6}{row[0]:>16,.0f}{row[1]:>16,.0f}{shared:>26,.0f}")


def cpu_seconds(run: Callable[[int], None], times: int) -> float:
    """CPU time of so many steps."""
    begin = time.process_time()
    run(times)
    return time.process_time() - begin


def together(runs: list[Callable[[int], None]], times: int) -> float:
    """Wall time of so many steps in each of these, each in a thread; the loops let go of Python's lock."""
    threads = [threading.Thread(target=run, args=(times,)) for run in runs]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--curve", action="store_true", help="also 1 to 16,384 envs")
    compare()
    if parser.parse_args().curve:
        curve()
