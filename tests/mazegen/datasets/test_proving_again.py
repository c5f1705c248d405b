"""A data set is proved again from its files alone, and held to its manifest."""

from __future__ import annotations

import dataclasses
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from mazegen import codec
from mazegen.datasets.config import DatasetConfig
from mazegen.datasets.folder import JOURNAL, PICTURES
from mazegen.datasets.proving_again import Validated, validate_path
from mazegen.errors import NoMazeFiles
from mazegen.generate_dataset import generate_dataset
from mazegen.generation.spec import MazeGenSpec
from mazegen.validation.difficulty import Difficulty

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 8
MEASURES = [each.name for each in dataclasses.fields(Difficulty)]
SAID = [
    "level_id", "split", "seed", "tier", "topology", "chain", "size", "content_hash", "layout_hash",
    *MEASURES, "spec", "candidate",
]  # fmt: skip


def failures(found: list[Validated]) -> dict[str, list[tuple[str, str]]]:
    """What failed, by where it lies."""
    return {
        each.where: [(check.name, check.reason) for check in each.report.failed]
        for each in found
        if not each.report.passed
    }


@pytest.fixture(scope="module", params=[True, False], ids=["files", "shards"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set with mazes in each of its splits."""
    folder = tmp_path_factory.mktemp("made") / "set"
    generate_dataset(folder, COUNT, tier=1, as_files=request.param, splits=(0.6, 0.2, 0.2))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "set")
    return tmp_path / "set"


def manifest_of(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return loaded


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest))


def another(said: Any) -> Any:
    """Something else of the same kind."""
    if isinstance(said, str):
        return "test" if said == "train" else "train" if said in ("test", "validation") else f"{said}0"
    if isinstance(said, dict):
        return said | {"params": {"turns": 99}}
    return [*reversed(said), 1] if isinstance(said, list) else said + 1


def why(folder: Path) -> dict[str, str]:
    """What the manifest is blamed for, by where; nothing else may have failed."""
    found = failures(list(validate_path(folder)))
    assert {name for reasons in found.values() for name, _ in reasons} <= {"claim:manifest"}
    return {where: reasons[0][1] for where, reasons in found.items()}


def test_an_honest_data_set_is_believed(folder: Path) -> None:
    found = list(validate_path(folder))
    assert len(found) == COUNT
    assert failures(found) == {}
    assert all(each.report.checks[-1].name == "claim:manifest" for each in found)
    listed = json.loads((folder / "manifest.json").read_text())["levels"]
    places = {(each.file.relative_to(folder).as_posix(), each.line) for each in found}
    assert places == {(row["file"], row.get("line")) for row in listed}


@pytest.mark.parametrize("name", SAID)
def test_every_lie_of_a_row_is_caught(folder: Path, name: str) -> None:
    manifest = manifest_of(folder)
    row = manifest["levels"][3]
    assert set(row) == {*SAID, "file"} | ({"line"} & set(row))
    row[name] = another(row[name])
    write_manifest(folder, manifest)
    head = str(folder / "manifest.json")  # which counts splits, and says a tier
    (reason,) = (reason for where, reason in why(folder).items() if where != head)
    assert f"it says {name} {row[name]!r}" in reason
    del row[name]
    write_manifest(folder, manifest)
    (reason,) = (reason for where, reason in why(folder).items() if where != head)
    assert f"it does not say {name}" in reason or reason.startswith("it says candidate None, ")


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        ({"splits": dict.fromkeys(("train", "validation", "test"), 0)}, "it says splits {'train': 0, "),
        ({"candidates": 1}, f"it says 1 candidates, 0 duplicates and 0 failed for {COUNT} mazes"),
        ({"duplicates": 7}, "7 duplicates"),
        ({"failed": "many"}, "many failed"),
        ({"config": {"count": 5}}, f"it lists {COUNT} mazes, its config says 5"),
        ({"config": {"tier": 3}}, "its config says tier 3"),
        ({"config": {"tier": None, "spec": {"topology": "dense_maze"}}}, "its config says a spec"),
        ({"config": {"count": "many"}}, "its config: it holds a value of another kind"),
        ({"config": {"splits": {"train": 1}}}, "its config: it lacks 'validation'"),
        ({"config": {"format": 1}}, "its config: format must be 2, got 1"),
    ],
    ids=str,
)
def test_every_lie_of_the_head_is_caught(folder: Path, lie: dict[str, Any], reason: str) -> None:
    manifest = manifest_of(folder)
    if "config" in lie:
        lie = {"config": manifest["config"] | lie["config"]}
    write_manifest(folder, manifest | lie)
    found = why(folder)
    assert list(found) == [str(folder / "manifest.json")]
    assert reason in found[str(folder / "manifest.json")]


@pytest.mark.parametrize("lie", [{"seed": 1}, {"splits": {"train": 0.0, "validation": 0.0, "test": 1.0}}])
def test_a_config_that_would_make_other_mazes_is_caught(folder: Path, lie: dict[str, Any]) -> None:
    manifest = manifest_of(folder)
    write_manifest(folder, manifest | {"config": manifest["config"] | lie})
    assert why(folder)


def test_a_config_is_read_as_it_was_written(folder: Path) -> None:
    assert DatasetConfig.from_dict(manifest_of(folder)["config"]).to_dict() == manifest_of(folder)["config"]


@pytest.mark.parametrize("part", ["topology", "rows"])
def test_a_spec_that_makes_another_maze_is_caught_even_if_the_manifest_agrees(
    folder: Path, part: str
) -> None:
    """The seed is held to the candidate, and the chain to the steps; the rest of a spec is tried out."""
    first = next(validate_path(folder))
    assert first.maze is not None
    metadata = first.maze.metadata
    spec = metadata["spec"]
    if part == "topology":
        spec["topology"] = "multi_route" if spec["topology"] != "multi_route" else "dense_maze"
        spec["params"] = None
    else:
        spec["rows"] = spec["rows"] + 1
    told = dataclasses.replace(first.maze, metadata_json=json.dumps(metadata, sort_keys=True))
    lines = first.file.read_text().splitlines(keepends=True)
    rest = lines[1:] if first.line is not None else []
    first.file.write_text(json.dumps(codec.to_dict(told)) + "\n" + "".join(rest))
    manifest = manifest_of(folder)
    name = first.file.relative_to(folder).as_posix()
    row = next(each for each in manifest["levels"] if (each["file"], each.get("line")) == (name, first.line))
    row["topology"], row["spec"] = spec["topology"], MazeGenSpec.from_dict(spec).to_dict()
    write_manifest(folder, manifest)
    assert why(folder) == {first.where: "its spec and its seed make another maze"}


def test_a_maze_of_train_once_more_in_test_is_caught(folder: Path) -> None:
    manifest = manifest_of(folder)
    row = next(row for row in manifest["levels"] if row["split"] == "train")
    mine = row | {"split": "test"}
    if "line" in row:
        shard = folder / "test-00000.jsonl"
        text = (folder / row["file"]).read_text().splitlines(keepends=True)[row["line"]]
        mine |= {"file": shard.name, "line": len(shard.read_text().splitlines())}
        with shard.open("a") as lines:
            lines.write(text)
        first, where = f"{folder / row['file']}:{row['line'] + 1}", f"{shard}:{mine['line'] + 1}"
    else:
        mine["file"] = "test/maze_000099.json"
        shutil.copy(folder / row["file"], folder / mine["file"])
        first, where = str(folder / row["file"]), str(folder / mine["file"])
    manifest["levels"].append(mine)
    manifest["splits"]["test"] += 1
    manifest["config"]["count"] += 1
    manifest["candidates"] += 1
    write_manifest(folder, manifest)
    twice = sorted(why(folder).items())
    reasons = "; ".join(reason for _, reason in twice)
    assert "it says split 'test', not 'train'" in reasons
    assert " once more, as it is, turned or recoloured" in reasons
    assert {each for each, _ in twice} <= {first, where}
    assert f"it lies in {mine['file']}, and belongs to train" in dict(twice)[where]


def test_a_maze_that_was_moved_to_another_split_is_caught(folder: Path) -> None:
    manifest = manifest_of(folder)
    row = next(row for row in manifest["levels"] if row["split"] == "train")
    old = folder / row["file"]
    row["file"] = row["file"].replace("train", "test").replace("00000", "00009")
    if "line" in row:  # the whole shard
        for each in manifest["levels"]:
            each["file"] = each["file"].replace("train-00000", "test-00009")
    old.rename(folder / row["file"])
    write_manifest(folder, manifest)
    assert set(why(folder).values()) == {f"it lies in {row['file']}, and belongs to train"}


def test_two_rows_for_one_maze_are_caught(folder: Path) -> None:
    manifest = manifest_of(folder)
    manifest["levels"].append(manifest["levels"][0])
    write_manifest(folder, manifest)
    row = manifest["levels"][0]
    where = str(folder / row["file"]) + (f":{row['line'] + 1}" if "line" in row else "")
    found = why(folder)
    assert set(found) == {where, str(folder / "manifest.json")}
    assert found[where] == "the manifest lists it 2 times"


def test_pictures_beside_the_mazes_are_no_mazes(folder: Path) -> None:
    (folder / PICTURES).write_text('{"picture": "train-00000/00001.png", "digest": "0"}\n')
    assert why(folder) == {}


def test_a_maze_that_cannot_be_measured_is_not_as_the_manifest_says(folder: Path) -> None:
    first = next(validate_path(folder))
    assert first.maze is not None
    rows, cols = first.maze.rows, first.maze.cols
    sealed = bytes(
        int(cell not in (first.maze.cell(first.maze.start), first.maze.cell(first.maze.goal)))
        for cell in range(rows * cols)
    )
    bare = codec.to_dict(
        dataclasses.replace(first.maze, walls=sealed, keys=(), doors=(), switches=(), gates=())
    )
    lines = first.file.read_text().splitlines(keepends=True)
    first.file.write_text(json.dumps(bare) + "\n" + "".join(lines[1:] if first.line is not None else []))
    reasons = dict(failures(list(validate_path(folder)))[first.where])
    assert reasons["claim:manifest"].startswith("what it says cannot be proved: ")


def test_a_suite_is_held_to_what_its_manifest_says(folder: Path) -> None:
    manifest = manifest_of(folder)
    rows = manifest["levels"]
    bare = [{name: row[name] for name in ("file", "line", "content_hash") if name in row} for row in rows]
    write_manifest(folder, {"suite": "mine", "levels": bare})
    assert why(folder) == {}
    bare[0]["turns"] = 99
    del bare[1]["content_hash"]
    write_manifest(folder, {"suite": "mine", "levels": bare})
    found = sorted(why(folder).values())
    assert found[0].startswith("it does not say content_hash, which is ")
    assert found[1].startswith("it says turns 99, not ")
    assert len(found) == 2


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


@pytest.mark.parametrize(
    "text", ['{"levels": 5}', "[" * 100_000, '{"levels": [[]]}'], ids=["5", "deep", "[]"]
)
def test_a_manifest_of_something_else_is_read_as_a_maze(tmp_path: Path, text: str) -> None:
    maze = next(validate_path(_one_shard(tmp_path))).maze
    assert maze is not None
    folder = tmp_path / "mine"
    folder.mkdir()
    codec.dump(maze, folder / "a.json")
    (folder / "manifest.json").write_text(text)
    (folder / "notes.txt").write_text("no maze")
    assert list(failures(list(validate_path(folder)))) == [str(folder / "manifest.json")]


def _one_shard(tmp_path: Path) -> Path:
    generate_dataset(tmp_path / "one", 2, tier=1, splits=(1, 0, 0))
    return tmp_path / "one" / "train-00000.jsonl"
