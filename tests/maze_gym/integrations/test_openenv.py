"""The OpenEnv server and OpenEnv's client; ``tools/check_integrations.py`` runs this in its own venv."""

from __future__ import annotations

import importlib
import importlib.util
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.llm.backends import OracleChat
from maze_gym.llm.config import ExperimentConfig, History
from maze_gym.wrappers import TextView

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("openenv") is None,
        reason="runs in a venv of its own: python tools/check_integrations.py openenv VENV",
    ),
    pytest.mark.filterwarnings("default"),  # of what OpenEnv brings along
]
FULL = ExperimentConfig(history=History.FULL)
WORLD = "MazeNLU-KeyDoor-9x9-v0"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    uvicorn = importlib.import_module("uvicorn")
    app = importlib.import_module("maze_gym.integrations.openenv").make_app(WORLD)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def connect(url: str) -> Any:
    return importlib.import_module("openenv.core").GenericEnvClient(base_url=url).sync()


def oracle_replies(seed: int) -> list[str]:
    """What wins the episode of a seed, found on an env of our own."""
    env: gym.Env[Any, Any] = gym.make(WORLD)
    view = TextView(env, FULL)
    view.reset(seed=seed)
    chat, replies, over = OracleChat(env.unwrapped, FULL), [], False  # type: ignore[arg-type]  # a TextGame
    while not over:
        replies.append(chat(()).text)
        step = view.step(replies[-1])
        over = step.terminated or step.truncated
    return replies


def test_the_oracle_wins_through_the_server(url: str) -> None:
    with connect(url) as client:
        first = client.reset(seed=5)
        assert "You are in a grid maze" in first.observation["text"]
        results = [client.step({"reply": reply}) for reply in oracle_replies(5)]
    assert [result.done for result in results] == [False] * (len(results) - 1) + [True]
    assert results[-1].reward == 1.0
    assert results[-1].observation["end_reason"] == "success"
    assert results[-1].observation["is_success"] is True


def test_the_seed_decides_the_episode_in_every_session(url: str) -> None:
    with connect(url) as one, connect(url) as two:
        same = one.reset(seed=5).observation["text"]
        assert two.reset(seed=5).observation["text"] == same
        assert two.reset(seed=6).observation["text"] != same
        one.step({"reply": "FINAL_OUTPUT: TURN_LEFT"})
        assert two.reset(seed=5).observation["text"] == same


def test_nonsense_is_answered_and_ends_the_episode(url: str) -> None:
    with connect(url) as client:
        client.reset(seed=5)
        results = [client.step({"reply": "Which way?"}) for _ in range(4)]
    assert "held no answer in the asked format" in results[0].observation["text"]
    assert [result.done for result in results] == [False, False, False, True]
    assert results[-1].observation["end_reason"] == "parse_failed"


def test_a_world_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidArgument, match="did you mean 'MazeNLU-v0'"):
        importlib.import_module("maze_gym.integrations.openenv").make_app("MazNLU-v0")


def openenv_command(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "maze_gym.integrations.openenv", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--env", "Maze"), "nothing is registered as 'Maze'"),
        (("--levels", "nosuch"), "no file or folder 'nosuch'; no suite or level of that name"),
        (("--tier", "9"), "tier must be one of 1, 2, 3, 4, 5, got 9"),
    ],
)
def test_what_is_wrong_is_one_line(words: tuple[str, ...], said: str) -> None:
    done = openenv_command(*words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("maze-gym: error: ")
    assert said in done.stderr


def test_each_option_is_explained() -> None:
    printed = openenv_command("--help").stdout
    assert "The world to serve." in printed
    assert "Port to listen on." in printed
