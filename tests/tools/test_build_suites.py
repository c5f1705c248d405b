"""The bundled suites are what their script builds, byte for byte, and every level of them is proved."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mazegen.validation.validator import validate_file

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "build_suites.py"
SUITES = ROOT / "src" / "maze_gym" / "suites"


@pytest.mark.slow
def test_the_script_builds_what_is_bundled() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("0 files differ")


@pytest.mark.slow
def test_a_changed_or_stray_file_is_built_anew(tmp_path: Path) -> None:
    build = [sys.executable, str(SCRIPT), "--root", str(tmp_path)]
    subprocess.run(build, check=True, capture_output=True)
    first = {path: path.read_bytes() for path in tmp_path.rglob("*.json")}
    victim = min(tmp_path.glob("smoke/smoke-*.json"))
    victim.write_text("{}")
    (tmp_path / "smoke" / "stray.json").write_text("{}")
    done = subprocess.run([*build, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "smoke/stray.json" in done.stdout
    subprocess.run(build, check=True, capture_output=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == first


@pytest.mark.parametrize(("suite", "count"), [("core", 60), ("smoke", 10)])
def test_every_level_is_proved_and_listed(suite: str, count: int) -> None:
    rows = json.loads((SUITES / suite / "manifest.json").read_text())["levels"]
    assert len({row["content_hash"] for row in rows}) == count
    assert {row["tier"] for row in rows} == {1, 2, 3, 4, 5}
    if suite == "core":
        assert len({row["topology"] for row in rows}) == 5
        assert {"none", "k", "s", "ks", "sk", "kk", "ss"} <= {row["chain"] for row in rows}
    for row in rows:
        report = validate_file(SUITES / suite / row["file"])
        assert report.passed, str(report)
        assert report.level_id == row["level_id"]
