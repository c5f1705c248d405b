"""What the pages show runs: every block, page by page, in the order in which a reader meets them.

A block that cannot run in a test (it opens a window, or needs a server) stands below a comment
``<!-- not run: why -->``; one that needs an optional dependency below ``<!-- extra: module, name -->``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = Path(__file__).parents[1] / "docs"
README = DOCS.parent / "README.md"


def has_blocks(page: Path) -> bool:
    text = page.read_text(encoding="utf-8")
    return "```python\n" in text or "```bash\n" in text


PAGES = [README, *filter(has_blocks, sorted(DOCS.glob("*.md")))]
_BLOCK = re.compile(
    r"(?:<!-- (?:not run: (?P<why>[^\n]*)|extra: (?P<module>\w+), (?P<extra>\w+)) -->\n)?"
    r"```(?P<language>python|bash)\n(?P<code>.*?)```",
    re.DOTALL,
)


class Block(NamedTuple):
    language: str
    code: str
    module: str | None  # that it needs
    extra: str | None  # that brings it

    @property
    def can_run(self) -> bool:
        return self.module is None or importlib.util.find_spec(self.module) is not None


def blocks_to_run(page: Path) -> list[Block]:
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [
        Block(match["language"], match["code"], match["module"], match["extra"])
        for match in found
        if not match["why"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    leave_out: Callable[[str], NoReturn],
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    absent = {block.extra for block in blocks_to_run(page) if not block.can_run}
    for block in filter(lambda block: block.can_run, blocks_to_run(page)):
        if block.language == "bash":
            _run_in_a_shell(block.code, tmp_path)
            continue
        capsys.readouterr()
        exec(compile(block.code, str(page), "exec"), names)  # noqa: S102 - our own page
        last = block.code.strip().splitlines()[-1]
        if last.startswith("# "):
            assert capsys.readouterr().out.strip() == last.removeprefix("# ")
    for extra in sorted(filter(None, absent)):  # the blocks without it have run
        leave_out(extra)


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


def test_every_extra_that_a_page_asks_for_is_one_of_ours() -> None:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {block.extra for page in PAGES for block in blocks_to_run(page)} - {None}
    assert asked
    assert asked <= project["optional-dependencies"].keys()


def test_every_page_stands_in_the_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([a-z/-]+)$", index, re.MULTILINE)) | {"index"}
    assert {path.stem for path in DOCS.glob("*.md")} <= listed


_FILE = re.compile(r"\b(?:tests|examples|tools|benchmarks|docs|mazegen|src)/[\w/.-]+\.(?:py|md|json|toml)\b")
_MODULE = re.compile(r"\b\w+\.py\b")


def pages_of_today() -> list[Path]:
    """The pages that speak of the house as it is today."""
    pages = [README, README.with_name("CONTRIBUTING.md"), *DOCS.glob("*.md")]
    return sorted(page for page in pages if page.stem != "changelog")


@pytest.mark.parametrize("page", pages_of_today(), ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = _FILE.findall(page.read_text(encoding="utf-8"))
    missing = [name for name in named if not (README.parent / name).exists()]
    assert missing == []


def test_the_page_of_the_house_names_modules_that_exist() -> None:
    modules = {
        path.name for folder in ("mazegen", "src", "tests") for path in (README.parent / folder).rglob("*.py")
    }
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    assert set(_MODULE.findall(page)) <= modules
    rooms = re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
    assert rooms
    for room, cells in rooms:
        for world, cell in zip(("maze", "sparc", "pacman"), cells.split(" | "), strict=False):
            for name in re.findall(r"`(\w+)`(?!: `)", cell):
                where = README.parent / "src/maze_gym/envs" / world / room / f"{name}.py"
                assert where.exists() or name in {"step", "advance"}, f"{world}/{room}: {name}"
