"""ContextWindow: the latest steps in words."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from maze_gym.errors import InvalidArgument
from maze_gym.game import Wording, text_game
from maze_gym.llm.config import check_whole
from maze_gym.wrappers.added import MAX_LENGTH, AddedObservation, Mode, ObservedText, fitting

if TYPE_CHECKING:
    from maze_gym.wrappers.added import AnyEnv


class ContextWindow(AddedObservation):
    """Observes the latest steps, one a line: where each was chosen, what it was, what came of it.

    Args:
        env: any world of this suite, wrapped or not; a wrapper that changes actions belongs outside of this
            one, which names the actions that it is given.
        turns: how many steps.
        mode: ``"add"`` an entry ``"context"``, or ``"replace"`` the observation.
        max_length: of the text, in characters.

    Raises:
        InvalidArgument: an argument is wrong, the world says nothing in words, or a wrapper inside of this
            one changes actions.
    """

    def __init__(self, env: AnyEnv, turns: int = 3, mode: Mode = "add", max_length: int = MAX_LENGTH) -> None:
        """Wrap an env."""
        check_whole("turns", turns, 1)
        self._game = text_game(env)
        _check_actions_arrive(env)
        self._space = ObservedText(max_length)
        self._lines: deque[str] = deque(maxlen=turns)
        self._pose = ""
        arguments = {"turns": turns, "mode": mode, "max_length": max_length}
        super().__init__(env, "context", self._space, mode, arguments)

    def _begin(self) -> None:
        self._lines.clear()
        self._pose = self._game.describe(Wording()).pose

    def _follow(self, action: Any) -> None:  # noqa: ANN401 - as it came
        now = self._game.describe(Wording())
        name = self._game.action_names[int(action)]
        self._lines.append(f"{now.step}. At {self._pose}: {name}. {now.result}")
        self._pose = now.pose

    def _value(self) -> str:
        return fitting("\n".join(self._lines), self._space)


def _check_actions_arrive(env: AnyEnv) -> None:
    """Refuse a wrapper after which the world executes another action than the one that was given."""
    while isinstance(env, gym.Wrapper):
        if isinstance(env, gym.ActionWrapper) or env.action_space != env.env.action_space:
            name = type(env).__name__
            msg = (
                f"{name} changes actions, so that their names in the context would be wrong; "
                f"wrap the other way round: {name}(ContextWindow(env), ...)"
            )
            raise InvalidArgument(msg)
        env = env.env
