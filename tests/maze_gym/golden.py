"""Golden files: what a human has read and approved. ``MAZE_GYM_UPDATE_GOLDEN=1 pytest`` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"
UPDATE = "MAZE_GYM_UPDATE_GOLDEN"


def check_golden(name: str, text: str) -> None:
    """Compare a text with its golden file."""
    path = GOLDEN / name
    if os.environ.get(UPDATE) == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"no golden file {path.name}; {UPDATE}=1 writes it"
    assert text == path.read_text(encoding="utf-8")
