"""Episodes as data, and sessions that play them in words."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.integrations.sessions import (
    Session,
    SessionSpec,
    episodes,
    episodes_of_tiers,
    is_solvable,
)
from maze_gym.llm.backends import OracleChat
from maze_gym.llm.config import ExperimentConfig, History, Observe, Querying

WORLDS = ("MazeNLU-v0", "PacmanArray-v0", "MazeNLU-KeyDoor-9x9-v0")
FULL = ExperimentConfig(history=History.FULL)


def first(env_id: str = "MazeNLU-v0", config: ExperimentConfig = FULL, **options: Any) -> SessionSpec:
    return next(episodes(env_id, config, count=1, **options))


def play(session: Session) -> dict[str, Any]:
    """To the end, by the oracle."""
    chat = OracleChat(session.game, session.config)
    while not session.ended:
        session.reply(chat(()).text)
    return session.outcome()


@pytest.mark.parametrize("env_id", WORLDS)
@pytest.mark.parametrize("querying", Querying)
def test_an_episode_survives_json_and_is_won_by_the_oracle(env_id: str, querying: Querying) -> None:
    spec = first(env_id, ExperimentConfig(querying=querying))
    again = SessionSpec.from_dict(json.loads(json.dumps(spec.to_dict())))
    session, other = Session(spec), Session(again)
    assert (session.system, session.prompt, spec.key) == (other.system, other.prompt, again.key)
    outcome = play(other)
    assert (outcome["is_success"], outcome["end_reason"]) == (True, "success")
    assert json.loads(json.dumps(outcome)) == outcome
    session.close()
    other.close()


def test_keys_name_episodes_and_not_places_in_a_list() -> None:
    specs = list(episodes("MazeNLU-v0", FULL, count=20))
    keys = [spec.key for spec in specs]
    assert len(set(keys)) == len(keys)
    assert [spec.repeat for spec in specs] == [0] * 14 + [1] * 6
    told_otherwise = list(episodes("MazeNLU-v0", ExperimentConfig(), count=14))
    assert [spec.key for spec in told_otherwise] == keys[:14]


def test_the_same_seed_gives_the_same_generated_episodes() -> None:
    def keys(seed: int) -> list[str]:
        return [spec.key for spec in episodes("MazeNLU-KeyDoor-9x9-v0", FULL, count=3, seed=seed)]

    assert keys(1) == keys(1)
    assert not set(keys(1)) & set(keys(2))


def test_tiers_come_in_turn_and_are_tagged() -> None:
    specs = list(episodes_of_tiers("MazeNLU-v0", FULL, [2, 1], count=3))
    assert [spec.tags for spec in specs] == [{"tier": 2}, {"tier": 1}, {"tier": 2}]
    assert len(list(islice(episodes_of_tiers("MazeNLU-v0", FULL, [1, 2, 3], count=2), 9))) == 2


@pytest.mark.parametrize(("env_id", "limit"), [("MazeNLU-v0", 5), ("PacmanArray-v0", 20)])
def test_solvable_is_what_the_oracle_wins_in_time(env_id: str, limit: int) -> None:
    assert is_solvable(first(env_id))
    assert not is_solvable(first(env_id, make={"max_steps": limit}))


@given(
    replies=st.lists(
        st.sampled_from(["FINAL_OUTPUT: TURN_LEFT", "FINAL_OUTPUT: PICKUP", "What?"]), max_size=9
    )
)
def test_every_reply_is_counted_once(replies: list[str]) -> None:
    session = Session(first())
    for reply in replies:
        if not session.ended:
            session.reply(reply)
    outcome = session.outcome()
    session.close()
    assert outcome["replies"] == outcome["steps"] + outcome["retries"] + outcome["invalid_reply"]
    assert outcome["steps"] == len(outcome["actions"]) == len(outcome["events"])
    assert (outcome["invalid_reply"] == 1) == (session.reason == EndReason.PARSE_FAILED)
    if outcome["replies"]:
        assert outcome["format"] == pytest.approx(outcome["steps"] / outcome["replies"])


def test_worlds_add_what_they_measure_also_before_the_end() -> None:
    session = Session(first("PacmanArray-v0"))
    session.reply("<action>2</action>")
    game = session.outcome()["game"]
    assert set(game) == {"win", "score", "survival"}
    assert 0 < game["survival"] < 0.1
    assert session.outcome()["end_reason"] is None
    session.close()


def test_pictures_come_where_the_config_asks_for_them() -> None:
    assert Session(first()).prompt.image is None
    pictured = Session(first(config=ExperimentConfig(observation=Observe.IMAGE_FIRST)))
    image = pictured.prompt.image
    assert image is not None
    assert image.startswith(b"\x89PNG")
    later = pictured.reply("FINAL_OUTPUT: TURN_LEFT")
    assert later.image not in {None, image}


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InvalidArgument, match="not an episode"):
        SessionSpec.from_dict({"env_id": "MazeNLU-v0"})
    with pytest.raises(InvalidArgument, match="did you mean 'MazeNLU-v0'"):
        first("MazNLU-v0")
    with pytest.raises(LevelsNotFound, match="no file or folder 'nosuch'; no suite or level of that name"):
        first(levels="nosuch")
    with pytest.raises(InvalidArgument, match=r"count must be a whole number, got 2\.5"):
        next(episodes("MazeNLU-v0", ExperimentConfig(), count=2.5))  # type: ignore[arg-type]  # that is the point
    with pytest.raises(InvalidArgument, match="seed must be a whole number, got 'x'"):
        next(episodes("MazeNLU-v0", ExperimentConfig(), seed="x"))  # type: ignore[arg-type]  # as above
    with pytest.raises(InvalidArgument, match="seed must be 0 or more, got -1"):
        first(seed=-1)
    spec = SessionSpec.from_dict(first().to_dict() | {"make": {"colour": "red"}})
    with pytest.raises(InvalidArgument, match=r"MazeNLU-v0 cannot be made: .*'colour'"):
        Session(spec)


@pytest.mark.parametrize("count", [0, -3])
def test_no_episodes_are_not_taken_for_all_of_them(count: int) -> None:
    said = f"count must be at least 1, got {count}"
    with pytest.raises(InvalidArgument, match=said):
        next(episodes("MazeNLU-v0", FULL, count=count))
    with pytest.raises(InvalidArgument, match=said):
        next(episodes_of_tiers("MazeNLU-v0", FULL, [1], count=count))


@pytest.mark.parametrize("levels", ["starter", "nosuch"])
def test_tiers_and_levels_exclude_each_other(levels: str) -> None:
    with pytest.raises(InvalidArgument, match="tier generates levels of its own; leave out levels"):
        next(episodes_of_tiers("MazeNLU-v0", FULL, [1, 2], levels=levels))


def test_tiers_are_named() -> None:
    with pytest.raises(InvalidArgument, match="name at least one tier"):
        next(episodes_of_tiers("MazeNLU-v0", FULL, []))
