"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from maze_gym import __version__, cli
from maze_gym.evaluation import EpisodeRecord
from mazegen import codec

from ..levels import ALL_KINDS, CORRIDOR, TALL, UNSOLVABLE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def levels(tmp_path: Path) -> Path:
    folder = tmp_path / "levels"
    folder.mkdir()
    for maze in (ALL_KINDS, CORRIDOR, TALL):
        codec.dump(maze, folder / f"{maze.level_id}.json")
    return folder


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, str, str]:
    """Run ``maze-gym`` in this process; exit code, stdout, stderr."""
    monkeypatch.setattr(sys, "argv", ["maze-gym", *arguments])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    captured = capsys.readouterr()
    return int(exit_.value.code or 0), captured.out, captured.err


def test_version_and_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(capsys, monkeypatch, "--version") == (0, f"maze-gym {__version__}\n", "")
    code, out, _ = run(capsys, monkeypatch, "--help")
    assert code == 0
    assert all(command in out for command in ("list", "solve", "evaluate"))


def test_list_names_worlds_suites_and_policies(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(capsys, monkeypatch, "list")
    assert (code, err) == (0, "")
    assert all(word in out for word in ("MazeNLU-v0", "starter", "random", "greedy", "oracle"))


def test_solve_prints_plan_cost_states_and_picture(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, levels: Path
) -> None:
    code, out, _ = run(capsys, monkeypatch, "solve", str(levels / "all_kinds.json"))
    assert code == 0
    assert "#r..R.=*#" in out
    assert "shortest plan   14 actions" in out
    assert "pickup:k1, open:d1, toggle:s1, cross:g1" in out
    assert "MOVE_FORWARD x2" in out


def test_solve_for_machines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, levels: Path
) -> None:
    code, out, _ = run(capsys, monkeypatch, "solve", str(levels / "corridor.json"), "--json", "--done-action")
    answer = json.loads(out)
    assert code == 0
    assert answer["plan"] == ["MOVE_FORWARD", "MOVE_FORWARD", "DONE"]
    assert (answer["cell_moves"], answer["path"]) == (2, [[1, 1], [1, 2], [1, 3]])


def test_long_plans_are_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from maze_gym import suites

    spiral = next(maze for maze in suites.load("starter") if maze.level_id == "starter/spiral")
    codec.dump(spiral, tmp_path / "spiral.json")
    _, out, _ = run(capsys, monkeypatch, "solve", str(tmp_path / "spiral.json"))
    plan = out.strip().rpartition("\n\n")[2].splitlines()
    assert len(plan) > 1
    assert max(map(len, plan)) <= 100


def test_evaluate_prints_a_row_for_each_policy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, levels: Path
) -> None:
    code, out, err = run(capsys, monkeypatch, "evaluate", "--levels", str(levels))
    assert (code, err) == (0, "")
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines() if "/3" in line}
    assert set(rows) == {"random", "greedy", "oracle"}
    assert rows["oracle"] == "3/3"


def test_evaluate_for_machines_and_for_the_archive(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, levels: Path, tmp_path: Path
) -> None:
    out_folder = tmp_path / "run"
    code, out, _ = run(
        capsys, monkeypatch, "evaluate", "--levels", str(levels), "--policy", "oracle", "--policy", "random",
        "--episodes", "4", "--seed", "3", "--json", "--out", str(out_folder),
    )  # fmt: skip
    answer = json.loads(out)
    assert code == 0
    assert [row["policy"] for row in answer["results"]] == ["oracle", "random"]
    assert answer["results"][0]["success_rate"] == 1.0
    assert (answer["config"]["seed"], answer["config"]["episodes"]) == (3, 4)
    assert len((out_folder / "episodes.jsonl").read_text().splitlines()) == 8
    code, _, err = run(capsys, monkeypatch, "evaluate", "--levels", str(levels), "--out", str(out_folder))
    assert code == 2
    assert "already holds a run" in err


