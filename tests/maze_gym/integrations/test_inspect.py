"""The worlds as tasks of Inspect, offline; ``tools/check_integrations.py`` runs this in its own venv."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.integrations.sessions import SessionSpec

from .loopback import serving

if TYPE_CHECKING:
    from .loopback import Loopback

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("inspect_ai") is None,
        reason="runs in a venv of its own: python tools/check_integrations.py inspect VENV",
    ),
    pytest.mark.filterwarnings("default"),  # of what Inspect brings along
]


def samples(name: str, **options: Any) -> list[Any]:
    return list(task(name, **options).dataset)


def specs(name: str, **options: Any) -> list[SessionSpec]:
    return [SessionSpec.from_dict(sample.metadata) for sample in samples(name, **options)]


def play(task: Any, loopback: Loopback, model: str, out: Path) -> Any:
    """The log of one evaluation, read back from its file."""
    inspect_ai = importlib.import_module("inspect_ai")
    # Inspect remembers models by name, and with them the address of a server that is gone.
    asked = importlib.import_module("inspect_ai.model").get_model(
        f"openai-api/loopback/{model}", base_url=loopback.url, api_key="of no worth", memoize=False
    )
    (log,) = inspect_ai.eval(task, model=asked, log_dir=str(out), display="none")
    return importlib.import_module("inspect_ai.log").read_eval_log(log.location)


def task(name: str, **options: Any) -> Any:
    return getattr(importlib.import_module("maze_gym.integrations.inspect"), name)(**options)


def values(log: Any) -> list[dict[str, float]]:
    return [sample.scores["outcome"].value for sample in log.samples]


CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("maze_nlu", {"num_examples": 3}),
    ("maze_nlu", {"num_examples": 2, "history": "current", "observation": "text_image"}),
    ("maze_nlu", {"tier": [1, 2], "num_examples": 2, "querying": "subgoal"}),
    ("pacman_array", {"num_examples": 1}),
)


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of two puzzles: the bundled five hundred take seconds to read."""
    import gymnasium as gym

    from maze_gym.game import text_game

    env: gym.Env[Any, Any] = gym.make("SpatialGym-v0", tier=1)
    path = tmp_path_factory.mktemp("puzzles") / "two.jsonl"
    with path.open("w") as file:
        for seed in (0, 1):
            env.reset(seed=seed)
            file.write(json.dumps(text_game(env).recipe().make["puzzle"]) + "\n")
    return str(path)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_oracle_scores_full_marks(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    with serving(specs(name, **options)) as loopback:
        log = play(task(name, **options), loopback, "oracle", tmp_path)
    assert log.status == "success", log.error
    assert len(log.samples) == options["num_examples"]
    for value in values(log):
        assert (value["success"], value["format"], value["invalid_reply"], value["retries"]) == (1, 1, 0, 0)
    (score,) = {score.name: score for score in log.results.scores if score.name == "success"}.values()
    assert score.metrics["mean"].value == 1.0


@pytest.mark.parametrize("mode", ["step", "one_shot"])
def test_the_oracle_solves_puzzles(mode: str, puzzles: str, tmp_path: Path) -> None:
    options = {"mode": mode, "levels": puzzles}
    with serving(specs("spatial_gym", **options)) as loopback:
        log = play(task("spatial_gym", **options), loopback, "oracle", tmp_path)
    assert [value["success"] for value in values(log)] == [1, 1]
    assert all(value["reached_end"] == 1 for value in values(log))


def test_nonsense_scores_zero_and_is_counted(tmp_path: Path) -> None:
    with serving() as loopback:
        log = play(task("pacman_array", num_examples=1), loopback, "nonsense", tmp_path)
    (value,) = values(log)
    assert (value["success"], value["win"], value["invalid_reply"], value["retries"]) == (0, 0, 1, 2)
    assert log.samples[0].scores["outcome"].explanation == "parse_failed"


def test_a_limit_on_messages_ends_a_sample_that_is_still_scored(tmp_path: Path) -> None:
    limited = task("pacman_array", num_examples=1)
    limited.message_limit = 8
    with serving(specs("pacman_array", num_examples=1)) as loopback:
        log = play(limited, loopback, "oracle", tmp_path)
    (value,) = values(log)
    assert value["success"] == 0
    assert 0 < value["steps"] < 8
    assert value["survival"] > 0


def test_a_model_that_is_not_there_is_an_error_and_no_score(tmp_path: Path) -> None:
    with serving() as loopback:
        log = play(task("maze_nlu", num_examples=1), loopback, "nosuch", tmp_path)
    assert log.status == "error"
    assert "does not exist" in log.error.message
    assert log.results is None or log.results.completed_samples == 0


def test_samples_are_json_data_with_stable_ids() -> None:
    found = samples("maze_nlu", num_examples=16)
    ids = [sample.id for sample in found]
    assert len(set(ids)) == 16
    assert ids == [sample.id for sample in samples("maze_nlu", num_examples=16)]
    assert all(json.loads(json.dumps(sample.metadata)) == sample.metadata for sample in found)


def test_inspect_finds_the_tasks_by_themselves(tmp_path: Path) -> None:
    (entry,) = importlib.metadata.entry_points(group="inspect_ai", name="maze_gym")
    assert entry.value == "maze_gym.integrations.inspect"
    with serving(specs("maze_nlu", num_examples=1)) as loopback:
        command = [str(Path(sys.executable).with_name("inspect")), "eval", "maze_gym/maze_nlu"]
        done = subprocess.run(
            [*command, "--model", "openai-api/loopback/oracle", "-T", "num_examples=1", "--display", "plain"],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
            env=os.environ | {"LOOPBACK_BASE_URL": loopback.url, "LOOPBACK_API_KEY": "of no worth"},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "logs").glob("*.eval")
    log = importlib.import_module("inspect_ai.log").read_eval_log(str(file))
    assert [value["success"] for value in values(log)] == [1]


DOCS = Path(__file__).parents[3] / "docs" / "integrations.md"
LINES = [line for line in DOCS.read_text("utf-8").splitlines() if line.startswith("inspect eval")]


@pytest.mark.parametrize("line", LINES)
def test_the_commands_of_the_docs_run_as_they_stand(line: str, tmp_path: Path) -> None:
    """But for the model, which is one on loopback."""
    assert len(LINES) == 2
    words = re.sub(r"--model \S+", "--model openai-api/loopback/nonsense", line).split()
    with serving() as loopback:
        done = subprocess.run(
            [str(Path(sys.executable).with_name(words[0])), *words[1:], "--display", "plain"],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
            env=os.environ | {"LOOPBACK_BASE_URL": loopback.url, "LOOPBACK_API_KEY": "of no worth"},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (tmp_path / "logs").glob("*.eval")
    log = importlib.import_module("inspect_ai.log").read_eval_log(str(file))
    assert log.status == "success", log.error
    assert {sample.scores["outcome"].explanation for sample in log.samples} == {"parse_failed"}


@pytest.mark.parametrize("several", [["1", "2"], [1, 2]])
def test_several_numbers_come_as_inspect_hands_them_over(several: Any) -> None:
    tiers = [spec.tags["tier"] for spec in specs("maze_nlu", tier=several, num_examples=4)]
    assert tiers == [1, 2, 1, 2]
    assert specs("maze_nlu", tier="2", num_examples=1) == specs("maze_nlu", tier=2, num_examples=1)


def test_an_example_and_the_actions_with_an_effect_are_shown_where_asked_for() -> None:
    (plain,) = specs("maze_nlu", num_examples=1)
    (told,) = specs("maze_nlu", num_examples=1, example=True, show_legal_actions=True)
    assert not plain.config["example"]
    assert told.config["example"]
    (sample,) = samples("maze_nlu", num_examples=1, show_legal_actions=True)
    assert "Actions open to you now" in sample.input


def test_earlier_steps_are_repeated_where_asked_for() -> None:
    (spec,) = specs("maze_nlu", num_examples=1, history="current", context_window="last3")
    assert spec.config["context_window"] == "last3"


def test_pellets_are_listed_where_asked_for() -> None:
    (plain,) = samples("pacman_array", num_examples=1)
    (told,) = samples("pacman_array", num_examples=1, show_pellets=3)
    assert "Pellet Coordinates" not in plain.input
    assert "Pellet Coordinates" in told.input


def test_training_and_evaluation_share_no_random_board() -> None:
    train, evaluation = (
        {spec.level_hash for spec in specs("pacman_array", boards="random", num_examples=3, split=split)}
        for split in ("train", "eval")
    )
    assert len(train) == len(evaluation) == 3
    assert not train & evaluation


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("maze_nlu", {"levels": "nosuch"}, "no file or folder 'nosuch'; no suite or level of that name"),
        ("maze_nlu", {"levls": "starter"}, "there is no option 'levls'"),
        ("maze_nlu", {"querying": "stp"}, "querying must be one of"),
        ("maze_nlu", {"history": "none"}, "history must be full or current, got 'none'"),
        ("maze_nlu", {"levels": "NOPE", "tier": 1}, "tier generates levels of its own; leave out levels"),
        ("maze_nlu", {"tier": []}, "name at least one tier"),
        ("maze_nlu", {"tier": "1,x"}, "tier must be a whole number, or several as in 1,2; got '1,x'"),
        ("maze_nlu", {"tier": ["1", 2.5]}, "tier must be a whole number, or several"),
        ("maze_nlu", {"seed": "x"}, "seed must be a whole number, got 'x'"),
        ("maze_nlu", {"num_examples": 2.5}, "count must be a whole number, got 2.5"),
        ("maze_nlu", {"tier": 1, "num_examples": "x"}, "count must be a whole number, got 'x'"),
        ("spatial_gym", {"difficulty": "hard"}, "difficulty must be a whole number, or several"),
        ("spatial_gym", {"difficulty": ["1", "9"]}, "difficulty must be from 1 to 5, got ['1', '9']"),
        ("maze_nlu", {"tier": 9}, "tier must be one of 1, 2, 3, 4, 5, got 9"),
        ("maze_nlu", {"num_examples": 0}, "count must be at least 1, got 0"),
        ("maze_nlu", {"tier": 1, "num_examples": -3}, "count must be at least 1, got -3"),
        ("maze_nlu", {"seed": -1}, "seed must be 0 or more, got -1"),
        ("maze_nlu", {"context_window": "last3"}, "history 'full' sends every turn"),
        ("pacman_array", {"num_examples": -3}, "count must be at least 1, got -3"),
        ("pacman_array", {"split": "test"}, "split must be train or eval, got 'test'"),
        ("spatial_gym", {"difficulty": 9}, "difficulty must be from 1 to 5, got 9"),
        ("spatial_gym", {"difficulty": []}, "difficulty must be from 1 to 5, got []"),
        ("pacman_array", {"boards": "big"}, "boards must be classic or random, got 'big'"),
        ("spatial_gym", {"mode": "two_shot"}, "mode must be step or one_shot, got 'two_shot'"),
    ],
)
def test_options_that_are_wrong_are_named(name: str, options: dict[str, Any], said: str) -> None:
    plain = importlib.import_module("inspect_ai._util.error").PrerequisiteError
    with pytest.raises(plain) as caught:
        samples(name, **options)
    assert said in caught.value.message
