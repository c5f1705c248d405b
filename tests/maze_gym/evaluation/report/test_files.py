"""Tables, plots and movies as files."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.analysis.metrics import success_rate
from maze_gym.evaluation.report import Table, examine, tables
from maze_gym.evaluation.report.breakdown import MOST_GROUPS, OTHERS, SHORTEST_PLAN, SIZE, breakdown
from maze_gym.evaluation.report.movie import find_episode, frames, save_movie
from maze_gym.evaluation.report.plots import save_plots
from maze_gym.evaluation.report.table_files import save_tables

from ...levels import ALL_KINDS, CORRIDOR, TALL, TRAP
from ..played_runs import level_folder, play

if TYPE_CHECKING:
    from pathlib import Path

    from maze_gym.evaluation.analysis.contenders import Contender
    from maze_gym.evaluation.report import Material
    from maze_gym.evaluation.storage.run_reading import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("files")
    levels = level_folder(root / "levels", [ALL_KINDS, CORRIDOR, TALL, TRAP])
    return play(root / "run", ["greedy", "oracle", "oracle-chat"], levels)


@pytest.fixture(scope="module")
def material(run: Run) -> Material:
    return examine([run], replays=0)


def by_name(material: Material) -> dict[str, Table]:
    return {table.name: table for table in tables(material.contenders)}


def rows_of(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_every_table_has_as_many_cells_as_columns(material: Material) -> None:
    for table in tables(material.contenders):
        assert len(set(table.columns)) == len(table.columns)
        assert {len(row) for row in table.rows} <= {len(table.columns)}


def test_the_oracle_is_perfect_in_the_table_of_results(material: Material) -> None:
    row = rows_of(by_name(material)["results"])[1]
    perfect = (
        "success_rate",
        "spl",
        "spl_cells",
        "progress",
        "soft_spl",
        "optimal_rate",
        "steps_over_optimal",
    )
    assert (row["contender"], [row[name] for name in perfect]) == ("oracle", [1.0] * len(perfect))
    assert (row["regret"], row["dead_rate"], row["blocked_rate"]) == (0, 0, 0)


def test_episodes_add_up_to_the_results(material: Material) -> None:
    episodes, results = rows_of(by_name(material)["episodes"]), rows_of(by_name(material)["results"])
    for row in results:
        mine = [each for each in episodes if each["contender"] == row["contender"]]
        assert sum(each["success"] for each in mine) == row["successes"]
        assert sum(each["steps"] for each in mine) / len(mine) == row["steps"]
    failures = rows_of(by_name(material)["failures"])
    assert all(sum(value for name, value in row.items() if name != "contender") == 4 for row in failures)


def test_a_breakdown_divides_the_episodes_and_loses_none(material: Material) -> None:
    groups = breakdown(material.contenders)
    assert {SIZE, SHORTEST_PLAN} <= {group.by for group in groups}
    for by in {group.by for group in groups}:
        for contender in material.contenders:
            mine = [group for group in groups if (group.by, group.contender) == (by, contender.label)]
            assert sum(group.trials for group in mine) == 4
            assert sum(group.successes for group in mine) == success_rate(contender.plain).successes


def tagged(contender: Contender, values: list[Any]) -> Contender:
    """The contender with as many episodes as values, each on a level with that quality."""
    one = contender.episodes[0]
    many = tuple(one._replace(tags={"quality": value}) for value in values)
    return replace(contender, episodes=many, indices=tuple(range(len(many))))


def test_too_many_words_are_the_frequent_ones_and_the_others(material: Material) -> None:
    words = [f"word {number}" for number in range(30)] + ["word 3"] * 5
    groups = [each for each in breakdown([tagged(material.contenders[0], words)]) if each.by == "quality"]
    assert len(groups) == MOST_GROUPS
    assert groups[-1].value == OTHERS
    assert next(each.trials for each in groups if each.value == "word 3") == 6


def test_too_many_numbers_are_ranges_in_order(material: Material) -> None:
    groups = [
        each for each in breakdown([tagged(material.contenders[0], list(range(40)))]) if each.by == "quality"
    ]
    assert [each.value for each in groups] == ["0 - 9", "10 - 19", "20 - 29", "30 - 39"]


def test_one_value_is_nothing_to_break_down_by(material: Material) -> None:
    assert not breakdown([tagged(material.contenders[0], ["same"] * 3)])


def test_csv_comes_back(material: Material, tmp_path: Path) -> None:
    written = save_tables(tables(material.contenders), tmp_path / "out", "csv")
    assert [path.name for path in written][:1] == ["results.csv"]
    with (tmp_path / "out" / "episodes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert {row["contender"] for row in rows} == {"greedy", "oracle", "oracle-chat"}


def test_no_name_becomes_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    table = Table("names", ("name", "number"), [("=1+1", -1), ("@here", -2.5)])
    (path,) = save_tables([table], tmp_path, "csv")
    assert path.read_text() == "name,number\n'=1+1,-1\n'@here,-2.5\n"


@pytest.mark.extra("pyarrow", "data")
def test_parquet_comes_back(material: Material, tmp_path: Path) -> None:
    from pyarrow import parquet

    found = tables(material.contenders)
    for table, path in zip(found, save_tables(found, tmp_path, "parquet"), strict=True):
        assert [tuple(row.values()) for row in parquet.read_table(path).to_pylist()] == table.rows


@pytest.mark.extra("matplotlib", "plot")
@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_plots_are_written(material: Material, tmp_path: Path, kind: str) -> None:
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[kind]
    written = save_plots(material.contenders, tmp_path / "plots", kind)
    assert [path.name for path in written] == [
        f"{name}.{kind}" for name in ("success", "failures", "breakdown")
    ]
    assert all(path.read_bytes().startswith(begins) for path in written)


def test_unknown_kinds_of_files_are_refused(material: Material, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="one of csv, parquet, got 'xls'"):
        save_tables([], tmp_path, "xls")
    with pytest.raises(InvalidArgument, match="one of png, pdf, svg, got 'bmp'"):
        save_plots(material.contenders, tmp_path, "bmp")
    with pytest.raises(InvalidArgument, match="ends in gif or mp4"):
        save_movie([], tmp_path / "movie.avi")


@pytest.mark.extra("PIL", "plot")
def test_a_gif_shows_every_step_of_an_episode(run: Run, tmp_path: Path) -> None:
    from PIL import Image, ImageSequence

    outcome = find_episode(run, "oracle", 1)
    pictures = frames(run, outcome, cell_px=8)
    assert len(pictures) == outcome.episode.steps + 1
    save_movie(pictures, tmp_path / "movie.gif")
    with Image.open(tmp_path / "movie.gif") as image:
        shown = [frame.size for frame in ImageSequence.Iterator(image)]
    assert shown == [pictures[0].shape[1::-1]] * len(pictures)


@pytest.mark.slow
@pytest.mark.extra("moviepy", "video")
def test_an_mp4_is_written(run: Run, tmp_path: Path) -> None:
    save_movie(frames(run, find_episode(run, "oracle", 1), cell_px=16), tmp_path / "movie.mp4")
    assert (tmp_path / "movie.mp4").read_bytes()[4:8] == b"ftyp"


def test_an_episode_that_is_not_there_is_named(run: Run) -> None:
    with pytest.raises(
        InvalidArgument, match=r"no episode 9 of 'oracle': its episodes are 0 to 3; policies: "
    ):
        find_episode(run, "oracle", 9)
    with pytest.raises(InvalidArgument, match="no episode 0 of 'nobody': it has played none"):
        find_episode(run, "nobody", 0)
    with pytest.raises(InvalidArgument, match=r"name a policy; .* has greedy, oracle, oracle-chat"):
        find_episode(run, None, 0)


def test_a_movie_of_a_level_that_is_lost_is_refused(run: Run) -> None:
    with pytest.raises(InvalidArgument, match="does not hold the level of episode 1 of oracle"):
        frames(replace(run, levels={}), find_episode(run, "oracle", 1))
