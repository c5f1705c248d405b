"""What a validation found: named checks, and the proof that belongs in the maze's file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mazegen.core.parts import Validation

if TYPE_CHECKING:
    from mazegen.errors import MazeFormatError


@dataclass(frozen=True, slots=True)
class Check:
    """One named check.

    Attributes:
        name: what was checked, ``necessary:kR`` for a single mechanism.
        passed: whether it holds.
        reason: what is wrong, empty where it holds.
        evidence: what the search found, for people.
    """

    name: str
    passed: bool
    reason: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """All checks of one maze, and the proof that belongs in its file.

    Attributes:
        level_id: of the maze.
        checks: in a fixed order.
        proof: what is written into the file; ``is_valid`` and ``reasons`` follow from the checks.
        states: reachable states, not counting what no door and no gate listens to.
        dead_states: those without a way to the goal.
        plans: number of shortest plans (up to 2**30); an about-turn is one, whichever way round.
    """

    level_id: str
    checks: tuple[Check, ...]
    proof: Validation
    states: int = 0
    dead_states: int = 0
    plans: int = 0

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    def to_validation(self) -> Validation:
        """The proof as it is stored with the maze."""
        return self.proof

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "level_id": self.level_id,
            "passed": self.passed,
            "states": self.states,
            "dead_states": self.dead_states,
            "plans": self.plans,
            "checks": [
                {"name": each.name, "passed": each.passed, "reason": each.reason, "evidence": each.evidence}
                for each in self.checks
            ],
        }

    def __str__(self) -> str:
        lines = [f"{self.level_id}: {'valid' if self.passed else 'NOT VALID'}"]
        for check in self.checks:
            said = check.evidence if check.passed else check.reason
            lines.append(f"  {'ok  ' if check.passed else 'FAIL'} {check.name}: {said}")
        return "\n".join(lines)


def unreadable(name: str, error: MazeFormatError) -> ValidationReport:
    """The report on what is no maze: one failed check that names every problem."""
    reasons = "; ".join(map(str, error.problems))
    failed = Check("well_formed", passed=False, reason=reasons)
    return ValidationReport(name, (failed,), Validation(is_valid=False, reasons=(f"well_formed: {reasons}",)))
