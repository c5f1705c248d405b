"""``maze-gym plan``: what ``maze-gym evaluate`` would take, before anything is spent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from maze_gym.cli.console import Column, Listing, name, show
from maze_gym.cli.run_options import RunOptions, takes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maze_gym.evaluation import EvalPlan
    from maze_gym.evaluation.preflight import Estimate, Range, Survey

_THOUSAND, _MILLION = 1_000, 1_000_000
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


@takes(RunOptions)
def plan(
    options: RunOptions,
    *,
    reply_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Expected length of a reply; else from a bare answer to --max-tokens."),
    ] = None,
    seconds_per_call: Annotated[
        float, typer.Option(min=0, help="Expected time of a model for a reply.")
    ] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Say how many calls, tokens, dollars and hours an evaluation takes; nothing is asked or spent.

    Takes the options of evaluate that say what is played and how. The first number is for a model that plays
    without a fault, the second for one that goes to every step limit and needs every retry.

    Example: maze-gym plan --policy openai:MODEL --levels core --price-in 2 --price-out 8 --concurrency 16
    """
    from maze_gym.evaluation.limits import Limits
    from maze_gym.evaluation.preflight import estimate, survey

    run = options.plan()
    seen = survey(run, reply_tokens)
    limits = Limits(
        requests_per_minute=options.requests_per_minute, tokens_per_minute=options.tokens_per_minute
    )
    estimates = estimate(
        run,
        seen,
        prices=options.service().prices,
        limits=limits,
        concurrency=options.concurrency,
        seconds_per_call=seconds_per_call,
    )
    if as_json:
        typer.echo(json.dumps(_for_machines(seen, estimates)))
        return

    show(_listing(run, seen, estimates, options.concurrency))


def _for_machines(seen: Survey, estimates: Sequence[Estimate]) -> dict[str, object]:
    policies = []
    for each in estimates:
        fields = each._asdict()
        ranges = {name: value._asdict() for name, value in fields.items() if hasattr(value, "_asdict")}
        policies.append(fields | ranges)
    return {"looked_at": seen.looked_at, "is_optimal": seen.is_optimal, "policies": policies}


def _listing(run: EvalPlan, seen: Survey, estimates: Sequence[Estimate], concurrency: int) -> Listing:
    levels = f"{len(run.levels)} levels" if run.levels else "generated levels"
    title = f"{run.env_id}: {levels}, {run.episodes} episodes per policy, {concurrency} at a time"
    rows = []
    for each in estimates:
        asks = each.calls.high > 0
        row = [
            name(each.policy),
            _span(each.steps, _short),
            *(
                _span(value, _short) if asks else "-"
                for value in (each.calls, each.input_tokens, each.output_tokens)
            ),
            "-" if each.cost_usd is None or not asks else _span(each.cost_usd, "{:.2f}".format),
            _span(each.seconds, _time) if asks else "-",
        ]
        rows.append(row)
    numbers = map(Column, ("steps", "calls", "sent", "received", "dollars", "time"))
    least = "a shortest plan" if seen.is_optimal else "what a search finds"
    notes = [
        f"From {least} to every step limit and every retry; {seen.looked_at} episodes were looked at.",
        "Sent and received: tokens, estimated at 4 characters each. Dollars need --price-in and --price-out.",
    ]
    return Listing(title, [Column("policy", folds=True, is_key=True), *numbers], rows, notes)


def _span(value: Range, show: Callable[[float], str]) -> str:
    low, high = show(value.low), show(value.high)
    return low if low == high else f"{low} - {high}"


def _short(number: float) -> str:
    """A number as people say it."""
    if number >= 10 * _MILLION:
        return f"{number / _MILLION:,.0f} M"
    if number >= _MILLION:
        return f"{number / _MILLION:.1f} M"
    return f"{number / _THOUSAND:.0f} k" if number >= 10 * _THOUSAND else f"{number:,.0f}"


def _time(seconds: float) -> str:
    if seconds >= 2 * _DAY_S:
        return f"{seconds / _DAY_S:.1f} days"
    if seconds >= 2 * _HOUR_S:
        return f"{seconds / _HOUR_S:.1f} h"
    return f"{seconds / _MINUTE_S:.0f} min" if seconds >= 2 * _MINUTE_S else f"{seconds:.0f} s"
