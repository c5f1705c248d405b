"""``maze-gym list``: what there is to play, and who can play it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.cli.console import stdout

if TYPE_CHECKING:
    from collections.abc import Iterator


def list_everything() -> None:
    """List the worlds, the bundled suites and the policies.

    Example: maze-gym list
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from maze_gym.llm.backends import BACKENDS
    from maze_gym.policies import POLICIES
    from maze_gym.registration import PRESETS, WORLDS

    def table(title: str, *columns: str) -> Table:
        return Table(*columns, title=title, title_justify="left", box=SIMPLE_HEAD)

    worlds = table("Worlds", "world", "what it is", "suite")
    for world in WORLDS:
        worlds.add_row(world.id, world.summary, world.suite)
    presets = table("Presets", "preset", "what it is")
    for preset in PRESETS:
        presets.add_row(preset.id, preset.summary)
    levels = table("Suites", "suite", "levels", "optimal actions")
    for row in _suites():
        levels.add_row(*row)
    policies = table("Policies", "policy", "what it does")
    for name, policy in POLICIES.items():
        policies.add_row(name, (policy.__doc__ or "").splitlines()[0])
    models = table("Language models", "policy", "what it is")
    for name, summary in BACKENDS.items():
        if ":" in name:  # the others are among the policies, as oracle-chat and random-chat
            models.add_row(name, summary)
    for each in (worlds, presets, levels, policies, models):
        stdout().print(each)


def _suites() -> Iterator[tuple[str, str, str]]:
    """Name, number of levels and range of optimal actions of each suite."""
    from maze_gym import suites
    from maze_gym.registration import WORLDS, resolve

    for suite in suites.names():
        lengths = [row["optimal_actions"] for row in suites.manifest(suite)["levels"]]
        yield suite, str(len(lengths)), f"{min(lengths)} to {max(lengths)}"
    for world in WORLDS:
        if world.suite not in suites.names():  # levels that are no mazes have no manifest of that kind
            yield world.suite, str(len(resolve(world.levels)(world.suite).levels)), ""
