"""Several episodes at a time: the same records, whatever their number."""

from __future__ import annotations

import gc
import json
import queue
import threading
import time
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym import evaluation
from maze_gym.errors import InvalidArgument, RunStopped, StopReason
from maze_gym.evaluation import concurrency
from maze_gym.evaluation.episode import EpisodeRecord
from maze_gym.evaluation.limits import Control, Limits
from maze_gym.evaluation.result import EpisodeResult
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.evaluation.transcript import Transcript
from maze_gym.evaluation.worker import EpisodeWorker
from maze_gym.llm.backends import OracleChat, RandomChat
from maze_gym.llm.config import ExperimentConfig, Observe, Querying
from maze_gym.llm.querying import Query

if TYPE_CHECKING:
    from pathlib import Path

    from maze_gym.evaluation import EvalPlan
    from maze_gym.evaluation.result import Played
    from maze_gym.llm.chat import Messages, Reply


def records(run: EvalPlan, threads: int) -> list[Any]:
    """Everything about each episode that time has no part in, in the order of the plan."""
    played = sorted(
        evaluation.play_run(run, concurrency=threads),
        key=lambda each: (run.policies.index(each.outcome.episode.policy), each.outcome.index),
    )
    found = []
    for each in played:
        fields = each.outcome.to_dict() | {"wall_s": 0}
        found.append((fields, each.recipe, each.transcript))
    return found


@pytest.mark.parametrize(
    "env_id", ["MazeNLU-v0", "MazeNLU-KeyDoor-9x9-v0", "PacmanArray-v0"], ids=["levels", "made", "pacman"]
)
def test_records_do_not_depend_on_the_number_of_threads(env_id: str) -> None:
    """Pictures are drawn, mazes made and searched in many threads at once."""
    config = ExperimentConfig(observation=Observe.TEXT_IMAGE, cell_px=6, stall_limit=10)
    policies = ["random", "greedy", "random-chat"]
    run = evaluation.make_plan(policies, env_id=env_id, episodes=8, config=config)
    alone = records(run, 1)
    assert len(alone) == 24
    assert records(run, 6) == alone


