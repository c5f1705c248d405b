"""An action that a caller gives, checked, and a step that cannot be taken: the same in every world."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded

if TYPE_CHECKING:
    from enum import IntEnum


def checked_action(action: object, actions: type[IntEnum]) -> int:
    """An integer of any kind, or a 0-d integer array; nothing is rounded or guessed.

    Args:
        action: what came.
        actions: what the world knows, numbered from 0.

    Raises:
        InvalidAction: it is no integer, or no action has its number.
    """
    allowed = ", ".join(f"{int(each)} {each.name}" for each in actions)
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # that it may not fit is the point
    except TypeError as error:
        msg = f"an action must be an integer ({allowed}), got {action!r}"
        raise InvalidAction(msg) from error
    if isinstance(action, bool | np.bool_) or not 0 <= number < len(actions):
        msg = f"an action must be one of {allowed}, got {action!r}"
        raise InvalidAction(msg)
    return number


def reset_needed(*, ended: bool = False) -> ResetNeeded:
    """What to raise where no episode is under way.

    Args:
        ended: whether there was one.
    """
    if ended:
        return ResetNeeded("the episode has ended; call reset() before step()")
    return ResetNeeded("there is no episode yet; call reset() first")
