"""The actions of the maze. They lie below the rules, because the proof in a maze names them."""

from __future__ import annotations

from enum import IntEnum


class Action(IntEnum):
    """What an agent can do; the order is the order of ``Discrete(6)``."""

    TURN_LEFT = 0
    TURN_RIGHT = 1
    MOVE_FORWARD = 2
    PICKUP = 3
    TOGGLE = 4
    DONE = 5
