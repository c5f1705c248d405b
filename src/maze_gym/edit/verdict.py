"""What the editor says about a maze while it is being built: the validator's words, in short."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mazegen.validation.validator import validate

if TYPE_CHECKING:
    from mazegen.core.maze import Maze, Validation

# The window stands still while the checks run, and there is a search of this size for every door and gate:
# a second or two altogether. No bundled level has more than 70,000 states.
MAX_STATES = 250_000
_SHOWN_ELSEWHERE = ("solvable", "necessary")  # checks whose outcome the verdict has fields for


class Verdict(NamedTuple):
    """What is known of a maze.

    Attributes:
        validation: the same as a file holds it.
        is_solvable: whether some plan reaches the goal; None if the search was given up.
        optimum: length of a shortest plan.
        unnecessary: ids of the mechanisms that the goal does not need.
        remarks: what else the checks found, a sentence each.
    """

    validation: Validation
    is_solvable: bool | None
    optimum: int | None
    unnecessary: tuple[str, ...]
    remarks: tuple[str, ...]


def judge(maze: Maze) -> Verdict:
    """Run every check of the validator on a maze."""
    report = validate(maze, max_states=MAX_STATES)
    proof = report.proof
    is_solvable: bool | None = bool(proof.optimal_actions)
    remarks = [
        check.reason for check in report.failed if check.name.partition(":")[0] not in _SHOWN_ELSEWHERE
    ]
    if not is_solvable:
        (solvable,) = (check for check in report.checks if check.name == "solvable")
        remarks = [solvable.reason]
        if solvable.reason.endswith("not proved"):
            is_solvable = None
    return Verdict(
        proof,
        is_solvable,
        len(proof.optimal_actions) or None,
        tuple(name for name, is_needed in proof.necessity if not is_needed),
        tuple(remarks),
    )
