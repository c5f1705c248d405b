"""Which world is meant; and ``render`` and ``solve`` for worlds that are no mazes, level by level."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.game import Level

MAZES = "MazeNLU-v0"


class Solved(NamedTuple):
    """A level and what the world's search makes of it.

    Attributes:
        level_id: its name.
        content_hash: what it is.
        plan: names of the actions of a shortest plan from the start; None where none leads to success, and
            where nobody knows.
        given_up: why the search was given up, empty where it was not.
    """

    level_id: str
    content_hash: str
    plan: list[str] | None
    given_up: str = ""


def chosen(env: str | None, levels: str | None) -> str:
    """The world that was asked for, else the one that the levels come with, else that of mazes."""
    from maze_gym.registration import world_with

    if env is not None:
        return env
    found = None if levels is None or Path(levels).exists() else world_with(levels)
    return MAZES if found is None else found.id


def is_of_mazes(env_id: str) -> bool:
    """Whether an id is the world of mazes or one of its presets."""
    from maze_gym.registration import world_of

    return world_of(env_id).id == MAZES


def draw(env_id: str, source: str, out: Path, cell_px: int) -> Iterator[Path]:
    """Write a PNG of the beginning of each level; hands out each file as it is there.

    Raises:
        LevelsNotFound: there is nothing of that name, or nothing in it.
        OSError: a file cannot be written.
    """
    from mazegen.core.whole_file import write_whole
    from mazegen.rendering import png

    out.mkdir(parents=True, exist_ok=True)
    for level, world in _levels(env_id, source):
        file = out / f"{re.sub(r'[^a-zA-Z0-9_-]+', '-', level.level_id)}.png"
        write_whole(file, png.encode(world.picture(cell_px)))
        yield file


def solve(env_id: str, source: str) -> Iterator[Solved]:
    """What exact search says of each level.

    Raises:
        InvalidArgument: the world has no exact search.
        LevelsNotFound: there is nothing of that name, or nothing in it.
    """
    from maze_gym.errors import InvalidArgument, SearchLimitExceeded
    from maze_gym.game import Measured

    for level, world in _levels(env_id, source):
        if not isinstance(world, Measured):
            msg = f"{env_id} has no exact search, so nobody knows its shortest plans"
            raise InvalidArgument(msg)
        try:
            yield Solved(level.level_id, level.content_hash, _plan(world))
        except SearchLimitExceeded as error:
            yield Solved(level.level_id, level.content_hash, None, str(error))


def _plan(world: Any) -> list[str] | None:  # noqa: ANN401 - any world
    names = []
    action = world.optimal_action()
    while action is not None:
        names.append(world.action_names[action])
        *_, terminated, truncated, info = world.step(action)
        if terminated or truncated:
            return names if info["is_success"] else None
        action = world.optimal_action()
    return None


def _levels(env_id: str, source: str) -> Iterator[tuple[Level, Any]]:
    """Each level with the world at its beginning."""
    import gymnasium as gym

    from maze_gym.evaluation.plan import choose_levels

    found = choose_levels(env_id, source)
    env: gym.Env[Any, Any] = gym.make(env_id, **found.env_kwargs)
    try:
        for level in found.levels:
            env.reset(seed=0, options=dict(level.options))
            yield level, env.unwrapped
    finally:
        env.close()
