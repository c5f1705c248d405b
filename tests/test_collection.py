"""Collecting the tests is quick and always finds the same: pytest's workers each do it and compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nested import run_pytest

TESTS = Path(__file__).parent


def collect(**settings: str) -> list[str]:
    """What a fresh pytest collects under these environment variables, in its order."""
    done = run_pytest(TESTS.parent, "--collect-only", "-q", "-n0", str(TESTS), **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_collecting_compiles_nothing_and_finds_the_same_under_any_hash_seed(tmp_path: Path) -> None:
    first = collect(PYTHONHASHSEED="1", NUMBA_CACHE_DIR=str(tmp_path))
    assert len(first) > 1_000
    assert not list(tmp_path.rglob("*.nb?"))
    assert collect(PYTHONHASHSEED="2", NUMBA_CACHE_DIR=str(tmp_path)) == first


def test_pytest_within_a_test_leaves_what_the_run_around_it_has_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = tmp_path / ".coverage.machine.pid1.x"
    measured.write_text("lines that other processes have run")
    (tmp_path / "test_one.py").write_text("def test_one(): ...")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--cov")
    done = run_pytest(tmp_path, "-q")
    assert "1 passed" in done.stdout
    assert measured.exists()
