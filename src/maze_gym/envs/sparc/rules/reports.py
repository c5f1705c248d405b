"""What a rule report comes down to: plain data, the rules that are broken, and where people should look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from maze_gym.ending import EndReason
from maze_gym.envs.sparc.rules import Event
from maze_gym.envs.sparc.rules.constraints import RULES, RuleReport, Verdict, judge

if TYPE_CHECKING:
    from maze_gym.envs.sparc.rules.puzzle import Path, Position, Puzzle

_ALL_OBEYED = RuleReport(ok=True, verdicts=tuple(Verdict(rule, ok=True, reasons=()) for rule, _ in RULES))


def report_on(puzzle: Puzzle, path: Path, event: Event) -> RuleReport | None:
    """What the rules say of a line after a step; None before it is finished.

    Who has solved a puzzle has obeyed them all, so only a failed line is judged again, for the reasons.
    """
    if event is Event.SOLVED:
        return _ALL_OBEYED
    return judge(puzzle, path) if event is Event.FAILED else None


def broken_rules(report: RuleReport) -> tuple[str, ...]:
    """Names of the rules that the line breaks."""
    return tuple(verdict.rule for verdict in report.verdicts if not verdict.ok)


def wrong_positions(report: RuleReport) -> frozenset[Position]:
    """The (row, col) at which rules are broken."""
    return frozenset(
        (int(row), int(col))
        for verdict in report.verdicts
        for reason in verdict.reasons
        for row, col in reason["cells"]  # type: ignore[attr-defined]  # lists of [row, col], see Verdict
    )


def handed_out(report: RuleReport) -> dict[str, Any]:
    """The report as plain JSON data, not copied: for whoever keeps no other hand on it.

    ``report.to_dict()`` copies, which takes longer than judging the line.
    """
    verdicts = [{"rule": rule, "ok": ok, "reasons": list(reasons)} for rule, ok, reasons in report.verdicts]
    return {"ok": report.ok, "verdicts": verdicts}


def end_reason(event: Event) -> EndReason:
    """Why an episode is over, by what came of its last step."""
    match event:
        case Event.SOLVED:
            return EndReason.SUCCESS
        case Event.FAILED | Event.DEAD_END:
            return EndReason.FAILED
        case Event.MOVED | Event.UNDONE | Event.BLOCKED:
            return EndReason.TIMEOUT
        case _:
            assert_never(event)
