"""``maze-gym compare RUN RUN``: who is better on the same levels, and how sure that is."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maze_gym.cli.console import NAME_WIDTH, stdout

if TYPE_CHECKING:
    from rich.table import Table

    from maze_gym.evaluation.analysis.comparison import Comparison
    from maze_gym.evaluation.analysis.contenders import Contender


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN [RUN]", help="Two runs; or one, whose policies are compared with each other."
        ),
    ],
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(help="Compare these policies only; repeat for several. By default those of one name."),
    ] = None,
    common: Annotated[
        bool, typer.Option("--common", help="Compare on the common levels where the level sets differ.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Compare policies on the same levels: paired difference, interval, exact test.

    Example: maze-gym compare runs/first runs/second --policy openai:my-model
    """
    from maze_gym.evaluation.analysis.comparison import check_same_levels, compare_pairs, verdict
    from maze_gym.evaluation.analysis.contenders import contenders
    from maze_gym.evaluation.storage.run_reading import read_run

    found = contenders([read_run(path) for path in runs])
    groups = _groups(found, len(runs), policy)
    if not common:
        for group in groups:
            for other in group[1:]:
                check_same_levels(group[0], other)
    comparisons = compare_pairs([pair for group in groups for pair in combinations(group, 2)])
    if as_json:
        typer.echo(json.dumps([_for_machines(each) for each in comparisons]))
        return

    stdout().print(_table(comparisons))
    for each in comparisons:
        typer.echo(verdict(each))


def _groups(found: list[Contender], runs: int, policies: list[str] | None) -> list[list[Contender]]:
    """Who is compared with whom: two runs policy by policy, one run everybody with everybody."""
    from maze_gym.errors import InvalidArgument

    names = list(dict.fromkeys(each.policy for each in found))
    for name in policies or ():
        if name not in names:
            msg = f"no policy {name!r} in these runs; there are: {', '.join(names)}"
            raise InvalidArgument(msg)
    chosen = [each for each in found if not policies or each.policy in policies]
    alike = [[each for each in chosen if each.policy == name] for name in names]
    if runs > 1 and any(len(group) > 1 for group in alike) and len(policies or ()) < 2:  # noqa: PLR2004 - two names ask for each other
        return [group for group in alike if len(group) > 1]
    if len(chosen) > 1 and (runs == 1 or policies or len(chosen) == runs):
        return [chosen]
    labels = ", ".join(each.label for each in found)
    msg = f"nothing to compare: name policies with --policy; there are: {labels}"
    raise InvalidArgument(msg)


def _for_machines(each: Comparison) -> dict[str, Any]:
    return {**each._asdict(), "paired": each.paired._asdict()}


def _table(comparisons: list[Comparison]) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from maze_gym.evaluation.analysis.comparison import WINS, show_p
    from maze_gym.llm.untrusted import shown

    table = Table(box=box.SIMPLE_HEAD)
    for name in ("first", "second"):
        table.add_column(name, overflow="fold", min_width=NAME_WIDTH)
    for name in ("levels", "points", "95 % interval", "wins", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in comparisons:
        paired = each.paired
        p_value = each.adjusted_p
        points = [f"{end * 100:+.1f}" for end in paired.interval or ()]
        table.add_row(
            escape(shown(each.first)),
            escape(shown(each.second)),
            str(paired.pairs),
            "-" if paired.difference is None else f"{paired.difference * 100:+.1f}",
            " to ".join(points) or "-",
            f"{paired.only_first:g} : {paired.only_second:g}",
            "-" if p_value is None else show_p(p_value).removeprefix("p ").removeprefix("= "),
        )
    methods = ", ".join(dict.fromkeys(each.paired.method for each in comparisons))
    table.caption = (
        "points: success of the first less the second.\n"
        f"wins: {WINS}.\n"
        f"{methods}; p adjusted for all pairs (Benjamini, Hochberg)."
    )
    table.caption_justify = "left"
    return table
