"""What a run will take, before anything is spent: calls, tokens, money and time, from below and above.

The lower end is what a player without fault would take: the oracle speaks in the model's place, in the very
prompts that the model would get. The upper end is every episode to its step limit, with every reply asked for
as often as is allowed and as long as is allowed. Tokens are estimated by characters: each model has others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import gymnasium as gym

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import run_episode
from maze_gym.evaluation.plan import episode_seed
from maze_gym.game import TextGame, World, text_game
from maze_gym.llm.backends import OracleChat, RandomChat
from maze_gym.llm.backends.server import CHARS_PER_TOKEN
from maze_gym.llm.config import ExperimentConfig, History, Querying
from maze_gym.llm.prompts import grammar_for, reask_text
from maze_gym.llm.reading import FailureKind, ParseFailure
from maze_gym.policies import make_policy
from maze_gym.policies.chats import CHAT_POLICIES, is_chat_name
from maze_gym.policies.llm import LLMPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maze_gym.evaluation.limits import Limits
    from maze_gym.evaluation.plan import EvalPlan
    from maze_gym.llm.backends.server import Prices
    from maze_gym.llm.chat import Messages
    from maze_gym.policies.base import AnyEnv

SAMPLE = 30  # episodes that are looked at; the others are taken to be like them
PIXELS_PER_TOKEN = 750  # of a picture, roughly: about what large providers count
SECONDS_PER_CALL = 2.0
_LONGEST_DETAIL = 160  # characters of what was wrong with a reply, as a model is told: it is quoted, but cut
_MILLION = 1_000_000
_MINUTE_S = 60.0


class Range(NamedTuple):
    """From a player without fault to one who uses up everything."""

    low: float
    high: float

    def times(self, factor: float) -> Range:
        """Both ends multiplied."""
        return Range(self.low * factor, self.high * factor)


class Estimate(NamedTuple):
    """What one policy will take.

    Attributes:
        policy: its name.
        episodes: how many the plan has.
        steps: actions in the env.
        calls: of the model; 0 for a policy that is none.
        input_tokens: sent.
        output_tokens: received.
        cost_usd: at the given prices, None without.
        seconds: of waiting for the model.
    """

    policy: str
    episodes: int
    steps: Range
    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost_usd: Range | None
    seconds: Range


class Survey(NamedTuple):
    """What the episodes of a run are like, on average over those that were looked at.

    Attributes:
        looked_at: how many.
        is_optimal: whether the lower ends are those of shortest plans.
        steps: actions in the env.
        calls: of a model.
        input_tokens: sent.
        output_tokens: received.
    """

    looked_at: int
    is_optimal: bool
    steps: Range
    calls: Range
    input_tokens: Range
    output_tokens: Range


def survey(run: EvalPlan, reply_tokens: int | None = None) -> Survey:
    """Look at the levels of a run, by letting the oracle play some of them in a model's place.

    Args:
        run: the plan.
        reply_tokens: how long replies are expected to be; by default from the shortest to the longest.

    Raises:
        InvalidArgument: a policy is asked in words, and the world has none.
    """
    config = run.config or ExperimentConfig()
    env: AnyEnv = gym.make(run.env_id, **run.env_kwargs)
    try:
        if any(map(_asks, run.policies)) or isinstance(env.unwrapped, TextGame):
            model = _stand_in(env, config)
            found = [_look(env, model, run, index, reply_tokens) for index in _sample(run.episodes)]
        else:
            found = [_look_on(env, run, index) for index in _sample(run.episodes)]
    finally:
        env.close()
    means = [
        Range(_mean(each[0][place].low for each in found), _mean(each[0][place].high for each in found))
        for place in range(len(Survey._fields) - 2)
    ]
    return Survey(len(found), all(is_shortest for *_, is_shortest in found), *means)


def estimate(
    run: EvalPlan,
    seen: Survey,
    *,
    prices: Prices | None = None,
    limits: Limits | None = None,
    concurrency: int = 1,
    seconds_per_call: float = SECONDS_PER_CALL,
) -> list[Estimate]:
    """What each policy of a run will take.

    Args:
        run: the plan.
        seen: what its episodes are like.
        prices: of tokens.
        limits: the rates among them slow a run down.
        concurrency: episodes at a time.
        seconds_per_call: that a model is expected to take for a reply.

    Raises:
        InvalidArgument: ``seconds_per_call`` is negative.
    """
    if seconds_per_call < 0:
        msg = f"seconds_per_call must be 0 or more, got {seconds_per_call}"
        raise InvalidArgument(msg)
    nothing = Range(0, 0)
    at_a_time = min(concurrency, run.episodes)  # the calls of one episode follow each other
    found = []
    for policy in run.policies:
        asks = _asks(policy)
        calls = seen.calls.times(run.episodes) if asks else nothing
        sent = seen.input_tokens.times(run.episodes) if asks else nothing
        received = seen.output_tokens.times(run.episodes) if asks else nothing
        cost = None
        if prices is not None:
            cost = Range(
                *(
                    (one * prices.input + other * prices.output) / _MILLION
                    for one, other in zip(sent, received, strict=True)
                )
            )
        seconds = Range(
            *(
                _seconds(call, tokens, limits, at_a_time, seconds_per_call)
                for call, *tokens in zip(calls, sent, received, strict=True)
            )
        )
        steps = seen.steps.times(run.episodes)
        found.append(Estimate(policy, run.episodes, steps, calls, sent, received, cost, seconds))
    return found


def _seconds(
    calls: float, tokens: Iterable[float], limits: Limits | None, at_a_time: int, seconds_per_call: float
) -> float:
    """The slowest of what holds a run back."""
    times = [calls * seconds_per_call / at_a_time]
    if limits is not None and limits.requests_per_minute is not None:
        times.append(calls / limits.requests_per_minute * _MINUTE_S)
    if limits is not None and limits.tokens_per_minute is not None:
        times.append(sum(tokens) / limits.tokens_per_minute * _MINUTE_S)
    return max(times)


def _asks(policy: str) -> bool:
    """Whether a policy of this name is asked in words."""
    return is_chat_name(policy) or policy in CHAT_POLICIES


def _stand_in(env: AnyEnv, config: ExperimentConfig) -> LLMPolicy:
    """Somebody who speaks in a model's place."""
    game = text_game(env)
    try:
        return LLMPolicy(OracleChat(game, config), config, env=env)
    except InvalidArgument:  # a world that cannot be searched
        return LLMPolicy(RandomChat(game, config), config, env=env)


