"""Pytest within a test, in a process of its own that takes nothing from the run around it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def run_pytest(cwd: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh pytest in a folder, under environment variables of its own.

    Options of the run around it stay outside: with ``--cov`` it would begin by deleting, as leftovers of an
    earlier run, what all processes of that run have measured so far.
    """
    ours = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "MAZE_GYM_"))
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=cwd,
        env=ours | settings,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
