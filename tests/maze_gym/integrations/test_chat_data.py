"""Chats for fine-tuning: what the rows hold, how they are split, and that real libraries read them."""

from __future__ import annotations

import base64
import importlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation import Transcript, build_runner, make_plan, play_run
from maze_gym.game import Disguise
from maze_gym.integrations.chat_data import ChatFolder, rows_of, split_of
from maze_gym.integrations.chat_options import SPLITS, Answers, ChatOptions, Keep, Layout, Reasoning
from maze_gym.integrations.plan_words import in_words, plan_from_here, plans_along
from maze_gym.llm.config import ExperimentConfig, History, Observe, Querying
from maze_gym.llm.parsing import ParsedReply, parse
from maze_gym.llm.prompts import grammar_for
from mazegen.generate_dataset import generate_dataset

from ..levels import ALL_KINDS, CORRIDOR, TALL, TRAP

if TYPE_CHECKING:
    from pathlib import Path

NAMES = GridWorldEnv.action_names


def record(maze: Any = ALL_KINDS, policy: str = "oracle-chat", seed: int = 0, **config: Any) -> Transcript:
    runner = build_runner(ExperimentConfig(**config), gym.make("MazeNLU-v0", maze=maze), policy)
    try:
        return runner.run(seed=seed)
    finally:
        runner.close()


def read(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for name in SPLITS
        if (path := folder / f"{name}.jsonl").exists()
    }


def rows(folder: Path) -> list[dict[str, Any]]:
    return [row for split in read(folder).values() for row in split]


def written(folder: Path, *records: Transcript, **options: Any) -> Path:
    with ChatFolder(folder, ChatOptions(**options)) as chats:
        for each in records:
            chats.add(each)
    return folder


@pytest.mark.parametrize("querying", Querying)
@pytest.mark.parametrize("history", History)
@pytest.mark.parametrize("reasoning", Reasoning)
def test_every_answer_parses_to_what_was_played(
    querying: Querying, history: History, reasoning: Reasoning
) -> None:
    run = record(querying=querying, history=history)
    grammar = grammar_for(ExperimentConfig(querying=querying), GridWorldEnv(maze=ALL_KINDS))
    played: list[int] = []
    for row in rows_of(run, ChatOptions(reasoning=reasoning)):
        answers = [message["text"] for message in row.messages if message["role"] == "assistant"]
        for answer in answers:
            reading = parse(answer, grammar)
            assert isinstance(reading, ParsedReply)
            played += reading.actions
            assert (reasoning == Reasoning.NONE) == ("plan from here" not in answer)
            assert (reasoning == Reasoning.THINK) == answer.startswith("<think>\n")
    if querying == Querying.SUBGOAL:  # the last sub-goal may name what is not needed any more
        assert played[: run.episode.steps] == list(run.episode.actions)
    else:
        assert played == list(run.episode.actions)


@pytest.mark.parametrize("history", History)
def test_with_full_history_an_episode_is_one_chat_else_each_turn(history: History) -> None:
    found = list(rows_of(record(history=history)))
    roles = [[message["role"] for message in row.messages] for row in found]
    if history == History.FULL:
        assert roles == [["system", *["user", "assistant"] * 14]]
    else:
        assert roles == [["system", "user", "assistant"]] * 14


@settings(max_examples=10)  # each a whole walk
@given(seed=st.integers(0, 2**32 - 1))
def test_the_solver_answers_optimally_to_wherever_a_random_walk_came(seed: int) -> None:
    env = GridWorldEnv(maze=TRAP)
    run = record(TRAP, "random-chat", seed)
    grammar = grammar_for(ExperimentConfig(), env)
    best: dict[int, int | None] = {}
    env.reset()
    for step, action in enumerate(run.episode.actions):
        best[step] = env.optimal_action()
        env.step(action)
    found = list(rows_of(run, ChatOptions(answers=Answers.SOLVER, keep=Keep.ALL)))
    assert [row.step for row in found] == [step for step, action in best.items() if action is not None]
    for row in found:
        reading = parse(row.messages[-1]["text"], grammar)
        assert isinstance(reading, ParsedReply)
        assert reading.actions == (best[row.step],)


