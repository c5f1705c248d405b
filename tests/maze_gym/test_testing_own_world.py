"""A world that stands in no table of this package, by the id that Gymnasium knows it by."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest
from typer.testing import CliRunner

from maze_gym import evaluation
from maze_gym.cli import app
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.evaluation.runner import ExperimentRunner
from maze_gym.registration import WORLDS, world_of

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path(__file__).parents[2] / "examples" / "07_new_world.py"
HALLWAY = Path(__file__).parent / "llm" / "hallway.py"
CORRIDOR, WORDS = "own_corridor:Corridor-v0", "own_hallway:Hallway-v0"
IDS = ("Corridor-v0", "Hallway-v0")


def forget() -> None:
    """Let the next import register the worlds again, as a new process does."""
    for env_id in IDS:
        gym.registry.pop(env_id, None)
    for name in ("own_corridor", "own_hallway"):
        sys.modules.pop(name, None)


@pytest.fixture(autouse=True)
def _modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example, and a world with words, as modules of somebody's own."""
    (tmp_path / "own_corridor.py").write_text(EXAMPLE.read_text("utf-8"), "utf-8")
    registered = "\n\ngym.register('Hallway-v0', f'{__name__}:Hallway')\n"
    (tmp_path / "own_hallway.py").write_text(HALLWAY.read_text("utf-8") + registered, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    forget()
    yield
    forget()


def said(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": None}).invoke(app, arguments)  # as in a pipe: nothing folds
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_the_module_in_front_of_an_id_registers_it() -> None:
    world = world_of(CORRIDOR)
    assert (world.id, world.entry_point, world.has_tiers) == (CORRIDOR, "own_corridor:Corridor", False)
    assert world_of("Corridor-v0").id == "Corridor-v0"
    gym.make(world.id).close()


def test_a_class_may_be_registered_instead_of_its_name() -> None:
    world_of(WORDS)
    gym.register("Hallway-v1", sys.modules["own_hallway"].Hallway)
    try:
        assert world_of("Hallway-v1").entry_point == "own_hallway:Hallway"
    finally:
        del gym.registry["Hallway-v1"]


@pytest.mark.parametrize(
    ("env_id", "message"),
    [
        ("own_corridor:Coridor-v0", "did you mean 'own_corridor:Corridor-v0'"),
        ("own_corridor:Nothing-v9", "importing 'own_corridor' registers no 'Nothing-v9'"),
        ("no_such_module:Corridor-v0", "cannot import 'no_such_module'.*PYTHONPATH"),
        ("Corridor-v0", "nothing is registered as 'Corridor-v0'.*module:Corridor-v0"),
    ],
)
def test_an_id_that_leads_nowhere_says_how_one_is_written(env_id: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        world_of(env_id)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.id)
def test_worlds_of_this_suite_stay_what_they_are_behind_any_module(world: Any) -> None:
    assert world_of(f"own_corridor:{world.id}") is world
    assert evaluation.make_plan(["oracle"], env_id=f"gymnasium:{world.id}").levels


@pytest.mark.parametrize("env_id", [CORRIDOR, "Corridor-v0"])
def test_it_is_planned_by_the_seed(env_id: str) -> None:
    world_of(CORRIDOR)
    run = evaluation.make_plan(["oracle"], env_id=env_id)
    assert (run.env_id, run.levels, run.env_kwargs, run.episodes) == (env_id, (), {}, 100)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"levels": "starter"}, "'starter' is of the world MazeNLU-v0"),
        ({"levels": "nowhere"}, "loads no levels"),
        ({"tier": 1}, "no difficulty tiers"),
    ],
)
def test_it_has_no_levels_to_choose_from(choice: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidArgument, LevelsNotFound), match=message):
        evaluation.make_plan(["oracle"], env_id=CORRIDOR, **choice)


def test_a_file_of_a_level_is_none_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="loads no levels"):
        ExperimentRunner.from_json(tmp_path / "own_corridor.py", {}, "oracle", env_id=CORRIDOR)


