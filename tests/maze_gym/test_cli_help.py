"""Every subcommand explains itself: what it does, an example that names it, and what each option means."""

from __future__ import annotations

import inspect

import pytest

from maze_gym.cli import app

COMMANDS = {command.name or "": command.callback for command in app.registered_commands}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_subcommand_says_what_it_does_and_shows_an_example(name: str) -> None:
    text = inspect.getdoc(COMMANDS[name]) or ""
    assert text.splitlines()[0].endswith((".", ":"))
    assert f"maze-gym {name}" in text.partition("Example")[2]
