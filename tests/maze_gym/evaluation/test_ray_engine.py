"""Episodes and data sets on a cluster of several nodes, one of which is killed amid the work."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym import evaluation
from maze_gym.errors import RunStopped, StopReason
from maze_gym.evaluation.limits import ERRORS_IN_A_ROW, Control, Limits
from maze_gym.evaluation.ray_engine import Desk, RayExecutor, _hear, cluster, play_on_ray
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.llm.config import ExperimentConfig
from mazegen.generate_dataset import generate_dataset

from ..llm.conftest import address  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from maze_gym.evaluation.result import EpisodeResult

CALL = {"policy": "p", "input_tokens": 100, "output_tokens": 10, "cost_usd": 0.5, "error": ""}


def test_the_desk_books_calls_and_says_when_to_stop() -> None:
    desk = Desk(Limits(max_total_tokens=200), 50, 0.1)
    assert desk.note(CALL) is None
    stop = desk.note(CALL)
    assert stop is not None
    assert stop[0] == StopReason.TOKENS
    assert "270 of 200 tokens" in stop[1]
    calls, models = desk.empty()
    assert (calls, models) == ([CALL, CALL], [])
    assert desk.empty() == ([], [])
    assert desk.new_number() != desk.new_number()


def test_the_desk_keeps_the_rates_for_everybody() -> None:
    desk = Desk(Limits(requests_per_minute=2), 0, 0.0)
    waits = [desk.begin_request(10)[1] for _ in range(3)]
    assert waits[:2] == [0.0, 0.0]
    assert 59 < waits[2] <= 60
    ticket, _ = desk.begin_request(10)
    desk.end_request(ticket, 5)
    assert desk.check() is None
    desk.stop(StopReason.INTERRUPTED, "enough")
    assert desk.check() == (StopReason.INTERRUPTED, "enough")


class AtHome:
    """Stands in for Ray, with the desk in this very process."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def get(self, found: Any) -> Any:
        return found

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=getattr(self._desk, name))


def test_calls_that_come_in_with_the_one_that_stops_the_run_are_kept() -> None:
    desk = Desk(Limits(), 0, 0.0)
    failed = {**CALL, "error": "boom"}
    for _ in range(ERRORS_IN_A_ROW + 5):
        desk.note(failed)
    kept: list[Any] = []
    control = Control(on_call=kept.append)
    home = AtHome(desk)
    _hear(home, home, control)
    assert control.stopped is not None
    assert control.stopped.why == StopReason.REFUSED
    assert len(kept) == control.calls == ERRORS_IN_A_ROW + 5
    assert control.tokens == 110 * (ERRORS_IN_A_ROW + 5)
    assert desk.check() is not None


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch, address: str) -> Iterator[Any]:  # noqa: F811 - the fixture
    """A cluster of three nodes, this process on the first of them."""
    import ray
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    made: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        made.add_node(num_cpus=1)
        made.add_node(num_cpus=1)
        made.wait_for_nodes()
        ray.init(address=made.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def lasting(outcome: EpisodeResult) -> tuple[Any, ...]:
    """What of an episode does not depend on when and where it was played."""
    totals = None if outcome.totals is None else {**outcome.totals, "latency_s": None}
    return outcome.episode, outcome.index, outcome.level, outcome.tags, totals


@pytest.mark.slow
@pytest.mark.extra("ray", "ray")
@pytest.mark.filterwarnings("ignore")  # Ray leaves sockets and processes to the garbage collector
def test_a_node_that_is_killed_costs_time_and_nothing_else(nodes: Any, tmp_path: Path) -> None:
    """Episodes, data sets and limits in one test, since starting a cluster takes most of the time."""
    config = ExperimentConfig(stall_limit=6)
    run = evaluation.make_plan(
        ["random", "openai:slow-turn_left"], levels="smoke", episodes=60, config=config
    )
    with RunFolder(tmp_path / "run", run) as folder:
        control = Control(on_call=folder.add_call, on_model=folder.check_model)
        for number, played in enumerate(play_on_ray(run, control, concurrency=6, take="1")):
            folder.add(played)
            if number == 75:  # amid the model's episodes
                nodes.remove_node(nodes.worker_nodes.copy().pop(), allow_graceful=False)
    found = read_run(tmp_path / "run")
    assert found.is_finished
    assert len((tmp_path / "run" / "episodes.jsonl").read_text().splitlines()) == 120  # none of them twice
    local = [played.outcome for played in evaluation.play_run(run, concurrency=6)]
    local.sort(key=lambda outcome: (run.policies.index(outcome.episode.policy), outcome.index))
    assert list(map(lasting, found.episodes)) == list(map(lasting, local))
    counted = [call for call in found.calls() if not call.is_abandoned]
    assert len(counted) == sum(each.totals["queries"] for each in local if each.totals)
    check_data_sets(tmp_path)
    check_limits()


def check_data_sets(path: Path) -> None:
    """A cluster makes the very bytes that this process makes."""
    generate_dataset(path / "here", 60, tier=1)
    with cluster() as ray:
        pool = RayExecutor(ray)
        generate_dataset(path / "there", 60, tier=1, workers=pool.workers, pool=pool)
    for file in sorted((path / "here").iterdir()):
        assert (path / "there" / file.name).read_bytes() == file.read_bytes()


def check_limits() -> None:
    """What one worker spends, all of them know of."""
    run = evaluation.make_plan(["openai:say-turn_left"], levels="smoke", episodes=200)
    with pytest.raises(RunStopped, match="of 20,000 tokens are used") as caught:
        list(play_on_ray(run, Control(Limits(max_total_tokens=20_000))))
    assert caught.value.why == StopReason.TOKENS