def _sample(episodes: int) -> list[int]:
    """Numbers of episodes, spread evenly over all of them."""
    count = min(episodes, SAMPLE)
    return [index * episodes // count for index in range(count)]


def _look(
    env: AnyEnv, policy: LLMPolicy, run: EvalPlan, index: int, reply_tokens: int | None
) -> tuple[tuple[Range, Range, Range, Range], bool]:
    """Steps, calls, tokens sent and received of one episode, and whether it took a shortest plan."""
    config = policy.config
    options = run.levels[index % len(run.levels)].options if run.levels else None
    record = run_episode(env, policy, seed=episode_seed(run.seed, index), options=options)
    # A recipe states the step limit, which the env does not tell once the episode is over.
    limit = int(text_game(env).recipe().make.get("max_steps") or record.steps)
    asked = limit if config.querying != Querying.FULL_TRAJECTORY else 1
    calls = Range(len(policy.queries), asked * (config.retries + 1))
    sizes = [_tokens(query.messages) for query in policy.queries] or [0.0]
    most = _sent_at_most(policy, sizes, asked, _reask_tokens(env, config), reply_tokens or config.max_tokens)
    replies = [len(query.reply.text) / CHARS_PER_TOKEN for query in policy.queries if query.reply is not None]
    received = Range(sum(replies), calls.high * config.max_tokens)
    if reply_tokens is not None:
        received = Range(calls.low * reply_tokens, calls.high * reply_tokens)
    sent = Range(sum(sizes), max(most, sum(sizes)))
    return (Range(record.steps, limit), calls, sent, received), record.steps == record.optimal_actions


def _look_on(env: AnyEnv, run: EvalPlan, index: int) -> tuple[tuple[Range, Range, Range, Range], bool]:
    """``_look`` in a world without words; it tells no step limit either, so this is what the oracle takes."""
    player = make_policy("oracle" if isinstance(env.unwrapped, World) else "random", env, run.seed)
    record = run_episode(env, player, seed=episode_seed(run.seed, index))
    nothing = Range(0, 0)
    steps = Range(record.steps, record.steps)
    return (steps, nothing, nothing, nothing), record.steps == record.optimal_actions


def _sent_at_most(
    policy: LLMPolicy, sizes: Sequence[float], asked: int, reask: float, reply_tokens: int
) -> float:
    """Tokens of all prompts, if every turn up to the last step needs every retry and the longest replies.

    Args:
        policy: what it was asked by, on the oracle's way, is what a turn is like.
        sizes: tokens of each of its queries.
        asked: turns.
        reask: tokens more that a retry takes.
        reply_tokens: of the longest reply.
    """
    config = policy.config
    attempts = config.retries + 1
    largest = max(sizes) + reask
    if not policy.queries:
        return 0.0
    if config.history != History.FULL:
        seen = policy.queries[-1].step  # steps that the oracle's longest prompt could tell of
        unseen = min(config.turns, asked) - seen if seen else 0
        largest += max(0, unseen) * max(0.0, sizes[-1] - sizes[0]) / max(1, seen)
        return attempts * asked * largest
    # Each turn sends all earlier ones as well: their questions, and what was answered.
    questions = [_tokens(query.messages[-1:]) for query in policy.queries]
    first = sizes[0] - questions[0] + max(questions) + reask
    return attempts * (asked * first + (max(questions) + reply_tokens) * asked * (asked - 1) / 2)


def _reask_tokens(env: AnyEnv, config: ExperimentConfig) -> float:
    """Of the longest thing that is said to a model whose reply could not be used."""
    if not config.retries:
        return 0.0
    grammar = grammar_for(config, text_game(env))
    failures = [ParseFailure(kind, "?" * _LONGEST_DETAIL) for kind in FailureKind]
    longest = max(len(reask_text(each, grammar, config.retries, config.retries + 1)) for each in failures)
    return longest / CHARS_PER_TOKEN


def _tokens(messages: Messages) -> float:
    """Of everything in some messages."""
    total = 0.0
    for message in messages:
        total += len(message.text) / CHARS_PER_TOKEN
        for image in message.images:
            width, height = (int.from_bytes(image[place : place + 4]) for place in (16, 20))  # of its header
            total += width * height / PIXELS_PER_TOKEN
    return total


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
