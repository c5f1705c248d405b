"""Whatever the width of the terminal: no line is wider, and nothing is cut or left out."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym import cli
from maze_gym.cli.console import Column, Listing, show
from maze_gym.cli.export import export
from mazegen import codec
from mazegen.__main__ import main as mazegen_main
from mazegen.core.line_width import cells, wrapped

from ..levels import ALL_KINDS, UNSOLVABLE

if TYPE_CHECKING:
    from pathlib import Path

WIDTHS = (40, 60, 80, 120)
LONG_NAME = "replies_of_a_model_with_a_name_as_long_as_they_are_nowadays_instruct_0101"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, one with a policy of a long name; mazes, good and bad; replies."""
    root = tmp_path_factory.mktemp("widths")
    script = root / f"{LONG_NAME}.jsonl"
    script.write_text('"#### MOVE_FORWARD"\n' * 400, encoding="utf-8")
    (root / "mazes").mkdir()
    for maze in (ALL_KINDS, UNSOLVABLE):
        codec.dump(maze, root / "mazes" / f"{maze.level_id}.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        for name, policies in (
            ("first", ["oracle", f"scripted:{script.name}"]),
            ("second", ["oracle", "greedy"]),
        ):
            chosen = [word for policy in policies for word in ("--policy", policy)]
            patch.setattr(
                sys, "argv", ["maze-gym", "evaluate", "--levels", "starter", *chosen, "--out", f"runs/{name}"]
            )
            with pytest.raises(SystemExit) as end:
                cli.main()
            assert not end.value.code
    return root


COMMANDS = {
    "list": ["list"],
    "doctor": ["doctor"],
    "evaluate": [
        "evaluate", "--levels", "starter", "--augment", "rotate,mirror",
        "--policy", "oracle", "--policy", f"scripted:{LONG_NAME}.jsonl",
    ],
    "evaluate with measures": ["evaluate", "--levels", "spatial:1", "--episodes", "3", "--policy", "random"],
    "compare": ["compare", "runs/first", "runs/second", "--policy", "oracle"],
    "compare within a run": ["compare", "runs/first"],
    "leaderboard": ["leaderboard", "runs"],
    "plan": ["plan", "--levels", "starter", "--policy", "oracle", "--policy", f"openai:{LONG_NAME}"],
    "solve": ["solve", "starter"],
    "solve spatial": ["solve", "spatial-L1-001"],
    "validate": ["validate", "mazes", "-v"],
    "validate a suite": ["validate", "starter"],
    "parse": ["parse", f"{LONG_NAME}.jsonl"],
    "replay": ["replay", "runs/first"],
    "report": ["report", "runs/first", "runs/second", "--out", "report.html", "--replays", "0"],
    "python -m mazegen": ["mazegen", "validate", "mazes"],
    "an error": ["evaluate", "--policy", "orcale"],
}  # fmt: skip
COLUMNS_OF = {  # the words above the columns, all of which have to be there at every width
    "evaluate": ("policy", "success", "95 % interval", "steps", "/ optimal", "SPL", "ended by"),
    "compare": ("first", "second", "levels", "points", "95 % interval", "wins", "p"),
    "leaderboard": ("who", "kind", "success", "rate", "95 % interval", "SPL", "/ optimal", "run"),
    "plan": ("policy", "steps", "calls", "sent", "received", "dollars", "time"),
    "list": ("world", "what it is", "suite", "preset", "levels", "optimal", "policy", "what it does"),
}


def said_at(
    width: int | None,
    name: str,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """What a command prints on a terminal of a width, or into a pipe."""
    if width is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(root)
    command, *rest = COMMANDS[name]
    if command == "mazegen":
        mazegen_main(rest)
    else:
        monkeypatch.setattr(sys, "argv", ["maze-gym", command, *rest])
        with pytest.raises(SystemExit):
            cli.main()
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_is_wider_than_the_terminal(
    name: str, width: int, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = said_at(width, name, root, monkeypatch, capsys)
    assert said
    assert [line for line in said.split("\n") if cells(line) > width] == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_cut_or_left_out(
    name: str, width: int, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wide = said_at(None, name, root, monkeypatch, capsys)
    narrow = said_at(width, name, root, monkeypatch, capsys)
    assert "…" not in narrow
    if name in COLUMNS_OF:
        for title in COLUMNS_OF[name]:
            assert re.search(r"\s+".join(map(re.escape, title.split())), narrow), title
    counted = _letters(narrow)
    for letter, count in _letters(wide).items():
        assert counted.get(letter, 0) >= count, f"{letter!r} is missing"


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize(
    "command", [[], ["solve"], ["evaluate"], ["export", "chat"], ["generate"], ["train"]]
)
def test_help_cuts_off_no_name_of_an_option(
    command: list[str], width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli.app, "rich_markup_mode", cli.app.rich_markup_mode)
    monkeypatch.setattr(export, "rich_markup_mode", export.rich_markup_mode)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys, "argv", ["maze-gym", *command, "--help"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "…" not in capsys.readouterr().out


def _letters(text: str) -> dict[str, int]:
    """How often each letter or digit is there; times differ between two runs of a command."""
    text = re.sub(r"\d+(\.\d+)? (s|MB|min)\b", "", text)
    return {letter: text.count(letter) for letter in set(text) if letter.isalnum()}


def test_a_pipe_takes_lines_of_any_length(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = said_at(None, "plan", root, monkeypatch, capsys)
    assert f"openai:{LONG_NAME} " in said


@given(st.text(max_size=200), st.integers(20, 90))
def test_wrapping_loses_nothing_and_no_part_is_wider(text: str, width: int) -> None:
    parts = wrapped(text, width).split("\n")
    assert all(cells(part) <= width for part in parts)
    assert "".join("".join(parts).split(" ")) == "".join("".join(text.split("\n")).split(" "))


@given(st.text(max_size=200))
def test_without_an_edge_nothing_is_wrapped(text: str) -> None:
    assert wrapped(text, None) == text


@given(st.data(), st.sampled_from(WIDTHS))
def test_every_cell_of_every_table_is_shown(data: st.DataObject, width: int) -> None:
    word = st.from_regex(r"[a-zA-Z0-9:/._-]{1,60}", fullmatch=True)
    titles = data.draw(st.lists(word, min_size=2, max_size=8))
    columns = [
        Column(title, folds=place == 0 or data.draw(st.booleans()), is_key=place == 0)
        for place, title in enumerate(titles)
    ]
    rows = data.draw(st.lists(st.tuples(*(word for _ in titles)), min_size=1, max_size=4))
    with pytest.MonkeyPatch.context() as patch:
        import io

        patch.setenv("COLUMNS", str(width))
        patch.setattr(sys, "stdout", page := io.StringIO())
        show(Listing("", columns, rows))
    said = page.getvalue()
    assert all(cells(line) <= width for line in said.split("\n"))
    for letter in set("".join(map("".join, [titles, *rows]))):
        assert said.count(letter) >= "".join(map("".join, [titles, *rows])).count(letter)
