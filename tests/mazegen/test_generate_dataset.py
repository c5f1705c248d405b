"""Data sets: the same bytes however they were made, nothing twice, nothing in two splits."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from mazegen import codec
from mazegen.__main__ import main
from mazegen.core import file_lock
from mazegen.core.symmetry import layout_hash
from mazegen.datasets.config import DatasetConfig
from mazegen.datasets.filling import BLOCK, make_block
from mazegen.datasets.folder import JOURNAL, MANIFEST, DatasetFolder
from mazegen.datasets.progress import Progress, ProgressLine
from mazegen.errors import GenerationFailed, TooFewMazes
from mazegen.generate_dataset import generate_dataset
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import MazeGenSpec, Topology, WindingCorridor
from mazegen.validation.validator import recheck

if TYPE_CHECKING:
    from pathlib import Path

    from mazegen.core.maze import Maze

COUNT = 3 * BLOCK + 7


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def manifest(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    return loaded


def levels(folder: Path) -> list[tuple[dict[str, Any], Maze]]:
    """Every row of the manifest with the maze it points to."""
    found = []
    for row in manifest(folder)["levels"]:
        text = (folder / row["file"]).read_text()
        found.append((row, codec.loads(text.splitlines()[row["line"]] if "line" in row else text)))
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set made in one go."""
    folder = tmp_path_factory.mktemp("whole")
    generate_dataset(folder, COUNT, seed=5, shard_size=60)
    return folder


def test_the_manifest_tells_the_truth(whole: Path) -> None:
    found = levels(whole)
    assert len(found) == COUNT
    head = manifest(whole)
    assert head["config"] == DatasetConfig(COUNT, 5, shard_size=60).to_dict()
    assert sum(head["splits"].values()) == COUNT
    assert head["candidates"] == COUNT + head["duplicates"] + head["failed"]
    for row, maze in found[::7]:
        assert recheck(maze).passed
        assert maze.validation is not None
        assert generate(MazeGenSpec.from_dict(row["spec"])) == maze
        assert row["content_hash"] == maze.content_hash
        assert row["layout_hash"] == layout_hash(maze)
        assert row["optimal_actions"] == len(maze.validation.optimal_actions)
        assert row["optimal_cost"] == maze.validation.optimal_cost
        assert (row["level_id"], row["seed"], row["size"]) == (
            maze.level_id,
            maze.seed,
            [maze.rows, maze.cols],
        )
    assert {row["tier"] for row, _ in found} == {1, 2, 3, 4, 5}


def test_shards_are_full_before_the_next_begins(whole: Path) -> None:
    for split, count in manifest(whole)["splits"].items():
        lines = [len(path.read_text().splitlines()) for path in sorted(whole.glob(f"{split}-*.jsonl"))]
        assert sum(lines) == count
        assert all(size == 60 for size in lines[:-1])


def test_nothing_is_there_twice_and_splits_depend_on_the_hash_alone(whole: Path, tmp_path: Path) -> None:
    found = levels(whole)
    assert len({row["layout_hash"] for row, _ in found}) == COUNT
    config = DatasetConfig(1, seed=99, tier=3)
    assert all(config.split_of(row["layout_hash"]) == row["split"] for row, _ in found)
    generate_dataset(tmp_path, 200, seed=6, tier=1)
    split = {row["layout_hash"]: row["split"] for row, _ in found}
    other = {row["layout_hash"]: row["split"] for row, _ in levels(tmp_path)}
    assert all(split[each] == other[each] for each in split.keys() & other.keys())


@pytest.mark.parametrize("share", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.5, 0.25, 0.25)])
def test_splits_have_the_shares_asked_for(share: tuple[float, float, float]) -> None:
    config = DatasetConfig(1, splits=share)
    found = [config.split_of(f"{index * 2**32 // 1000:08x}") for index in range(1000)]
    assert [round(found.count(name) / 1000, 2) for name in ("train", "validation", "test")] == list(share)
    assert config.split_of("ffffffff") in ("train", "test")


