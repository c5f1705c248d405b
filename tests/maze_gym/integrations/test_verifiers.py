"""The packages for `verifiers`, played offline; ``tools/check_integrations.py`` runs this in its own venv.

The exit code of ``vf-eval`` says nothing, so what is asserted on are the traces.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import os
import subprocess
import sys
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.integrations.sessions import Session

from .loopback import serving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .loopback import Loopback

PACKAGES = ("maze_nlu", "pacman_array", "spatial_gym_env")
_MISSING = [name for name in ("verifiers", *PACKAGES) if importlib.util.find_spec(name) is None]

pytestmark = [
    pytest.mark.skipif(
        bool(_MISSING), reason="runs in a venv of its own: python tools/check_integrations.py verifiers VENV"
    ),
    pytest.mark.filterwarnings("default"),  # of what verifiers brings along
]


def tasks(package: str, count: int | None = None, **knobs: Any) -> list[Any]:
    """The tasks that a package loads with these knobs, or the first few."""
    module = importlib.import_module(package)
    (name,) = [each for each in module.__all__ if each.endswith("Taskset")]
    taskset = getattr(module, name)
    config = importlib.import_module("verifiers.v1.utils.loaders").taskset_config_type(package)
    return list(islice(taskset(config(id=package, **knobs)), count))


def options(loopback: Loopback, model: str, out: Path, flags: Sequence[str] = ()) -> list[str]:
    """The command line of the seeds' READMEs, as written there."""
    return [
        "-m", model, "--client.base-url", loopback.url, "--client.api-key-var", "LOOPBACK_KEY",
        *flags, "--no-push", "--no-rich", "-o", str(out),
    ]  # fmt: skip


