"""What the pages show runs: every block, page by page, in the order in which a reader meets them.

A block that cannot run in a test (it opens a window, or needs a server) stands below a comment
``<!-- not run: why -->``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

DOCS = Path(__file__).parents[1] / "docs"
README = DOCS.parent / "README.md"


def has_blocks(page: Path) -> bool:
    text = page.read_text(encoding="utf-8")
    return "```python\n" in text or "```bash\n" in text


PAGES = [README, *filter(has_blocks, sorted(DOCS.glob("*.md")))]
_BLOCK = re.compile(
    r"(?:<!-- not run: (?P<why>[^\n]*) -->\n)?```(?P<language>python|bash)\n(?P<code>.*?)```", re.DOTALL
)


class Block(NamedTuple):
    language: str
    code: str


def blocks_to_run(page: Path) -> list[Block]:
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(match["language"], match["code"]) for match in found if not match["why"]]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks_to_run(page):
        if block.language == "bash":
            _run_in_a_shell(block.code, tmp_path)
            continue
        capsys.readouterr()
        exec(compile(block.code, str(page), "exec"), names)  # noqa: S102 - our own page
        last = block.code.strip().splitlines()[-1]
        if last.startswith("# "):
            assert capsys.readouterr().out.strip() == last.removeprefix("# ")


def _run_in_a_shell(code: str, folder: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SDL_VIDEODRIVER": "dummy",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],  # noqa: S607 - found on the path, as for a reader
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"


def test_every_block_that_is_not_run_says_why() -> None:
    for page in PAGES:
        for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
            assert match["why"] is None or len(match["why"]) > 10, f"{page.name}: {match['code']}"


def test_every_page_stands_in_the_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([a-z/-]+)$", index, re.MULTILINE)) | {"index"}
    assert {path.stem for path in DOCS.glob("*.md")} <= listed
