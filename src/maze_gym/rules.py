"""What the rules of a world are: six pure functions, the same in every world.

A room ``rules`` of a world is a module with these functions (a module can implement a ``Protocol``); its env,
vector env, search and words ask them and nothing else. The verbs are those of Pgx (Koyamada et al., 2023),
over a ``board`` that never changes and a ``state`` that holds all that does::

    state = rules.init(board)
    while not over:
        action = choose(rules.observe(board, state), rules.legal_action_mask(board, state))
        outcome = rules.step(board, state, action)
        state, over = outcome.state, rules.is_terminal(board, outcome)
        reward = rules.rewards(board, outcome)

Nothing in them has a clock, draws a random number, or writes to what it was given. A game of chance keeps its
random numbers in its state (``rng_state``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import numpy as np
    from numpy.typing import NDArray

Board_contra = TypeVar("Board_contra", contravariant=True)
StateT = TypeVar("StateT", bound="Hashable")
State_co = TypeVar("State_co", bound="Hashable", covariant=True)


class StepOutcome(Protocol[State_co]):
    """What a step led to: at least the state after it, and what happened on the way."""

    @property
    def state(self) -> State_co:
        """The state after the step; equal to the one before it where nothing has changed."""
        ...

    @property
    def event(self) -> int:
        """A member of the world's ``Event``, or several of them where they are flags."""
        ...


class Rules(Protocol[Board_contra, StateT]):
    """The six verbs. Every function is pure: equal arguments give equal results."""

    def init(self, board: Board_contra, /) -> StateT:
        """The state in which an episode on this board begins."""
        ...

    def step(self, board: Board_contra, state: StateT, action: int, /) -> StepOutcome[StateT]:
        """Advance by one action; a legal but futile move is an event, not an error.

        Raises:
            InvalidArgument: there is no such action (a world may leave the check to its env, and says so).
        """
        ...

    def observe(self, board: Board_contra, state: StateT, /) -> Mapping[str, NDArray[Any]]:
        """Fresh arrays that hold all that an agent may know, as the env's observation space describes them.

        What only an episode's clock knows (steps taken or left) is not part of a state; the env adds it.
        """
        ...

    def legal_action_mask(self, board: Board_contra, state: StateT, /) -> NDArray[np.int8]:
        """(actions,) fresh; 1 for each action that changes the state or ends the episode with success."""
        ...

    def is_terminal(self, board: Board_contra, outcome: Any, /) -> bool:  # noqa: ANN401 - the world's own StepOutcome
        """Whether the world itself ends the episode here; the clock is the env's affair."""
        ...

    def rewards(self, board: Board_contra, outcome: Any, /) -> float:  # noqa: ANN401 - the world's own StepOutcome
        """What the step that led to this outcome is worth."""
        ...
