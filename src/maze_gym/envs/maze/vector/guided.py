"""GuidedMazeVectorEnv: the vector env that also says how far it is to the goal, for shaped rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from gymnasium.vector import AutoresetMode

from maze_gym.envs.maze.vector_env import GridWorldVectorEnv
from maze_gym.errors import InvalidArgument
from mazegen.core import rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from maze_gym.envs.maze.levels.playable import PlayableMaze
    from mazegen.core.rules import State
    from mazegen.search.solver import DistanceField, DistanceTable

REMAINING = "remaining_actions"
DEAD = -1  # the goal cannot be reached any more


class GuidedMazeVectorEnv(GridWorldVectorEnv):
    """A ``GridWorldVectorEnv`` whose infos hold ``remaining_actions``, (envs,) int64, -1 in a dead state.

    It is exact: fewest actions to success from the state that the observation shows, 0 after success. In
    ``final_info`` it speaks of the last state of the episode. Each level is searched once, when it is first
    played; asking costs a few microseconds an env and step.

    Args:
        num_envs: see ``GridWorldVectorEnv``.
        kwargs: see there; ``autoreset_mode`` must be the same-step one, which is the default here.

    Raises:
        InvalidArgument: an argument is wrong.
        SearchLimitExceeded: at a reset, a level has too many states to be searched.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **kwargs: Any,  # noqa: ANN401 - those of the class above
    ) -> None:
        """Make the envs; nothing is searched yet."""
        super().__init__(num_envs, autoreset_mode=autoreset_mode, **kwargs)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            msg = f"guided envs reset in the same step; got autoreset_mode={autoreset_mode!r}"
            raise InvalidArgument(msg)
        self._searched: WeakKeyDictionary[PlayableMaze, tuple[State, DistanceTable | DistanceField]] = (
            WeakKeyDictionary()
        )
        self._fields: list[DistanceTable | DistanceField | None] = [None] * self.num_envs
        self._states: list[State | None] = [None] * self.num_envs
        self._remaining = np.zeros(self.num_envs, np.int64)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; see ``GridWorldVectorEnv.reset``."""
        seen, infos = super().reset(seed=seed, options=options)
        mask = (options or {}).get("reset_mask")
        chosen = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        self._search(chosen)
        spoken_of = np.zeros(self.num_envs, np.bool_)
        spoken_of[chosen] = True
        infos[REMAINING], infos[f"_{REMAINING}"] = np.where(spoken_of, self._remaining, 0), spoken_of
        return seen, infos

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[dict[str, Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take an action in each env; see ``GridWorldVectorEnv.step``."""
        before, levels = list(self._states), [self._batch.level(env) for env in range(self.num_envs)]
        seen, rewards, terminated, truncated, infos = super().step(actions)
        ended = terminated | truncated
        for env in np.flatnonzero(~ended).tolist():
            self._measure(env, self._batch.state(env))
        if ended.any():
            last = np.zeros(self.num_envs, np.int64)
            for env in np.flatnonzero(
                truncated
            ).tolist():  # the state is gone, but the rules know where it led
                state = before[env]
                if state is not None:
                    self._measure(env, rules.step(levels[env].board, state, int(actions[env])).state)
                last[env] = self._remaining[env]
            infos["final_info"] |= {REMAINING: last, f"_{REMAINING}": ended.copy()}
            self._search(np.flatnonzero(ended).tolist())
        infos[REMAINING], infos[f"_{REMAINING}"] = self._remaining.copy(), np.ones(self.num_envs, np.bool_)
        return seen, rewards, terminated, truncated, infos

    def _search(self, envs: Iterable[int]) -> None:
        """Know how far it is in these envs, where an episode has just begun."""
        for env in envs:
            level, state = self._batch.level(env), self._batch.state(env)
            known = self._searched.get(level)
            if known is None or known[0] != state:
                field = level.distances(state)
                known = self._searched[level] = state, field.table() or field
            self._fields[env] = known[1]
            self._measure(env, state)

    def _measure(self, env: int, state: State) -> None:
        self._states[env] = state
        field = self._fields[env]
        distance = None if field is None else field.distance(state)
        self._remaining[env] = DEAD if distance is None else distance
