"""Why an episode ends, and which ends are no score."""

from __future__ import annotations

from enum import StrEnum


class EndReason(StrEnum):
    """Why an episode ended; every episode ends with exactly one."""

    SUCCESS = "success"
    FAILED = "failed"  # a final wrong answer, or no way to the goal any more
    TIMEOUT = "timeout"  # the step limit
    STALLED = "stalled"  # no new state, or nothing but failures, for as long as the caller allows
    PARSE_FAILED = "parse_failed"  # retries for unreadable replies are used up
    PLAN_EXHAUSTED = "plan_exhausted"  # a plan given in advance has run out, at its end or where it was wrong
    PROVIDER_ERROR = "provider_error"  # the model could not be asked: unscored, no failure of its own
    ABORTED = "aborted"  # by a person, or by an exact search that was given up: unscored


UNSCORED = frozenset({EndReason.PROVIDER_ERROR, EndReason.ABORTED})
