"""Where nothing can be written compiled code still runs, a line says so, and nobody can slip any in."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mazegen.core import code_cache

PROJECT = Path(__file__).parents[3]
# Root may write everywhere, so that numba is told that nothing but a chosen folder can be written to.
READ_ONLY = """
import os, sys, tempfile
from numba.core import caching
usual = caching._CacheLocator.ensure_cache_path
def refuse(self):
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if not chosen or not self.get_cache_path().startswith(chosen):
        raise PermissionError(13, "Permission denied")
    usual(self)
caching._CacheLocator.ensure_cache_path = refuse
"""


def run(code: str, temporary: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.run(
        [sys.executable, "-c", READ_ONLY + code, *arguments],
        env=environment | {"TMPDIR": str(temporary), "PYTHONPATH": f"{PROJECT}{os.pathsep}{PROJECT / 'src'}"},
        cwd=temporary,
        capture_output=True,
        text=True,
        timeout=80,
        check=False,
    )


SMALL = "from mazegen.core.compiling import place_of_code\nprint(*place_of_code())\n"


def test_code_goes_to_a_temporary_folder_of_ours_and_one_line_says_so(tmp_path: Path) -> None:
    done = run(SMALL, tmp_path)
    kind, folder = done.stdout.split()
    assert done.returncode == 0
    assert kind == "temporary"
    assert Path(folder).parent == tmp_path
    assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
    assert done.stderr.count("\n") == 1
    assert folder in done.stderr
    assert "set NUMBA_CACHE_DIR" in done.stderr
    assert list(Path(folder).rglob("*.nbc"))
    again = run(SMALL, tmp_path)
    assert again.stdout == done.stdout


def test_processes_that_are_started_say_it_no_second_time(tmp_path: Path) -> None:
    code = SMALL + "import subprocess\nsubprocess.run([sys.executable, '-c', sys.argv[1]], check=True)\n"
    done = run(code, tmp_path, SMALL)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("trap", ["link", "writable by all", "file"])
def test_a_folder_that_somebody_else_may_have_prepared_is_not_used(trap: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    expected = tmp_path / f"maze-gym-code-{os.getuid()}"
    if trap == "link":
        expected.symlink_to(elsewhere)
    elif trap == "file":
        expected.write_text("in the way")
    else:
        expected.mkdir()
        expected.chmod(0o777)
    done = run(SMALL, tmp_path)
    assert done.returncode == 0
    assert not list(elsewhere.iterdir())
    assert not (expected.is_dir() and list(expected.iterdir()))
    assert done.stderr.count("\n") == 1


def test_without_any_folder_code_is_compiled_each_time_and_one_line_says_so(tmp_path: Path) -> None:
    code = "tempfile.gettempdir = lambda: '/proc/no-such-place'\n" + SMALL
    done = run(code, tmp_path)
    assert (done.returncode, done.stdout) == (0, "none None\n")
    assert done.stderr.count("\n") == 1
    assert "set NUMBA_CACHE_DIR" in done.stderr


@pytest.mark.parametrize("writable", [True, False])
def test_doctor_says_where_compiled_code_is_kept(writable: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    code = "" if writable else "tempfile.gettempdir = lambda: '/proc/no-such-place'\n"
    code += "from maze_gym.cli import main\nsys.argv = ['maze-gym', 'doctor', '--json']\nmain()\n"
    done = run(code, tmp_path)
    found = json.loads(done.stdout)["compiled_code"]
    assert (done.returncode, found["kind"]) == ((0, "temporary") if writable else (1, "none"))
    assert (found["problem"] is None) == writable


def test_doctor_tells_of_a_compiler_that_does_not_work(tmp_path: Path) -> None:
    code = "import numba\nnumba.njit = None\n"
    code += "from maze_gym.cli import main\nsys.argv = ['maze-gym', 'doctor']\nmain()\n"
    done = run(code, tmp_path)
    assert done.returncode == 1
    assert "the compiler fails" in done.stdout


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_costs_time_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(code_cache, "_fallen_back", [])
    dispatcher = SimpleNamespace(
        _cache=SimpleNamespace(load_overload=full, save_overload=full, cache_path="/here")
    )
    code_cache.forgiving(dispatcher)
    assert dispatcher._cache.load_overload("signature", None) is None
    dispatcher._cache.save_overload("signature", None)
    assert dispatcher._cache.cache_path == "/here"
    assert len(caplog.messages) == 1
    assert "No space left on device; set NUMBA_CACHE_DIR" in caplog.messages[0]


SUMS = """
from mazegen.core.compiling import compiled, fast, inner

@compiled
def one(number):
    return number * number

@fast
def two(number):
    return number * number

@inner
def helper(number):
    return number * number

@compiled
def three(number):
    return helper(number)

print(one(3), two(3), three(3))
"""


def test_every_way_to_keep_code_on_disk_forgives_a_full_one(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text(SUMS)
    code = "os.environ['NUMBA_CACHE_DIR'] = os.environ['TMPDIR']\n"
    code += "def full(*_): raise OSError(28, 'No space left on device')\n"
    code += "caching.FunctionCache._save_overload = full\nsys.path.insert(0, os.getcwd())\nimport sums\n"
    done = run(code, tmp_path)
    assert (done.returncode, done.stdout) == (0, "9 9 9\n")
    assert done.stderr.count("\n") == 1
