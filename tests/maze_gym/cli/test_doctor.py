"""``maze-gym doctor`` says what is there and what is not."""

from __future__ import annotations

import importlib.metadata
import json
import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from maze_gym.cli import app
from maze_gym.cli.doctor import dependencies

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["doctor", *arguments])
    return result.exit_code, result.stdout


def test_all_that_the_suite_needs_is_found_with_its_version() -> None:
    code, text = invoke("--json")
    found = json.loads(text)
    assert code == 0
    assert found["core"]["numpy"] == importlib.metadata.version("numpy")
    assert None not in found["core"].values()
    assert found["suites"]["starter"] == 14


def test_every_dependency_of_pyproject_is_looked_for() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    names = {re.split(r"[<>=\[; ]", line)[0] for line in wanted}
    assert names == {package.name for package in dependencies()}


def test_a_missing_extra_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["numpy>=1", "no-such-package>=2; extra == 'rl'", 'numpy>=1; extra == "plot"']
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: wanted)
    code, text = invoke()
    assert code == 0
    assert "lacks no-such-package: pip install 'maze-gym[rl]'" in text
    assert re.search(r"ok +plot", text)


def test_a_missing_dependency_of_the_suite_itself_is_an_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ["no-such-package>=2"])
    code, text = invoke()
    assert code == 1
    assert re.search(r"-- +no-such-package +MISSING", text)


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-mine")
    for arguments in ((), ("--json",)):
        code, text = invoke(*arguments)
        assert code == 0
        assert "OPENAI_API_KEY" in text
        assert "secret" not in text


@pytest.mark.parametrize(
    ("screen", "said"), [({"DISPLAY": ":7"}, "DISPLAY=:7"), ({}, "none: play and edit need one")]
)
def test_it_says_whether_a_window_could_open(
    screen: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in screen.items():
        monkeypatch.setenv(name, value)
    assert said in invoke()[1]
