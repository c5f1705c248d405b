"""TextObservation, ImageObservation and ContextWindow: in every order, on every world, in vector envs."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence

from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument
from maze_gym.wrappers import ContextWindow, ImageObservation, TextObservation
from mazegen import codec
from mazegen.rendering import picture

from ..levels import ALL_KINDS, TALL
from ..llm.hallway import Hallway

if TYPE_CHECKING:
    from collections.abc import Callable

WRAPPERS: dict[str, Callable[..., gym.Env[Any, Any]]] = {
    "text": TextObservation,
    "image": ImageObservation,
    "context": ContextWindow,
}
# 5 x 9 and 9 x 5: whatever mixes up rows and columns is found out.
WORLDS: dict[str, Callable[[], gym.Env[Any, Any]]] = {
    "5x9": lambda: GridWorldEnv(maze=ALL_KINDS),
    "9x5": lambda: GridWorldEnv(maze=TALL),
    "both": lambda: GridWorldEnv(mazes=[ALL_KINDS, TALL]),
    "hallway": Hallway,
}


def walk(env: gym.Env[Any, Any], steps: int = 60) -> list[Any]:
    """Observations of random play across episodes."""
    env.action_space.seed(1)
    observations = [env.reset(seed=1)[0]]
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        observations.append(observation)
        if terminated or truncated:
            observations.append(env.reset()[0])
    return observations


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("names", "modes"), list(product(permutations(WRAPPERS, 2), product(("add", "replace"), repeat=2)))
)
def test_every_ordered_pair_keeps_space_and_observation_in_agreement(
    world: str, names: tuple[str, str], modes: tuple[str, str]
) -> None:
    env = WORLDS[world]()
    inner = copy.deepcopy(env.observation_space)
    for name, mode in zip(names, modes, strict=True):
        env = WRAPPERS[name](env, mode=mode)
    for observation in walk(env):
        assert env.observation_space.contains(observation)
    assert env.unwrapped.observation_space == inner
    if modes[1] == "replace":
        assert not isinstance(env.observation_space, spaces.Dict)
    else:
        assert isinstance(env.observation_space, spaces.Dict)
        assert names[1] in env.observation_space.spaces
        assert (names[0] in env.observation_space.spaces) == (modes[0] == "add")
        assert ("observation" in env.observation_space.spaces) == (
            modes[0] == "replace" or world == "hallway"
        )


@pytest.mark.parametrize("names", list(permutations(WRAPPERS, 2)))
def test_order_changes_nothing_that_is_observed(names: tuple[str, str]) -> None:
    def observed(order: tuple[str, ...]) -> list[Any]:
        env = WORLDS["both"]()
        for name in order:
            env = WRAPPERS[name](env)
        return walk(env)

    for one, other in zip(observed(names), observed(names[::-1]), strict=True):
        assert one.keys() == other.keys()
        assert all(data_equivalence(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    "make",
    [
        partial(TextObservation, prompting="verbose", coordinates="x_y", max_length=9_000),
        partial(TextObservation, mode="replace"),
        partial(ImageObservation, cell_px=7),
        partial(ContextWindow, turns=2, mode="replace"),
        lambda env: ContextWindow(ImageObservation(TextObservation(env, "minimal"), cell_px=3), turns=5),
    ],
    ids=["verbose", "text", "image", "context", "all"],
)
def test_specs_rebuild_the_same_env_also_through_json(make: Callable[..., gym.Env[Any, Any]]) -> None:
    env = make(gym.make("MazeNLU-v0", mazes=[codec.to_dict(ALL_KINDS), codec.to_dict(TALL)]))
    assert env.spec is not None
    for spec in (env.spec, gym.envs.registration.EnvSpec.from_json(env.spec.to_json())):
        again = gym.make(spec)
        assert again.observation_space == env.observation_space
        for one, other in zip(walk(env), walk(again), strict=True):
            assert data_equivalence(one, other)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_wrapped_worlds_work_in_vector_envs(mode: Any) -> None:
    wrappers = (
        partial(TextObservation, max_length=3_000),
        partial(ImageObservation, cell_px=4),
        partial(ContextWindow, max_length=2_000),
    )
    envs = gym.make_vec(
        "MazeNLU-v0",
        num_envs=2,
        vectorization_mode=mode,
        vector_kwargs={"shared_memory": False} if mode == "async" else {},
        wrappers=wrappers,
        maze=codec.to_dict(ALL_KINDS),
    )
    try:
        observations, _ = envs.reset(seed=3)
        assert envs.observation_space.contains(observations)
        for _ in range(4):
            observations, *_ = envs.step(np.array([1, 0]))
            assert envs.observation_space.contains(observations)
        assert observations["image"].shape == (2, 24, 36, 3)
        assert all("You turn" in text for text in observations["context"])
    finally:
        envs.close()


def test_shared_memory_that_would_freeze_texts_is_refused_and_pictures_pass_through_it() -> None:
    make = partial(
        gym.make_vec, "MazeNLU-v0", num_envs=1, vectorization_mode="async", maze=codec.to_dict(ALL_KINDS)
    )
    with pytest.raises(ValueError, match="shared_memory=False"):
        make(wrappers=(TextObservation,))
    envs = make(wrappers=(partial(ImageObservation, cell_px=4),))
    try:
        first = envs.reset(seed=0)[0]["image"].copy()
        assert not (envs.step(np.array([1]))[0]["image"] == first).all()
    finally:
        envs.close()


def test_text_says_level_state_and_result_as_it_was_asked_to() -> None:
    env = TextObservation(GridWorldEnv(maze=ALL_KINDS), "verbose", "row_col_1", mode="replace")
    text, _ = env.reset()
    assert "counted from 1" in text
    assert "You are at row 2, column 2, facing north." in text
    assert "Ahead (row 1, column 2): wall." in text
    assert env.step(1)[0].endswith("You turn and now face east.")
    assert "Ahead" not in TextObservation(GridWorldEnv(maze=ALL_KINDS), mode="replace").reset()[0]


def test_observations_follow_the_live_state_and_the_level_of_the_episode() -> None:
    env = ImageObservation(TextObservation(GridWorldEnv(mazes=[ALL_KINDS, TALL])), cell_px=8)
    first, _ = env.reset(options={"maze": TALL, "start": (4, 1), "facing": "EAST"})
    assert "The maze has 9 rows and 5 columns" in first["text"]
    assert "You are at row 4, column 1, facing east." in first["text"]
    second, *_ = env.step(0)
    assert not (first["image"] == second["image"]).all()
    assert (
        second["image"] == env.reset(options={"maze": TALL, "start": (4, 1), "facing": "NORTH"})[0]["image"]
    ).all()


def test_image_is_the_frame_that_the_env_renders() -> None:
    inner = GridWorldEnv(mazes=[ALL_KINDS, TALL], render_mode="rgb_array", cell_px=8)
    env = ImageObservation(inner, cell_px=8, mode="replace")
    for maze in (ALL_KINDS, TALL):
        env.reset(options={"maze": maze})
        assert (env.step(0)[0] == inner.render()).all()


def test_context_holds_the_latest_steps_and_forgets_them_at_reset() -> None:
    env = ContextWindow(GridWorldEnv(maze=ALL_KINDS), turns=2, mode="replace")
    assert env.reset()[0] == ""
    env.step(1)
    env.step(1)
    text = env.step(1)[0]
    assert text.splitlines() == [
        "2. At row 1, column 1, facing east: TURN_RIGHT. You turn and now face south.",
        "3. At row 1, column 1, facing south: TURN_RIGHT. You turn and now face west.",
    ]
    assert env.reset()[0] == ""


class Unannounced(gym.Wrapper[Any, Any, Any, Any]):
    """Has other actions than what it wraps, though it is no ``ActionWrapper``."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self.action_space = spaces.Discrete(2)


