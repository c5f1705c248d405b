"""Conformance checks for any world of this suite; use them when you add one.

``check_world("MazeNLU-v0")`` runs them all. Each raises ``AssertionError`` saying what is wrong.
"""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_checker import data_equivalence as equivalent

from maze_gym.game import Measured, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    AnyEnv = gym.Env[Any, Any]

STEPS = 200  # of each random walk below
ASKED_STEPS = 10  # of the walk in which a world is asked what to do: it may search anew at each


def check_world(env_id: str, **kwargs: Any) -> None:  # noqa: ANN401 - the env's own arguments
    """Run every check of this module, and Gymnasium's own, on a registered world."""

    def make() -> AnyEnv:
        env: AnyEnv = gym.make(env_id, **kwargs)
        return env

    check_env(make().unwrapped, skip_render_check=True)
    check_interface(make())
    check_observations(make())
    check_infos(make())
    check_fresh_data(make())
    check_determinism(make)
    check_copies(make())
    check_spec(make())
    check_masks(make())
    check_end(make())
    check_measures(make())


def check_interface(env: AnyEnv) -> None:
    """The world has the methods of ``maze_gym.game.World``, which return what they promise.

    It names each action once. Where an episode goes on, what it takes for optimal is an action or None, what
    it takes for greedy is an action, and its signature of progress can be hashed.
    """
    world: Any = env.unwrapped
    _require(isinstance(world, World), f"{type(world).__name__} lacks methods of maze_gym.game.World")
    names = world.action_names
    count = int(env.action_space.n)  # type: ignore[attr-defined]  # worlds are Discrete
    _require(len(set(names)) == len(names) == count, f"{count} actions, names {names}")
    for _, info in _random_walk(env, seed=9, steps=ASKED_STEPS):
        if "is_success" in info:
            continue  # the episode is over: there is nothing to do
        optimal, greedy = world.optimal_action(), world.greedy_action()
        is_action = env.action_space.contains
        _require(
            optimal is None or is_action(optimal),
            f"optimal_action() must be None or an action from 0 to {count - 1}, got {optimal!r}",
        )
        _require(
            is_action(greedy), f"greedy_action() must be an action from 0 to {count - 1}, got {greedy!r}"
        )
        signature = world.progress_signature()
        try:
            hash(signature)
        except TypeError as error:
            msg = f"progress_signature() must be hashable, got {signature!r}"
            raise AssertionError(msg) from error


def check_observations(env: AnyEnv) -> None:
    """Every observation of long random play lies in the declared space."""
    for observation, _ in _random_walk(env, seed=1):
        _require(env.observation_space.contains(observation), f"outside the space: {observation}")


def check_infos(env: AnyEnv) -> None:
    """Each entry of the infos is of one kind, for a vector env gathers those of all envs in one array.

    Where something is unknown the entry is left out; None in place of a number or a dict is another kind.
    """
    kinds: dict[str, object] = {}
    for _, info in _random_walk(env, seed=10):
        for name, kind in _kinds(info):
            _require(
                kinds.setdefault(name, kind) == kind,
                f"info[{name}] is of kind {kinds[name]} in one step and {kind} in another",
            )


def check_fresh_data(env: AnyEnv) -> None:
    """No array, list or dict is handed out twice, however deeply it is nested.

    Stricter than Gymnasium's check, which does not look inside lists.
    """
    earlier: list[Any] = []
    for observation, info in _random_walk(env, seed=2, steps=20):
        now = list(_mutable_parts((observation, info)))
        for part in now:
            for old in earlier:
                shared = part is old or (
                    isinstance(part, np.ndarray)
                    and isinstance(old, np.ndarray)
                    and np.shares_memory(part, old)
                )
                # Spelled out only where it is said: it takes longer than the check.
                _require(not shared, f"handed out twice: {part!r}" if shared else "")
        earlier += now


def check_determinism(make: Callable[[], AnyEnv]) -> None:
    """Two envs with one seed agree, also on the resets after it; no global generator is touched."""
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002 - the legacy generator is what must not move
    first, second = make(), make()
    pairs = zip(_random_walk(first, seed=3), _random_walk(second, seed=3), strict=True)
    for (observation, info), (observation2, info2) in pairs:
        _require(equivalent(observation, observation2), "equal seeds, different observations")
        _require(equivalent(info, info2), f"equal seeds, different infos: {info} {info2}")
    after = np.random.get_state(legacy=False)["state"]["key"]  # noqa: NPY002 - see above
    _require(bool((before == after).all()), "the global NumPy generator was used")


def check_copies(env: AnyEnv) -> None:
    """Deep copies and pickles go on exactly like the original, and apart from it."""
    for _, (_, info) in zip(range(5), _random_walk(env, seed=4), strict=False):
        if "is_success" in info:
            env.reset()
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]  # noqa: S301 - our own bytes
    action = env.action_space.sample()
    outcomes = [each.step(action) for each in (env, *copies)]
    for outcome in outcomes[1:]:
        _require(equivalent(outcome, outcomes[0]), "a copy went another way than the original")


