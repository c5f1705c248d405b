"""Tests that need an optional extra: skipped and named at the end, or failed where extras are required."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path
from typing import NamedTuple

from tests.nested import run_pytest

SUITE = """
import pytest

@pytest.mark.extra("no_such_module_a", "aa")
def test_first(): ...

@pytest.mark.extra("no_such_module_a", "aa")
def test_second(): ...

@pytest.mark.extra("no_such_module_b", "bb")
def test_third(): ...

@pytest.mark.extra("json", "cc")
def test_that_can_run(): ...

@pytest.mark.skip(reason="of another reason")
def test_skipped_otherwise(): ...
"""


class Run(NamedTuple):
    """One run of pytest over the suite above."""

    code: int
    lines: list[str]


def run(folder: Path, **environment: str) -> Run:
    (folder / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text(encoding="utf-8"))
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers = extra(module, name)\naddopts = --strict-markers -ra\n"
    )
    done = run_pytest(folder, str(folder), **environment)
    return Run(done.returncode, done.stdout.splitlines())


def test_absent_extras_are_skipped_and_counted_in_one_line_at_the_end(tmp_path: Path) -> None:
    code, lines = run(tmp_path)
    assert code == 0
    assert lines[-2] == "absent extras: aa (2 skipped), bb (1 skipped)"
    assert "1 passed, 4 skipped" in lines[-1]
    assert any("needs the extra 'aa'" in line for line in lines)


def test_absent_extras_fail_where_they_are_required(tmp_path: Path) -> None:
    code, lines = run(tmp_path, MAZE_GYM_REQUIRE_EXTRAS="1")
    assert code == 1
    assert "1 passed, 1 skipped, 3 errors" in lines[-1]
    assert not any(line.startswith("absent extras") for line in lines)


def test_every_extra_is_put_to_its_main_use_by_itself() -> None:
    """``tools/check_extras.py`` does it in CI; one that it forgets might need what another brings."""
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tried = runpy.run_path(str(root / "tools" / "check_extras.py"))
    assert {*tried["USES"], *tried["ELSEWHERE"]} == set(project["optional-dependencies"])
