"""One run in full: what was asked, answered, done and seen, complete enough to be executed again."""

from __future__ import annotations

import dataclasses
import json
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym

from maze_gym._version import __version__
from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, MazeError, MazeGymError, PolicyStopped
from maze_gym.evaluation.episode import EpisodeRecord, run_episode
from maze_gym.game import text_game
from maze_gym.llm.config import PROMPT_VERSION
from maze_gym.registration import world_of
from mazegen.core.bounded_files import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from maze_gym.game import TextGame
    from maze_gym.policies.base import AnyEnv

FORMAT = "maze_gym run 1"
_POSITION = ("row", "col")
_OBJECTS = ("model", "recipe", "initial_state", "final_state", "versions")
_LISTS = ("steps", "queries")
_KINDS = {dict: "an object", list: "a list", int: "a whole number", str: "text"}
_REPLAYED = (
    "position_before",
    "position_after",
    "action",
    "event",
    "reward",
)  # not the words, which may improve
_BY_THE_WORLD = frozenset({EndReason.SUCCESS, EndReason.FAILED, EndReason.TIMEOUT})


@dataclass(frozen=True, slots=True)
class Transcript:
    """One run of one episode; everything in it is plain JSON data.

    Attributes:
        episode: the outcome, as for any policy: success, end reason, steps, actions, events, seed.
        config: the ``ExperimentConfig``, None for a policy without one.
        config_hash: of the config and the version of the prompts.
        model: settings of the chat that its replies depend on.
        recipe: arguments that make the env and begin this episode again, the level included.
        initial_state: where it began.
        final_state: where it ended.
        steps: per step: position before and after, action, event, feedback, reward, sub-goal, state.
        queries: per query: messages, raw reply, how it was read, usage, latency, provider retries.
        versions: of this package, its prompts, Gymnasium and Python.
        index: number of the episode in a run of many; None for a run of one.
        take: which attempt at the episode it is, in a run of many; see ``EpisodeResult``.

    Raises:
        InvalidArgument: a field is of the wrong kind.
    """

    episode: EpisodeRecord
    config: dict[str, Any] | None
    config_hash: str | None
    model: dict[str, Any]
    recipe: dict[str, Any]
    initial_state: dict[str, Any]
    final_state: dict[str, Any]
    steps: list[dict[str, Any]]
    queries: list[dict[str, Any]]
    versions: dict[str, str]
    index: int | None = None
    take: str = ""

    def __post_init__(self) -> None:
        """Refuse what could neither be read nor executed."""
        _check(self.episode.env_id, str, "env_id")
        for number, action in enumerate(self.episode.actions, 1):
            _check(action, int, f"action {number}")
        for name in _OBJECTS:
            _check(getattr(self, name), dict, name)
        for name in ("make", "reset"):
            _check(self.recipe.get(name), dict, f"recipe.{name}")
        for name in _LISTS:
            _check(getattr(self, name), list, name)
            for number, each in enumerate(getattr(self, name), 1):
                _check(each, dict, f"{name}, number {number}")
        for number, step in enumerate(self.steps, 1):
            _check(step.get("state"), dict, f"the state of step {number}")

    @property
    def totals(self) -> dict[str, Any]:
        """Counts over the run; parse retries and provider retries apart; None where nothing is known."""
        usages = [query["usage"] for query in self.queries if "usage" in query]
        return {
            "queries": len(self.queries),
            "parse_failures": sum("failure" in query for query in self.queries),
            "parse_retries": sum(query["attempt"] > 0 for query in self.queries),
            "provider_retries": sum(query.get("provider_retries", 0) for query in self.queries),
            "provider_errors": sum("error" in query for query in self.queries),
            "input_tokens": _total(usage["input_tokens"] for usage in usages),
            "output_tokens": _total(usage["output_tokens"] for usage in usages),
            "cost_usd": _total(usage["cost_usd"] for usage in usages),
            "latency_s": _total(query.get("latency_s") for query in self.queries),
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields, the totals included for readers."""
        fields = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return {
            "format": FORMAT,
            **fields,
            "episode": self.episode.to_dict(),
            "totals": self.totals,
        }

    def to_json(self) -> str:
        """One line of ASCII: whatever a model said, no control character is in it."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Transcript:
        """The record that ``to_dict`` described.

        Raises:
            InvalidArgument: these are not such fields.
        """
        try:
            known = dict(fields)
            _check_names(known)
            del known["format"]
            known.pop("totals", None)
            known["episode"] = EpisodeRecord.from_dict(known["episode"])
            return cls(**known)
        except (TypeError, KeyError, ValueError) as error:
            msg = f"not a record of a run: {error}"
            raise InvalidArgument(msg) from error

    @classmethod
    def from_json(cls, line: str) -> Transcript:
        """The record that ``to_json`` wrote.

        Raises:
            InvalidArgument: the line is not such a record.
        """
        try:
            fields = json_of(line, "the line")
            _check(fields, dict, "it")
        except ValueError as error:
            msg = f"not a record of a run: {error}"
            raise InvalidArgument(msg) from error
        return cls.from_dict(fields)


class TranscriptRecorder(gym.Wrapper[Any, Any, Any, Any]):
    """Writes down every step of an episode as it is played; changes nothing.

    Args:
        env: a world that says what its state is.
        subgoal: asked after each action for what it is meant to reach.

    Attributes:
        game: the world under all wrappers.
        initial_state: of this episode.
        final_state: as of now.
        steps: of this episode so far.

    Raises:
        InvalidArgument: the world is no ``TextGame``.
    """

    def __init__(self, env: AnyEnv, subgoal: Callable[[], str] = str) -> None:
        """Wrap an env."""
        super().__init__(env)
        self.game = text_game(env)
        self._subgoal = subgoal
        self.initial_state: dict[str, Any] = {}
        self.final_state: dict[str, Any] = {}
        self.steps: list[dict[str, Any]] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a transcript."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.steps = []
        self.initial_state = self.final_state = self.game.snapshot()
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:  # noqa: ANN401 - gymnasium's own types
        """Step and write it down."""
        before = self.final_state
        observation, reward, terminated, truncated, info = self.env.step(action)
        after = self.final_state = self.game.snapshot()
        self.steps.append(
            {
                "step": len(self.steps) + 1,
                "position_before": _position(before),
                "position_after": _position(after),
                "action": self.game.action_names[int(action)],
                "event": info.get("event"),
                "feedback": info.get("message"),
                "reward": float(reward),
                "subgoal": self._subgoal(),
                "state": after,
            }
        )
        return observation, reward, terminated, truncated, info


class Replay(NamedTuple):
    """What came of executing a record again.

    Attributes:
        states: how many states were compared and equal.
        mismatch: the first difference, or empty.
    """

    states: int
    mismatch: str


class _Recorded:
    """Plays the actions of a record, then stops for the reason of the record.

    Success, failure and timeout are the world's to say; where it does not, a plan has run out.
    """

    name = "recorded"

    def __init__(self, episode: EpisodeRecord, on_turn: Callable[[], None]) -> None:
        self._actions = iter(episode.actions)
        reason = episode.end_reason
        self._reason = EndReason.PLAN_EXHAUSTED if reason in _BY_THE_WORLD else reason
        self._on_turn = on_turn

    def reset(self, seed: int | None = None) -> None:
        """Nothing: it plays once."""

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401, ARG002 - it reads a record
        self._on_turn()
        action = next(self._actions, None)
        if action is None:
            raise PolicyStopped(self._reason, "every recorded action has been played")
        return action


def replay(record: Transcript, on_turn: Callable[[TextGame], None] | None = None) -> Replay:
    """Execute the actions of a record in a fresh env and compare every state and what came of every step.

    The world itself is played. Where it was recorded under a wrapper that changes rewards or ends episodes,
    the replay differs in these.

    Args:
        record: the run.
        on_turn: called with the world before each action, and once more where the episode was broken off.

    Raises:
        InvalidArgument: the record names a world that does not exist, its recipe is wrong, or an action of
            it is none.
    """
    world = world_of(record.episode.env_id)
    try:
        env: AnyEnv = gym.make(world.id, **record.recipe["make"])
    except (TypeError, ValueError, MazeError, OSError) as error:
        msg = f"the recipe of the record makes no env: {error}"
        raise InvalidArgument(msg) from error
    try:
        recorder = TranscriptRecorder(env)
        player = _Recorded(record.episode, lambda: None if on_turn is None else on_turn(recorder.game))
        try:
            episode = run_episode(recorder, player, options=record.recipe["reset"])
        except (gym.error.InvalidAction, MazeError, MazeGymError) as error:
            where = f"step {len(recorder.steps) + 1}" if recorder.initial_state else "the start"
            msg = f"{where} of the record cannot be played: {error}"
            raise InvalidArgument(msg) from error
        equal = Replay(len(recorder.steps) + 1, "")
        return next(_differences(record, episode, recorder), equal)
    finally:
        env.close()


def _differences(record: Transcript, now: EpisodeRecord, recorder: TranscriptRecorder) -> Iterator[Replay]:
    then = record.episode
    if record.initial_state != recorder.initial_state:
        yield Replay(0, _difference("the start", record.initial_state, recorder.initial_state))
    counts = {"actions": len(then.actions), "events": len(then.events), "states": len(record.steps)}
    if set(counts.values()) != {then.steps}:
        listed = ", ".join(f"{count} {what}" for what, count in counts.items())
        yield Replay(1, f"{then.steps} steps are recorded, but {listed}")
    for number, (step, again) in enumerate(zip(record.steps, recorder.steps, strict=False), 1):
        where = f"step {number}"
        if step["state"] != again["state"]:
            yield Replay(number, _difference(where, step["state"], again["state"]))
        pairs = [(name.replace("_", " "), step.get(name), again[name]) for name in _REPLAYED]
        pairs.append(("event of the episode", then.events[number - 1], now.events[number - 1]))
        yield from (Replay(number, f"{where}: {text}") for text in _unequal(pairs))
    ended = len(recorder.steps) + 1
    if now.steps < then.steps:
        yield Replay(ended, f"step {ended}: the episode had already ended")
    if record.final_state != recorder.final_state:
        yield Replay(ended - 1, _difference("the end", record.final_state, recorder.final_state))
    names = ("end_reason", "success", "total_reward")
    pairs = [(name.replace("_", " "), getattr(then, name), getattr(now, name)) for name in names]
    yield from (Replay(ended, text) for text in _unequal(pairs))


def _unequal(pairs: list[tuple[str, Any, Any]]) -> Iterator[str]:
    return (f"recorded {what} {then}, now {now}" for what, then, now in pairs if then != now)


def _difference(where: str, recorded: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in {**recorded, **now} if recorded.get(name) != now.get(name)]
    parts = [f"{name} was {recorded.get(name)!r}, is {now.get(name)!r}" for name in names]
    return f"{where}: {'; '.join(parts)}"


def _check_names(fields: Mapping[str, Any]) -> None:
    """Refuse what lacks a field of a record; what people take for one most often are bare episodes."""
    if fields.get("format") != FORMAT:
        got = f"got {fields['format']!r}" if "format" in fields else "and there is none"
        msg = (
            f"the field format must be {FORMAT!r}, {got}; transcripts.jsonl of a run holds such records "
            "(of language models alone), and neither episodes.jsonl nor what play --record writes does"
        )
        raise InvalidArgument(msg)
    needed = (each.name for each in dataclasses.fields(Transcript) if each.default is dataclasses.MISSING)
    if missing := [name for name in needed if name not in fields]:
        msg = f"{', '.join(missing)} missing in it"
        raise InvalidArgument(msg)


def _position(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    return {name: snapshot[name] for name in _POSITION if name in snapshot}


def _check(value: object, kind: type, name: str) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):  # Python's true is a number, JSON's is none
        msg = f"{name} must be {_KINDS[kind]}, got {type(value).__name__}"
        raise InvalidArgument(msg)


def _total(values: Any) -> Any:  # noqa: ANN401 - numbers of one kind
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def versions() -> dict[str, str]:
    """Of everything that a record depends on."""
    return {
        "maze_gym": __version__,
        "prompts": str(PROMPT_VERSION),
        "gymnasium": gym.__version__,
        "python": platform.python_version(),
    }
