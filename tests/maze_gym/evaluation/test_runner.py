"""ExperimentRunner, records of runs, and their replay."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym import __version__, evaluation
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.evaluation import (
    EndReason,
    ExperimentRunner,
    Transcript,
    TranscriptRecorder,
    build_runner,
    replay,
)
from maze_gym.evaluation.storage.run_folder import RunFolder, describe
from maze_gym.llm.backends import ScriptedChat
from maze_gym.llm.config import ExperimentConfig, Observe, Querying
from maze_gym.policies import make_policy
from mazegen import codec

from ..levels import ALL_KINDS, CORRIDOR, TALL
from ..llm.hallway import Hallway

if TYPE_CHECKING:
    from pathlib import Path


def run(policy: Any = "oracle-chat", **config: Any) -> Transcript:
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(ALL_KINDS))
    return build_runner(config, env, policy).run(seed=5)


def test_record_holds_everything_that_a_run_was() -> None:
    replies = [
        "?",
        "SUB_GOAL: to the key\nACTIONS: TURN_RIGHT, TURN_RIGHT, MOVE_FORWARD",
        "SUB_GOAL: x\nACTIONS: DONE",
    ]
    record = run(ScriptedChat(replies), querying="subgoal", observation="text_image", cell_px=8)
    assert (record.episode.end_reason, record.episode.steps) == (EndReason.PROVIDER_ERROR, 4)
    assert (record.episode.seed, record.episode.content_hash) == (5, ALL_KINDS.content_hash)
    assert record.config == ExperimentConfig.from_dict(record.config).to_dict()
    assert record.versions["maze_gym"] == __version__
    third = record.steps[2]
    assert third["position_before"] == {"row": 1, "col": 1}
    assert third["position_after"] == {"row": 2, "col": 1}
    assert (third["action"], third["event"], third["subgoal"]) == ("MOVE_FORWARD", "MOVED", "to the key")
    assert third["feedback"] == "You move forward."
    assert record.final_state == third["state"] | {"facing": "SOUTH"} == record.steps[3]["state"]
    assert [query["attempt"] for query in record.queries] == [0, 1, 0, 0]
    first, second, _, last = record.queries
    assert (first["reply"], first["failure"]["kind"]) == ("?", "no_marker")
    assert second["parsed"] == {"actions": [1, 1, 2], "subgoal": "to the key"}
    assert [message["role"] for message in second["messages"]] == ["system", "user"]
    assert second["messages"][1]["images"][0].startswith("iVBORw0KGgo")
    assert last["error"] == "the script has no more than 3 replies"
    assert record.totals == {
        "queries": 4, "parse_failures": 1, "parse_retries": 1, "provider_retries": 0, "provider_errors": 1,
        "input_tokens": None, "output_tokens": None, "cost_usd": None, "latency_s": None,
    }  # fmt: skip


@pytest.mark.parametrize("policy", ["oracle-chat", "random-chat", "random", "greedy", "oracle"])
def test_records_come_back_from_json_and_replay(policy: str) -> None:
    record = run(policy)
    line = record.to_json()
    assert line.isascii()
    assert "\n" not in line
    assert Transcript.from_json(line) == record
    result = replay(Transcript.from_json(line))
    assert (result.states, result.mismatch) == (record.episode.steps + 1, "")


def test_any_start_and_ending_replays() -> None:
    env = gym.make(
        "MazeNLU-v0", mazes=[codec.to_dict(maze) for maze in (ALL_KINDS, TALL)], finish="done_action"
    )
    runner = build_runner({}, env, "oracle-chat")
    record = runner.run(seed=1, options={"maze": TALL, "start": (3, 3), "facing": "WEST"})
    assert record.episode.success
    assert record.initial_state["row"] == 3
    assert not replay(record).mismatch
    runner.close()
    runner.close()


def put(fields: dict[str, Any], path: str, value: object) -> None:
    """Set ``a.0.b`` in JSON data; it need not be there yet."""
    place: Any = fields
    *way, last = path.split(".")
    for name in way:
        place = place[int(name) if isinstance(place, list) else name]
    place[int(last) if isinstance(place, list) else last] = value


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [
        ("steps.3.state.row", 9, "step 4: row was 9, is "),
        ("steps.3.event", "BLOCKED", "step 4: recorded event BLOCKED, now"),
        ("steps.3.action", "JUMP", "step 4: recorded action JUMP, now"),
        ("steps.3.reward", 0.5, "step 4: recorded reward 0.5, now 0.0"),
        ("steps.3.position_after", {}, "step 4: recorded position after {}, now {'row':"),
        ("initial_state.facing", "WEST", "the start: facing was 'WEST', is 'NORTH'"),
        ("final_state.keys_held", {}, "the end: keys_held was {}, is {'red': 1}"),
        ("episode.events.3", "BLOCKED", "step 4: recorded event of the episode BLOCKED, now"),
        ("episode.success", False, "recorded success False, now True"),
        ("episode.success", None, "recorded success None, now True"),
        ("episode.end_reason", "timeout", "recorded end reason timeout, now success"),
        ("episode.end_reason", "parse_failed", "recorded end reason parse_failed, now success"),
        ("episode.total_reward", 5.0, "recorded total reward 5.0, now 1.0"),
        ("episode.steps", 15, "15 steps are recorded, but 14 actions, 14 events, 14 states"),
        ("episode.events", [], "14 steps are recorded, but 14 actions, 0 events, 14 states"),
    ],
)
def test_replay_finds_what_differs(path: str, value: object, found: str) -> None:
    fields = json.loads(run().to_json())
    put(fields, path, value)
    assert found in replay(Transcript.from_json(json.dumps(fields))).mismatch


def test_replay_finds_steps_behind_the_end_and_an_end_that_has_not_come() -> None:
    longer, shorter = (json.loads(run().to_json()) for _ in range(2))
    for each, name in (("episode", "actions"), ("episode", "events")):
        longer[each][name].append(longer[each][name][-1])
        shorter[each][name].pop()
    longer["steps"].append(longer["steps"][-1])
    shorter["steps"].pop()
    shorter["final_state"] = shorter["steps"][-1]["state"]
    longer["episode"]["steps"], shorter["episode"]["steps"] = 15, 13
    assert replay(Transcript.from_dict(longer)) == (15, "step 15: the episode had already ended")
    assert replay(Transcript.from_dict(shorter)).mismatch == "recorded end reason success, now plan_exhausted"


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("episode.actions.0", 9, "step 1 of the record cannot be played: an action must be one of"),
        ("episode.actions.0", 1.5, "action 1 must be a whole number, got float"),
        ("episode.actions.0", True, "action 1 must be a whole number, got bool"),
        ("episode.env_id", 3, "env_id must be text, got int"),
        ("steps", None, "steps must be a list, got NoneType"),
        ("steps.0", None, "steps, number 1 must be an object, got NoneType"),
        ("steps.0", {"event": "MOVED"}, "the state of step 1 must be an object, got NoneType"),
        ("queries", [3], "queries, number 1 must be an object, got int"),
        ("initial_state", None, "initial_state must be an object, got NoneType"),
        ("recipe", {}, r"recipe\.make must be an object, got NoneType"),
        ("recipe.make.floor", "lava", "the recipe of the record makes no env: .*'floor'"),
        ("recipe.make.maze", {}, "the recipe of the record makes no env: maze"),
        ("recipe.make.maze", "no-such-maze.json", "the recipe of the record makes no env: .*no-such-maze"),
        ("recipe.reset", {"start": [99, 99]}, "the start of the record cannot be played: option start"),
    ],
)
def test_replay_refuses_what_cannot_be_executed(path: str, value: object, why: str) -> None:
    fields = json.loads(run().to_json())
    put(fields, path, value)
    with pytest.raises(InvalidArgument, match=why):
        replay(Transcript.from_json(json.dumps(fields)))


def test_replay_shows_the_world_at_every_turn() -> None:
    record = run(ScriptedChat(["FINAL_OUTPUT: TURN_RIGHT"]))  # the second turn has no reply
    facings: list[str] = []
    assert not replay(record, lambda game: facings.append(game.snapshot()["facing"])).mismatch
    assert facings == [record.initial_state["facing"], record.final_state["facing"]]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", ""),
        ("{}", "the field format must be 'maze_gym run 1', and there is none"),
        ("[]", "it must be an object, got list"),
        ("3", "it must be an object, got int"),
        ("[" * 100_000, ""),
        ('{"format": "maze_gym run 1"}', "episode, config, .*, versions missing in it"),
        ('{"format": "maze_gym run 9"}', "the field format must be 'maze_gym run 1', got 'maze_gym run 9'"),
    ],
)
def test_what_is_no_record_is_refused(line: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=f"not a record of a run: .*{why}"):
        Transcript.from_json(line)


def test_runner_from_a_maze_file(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    codec.dump(ALL_KINDS, path)
    runner = ExperimentRunner.from_json(path, {"prompting": "verbose", "querying": "full_trajectory"})
    record = runner.run(seed=0)
    assert record.episode.success
    assert len(record.queries) == 1
    runner.close()
    with pytest.raises(LevelsNotFound):
        ExperimentRunner.from_json(tmp_path / "none.json", ExperimentConfig())
    with pytest.raises(InvalidArgument, match="holds 10 levels; name the file of one"):
        ExperimentRunner.from_json("smoke", ExperimentConfig())


def test_runner_takes_names_policies_chats_and_functions() -> None:
    env = GridWorldEnv(maze=CORRIDOR)
    turn = "FINAL_OUTPUT: MOVE_FORWARD"
    for policy in (
        "oracle-chat",
        "oracle",
        make_policy("oracle", env),
        ScriptedChat([turn, turn]),
        lambda _: turn,
    ):
        record = build_runner(ExperimentConfig(), env, policy).run(seed=0)
        assert record.episode.success
    search = build_runner({}, env, "oracle").run()
    assert (search.config, search.queries, search.model) == (None, [], {})


def test_stall_limit_of_the_config_ends_a_run() -> None:
    record = run(lambda _: "FINAL_OUTPUT: TURN_LEFT", stall_limit=5)
    assert (record.episode.end_reason, record.episode.steps) == (EndReason.STALLED, 5)


def test_any_world_with_words_can_be_recorded() -> None:
    record = build_runner({}, Hallway(), "oracle-chat").run(seed=0)
    assert record.episode.success
    assert [step["position_after"]["col"] for step in record.steps] == [2, 3, 4]
    assert Transcript.from_json(record.to_json()) == record
    with pytest.raises(InvalidArgument, match=r"TextGame, got CartPoleEnv"):
        TranscriptRecorder(gym.make("CartPole-v1"))


def test_evaluation_runs_models_beside_search_and_keeps_their_transcripts(tmp_path: Path) -> None:
    config = ExperimentConfig(observation=Observe.TEXT_IMAGE, querying=Querying.SUBGOAL, cell_px=8)
    plan = evaluation.make_plan(["oracle", "oracle-chat"], levels="starter", episodes=3, config=config)
    with RunFolder(tmp_path / "run", plan) as folder:
        records = []
        for played in evaluation.play_run(plan):
            folder.add(played)
            records.append(played.outcome.episode)
    assert [record.policy for record in records] == ["oracle"] * 3 + ["oracle-chat"] * 3
    lines = (tmp_path / "run" / "transcripts.jsonl").read_text().splitlines()
    runs = [Transcript.from_json(line) for line in lines]
    assert [run.episode for run in runs] == records[3:]
    assert all(not replay(run).mismatch for run in runs)
    handed: list[Transcript] = []
    assert list(evaluation.play(plan, on_transcript=handed.append)) == records
    assert [run.queries[0]["messages"] for run in handed] == [run.queries[0]["messages"] for run in runs]
    assert describe(plan)["experiment"] == config.to_dict()
    assert describe(plan)["experiment_hash"] == config.content_hash


def test_stall_limit_holds_for_every_policy_of_an_evaluation() -> None:
    plan = evaluation.make_plan(["greedy"], levels="starter", config=ExperimentConfig(stall_limit=4))
    assert EndReason.STALLED in {record.end_reason for record in evaluation.play(plan)}


def test_unknown_models_are_refused_before_the_first_episode() -> None:
    with pytest.raises(InvalidArgument, match="no chat 'gpt:4'"):
        evaluation.make_plan(["oracle", "gpt:4"])
    with pytest.raises(InvalidArgument, match="context_window"):
        evaluation.make_plan(["oracle-chat"], config=replace(ExperimentConfig(), context_window="last"))
