"""How ghosts think."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from maze_gym.errors import InvalidArgument

Chase = Literal["manhattan", "path"]


@dataclass(frozen=True, slots=True)
class GhostBehaviour:
    """How the ghosts of a board think; the defaults are the README's.

    Attributes:
        chase: ``"manhattan"`` walks where the straight-line distance shrinks and stays where it cannot;
            ``"path"`` takes a shortest way around walls.
        random_ties: choose between equally good moves by the state's luck, not by a fixed order.
        flee: run from a player with power.
        scatter: in turns of ``SCATTER_STEPS`` and ``CHASE_STEPS``, head for a corner of their own.

    Raises:
        InvalidArgument: a field is of the wrong kind.
    """

    chase: Chase = "manhattan"
    random_ties: bool = False
    flee: bool = False
    scatter: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        if self.chase not in get_args(Chase):
            msg = f"chase must be one of {', '.join(get_args(Chase))}, got {self.chase!r}"
            raise InvalidArgument(msg)
        for name in ("random_ties", "flee", "scatter"):
            if not isinstance(getattr(self, name), bool):
                msg = f"{name} must be True or False, got {getattr(self, name)!r}"
                raise InvalidArgument(msg)
