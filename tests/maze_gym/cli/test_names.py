"""Names that stand on the screen are names that commands take."""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from maze_gym import cli, registration, suites
from maze_gym.edit.launch import open_editor
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.evaluation.plan import choose_levels
from maze_gym.llm.backends import BACKENDS
from maze_gym.policies import POLICIES, check_policy_name, table
from maze_gym.policies.sb3 import SHIPPED

if TYPE_CHECKING:
    from pathlib import Path


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, str, str]:
    """Run ``maze-gym`` in this process as in a pipe; exit code, stdout, stderr."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "argv", ["maze-gym", *arguments])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    captured = capsys.readouterr()
    return int(exit_.value.code or 0), captured.out, captured.err


@pytest.fixture
def listed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The names that ``list`` prints, by the option that they are for."""
    code, out, _ = run(capsys, monkeypatch, "list")
    assert code == 0
    found: dict[str, list[str]] = {}
    for part in re.split(r"^(?=\w+ \(--)", out, flags=re.MULTILINE):
        option = re.match(r"\w+ \((--\w+)\)", part)
        if option is not None:
            rows = re.split("─ *\n", part)[1].split("\n")
            names = [re.split(r"\s{2,}", row.strip()) for row in rows if row.startswith("  ")]
            assert all(len(row) > 1 for row in names if row[0]), "a name without a word of what it is"
            found.setdefault(option[1], []).extend(row[0] for row in names if row[0])
    return found


def test_list_has_every_world_preset_suite_and_policy(listed: dict[str, list[str]]) -> None:
    assert set(listed["--env"]) == set(registration.world_ids())
    every = {suite.name for world in registration.WORLDS for suite in registration.suites_of(world)}
    assert set(listed["--levels"]) == every > {"starter", "core", "smoke", "spatial", "classic"}
    kinds = {name.partition(":")[0] for name in listed["--policy"]}
    assert kinds == {*POLICIES, *SHIPPED, "sb3", "sb3-sampled"} | {
        name.partition(":")[0] for name in BACKENDS if ":" in name
    }