def test_episodes_really_are_played_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight threads meet in the middle of their episodes, which one after the other never could."""
    meeting = threading.Barrier(8, timeout=60)
    met = threading.local()
    reset = RandomChat.reset

    def meet(self: RandomChat, seed: int | None = None) -> None:
        reset(self, seed)
        met.count = getattr(met, "count", 0) + 1
        if met.count == 2:  # the first is that of the policy being made
            meeting.wait()

    monkeypatch.setattr(RandomChat, "reset", meet)
    run = evaluation.make_plan(["random-chat"], episodes=8, config=ExperimentConfig(stall_limit=2))
    assert len(list(evaluation.play_run(run, concurrency=8))) == 8


def test_an_error_in_a_thread_is_raised_and_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    play = EpisodeWorker.play

    def fail(self: EpisodeWorker, index: int, take: str = "") -> Played:
        if index == 5:
            msg = "a bug"
            raise ZeroDivisionError(msg)
        return play(self, index, take)

    monkeypatch.setattr(EpisodeWorker, "play", fail)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        list(evaluation.play_run(evaluation.make_plan(["random"], episodes=10_000), concurrency=3))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("episodes")]


class Interrupted(queue.Queue[Any]):
    """Stands in for Ctrl-C, which reaches the main thread while it waits for what the others have played.

    Args:
        when: set as soon as somebody should press it.
        times: how often it is pressed.
    """

    def __init__(self, size: int, when: threading.Event, times: int = 1) -> None:
        super().__init__(size)
        self._when, self._left = when, times

    def get(self, block: bool = True, timeout: float | None = None) -> Any:  # noqa: FBT001, FBT002 - its signature
        if self._left and self._when.is_set():
            self._left -= 1
            raise KeyboardInterrupt
        return super().get(block, timeout)


def play_until_interrupted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, times: int = 1, fail_at: int = -1
) -> None:
    """Play whole plans, one call each, into a folder; all eight calls are out when it is interrupted."""
    control = Control()
    out, lock, asked = threading.Event(), threading.Lock(), Counter[str]()
    answer = OracleChat.__call__

    def wait(self: OracleChat, messages: Messages) -> Reply:
        with lock:
            number = asked["calls"]
            asked["calls"] += 1
        if number == 7:
            out.set()
        if number == fail_at:
            out.wait(60)
            msg = "a bug"
            raise ZeroDivisionError(msg)
        while control.stopped is None:  # the answer comes when nobody wants it any more
            time.sleep(0.01)
        return answer(self, messages)

    def made(size: int) -> Interrupted:
        return Interrupted(size, out, times)

    monkeypatch.setattr(OracleChat, "__call__", wait)
    monkeypatch.setattr(concurrency, "queue", SimpleNamespace(Queue=made, Empty=queue.Empty))
    config = ExperimentConfig(querying=Querying.FULL_TRAJECTORY)
    run = evaluation.make_plan(["oracle-chat"], levels="smoke", episodes=100, config=config)
    with RunFolder(folder, run) as target:
        control._on_call = target.add_call
        for played in evaluation.play_run(run, control, concurrency=8, take=str(target.session)):
            target.add(played)


def test_what_has_been_paid_for_is_kept_when_somebody_interrupts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        play_until_interrupted(tmp_path, monkeypatch)
    found = read_run(tmp_path)
    assert len(list(found.calls())) == 8
    assert not any(call.is_abandoned for call in found.calls())
    assert len(found.episodes) == 8
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("episodes")]


def test_what_has_been_paid_for_is_kept_when_a_thread_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ZeroDivisionError, match="a bug"):
        play_until_interrupted(tmp_path, monkeypatch, times=0, fail_at=3)
    assert len(read_run(tmp_path).episodes) == 7


def test_whoever_insists_is_not_kept_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "GRACE_S", 3_600.0)
    stops: list[Control] = []  # asked to stop, but no answer comes in
    monkeypatch.setattr(Control, "stop", lambda self, *_: stops.append(self))
    with pytest.raises(KeyboardInterrupt):
        play_until_interrupted(tmp_path, monkeypatch, times=2)
    assert read_run(tmp_path).episodes == ()
    monkeypatch.undo()
    stops[0].stop(StopReason.INTERRUPTED, "enough")
    for thread in threading.enumerate():
        if thread.name.startswith("episodes"):
            thread.join(60)


def test_whoever_leaves_early_leaves_no_thread_behind() -> None:
    episodes = evaluation.play_run(evaluation.make_plan(["random"], episodes=10_000), concurrency=4)
    next(episodes)
    episodes.close()  # type: ignore[attr-defined]  # it is a generator
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("episodes")]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stop_hands_out_what_had_ended(threads: int) -> None:
    control = Control(Limits(max_time_s=3600))
    found: list[int] = []

    def play() -> None:
        run = evaluation.make_plan(["random"], episodes=500)
        for played in evaluation.play_run(run, control, concurrency=threads):
            found.append(played.outcome.index)
            if len(found) == 10:
                control._began -= 3600

    with pytest.raises(RunStopped, match="3600 s are over"):
        play()
    assert 10 <= len(found) < 500
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("threads", [0, 1_001])
def test_threads_out_of_range_are_refused(threads: int) -> None:
    with pytest.raises(InvalidArgument, match="concurrency must be from 1 to 1000"):
        list(evaluation.play_run(evaluation.make_plan(["random"]), concurrency=threads))


def test_what_was_played_is_forgotten() -> None:
    """Records, transcripts and queries of episodes that were handed over are gone: the memory stays flat."""

    def alive() -> Counter[str]:
        gc.collect()
        kept = (EpisodeResult, Transcript, Query, EpisodeRecord)
        # By type(): isinstance asks objects for their class, and some of other libraries warn when asked.
        return Counter(type(each).__name__ for each in gc.get_objects() if type(each) in kept)

    before = alive()
    now: Counter[str] = Counter()
    run = evaluation.make_plan(
        ["random-chat"], levels="smoke", episodes=25, config=ExperimentConfig(stall_limit=3)
    )
    for number, played in enumerate(evaluation.play_run(run, concurrency=2)):
        assert played.transcript
        if number == 20:
            now = alive() - before
    # Two threads have an episode each in work; four more may wait to be taken, and one is in hand.
    assert 0 < now["EpisodeResult"] <= 7
    assert now["Transcript"] <= 2
    assert 0 < now["Query"] < 200
    assert alive() - before <= Counter(EpisodeResult=1, EpisodeRecord=1)  # the last one, in hand


def test_a_level_is_described_the_same_by_every_policy() -> None:
    run = evaluation.make_plan(["random", "greedy"], env_id="PacmanArray-Random-v0", episodes=2)
    keys: dict[str, list[str]] = {}
    for played in evaluation.play_run(run):
        keys.setdefault(played.outcome.episode.policy, []).append(played.outcome.level)
        json.dumps(played.recipe)
    assert keys["random"] == keys["greedy"]
    assert len(set(keys["random"])) == 2
