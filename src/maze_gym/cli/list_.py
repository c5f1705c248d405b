"""``maze-gym list``: what there is to play, and who can play it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.cli.console import Column, Listing, say, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def list_everything() -> None:
    """List the worlds, their presets, the bundled suites and the policies.

    Every name can be handed to a command as it stands here, with what is in capitals filled in.

    Example: maze-gym list
    """
    from maze_gym.policies import table
    from maze_gym.registration import PRESETS, WORLDS, suites_of

    _show("Worlds (--env)", ("world", "what it is", "suite"), ([w.id, w.summary, w.suite] for w in WORLDS))
    _show("Presets (--env)", ("preset", "what it is"), ([each.id, each.summary] for each in PRESETS))
    suites = []
    for world in WORLDS:
        for suite in suites_of(world):
            span = "-" if suite.optimal_actions is None else "{} to {}".format(*suite.optimal_actions)
            suites.append([suite.name, world.id, str(suite.levels), span, suite.summary])
    titles = ("suite", "world", "levels", "optimal", "what it is")
    _show("Suites (--levels)", titles, suites, numbers=("levels", "optimal"))
    say("optimal: actions of a shortest plan. One level of a suite: SUITE/LEVEL, such as starter/straight.\n")
    policies = ([each.name, each.summary, each.needs or "-"] for each in table())
    _show("Policies (--policy)", ("policy", "what it does", "what it needs"), policies)


def _show(
    title: str, titles: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()
) -> None:
    columns = [
        Column(each, folds=place > 0 and each not in numbers, is_key=place == 0)
        for place, each in enumerate(titles)
    ]
    show(Listing(title, columns, list(rows)))
