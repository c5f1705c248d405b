"""How a line puzzle is played: the board, what a line may do, and the rules that it has to obey."""

from maze_gym.envs.sparc.rules.transition import (
    ACTION_SETS,
    Action,
    Event,
    State,
    initial_state,
    is_over,
    legal_actions,
    legal_bits,
    regions,
    step,
)

__all__ = [
    "ACTION_SETS",
    "Action",
    "Event",
    "State",
    "initial_state",
    "is_over",
    "legal_actions",
    "legal_bits",
    "regions",
    "step",
]
