"""The envs that a run trains and is tested on: one world, two sets of levels that share none."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from maze_gym.envs.batched import checked_count
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.plan import choose_levels
from maze_gym.registration import preset_kwargs, resolve, world_of

if TYPE_CHECKING:
    from maze_gym.training.config import TrainConfig

    AnyVectorEnv = gym.vector.VectorEnv[Any, Any, Any]

HELD_OUT_FROM = 2**31  # training levels are numbered below, whatever ``num_levels`` says
GUIDED = {"MazeNLU-v0": "maze_gym.envs.maze.vector.guided:GuidedMazeVectorEnv"}
GENERATORS = ("spec", "tier")
SEED_BITS = 32
HELD_OUT_SEED = 1  # the same levels in every evaluation of every run: results can be compared
OUR_OWN = {"num_envs", "autoreset_mode", "copy"}  # arguments of vector envs that are decided here
STEP_LIMIT = "max_episode_steps"  # which ``gym.make`` takes for every env


def has_held_out(config: TrainConfig) -> bool:
    """Whether levels are generated, so that there are others; else a run is tested on what it trains on."""
    arguments = preset_kwargs(config.env_id) | _arguments(config)
    return any(arguments.get(name) is not None for name in GENERATORS)


def training_envs(config: TrainConfig) -> AnyVectorEnv:
    """Vector envs that reset in the same step, with shaped rewards if the config says so.

    Raises:
        InvalidArgument: the env does not exist, an argument is wrong, or the world has no exact search.
    """
    arguments = _arguments(config)
    if config.num_levels is not None:
        if not has_held_out(config):
            msg = "num_levels numbers generated levels; give a tier, or an env that generates its levels"
            raise InvalidArgument(msg)
        arguments["num_levels"] = config.num_levels
    if not config.shaping:
        return make_envs(config.env_id, config.envs, arguments)
    return shaped_envs(config.env_id, config.envs, arguments, config.gamma, config.shaping)


def shaped_envs(
    env_id: str, envs: int, arguments: dict[str, Any], gamma: float, shaping: float
) -> AnyVectorEnv:
    """A world's vector env in same-step mode, with ``VectorOracleShaping``.

    Raises:
        InvalidArgument: the env does not exist, an argument is wrong, or the world has no exact search.
    """
    world = world_of(env_id).id
    if world not in GUIDED:
        msg = f"shaping needs a world with exact search: {', '.join(GUIDED)}; for {world} set shaping to 0"
        raise InvalidArgument(msg)
    from maze_gym.wrappers.oracle_shaping import VectorOracleShaping

    _check_names(env_id, arguments)
    guided = resolve(GUIDED[world])(checked_count(envs), copy=False, **(preset_kwargs(env_id) | arguments))
    return VectorOracleShaping(guided, gamma, shaping)


def test_envs(config: TrainConfig) -> AnyVectorEnv:
    """One env for each held-out level, with the world's own rewards; ``held_out_seeds`` choose the levels."""
    arguments = _arguments(config)
    if has_held_out(config):
        arguments["start_level"] = HELD_OUT_FROM
    return make_envs(config.env_id, config.eval_episodes, arguments)


def _arguments(config: TrainConfig) -> dict[str, Any]:
    """Arguments of the env beyond its preset's.

    Raises:
        InvalidArgument: the choices exclude each other, the world has no tiers, or ``start_level`` is chosen.
        LevelsNotFound: there are no such levels.
    """
    if "start_level" in config.env_kwargs:  # it could begin among the levels of the tests
        msg = (
            "start_level is not for env_kwargs: training draws levels numbered below 2**31 and is tested on "
            "those from there; leave it out, and say how many levels by num_levels"
        )
        raise InvalidArgument(msg)
    tier = config.env_kwargs.get("tier")
    if config.levels is None and tier is None:
        return dict(config.env_kwargs)
    found = choose_levels(config.env_id, config.levels, tier)
    return dict(config.env_kwargs) | dict(found.env_kwargs)


def held_out_seeds(config: TrainConfig) -> list[int]:
    """A seed for each env of ``test_envs``; the same in all runs."""
    drawn = np.random.default_rng(HELD_OUT_SEED).integers(1 << SEED_BITS, size=config.eval_episodes)
    return [int(seed) for seed in drawn]


def episode_seeds(seed: int, part: int, envs: int) -> list[int]:
    """A seed for each training env in the part of a run that begins at its ``part``-th checkpoint."""
    return [int(drawn) for drawn in np.random.default_rng((seed, part)).integers(1 << SEED_BITS, size=envs)]


def make_envs(env_id: str, envs: int, arguments: dict[str, Any]) -> AnyVectorEnv:
    """A world's own vector env, or its single envs in a row, in same-step mode.

    Raises:
        InvalidArgument: the env does not exist, takes no argument of a name, or a value is wrong.
    """
    _check_names(env_id, arguments)
    count, mode = checked_count(envs), AutoresetMode.SAME_STEP
    made: AnyVectorEnv
    if world_of(env_id).vector_entry_point:
        made = gym.make_vec(env_id, num_envs=count, autoreset_mode=mode, copy=False, **arguments)
    else:
        made = gym.make_vec(env_id, num_envs=count, vector_kwargs={"autoreset_mode": mode}, **arguments)
    return made


def _check_names(env_id: str, arguments: dict[str, Any]) -> None:
    """Check that a world has arguments of these names, and that they are not decided here."""
    world = world_of(env_id)
    classes = [resolve(path) for path in (world.entry_point, world.vector_entry_point) if path]
    parameters = [each for one in classes for each in inspect.signature(one).parameters.values()]
    named = {each.name for each in parameters if each.kind is not inspect.Parameter.VAR_KEYWORD}
    known = sorted((named | {STEP_LIMIT}) - OUR_OWN)
    for name in arguments:
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
            msg = f"{world.id} takes no argument {name!r} here; {hint}"
            raise InvalidArgument(msg)
