"""``maze-gym report``, ``compare`` and ``leaderboard`` as one types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from maze_gym.cli import app
from maze_gym.errors import InvalidArgument, LevelsNotFound

from ..evaluation.played_runs import level_folder, play
from ..levels import ALL_KINDS, CORRIDOR, TALL
from .test_cli import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over three levels and one over two of them."""
    root = tmp_path_factory.mktemp("cli")
    levels = level_folder(root / "levels", [ALL_KINDS, CORRIDOR, TALL])
    play(root / "runs" / "first", ["greedy", "oracle"], levels)
    play(root / "runs" / "second", ["greedy", "oracle-chat"], levels)
    play(root / "others" / "third", ["greedy"], level_folder(root / "fewer", [CORRIDOR, TALL]))
    return root


def said(*arguments: Any) -> str:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_a_report_of_one_run_goes_into_its_folder(root: Path) -> None:
    assert "6 episodes to step through" in said("report", root / "runs" / "first", "--cell-px", 16)
    text = (root / "runs" / "first" / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "<h1>MazeNLU-v0</h1>" in text


def test_runs_stand_side_by_side(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "both.html"
    runs = [root / "runs" / name for name in ("first", "second")]
    said("report", *runs, "-o", file, "--title", "Two <runs>", "--replays", 2, "--cell-px", 16)
    text = file.read_text(encoding="utf-8")
    assert "<h1>Two &lt;runs&gt;</h1>" in text
    assert "greedy @ first" in text
    assert "greedy @ second" in text
    assert "10 episodes have no replay here" in text


def test_tables_go_into_a_folder(root: Path, tmp_path: Path) -> None:
    written = said("report", root / "runs" / "first", "--format", "csv", "-o", tmp_path).split()
    assert len(written) == 6
    assert (tmp_path / "pairs.csv").read_text().startswith("first,second,pairs")


@pytest.mark.extra("PIL", "plot")
def test_an_episode_becomes_a_gif(root: Path, tmp_path: Path) -> None:
    arguments = ("report", root / "runs" / "first", "--format", "gif", "--policy", "oracle", "--episode", 2)
    assert "success" in said(*arguments, "-o", tmp_path, "--cell-px", 8)
    assert (tmp_path / "oracle-2.gif").read_bytes().startswith(b"GIF89a")


def test_a_movie_of_two_runs_makes_no_sense(root: Path) -> None:
    with pytest.raises(InvalidArgument, match="one episode of one run; got 2 runs"):
        said("report", root / "runs" / "first", root / "runs" / "second", "--format", "gif")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "report.pdf"), "pdf makes several files, so -o must name a folder: --format pdf -o report"),
        (("-o", "plots.png", "--format", "svg"), "--format svg contradicts -o plots.png"),
        (("-o", "one.gif", "--format", "html"), "--format html contradicts -o one.gif"),
        (("-o", "one.mp4", "--format", "gif"), "--format gif contradicts -o one.mp4"),
        (("-o", "a.csv", "--format", "csv"), "csv makes several files"),
        (("-o", "one.html", "--policy", "oracle"), "--policy is for gif and mp4, and this makes html"),
        (("-o", "one.html", "--episode", "0"), "--episode is for gif and mp4, and this makes html"),
        (("--format", "csv", "--policy", "oracle"), "--policy is for gif and mp4, and this makes csv"),
        (("--format", "gif", "--title", "x"), "--title is for html, and this makes gif"),
        (("--format", "png", "--replays", "5"), "--replays is for html, and this makes png"),
    ],
)
def test_a_report_refuses_what_it_cannot_do(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, monkeypatch, "report", str(root / "runs" / "first"), *arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.extra("PIL", "plot")
def test_what_the_file_ends_in_says_what_is_made(root: Path, tmp_path: Path) -> None:
    said("report", root / "runs" / "first", "-o", tmp_path / "x.GIF", "--policy", "oracle", "--cell-px", 8)
    assert (tmp_path / "x.GIF").read_bytes().startswith(b"GIF89a")
    (tmp_path / "tables.csv").mkdir()  # a folder's name says nothing
    said("report", root / "runs" / "first", "-o", tmp_path / "tables.csv", "--cell-px", 8)
    assert (tmp_path / "tables.csv" / "report.html").exists()


@pytest.mark.parametrize("command", ["compare", "report"])
def test_a_run_beside_itself_is_refused(
    root: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = (root / "runs" / "first", root / "runs" / ".." / "runs" / "first")
    code, _, err = run(capsys, monkeypatch, command, *map(str, runs))
    assert (code, err) == (2, f"maze-gym: error: {runs[0]} is named 2 times; name each run once\n")


def test_no_run_no_report(tmp_path: Path) -> None:
    with pytest.raises(LevelsNotFound, match="holds no run"):
        said("report", tmp_path)


def test_two_runs_are_compared_policy_by_policy(root: Path) -> None:
    (found,) = json.loads(said("compare", root / "runs" / "first", root / "runs" / "second", "--json"))
    assert (found["first"], found["second"]) == ("greedy @ first", "greedy @ second")
    assert (found["paired"]["pairs"], found["paired"]["difference"]) == (3, 0.0)


def test_one_run_is_compared_with_itself(root: Path) -> None:
    text = said("compare", root / "runs" / "first")
    assert "oracle is ahead of greedy by 33.3 points, which may be chance" in " ".join(text.split())
    assert "exact McNemar" in text


def test_wins_on_repeated_levels_are_called_sums_of_shares(root: Path, tmp_path: Path) -> None:
    play(tmp_path / "run", ["greedy", "oracle"], root / "levels", episodes=6)
    text = " ".join(said("compare", tmp_path / "run").split())
    assert "sums of shares where levels were repeated" in text


def test_different_policies_of_two_runs_are_named(root: Path) -> None:
    arguments = ("compare", root / "runs" / "first", root / "runs" / "second", "--json")
    (found,) = json.loads(said(*arguments, "--policy", "oracle", "--policy", "oracle-chat"))
    assert (found["first"], found["second"]) == ("oracle", "oracle-chat")
    with pytest.raises(
        InvalidArgument, match="no policy 'ppo' in these runs; there are: greedy, oracle, oracle-chat"
    ):
        said(*arguments, "--policy", "ppo")
    with pytest.raises(InvalidArgument, match="nothing to compare"):
        said(*arguments, "--policy", "oracle")


def test_different_levels_are_compared_only_when_told(root: Path) -> None:
    runs = (root / "runs" / "first", root / "others" / "third")
    with pytest.raises(InvalidArgument, match=r"1 of 3 levels only greedy @ first has played \(all_kinds\)"):
        said("compare", *runs)
    (found,) = json.loads(said("compare", *runs, "--common", "--json"))
    assert found["paired"]["pairs"] == 2


def test_a_leaderboard_ranks_whatever_lies_below_a_folder(root: Path) -> None:
    (board,) = json.loads(said("leaderboard", root / "runs", "--json"))
    assert [row["label"] for row in board["rows"]] == [
        "oracle",
        "oracle-chat",
        "greedy @ first",
        "greedy @ second",
    ]
    text = said("leaderboard", root / "runs")
    assert "MazeNLU-v0: 3 levels" in text
    assert "language model" in text
    assert len([line for line in said("leaderboard", root).splitlines() if "levels (" in line]) == 2


def test_disguises_are_played_and_their_cost_is_told(root: Path, tmp_path: Path) -> None:
    arguments = (
        "evaluate",
        "--levels",
        root / "levels",
        "--policy",
        "oracle",
        "--augment",
        "rotate,recolour",
    )
    text = said(*arguments, "--out", tmp_path / "run")
    assert "oracle, rotate: +0.0 points on 3 levels" in text
    assert "oracle, recolour: +0.0 points on 1 level " in text
    assert "3/3" in text
    said("report", tmp_path / "run", "--cell-px", 16)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "In disguise" in page


def test_so_many_episodes_are_so_many_levels_as_they_are(root: Path) -> None:
    arguments = (
        "evaluate",
        "--levels",
        root / "levels",
        "--policy",
        "oracle",
        "--augment",
        "mirror",
        "--json",
    )
    for wanted, episodes in ((2, 2), (6, 6)):
        found = json.loads(said(*arguments, "--episodes", wanted))
        assert (found["config"]["episodes"], found["results"][0]["episodes"]) == (2 * episodes, episodes)
