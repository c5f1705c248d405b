"""A data set is proved again from its files alone, and held to its manifest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mazegen import codec
from mazegen.dataset_folder import JOURNAL
from mazegen.errors import NoMazeFiles
from mazegen.generate_dataset import generate_dataset
from mazegen.validate_dataset import Validated, validate_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COUNT = 8


def failures(found: list[Validated]) -> dict[str, list[tuple[str, str]]]:
    """What failed, by where it lies."""
    return {
        each.where: [(check.name, check.reason) for check in each.report.failed]
        for each in found
        if not each.report.passed
    }


@pytest.fixture(params=[True, False], ids=["files", "shards"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    generate_dataset(tmp_path / "set", COUNT, tier=1, as_files=request.param, splits=(0.6, 0.2, 0.2))
    return tmp_path / "set"


def test_an_honest_data_set_is_believed(folder: Path) -> None:
    found = list(validate_path(folder))
    assert len(found) == COUNT
    assert failures(found) == {}
    assert all(each.report.checks[-1].name == "claim:manifest" for each in found)
    listed = json.loads((folder / "manifest.json").read_text())["levels"]
    places = {(each.file.relative_to(folder).as_posix(), each.line) for each in found}
    assert places == {(row["file"], row.get("line")) for row in listed}


@pytest.mark.parametrize(
    ("name", "lie"),
    [
        ("optimal_actions", lambda said: said + 1),
        ("optimal_cost", lambda said: said - 1),
        ("content_hash", lambda said: said[::-1]),
        ("states", lambda said: said * 2),
        ("level_id", lambda _: "another"),
    ],
)
def test_a_lie_in_the_manifest_is_caught(folder: Path, name: str, lie: Callable[[Any], Any]) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    row = manifest["levels"][3]
    row[name] = lie(row[name])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (reasons,) = failures(list(validate_path(folder))).values()
    assert [check for check, _ in reasons] == ["claim:manifest"]
    assert reasons[0][1].startswith(f"it says {name} {row[name]!r}, not ")


def test_a_maze_that_is_missing_and_one_too_many_are_named(folder: Path) -> None:
    first = next(validate_path(folder))
    assert first.maze is not None
    if first.line is None:
        first.file.rename(first.file.with_name("renamed.json"))
        extra = str(first.file.with_name("renamed.json"))
        missing = str(first.file)
    else:
        lines = first.file.read_text().splitlines(keepends=True)
        (folder / "extra.jsonl").write_text(lines.pop())
        first.file.write_text("".join(lines))
        extra, missing = str(folder / "extra.jsonl:1"), f"{first.file}:{len(lines) + 1}"
    found = list(validate_path(folder))
    assert len(found) == COUNT + 1
    assert failures(found) == {
        extra: [("claim:manifest", "the manifest does not list it")],
        missing: [("claim:manifest", "the manifest lists it, but it is not there")],
    }


def test_a_changed_maze_breaks_its_own_claims_and_the_manifest(folder: Path) -> None:
    first = next(validate_path(folder))
    assert first.maze is not None
    text = first.file.read_text()
    wall = json.loads(text.splitlines()[0] if first.line is not None else text)["maze"]["start_facing"]
    changed = text.replace(f'"start_facing": "{wall}"', '"start_facing": "SOUTH"', 1)
    first.file.write_text(changed)
    names = [name for name, _ in failures(list(validate_path(folder)))[first.where]]
    assert names[0].startswith("claim:")
    assert names[-1] == "claim:manifest"


def test_what_is_no_maze_is_one_failed_check(folder: Path) -> None:
    first = next(validate_path(folder))
    text = first.file.read_text()
    first.file.write_text(text.replace('"seed"', '"sead"', 1))
    found = failures(list(validate_path(folder)))
    assert list(found) == [first.where]
    assert [name for name, _ in found[first.where]] == ["well_formed"]


def test_an_unfinished_data_set_is_refused(folder: Path) -> None:
    (folder / JOURNAL).touch()
    with pytest.raises(NoMazeFiles, match="not finished; the command that made it goes on with it"):
        next(validate_path(folder))


def test_a_manifest_of_something_else_is_read_as_a_maze(tmp_path: Path) -> None:
    maze = next(validate_path(_one_shard(tmp_path))).maze
    assert maze is not None
    folder = tmp_path / "mine"
    folder.mkdir()
    codec.dump(maze, folder / "a.json")
    (folder / "manifest.json").write_text('{"levels": 5}')
    (folder / "notes.txt").write_text("no maze")
    assert list(failures(list(validate_path(folder)))) == [str(folder / "manifest.json")]


def _one_shard(tmp_path: Path) -> Path:
    generate_dataset(tmp_path / "one", 2, tier=1, splits=(1, 0, 0))
    return tmp_path / "one" / "train-00000.jsonl"
