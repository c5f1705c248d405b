"""``maze-gym export``, as typed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym.cli import main
from maze_gym.game import text_game
from maze_gym.integrations.minari import datasets_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(monkeypatch, capsys)


class Run:
    """Types a command and hands back (exit code, what stands on stderr)."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *words: str | Path) -> tuple[int, str]:
        self._monkeypatch.setattr(sys, "argv", ["maze-gym", "export", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        return int(caught.value.code or 0), self._capsys.readouterr().err


def rows(folder: Path) -> list[dict[str, object]]:
    texts = [file.read_text("utf-8") for file in sorted(folder.glob("*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def test_the_oracles_chats_are_what_is_exported_by_default(run: Run, tmp_path: Path) -> None:
    code, said = run("chat", "--out", tmp_path / "a")
    assert (code, said.split(":")[0]) == (0, str(tmp_path / "a"))
    assert "from 14 episodes (0 dropped, 0 duplicate rows)" in said
    assert len(rows(tmp_path / "a")) == 259
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text("utf-8"))
    assert manifest["source"]["policies"] == ["oracle-chat"]


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of two puzzles: the bundled five hundred take seconds to read."""
    env: gym.Env[Any, Any] = gym.make("SpatialGym-v0", tier=1)
    records = []
    for seed in (0, 1):
        env.reset(seed=seed)
        records.append(dict(text_game(env).recipe().make["puzzle"]))
    path = tmp_path_factory.mktemp("puzzles") / "two.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


@pytest.mark.parametrize("world", ["MazeNLU-v0", "PacmanArray-v0", "SpatialGym-v0"])
@pytest.mark.parametrize("querying", ["step", "subgoal", "full_trajectory"])
def test_any_world_and_mode_can_be_exported(
    run: Run, tmp_path: Path, puzzles: Path, world: str, querying: str
) -> None:
    told = ("--querying", querying, "--reasoning", "plan", "--prompting", "verbose")
    levels = ("--levels", puzzles) if world == "SpatialGym-v0" else ()
    code, said = run("chat", "--env", world, "--episodes", "1", *levels, *told, "--out", tmp_path / "a")
    assert code == 0, said
    assert rows(tmp_path / "a")


def test_one_shot_puzzles_are_answered_in_coordinates(run: Run, tmp_path: Path, puzzles: Path) -> None:
    told = ("--querying", "full_trajectory", "--reply-format", "coordinates", "--coordinates", "x_y")
    walk = ("--policy", "random", "--answers", "solver", "--keep", "all")
    for name, more in (("a", ()), ("b", walk)):
        code, said = run(
            "chat", "--env", "SpatialGym-v0", "--levels", puzzles, *told, *more, "--out", tmp_path / name
        )
        assert code == 0, said
    answers = [[row["messages"][-1]["content"] for row in rows(tmp_path / name)] for name in "ab"]  # type: ignore[index]  # messages
    assert answers[0] == answers[1]
    assert all(answer.startswith("#### (") for answer in answers[0])


def test_a_run_of_evaluate_can_be_exported_later(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = ["evaluate", "--policy", "random-chat", "--policy", "oracle", "--policy", "oracle-chat"]
    monkeypatch.setattr(sys, "argv", ["maze-gym", *played, "--out", str(tmp_path / "run")])
    with pytest.raises(SystemExit):
        main()
    assert run("chat", "--run", tmp_path / "run", "--out", tmp_path / "a")[0] == 0
    assert run("chat", "--out", tmp_path / "b")[0] == 0
    exported = {row["id"] for row in rows(tmp_path / "a") if row["policy"] == "oracle-chat"}
    assert exported == {row["id"] for row in rows(tmp_path / "b")}


def test_a_player_that_errs_shows_the_solver_places_off_its_own_way(run: Run, tmp_path: Path) -> None:
    asked = ("chat", "--levels", "smoke", "--answers", "solver", "--keep", "all")
    for name in ("noisy:0.3", "oracle"):
        code, said = run(*asked, "--policy", name, "--out", tmp_path / name[:5])
        assert code == 0, said
    seen = {
        name: {row["messages"][1]["content"].split("\n\n")[0] for row in rows(tmp_path / name)}  # type: ignore[index]  # messages
        for name in ("noisy", "oracl")
    }
    assert len(seen["noisy"] - seen["oracl"]) > 50
    assert {row["policy"] for row in rows(tmp_path / "noisy")} == {"noisy:0.3"}


def test_what_is_wrong_is_one_line(run: Run, tmp_path: Path) -> None:
    for words, expected in (
        (("--policy", "greedy"), "greedy plays without words"),
        (("--policy", "oracl"), "did you mean 'oracle'?"),
        (("--policy", "noisy:3"), "noise must be a share from 0 to 1, as in noisy:0.2, got '3'"),
        (("--splits", "1,2"), "--splits must be three numbers such as 0.8,0.1,0.1, got '1,2'"),
        (("--splits", "1,2,3"), "three shares"),
        (("--levels", "nosuch"), "no file or folder 'nosuch'; no suite or level of that name"),
        (("--run", tmp_path / "nosuch"), "nosuch"),
        (
            ("--run", tmp_path / "nosuch", "--tier", "2", "--policy", "random", "--show-legal-actions"),
            "--run takes episodes that were played; leave out --tier, --policy, --show-legal-actions",
        ),
    ):
        code, said = run("chat", "--out", tmp_path / "a", *words)
        assert (code, said.count("\n")) == (2, 1)
        assert said.startswith("maze-gym: error: ")
        assert expected in said


@pytest.mark.extra("minari", "minari")
def test_a_minari_data_set_is_named_after_what_it_holds(run: Run, tmp_path: Path) -> None:
    import minari

    words = ("--policy", "oracle", "--policy", "random", "--noise", "0.2", "--episodes", "2")
    code, said = run("minari", *words, "--out", tmp_path)
    name = "MazeNLU/oracle-random-noise20-v0"
    assert code == 0
    assert said.startswith(f"{name}: 4 episodes, ")
    assert said.endswith("of them replayed and found equal\n")
    with datasets_in(tmp_path):
        assert minari.load_dataset(name).total_episodes == 4
    code, said = run("minari", *words, "--out", tmp_path, "--no-check")
    assert (code, said.count("\n")) == (2, 1)
    assert f"there is a data set '{name}'" in said