def check_spec(env: AnyEnv) -> None:
    """``gym.make(env.spec)`` and the JSON of the spec make an env that plays the same."""
    _require(env.spec is not None, "made without gym.make")
    specs = [env.spec, gym.envs.registration.EnvSpec.from_json(env.spec.to_json())]  # type: ignore[union-attr]
    for spec in specs:
        pairs = zip(_random_walk(env, seed=5), _random_walk(gym.make(spec), seed=5), strict=True)  # type: ignore[arg-type]
        for (observation, _), (observation2, _) in pairs:
            _require(equivalent(observation, observation2), "the rebuilt env plays differently")


def check_masks(env: AnyEnv) -> None:
    """The mask allows exactly the actions that change the state or end the episode with success.

    The state is ``state`` where the world has it, else its ``progress_signature``. A world in which others
    move too, whatever the player does, has a ``player_state``: the part that the player alone changes.
    """
    for _, info in _random_walk(env, seed=6, steps=50):
        if "is_success" in info:
            continue  # the episode is over: there is nothing to choose
        mask = info["action_mask"]
        _require(mask.dtype == np.int8, f"the mask is {mask.dtype}, not int8")
        for action in range(len(mask)):
            probe = copy.deepcopy(env.unwrapped)
            before = _acted_upon(probe)
            *_, after = probe.step(action)
            changed = _acted_upon(probe) != before or after.get("is_success", False)
            _require(bool(mask[action]) == changed, f"mask {mask} is wrong about action {action}")


def check_end(env: AnyEnv) -> None:
    """An episode ends; its last info says ``is_success``, true or not; closing twice is fine.

    Success is the world's verdict: it terminates, and no clock can give it.
    """
    env.reset(seed=7)
    env.action_space.seed(7)
    for _ in range(100_000):
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            _require("is_success" in info, "the last info lacks is_success")
            success = info["is_success"]
            _require(
                isinstance(success, bool | np.bool_), f"is_success must be True or False, got {success!r}"
            )
            _require(terminated or not success, "is_success is True, and terminated is not")
            env.close()
            env.close()
            return
    _require(False, "no end in 100,000 random steps")  # noqa: FBT003


def check_measures(env: AnyEnv) -> None:
    """Where a world measures the way to success, each optimal action shortens it by one, down to 0."""
    if not isinstance(env.unwrapped, Measured):
        return
    world: Any = env.unwrapped
    _, info = env.reset(seed=8)
    remaining = world.remaining_actions()
    stated = info.get("optimal_actions")
    _require(stated is None or remaining == stated, f"info says {stated}, the world {remaining} actions")
    if remaining is None:
        return
    fewest = world.fewest_moves()
    _require(fewest is not None and fewest <= remaining, f"{fewest} moves in {remaining} actions")
    for left in range(remaining - 1, -1, -1):
        *_, terminated, truncated, info = env.step(world.optimal_action())
        now = world.remaining_actions()
        _require(now == left, f"{left} actions should remain after an optimal one, not {now}")
        _require(terminated == (left == 0), f"terminated is {terminated} with {left} actions left")
        if truncated:
            return  # the limit is shorter than the plan
    _require(bool(info.get("is_success", False)), "nothing remains, and it is no success")


def _random_walk(env: AnyEnv, seed: int, steps: int = STEPS) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Observations and infos of random play across episode ends."""
    env.action_space.seed(seed)
    yield env.reset(seed=seed)
    for _ in range(steps):
        observation, _, terminated, truncated, info = env.step(env.action_space.sample())
        yield observation, info
        if terminated or truncated:
            yield env.reset()


def _acted_upon(world: AnyEnv) -> object:
    for name in ("player_state", "state"):
        if hasattr(world, name):
            return getattr(world, name)
    return world.progress_signature()  # type: ignore[attr-defined]  # checked first of all


def _kinds(info: dict[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    """Name and kind of every entry, however deeply nested; all that is gathered as objects is one kind."""
    for key, value in info.items():
        name = f"{path}{key!r}"
        if isinstance(value, dict):
            yield name, dict
            yield from _kinds(value, f"{name}, ")
        elif isinstance(value, bool | int | float | np.generic):
            yield name, type(value)
        else:
            yield name, (value.dtype, value.shape) if isinstance(value, np.ndarray) else object


def _mutable_parts(data: object) -> Iterator[object]:
    if isinstance(data, dict):
        yield data
        for value in data.values():
            yield from _mutable_parts(value)
    elif isinstance(data, list | tuple):
        if isinstance(data, list):
            yield data
        for value in data:
            yield from _mutable_parts(value)
    elif isinstance(data, np.ndarray):
        yield data


def _require(condition: bool, message: str) -> None:  # noqa: FBT001 - an assertion with a message
    if not condition:
        raise AssertionError(message)
