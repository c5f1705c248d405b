"""Optional dependencies."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from maze_gym.errors import MissingExtra
from maze_gym.extras import require

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_installed_is_imported() -> None:
    assert require("json", "plot") is sys.modules["json"]


def test_what_is_missing_is_named_with_the_exact_command() -> None:
    with pytest.raises(MissingExtra, match=r"pip install 'maze-gym\[plot\]'") as caught:
        require("surely_not_installed", "plot")
    assert isinstance(caught.value, ImportError)
    assert caught.value.name == "surely_not_installed"


def test_a_broken_dependency_is_not_mistaken_for_a_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "present_but_broken.py").write_text("import absent_dependency_of_it\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="absent_dependency_of_it") as caught:
        require("present_but_broken", "plot")
    assert not isinstance(caught.value, MissingExtra)
