"""A world behind an OpenEnv server, for every trainer that speaks to one: text in, text out.

``python -m maze_gym.integrations.openenv --env MazeNLU-v0 --port 8000`` serves it. ``reset`` takes a seed,
which decides the level and all else; many sessions go on at a time. An action is a reply, read strictly.

Raises ``MissingExtra`` on import where openenv is not installed.
"""

from __future__ import annotations

import sys
import uuid
from typing import TYPE_CHECKING, Annotated, Any

import gymnasium as gym
import typer

from maze_gym.errors import MazeError, MazeGymError
from maze_gym.evaluation.plan import choose_levels
from maze_gym.extras import require
from maze_gym.llm.config import ExperimentConfig, History
from maze_gym.wrappers import TextView

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from openenv.core.env_server import http_server as server
    from openenv.core.env_server import interfaces, types
else:  # pydantic reads the annotations of the classes below
    server = require("openenv.core.env_server.http_server", "openenv")
    interfaces = require("openenv.core.env_server.interfaces", "openenv")
    types = require("openenv.core.env_server.types", "openenv")

USAGE_ERROR = 2  # the exit code of any command line that was given something wrong
MAX_SESSIONS = 256  # a group of completions opens as many as it has members


class Reply(types.Action):
    """What the model said, in the format that the text asks for."""

    reply: str


class Told(types.Observation):
    """What the world says; ``done`` and ``reward`` stand beside it."""

    text: str  # after ``reset`` task, level, rules, format and first turn; later the next turn
    end_reason: str = ""  # empty while the episode goes on
    is_success: bool = False


class GameEnvironment(interfaces.Environment[Reply, Told, types.State]):
    """One session: an env of its own, so that sessions share nothing."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, make: Callable[[], TextView]) -> None:
        """Make the env."""
        super().__init__()
        self._view = make()
        self._state = types.State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Told:  # noqa: ANN401 - of the protocol
        """Begin the episode that the seed decides; without one a new episode each time."""
        text, _info = self._view.reset(seed=seed)
        self._state = types.State(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return Told(text=text, done=False, reward=None)

    def step(self, action: Reply, timeout_s: float | None = None, **_: Any) -> Told:  # noqa: ANN401, ARG002 - of the protocol
        """Play a reply; one that cannot be read is answered with what was wrong with it."""
        step = self._view.step(action.reply)
        self._state.step_count += 1
        done = step.terminated or step.truncated
        reason, won = str(step.info.get("end_reason", "")), bool(step.info.get("is_success"))
        return Told(text=step.text, done=done, reward=step.reward, end_reason=reason, is_success=won)

    @property
    def state(self) -> types.State:
        """The episode's id and how many replies it has seen."""
        return self._state

    def close(self) -> None:
        """Close the env."""
        self._view.close()


def make_app(
    env_id: str = "MazeNLU-v0",
    config: ExperimentConfig | None = None,
    *,
    levels: str | os.PathLike[str] | None = None,
    tier: int | None = None,
) -> Any:  # noqa: ANN401 - a FastAPI app, whose library is optional
    """The server of a world; options as in ``maze-gym evaluate``.

    Raises:
        InvalidArgument: there is no such world, or the choices exclude each other.
        LevelsNotFound: there is nothing of that name, or nothing in it.
    """
    found = choose_levels(env_id, levels, tier)
    told = config or ExperimentConfig(history=History.FULL)

    def make() -> GameEnvironment:
        return GameEnvironment(lambda: TextView(gym.make(env_id, **found.env_kwargs), told))

    return server.create_app(make, Reply, Told, env_name=env_id, max_concurrent_envs=MAX_SESSIONS)


def serve(
    env: Annotated[str, typer.Option(metavar="ID", help="The world to serve.")] = "MazeNLU-v0",
    levels: Annotated[
        str | None,
        typer.Option(metavar="FILE|FOLDER|SUITE", help="What to play; by default the world's own suite."),
    ] = None,
    tier: Annotated[
        int | None, typer.Option(help="Generate levels of this difficulty tier, 1 to 5, instead.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; by default this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
) -> None:
    """Serve a world until interrupted."""
    try:
        app = make_app(env, levels=levels, tier=tier)
    except (MazeError, MazeGymError) as error:  # one line, as on the command line of maze-gym
        line = "; ".join(part.strip() for part in str(error).splitlines())
        sys.stderr.write(f"maze-gym: error: {line}\n")
        raise typer.Exit(USAGE_ERROR) from error
    require("uvicorn", "openenv").run(app, host=host, port=port)


if __name__ == "__main__":
    typer.run(serve)
