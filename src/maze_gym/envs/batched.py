"""What the vector envs of all worlds share: the three autoreset modes, checked input, the form of infos."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from maze_gym.envs.arguments import whole
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gymnasium import spaces
    from numpy.typing import NDArray

Arrays: TypeAlias = dict[str, Any]
Step: TypeAlias = "tuple[Arrays, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]"
RESET_MASK = "reset_mask"
RESET_FIRST = "there is no episode yet; call reset() first"


class Written(Protocol):
    """Arrays that a step has written, whatever else the world keeps with them."""

    @property
    def rewards(self) -> NDArray[np.float64]:
        """(envs,)."""
        ...

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """(envs,) the world's verdict."""
        ...

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """(envs,) the clock's."""
        ...


class BatchedEnv(VectorEnv[Arrays, "NDArray[np.int64]", "NDArray[Any]"]):
    """The face that a compiled batch of envs shows to Gymnasium; a world fills in the methods that raise.

    Args:
        num_envs: how many.
        autoreset_mode: a member of ``AutoresetMode`` or its value.
        copy: hand out fresh arrays; otherwise two sets of them take turns.
        full_infos: whether infos say in words what happened.
        render_mode: None or ``"rgb_array"``.
        observation: space of one env's observations.
        action: space of one env's actions.

    Raises:
        InvalidArgument: an argument is of the wrong kind or out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - gymnasium's own type
        "render_modes": ["rgb_array"],
        "render_fps": 8,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    action_names: tuple[str, ...]
    reset_options: tuple[str, ...]
    over: NDArray[np.int64]  # (envs,) after a step, its first so many entries name those that have ended
    seeds: list[int | None]  # of each env's own generator, None where it has not drawn or been seeded yet

    def __init__(
        self,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        full_infos: bool,
        render_mode: str | None,
        observation: spaces.Space[Any],
        action: spaces.Space[Any],
    ) -> None:
        """Fix the spaces."""
        if render_mode not in (None, "rgb_array"):
            msg = f"render_mode of a vector env must be None or 'rgb_array', got {render_mode!r}"
            raise InvalidArgument(msg)
        self.num_envs = num_envs
        self.autoreset_mode = _checked_mode(autoreset_mode)
        self._waits = self.autoreset_mode == AutoresetMode.DISABLED
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.copies, self.full_infos, self.render_mode = copy, full_infos, render_mode
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = batch_space(observation, num_envs)
        self.action_space = batch_space(action, num_envs)
        self._every = np.ones(num_envs, np.bool_)
        self._every.flags.writeable = False
        self._begun, self._due = False, 0
        self._ended = np.zeros(num_envs, np.bool_)  # kept up where nothing resets by itself

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin an episode in every env, or in those of ``options["reset_mask"]``, (envs,) booleans.

        An integer seeds env i with ``seed + i``; a list seeds each, but where it says None. The other options
        are those of a single env, for all envs that are reset.

        Raises:
            InvalidArgument: a seed or an option is unknown or out of range.
        """
        seeds = _checked_seeds(seed, self.num_envs)
        options = dict(options or {})
        chosen = _checked_mask(options.pop(RESET_MASK, None), self.num_envs, begun=self._begun)
        unknown = sorted(set(options) - set(self.reset_options))
        if unknown:
            known = ", ".join((*self.reset_options, RESET_MASK))
            msg = f"unknown reset option {unknown[0]!r}; there are: {known}"
            raise InvalidArgument(msg)
        envs = np.flatnonzero(chosen)
        self._reset_envs(envs, seeds, options)
        due = self.over[: self._due]
        kept = due[~chosen[due]]
        self.over[: len(kept)] = kept
        self._begun, self._due = True, len(kept)
        self._ended[envs] = False
        infos = self._all_infos([None] * self.num_envs if self.full_infos else None, envs)
        return self._observation(), infos if len(envs) == self.num_envs else only(infos, chosen)

    def step(self, actions: NDArray[np.int64]) -> Step:
        """Take an action in each env: (envs,) integers of any kind.

        In ``NEXT_STEP``, an env whose episode was over begins the next one, and its action is not played.

        Raises:
            InvalidAction: the actions have another shape or type, or one is out of range.
            ResetNeeded: there is no episode yet, or, where nothing resets by itself, one has ended.
        """
        numbers = _checked_actions(actions, self.num_envs, self.action_names)
        self._require_episode()
        if self._waits and self._ended.any():
            first = int(self._ended.argmax())
            msg = f"the episode of env {first} has ended; reset(options={{'reset_mask': ...}}) before step()"
            raise ResetNeeded(msg)
        before = self._states_before() if self.full_infos else None
        ends = self._play(numbers, self._due)
        infos = self._all_infos(before, numbers)
        self._due = 0
        now = self._now
        if ends:
            ended = now.terminated | now.truncated
            infos |= self._end_infos(ended)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                infos = self._begin_next(self.over[:ends], ended, infos, before, numbers)
            elif self.autoreset_mode == AutoresetMode.NEXT_STEP:
                self._due = ends
            else:
                self._ended |= ended
        return self._observation(), now.rewards, now.terminated, now.truncated, infos

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:  # type: ignore[override]  # as in SyncVectorEnv
        """The seed of each env's own generator, None where it has not drawn or been seeded yet."""
        return tuple(self.seeds)

    # --- what a world fills in ---

    @property
    def _now(self) -> Written:
        """What was written last."""
        raise NotImplementedError

    def _reset_envs(
        self, envs: NDArray[np.int64], seeds: Sequence[int | None], options: Mapping[str, Any]
    ) -> None:
        """Seed these envs where a seed is given, begin an episode in them, and write everything anew."""
        raise NotImplementedError

    def _play(self, actions: NDArray[np.int64], due: int) -> int:
        """One step; how many episodes are over. The first ``due`` of ``over`` begin one instead."""
        raise NotImplementedError

    def _begin(self, envs: NDArray[np.int64]) -> None:
        """Begin the next episode of these envs, and write what is seen of it."""
        raise NotImplementedError

    def _seen(self) -> Arrays:
        """What is observed, in the arrays in which it is kept, in the order of the space."""
        raise NotImplementedError

    def _observation(self) -> Arrays:
        """What is observed, in arrays that may be handed out."""
        raise NotImplementedError

    def _of_one(self, observation: Arrays) -> Arrays:
        """One row of every array of ``_seen``, as a single env hands it out."""
        raise NotImplementedError

    def _numbers(self) -> dict[str, Any]:
        """The infos of all envs that are numbers."""
        raise NotImplementedError

    def _words(self, before: Sequence[Any], actions: NDArray[np.int64]) -> dict[str, Any]:
        """The other infos; ``before`` holds states that actions were taken in, None where none was."""
        raise NotImplementedError

    def _end_infos(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """What infos say of these envs in the last step of an episode."""
        raise NotImplementedError

    def _state_before(self, env: int) -> object:
        """What ``_words`` has to know of the state that the next action is taken in."""
        raise NotImplementedError

    # --- what is left ---

    def _require_episode(self) -> None:
        if not self._begun:
            raise ResetNeeded(RESET_FIRST)

    def _begin_next(
        self,
        over: NDArray[np.int64],
        ended: NDArray[np.bool_],
        last: dict[str, Any],
        before: list[Any] | None,
        actions: NDArray[np.int64],
    ) -> dict[str, Any]:
        """Begin the next episode of these envs; the infos of the step, with what was seen last in them."""
        final = {name: values[over] for name, values in self._seen().items()}
        final_obs = np.full(self.num_envs, None, object)
        for index, env in enumerate(over.tolist()):
            final_obs[env] = self._of_one({name: values[index] for name, values in final.items()})
        final_info = only(last, ended)
        self._begin(over)
        if before is not None:
            before = [None if gone else state for gone, state in zip(ended, before, strict=True)]
        return self._all_infos(before, actions) | {
            "final_obs": final_obs,
            "_final_obs": ended,
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _all_infos(self, before: list[Any] | None, actions: NDArray[np.int64]) -> dict[str, Any]:
        infos = self._numbers()
        return infos if before is None else infos | self._words(before, actions)

    def _mask_of_all(self) -> NDArray[np.bool_]:
        return self._every.copy() if self.copies else self._every

    def _states_before(self) -> list[Any]:
        due = set(self.over[: self._due].tolist())
        return [None if env in due else self._state_before(env) for env in range(self.num_envs)]


def only(infos: dict[str, Any], spoken_of: NDArray[np.bool_]) -> dict[str, Any]:
    """The same infos, of some envs alone: zero, or None, in all others."""
    chosen: dict[str, Any] = {}
    for key, value in infos.items():
        if key.startswith("_"):
            continue
        mask = infos[f"_{key}"] & spoken_of
        if not mask.any():
            continue
        if isinstance(value, dict):
            chosen[key] = only(value, spoken_of)
        else:
            kept = np.full(value.shape, None, object) if value.dtype == object else np.zeros_like(value)
            kept[mask] = value[mask]
            chosen[key] = kept
        chosen[f"_{key}"] = mask
    return chosen


def objects(values: Sequence[object]) -> NDArray[Any]:
    """(envs,) an array of any objects, also of those that NumPy would take apart."""
    array = np.full(len(values), None, object)
    for index, value in enumerate(values):
        array[index] = value
    return array


def checked_count(num_envs: object) -> int:
    """A number of envs, from an integer of any kind."""
    return whole(num_envs, "num_envs", 1)


def _checked_mode(mode: object) -> AutoresetMode:
    """An autoreset mode, or its name as Gymnasium writes it."""
    try:
        return AutoresetMode(mode)
    except ValueError as error:
        known = ", ".join(repr(each.value) for each in AutoresetMode)
        msg = f"autoreset_mode must be one of {known}, got {mode!r}"
        raise InvalidArgument(msg) from error


@cache  # to look an import up at every step takes longer than to check the actions
def _search() -> Callable[[NDArray[np.int64], int], int]:
    """What finds the first wrong action."""
    from mazegen.vector.batch import (
        first_wrong,  # it imports numba, which the import of this module shall not
    )

    return first_wrong


def _checked_actions(actions: object, envs: int, names: Sequence[str]) -> NDArray[np.int64]:
    """(envs,) integers of any kind that are actions, as one kind of array."""
    given = np.asarray(actions)
    if given.dtype.kind not in "iu" or given.shape != (envs,):
        msg = f"actions must be {envs} integers, one for each env, got {given.dtype} of shape {given.shape}"
        raise InvalidAction(msg)
    numbers: NDArray[np.int64] = given
    if given.dtype != np.int64 or not given.flags.carray:
        numbers = given.astype(np.int64)  # so that the loops are compiled for one kind only
    wrong = _search()(numbers, len(names))
    if wrong >= 0:
        allowed = ", ".join(f"{number} {name}" for number, name in enumerate(names))
        msg = f"each action must be one of {allowed}, got {given[wrong]} for env {wrong}"
        raise InvalidAction(msg)
    return numbers


def _checked_mask(mask: object, envs: int, *, begun: bool) -> NDArray[np.bool_]:
    """Which envs are to be reset; all, if nothing says which."""
    if mask is None:
        return np.ones(envs, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (envs,):
        what = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else repr(mask)
        msg = f"option {RESET_MASK} must be an array of {envs} booleans, got {what}"
        raise InvalidArgument(msg)
    if not mask.any():
        msg = f"option {RESET_MASK} chooses no env; leave out the call"
        raise InvalidArgument(msg)
    if not begun and not mask.all():
        msg = f"option {RESET_MASK} leaves envs out that have never begun; reset all of them first"
        raise InvalidArgument(msg)
    return mask.copy()


def _checked_seeds(seed: int | Sequence[int | None] | None, envs: int) -> list[int | None]:
    """A seed for each env: ``seed + i``, or as listed; None keeps an env's generator as it is.

    Raises:
        InvalidArgument: a seed is no whole number of at least 0, or there are not as many as envs.
    """
    if seed is None:
        return [None] * envs
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        seeds: list[object] = [int(seed) + env for env in range(envs)]
    else:
        try:
            seeds = list(seed)  # type: ignore[arg-type]  # checked by trying
        except TypeError as error:
            msg = f"seed must be None, an integer or a list of {envs} of those, got {seed!r}"
            raise InvalidArgument(msg) from error
    if len(seeds) != envs:
        msg = f"a list of seeds needs one for each of the {envs} envs, got {len(seeds)}"
        raise InvalidArgument(msg)
    checked: list[int | None] = []
    for each in seeds:
        if each is None:
            checked.append(None)
        elif isinstance(each, int | np.integer) and not isinstance(each, bool) and each >= 0:
            checked.append(int(each))
        else:
            msg = f"a seed must be None or an integer of at least 0, got {each!r}"
            raise InvalidArgument(msg)
    return checked
