"""Any Gymnasium vector env as a ``VecEnv`` of stable-baselines3, without a loop over its envs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from maze_gym.errors import InvalidArgument
from maze_gym.policies.encoding import encoding_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import gymnasium as gym
    from numpy.typing import NDArray

    from maze_gym.policies.encoding import Arrays

    AnyVectorEnv = gym.vector.VectorEnv[Any, Any, Any]

UNSHAPED = "unshaped_reward"  # where ``VectorOracleShaping`` puts the env's own rewards


class EncodedVecEnv(VecEnv):
    """Steps a vector env that resets in the same step, and encodes what it sees.

    A step costs a few array operations, whatever the number of envs; only an env whose episode has ended
    gets an info of its own (``episode``, ``is_success``, ``terminal_observation``, ``TimeLimit.truncated``),
    all others share one empty dict.

    Args:
        envs: a vector env in ``SAME_STEP`` mode, of a world that observes a Dict.
        kind: of encoding; see ``maze_gym.policies.encoding.encoding_for``.

    Raises:
        InvalidArgument: the envs reset at another time, or their observations cannot be encoded.
    """

    def __init__(self, envs: AnyVectorEnv, kind: str | None = None) -> None:
        """Declare the spaces."""
        mode = envs.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            msg = f"stable-baselines3 resets in the same step; make the envs with SAME_STEP, got {mode}"
            raise InvalidArgument(msg)
        self.envs = envs
        self.encoding = encoding_for(envs.single_observation_space, kind)
        self.render_mode = None
        super().__init__(envs.num_envs, self.encoding.space, envs.single_action_space)
        self._actions: NDArray[Any] = np.zeros(envs.num_envs, np.int64)
        self._masks: NDArray[np.bool_] | None = None
        self._nothing: dict[str, Any] = {}
        self._returns = np.zeros(envs.num_envs)
        self._lengths = np.zeros(envs.num_envs, np.int64)

    def reset(self) -> Arrays:
        """Begin an episode everywhere; seeds given by ``seed()`` are used once."""
        seeds = list(self._seeds)
        known = seeds if any(seed is not None for seed in seeds) else None
        seen, infos = self.envs.reset(seed=known)  # type: ignore[arg-type]  # vector envs take lists, its base says ints
        self._reset_seeds()
        self._note_masks(infos)
        self._returns[:], self._lengths[:] = 0, 0
        return self.encoding.encode(seen)

    def seed_each(self, seeds: Sequence[int]) -> None:
        """Seed each env at the next reset; ``seed()`` would give them neighbouring ones."""
        self._seeds = list(seeds)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Arrays, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Take the step."""
        seen, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        self._note_masks(infos)
        done = terminated | truncated
        self._returns += np.asarray(infos.get(UNSHAPED, rewards), np.float64)
        self._lengths += 1
        told = [self._nothing] * self.num_envs
        if done.any():
            self._tell_ends(np.flatnonzero(done), truncated, infos, told)
        return self.encoding.encode(seen), rewards.astype(np.float32), done, told

    def _tell_ends(
        self,
        ended: NDArray[np.int64],
        truncated: NDArray[np.bool_],
        infos: dict[str, Any],
        told: list[dict[str, Any]],
    ) -> None:
        last = infos["final_obs"][ended]
        stacked = {name: np.stack([each[name] for each in last]) for name in last[0]}
        encoded = self.encoding.encode(stacked)
        success = infos["final_info"].get("is_success", np.zeros(self.num_envs, np.bool_))
        for index, env in enumerate(ended.tolist()):
            told[env] = {
                "terminal_observation": {name: values[index] for name, values in encoded.items()},
                "TimeLimit.truncated": bool(truncated[env]),
                "is_success": bool(success[env]),
                "episode": {"r": float(self._returns[env]), "l": int(self._lengths[env]), "t": 0.0},
            }
        self._returns[ended], self._lengths[ended] = 0, 0

    def _note_masks(self, infos: dict[str, Any]) -> None:
        masks = infos.get("action_mask")
        self._masks = None if masks is None else np.asarray(masks, np.bool_)

    def close(self) -> None:
        """Close the envs."""
        self.envs.close()

    def has_attr(self, attr_name: str) -> bool:
        """Whether the envs have it; ``action_masks`` is what sb3-contrib asks for."""
        return attr_name == "action_masks" or hasattr(self.envs.unwrapped, attr_name)

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of the vector env, the same for each of its envs."""
        return [getattr(self.envs, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:  # noqa: ANN401
        """Not possible: the envs share their attributes."""
        del value, indices
        msg = f"the envs of a vector env share their attributes; make it anew to change {attr_name!r}"
        raise InvalidArgument(msg)

    def env_method(
        self,
        method_name: str,
        *args: Any,  # noqa: ANN401 - of the method
        indices: int | Iterable[int] | None = None,
        **kwargs: Any,  # noqa: ANN401 - likewise
    ) -> list[Any]:
        """``action_masks``, an array of booleans for each env; there is nothing else to call.

        Raises:
            InvalidArgument: another method, or the world tells no masks.
        """
        del args, kwargs
        if method_name != "action_masks" or self._masks is None:
            msg = f"the envs of a vector env can be asked for action_masks alone, not for {method_name!r}"
            if method_name == "action_masks":
                msg = "this world tells no action masks; use the algorithm ppo"
            raise InvalidArgument(msg)
        return list(self._masks[self._chosen(indices)])

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """No env is wrapped by itself."""
        del wrapper_class
        return [False] * len(self._chosen(indices))

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """No pictures while training."""
        return [None] * self.num_envs

    def _chosen(self, indices: int | Iterable[int] | None) -> list[int]:
        return list(self._get_indices(indices))
