"""What a run is expected to take holds what it then takes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym import evaluation
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.limits import Limits
from maze_gym.evaluation.plan import episode_seed
from maze_gym.evaluation.preflight import Range, estimate, survey
from maze_gym.evaluation.runner import ExperimentRunner
from maze_gym.game import text_game
from maze_gym.llm import formats
from maze_gym.llm.backends.server import CHARS_PER_TOKEN, Prices
from maze_gym.llm.config import ExperimentConfig, History, Observe, Querying
from maze_gym.llm.prompts import grammar_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from maze_gym.evaluation.transcript import Transcript
    from maze_gym.game import TextGame
    from maze_gym.llm.chat import Messages


@pytest.mark.parametrize("querying", list(Querying))
def test_the_oracle_takes_the_lower_end(querying: Querying) -> None:
    config = ExperimentConfig(querying=querying, context_window="last2")
    run = evaluation.make_plan(["oracle-chat", "random"], levels="smoke", episodes=4, config=config)
    model, other = estimate(run, survey(run))
    outcomes = [played.outcome for played in evaluation.play_run(run) if played.outcome.totals is not None]
    assert model.steps.low == pytest.approx(sum(outcome.episode.steps for outcome in outcomes))
    assert model.calls.low == pytest.approx(
        sum(outcome.totals["queries"] for outcome in outcomes if outcome.totals)
    )
    assert model.calls.high >= 4 * model.calls.low
    assert (other.calls, other.input_tokens, other.seconds) == (Range(0, 0),) * 3
    assert other.steps == model.steps
    assert model.cost_usd is None


def test_a_bad_player_stays_below_the_upper_end() -> None:
    config = ExperimentConfig(retries=1, history=History.FULL)
    run = evaluation.make_plan(["random-chat"], levels="smoke", episodes=3, config=config)
    (model,) = estimate(run, survey(run))
    records: list[Transcript] = []
    list(evaluation.play(run, on_transcript=records.append))
    calls = sum(len(record.queries) for record in records)
    chars = sum(
        len(message["text"])
        for record in records
        for query in record.queries
        for message in query["messages"]
    )
    assert model.calls.low <= calls <= model.calls.high
    assert model.input_tokens.low <= chars / 4 <= model.input_tokens.high
    assert model.output_tokens.high == pytest.approx(model.calls.high * 1024)


def at_its_worst(config: ExperimentConfig, game: TextGame) -> Callable[[Messages], str]:
    """A model that needs every retry, talks as long as it may, and then does the same again."""
    grammar, count = grammar_for(config, game), itertools.count()
    chars = config.max_tokens * CHARS_PER_TOKEN
    talk = "word " * (chars // 5)
    answer = formats.speak([0], grammar)
    wrong = answer.replace(grammar.action_names[0], "no such action " * 10)

    def reply(messages: Messages) -> str:
        del messages
        said = answer if next(count) % (config.retries + 1) == config.retries else wrong
        return f"{talk[: chars - len(said) - 1]}\n{said}"

    return reply


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"history": "full"},
        {"history": "full", "querying": "subgoal"},
        {"context_window": "last40"},  # more than the oracle has steps to tell of
        {"retries": 0, "history": "full"},
        {"querying": "full_trajectory"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("env_id", "levels"), [("MazeNLU-v0", "smoke"), ("SpatialGym-v0", None)])
def test_a_model_at_its_worst_stays_below_the_upper_end(
    env_id: str, levels: str | None, config: dict[str, Any]
) -> None:
    settings = ExperimentConfig(**({"max_tokens": 256} | config))
    run = evaluation.make_plan(["openai:x"], env_id=env_id, levels=levels, episodes=1, config=settings)
    seen = survey(run)
    env = gym.make(env_id, **run.env_kwargs)
    runner = ExperimentRunner(settings, env, at_its_worst(settings, text_game(env)))
    record = runner.run(seed=episode_seed(0, 0), options=run.levels[0].options)
    sent = sum(len(message["text"]) for query in record.queries for message in query["messages"])
    received = sum(len(query["reply"]) for query in record.queries)
    assert sent / CHARS_PER_TOKEN <= seen.input_tokens.high
    assert received / CHARS_PER_TOKEN <= seen.output_tokens.high
    assert len(record.queries) <= seen.calls.high


def test_no_more_episodes_at_a_time_than_there_are() -> None:
    run = evaluation.make_plan(["openai:x"], levels="smoke", episodes=4)
    seen = survey(run)
    (some,) = estimate(run, seen, concurrency=4)
    (many,) = estimate(run, seen, concurrency=1_000)
    assert many.seconds == some.seconds
    assert many.seconds.low == pytest.approx(2 * seen.calls.low)  # 2 s a call, one after the other


def test_prices_rates_and_replies_are_reckoned_with() -> None:
    run = evaluation.make_plan(["openai:x"], levels="smoke", episodes=100)
    seen = survey(run, reply_tokens=50)
    assert seen.looked_at == 30
    assert seen.is_optimal
    (free,) = estimate(run, seen, concurrency=10, seconds_per_call=3)
    assert free.output_tokens == free.calls.times(50)
    assert free.seconds == pytest.approx(free.calls.times(0.3))
    limits = Limits(requests_per_minute=6)
    (slow,) = estimate(run, seen, prices=Prices(2, 10), limits=limits, concurrency=1000)
    assert slow.seconds == pytest.approx(slow.calls.times(10))
    assert slow.cost_usd is not None
    assert slow.cost_usd.low == pytest.approx((slow.input_tokens.low * 2 + slow.output_tokens.low * 10) / 1e6)
    (thin,) = estimate(run, seen, limits=Limits(tokens_per_minute=100))
    assert thin.seconds.high == pytest.approx((thin.input_tokens.high + thin.output_tokens.high) * 0.6)
    with pytest.raises(InvalidArgument, match="seconds_per_call must be 0 or more"):
        estimate(run, seen, seconds_per_call=-1)


def test_pictures_count_by_their_size() -> None:
    def sent(cell_px: int) -> float:
        config = ExperimentConfig(observation=Observe.TEXT_IMAGE, cell_px=cell_px)
        return survey(
            evaluation.make_plan(["openai:x"], levels="smoke", episodes=2, config=config)
        ).input_tokens.low

    assert sent(40) > 1.2 * sent(20)


def test_a_world_without_exact_search_says_so() -> None:
    run = evaluation.make_plan(["openai:x"], env_id="PacmanArray-v0", episodes=1)
    seen = survey(run)
    assert not seen.is_optimal
    assert seen.steps.low <= seen.steps.high
