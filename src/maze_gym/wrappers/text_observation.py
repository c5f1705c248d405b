"""TextObservation: the level and its state in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.game import Coordinates, Prompting, Wording, text_game
from maze_gym.wrappers.added import MAX_LENGTH, AddedObservation, Mode, ObservedText, fitting

if TYPE_CHECKING:
    from maze_gym.wrappers.added import AnyEnv


class TextObservation(AddedObservation):
    """Observes what a language model would read: the level, its state, and what came of the last action.

    Args:
        env: any world of this suite, wrapped or not.
        prompting: how much is said: ``"minimal"``, ``"standard"`` or ``"verbose"``.
        coordinates: how cells are named.
        mode: ``"add"`` an entry ``"text"``, or ``"replace"`` the observation.
        max_length: of the text, in characters.

    Raises:
        InvalidArgument: an argument is wrong, or the world says nothing in words.
    """

    def __init__(
        self,
        env: AnyEnv,
        prompting: str = "standard",
        coordinates: str = "row_col",
        mode: Mode = "add",
        max_length: int = MAX_LENGTH,
    ) -> None:
        """Wrap an env."""
        self._game = text_game(env)
        self._wording = Wording(_prompting(prompting), _coordinates(coordinates))
        self._space = ObservedText(max_length)
        arguments = {
            "prompting": prompting,
            "coordinates": coordinates,
            "mode": mode,
            "max_length": max_length,
        }
        super().__init__(env, "text", self._space, mode, arguments)

    def _value(self) -> str:
        now = self._game.describe(self._wording)
        parts = (now.level, now.state, now.result)
        return fitting("\n\n".join(part for part in parts if part), self._space)


def _prompting(value: str) -> Prompting:
    try:
        return Prompting(value)
    except ValueError as error:
        msg = f"prompting must be one of {', '.join(Prompting)}, got {value!r}"
        raise InvalidArgument(msg) from error


def _coordinates(value: str) -> Coordinates:
    try:
        return Coordinates(value)
    except ValueError as error:
        msg = f"coordinates must be one of {', '.join(Coordinates)}, got {value!r}"
        raise InvalidArgument(msg) from error
