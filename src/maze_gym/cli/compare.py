"""``maze-gym compare RUN RUN``: who is better on the same levels, and how sure that is."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maze_gym.cli.console import Column, Listing, name, say, show

if TYPE_CHECKING:
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

    show(_listing(comparisons))
    for each in comparisons:
        say(verdict(each))


def _groups(found: list[Contender], runs: int, policies: list[str] | None) -> list[list[Contender]]:
    """Who is compared with whom: two runs policy by policy, one run everybody with everybody."""
    from maze_gym.close_names import did_you_mean
    from maze_gym.errors import InvalidArgument

    names = list(dict.fromkeys(each.policy for each in found))
    labels = list(dict.fromkeys(each.label for each in found))
    for wanted in policies or ():
        if wanted not in {*names, *labels}:
            hint = did_you_mean(wanted, [*labels, *names])
            msg = f"no policy {wanted!r} in these runs; there are: {', '.join(names)}{hint}"
            raise InvalidArgument(msg)
    chosen = [each for each in found if not policies or {each.policy, each.label} & set(policies)]
    alike = [[each for each in chosen if each.policy == policy] for policy in names]
    if runs > 1 and any(len(group) > 1 for group in alike) and len(policies or ()) < 2:  # noqa: PLR2004 - two names ask for each other
        return [group for group in alike if len(group) > 1]
    if len(chosen) > 1 and (runs == 1 or policies or len(chosen) == runs):
        return [chosen]
    msg = f"nothing to compare: name policies with --policy; there are: {', '.join(labels)}"
    raise InvalidArgument(msg)


def _for_machines(each: Comparison) -> dict[str, Any]:
    return {**each._asdict(), "paired": each.paired._asdict()}


def _listing(comparisons: list[Comparison]) -> Listing:
    from maze_gym.evaluation.analysis.comparison import WINS, show_p

    rows = []
    for each in comparisons:
        paired = each.paired
        p_value = each.adjusted_p
        points = [f"{end * 100:+.1f}" for end in paired.interval or ()]
        row = [
            name(each.first),
            name(each.second),
            str(paired.pairs),
            "-" if paired.difference is None else f"{paired.difference * 100:+.1f}",
            " to ".join(points) or "-",
            f"{paired.only_first:g} : {paired.only_second:g}",
            "-" if p_value is None else show_p(p_value).removeprefix("p ").removeprefix("= "),
        ]
        rows.append(row)
    methods = ", ".join(dict.fromkeys(each.paired.method for each in comparisons))
    names = [Column(title, folds=True, is_key=True) for title in ("first", "second")]
    numbers = map(Column, ("levels", "points", "95 % interval", "wins", "p"))
    notes = [
        "points: success of the first less the second.",
        f"wins: {WINS}.",
        f"{methods}; p adjusted for all pairs (Benjamini, Hochberg).",
    ]
    return Listing("", [*names, *numbers], rows, notes)