def test_a_plan_in_words_is_the_plan_and_true() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    env.reset()
    plan = plan_from_here(env)
    told = in_words(plan, NAMES, is_shortest=True)
    assert told.startswith(
        "A shortest plan from here takes 14 actions:\n- TURN_LEFT, 2 times. You turn and now face south.\n"
    )
    assert "PICKUP. You pick up the red key" in told
    assert told.endswith("- and 4 actions more.\nSo the next action is TURN_LEFT.")
    assert len(plan) == 14 == env.remaining_actions()


def test_a_plan_is_cut_to_what_is_asked_for() -> None:
    env = GridWorldEnv(maze=ALL_KINDS)
    env.reset()
    whole = plan_from_here(env)
    assert [move.action for move in plan_from_here(env, 4)] == [move.action for move in whole[:4]]
    assert [move.action for move in plan_from_here(env, 1)] == [whole[0].action]
    with pytest.raises(InvalidArgument, match="no plan"):
        in_words([], NAMES, is_shortest=True)


def test_plans_are_known_along_any_way() -> None:
    run = record(policy="random-chat", seed=3)
    solver = plans_along(run, ExperimentConfig())
    assert len(solver.plans) == len(solver.grammars) == run.episode.steps
    assert solver.is_shortest


def test_a_level_is_in_one_split_only(tmp_path: Path) -> None:
    runs = [record(maze) for maze in (ALL_KINDS, CORRIDOR, TALL)]
    folder = written(tmp_path / "a", *runs)
    splits = {run.episode.content_hash: split_of(run) for run in runs}
    for name, found in read(folder).items():
        assert {splits[row["level_hash"]] for row in found} == {name}
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert sum(manifest["levels"].values()) == 3
    assert {name: len(found) for name, found in read(folder).items()} == {
        name: manifest["counts"][name] for name in SPLITS if manifest["counts"][name]
    }


def test_a_maze_of_a_data_set_keeps_its_split(tmp_path: Path) -> None:
    """Each maze of a data set, however it is turned and recoloured before it is played."""
    data = tmp_path / "data"
    generate_dataset(data, 24, seed=2, tier=2, as_files=True, splits=(0.4, 0.3, 0.3))
    kinds = [Disguise.ROTATE, Disguise.RECOLOUR]
    runs = [make_plan(["oracle-chat"], levels=data / split, augment=kinds) for split in SPLITS]
    records = [Transcript.from_json(played.transcript) for run in runs for played in play_run(run)]
    folder = written(tmp_path / "chats", *records, shares=(0.4, 0.3, 0.3))
    manifest = json.loads((data / "manifest.json").read_text("utf-8"))
    made = {row["level_id"]: row["split"] for row in manifest["levels"]}
    exported = {
        (Disguise.of(row["level_id"])[0], split) for split, found in read(folder).items() for row in found
    }
    assert exported == set(made.items())
    assert set(made.values()) == set(SPLITS)


def test_other_worlds_split_by_whatever_their_levels_are_called() -> None:
    run = record()
    other = replace(run, recipe={"make": {}, "reset": {}})
    names = [
        split_of(replace(other, episode=replace(run.episode, env_id="Other-v0", content_hash=level)))
        for level in ["", "no hash at all", *map(str, range(400))]
    ]
    assert [round(names.count(name) / len(names), 1) for name in SPLITS] == [0.8, 0.1, 0.1]
    assert split_of(other, (0.0, 0.0, 1.0)) == "test"


