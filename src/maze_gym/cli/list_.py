"""``maze-gym list``: what there is to play, and who can play it."""

from __future__ import annotations


def list_everything() -> None:
    """List the worlds, the bundled suites and the policies."""
    from rich.console import Console
    from rich.table import Table

    from maze_gym import suites
    from maze_gym.policies import POLICIES
    from maze_gym.registration import WORLDS

    console = Console()
    worlds = Table("world", "what it is", "suite", title="Worlds", title_justify="left")
    for world in WORLDS:
        worlds.add_row(world.id, world.summary, world.suite)
    levels = Table("suite", "levels", "optimal actions", title="Suites", title_justify="left")
    for suite in suites.names():
        rows = suites.manifest(suite)["levels"]
        lengths = [row["optimal_actions"] for row in rows]
        levels.add_row(suite, str(len(rows)), f"{min(lengths)} to {max(lengths)}")
    policies = Table("policy", "what it does", title="Policies", title_justify="left")
    for name, policy in POLICIES.items():
        policies.add_row(name, (policy.__doc__ or "").splitlines()[0])
    for table in (worlds, levels, policies):
        console.print(table)
