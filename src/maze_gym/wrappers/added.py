"""What the wrappers of this folder share: one more entry of the observation, or another observation."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, Literal, get_args

import gymnasium as gym
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory

from maze_gym.errors import InvalidArgument
from maze_gym.llm.config import check_whole

if TYPE_CHECKING:
    AnyEnv = gym.Env[Any, Any]

Mode = Literal["add", "replace"]
INNER = "observation"  # where an observation goes that was no Dict
MAX_LENGTH = 16_384  # characters of an observed text; a board of 40 x 40 cells needs about half
CHARSET = string.printable


class AddedObservation(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Adds ``_value()`` to each observation under a name, or puts it in the observation's place.

    Args:
        env: any world of this suite, wrapped or not.
        name: of the new entry.
        space: of its values.
        mode: ``"add"`` or ``"replace"``.
        arguments: of the constructor, for the spec.

    Raises:
        InvalidArgument: the world says nothing in words, the name is taken, or there is no such mode.
    """

    def __init__(
        self, env: AnyEnv, name: str, space: spaces.Space[Any], mode: Mode, arguments: dict[str, Any]
    ) -> None:
        """Declare the new space; the inner env's own space stays as it is."""
        gym.utils.RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        if mode not in get_args(Mode):
            msg = f"mode must be one of {', '.join(get_args(Mode))}, got {mode!r}"
            raise InvalidArgument(msg)
        self._name, self._replaces = name, mode == "replace"
        inner = env.observation_space
        if self._replaces:
            self.observation_space = space
        elif isinstance(inner, spaces.Dict):
            if name in inner.spaces:
                msg = f"the observation already has an entry {name!r}"
                raise InvalidArgument(msg)
            self.observation_space = spaces.Dict({**inner.spaces, name: space})
        else:
            self.observation_space = spaces.Dict({INNER: inner, name: space})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; seed and options are passed on."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._begin()
        return self._with_value(observation), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:  # noqa: ANN401 - gymnasium's own types
        """Take a step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._follow(action)
        return self._with_value(observation), reward, terminated, truncated, info

    def _begin(self) -> None:
        """An episode has begun."""

    def _follow(self, action: Any) -> None:  # noqa: ANN401 - as it came
        """A step has been taken."""

    def _value(self) -> Any:  # noqa: ANN401 - an element of the space
        raise NotImplementedError

    def _with_value(self, observation: Any) -> Any:  # noqa: ANN401 - an element of the space
        if self._replaces:
            return self._value()
        inner = observation if isinstance(observation, dict) else {INNER: observation}
        return {**inner, self._name: self._value()}


class ObservedText(spaces.Text):
    """Texts of printable ASCII.

    ``AsyncVectorEnv`` reads texts from shared memory once, when it is made, and shows that first text
    for ever (Gymnasium 1.4). A space of its own kind makes it say ``shared_memory=False`` instead.
    """

    def __init__(self, max_length: int) -> None:
        """Up to so many characters."""
        check_whole("max_length", max_length, 1)
        super().__init__(max_length, min_length=0, charset=CHARSET)


@create_shared_memory.register(ObservedText)
def _refuse_shared_memory(space: ObservedText, n: int = 1, ctx: object = None) -> None:
    del space, n, ctx
    msg = "texts do not travel through shared memory; pass vector_kwargs={'shared_memory': False}"
    raise CustomSpaceError(msg)


def fitting(text: str, space: spaces.Text) -> str:
    """The text as an element of the space: what is not ASCII is escaped, nothing is cut off.

    Raises:
        InvalidArgument: it is too long; the message says how long the space must be.
    """
    ascii_text = text.encode("ascii", "backslashreplace").decode("ascii")
    if len(ascii_text) > space.max_length:
        need = len(ascii_text)
        msg = f"a text of {need} characters does not fit; make the wrapper with max_length={need}"
        raise InvalidArgument(msg)
    return ascii_text