def test_files_that_are_not_played_are_named_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, levels: Path
) -> None:
    (levels / "index.json").write_text("{}")
    code, _, err = run(capsys, monkeypatch, "evaluate", "--levels", str(levels), "--policy", "greedy")
    assert (code, err) == (0, "maze-gym: not played: index.json: is not a maze file\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve", "no-such-file.json"), "no file or folder 'no-such-file.json'"),
        (("evaluate", "--policy", "orcale"), "did you mean 'oracle'"),
        (("evaluate", "--levels", "nowhere"), "bundled suites"),
        (("evaluate", "--env", "Maze-v7"), "MazeNLU-v0"),
    ],
)
def test_what_the_user_can_put_right_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    code, out, err = run(capsys, monkeypatch, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("maze-gym: error: ")
    assert err.count("\n") == 1
    assert message in err


def test_many_problems_of_one_file_still_make_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.json"
    path.write_text('{"version": "9", "maze": {"dimensions": [5, 3], "start": [0, 0], "goal": [9, 1]}}')
    code, _, err = run(capsys, monkeypatch, "solve", str(path))
    assert code == 2
    assert err.count("\n") == 1
    assert all(place in err for place in ("$.version", "$.maze.start", "$.maze.goal"))


def test_unsolvable_maze_says_what_to_check(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    codec.dump(UNSOLVABLE, tmp_path / "unsolvable.json")
    code, _, err = run(capsys, monkeypatch, "solve", str(tmp_path / "unsolvable.json"))
    assert code == 2
    assert "every door has a reachable key" in err


@pytest.mark.parametrize(
    "arguments", [("evaluate", "--episodes", "0"), ("evaluate", "--seed", "x"), ("fly",)]
)
def test_wrong_usage_exits_with_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    assert run(capsys, monkeypatch, *arguments)[0] == 2


# A shell's background jobs ignore Ctrl-C, and so would everything that is started from them.
HEEDFUL = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_an_interrupt_leaves_what_was_finished(levels: Path, tmp_path: Path, concurrency: str) -> None:
    """A real Ctrl-C to a real process: exit code 130, a table, and whole lines on disk."""
    out = tmp_path / "run"
    command = [
        sys.executable, "-c", HEEDFUL + "from maze_gym.cli import main; main()", "evaluate",
        "--levels", str(levels), "--policy", "random", "--episodes", "10000000",
        "--out", str(out), "--concurrency", concurrency,
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    episodes = out / "episodes.jsonl"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (episodes.exists() and episodes.stat().st_size > 1_000):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    try:
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()  # nothing is left behind, whatever has gone wrong
    assert process.returncode == 130
    assert "random" in stdout
    assert "interrupted after" in stderr
    assert "Traceback" not in stderr
    lines = episodes.read_text().splitlines()
    assert all(EpisodeRecord.from_json(line).policy == "random" for line in lines)
    assert lines
    assert json.loads((out / "summary.json").read_text())[0]["episodes"] == len(lines)


def test_generate_writes_a_data_set_that_validates_and_is_played(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = tmp_path / "data"
    arguments = ("generate", "--count", "12", "--tier", "1", "--out", str(out), "--files")
    code, _, err = run(capsys, monkeypatch, *arguments)
    assert (code, err.split(" in ")[0]) == (0, "12 mazes")
    files = sorted(map(str, out.glob("*/*.json")))
    assert len(files) == 12
    code, text, _ = run(capsys, monkeypatch, "validate", *files)
    assert (code, text.count(": valid")) == (0, 12)
    folders = sorted(map(str, {file.parent for file in out.glob("*/*.json")}))
    assert run(capsys, monkeypatch, "validate", *folders)[:2] == (0, text)
    code, again, _ = run(capsys, monkeypatch, "validate", str(out))
    assert (code, sorted(again.splitlines())) == (0, sorted(text.splitlines()))
    assert text.endswith("12 mazes: all valid\n")
    code, text, _ = run(
        capsys, monkeypatch, "evaluate", "--levels", str(out / "train"), "--policy", "oracle", "--json"
    )
    assert json.loads(text)["results"][0]["success_rate"] == 1.0


def test_validate_catches_a_tampered_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from maze_gym import suites

    payload = codec.to_dict(suites.load("starter")[5])
    payload["validation"]["optimal_actions"].pop()
    path = tmp_path / "tampered.json"
    path.write_text(json.dumps(payload))
    code, text, _ = run(capsys, monkeypatch, "validate", str(path))
    assert code == 1
    assert "BAD claim:optimal_actions" in text
    code, text, _ = run(capsys, monkeypatch, "validate", str(path), "--json")
    assert (code, json.loads(text)["file"]) == (1, str(path))
    code, text, _ = run(capsys, monkeypatch, "validate", str(path), "--verbose")
    assert "ok  solvable" in text


def test_validate_shows_the_mazes_of_a_shard_that_fail_and_counts_all(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from maze_gym import suites

    good, bad = map(codec.to_dict, suites.load("starter")[4:6])
    bad["validation"]["optimal_actions"].pop()
    path = tmp_path / "shard.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (good, bad)))
    code, text, _ = run(capsys, monkeypatch, "validate", str(path))
    assert code == 1
    assert text.startswith(f"{path}:2: 1 of ")
    assert text.endswith("\n2 mazes: 1 NOT valid\n")
    code, text, _ = run(capsys, monkeypatch, "validate", str(path), "--json")
    assert [(each["line"], each["passed"]) for each in map(json.loads, text.splitlines())] == [
        (0, True),
        (1, False),
    ]


def test_validate_of_a_folder_without_mazes_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, _, err = run(capsys, monkeypatch, "validate", str(tmp_path))
    assert (code, err) == (2, f"maze-gym: error: '{tmp_path}' holds no .json or .jsonl file\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--spec", '{"topology": "dense"}'), "dense_maze"),
        (("--spec", "{"), "spec"),
        (("--spec", "no-such-file.json"), "cannot open 'no-such-file.json': there is no such file"),
        (("--topology", "dense_maze", "--chain", "kx"), "chain"),
        (("--spec", "{}", "--topology", "dense_maze"), "not both"),
        (("--tier", "9"), "tier"),
        (("--rows", "30", "--chain", "ksk"), "--chain, --rows: only with --topology"),
        (("--spec", "{}", "--cols", "30"), "--cols: only with --topology"),
    ],
)
def test_generate_says_what_is_wrong_with_a_spec(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    out = str(tmp_path / "data")
    code, _, err = run(capsys, monkeypatch, "generate", "--count", "2", "--out", out, *arguments)
    assert code == 2
    assert message in err


def test_generate_refuses_a_number_of_processes_for_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "data"
    arguments = ("--count", "2", "--tier", "1", "--engine", "ray", "--workers", "2", "--out", str(out))
    code, _, err = run(capsys, monkeypatch, "generate", *arguments)
    assert code == 2
    assert "--workers 2" in err
    assert "leave it out" in err
    assert not out.exists()


def test_generate_takes_a_spec_by_its_fields(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = tmp_path / "data"
    code, _, _ = run(
        capsys, monkeypatch, "generate", "--count", "3", "--out", str(out), "--topology", "side_vault",
        "--chain", "k", "--rows", "11", "--cols", "13",
    )  # fmt: skip
    assert code == 0
    assert json.loads((out / "manifest.json").read_text())["config"]["spec"]["topology"] == "side_vault"


def test_interrupt_before_the_first_episode_is_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_args: object, **_kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("maze_gym.evaluation.make_plan", interrupted)
    code, out, err = run(capsys, monkeypatch, "evaluate")
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_help_starts_without_the_heavy_modules() -> None:
    code = (
        "import sys; sys.argv = ['maze-gym', '--help']\n"
        "from maze_gym.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'scipy', 'matplotlib', 'pygame', 'torch'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "HEAVY []" in result.stdout