def test_a_world_that_draws_nothing_is_not_played_in_a_window() -> None:
    with (
        pytest.warns(UserWarning, match="render_mode"),  # Gymnasium's own
        pytest.raises(
            InvalidArgument, match=r"does not draw itself as arrays of colours \(rgb_array\)"
        ) as raised,
    ):
        said("play", "--env", CORRIDOR)
    assert "own_corridor:Corridor-v0 cannot be played in a window" in str(raised.value)


def test_a_world_with_words_is_evaluated() -> None:
    table = said("evaluate", "--env", WORDS, "--policy", "oracle-chat", "--episodes", "3")
    assert f"{WORDS}: generated levels, 3 episodes" in table
    assert "success 3" in table


def test_a_world_without_words_gives_no_chats(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="TextGame, got Corridor"):
        said("export", "chat", "--env", CORRIDOR, "--episodes", "1", "--out", str(tmp_path / "chats"))


def test_its_chats_are_exported(tmp_path: Path) -> None:
    said("export", "chat", "--env", WORDS, "--policy", "random", "--keep", "all", "--episodes", "3",
         "--out", str(tmp_path / "chats"))  # fmt: skip
    assert (tmp_path / "chats" / "manifest.json").exists()


@pytest.mark.extra("minari", "minari")
def test_minari_is_given_a_name_without_the_module(tmp_path: Path) -> None:
    said("export", "minari", "--env", CORRIDOR, "--episodes", "2", "--out", str(tmp_path / "sets"))
    assert (tmp_path / "sets" / "Corridor" / "oracle-v0").is_dir()


@pytest.mark.parametrize("env_id", [CORRIDOR, WORDS])
def test_a_run_of_it_is_kept_and_read_by_whoever_reads_runs(env_id: str, tmp_path: Path) -> None:
    played = ["evaluate", "--env", env_id, "--policy", "oracle", "--policy", "random", "--episodes", "4"]
    said(*played, "--out", "one")
    forget()  # what follows runs in processes of its own
    said("report", "one", "--out", str(tmp_path / "page"))
    forget()
    assert "random" in said("leaderboard", "one")
    forget()
    assert "random" in said("compare", "one")
    forget()
    assert "success 4" in said(*played, "--out", "one", "--resume")
    for line in (tmp_path / "one" / "episodes.jsonl").read_text("utf-8").splitlines():
        assert json.loads(line)["env_id"] == env_id


def test_a_world_without_words_names_no_level_that_it_cannot_begin_again(tmp_path: Path) -> None:
    said("evaluate", "--env", CORRIDOR, "--policy", "oracle", "--episodes", "2", "--out", "one")
    assert not (tmp_path / "one" / "levels.jsonl").read_text("utf-8")


def test_a_transcript_names_the_module_and_is_replayed(tmp_path: Path) -> None:
    said("evaluate", "--env", WORDS, "--policy", "oracle-chat", "--episodes", "2", "--out", "one")
    forget()
    said("replay", str(tmp_path / "one" / "transcripts.jsonl"))


@pytest.mark.parametrize(("env_id", "policy"), [(CORRIDOR, "oracle"), (WORDS, "oracle-chat")])
def test_what_a_run_of_it_will_take_is_estimated(env_id: str, policy: str) -> None:
    assert policy in said("plan", "--env", env_id, "--policy", policy, "--episodes", "3")


def test_a_world_of_gymnasium_alone_is_estimated_by_chance() -> None:
    assert "random" in said("plan", "--env", "CartPole-v1", "--policy", "random", "--episodes", "3")


@pytest.mark.parametrize("command", ["plan", "evaluate"])
def test_a_model_is_not_asked_about_a_world_without_words(command: str) -> None:
    with pytest.raises(InvalidArgument, match="TextGame, got Corridor"):
        said(command, "--env", CORRIDOR, "--policy", "oracle-chat", "--episodes", "1")