def test_what_was_written_before_is_dropped(tmp_path: Path) -> None:
    once, twice = written(tmp_path / "a", record()), written(tmp_path / "b", record(), record())
    assert rows(once) == rows(twice)
    counts = json.loads((twice / "manifest.json").read_text("utf-8"))["counts"]
    assert (counts["duplicates"], counts["episodes"]) == (14, 2)
    assert len({row["id"] for row in rows(once)}) == 14


def test_only_successes_are_kept_unless_all_are_asked_for(tmp_path: Path) -> None:
    lost = record(policy="random-chat", seed=1, failure_limit=1)
    assert not lost.episode.success
    assert not rows(written(tmp_path / "a", lost))
    assert rows(written(tmp_path / "b", lost, keep=Keep.ALL))
    assert not any((tmp_path / "a" / f"{name}.jsonl").exists() for name in SPLITS)


def test_pictures_are_files_beside_the_rows(tmp_path: Path) -> None:
    run = record(CORRIDOR, observation=Observe.TEXT_IMAGE)
    folder = written(tmp_path / "a", run)
    for row, query in zip(rows(folder), run.queries, strict=True):
        (name,) = row["images"]
        assert (folder / name).read_bytes() == base64.b64decode(query["messages"][-1]["images"][0])
        kinds = [[part["type"] for part in message["content"]] for message in row["messages"]]
        assert kinds == [["text"], ["image", "text"], ["text"]]


def test_the_last_answer_can_stand_apart(tmp_path: Path) -> None:
    folder = written(tmp_path / "a", record(history=History.FULL), layout=Layout.PROMPT_COMPLETION)
    (row,) = rows(folder)
    assert [message["role"] for message in row["completion"]] == ["assistant"]
    assert row["prompt"][0]["role"] == "system"
    assert len(row["prompt"]) == 28


def test_an_export_that_is_interrupted_leaves_no_manifest(tmp_path: Path) -> None:
    run = record()
    with pytest.raises(KeyboardInterrupt), ChatFolder(tmp_path / "a") as chats:
        _added_until_interrupted(chats, run)
    assert not (tmp_path / "a" / "manifest.json").exists()


def _added_until_interrupted(chats: ChatFolder, run: Transcript) -> None:
    chats.add(run)
    raise KeyboardInterrupt


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(InvalidArgument, match="is not an empty folder"):
            ChatFolder(folder)
    with pytest.raises(InvalidArgument, match="three shares"):
        ChatFolder(tmp_path / "a", ChatOptions(shares=(0.5, 0.1, 0.1)))
    with pytest.raises(InvalidArgument, match="plays without words"):
        list(rows_of(record(policy="oracle")))
    with pytest.raises(InvalidArgument, match="growing chat"):
        list(rows_of(record(history=History.FULL), ChatOptions(answers=Answers.SOLVER)))
    dead = record(TRAP, "random-chat", seed=2)
    with pytest.raises(InvalidArgument, match="reasoning needs a plan, and from step"):
        list(rows_of(dead, ChatOptions(reasoning=Reasoning.PLAN)))


@pytest.mark.skipif(
    importlib.util.find_spec("datasets") is None,
    reason="runs in a venv of its own: python tools/check_integrations.py trl VENV",
)
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("observation", [Observe.TEXT, Observe.TEXT_IMAGE])
@pytest.mark.parametrize("layout", Layout)
def test_the_library_datasets_reads_it(tmp_path: Path, layout: Layout, observation: Observe) -> None:
    datasets = importlib.import_module("datasets")
    runs = [record(maze, observation=observation) for maze in (ALL_KINDS, CORRIDOR, TALL)]
    folder = written(tmp_path / "a", *runs, layout=layout)
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {name: list(table) for name, table in loaded.items()} == read(folder)
    if observation == Observe.TEXT_IMAGE:
        table = next(iter(loaded.values())).map(
            lambda row: {"images": [str(folder / name) for name in row["images"]]}
        )
        table = table.cast_column("images", datasets.Sequence(datasets.Image()))
        assert table[0]["images"][0].size[0] > 0
