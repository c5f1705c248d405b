"""From a world and a choice of levels to a window that plays them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymnasium as gym

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.plan import choose_levels
from maze_gym.play.app import PlayApp
from maze_gym.play.recording import check_writable
from maze_gym.play.screen import BOARD_PX
from maze_gym.play.session import PlaySession
from maze_gym.registration import WORLDS, world_of

if TYPE_CHECKING:
    import os

    from maze_gym.game import Level
    from maze_gym.policies.base import AnyEnv

DEFAULT_ENV = "MazeNLU-v0"


def play(
    env_id: str = DEFAULT_ENV,
    *,
    levels: str | os.PathLike[str] | None = None,
    tier: int | None = None,
    seed: int = 0,
    record: str | os.PathLike[str] | None = None,
    screenshots: str | os.PathLike[str] = ".",
) -> None:
    """Play a world with the keyboard until the window is closed.

    Args:
        env_id: a world or preset of this suite, or any Gymnasium id whose env draws ``rgb_array`` and
            has discrete actions; ``module:id`` for one that a module registers when it is imported.
        levels: a file, folder or suite; the world's own suite by default.
        tier: levels of this difficulty, made as they are played, in place of ``levels``.
        seed: for levels that are made and for every reset.
        record: file that each episode is appended to.
        screenshots: folder for screenshots.

    Raises:
        InvalidArgument: the world or its module does not exist, more than one of levels, tier and a preset
            is given, or the recording could not be kept.
        LevelsNotFound: there is nothing of that name, or nothing in it.
        NoDisplay: there is no screen.
        NotWritten: the last episode could not be recorded.
    """
    if record is not None:
        check_writable(record)
    env, chosen = make_env(env_id, levels, tier)
    try:
        session = PlaySession(env, chosen, seed=seed, record=record)
        PlayApp(session, screenshots=screenshots).run()
    finally:
        env.close()


def make_env(
    env_id: str, levels: str | os.PathLike[str] | None = None, tier: int | None = None
) -> tuple[AnyEnv, tuple[Level, ...]]:
    """The env, drawn for the window, and its levels; none where it makes them itself, by the seed.

    Raises as ``play`` does.
    """
    found = choose_levels(env_id, levels, tier)
    is_ours = world_of(env_id) in WORLDS
    arguments = {**found.env_kwargs, **({"render_size": BOARD_PX} if is_ours else {})}
    try:
        env: AnyEnv = gym.make(env_id, render_mode="rgb_array", **arguments)
    except TypeError as error:
        if is_ours:  # it takes these arguments: the mistake is not in the id
            raise
        msg = (
            f"{env_id} cannot be played in a window: it does not draw itself as arrays of colours "
            "(rgb_array); play a world that does"
        )
        raise InvalidArgument(msg) from error
    return env, found.levels
