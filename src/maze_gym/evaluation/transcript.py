"""One run in full: what was asked, answered, done and seen, complete enough to be executed again."""

from __future__ import annotations

import dataclasses
import json
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym

from maze_gym._version import __version__
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import EpisodeRecord
from maze_gym.game import text_game
from maze_gym.llm.config import PROMPT_VERSION
from maze_gym.registration import world_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maze_gym.game import TextGame
    from maze_gym.policies.base import AnyEnv

FORMAT = "maze_gym run 1"
_POSITION = ("row", "col")


@dataclass(frozen=True, slots=True)
class RunRecord:
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
        take: which attempt at the episode it is, in a run of many; see ``Outcome``.
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
    def from_dict(cls, fields: Mapping[str, Any]) -> RunRecord:
        """The record that ``to_dict`` described.

        Raises:
            InvalidArgument: these are not such fields.
        """
        try:
            known = dict(fields)
            if known.pop("format") != FORMAT:
                raise KeyError(FORMAT)  # noqa: TRY301 - told apart from nothing else
            known.pop("totals", None)
            known["episode"] = EpisodeRecord.from_dict(known["episode"])
            return cls(**known)
        except (TypeError, KeyError, ValueError) as error:
            msg = f"not a record of a run: {error}"
            raise InvalidArgument(msg) from error

    @classmethod
    def from_json(cls, line: str) -> RunRecord:
        """The record that ``to_json`` wrote.

        Raises:
            InvalidArgument: the line is not such a record.
        """
        try:
            fields = json.loads(line)
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


def replay(record: RunRecord) -> Replay:
    """Execute the actions of a record in a fresh env and compare every state.

    Raises:
        InvalidArgument: the record names a world that does not exist, or its recipe is wrong.
    """
    world = world_of(record.episode.env_id)
    env: AnyEnv = gym.make(world.id, **record.recipe["make"])
    try:
        game = text_game(env)
        env.reset(options=dict(record.recipe["reset"]))
        if game.snapshot() != record.initial_state:
            return Replay(0, _difference("the start", record.initial_state, game.snapshot()))
        return _replay_steps(env, game, record)
    finally:
        env.close()


def _replay_steps(env: AnyEnv, game: TextGame, record: RunRecord) -> Replay:
    terminated = truncated = succeeded = False
    for number, (action, step) in enumerate(zip(record.episode.actions, record.steps, strict=True), 1):
        if terminated or truncated:
            return Replay(number, f"step {number}: the episode had already ended")
        *_, terminated, truncated, info = env.step(action)
        succeeded = bool(info.get("is_success", False))  # a world can also end in defeat
        if game.snapshot() != step["state"]:
            return Replay(number, _difference(f"step {number}", step["state"], game.snapshot()))
        if info.get("event") != step["event"]:
            return Replay(number, f"step {number}: recorded event {step['event']}, now {info.get('event')}")
    if record.final_state != game.snapshot():
        return Replay(len(record.steps), _difference("the end", record.final_state, game.snapshot()))
    if bool(record.episode.success) != succeeded:
        return Replay(len(record.steps) + 1, f"recorded success {record.episode.success}, now {succeeded}")
    return Replay(len(record.steps) + 1, "")


def _difference(where: str, recorded: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in {**recorded, **now} if recorded.get(name) != now.get(name)]
    parts = [f"{name} was {recorded.get(name)!r}, is {now.get(name)!r}" for name in names]
    return f"{where}: {'; '.join(parts)}"


def _position(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    return {name: snapshot[name] for name in _POSITION if name in snapshot}


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
