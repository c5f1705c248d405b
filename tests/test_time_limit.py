"""A test that hangs is red, and the others run all the same."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.nested import run_pytest

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
SUITE = """
import threading

def test_that_hangs():
    lock = threading.Lock()
    lock.acquire()
    while True:
        try: lock.acquire()
        except BaseException: pass  # what hangs may be deaf

def test_after_it(): ...
def test_another(): ...
"""


def settings() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["pytest"][
        "ini_options"
    ]
    return found


@pytest.mark.slow
def test_a_hang_is_red_says_where_it_was_and_the_others_run(tmp_path: Path) -> None:
    method = settings()["timeout_method"]
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\ntimeout = 3\ntimeout_method = {method}\nfaulthandler_timeout = 1\n"
    )
    (tmp_path / "test_suite.py").write_text(SUITE)
    done = run_pytest(tmp_path, "-n1", str(tmp_path))
    assert done.returncode == 1
    assert "1 failed, 2 passed" in done.stdout.splitlines()[-1]
    assert "test_that_hangs" in done.stdout
    assert 'test_suite.py", line 8 in test_that_hangs' in done.stderr


def test_the_limit_is_about_a_minute_and_is_explained_before_it_strikes() -> None:
    assert 60 <= settings()["faulthandler_timeout"] < settings()["timeout"] <= 90
