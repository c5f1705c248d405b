"""Small boards that several tests of SpatialGym play, and ways to play them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from maze_gym.envs.sparc.rules.puzzle import Color, Kind, Puzzle, Symbol
from maze_gym.envs.sparc.search.plans import actions_along
from maze_gym.envs.sparc.text.rules_text import EXAMPLE, EXAMPLE_LINE

if TYPE_CHECKING:
    from maze_gym.envs.sparc.env import SpatialGymEnv

__all__ = ["ACTIONS", "CORNER", "EXAMPLE", "EXAMPLE_LINE", "SOLUTION", "TWO_CELLS", "play"]

ACTIONS = st.lists(st.integers(0, 3), max_size=60)
SOLUTION = actions_along(EXAMPLE_LINE)
# One move up to the node, one more to the end; or all around, which leaves the dot out.
CORNER = Puzzle(
    "corner", 1, 1, (2, 0), (0, 0), dots=((1, 0),), level=1, solutions=(((2, 0), (1, 0), (0, 0)),)
)
# The line has to pass between the two squares.
TWO_CELLS = Puzzle(
    "two cells",
    1,
    2,
    (0, 2),
    (2, 2),
    symbols=(((1, 1), Symbol(Kind.SQUARE, Color.RED)), ((1, 3), Symbol(Kind.SQUARE, Color.BLUE))),
    level=2,
)


def play(env: SpatialGymEnv, actions: tuple[int, ...] | list[int]) -> tuple[float, dict[str, Any]]:
    """Total reward and the last info of an episode that has begun; stops where it ends."""
    total = 0.0
    info: dict[str, Any] = {}
    for action in actions:
        _, reward, terminated, truncated, info = env.step(action)
        total += reward
        if terminated or truncated:
            break
    return total, info
