"""A file of a run that somebody, or a disk, has spoilt: one line that says which file, and where."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.llm.config import ExperimentConfig

from ...cli.test_cli import run
from ..played_runs import play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Refused = Callable[..., None]

POLICIES = ("random", "oracle-chat")
RESUME = ("evaluate", "--levels", "smoke", "--episodes", "2", "--policy", "random", "--policy", "oracle-chat")
READERS = ("report", "compare", "leaderboard")
EVERYBODY = (*READERS, "resume")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody has spoilt; an episode of the model is left to play."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    play(folder, POLICIES, "smoke", episodes=2, config=ExperimentConfig())
    lines = (folder / "episodes.jsonl").read_text().splitlines(keepends=True)
    (folder / "episodes.jsonl").write_text("".join(lines[:-1]))
    return folder


def changed(line: str, **fields: Any) -> str:
    """A line of JSON with other fields; one that is ``...`` is left out."""
    known = {**json.loads(line), **fields}
    return json.dumps({name: value for name, value in known.items() if value is not ...})


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return shutil.copytree(whole, tmp_path / "run")


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Gives a run to a command, which must say in one line what is wrong with it."""

    def check(folder: Path, command: str, *said: str) -> None:
        arguments = {
            "report": ("report", folder, "-o", folder.parent / "report.html"),
            "compare": ("compare", folder),
            "leaderboard": ("leaderboard", folder.parent),
            "resume": (*RESUME, "--out", folder, "--resume"),
        }[command]
        code, _, err = run(capsys, monkeypatch, *map(str, arguments))
        assert code == 2
        assert err.count("\n") == 1
        assert all(words in err for words in said)

    return check


def cases() -> list[tuple[tuple[str, str], str, str]]:
    """(file, damage), the command, what is said."""
    damages = [
        ("episodes.jsonl", "{}", EVERYBODY, "line 4: not an episode record"),
        ("episodes.jsonl", "[1", EVERYBODY, "line 4 is not JSON"),
        ("levels.jsonl", "{}", EVERYBODY, "'level' is missing"),
        ("levels.jsonl", '{"level": "x", "level_id": "", "content_hash": ""}', READERS, "'tags' is missing"),
        ("calls.jsonl", "{}", ("report", "resume"), "'take' is missing"),
        ("transcripts.jsonl", "{}", ("report", "resume"), "line"),
        ("transcripts.jsonl", "garbage", ("report", "resume"), "not JSON"),
        ("sessions.jsonl", "[]", EVERYBODY, "must be an object, got list"),
    ]
    return [
        ((file, damage), command, said) for file, damage, commands, said in damages for command in commands
    ]


@pytest.mark.parametrize(("broken", "command", "said"), cases())
def test_a_broken_line_is_named(
    folder: Path, refused: Refused, broken: tuple[str, str], command: str, said: str
) -> None:
    file, damage = broken
    with (folder / file).open("a") as lines:
        lines.write(damage + "\n")
    refused(folder, command, f"{folder / file}, ", said)


@pytest.mark.parametrize("command", EVERYBODY)
@pytest.mark.parametrize(
    ("text", "said"),
    [("[", "models.json is not JSON"), ('{"oracle-chat": 5}', "models.json: the settings of 'oracle-chat'")],
)
def test_broken_settings_are_named(
    folder: Path, refused: Refused, text: str, said: str, command: str
) -> None:
    (folder / "models.json").write_text(text)
    refused(folder, command, f"{folder}/{said}")


@pytest.mark.parametrize("command", READERS)
def test_a_config_without_what_is_asked_of_it_is_named(folder: Path, refused: Refused, command: str) -> None:
    config = folder / "config.json"
    config.write_text(changed(config.read_text(), policies=..., seed=...))
    refused(folder, command, f"{config} is no config of a run: policies, seed missing")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"policies": "random"}, "policies must be a list of names"),
        ({"episodes": "2"}, "episodes must be a"),
        ({"levels": ["x"]}, "levels must be a list of names and hashes"),
    ],
)
def test_a_config_of_the_wrong_shape_is_named(folder: Path, fields: dict[str, Any], said: str) -> None:
    config = folder / "config.json"
    config.write_text(changed(config.read_text(), **fields))
    with pytest.raises(InvalidArgument, match=said):
        read_run(folder)


@pytest.mark.parametrize(
    ("file", "fields", "said"),
    [
        ("episodes.jsonl", {"policy": "nobody"}, "the run has no policy 'nobody'; there are: random, oracle"),
        ("levels.jsonl", {"recipe": {"make": {}}}, "'reset' is missing"),
        ("calls.jsonl", {"cost_usd": "much"}, "cost_usd must be a number or null, got 'much'"),
        ("calls.jsonl", {"step": ...}, "'step' is missing"),
    ],
)
def test_a_line_with_a_wrong_field_is_named(
    folder: Path, file: str, fields: dict[str, Any], said: str
) -> None:
    lines = (folder / file).read_text().splitlines()
    (folder / file).write_text("\n".join([*lines, changed(lines[0], **fields)]) + "\n")
    with pytest.raises(InvalidArgument, match=rf"{file}, line {len(lines) + 1}: {said}"):
        list(read_run(folder).calls())
