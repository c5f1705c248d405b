"""No text of others steers a terminal or a spreadsheet: names of models, levels and files, replies."""

from __future__ import annotations

import csv
import json
import re
import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from maze_gym import cli
from mazegen.core.printable import printable

from .evaluation.played_runs import level_folder, play
from .levels import CORRIDOR, TALL

if TYPE_CHECKING:
    from pathlib import Path

STEERING = "\x1b]0;owned\x07\x1b[31m\x9b2J\x08\r\u202egnp.\u2066\u200f\u2028"
EVIL = f"=cmd|A{STEERING}"


def steers(text: str) -> list[str]:
    """What in a text is no letter, line break or tab, by the tables of Unicode."""
    wrong = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return [repr(each) for each in text if each not in "\n\t" and unicodedata.category(each) in wrong]


@pytest.fixture(scope="module")
def evil_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose policy and levels have been given such names by whoever sent it."""
    root = tmp_path_factory.mktemp("evil")
    play(root / "run", ["greedy", "random"], level_folder(root / "levels", [CORRIDOR, TALL]))
    for file in (root / "run").glob("*.json*"):
        text = file.read_text(encoding="utf-8")
        text = text.replace('"greedy"', json.dumps(f"{EVIL}greedy"))
        text = text.replace(f'"level_id": "{CORRIDOR.level_id}"', f'"level_id": {json.dumps(EVIL)}')
        file.write_text(text, encoding="utf-8")
    return root / "run"


@pytest.mark.parametrize(
    "command",
    [
        "report {run} -o {out}.html",
        "report {run} --format csv -o {out}",
        "report {run} --format gif -o {out} --policy x",
        "compare {run}",
        "compare {run} --policy x",
        "compare {run} --json",
        "leaderboard {run}",
    ],
)
def test_names_in_a_run_of_others_do_not_steer(
    command: str,
    evil_run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = [each.format(run=evil_run, out=tmp_path / "out") for each in command.split()]
    monkeypatch.setattr(sys, "argv", ["maze-gym", *arguments])
    with pytest.raises(SystemExit):
        cli.main()
    written = capsys.readouterr()
    assert "cmd|A" in written.out + written.err or "report" in command
    assert steers(written.out + written.err) == []


def test_cells_of_a_table_neither_steer_nor_run(evil_run: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.app, ["report", str(evil_run), "--format", "csv", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.output
    cells = []
    for file in tmp_path.glob("*.csv"):
        text = file.read_text(encoding="utf-8")
        assert steers(text) == []
        cells += [cell for row in csv.reader(text.splitlines()) for cell in row]
    assert any("cmd|A" in cell for cell in cells)
    assert not [cell for cell in cells if re.match(r"\s*[=@\t\r\uff1d\uff0b\uff0d\uff20]", cell)]
    assert not [cell for cell in cells if re.match(r"\s*[-+]", cell) and not re.fullmatch(r"[-+\d.e]+", cell)]


@pytest.mark.extra("matplotlib", "plot")
def test_a_plot_with_such_names_is_a_whole_picture(evil_run: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.app, ["report", str(evil_run), "--format", "svg", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert all(steers(file.read_text(encoding="utf-8")) == [] for file in tmp_path.glob("*.svg"))


@pytest.mark.parametrize("kind", ["missing", "no level", "folder"])
@pytest.mark.parametrize(
    "command",
    [
        "solve {path}",
        "validate {path}",
        "replay {path}",
        "parse {path}",
        "render {path} --out {out}",
        "report {path}",
        "compare {path}",
        "leaderboard {path}",
        "plan --levels {path}",
        "evaluate --levels {path} --policy random",
        "evaluate --policy {path}",
        "evaluate --policy scripted:{path}",
        "evaluate --policy sb3:{path}",
        "export chat --levels {path} --out {out}",
        "generate --spec {path} --out {out}",
        "generate --count 3 --tier 1 --out {path}",
        "solve {path} --env PacmanArray-v0",
        "doctor",
        "solve {path} --env SpatialGym-v0",
        "render {path} --env PacmanArray-v0 --out {out}",
    ],
)
def test_the_name_of_a_file_does_not_steer(
    command: str,
    kind: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / f"a{STEERING}b.json"
    if kind == "folder":
        path.mkdir()
    elif kind == "no level":
        path.write_text('{"a\\u001b]0;x\\u0007": "\\u001b[31m"}', encoding="utf-8")
    monkeypatch.setattr(
        sys,
        "argv",
        ["maze-gym", *(each.format(path=path, out=tmp_path / "out") for each in command.split(" "))],
    )
    with pytest.raises(SystemExit):
        cli.main()
    written = capsys.readouterr()
    assert written.out + written.err
    assert steers(written.out + written.err) == []


def test_the_streams_are_as_they_were_when_a_command_has_ended(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sys.stdout, sys.stderr
    monkeypatch.setattr(sys, "argv", ["maze-gym", "list"])
    with pytest.raises(SystemExit):
        cli.main()
    assert (sys.stdout, sys.stderr) == before
    assert capsys.readouterr().out


@given(st.text())
def test_what_is_printable_steers_nothing_and_plain_text_stays(text: str) -> None:
    assert steers(printable(text, keep="\n\t")) == []
    if not steers(text):
        assert printable(text, keep="\n\t") == text