@pytest.mark.slow
def test_the_number_of_workers_never_changes_a_byte(whole: Path, tmp_path: Path) -> None:
    for workers in (2, 3):
        generate_dataset(tmp_path / str(workers), COUNT, seed=5, shard_size=60, workers=workers)
        assert contents(tmp_path / str(workers)) == contents(whole)


class StopHere(Exception):
    """What the test throws to stop a run."""


@pytest.mark.parametrize("as_files", [False, True])
def test_an_interrupted_run_ends_with_the_same_bytes(tmp_path: Path, *, as_files: bool) -> None:
    whole = tmp_path / "whole"
    generate_dataset(whole, COUNT, seed=8, tier=2, as_files=as_files, shard_size=40)

    def stop(progress: Progress) -> None:
        if progress.done > stop_after[0]:
            raise StopHere

    stop_after = [0]
    for stop_after[0] in (0, BLOCK, 2 * BLOCK):
        with pytest.raises(StopHere):
            generate_dataset(
                tmp_path / "cut", COUNT, seed=8, tier=2, as_files=as_files, shard_size=40, on_progress=stop
            )
        assert (tmp_path / "cut" / JOURNAL).exists()
        assert not (tmp_path / "cut" / MANIFEST).exists()
    with (tmp_path / "cut" / JOURNAL).open("ab") as journal:
        journal.write(b'{"candidates": 9')  # killed in the middle of a line
    if not as_files:
        with (tmp_path / "cut" / "train-00000.jsonl").open("ab") as shard:
            shard.write(b"half a maze")
        (tmp_path / "cut" / "train-00099.jsonl").write_bytes(b"of a block that was never noted")
    done = generate_dataset(tmp_path / "cut", COUNT, seed=8, tier=2, as_files=as_files, shard_size=40)
    assert done.done == COUNT
    assert contents(tmp_path / "cut") == contents(whole)
    for row, maze in levels(tmp_path / "cut")[::20]:
        assert row["content_hash"] == maze.content_hash


def cut_short(folder: Path, **options: Any) -> None:
    """What a run leaves that was stopped after its first block."""

    def stop(_: Progress) -> None:
        raise StopHere

    with pytest.raises(StopHere):
        generate_dataset(folder, 70, tier=1, on_progress=stop, **options)


@pytest.mark.parametrize("name", ["train-00000.jsonl", "rows.jsonl"])
@pytest.mark.parametrize("kept", [None, 0, 100])
def test_a_data_set_that_lost_bytes_does_not_go_on(tmp_path: Path, name: str, kept: int | None) -> None:
    cut_short(tmp_path)
    if kept is None:
        (tmp_path / name).unlink()
    else:
        os.truncate(tmp_path / name, kept)
    before = contents(tmp_path)
    with pytest.raises(
        ValueError, match=rf"{name} has lost what progress\.jsonl says .* empty .* start again"
    ):
        generate_dataset(tmp_path, 70, tier=1)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("kept", [None, 0])
def test_a_data_set_that_lost_a_file_does_not_go_on(tmp_path: Path, kept: int | None) -> None:
    cut_short(tmp_path, as_files=True)
    name = "train/maze_000007.json"
    if kept is None:
        (tmp_path / name).unlink()
    else:
        os.truncate(tmp_path / name, kept)
    with pytest.raises(ValueError, match=f"{name} has lost what"):
        generate_dataset(tmp_path, 70, tier=1, as_files=True)


def test_what_else_lies_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    cut_short(tmp_path)
    (tmp_path / "pictures.jsonl").write_text("mine\n")
    (tmp_path / "notes.jsonl").write_text("mine, too\n")
    generate_dataset(tmp_path, 70, tier=1)
    assert (tmp_path / "pictures.jsonl").read_text() == "mine\n"
    assert (tmp_path / "notes.jsonl").read_text() == "mine, too\n"


def test_two_runs_in_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    refused = []

    def meddle(_: Progress) -> None:
        with pytest.raises(ValueError, match="being written by another process; wait for it, or end it"):
            generate_dataset(tmp_path / "shared", 120, tier=1)
        refused.append(True)

    generate_dataset(tmp_path / "whole", 120, tier=1)
    generate_dataset(tmp_path / "shared", 120, tier=1, on_progress=meddle)
    assert len(refused) > 2
    assert contents(tmp_path / "shared") == contents(tmp_path / "whole")


