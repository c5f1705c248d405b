"""What an env remembers of earlier episodes: it is faster for it and otherwise the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs import PacmanArrayEnv
from maze_gym.envs.pacman import env as env_module
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.levels import playable
from maze_gym.envs.pacman.rules.layout import CLASSIC

from ..boards import MINDS, SMALL, layouts

if TYPE_CHECKING:
    import pytest

    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
    from maze_gym.envs.pacman.rules.layout import Layout

OPTIONS: list[dict[str, Any] | None] = [
    None, None, {}, {"layout": SMALL}, {"player": (5, 5)}, {"ghosts": [(0, 1)], "luck": 3}, {"luck": 3},
]  # fmt: skip
GAMES = st.lists(st.lists(st.integers(0, 3), max_size=25), min_size=1, max_size=6)


def played(env: PacmanArrayEnv, actions: list[int], luck: int) -> list[Any]:
    """Everything that an episode says, arrays as lists."""
    said: list[Any] = [env.reset(options={"luck": luck})]
    for action in actions:
        said.append(env.step(action))
        if said[-1][2] or said[-1][3]:
            break
    return [plain(each) for each in (*said, env.state)]


def size(env: PacmanArrayEnv) -> int:
    """Moments that an env remembers besides the first one."""
    found = [env._first]
    for moment in found:
        found += [each for each in moment.following if each is not None]
    return len(found) - 1


def plain(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        return data.dtype.name, data.tolist()
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return tuple(map(plain, data)) if isinstance(data, tuple) else data


@given(layout=layouts(), mind=MINDS, games=GAMES, lucks=st.lists(st.sampled_from([0, 5]), min_size=6))
def test_earlier_episodes_change_nothing(
    layout: Layout, mind: GhostBehaviour, games: list[list[int]], lucks: list[int]
) -> None:
    """Whatever was played before, an episode is that of an env without a past, and again when it is known."""
    worn = PacmanArrayEnv(layout=layout, ghosts=mind, max_steps=20)
    for actions, luck in [*zip(games, lucks, strict=False), *zip(games, lucks, strict=False)]:
        fresh = PacmanArrayEnv(layout=layout, ghosts=mind, max_steps=20)
        assert played(worn, actions, luck) == played(fresh, actions, luck)


@given(resets=st.lists(st.tuples(st.sampled_from(OPTIONS), st.lists(st.integers(0, 3), max_size=4))))
def test_a_reset_begins_what_it_chooses_whatever_was_chosen_before(
    resets: list[tuple[dict[str, Any] | None, list[int]]],
) -> None:
    worn = PacmanArrayEnv(max_steps=3)
    for options, actions in [*resets, (None, [2, 2, 2])]:
        fresh = PacmanArrayEnv(max_steps=3)
        assert plain(worn.reset(options=options)) == plain(fresh.reset(options=options))
        for action in actions:
            told = worn.step(action)
            assert plain(told) == plain(fresh.step(action))
            if told[2] or told[3]:
                break
        assert (worn.state, worn.steps_left, worn.metrics()) == (
            fresh.state,
            fresh.steps_left,
            fresh.metrics(),
        )


def test_what_is_remembered_is_bounded_and_forgotten_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_module, "MAX_REMEMBERED", 3)
    monkeypatch.setattr(env_module, "RENEWED_AFTER", 9)
    monkeypatch.setattr(playable, "MAX_FIGURES", 5)
    playable.playable.cache_clear()
    worn, rng, renewed = PacmanArrayEnv(), np.random.default_rng(0), 0
    for _ in range(30):
        actions = [int(action) for action in rng.integers(4, size=30)]
        assert played(worn, actions, 0) == played(PacmanArrayEnv(), actions, 0)
        assert size(worn) <= 3
        renewed += worn._explorers == 1
        assert len(playable.playable(rules.compile_board(CLASSIC), (10, 10))._figures) <= 5
    assert renewed > 1, "what was known was forgotten and learned again"
    playable.playable.cache_clear()


def test_an_episode_adds_one_step_to_the_known_ground() -> None:
    env = PacmanArrayEnv()
    for number in range(4):
        env.reset()
        for action in (2, 2, 2, 0):
            env.step(action)
        assert size(env) == number + 1
    env.reset()
    env.step(2)
    assert size(env) == 4, "all four steps are known by now"
