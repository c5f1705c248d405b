"""The tables of environment ids; importing ``maze_gym`` registers them with Gymnasium."""

from __future__ import annotations

import difflib
import importlib
from copy import deepcopy
from typing import Any, NamedTuple

import gymnasium as gym

from maze_gym.errors import InvalidArgument
from maze_gym.game import LevelSet, Suite


class WorldSpec(NamedTuple):
    """One row: everything that the rest of the house knows about a world without importing it.

    Attributes:
        id: the Gymnasium id.
        entry_point: ``module:class`` of the env, as a string so that nothing is imported early.
        levels: ``module:function`` that turns a file, folder or suite name into levels.
        suite: the suite of levels that the env plays when it is told nothing else.
        summary: one line for ``maze-gym list``.
        has_tiers: whether the env generates levels of a difficulty ``tier``.
        disguise: ``module:function`` that changes how levels look and not what they are; empty without one.
        bundled: ``module`` whose ``table`` lists the suites that come with the world, and whose
            ``is_bundled`` knows their names and those of their levels; empty where none do.
        vector_entry_point: ``module:class`` of its vector env; without one Gymnasium puts envs in a row.
    """

    id: str
    entry_point: str
    levels: str
    suite: str
    summary: str
    has_tiers: bool = False
    disguise: str = ""
    bundled: str = ""
    vector_entry_point: str | None = None


class Preset(NamedTuple):
    """A world with arguments, under an id of its own.

    Attributes:
        id: the Gymnasium id.
        world: the world that it presets.
        kwargs: arguments of the env, plain JSON values.
        summary: one line for ``maze-gym list``.
        generates: whether it makes a new level each episode; else it plays its world's levels by other rules.
    """

    id: str
    world: str
    kwargs: dict[str, Any]
    summary: str
    generates: bool = True


WORLDS = (
    WorldSpec(
        id="MazeNLU-v0",
        entry_point="maze_gym.envs.maze.env:GridWorldEnv",
        levels="maze_gym.envs.maze.levels:load_levels",
        suite="starter",
        summary="keys and doors, switches and gates in a grid maze",
        has_tiers=True,
        disguise="maze_gym.envs.maze.levels.disguise:disguise",
        bundled="maze_gym.suites",
        vector_entry_point="maze_gym.envs.maze.vector_env:GridWorldVectorEnv",
    ),
    WorldSpec(
        id="SpatialGym-v0",
        entry_point="maze_gym.envs.sparc.env:SpatialGymEnv",
        levels="maze_gym.envs.sparc.levels:load_levels",
        suite="spatial",
        summary="draw a line from start to end that obeys every rule on the board",
        bundled="maze_gym.envs.sparc.levels.datasets",
        has_tiers=True,
    ),
    WorldSpec(
        id="PacmanArray-v0",
        entry_point="maze_gym.envs.pacman.env:PacmanArrayEnv",
        levels="maze_gym.envs.pacman.levels:load_levels",
        suite="classic",
        summary="eat everything while ghosts chase you; with power you eat them",
        bundled="maze_gym.envs.pacman.levels",
        vector_entry_point="maze_gym.envs.pacman.vector_env:PacmanVectorEnv",
    ),
)

_MAZE_FAMILIES = (  # name, logic chain, sides of the square board, what it is
    ("Navigation", "none", (9, 13, 21), "find the way through a dense maze"),
    ("KeyDoor", "k", (9, 13), "a key and the door that it opens"),
    ("SwitchGate", "s", (9, 13), "a switch and the gate that it opens"),
    ("Chain", "ksk", (13, 21), "key, switch, key: each behind what the one before it opened"),
)
_PACMAN_RANDOM = Preset(
    id="PacmanArray-Random-v0",
    world="PacmanArray-v0",
    kwargs={"spec": {}},
    summary="another board, other starts, two to four ghosts with a mind of their own; proved to be winnable",
)
_MAZES = tuple(
    Preset(
        id=f"MazeNLU-{family}-{side}x{side}-v0",
        world="MazeNLU-v0",
        kwargs={"spec": {"topology": "dense_maze", "chain": chain, "rows": side, "cols": side}},
        summary=summary,
    )
    for family, chain, sides, summary in _MAZE_FAMILIES
    for side in sides
)
_SPATIAL = (
    Preset(
        id="SpatialGym-Backtracking-v0",
        world="SpatialGym-v0",
        kwargs={"backtracking": True},
        summary="line puzzles in which the last move can be taken back",
        generates=False,
    ),
    Preset(
        id="SpatialGym-Generated-v0",
        world="SpatialGym-v0",
        kwargs={"spec": {}},
        summary="another line puzzle, of any level and with any rules, with all of its solutions known",
    ),
)
PRESETS = (*_MAZES, *_SPATIAL, _PACMAN_RANDOM)


