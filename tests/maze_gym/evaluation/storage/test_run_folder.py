"""What a run folder keeps, refuses and takes up again."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym import evaluation
from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.evaluation.result import EpisodeResult, Played
from maze_gym.evaluation.storage.run_folder import RunFolder, describe
from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.game import text_game
from maze_gym.llm.config import ExperimentConfig

if TYPE_CHECKING:
    from pathlib import Path

    from maze_gym.evaluation import EvalPlan

POLICIES = ("random", "oracle-chat")


def some_plan(**changes: Any) -> EvalPlan:
    settings: dict[str, Any] = {"policies": POLICIES, "levels": "smoke", "episodes": 4}
    return evaluation.make_plan(**(settings | changes))


def play(path: Path, plan: EvalPlan, **how: Any) -> list[EpisodeResult]:
    """Play what is left; the outcomes that were added."""
    with RunFolder(path, plan, **how) as folder:
        added = []
        for played in evaluation.play_run(plan, done=frozenset(folder.done), take=str(folder.session)):
            folder.add(played)
            added.append(played.outcome)
        folder.finish([evaluation.summarise(name, folder.records(name)) for name in plan.policies])
    return added


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    plan = some_plan()
    outcomes = play(tmp_path / "runs" / "first", plan)
    run = read_run(tmp_path / "runs" / "first")
    assert [outcome.episode for outcome in run.episodes] == [outcome.episode for outcome in outcomes]
    assert [outcome.key for outcome in run.episodes] == [
        (policy, index) for policy in POLICIES for index in range(4)
    ]
    assert run.is_finished
    assert run.config == {"format": "maze_gym run folder 1"} | json.loads(json.dumps(describe(plan)))
    assert [record.episode for _, record in run.transcripts()] == [
        outcome.episode for outcome in run.episodes[4:]
    ]
    assert run.models == {}  # nobody listened to the models here
    assert json.loads((run.path / "summary.json").read_text())[1]["successes"] == 4
    assert [session.get("why") for session in run.sessions] == [None, "finished"]


def test_recipes_and_actions_bring_every_episode_back(tmp_path: Path) -> None:
    for env_id in ("MazeNLU-v0", "PacmanArray-v0"):
        play(tmp_path / env_id, evaluation.make_plan(["random"], env_id=env_id, episodes=2, seed=3))
        run = read_run(tmp_path / env_id)
        for outcome in run.episodes:
            level = run.levels[outcome.level]
            assert level.tags == outcome.tags
            assert level.tags["rows"] > 2
            env = gym.make(env_id, **level.recipe["make"])
            env.reset(options=dict(level.recipe["reset"]))
            events = [env.step(action)[-1]["event"] for action in outcome.episode.actions]
            assert tuple(events) == outcome.episode.events
            assert text_game(env).recipe()._asdict() == level.recipe


def test_a_run_that_is_there_goes_on_only_when_asked(tmp_path: Path) -> None:
    plan = some_plan()
    play(tmp_path, plan)
    with pytest.raises(InvalidArgument, match="already holds a run; go on with --resume"):
        RunFolder(tmp_path, plan)
    before = (tmp_path / "episodes.jsonl").read_bytes()
    assert play(tmp_path, plan, resume=True) == []
    assert (tmp_path / "episodes.jsonl").read_bytes() == before


def test_what_is_missing_is_played_when_a_run_goes_on(tmp_path: Path) -> None:
    plan = some_plan()
    whole = play(tmp_path, plan)
    path = tmp_path / "episodes.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][:40])  # killed while the sixth was written
    again = play(tmp_path, plan, resume=True)
    assert [outcome.key for outcome in again] == [("oracle-chat", index) for index in (1, 2, 3)]
    run = read_run(tmp_path)
    assert [outcome.episode for outcome in run.episodes] == [outcome.episode for outcome in whole]
    assert [index for index, _ in run.transcripts()] == [0, 1, 2, 3]  # the old ones do not count any more


def test_a_transcript_without_its_episode_is_taken_back(tmp_path: Path) -> None:
    plan = some_plan(policies=["oracle-chat"])
    play(tmp_path, plan)
    path = tmp_path / "episodes.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    play(tmp_path, plan, resume=True)
    lines = (tmp_path / "transcripts.jsonl").read_text().splitlines()
    assert [json.loads(line)["index"] for line in lines] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"episodes": 5}, "episodes was 4, is 5"),
        ({"seed": 1}, "seed was 0, is 1"),
        ({"policies": ["random"]}, 'policies was ["random", "oracle-chat"], is ["random"]'),
        ({"levels": "starter"}, "level_set was"),
        (
            {"config": ExperimentConfig(retries=1)},
            "experiment.retries was 3, is 1",
        ),
    ],
)
def test_a_changed_config_is_refused_by_its_difference(
    tmp_path: Path, changes: dict[str, Any], difference: str
) -> None:
    RunFolder(tmp_path, some_plan(config=ExperimentConfig())).close()
    with pytest.raises(InvalidArgument) as caught:
        RunFolder(tmp_path, some_plan(**({"config": ExperimentConfig()} | changes)), resume=True)
    assert difference in str(caught.value)


def test_another_model_under_the_same_name_is_refused(tmp_path: Path) -> None:
    plan = some_plan()
    with RunFolder(tmp_path, plan) as folder:
        folder.check_model("openai:x", {"server": "a", "temperature": 0.0})
        folder.check_model("openai:x", {"server": "a", "temperature": 0.0})
    with (
        RunFolder(tmp_path, plan, resume=True) as folder,
        pytest.raises(InvalidArgument, match=r'openai:x\.server was "a", is "b"'),
    ):
        folder.check_model("openai:x", {"server": "b", "temperature": 0.0})


HOLD = "import sys; from pathlib import Path; "  # a process that holds a folder
HOLD += "from maze_gym.evaluation.storage.folder_lock import FolderLock; "


def test_two_processes_never_work_in_one_folder_and_a_dead_one_is_no_obstacle(tmp_path: Path) -> None:
    script = HOLD + "lock = FolderLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InvalidArgument, match=f"in use by another process .process {holder.pid} on"):
            RunFolder(tmp_path, some_plan())
        holder.kill()
        holder.wait()
        RunFolder(tmp_path, some_plan()).close()


def test_no_episode_counts_twice(tmp_path: Path) -> None:
    plan = some_plan(policies=["random"])
    with RunFolder(tmp_path, plan) as folder:
        played = next(evaluation.play_run(plan))
        folder.add(played)
        with pytest.raises(InvalidArgument, match="episode 0 of random has been played already"):
            folder.add(played)


def test_unscored_episodes_are_played_again_if_asked(tmp_path: Path) -> None:
    plan = some_plan(policies=["oracle-chat"])
    with RunFolder(tmp_path, plan) as folder:
        for played in evaluation.play_run(plan, take="1"):
            failed = replace(played.outcome.episode, end_reason=EndReason.PROVIDER_ERROR, success=None)
            outcome = replace(
                played.outcome, episode=failed if played.outcome.index % 2 else played.outcome.episode
            )
            folder.add(Played(outcome, played.recipe, played.transcript))
    assert play(tmp_path, plan, resume=True) == []
    again = play(tmp_path, plan, resume=True, retry_unscored=True)
    assert [outcome.index for outcome in again] == [1, 3]
    run = read_run(tmp_path)
    assert [outcome.episode.success for outcome in run.episodes] == [True] * 4
    assert sorted(index for index, _ in run.transcripts()) == [0, 1, 2, 3]


def test_a_file_in_the_way_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(OSError, match="File exists"):
        RunFolder(tmp_path / "run", some_plan())


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LevelsNotFound, match=r"there is no config\.json in it"):
        read_run(tmp_path)
    (tmp_path / "config.json").write_text('{"format": "something else"}')
    with pytest.raises(
        InvalidArgument, match="expected format 'maze_gym run folder 1', got 'something else'"
    ):
        read_run(tmp_path)
    with pytest.raises(InvalidArgument, match="not the config of a run that can go on"):
        RunFolder(tmp_path, some_plan(), resume=True)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InvalidArgument, match="must hold an object, got list"):
        read_run(tmp_path)
    (tmp_path / "config.json").unlink()
    (tmp_path / "episodes.jsonl").write_text("")
    with pytest.raises(InvalidArgument, match=r"holds episodes .* but no config\.json"):
        RunFolder(tmp_path, some_plan())


def test_outcomes_come_back_from_json_and_others_are_refused() -> None:
    outcome = next(evaluation.play_run(some_plan())).outcome
    back = EpisodeResult.from_dict(json.loads(json.dumps(outcome.to_dict())))
    assert back == replace(outcome, wall_s=round(outcome.wall_s, 6))
    with pytest.raises(InvalidArgument, match="not an episode of a run"):
        EpisodeResult.from_dict(outcome.episode.to_dict())
    with pytest.raises(InvalidArgument, match="not an episode record"):
        EpisodeResult.from_dict({})
