"""Every command explains itself: what it does, an example that names it, and what each option means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from maze_gym.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator


def commands(
    command: typer.core.TyperCommand | typer.core.TyperGroup, path: str
) -> Iterator[tuple[str, str]]:
    """(what is typed, help text) of a command and of all below it, groups and the root included."""
    yield path, command.help or ""
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{path} {name}")


COMMANDS = dict(commands(typer.main.get_command(app), "maze-gym"))  # type: ignore[arg-type]  # Typer's own kinds


def test_groups_and_what_is_in_them_are_among_the_commands() -> None:
    assert {"maze-gym", "maze-gym export", "maze-gym export chat", "maze-gym evaluate"} <= set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_says_what_it_does_and_shows_an_example(path: str) -> None:
    text = COMMANDS[path]
    assert text.splitlines()[0].endswith((".", ":"))
    assert path in text.partition("Example")[2]


@pytest.mark.parametrize("path", [(), ("export",)])
def test_the_example_of_a_group_is_on_its_page(path: tuple[str, ...]) -> None:
    assert "Example: maze-gym" in CliRunner().invoke(app, [*path, "--help"]).output
