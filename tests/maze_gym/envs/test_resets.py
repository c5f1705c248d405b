"""Two resets with one seed are equal in everything, and so is all that follows."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from numpy.random import default_rng

from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman.search import find_plan
from maze_gym.game import Wording
from maze_gym.registration import WORLDS, preset_kwargs, resolve

from .grid import IDS, WORLD_OF, choices_of, pairs, singles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .grid import Arguments

SEED, STEPS, PX = 3, 12, 6


def plain(data: Any) -> Any:
    """A copy that compares by value, type, dtype and shape, and shares nothing."""
    if isinstance(data, np.ndarray):
        return data.dtype.name, data.shape, data.tobytes() if data.dtype != object else plain(data.tolist())
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data).__name__, [plain(each) for each in data]
    return type(data).__name__, data


def overwrite(data: Any) -> None:
    """Make rubbish of everything that can be changed in it."""
    if isinstance(data, np.ndarray) and data.dtype != object:
        data.fill(1)
    elif isinstance(data, dict | list | tuple | np.ndarray):
        for each in data.values() if isinstance(data, dict) else data:
            overwrite(each)
        if isinstance(data, dict | list):
            data.clear()


def shown(world: Any) -> tuple[Any, ...]:
    """All that a world says of its state besides observation and info."""
    recipe = world.recipe()
    return (
        world.render(), world.picture(PX), world.snapshot(), world.tags(), recipe.make, recipe.reset,
        world.action_masks(), world.legend(), world.steps_left, world.greedy_action(), world.state,
        repr(world.describe(Wording())),
    )  # fmt: skip


def played(env: Any, actions: list[int], then: Callable[[Any], None] | None = None) -> Iterator[Any]:
    """What a reset and the steps after it tell and show, up to the end of the episode."""
    told: tuple[Any, ...] = env.reset(seed=SEED)
    over = False
    for action in (*actions, None):
        everything = (*told, *shown(env.unwrapped))
        yield plain(everything)
        if then is not None:
            then(everything)
        if over or action is None:
            return
        told = env.step(action)
        over = told[2] or told[3]


def wander(env: Any, seed: int) -> None:
    """Some episodes, the last of them left where it is."""
    rng = default_rng(seed)
    for again in (None, SEED, SEED + 1, SEED):
        env.reset(seed=again)
        for action in rng.integers(env.action_space.n, size=rng.integers(1, 8)).tolist():
            *_, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                break


def check_resets(env_id: str, arguments: Arguments) -> None:
    """The law of this module, for a single env."""

    def make() -> Any:
        return gym.make(env_id, disable_env_checker=True, **arguments)

    env = make()
    actions = default_rng(0).integers(env.action_space.n, size=STEPS).tolist()
    first = list(played(env, actions))
    wander(env, 1)
    assert list(played(env, actions)) == first, "after other episodes"
    assert list(played(env, actions, overwrite)) == first, "what was told before is not looked at again"
    wander(env, 2)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]  # noqa: S301 - our own bytes
    for other in (make(), *twins, env):
        assert list(played(other, actions)) == first, "another env, or a copy in the midst of an episode"
    check_env(make().unwrapped, skip_render_check=True)


def check_vector_resets(env_id: str, arguments: Arguments, mode: str, *, native: bool) -> None:
    """The same for a vector env."""
    kwargs = dict(arguments)
    if kwargs.get("render_mode") == "ansi":
        del kwargs["render_mode"]

    def make() -> Any:
        if native:
            return gym.make_vec(env_id, num_envs=3, autoreset_mode=mode, full_infos=True, **kwargs)
        modes = {"autoreset_mode": AutoresetMode(mode)}
        return gym.make_vec(env_id, num_envs=3, vectorization_mode="sync", vector_kwargs=modes, **kwargs)

    def run(envs: Any) -> Iterator[Any]:
        yield plain(envs.reset(seed=SEED))
        for actions in default_rng(0).integers(envs.single_action_space.n, size=(STEPS, 3)):
            yield plain((envs.step(actions), envs.render() if envs.render_mode else None))

    envs = make()
    first = list(run(envs))
    for seed in (None, SEED):
        overwrite(envs.reset(seed=seed))
        for actions in default_rng(1).integers(envs.single_action_space.n, size=(7, 3)):
            overwrite(envs.step(actions))
    assert list(run(envs)) == first
    assert list(run(make())) == first


@pytest.mark.parametrize("env_id", IDS)
def test_resets_with_one_seed_are_equal_however_levels_are_chosen(env_id: str) -> None:
    for arguments in singles(env_id):
        check_resets(env_id, arguments)


@pytest.mark.slow
@pytest.mark.parametrize("env_id", IDS)
def test_resets_with_one_seed_are_equal_for_all_arguments(env_id: str) -> None:
    for arguments in pairs(env_id):
        check_resets(env_id, arguments)


@pytest.mark.slow
@pytest.mark.parametrize("env_id", IDS)
def test_resets_of_vector_envs_with_one_seed_are_equal(env_id: str) -> None:
    has_native = resolve_vector(env_id) is not None
    for number, arguments in enumerate(pairs(env_id)):
        mode = ("NextStep", "SameStep")[number % 2]
        for native in (True, False) if has_native else (False,):
            check_vector_resets(env_id, arguments, mode, native=native)


def resolve_vector(env_id: str) -> str | None:
    return next(world.vector_entry_point for world in WORLDS if world.id == WORLD_OF[env_id])


@pytest.mark.parametrize("env_id", [world.id for world in WORLDS])
def test_the_grid_has_several_values_of_every_argument(env_id: str) -> None:
    env_class = resolve(next(world.entry_point for world in WORLDS if world.id == env_id))
    grid = [arguments for choices in choices_of(env_id) for arguments in choices]
    for name in inspect.signature(env_class).parameters:
        values = {repr(arguments.get(name, "left out")) for arguments in grid}
        assert len(values) > 1, name


def test_every_id_is_in_the_grid() -> None:
    ours = {each.id for each in gym.registry.values() if str(each.entry_point).startswith("maze_gym.")}
    assert ours == set(IDS)


def test_the_only_generated_board_begins_where_it_begins() -> None:
    """It has ghosts that decide at random, whatever the env's own argument says, and luck of its own."""
    env: Any = gym.make("PacmanArray-Random-v0", num_levels=1)
    _, first = env.reset(seed=0)
    for action in (0, 0, 1, 2, 2):
        if env.step(action)[2]:
            break
    _, again = env.reset(seed=0)
    assert plain(first) == plain(again)


def test_a_witness_is_followed_for_its_own_luck_only() -> None:
    env = PacmanArrayEnv(spec={"rows": 6, "cols": 6}, num_levels=1)
    for luck in range(1, 12):
        env.reset(options={"luck": luck})
        plan = find_plan(env.board, env.state, env.steps_left)
        assert env.search_action() == plan.actions[0]


def test_a_preset_is_not_changed_by_who_asks_for_its_arguments() -> None:
    for env_id in IDS:
        asked = preset_kwargs(env_id)
        before = plain(asked)
        overwrite(asked)
        assert plain(preset_kwargs(env_id)) == before