def test_a_data_set_that_another_run_finishes_at_this_very_moment_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_short(tmp_path)
    done = []

    def finish_first(_: int) -> None:
        monkeypatch.undo()
        with DatasetFolder(tmp_path, DatasetConfig(70, tier=1)) as other:
            other.add(other.candidates, make_block(other.config, other.candidates, other.candidates + BLOCK))
            other.finish()
        done.append(contents(tmp_path))

    monkeypatch.setattr(file_lock, "lock", finish_first)
    assert generate_dataset(tmp_path, 70, tier=1).done == 70
    assert [contents(tmp_path)] == done


def test_a_file_system_without_locks_holds_data_sets_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(file_lock, "lock", refuse)
    assert generate_dataset(tmp_path, 5, tier=1).done == 5


@pytest.mark.slow
def test_a_killed_process_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "mazegen",
        "--count",
        "600",
        "--seed",
        "3",
        "--tier",
        "2",
        "--workers",
        "2",
    ]
    subprocess.run([*command, "--out", str(tmp_path / "whole")], check=True, capture_output=True)
    journal = tmp_path / "cut" / JOURNAL
    with subprocess.Popen(
        [*command, "--out", str(tmp_path / "cut")], stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            if journal.exists() and journal.read_bytes().count(b"\n") > 2:
                os.killpg(process.pid, signal.SIGKILL)  # the workers too: they are of the same session
                break
            time.sleep(0.01)
    subprocess.run([*command, "--out", str(tmp_path / "cut")], check=True, capture_output=True)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_finished_data_set_is_left_as_it_is(tmp_path: Path) -> None:
    generate_dataset(tmp_path, 5, tier=1)
    before = contents(tmp_path)
    calls: list[Progress] = []
    again = generate_dataset(tmp_path, 5, tier=1, on_progress=calls.append)
    assert (again.done, calls) == (5, [])
    assert contents(tmp_path) == before


def test_another_data_set_or_other_files_are_not_touched(tmp_path: Path) -> None:
    generate_dataset(tmp_path / "set", 5, tier=1)
    with pytest.raises(ValueError, match="made with other settings"):
        generate_dataset(tmp_path / "set", 6, tier=1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("do not touch")
    with pytest.raises(ValueError, match=r"holds no data set \(thesis.txt"):
        generate_dataset(tmp_path / "mine", 5, tier=1)


SMALL = MazeGenSpec(Topology.WINDING_CORRIDOR, rows=7, cols=7, params=WindingCorridor(turns=1))


def test_rotations_and_reflections_are_dropped(tmp_path: Path) -> None:
    done = generate_dataset(tmp_path, 8, spec=SMALL)  # and no more than these are there
    assert done.duplicates > 5
    assert len({layout_hash(maze) for _, maze in levels(tmp_path)}) == 8


def test_asking_for_more_mazes_than_there_are_ends(tmp_path: Path) -> None:
    with pytest.raises(TooFewMazes, match=r"only 9 different mazes of 100 after .* ask for fewer") as caught:
        generate_dataset(tmp_path, 100, spec=SMALL)
    assert (caught.value.done, caught.value.wanted) == (9, 100)
    assert list(caught.value.reasons) == ["duplicate of an earlier maze"]


def test_reasons_for_which_candidates_fail_are_told_those_of_an_interrupted_run_included(
    tmp_path: Path,
) -> None:
    never = MazeGenSpec(Topology.WINDING_CORRIDOR, rows=7, cols=7, optimal_actions=(60, 70))
    with pytest.raises(GenerationFailed) as typed:
        generate(never, 0)
    mostly = next(iter(typed.value.reasons))
    for _ in range(2):  # the second goes on where the first gave up
        with pytest.raises(TooFewMazes, match="only 0 different mazes of 1 after") as caught:
            generate_dataset(tmp_path, 1, spec=never)
        state = json.loads((tmp_path / JOURNAL).read_text().splitlines()[-1])
        assert caught.value.reasons == {f"generation failed, mostly: {mostly}": state["candidates"]}


def test_a_candidate_depends_on_its_number_alone() -> None:
    config = DatasetConfig(10, seed=4, tier=2)
    assert make_block(config, 0, 6)[3:] == make_block(config, 3, 6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "count must be at least 1"),
        ({"shard_size": 0}, "shard_size must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"tier": 9}, "tier must be one of"),
        ({"tier": 1, "spec": SMALL}, "a spec or a tier, not both"),
        ({"splits": (0.5, 0.5, 0.5)}, "add up to 1"),
        ({"workers": 10_000}, "workers must be at most"),
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"workers": -3}, "workers must be at least 1, got -3"),
    ],
)
def test_what_is_out_of_range_is_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        generate_dataset(tmp_path, **{"count": 3, **options})