def read(out: Path) -> list[dict[str, Any]]:
    """The episodes of the one run in a folder, in the order of the tasks."""
    (file,) = out.glob("*/traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return sorted(episodes, key=lambda episode: episode["task"]["data"]["idx"])


def play(
    package: str, loopback: Loopback, model: str, out: Path, flags: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """What ``vf-eval PACKAGE`` leaves, run within this process: its imports take seconds."""
    main = importlib.import_module("verifiers.v1.cli.eval.main").main
    argv = [package.replace("_", "-"), *options(loopback, model, out, flags)]
    before = sys.argv
    try:
        main(argv)
    finally:
        sys.argv = before
    return read(out)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", "of no worth")


def rewards(episode: dict[str, Any]) -> dict[str, float]:
    """The rewards of an episode's only trace, without weights."""
    (trace,) = episode["traces"]
    return {name: reward["score"] for name, reward in trace["rewards"].items()}


MAIN_REWARDS = {
    "maze_nlu": "success",
    "pacman_array": "_win_reward_func",
    "spatial_gym_env": "outcome_reward",
}
# The commands of the seeds. Knobs are what the flags mean, so that the server learns the same episodes.
COMMANDS: tuple[tuple[str, list[str], dict[str, Any], int], ...] = (
    ("maze_nlu", ["-n", "4"], {}, 4),
    ("pacman_array", ["-n", "2"], {}, 2),
    ("spatial_gym_env", ["-n", "20", "--env.taskset.difficulty", "[1]"], {"difficulty": [1]}, 20),
    ("spatial_gym_env", ["-n", "5", "--env.taskset.backtracking", "true"], {"backtracking": True}, 5),
    ("spatial_gym_env", ["-n", "5", "--env.taskset.mode", "one_shot"], {"mode": "one_shot"}, 5),
)


@pytest.mark.parametrize(("package", "flags", "knobs", "count"), COMMANDS)
def test_the_commands_of_the_seeds_work_as_written(
    package: str, flags: list[str], knobs: dict[str, Any], count: int, tmp_path: Path
) -> None:
    played = tasks(package, count, **knobs)
    with serving(task.data.spec for task in played) as loopback:
        command = [str(Path(sys.executable).with_name("vf-eval")), package.replace("_", "-")]
        done = subprocess.run(
            [*command, *options(loopback, "oracle", tmp_path, flags)],
            capture_output=True, text=True, check=False, timeout=300,
            env=os.environ | {"PRIME_API_KEY": ""},
        )  # fmt: skip
    episodes = read(tmp_path)
    assert [episode["task"]["key"] for episode in episodes] == [task.key for task in played], done.stderr
    for episode in episodes:
        (trace,) = episode["traces"]
        assert (episode["ok"], trace["ok"], trace["errors"]) == (True, True, [])
        assert trace["stop_condition"] == "success"
        assert rewards(episode)[MAIN_REWARDS[package]] == 1.0
    assert all(len(request["messages"]) % 2 == 0 for request in loopback.requests)  # system, then turns


def test_rewards_and_metrics_have_the_names_of_the_seeds(tmp_path: Path) -> None:
    played = {"pacman_array": tasks("pacman_array", 1), "spatial_gym_env": tasks("spatial_gym_env", 1)}
    one_shot = tasks("spatial_gym_env", 1, mode="one_shot")
    specs = [task.data.spec for each in (*played.values(), one_shot) for task in each]
    with serving(specs) as loopback:
        (pacman,) = play("pacman_array", loopback, "oracle", tmp_path / "a", ["-n", "1"])
        (step,) = play("spatial_gym_env", loopback, "oracle", tmp_path / "b", ["-n", "1"])
        flags = ["-n", "1", "--env.taskset.mode", "one_shot"]
        (shot,) = play("spatial_gym_env", loopback, "oracle", tmp_path / "c", flags)
    weights = {name: reward["weight"] for name, reward in pacman["traces"][0]["rewards"].items()}
    assert weights == {
        "_win_reward_func": 1.0,
        "_score_reward_func": 0.4,
        "_survival_reward_func": 0.1,
        "format_reward": 0.1,
    }
    assert rewards(pacman)["_survival_reward_func"] == rewards(pacman)["format_reward"] == 1.0
    assert 0 < rewards(pacman)["_score_reward_func"] <= 1
    assert {"win", "score", "survival", "format"} <= set(pacman["traces"][0]["metrics"])
    names = {"steps", "reached_end", "invalid_reply", "retries", "difficulty"}
    assert set(step["traces"][0]["metrics"]) == names
    assert set(shot["traces"][0]["metrics"]) == {"parsed_path", "steps", "difficulty"}
    assert shot["traces"][0]["metrics"]["parsed_path"] == 1.0


@pytest.mark.parametrize("package", PACKAGES)
def test_nonsense_is_asked_again_twice_and_then_scored_zero(package: str, tmp_path: Path) -> None:
    with serving() as loopback:
        episodes = play(package, loopback, "nonsense", tmp_path, ["-n", "2"])
    for episode in episodes:
        (trace,) = episode["traces"]
        assert trace["ok"]
        assert trace["stop_condition"] == "parse_failed"
        assert set(rewards(episode).values()) == {0.0}
        assert (trace["metrics"]["invalid_reply"], trace["metrics"]["retries"]) == (1.0, 2.0)
    assert len(loopback.requests) == 2 * 3


@pytest.mark.parametrize(("model", "said"), [("broken", "upstream 500"), ("no-such-model", "does not exist")])
def test_what_the_provider_cannot_do_is_never_scored(model: str, said: str, tmp_path: Path) -> None:
    with serving() as loopback:
        episodes = play("maze_nlu", loopback, model, tmp_path, ["-n", "2"])
    for episode in episodes:
        (trace,) = episode["traces"]
        assert not trace["ok"]
        assert not trace["rewards"]
        assert trace["stop_condition"] == "provider_error"
        assert said in trace["errors"][-1]["message"]


def test_a_busy_provider_is_asked_again(tmp_path: Path) -> None:
    played = tasks("maze_nlu", 1)
    with serving(task.data.spec for task in played) as loopback:
        (episode,) = play("maze_nlu", loopback, "busy", tmp_path, ["-n", "1"])
    assert rewards(episode) == {"success": 1.0}
    assert len(loopback.requests) == 2 * episode["traces"][0]["metrics"]["steps"]


def test_a_server_that_is_down_leaves_an_error_and_no_score(tmp_path: Path) -> None:
    with serving() as loopback:
        pass
    (episode,) = play("maze_nlu", loopback, "oracle", tmp_path, ["-n", "1"])
    assert not episode["ok"]
    assert not episode["traces"][0]["rewards"]
    assert "connection" in episode["traces"][0]["errors"][-1]["message"].lower()


def test_with_current_history_each_turn_is_a_request_of_its_own(tmp_path: Path) -> None:
    (task,) = tasks("maze_nlu", 1, history="current")
    with serving([task.data.spec]) as loopback:
        flags = ["-n", "1", "--env.taskset.history", "current"]
        (episode,) = play("maze_nlu", loopback, "oracle", tmp_path, flags)
    assert episode["ok"]
    assert len(episode["traces"]) == len(loopback.requests) > 1
    for trace in episode["traces"]:
        assert trace["rewards"]["success"]["score"] == 1.0
    roles = [[message["role"] for message in request["messages"]] for request in loopback.requests]
    assert all(each == ["system", "user"] for each in roles)


def test_with_full_history_each_request_extends_the_one_before(tmp_path: Path) -> None:
    (task,) = tasks("maze_nlu", 1)
    with serving([task.data.spec]) as loopback:
        play("maze_nlu", loopback, "oracle", tmp_path, ["-n", "1"])
    for before, after in pairwise(loopback.requests):
        assert after["messages"][: len(before["messages"])] == before["messages"]


@pytest.mark.parametrize("history", ["full", "current"])
def test_pictures_go_with_the_turns(history: str, tmp_path: Path) -> None:
    (task,) = tasks("maze_nlu", 1, observation="image_first", history=history)
    with serving([task.data.spec]) as loopback:
        flags = ["-n", "1", "--env.taskset.observation", "image_first", "--env.taskset.history", history]
        (episode,) = play("maze_nlu", loopback, "oracle", tmp_path, flags)
    assert all(trace["rewards"]["success"]["score"] == 1.0 for trace in episode["traces"])
    picture, text = loopback.requests[-1]["messages"][-1]["content"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert text["type"] == "text"


@pytest.mark.parametrize("querying", ["subgoal", "full_trajectory"])
def test_plans_are_played_to_their_end(querying: str, tmp_path: Path) -> None:
    (task,) = tasks("maze_nlu", 1, querying=querying)
    with serving([task.data.spec]) as loopback:
        (episode,) = play(
            "maze_nlu", loopback, "oracle", tmp_path, ["-n", "1", "--env.taskset.querying", querying]
        )
    assert rewards(episode) == {"success": 1.0}
    assert len(loopback.requests) < episode["traces"][0]["metrics"]["steps"]


def test_a_limit_on_turns_ends_an_episode_that_is_still_scored(tmp_path: Path) -> None:
    (task,) = tasks("pacman_array", 1)
    with serving([task.data.spec]) as loopback:
        flags = ["-n", "1", "--env.agent.max-turns", "3"]
        (episode,) = play("pacman_array", loopback, "oracle", tmp_path, flags)
    (trace,) = episode["traces"]
    assert (trace["stop_condition"], trace["metrics"]["steps"], trace["metrics"]["win"]) == (
        "max_turns",
        3,
        0,
    )
    assert 0 < rewards(episode)["_survival_reward_func"] < 0.1


@pytest.mark.parametrize(
    ("package", "knobs"),
    [
        ("maze_nlu", {}),
        ("maze_nlu", {"tier": [1, 3], "num_examples": 4}),
        ("pacman_array", {"num_eval_examples": 3}),
        ("pacman_array", {"boards": "random", "num_eval_examples": 2}),
        ("spatial_gym_env", {"difficulty": [1, 2]}),
        ("spatial_gym_env", {"mode": "one_shot"}),
    ],
)
def test_tasks_are_json_data_with_stable_keys_and_can_be_won(package: str, knobs: dict[str, Any]) -> None:
    found = tasks(package, 20, **knobs)
    keys = [task.key for task in found]
    assert len(set(keys)) == len(keys)
    assert keys == [task.key for task in tasks(package, 20, **knobs)]
    for task in found[:4]:
        again = type(task.data).model_validate(json.loads(task.data.model_dump_json()))
        assert again == task.data
        session = Session(again.spec)
        assert session.system == task.data.system_prompt
        assert asyncio.run(type(task)(again).validate(None)) is True


def test_a_task_that_cannot_be_won_is_found_out() -> None:
    (task,) = tasks("pacman_array", max_steps=5, num_eval_examples=1)
    assert asyncio.run(task.validate(None)) is False


def test_tiers_come_in_turn() -> None:
    found = tasks("maze_nlu", tier=[2, 1], num_examples=5)
    assert [task.data.spec.tags["tier"] for task in found] == [2, 1, 2, 1, 2]


def test_difficulties_come_in_turn() -> None:
    found = tasks("spatial_gym_env", 10)
    assert [task.data.spec.tags["difficulty"] for task in found] == [1, 2, 3, 4, 5] * 2


@pytest.fixture
def unrated(tmp_path: Path) -> Path:
    """A file with a puzzle of no level."""
    array = [["S", "+", "E"], ["+", "N", "+"], ["+", "+", "+"]]
    path = tmp_path / "unrated.jsonl"
    record = {"id": "unrated", "difficulty_level": None, "puzzle_array": array}
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def test_a_puzzle_of_no_level_is_played_and_has_no_difficulty(unrated: Path, tmp_path: Path) -> None:
    flags = ["-n", "1", "--env.taskset.levels", str(unrated)]
    for mode, names in (
        ("step", {"steps", "reached_end", "invalid_reply", "retries"}),
        ("one_shot", {"parsed_path", "steps"}),
    ):
        played = tasks("spatial_gym_env", levels=str(unrated), mode=mode)
        with serving(task.data.spec for task in played) as loopback:
            (episode,) = play(
                "spatial_gym_env", loopback, "oracle", tmp_path / mode, [*flags, "--env.taskset.mode", mode]
            )
        (trace,) = episode["traces"]
        assert trace["ok"], trace["errors"]
        assert rewards(episode)["outcome_reward"] == 1.0
        assert set(trace["metrics"]) == names


def test_a_limit_that_is_too_low_for_a_puzzle_is_warned_of(recwarn: pytest.WarningsRecorder) -> None:
    large = str(Path(__file__).parents[1] / "envs" / "sparc" / "large.jsonl")
    for knobs in ({}, {"levels": large, "mode": "one_shot"}, {"levels": large, "max_steps": 144}):
        assert asyncio.run(tasks("spatial_gym_env", 2, **knobs)[1].validate(None)) is True
    assert not [each for each in recwarn if "max_steps" in str(each.message)]
    with pytest.warns(UserWarning, match="max_steps 100 is too few for 2 of 2 puzzles.* '10 x 10' .*, 144$"):
        (task, _) = tasks("spatial_gym_env", levels=large)
    assert asyncio.run(task.validate(None)) is False


def test_difficulties_that_no_puzzle_has_are_refused(unrated: Path) -> None:
    with pytest.raises(ValueError, match=r"no puzzle of difficulty \[1\] among 1"):
        tasks("spatial_gym_env", levels=str(unrated), difficulty=[1])


def test_pellets_are_listed_where_asked_for() -> None:
    for shown, (task,) in ((0, tasks("pacman_array", 1)), (3, tasks("pacman_array", 1, show_pellets=3))):
        assert ("Pellet Coordinates" in Session(task.data.spec).prompt.text) == (shown > 0)


def test_training_and_evaluation_share_no_random_board() -> None:
    train = tasks("pacman_array", boards="random", split="train", num_train_examples=3)
    evaluation = tasks("pacman_array", boards="random", num_eval_examples=3)
    hashes = [{task.data.spec.level_hash for task in each} for each in (train, evaluation)]
    assert not hashes[0] & hashes[1]


def test_the_seat_is_local_without_being_asked() -> None:
    vf = importlib.import_module("verifiers.v1")
    config = vf.resolve_env_config({"taskset": {"id": "pacman-array"}})
    assert config.agent.runtime.type == "subprocess"
    assert config.agent_harnesses()["agent"].id == "pacman-array"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--env.taskset.queryng", "step"], "Extra inputs are not permitted"),
        (["--env.taskset.querying", "stp"], "Input should be 'step', 'subgoal' or 'full_trajectory'"),
        (["--env.taskset.tier", "[9]"], "less than or equal to 5"),
        (["--env.taskset.levels", "nosuch"], "no file or folder 'nosuch'; no suite or level of that name"),
        (["--env.taskset.max-invalid-retries", "-1"], "greater than or equal to 0"),
        (["--env.taskset.context-window", "last3"], "history 'full' sends every turn"),
        (["--env.taskset.levels", "NOPE", "--env.taskset.tier", "[1]"], "tier generates levels of its own"),
        (
            ["--env.taskset.levels", "starter", "--env.taskset.tier", "[1]"],
            "tier generates levels of its own",
        ),
        (["--env.taskset.tier", "[]"], "at least 1 item"),
        (["--env.taskset.num-examples", "0"], "greater than or equal to 1"),
        (["--env.taskset.seed", "-1"], "greater than or equal to 0"),
    ],
)
def test_options_that_are_wrong_are_named(
    flags: list[str], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving() as loopback, pytest.raises(SystemExit):
        play("maze_nlu", loopback, "oracle", tmp_path, flags)
    printed = "".join(capfd.readouterr())
    assert "Traceback" not in printed
    assert " ".join(said.split()) in " ".join(printed.replace("│", " ").split())