def test_every_name_that_list_prints_is_taken(
    listed: dict[str, list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text('"#### MOVE_FORWARD"\n', encoding="utf-8")
    fill = {"MODEL": "some", "SHARE": "0.2", "FILE": str(script)}
    fill["DIR"] = str(files("maze_gym.policies").joinpath("shipped", SHIPPED["ppo"]))
    for option, names in listed.items():
        for name in names:
            kind, colon, argument = name.partition(":")
            full = f"{kind}{colon}{fill.get(argument, argument)}"
            command = ["plan", option, full, "--episodes", "1"]
            command += [] if option == "--policy" else ["--policy", "random"]
            code, _, err = run(capsys, monkeypatch, *command)
            assert (code, err) == (0, ""), full


@pytest.mark.parametrize("name", ["starter", "starter/straight", "straight", "starter/01_straight.json"])
def test_suites_and_levels_go_by_their_names(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for command in (
        ["solve", name, "--json"],
        ["validate", name, "--json"],
        ["evaluate", "--levels", name, "--policy", "oracle", "--json"],
        ["plan", "--levels", name, "--policy", "oracle", "--json"],
        ["render", name, "--out", str(tmp_path / "pictures"), "--cell-px", "8"],
        ["export", "chat", "--levels", name, "--episodes", "1", "--out", str(tmp_path / name / "chats")],
    ):
        code, out, err = run(capsys, monkeypatch, *command)
        assert code == 0, (command, err)
        if command[0] in {"solve", "validate"}:
            assert len(out.splitlines()) == len(suites.find(name))


def test_ids_that_solve_prints_are_levels(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out, _ = run(capsys, monkeypatch, "solve", "smoke", "--json")
    for line in out.splitlines():
        level_id = json.loads(line)["level_id"]
        _, again, _ = run(capsys, monkeypatch, "solve", level_id, "--json")
        assert again == line + "\n"


@pytest.mark.parametrize(
    ("name", "world"),
    [
        ("starter/straight", "MazeNLU-v0"),
        ("spatial-L1-001", "SpatialGym-v0"),
        ("spatial/spatial-L1-001", "SpatialGym-v0"),
        ("spatial:1,2", "SpatialGym-v0"),
        ("classic", "PacmanArray-v0"),
    ],
)
def test_levels_bring_their_world_along(
    name: str, world: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(capsys, monkeypatch, "plan", "--levels", name, "--policy", "random")
    assert code == 0, err
    assert out.startswith(world)
    assert choose_levels(world, name).levels


def test_every_level_goes_by_every_one_of_its_names() -> None:
    for suite in suites.names():
        for entry in suites.find(suite):
            for name in (entry.row["level_id"], f"{suite}/{entry.row['file']}"):
                assert suites.find(name) == (entry,)
                assert suites.path_of(name).is_file()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("strater", "'starter'"),
        ("starter/straigth", "'starter/straight'"),
        ("cor", "'core'"),
        ("spatail", "'spatial' of SpatialGym-v0"),
        ("clasic", "'classic' of PacmanArray-v0"),
        ("oracle", "for --policy oracle"),
        ("MazeNLU-Chain-13x13-v0", "for --env MazeNLU-Chain-13x13-v0"),
    ],
)
def test_what_was_meant_by_levels_is_said(name: str, meant: str) -> None:
    with pytest.raises(LevelsNotFound) as caught:
        choose_levels("MazeNLU-v0", name)
    assert meant in str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("orcale", "oracle"),
        ("pp0", "ppo"),
        ("sb3", "sb3:DIR"),
        ("openai", "openai:MODEL"),
        ("hff:x", "hf:MODEL"),
    ],
)
def test_what_was_meant_by_a_policy_is_said(name: str, meant: str) -> None:
    with pytest.raises(InvalidArgument, match=f"did you mean '{meant}'"):
        check_policy_name(name)


def test_levels_of_one_world_are_not_played_in_another() -> None:
    with pytest.raises(LevelsNotFound, match="'starter' is of the world MazeNLU-v0, not of SpatialGym-v0"):
        choose_levels("SpatialGym-v0", "starter")


@pytest.mark.parametrize(
    "command", [["replay"], ["parse"], ["report"], ["compare"], ["export", "chat", "--run"]]
)
def test_a_suite_is_no_run_and_that_is_said(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = ["--out", str(tmp_path / "out")] if command[0] == "export" else []
    code, _, err = run(capsys, monkeypatch, *command, "starter", *out)
    assert code == 2
    assert "names levels, not a run" in err


def test_the_leaderboard_names_runs_as_commands_take_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "runs" / "first"
    command = [
        "--levels",
        "starter/straight",
        "--policy",
        "oracle",
        "--policy",
        "greedy",
        "--out",
        str(folder),
    ]
    assert run(capsys, monkeypatch, "evaluate", *command)[0] == 0
    _, out, _ = run(capsys, monkeypatch, "leaderboard", str(tmp_path), "--json")
    (board,) = json.loads(out)
    names = {row["run"] for row in board["rows"]}
    assert names == {str(folder)}
    assert run(capsys, monkeypatch, "compare", *names)[0] == 0


def test_labels_that_compare_prints_name_policies(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runs = [str(tmp_path / name) for name in ("first", "second")]
    for seed, out in enumerate(runs):
        command = ["--levels", "starter/bend", "--policy", "random", "--seed", str(seed), "--out", out]
        assert run(capsys, monkeypatch, "evaluate", *command)[0] == 0
    _, out, _ = run(capsys, monkeypatch, "compare", *runs, "--json")
    (pair,) = json.loads(out)
    labels = ["--policy", pair["first"], "--policy", pair["second"]]
    code, again, err = run(capsys, monkeypatch, "compare", *runs, *labels, "--json")
    assert (code, again) == (0, out), err


def test_a_bundled_level_is_edited_as_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    editor = open_editor("starter/straight")
    assert editor.path.name == "straight.json"
    assert editor.maze.content_hash == suites.find("starter/straight")[0].row["content_hash"]
    with pytest.raises(InvalidArgument, match="a suite of 14 levels; name one, such as starter/straight"):
        open_editor("starter")


def test_a_file_of_a_suite_s_name_is_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "starter").mkdir()
    with pytest.raises(LevelsNotFound, match="'starter' holds no maze"):
        choose_levels("MazeNLU-v0", "starter")


def test_what_a_policy_needs_is_said_of_every_one_that_is_not_there_by_itself() -> None:
    assert all(bool(row.needs) == (":" in row.name) for row in table())
