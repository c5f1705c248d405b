"""Every example runs as its first lines say, and prints what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
LONGEST = 60  # lines: an example is read in one go


def run(name: str, *arguments: str, folder: Path) -> str:
    """Run an example in a folder of its own; what it prints."""
    environment = os.environ | {"SDL_VIDEODRIVER": "dummy"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("0*.py")), ids=lambda path: path.name)
def test_an_example_is_short_and_says_what_it_is(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) < LONGEST
    assert lines[0].startswith('"""')


@pytest.mark.parametrize("env_id", ["MazeNLU-v0", "PacmanArray-v0"])
def test_a_random_agent_plays_any_world(env_id: str, tmp_path: Path) -> None:
    printed = run("01_random_agent.py", "--env", env_id, "--episodes", "2", folder=tmp_path)
    assert len(printed.splitlines()) == 2
    assert all("solved" in line for line in printed.splitlines())


def test_the_scripted_model_solves_its_maze_though_one_reply_is_unreadable(tmp_path: Path) -> None:
    printed = run("03_llm_policy.py", folder=tmp_path)
    assert "success: 14 steps, the optimum is 14" in printed
    assert "4 queries, 1 of the replies" in printed


def test_any_other_model_is_one_flag(tmp_path: Path) -> None:
    assert "success" in run("03_llm_policy.py", "--model", "oracle-chat", folder=tmp_path)


def test_the_window_example_says_where_a_display_is_missing(tmp_path: Path) -> None:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    environment.pop("SDL_VIDEODRIVER", None)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "04_human_play.py")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("04_human_play.py: error: no display")


def test_a_data_set_is_made_and_proved_again(tmp_path: Path) -> None:
    for _ in range(2):
        printed = run("05_generate_dataset.py", "--count", "20", folder=tmp_path)
        assert printed.startswith("20 mazes")
        assert printed.rstrip().endswith("checks, valid")


def test_a_new_world_passes_the_checks_and_is_played(tmp_path: Path) -> None:
    printed = run("07_new_world.py", folder=tmp_path)
    assert printed.splitlines()[-1].startswith("oracle: success")


def test_a_run_is_kept_and_reported(tmp_path: Path) -> None:
    for _ in range(2):  # the second time it has nothing left to play
        printed = run("06_evaluate_and_report.py", folder=tmp_path).splitlines()
        assert ["oracle", "10/10"] in [line.split()[:2] for line in printed]
    assert (tmp_path / "runs" / "example" / "report.html").read_text("utf-8").startswith("<!")
