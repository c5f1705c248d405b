"""Ctrl-C: one line and exit code 130, from the first import on; no moment is lost, none is half done."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mazegen.core import interrupts

PROJECT = Path(__file__).parents[3]
# A shell's background jobs ignore Ctrl-C, and so would everything that is started from them.
HEED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
INTERRUPT = "import os, signal; os.kill(os.getpid(), signal.SIGINT)\n"


def run(code: str, *, cwd: Path = PROJECT) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", HEED + code], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_an_interrupt_within_waits_for_the_end_and_is_not_lost() -> None:
    done: list[str] = []

    def all_of_it() -> None:
        with interrupts.held():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        all_of_it()
    assert done == ["the rest"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_somebody_else_does_at_an_interrupt_is_done() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with interrupts.held():
            signal.raise_signal(signal.SIGINT)
            assert heard == []
        assert heard == [signal.SIGINT]
        with interrupts.answered("program"):  # a program around us has its own idea of Ctrl-C
            signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGINT] * 2
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_is_ignored_stays_ignored() -> None:
    code, out, err = run(
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\nfrom mazegen.core import interrupts\n"
        "with interrupts.answered('x'), interrupts.held(): signal.raise_signal(signal.SIGINT)\nprint('on')"
    )
    assert (code, out, err) == (0, "on\n", "")


def test_an_import_that_is_interrupted_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text(
        INTERRUPT + "try:\n    for _ in range(10**6): pass\nexcept BaseException: print('swallowed')\n"
    )
    code = f"import sys; sys.path.insert(0, {str(PROJECT)!r})\nfrom mazegen.core import interrupts\n"
    code += "with interrupts.answered('program'): import slow_to_import\n"
    assert run(code, cwd=tmp_path) == (130, "", "program: interrupted\n")


WITHIN_THE_COMPILER = """
import signal, sys
import numba
from numba.core.typeinfer import TypeInferer

usual = TypeInferer.unify

def unify(*given, **more):
    signal.raise_signal(signal.SIGINT)
    return usual(*given, **more)

TypeInferer.unify = unify

@numba.njit
def one():
    return 1
"""


def test_the_compiler_is_left_at_once(tmp_path: Path) -> None:
    """It may crash where an exception comes out of nowhere."""
    (tmp_path / "sums.py").write_text(WITHIN_THE_COMPILER)
    code = f"import sys; sys.path.insert(0, {str(PROJECT)!r})\nfrom mazegen.core import interrupts\n"
    code += "import sums\n"
    code += "with interrupts.answered('program'):\n"
    code += "    try: sums.one()\n    except BaseException: print('raised')\n"
    assert run(code, cwd=tmp_path) == (130, "", "program: interrupted\n")


def test_an_interrupt_that_a_callback_swallows_comes_again() -> None:
    code, out, err = run(
        "import time\nfrom mazegen.core import interrupts\n"
        "class Last:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "with interrupts.answered('program'):\n"
        "    try:\n        one = Last()\n        del one\n        time.sleep(30)\n"
        "    except KeyboardInterrupt: print('heard')\n"
    )
    assert (code, out, err) == (0, "heard\n", "")


def test_other_errors_of_callbacks_are_reported_as_ever() -> None:
    code, _, err = run(
        "from mazegen.core import interrupts\n"
        "class Last:\n    def __del__(self): raise ValueError('of a callback')\n"
        "with interrupts.answered('program'):\n    one = Last()\n    del one\n"
    )
    assert code == 0
    assert "ValueError: of a callback" in err


MAZES = ["--count", "99999", "--tier", "1"]
COMMANDS = {
    "maze-gym": ["BIN/maze-gym", "generate", *MAZES],
    "mazegen": ["-m", "mazegen", *MAZES, "--workers", "2"],
    "mazegen.generate_dataset": ["-m", "mazegen.generate_dataset", *MAZES],
}
STARTS = [
    (["-m", "maze_gym.play", "--help"], "maze-gym"),
    (["-m", "mazegen", "--help"], "mazegen"),
    (["-m", "mazegen.generate_dataset", "--help"], "mazegen"),
    (["-m", "mazegen.render_dataset", "--help"], "mazegen"),
    ([str(PROJECT / "mazegen" / "render_dataset.py"), "--help"], "mazegen"),
    (["BIN/maze-gym", "--help"], "maze-gym"),
]


def with_script(words: list[str], folder: Path) -> list[str]:
    """Arguments of Python, with a script like the one that pip writes for ``BIN/maze-gym``."""
    script = folder / "bin" / "maze-gym"
    script.parent.mkdir()
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(folder)!r})\nfrom maze_gym.cli import main\nmain()\n"
    )
    return [str(script) if word == "BIN/maze-gym" else word for word in words]


def has_begun(process: int) -> bool:
    """Whether it has got as far as NumPy: before our first line Python answers by itself."""
    maps = Path(f"/proc/{process}/maps")
    return not maps.exists() or "_multiarray_umath" in maps.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "name"), STARTS, ids=lambda each: "-".join(each) if isinstance(each, list) else each
)
def test_an_interrupt_of_the_first_imports_is_one_line(words: list[str], name: str, tmp_path: Path) -> None:
    """NumPy, which all of them import, is in place of itself something that is interrupted."""
    (tmp_path / "numpy.py").write_text(INTERRUPT + "for _ in range(10**6): pass\n")
    done = subprocess.run(
        [sys.executable, *with_script(words, tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path, PROJECT / "src", PROJECT)))},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{name}: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("moment", range(4))
def test_a_command_ends_in_one_line_whenever_it_is_interrupted(
    words: list[str], moment: int, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [sys.executable, *with_script(words, tmp_path), "--out", str(tmp_path / "data")],
        cwd=PROJECT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not has_begun(process.pid):
        time.sleep(0.01)
    time.sleep(moment + random.Random(moment).random())  # noqa: S311 - a moment, no secret
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    lines = [line for line in err.splitlines() if " mazes, " not in line]  # how far it was
    assert (process.returncode, out, len(lines)) == (130, "", 1), err
    assert "interrupted" in lines[0]
