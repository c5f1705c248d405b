"""The table of environment ids; importing ``maze_gym`` registers them with Gymnasium."""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium as gym


class World(NamedTuple):
    """One row: everything that the rest of the house knows about a world without importing it.

    Attributes:
        id: the Gymnasium id.
        entry_point: ``module:class`` of the env, as a string so that nothing is imported early.
        levels: ``module:function`` that turns a file, folder or suite name into levels.
        suite: the suite of levels that the env plays when it is told nothing else.
        summary: one line for ``maze-gym list``.
    """

    id: str
    entry_point: str
    levels: str
    suite: str
    summary: str


WORLDS = (
    World(
        id="MazeNLU-v0",
        entry_point="maze_gym.envs.maze.env:GridWorldEnv",
        levels="maze_gym.envs.maze.levels:load_levels",
        suite="starter",
        summary="keys and doors, switches and gates in a grid maze",
    ),
)


def register_worlds() -> None:
    """Register every world once; a second call changes nothing."""
    for world in WORLDS:
        if world.id not in gym.registry:
            # Levels have step limits of their own, so the env truncates and no TimeLimit is added.
            gym.register(id=world.id, entry_point=world.entry_point)


def world_of(env_id: str) -> World:
    """The row of an id, with or without the ``maze_gym:`` prefix.

    Raises:
        InvalidArgument: no world has this id; the message lists those that exist.
    """
    from maze_gym.errors import InvalidArgument

    for world in WORLDS:
        if world.id == env_id.removeprefix("maze_gym:"):
            return world
    msg = f"no world is registered as {env_id!r}; there are: {', '.join(world.id for world in WORLDS)}"
    raise InvalidArgument(msg)


def resolve(path: str) -> Any:  # noqa: ANN401 - what a ``module:name`` string names can be anything
    """Import what a ``module:name`` string names."""
    import importlib

    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
