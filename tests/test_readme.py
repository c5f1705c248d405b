"""What README shows runs, and says what it says it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_python_block_runs_and_prints_what_its_last_comment_says(
    block: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(block, str(README), "exec"), {})  # noqa: S102 - our own page
    last = block.strip().splitlines()[-1]
    printed = capsys.readouterr().out.strip()
    assert printed
    if last.startswith("# "):
        assert printed == last.removeprefix("# ")


def test_the_first_code_block_is_the_two_commands_that_ci_runs() -> None:
    block = re.search(r"```bash\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    commands = block[1].strip().splitlines()
    assert len(commands) == 2
    assert commands[0].endswith("maze-gym evaluate")
    assert commands[1].endswith("pytest")


def test_what_a_contributor_types_is_two_commands_that_ci_types_too() -> None:
    page = README.with_name("CONTRIBUTING.md").read_text(encoding="utf-8")
    block = re.search(r"```bash\n(.*?)```", page, re.DOTALL)
    assert block is not None
    commands = block[1].strip().splitlines()
    assert len(commands) == 2
    assert commands[0].endswith(".venv/bin/pip install -e '.[dev]'")
    assert commands[1].endswith(".venv/bin/pytest")
    assert "typed CONTRIBUTING.md" in README.with_name(".ci").joinpath("run").read_text(encoding="utf-8")