def test_the_command_line_makes_and_proves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "set"
    fields = ["--topology", "side_vault", "--chain", "ks", "--rows", "13", "--wrong-keys", "1"]
    arguments = ["--count", "4", "--out", str(out), *fields, "--files", "--splits", "1/0/0"]
    assert main(arguments) == 0
    assert "4/4 mazes" in capsys.readouterr().err
    files = sorted(str(path) for path in (out / "train").iterdir())
    assert len(files) == 4
    assert main(["validate", *files]) == 0
    assert capsys.readouterr().out.count(": valid") == 4
    maze = codec.load(files[0])
    assert (maze.rows, len(maze.keys)) == (13, 2)


def test_the_command_line_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "maze.json"
    file.write_text(
        '{"maze": {"dimensions": [5, 3], "start": [1, 1], "goal": [3, 1]}, "validation": {"is_valid": false}}'
    )
    assert main(["validate", "--json", str(file)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in said["checks"] if not each["passed"]] == ["claim:is_valid"]
    assert main(["validate", str(tmp_path / "absent.json")]) == 2
    assert (
        main(
            [
                "generate",
                "--count",
                "1",
                "--out",
                str(tmp_path / "x"),
                "--spec",
                "{}",
                "--topology",
                "side_vault",
            ]
        )
        == 2
    )
    assert "not both" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--chain ksk --rows 30", "--chain, --rows: only with --topology"),
        ("--wrong-keys 3", "--wrong-keys: only with --topology"),
        ("--tier 2 --cols 30", "--cols: only with --topology"),
        ("--spec {} --chain none", "--chain: only with --topology"),
        ("--workers -5", "workers must be at least 1, got -5"),
        (
            "--splits 1/0",
            "--splits must be the shares of train/validation/test, such as 0.8/0.1/0.1, got '1/0'",
        ),
        ("--splits a/b/c", "--splits must be the shares"),
        ("--topology dense_maze --rows 3", "spec.rows must be an integer from 5"),
    ],
)
def test_no_option_is_ignored(
    options: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--count", "2", "--out", str(tmp_path / "out"), *options.split()]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")
    assert not (tmp_path / "out").exists()


def test_a_spec_comes_as_text_or_as_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "spec.json").write_text(SMALL.to_json())
    for number, given in enumerate((SMALL.to_json(), str(tmp_path / "spec.json"))):
        assert main(["generate", "--count", "2", "--out", str(tmp_path / str(number)), "--spec", given]) == 0
    assert contents(tmp_path / "0") == contents(tmp_path / "1")
    assert capsys.readouterr().err


class Screen:
    """A stream that says whether it is a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        self.terminal, self.text = terminal, ""

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_has_a_rate_and_the_time_left(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> None:
    screen = Screen(terminal=terminal)
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    line = ProgressLine(screen)  # type: ignore[arg-type]  # as much of a text stream as it uses
    line.show(Progress(1, 900, 0, 0, 1.0, 899.0))
    assert not screen.text  # a moment ago
    now[0] = 11.0
    line.show(Progress(300, 900, 2, 1, 27.0, 83.0))
    line.finish(Progress(900, 900, 2, 1, 30.0, None))
    assert "300/900 mazes, 27/s, 1 min 23 s left (2 duplicates dropped, 1 not made)" in screen.text
    assert ("\r" in screen.text) == terminal
    assert screen.text.endswith("\n")
