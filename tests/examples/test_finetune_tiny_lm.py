"""The closed loop of ``examples/finetune_tiny_lm.py``, at a size that teaches nothing and runs every part."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "finetune_tiny_lm.py"
SMALL = {"mazes": 60, "rows": 7, "cols": 9, "loops": 1, "steps": 3, "width": 32, "layers": 1, "episodes": 2}


@pytest.mark.slow
@pytest.mark.extra("transformers", "transformers")
def test_a_model_is_trained_saved_and_played_on_held_out_levels(tmp_path: Path) -> None:
    words = [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "--out", str(tmp_path / "a"), *words],
        env=os.environ | {"HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "a" / "evaluation" / "summary.json").read_text("utf-8"))
    results = {row["policy"].partition(":")[0]: row for row in summary}
    assert set(results) == {"random", "random-chat", "greedy", "transformers", "oracle-chat"}
    assert results["oracle-chat"]["successes"] == 2
    played = json.loads((tmp_path / "a" / "evaluation" / "config.json").read_text("utf-8"))
    assert played["experiment"]["prompting"] == "minimal"