def register_worlds() -> None:
    """Register every id once; a second call changes nothing."""
    worlds = {world.id: world for world in WORLDS}
    ids: list[tuple[str, str, dict[str, Any]]] = [(world.id, world.id, {}) for world in WORLDS]
    ids += [(preset.id, preset.world, preset.kwargs) for preset in PRESETS]
    for env_id, world, kwargs in ids:
        if env_id not in gym.registry:
            # Levels have step limits of their own, so the env truncates and no TimeLimit is added.
            gym.register(
                id=env_id,
                entry_point=worlds[world].entry_point,
                vector_entry_point=worlds[world].vector_entry_point,
                kwargs=deepcopy(kwargs),
            )


def world_of(env_id: str) -> WorldSpec:
    """The world of an id or of a preset's id, with or without the ``maze_gym:`` prefix.

    Whatever else Gymnasium has registered is a world too, one without levels: it makes its episodes by the
    seed. ``module:id`` is one that a module registers when it is imported, which happens here.

    Raises:
        InvalidArgument: nothing has this id (the message lists what exists or suggests the close one), or the
            module in front of it cannot be imported or registers no such id.
    """
    module, name = _split(env_id)
    if module:
        _import(module, env_id)
    worlds = {world.id: world for world in WORLDS}
    presets = {preset.id: worlds[preset.world] for preset in PRESETS}
    found = worlds.get(name) or presets.get(name)
    if found is not None:
        return found
    if name in gym.registry:
        return _world_elsewhere(f"{module}:{name}" if module else name, gym.registry[name].entry_point)
    raise InvalidArgument(_unknown(env_id, [*worlds, *presets]))


def _split(env_id: str) -> tuple[str, str]:
    """The module in front of an id, empty where there is none or it is this package; and the id."""
    module, _, name = env_id.rpartition(":")
    return ("" if module == __package__ else module), name


def _import(module: str, env_id: str) -> None:
    """Import the module in front of an id, which registers its worlds."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        msg = (
            f"cannot import {module!r}, the module in front of {env_id!r}: {error}; "
            "install it, or add its folder to PYTHONPATH"
        )
        raise InvalidArgument(msg) from error


def _world_elsewhere(env_id: str, entry_point: Any) -> WorldSpec:  # noqa: ANN401 - Gymnasium takes text or any callable
    """The row of a world that has none here."""
    if callable(entry_point):
        entry_point = f"{entry_point.__module__}:{entry_point.__qualname__}"
    return WorldSpec(
        id=env_id,
        entry_point=entry_point or "",
        levels=f"{__name__}:no_levels",
        suite="",
        summary="a world of another package",
    )


def suites_of(world: WorldSpec) -> tuple[Suite, ...]:
    """The suites that come with a world."""
    return tuple(resolve(f"{world.bundled}:table")()) if world.bundled else ()


def world_with(name: str) -> WorldSpec | None:
    """The world that a suite, or a level of one, comes with; None for a name that none of them knows."""
    suite = name.partition(":")[0]  # as in spatial:1,2
    for world in WORLDS:
        if world.bundled and any(map(resolve(f"{world.bundled}:is_bundled"), (name, suite))):
            return world
    return None


def no_levels(source: Any) -> LevelSet:  # noqa: ANN401 - a path or a name, as of any ``load_levels``
    """The levels of a world that stands in no table here: none, since it makes its episodes by the seed.

    Raises:
        InvalidArgument: some are named all the same.
    """
    if source:
        msg = (
            "a world of another package makes its episodes by the seed and loads no levels; "
            f"leave out levels, got {str(source)!r}"
        )
        raise InvalidArgument(msg)
    return LevelSet((), (), {})


def _unknown(env_id: str, ours: list[str]) -> str:
    """What to say of an id that nothing has."""
    module, name = _split(env_id)
    close = difflib.get_close_matches(name, gym.registry if module else ours, n=1)
    if close:
        hint = f"did you mean {f'{module}:{close[0]}' if module else close[0]!r}?"
    elif module:
        hint = f"importing {module!r} registers no {name!r}"
    else:
        hint = f"there are: {', '.join(ours)}; another package's world is named as in module:{name}"
    return f"nothing is registered as {env_id!r}; {hint}"


def world_ids() -> tuple[str, ...]:
    """The ids of all worlds of this suite and of their presets."""
    return (*(world.id for world in WORLDS), *(preset.id for preset in PRESETS))


def is_preset(env_id: str) -> bool:
    """Whether an id is a preset whose levels are generated."""
    return _split(env_id)[1] in {preset.id for preset in PRESETS if preset.generates}


def preset_kwargs(env_id: str) -> dict[str, Any]:
    """The arguments by which a preset makes its levels, a fresh copy; none for an id that makes none."""
    _, name = _split(env_id)
    return next((deepcopy(preset.kwargs) for preset in PRESETS if preset.generates and preset.id == name), {})


def resolve(path: str) -> Any:  # noqa: ANN401 - what a ``module:name`` string names can be anything
    """Import what a ``module:name`` string names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
