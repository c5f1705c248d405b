"""Every command writes whole files or none: a full disk leaves what was there, and the error names it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from maze_gym.errors import NotWritten
from mazegen import codec
from mazegen.core.whole_file import append_whole, whole_file, write_whole

from .evaluation.played_runs import level_folder, play
from .levels import ALL_KINDS, CORRIDOR, TALL

if TYPE_CHECKING:
    from pathlib import Path

OLD = b"what was there before"
LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1))
from maze_gym.cli import main
if "train" in sys.argv:
    import torch, stable_baselines3
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
main()
"""


class Case(NamedTuple):
    """A command, the file of which it writes too much, and how large files may be."""

    command: str
    file: str
    limit: int
    has_old: bool = True


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="limits of POSIX"),
]
PLOT, DATA = pytest.mark.extra("matplotlib", "plot"), pytest.mark.extra("pyarrow", "data")
CASES = [
    Case("report run -o report.html", "report.html", 30_000),
    Case("report run --format csv -o tables", "tables/results.csv", 40),
    pytest.param(Case("report run --format parquet -o tables", "tables/results.parquet", 1_000), marks=DATA),
    pytest.param(Case("report run --format png -o plots", "plots/success.png", 4_000), marks=PLOT),
    pytest.param(Case("report run --format svg -o plots", "plots/success.svg", 4_000), marks=PLOT),
    pytest.param(Case("report run --format pdf -o plots", "plots/success.pdf", 4_000), marks=PLOT),
    pytest.param(
        Case("report run --policy oracle -o film.gif", "film.gif", 700),
        marks=pytest.mark.extra("PIL", "plot"),
    ),
    pytest.param(
        Case("report run --policy oracle -o film.mp4", "film.mp4", 700),
        marks=pytest.mark.extra("moviepy", "video"),
    ),
    Case("render levels --out pictures", "pictures/corridor.png", 90),
    Case("render classic --env PacmanArray-v0 --out pictures", "pictures/", 90, has_old=False),
    pytest.param(Case("render levels --out pictures --format svg", "pictures/corridor.svg", 500), marks=PLOT),
    pytest.param(Case("render levels --out pictures --format pdf", "pictures/corridor.pdf", 500), marks=PLOT),
    Case("render levels --sheet --out pictures", "pictures/contact_sheet-1.png", 5_000),
    Case("generate --count 20 --tier 1 --out set", "set/train-00000.jsonl", 2_000, has_old=False),
    Case("generate --count 2 --tier 1 --files --out set", "set/", 300, has_old=False),
    Case("evaluate --levels levels --policy random --out other", "other/config.json", 100, has_old=False),
    Case("evaluate --levels levels --policy random --out other", "other/", 900, has_old=False),
    Case("export chat --levels levels --policy oracle --out chats", "chats/", 3_000, has_old=False),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("whole")
    play(root / "run", ["greedy", "oracle"], level_folder(root / "levels", [ALL_KINDS, CORRIDOR, TALL]))
    return root


def limited(root: Path, command: str, limit: int) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-c", LIMITED, str(limit), *command.split()]
    # A disk without room has none for measurements of coverage either.
    unmeasured = {name: value for name, value in os.environ.items() if name != "COVERAGE_PROCESS_CONFIG"}
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, cwd=root, timeout=200, env=unmeasured
    )


def files_in(root: Path) -> dict[str, bytes]:
    return {str(each.relative_to(root)): each.read_bytes() for each in root.rglob("*") if each.is_file()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.command} ({case.limit})")
def test_a_full_disk_leaves_what_was_there_and_the_error_names_the_file(
    case: Case, played: Path, tmp_path: Path
) -> None:
    for name in ("run", "levels"):
        (tmp_path / name).symlink_to(played / name)
    old = tmp_path / case.file
    if case.has_old:
        old.parent.mkdir(exist_ok=True)
        old.write_bytes(OLD)
    ended = limited(tmp_path, case.command, case.limit)
    assert ended.returncode in {1, 2}, ended.stderr
    assert f"{case.file}" in ended.stderr
    assert "could not be written: " in ended.stderr
    assert "Traceback" not in ended.stderr
    if case.has_old:
        assert old.read_bytes() == OLD
    left = {name for name in files_in(tmp_path) if name.rpartition("/")[2].startswith(".")}
    assert left <= {"set/.progress.jsonl", "set/.rows.jsonl", "other/.lock"}


def test_a_data_set_that_met_a_full_disk_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    command = "generate --count 20 --tier 1 --out {}"
    assert limited(tmp_path, command.format("cut"), 9_000).returncode == 2
    for folder in ("cut", "whole"):
        assert limited(tmp_path, command.format(folder), 1 << 30).returncode == 0
    assert files_in(tmp_path / "cut") == files_in(tmp_path / "whole")


@pytest.mark.extra("minari", "minari")
def test_half_a_minari_data_set_is_none(played: Path) -> None:
    ended = limited(played, "export minari --levels levels --out sets --name maze/oracle-v0", 300)
    assert ended.returncode == 2
    assert "sets/maze/oracle-v0 could not be written: " in ended.stderr
    assert not (played / "sets" / "maze" / "oracle-v0").exists()


@pytest.mark.extra("stable_baselines3", "rl")
def test_a_training_that_meets_a_full_disk_keeps_the_policy_that_was_there(tmp_path: Path) -> None:
    command = "train --env MazeNLU-Navigation-9x9-v0 --steps 512 --out run"
    ended = limited(tmp_path, command, 10_000)
    assert ended.returncode == 2
    assert "run/policy.npz could not be written: the file would be too large" in ended.stderr
    assert not (tmp_path / "run" / "policy.npz").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    write_whole("/dev/null", b"words")
    assert os.path.exists("/dev/null")  # noqa: PTH110
    assert not os.path.isfile("/dev/null")  # noqa: PTH113
    with pytest.raises(NotWritten, match="/dev/full could not be written: the disk is full"):
        write_whole("/dev/full", b"words")
    with pytest.raises(NotWritten, match="/dev/full could not be written: the disk is full"):
        append_whole("/dev/full", b"words")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target")
    write_whole(link, "words")
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "words"


def test_an_error_amid_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_bytes(OLD)
    target.chmod(0o640)

    def stop_amid_writing() -> None:
        with whole_file(target) as unfinished:
            unfinished.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stop_amid_writing()
    assert files_in(tmp_path) == {"a.txt": OLD}
    write_whole(target, "new")
    assert target.stat().st_mode & 0o777 == 0o640
    assert files_in(tmp_path) == {"a.txt": b"new"}


def test_what_cannot_be_a_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(NotWritten, match="it is a folder; name a file"):
        write_whole(tmp_path, "words")
    with pytest.raises(
        NotWritten, match=r"nowhere/a\.json could not be written: there is no such file or folder"
    ):
        codec.dump(CORRIDOR, tmp_path / "nowhere" / "a.json")
    long = tmp_path / ("\u00e9" * 120 + ".txt")
    write_whole(long, "words")
    assert long.read_text() == "words"
