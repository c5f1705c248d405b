"""How long a browser takes to open a report of 1,000 episodes, each of which can be stepped through.

Headless Chromium is started anew for each opening, as by a click on the file, and prints the page when its
script has listed the episodes. How long it takes with an empty page is shown apart: that is the browser's own
start, and the rest is the report's.

Run: ``python benchmarks/bench_report.py [--episodes 1000]``; it needs Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from maze_gym import evaluation
from maze_gym.evaluation.limits import Control
from maze_gym.evaluation.report import examine, page
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.evaluation.storage.run_reading import read_run

POLICIES = ("random", "greedy", "oracle", "oracle-chat")
GOAL_S = 3.0
OPENINGS = 5
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
READY = 'data-ready="yes"'  # the last thing that the script of a page does
TIMEOUT_S = 100


def write_report(folder: Path, episodes: int) -> Path:
    """The page of a run of so many episodes, a quarter of them with all that a model was asked."""
    run = evaluation.make_plan(POLICIES, levels="core", episodes=episodes // len(POLICIES))
    with RunFolder(folder / "run", run) as kept:
        control = Control(on_call=kept.add_call, on_model=kept.check_model)
        for played in evaluation.play_run(run, control):
            kept.add(played)
    file = folder / "report.html"
    file.write_text(page(examine([read_run(folder / "run")])), encoding="utf-8")
    return file


def opening_s(browser: str, file: Path, sign: str, profile: Path) -> float:
    """Median seconds from the start of the browser to the page's ``sign``, in a profile that is warm."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", f"--user-data-dir={profile}", "--dump-dom", file.as_uri()]
    taken: list[float] = []
    for _ in range(1 + OPENINGS):
        begin = time.perf_counter()
        shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout
        taken.append(time.perf_counter() - begin)
        if sign not in shown:
            msg = f"{file} was not shown whole: {sign} is missing in what {browser} made of it"
            raise RuntimeError(msg)
    return statistics.median(taken[1:])


def main() -> None:
    """Make a page and open it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        began = time.perf_counter()
        file = write_report(folder, options.episodes)
        size_mb, taken_s = file.stat().st_size / 1e6, time.perf_counter() - began
        print(f"a page of {options.episodes:,} episodes: {size_mb:.1f} MB, made in {taken_s:.0f} s")
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            print(f"not opened: none of {', '.join(BROWSERS)} is on this machine")
            return
        empty = folder / "empty.html"
        empty.write_text(f"<!doctype html><html {READY}></html>", encoding="utf-8")
        own_s = opening_s(browser, empty, READY, folder / "profile")
        whole_s = opening_s(browser, file, READY, folder / "profile")
        print(f"{'opened, with the start of the browser':40} {whole_s:6.2f} s   (goal {GOAL_S:g} s)")
        print(f"{'the browser with an empty page':40} {own_s:6.2f} s")


if __name__ == "__main__":
    main()
