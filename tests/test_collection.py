"""Collecting the tests is quick and always finds the same: pytest's workers each do it and compare."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def collect(**settings: str) -> list[str]:
    """What a fresh pytest collects under these environment variables, in its order."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", "-p", "no:cacheprovider", TESTS],
        cwd=TESTS.parent,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_collecting_compiles_nothing_and_finds_the_same_under_any_hash_seed(tmp_path: Path) -> None:
    first = collect(PYTHONHASHSEED="1", NUMBA_CACHE_DIR=str(tmp_path))
    assert len(first) > 1_000
    assert not list(tmp_path.rglob("*.nb?"))
    assert collect(PYTHONHASHSEED="2", NUMBA_CACHE_DIR=str(tmp_path)) == first
