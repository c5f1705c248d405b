"""Where puzzles come from, and what is said when they do not."""

from __future__ import annotations

import json
import pickle
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.levels import datasets
from maze_gym.envs.sparc.levels.datasets import HUB_ID, HUB_REVISION, BadRecord, load_puzzles
from maze_gym.envs.sparc.levels.record import to_record
from maze_gym.errors import InvalidArgument, LevelsNotFound, MissingExtra

from .. import puzzles as boards

if TYPE_CHECKING:
    from pathlib import Path

PUZZLE = boards.board("S + E \n + N . \n + + +")
OTHER = boards.board("S + E \n + N + \n + . +", id="other")


def write(folder: Path, *lines: str, name: str = "some.jsonl") -> Path:
    """A file of such lines."""
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def line(puzzle: Any, **fields: object) -> str:
    """The line of a puzzle, with some fields changed."""
    return json.dumps(to_record(puzzle) | fields)


def test_a_file_of_records_is_read_in_its_order(tmp_path: Path) -> None:
    path = write(tmp_path, line(PUZZLE), "", json.dumps(to_record(OTHER, short=True)))
    assert load_puzzles(path) == load_puzzles(str(path)) == (PUZZLE, OTHER)


@boards.needs_sample
def test_the_shared_sample_is_read() -> None:
    assert len(load_puzzles(boards.SAMPLE)) == 103


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("{", "no JSON"),
        pytest.param("[" * 100_000, "no JSON", id="deep"),
        ("[]", "must be an object, got list"),
        (line(OTHER, puzzle_array=[["?"]]), "puzzle 'other': puzzle_array: must have an odd number of rows"),
        (line(OTHER, solution_count=3), "puzzle 'other': solution_count"),
        (line(PUZZLE), "puzzle 'drawn' is there already"),
    ],
)
def test_a_wrong_line_is_refused_by_file_line_id_and_field(tmp_path: Path, wrong: str, problem: str) -> None:
    with pytest.raises(BadRecord) as caught:
        load_puzzles(write(tmp_path, line(PUZZLE), "", wrong))
    assert str(caught.value).startswith("some.jsonl, line 3: ")
    assert problem in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - our own bytes


def test_a_source_that_is_not_there_is_named_with_what_is(tmp_path: Path) -> None:
    with pytest.raises(LevelsNotFound, match="did you mean 'spatial-train'"):
        load_puzzles("spatial-trian")
    with pytest.raises(LevelsNotFound, match="one of spatial, spatial-test"):
        load_puzzles(tmp_path / "none.jsonl")
    with pytest.raises(LevelsNotFound, match=r"empty\.jsonl holds no puzzle"):
        load_puzzles(write(tmp_path, "", name="empty.jsonl"))
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(LevelsNotFound, match=r"latin\.jsonl: this is no text in UTF-8"):
        load_puzzles(tmp_path / "latin.jsonl")
    with pytest.raises(InvalidArgument, match="got int"):
        load_puzzles(3)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (HUB_ID, "puzzle_all_test.jsonl"),
        (f"{HUB_ID}:dots", "puzzle_dots_test.jsonl"),
        (f"{HUB_ID}:polys_ylops:train", "puzzle_polys_ylops_train.jsonl"),
    ],
)
def test_the_public_data_set_is_downloaded_by_its_revision(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, file: str
) -> None:
    asked = []

    def download(repository: str, filename: str, *, repo_type: str, revision: str) -> str:
        asked.append((repository, filename, repo_type, revision))
        return str(write(tmp_path, line(PUZZLE)))

    monkeypatch.setattr(datasets, "require", lambda *_: SimpleNamespace(hf_hub_download=download))
    assert load_puzzles(name) == (PUZZLE,)
    assert asked == [(HUB_ID, file, "dataset", HUB_REVISION)]


@pytest.mark.parametrize("base", [OSError, type("HTTPError", (Exception,), {})])
def test_a_download_that_fails_is_told_as_levels_that_are_not_there(
    monkeypatch: pytest.MonkeyPatch, base: type[Exception]
) -> None:
    def download(*_: str, **__: str) -> str:
        msg = "no network\nand a page of advice"
        raise type("OfTheHub", (base,), {})(msg)

    hub = SimpleNamespace(hf_hub_download=download, HTTPError=base)
    monkeypatch.setattr(datasets, "require", lambda *_: hub)
    with pytest.raises(
        LevelsNotFound, match=r"puzzle_all_test\.jsonl of .* downloaded: no network; try again"
    ):
        load_puzzles(HUB_ID)
    with pytest.raises(
        LevelsNotFound, match=r"puzzle_dots_test\.jsonl of .* downloaded: no network; try again"
    ):
        SpatialGymEnv(puzzles=f"{HUB_ID}:dots")


@pytest.mark.parametrize(
    ("part", "problem"),
    [("best", "no config 'best'"), ("all:dev", "no split 'dev'"), ("all:test:1", "named")],
)
def test_parts_that_the_public_data_set_has_not_are_refused(part: str, problem: str) -> None:
    with pytest.raises(InvalidArgument, match=problem):
        load_puzzles(f"{HUB_ID}:{part}")


def test_the_public_data_set_names_the_extra_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr("maze_gym.extras.importlib.import_module", absent)
    with pytest.raises(MissingExtra, match=r"maze-gym\[hf\]"):
        load_puzzles(HUB_ID)


def test_a_suite_that_was_tampered_with_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = datasets.manifest()
    wrong["splits"]["validation"]["sha256"] = "0"
    monkeypatch.setattr(datasets, "manifest", lambda: wrong)
    for cached in (datasets._bundled, datasets.bundled_records, datasets._by_name):
        cached.cache_clear()
    with pytest.raises(LevelsNotFound, match=r"validation\.jsonl is not the published suite"):
        load_puzzles("spatial-validation")
    for cached in (datasets._bundled, datasets.bundled_records, datasets._by_name):
        cached.cache_clear()
