"""Hypothesis profiles, and tests that need an optional extra.

``@pytest.mark.extra("stable_baselines3", "rl")`` skips a test where the module is absent; the last
line of the summary names each absent extra. Under ``MAZE_GYM_REQUIRE_EXTRAS=1`` it fails instead.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

REQUIRE_EXTRAS = "MAZE_GYM_REQUIRE_EXTRAS"
NEEDS_EXTRA = re.compile(r"needs the extra '(?P<name>[^']+)'")

os.environ.pop("COLUMNS", None)  # xdist's workers have it; what no terminal reads is as wide as it needs

SLOW_S = 300  # a slow test that takes so long hangs

# Compiling and a busy machine make single examples slow, so time is bounded for the whole suite only.
settings.register_profile("dev", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci",
    settings.get_profile("dev"),
    max_examples=60,
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(autouse=True)
def _no_display_is_left_open() -> Iterator[None]:
    """A display that one test has opened would decide how the next one's window behaves."""
    yield
    if "pygame" in sys.modules:
        sys.modules["pygame"].display.quit()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once, before workers share it: one test alone spent up to 80 s of its limit on it."""
    if session.config.option.collectonly or hasattr(session.config, "workerinput"):
        return
    unmeasured = {name: value for name, value in os.environ.items() if name != "COVERAGE_PROCESS_CONFIG"}
    subprocess.run(  # what is broken here is told of by the tests
        [sys.executable, "-m", "tests.compiled_code"], cwd=session.config.rootpath, env=unmeasured,
        check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave a slow test more time than the limit of all others."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_S))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or fail where extras are required, a test whose optional dependency is absent."""
    for marker in item.iter_markers("extra"):
        module, name = marker.args
        if importlib.util.find_spec(module) is None:
            _leave_out(name)


@pytest.fixture
def leave_out() -> Callable[[str], NoReturn]:
    """What the marker does where an extra is absent, for a test that has found out by itself."""
    return _leave_out


def _leave_out(name: str) -> NoReturn:
    reason = f"needs the extra {name!r}"
    if os.environ.get(REQUIRE_EXTRAS) == "1":
        pytest.fail(f"{reason}, and {REQUIRE_EXTRAS}=1 lets no test skip", pytrace=False)
    pytest.skip(reason)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """End the summary with one line on the extras that were absent."""
    yield
    absent: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        found = NEEDS_EXTRA.search(str(report.longrepr))
        if found:
            absent[found["name"]] += 1
    if absent:
        counts = ", ".join(f"{name} ({count} skipped)" for name, count in sorted(absent.items()))
        terminalreporter.write_line(f"absent extras: {counts}", yellow=True)
