"""Where work is done: the choice that ``evaluate`` and ``generate`` share."""

from __future__ import annotations

from enum import StrEnum


class Engine(StrEnum):
    """Where work is done; the results are the same."""

    LOCAL = "local"
    RAY = "ray"
