"""OracleShaping: a reward for every action that the goal comes nearer; the best plans stay the best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, cast

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from maze_gym.wrappers.added import AnyEnv

    AnyVectorEnv = gym.vector.VectorEnv[Any, Any, Any]

UNSHAPED = "unshaped_reward"
REMAINING = "remaining_actions"
DEAD_FACTOR = 2  # a dead state counts as this many times the shortest plan from the start


class _Field(Protocol):
    """Distances to the goal."""

    def distance(self, state: Any) -> int | None: ...  # noqa: ANN401 - a state of its world


class Measured(Protocol):
    """A world with exact search, as MazeNLU: it knows how far each of its states is from success."""

    @property
    def state(self) -> Hashable:
        """The full state of this episode."""
        ...

    def distances(self) -> _Field:
        """Remaining optimal actions from every state that this episode can reach."""
        ...


class OracleShaping(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Adds ``gamma * potential(after) - potential(before)`` to each reward.

    The potential of a state is minus ``scale`` for each action of a shortest plan from there, by exact
    search; it is 0 after success, and in a dead state minus twice the optimum from the start. Such a
    shaping changes no policy's rank when returns are discounted by the same ``gamma`` (Ng, Harada and
    Russell, 1999): along an episode the additions telescope to
    ``gamma**n * potential(last) - potential(first)``.

    Who trains with it leans on the oracle and should say so; evaluate without it. The env's own reward is in
    ``info["unshaped_reward"]``.

    Args:
        env: a world with exact search: MazeNLU.
        gamma: discount of whoever learns, from 0 to 1.
        scale: reward of an action that the goal comes nearer, finite and above 0.

    Raises:
        InvalidArgument: an argument is out of range, or the world has no exact search.
    """

    def __init__(self, env: AnyEnv, gamma: float = 0.99, scale: float = 0.05) -> None:
        """Wrap an env."""
        gym.utils.RecordConstructorArgs.__init__(self, gamma=gamma, scale=scale)
        gym.Wrapper.__init__(self, env)
        check_shaping(gamma, scale)
        world = env.unwrapped
        if not hasattr(world, "distances"):  # ``state`` cannot be asked for: there is none before a reset
            msg = f"this needs a world with exact search, as MazeNLU, got {type(world).__name__}"
            raise InvalidArgument(msg)
        self._world = cast("Measured", world)
        self._gamma, self._scale = gamma, scale
        self._potential, self._dead = 0.0, 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode and search its level, unless it was the last one too.

        Raises:
            SearchLimitExceeded: the level has too many states to be searched.
        """
        seen, info = self.env.reset(seed=seed, options=options)
        optimum = self._world.distances().distance(self._world.state)
        self._dead = -self._scale * DEAD_FACTOR * (optimum or 0)
        self._potential = self._now()
        return seen, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # noqa: ANN401 - gymnasium's own types
        """Take a step; the reward is the shaped one."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        before = self._potential
        self._potential = 0.0 if terminated else self._now()
        info[UNSHAPED] = float(reward)
        shaped = float(reward) + self._gamma * self._potential - before
        return seen, shaped, terminated, truncated, info

    def _now(self) -> float:
        remaining = self._world.distances().distance(self._world.state)
        return self._dead if remaining is None else -self._scale * remaining


class VectorOracleShaping(gym.vector.VectorWrapper):
    """``OracleShaping`` for vector envs whose infos hold ``remaining_actions``: the same numbers at once.

    ``maze_gym.envs.maze.vector.guided:GuidedMazeVectorEnv`` is one. The last reward of an episode that was
    cut off counts the potential of its last state, so bootstrap from there, as stable-baselines3 does.

    Args:
        env: vector envs that reset in the same step.
        gamma: see ``OracleShaping``.
        scale: see there.

    Raises:
        InvalidArgument: an argument is out of range, or the envs reset at another time; at a reset, that
            they do not tell how far it is.
    """

    def __init__(self, env: AnyVectorEnv, gamma: float = 0.99, scale: float = 0.05) -> None:
        """Wrap vector envs."""
        super().__init__(env)
        check_shaping(gamma, scale)
        mode = env.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            msg = f"shaping follows envs that reset in the same step; got {mode}"
            raise InvalidArgument(msg)
        self._gamma, self._scale = gamma, scale
        self._potential = np.zeros(env.num_envs)
        self._dead = np.zeros(env.num_envs)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every env, or in those of ``options["reset_mask"]``."""
        seen, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]  # lists too
        if REMAINING not in infos:
            msg = f"these envs do not tell {REMAINING}; make them with GuidedMazeVectorEnv"
            raise InvalidArgument(msg)
        self._begin(infos, infos[f"_{REMAINING}"])
        return seen, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:  # noqa: ANN401 - gymnasium's own types
        """Take a step; the rewards are the shaped ones."""
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        before, after = self._potential, self._potentials(infos[REMAINING])
        ended = terminated | truncated
        if ended.any():
            last = self._potentials(infos["final_info"][REMAINING])
            after = np.where(terminated, 0.0, np.where(truncated, last, after))
        infos[UNSHAPED] = rewards
        shaped = rewards + self._gamma * after - before
        self._potential = after
        if ended.any():
            self._begin(infos, ended)
        return seen, shaped, terminated, truncated, infos

    def _begin(self, infos: dict[str, Any], begun: NDArray[np.bool_]) -> None:
        optimum = np.maximum(infos[REMAINING], 0)
        self._dead = np.where(begun, -self._scale * DEAD_FACTOR * optimum, self._dead)
        self._potential = np.where(begun, self._potentials(infos[REMAINING]), self._potential)

    def _potentials(self, remaining: NDArray[np.int64]) -> NDArray[np.float64]:
        potentials: NDArray[np.float64] = np.where(remaining < 0, self._dead, -self._scale * remaining)
        return potentials


def check_shaping(gamma: float, scale: float) -> None:
    """Raise ``InvalidArgument`` unless both are in range."""
    if not 0 <= gamma <= 1:
        msg = f"gamma must be from 0 to 1, got {gamma!r}"
        raise InvalidArgument(msg)
    if not 0 < scale < math.inf:
        msg = f"scale must be a finite number above 0, got {scale!r}"
        raise InvalidArgument(msg)