def test_context_names_no_action_that_a_wrapper_inside_may_have_changed() -> None:
    def turned(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
        return gym.wrappers.TransformAction(env, lambda action: (action + 1) % 4, env.action_space)

    for inside in (turned, lambda env: gym.wrappers.TimeLimit(turned(env), 9), Unannounced):
        with pytest.raises(InvalidArgument, match=r"wrap the other way round: \w+\(ContextWindow\(env\)"):
            ContextWindow(inside(GridWorldEnv(maze=ALL_KINDS)))
    env = turned(ContextWindow(GridWorldEnv(maze=ALL_KINDS), mode="replace"))
    env.reset()
    assert env.step(0)[0].endswith("TURN_RIGHT. You turn and now face east.")


def test_copies_and_pickles_go_on_alike_and_apart() -> None:
    env = ContextWindow(ImageObservation(TextObservation(GridWorldEnv(maze=ALL_KINDS))))
    env.reset(seed=0)
    env.step(1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):  # noqa: S301 - our own bytes
        assert data_equivalence(twin.step(1)[0], copy.deepcopy(env).step(1)[0])
        assert twin.unwrapped is not env.unwrapped


def test_text_outside_ascii_is_escaped_and_never_cut() -> None:
    maze = picture.parse("#####\n#Sr*#\n#####")
    named = codec.to_dict(maze)
    named["mechanisms"]["keys"][0]["id"] = "cl\u00e9"
    env = TextObservation(GridWorldEnv(maze=named), mode="replace")
    text = env.reset()[0]
    assert env.observation_space.contains(text)
    assert "cl\\xe9" in text
    short = TextObservation(GridWorldEnv(maze=named), mode="replace", max_length=50)
    with pytest.raises(InvalidArgument, match=f"max_length={len(text)}"):
        short.reset()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(TextObservation, prompting="loud"), "prompting must be one of minimal, standard, verbose"),
        (partial(TextObservation, coordinates="polar"), "coordinates must be one of"),
        (partial(WRAPPERS["text"], mode="both"), "mode must be one of add, replace"),
        (partial(TextObservation, max_length=0), "max_length must be a whole number of at least 1"),
        (partial(ImageObservation, cell_px=0), "cell_px must be a whole number"),
        (partial(ContextWindow, turns=0), "turns must be a whole number"),
        (lambda env: TextObservation(TextObservation(env)), "already has an entry 'text'"),
    ],
)
def test_wrong_arguments_are_refused(make: Callable[..., Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make(GridWorldEnv(maze=ALL_KINDS))


@pytest.mark.parametrize("wrapper", WRAPPERS.values())
def test_worlds_without_words_are_refused(wrapper: Callable[..., Any]) -> None:
    with pytest.raises(InvalidArgument, match=r"maze_gym\.game\.TextGame, got CartPoleEnv"):
        wrapper(gym.make("CartPole-v1"))
