"""What went wrong in an episode, found by playing its actions once more beside the search oracle."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, assert_never, runtime_checkable

import gymnasium as gym
from gymnasium.error import InvalidAction, ResetNeeded

from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument, SearchLimitExceeded
from maze_gym.game import EpisodeSpec, Measured, Prompting, TextGame, Wording, World
from maze_gym.registration import world_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.policies.base import AnyEnv

LOOP_VISITS = 3  # a place entered so often with nothing changed is a loop; no shortest plan enters one twice
BUMPING_SHARE = 0.5  # of the actions, without effect: the episode was lost to them
BLOCKED_EVENTS = frozenset({"BLOCKED", "BUMPED"})
WRONG_DONE_EVENT = "WRONG_DONE"
ENVS_KEPT = 64  # levels kept ready; a run visits its levels in turn
_SHORTEST = Wording(Prompting.MINIMAL, pictured=True)


class FailureClass(StrEnum):
    """What an episode was lost to; the first that applies, in this order."""

    NONE = "solved"
    UNSCORED = (
        "unscored"  # no failure of the player: the provider failed, a person or a search's limit stopped it
    )
    UNPARSABLE = "unparsable"  # no reply could be used
    DEAD_END = "dead end"  # a step after which no plan leads to the goal
    LOST = "lost"  # the world ended the episode
    BUMPING = "bumping"  # half of the actions or more had no effect
    LOOPING = "looping"  # a place entered again and again with nothing changed
    PLAN_RAN_OUT = "plan ran out"  # the plan given in advance was too short
    WRONG_DONE = "wrong DONE"  # said DONE away from the goal
    STALLED = "stalled"  # nothing new, or nothing but failures, for as long as the run allowed
    OUT_OF_STEPS = "out of steps"  # none of these: the step limit was reached


class Step(NamedTuple):
    """One action, and what the oracle says of it.

    Attributes:
        action: its number.
        event: what the world says came of it.
        message: the same as a sentence.
        failed: it left everything as it was.
        best: an action that begins a shortest plan from before it; None where none is known.
        remaining: actions of a shortest plan from after it; None where there is none or none is known.
        regret: actions by which it made a shortest plan longer, 0 for an optimal one; None if it left no plan
            or none is known.
    """

    action: int
    event: str
    message: str
    failed: bool
    best: int | None
    remaining: int | None
    regret: int | None


class Diagnosis(NamedTuple):
    """An episode, step by step and altogether. Steps are counted from 1.

    Attributes:
        steps: the actions.
        measured: whether the world knows its shortest plans; without them the next four are None.
        optimal: actions of a shortest plan from the start.
        nearest: fewest remaining actions at any moment of the episode, the start included.
        first_mistake: the first action that was not optimal.
        dead_at: the action after which no plan was left: the point of no return.
        moves: changes of cell.
        fewest_moves: the fewest of any plan; None if not known.
        blocked: actions that something stood in the way of.
        failed: actions that left everything as it was, the blocked ones included.
        wrong_dones: times that DONE was said away from the goal.
        most_visits: how often one place was entered with nothing changed, at most.
        failure: what the episode was lost to.
        mismatch: why the record is not what the world does today; empty if it is. What comes after the
            mismatch is not judged.
    """

    steps: tuple[Step, ...]
    measured: bool
    optimal: int | None
    nearest: int | None
    first_mistake: int | None
    dead_at: int | None
    moves: int
    fewest_moves: int | None
    blocked: int
    failed: int
    wrong_dones: int
    most_visits: int
    failure: FailureClass
    mismatch: str = ""

    @property
    def progress(self) -> float | None:
        """Share of the shortest way that was covered at best: 1 - nearest / optimal."""
        if self.nearest is None or not self.optimal:
            return None
        return 1 - self.nearest / self.optimal

    @property
    def regret(self) -> int:
        """Actions wasted while there was a plan."""
        return sum(step.regret or 0 for step in self.steps)


@runtime_checkable
class GameWorld(World, TextGame, Protocol):
    """What a replay needs of a world."""

    def reset(self, *, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        ...

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Advance by one action."""
        ...


class Reviewer:
    """Plays episodes again; a level that was made ready is kept for the next episode on it.

    Args:
        measure: ask the oracle; without it a review is faster and knows no optimal action.
    """

    def __init__(self, *, measure: bool = True) -> None:
        """Nothing is made yet."""
        self._measure = measure
        self._envs: OrderedDict[str, AnyEnv] = OrderedDict()
        self._action_names: dict[str, tuple[str, ...]] = {}

    def review(
        self,
        record: EpisodeRecord,
        recipe: EpisodeSpec,
        on_state: Callable[[GameWorld], None] | None = None,
    ) -> Diagnosis:
        """Play the actions of a record and diagnose them.

        Args:
            record: the episode.
            recipe: what brings its first state back.
            on_state: called with the world at the start and after each step.

        Raises:
            InvalidArgument: the record names no world of this suite.
        """
        env = self._env(record.env_id, recipe)
        world = env.unwrapped
        if not isinstance(world, GameWorld):
            msg = f"{record.env_id} cannot be replayed: it lacks the methods of maze_gym.game"
            raise InvalidArgument(msg)
        self._action_names[world_of(record.env_id).id] = world.action_names
        # The world itself is played, without Gymnasium's checks around it: they cost more than the step.
        world.reset(options=dict(recipe.reset))
        oracle = _Oracle(world, wanted=self._measure)
        watch = _Watch(world)
        if on_state is not None:
            on_state(world)
        steps: list[Step] = []
        mismatch = ""
        for number, action in enumerate(record.actions, 1):
            best = oracle.best()
            try:
                *_, info = world.step(action)
            except (ResetNeeded, InvalidAction) as error:
                mismatch = f"step {number}: {error}"
                break
            event = str(info.get("event", ""))
            if number <= len(record.events) and event != record.events[number - 1]:
                mismatch = f"step {number}: recorded event {record.events[number - 1]!r}, now {event!r}"
                break
            failed = world.describe(_SHORTEST).failed
            watch.follow(event)
            remaining, regret = oracle.judge(number)
            message = str(info.get("message", ""))
            steps.append(Step(action, event, message, failed, best, remaining, regret))
            if on_state is not None:
                on_state(world)
        return _diagnosis(record, steps, oracle, watch, mismatch)

    def action_names(self, env_id: str) -> tuple[str, ...]:
        """Words for the actions of a world of which a level was reviewed; empty before that."""
        return self._action_names.get(world_of(env_id).id, ())

    def close(self) -> None:
        """Close every env; safe to call again."""
        while self._envs:
            self._envs.popitem()[1].close()

    def _env(self, env_id: str, recipe: EpisodeSpec) -> AnyEnv:
        world = world_of(env_id)
        key = json.dumps([world.id, recipe.make], sort_keys=True)
        env = self._envs.pop(key, None)
        if env is None:
            env = gym.make(world.id, disable_env_checker=True, **recipe.make)
        self._envs[key] = env
        while len(self._envs) > ENVS_KEPT:
            self._envs.popitem(last=False)[1].close()
        return env


class _Oracle:
    """Remaining optimal actions along an episode; silent where the world does not know them."""

    def __init__(self, world: GameWorld, *, wanted: bool) -> None:
        self._world = world
        self._measures = world if wanted and isinstance(world, Measured) else None
        self.optimal: int | None = None
        self.fewest_moves: int | None = None
        self.first_mistake: int | None = None
        self.dead_at: int | None = None
        if self._measures is not None:
            try:
                self.optimal = self._measures.remaining_actions()
                self.fewest_moves = self._measures.fewest_moves()
            except SearchLimitExceeded:
                self._measures = None
        self.nearest = self._before = self.optimal

    @property
    def measured(self) -> bool:
        return self._measures is not None

    def best(self) -> int | None:
        if not self._before:
            return None  # unknown, dead, or at the goal
        try:
            best = self._world.optimal_action()
        except SearchLimitExceeded:
            return None
        return None if best is None else int(best)

    def judge(self, number: int) -> tuple[int | None, int | None]:
        """Remaining actions and regret of the step that has just been taken."""
        before = self._before
        if self._measures is None or before is None:
            return None, None
        try:
            after = self._before = self._measures.remaining_actions()
        except SearchLimitExceeded:
            self._measures = self._before = None
            return None, None
        regret = None if after is None else after + 1 - before
        if after is None:
            self.dead_at = number
        else:
            self.nearest = min(after, before if self.nearest is None else self.nearest)
        if regret != 0 and self.first_mistake is None:
            self.first_mistake = number
        return after, regret


class _Watch:
    """Counts moves, visits and events."""

    def __init__(self, world: GameWorld) -> None:
        self._world = world
        self._cell = self._position()
        self._here: Hashable = world.progress_signature()
        self._visits: Counter[Hashable] = Counter({self._here: 1})
        self.moves = self.blocked = self.wrong_dones = 0

    @property
    def most_visits(self) -> int:
        return max(self._visits.values())

    def follow(self, event: str) -> None:
        """Once after each step."""
        cell, here = self._position(), self._world.progress_signature()
        self.moves += cell != self._cell
        if here != self._here:
            self._visits[here] += 1
        self._cell, self._here = cell, here
        self.blocked += is_blocked(event)
        self.wrong_dones += event == WRONG_DONE_EVENT

    def _position(self) -> tuple[Any, Any]:
        snapshot = self._world.snapshot()
        return snapshot.get("row"), snapshot.get("col")


def is_blocked(event: str) -> bool:
    """Whether something stood in the way, by the event of a step."""
    return event in BLOCKED_EVENTS


def _diagnosis(
    record: EpisodeRecord, steps: list[Step], oracle: _Oracle, watch: _Watch, mismatch: str
) -> Diagnosis:
    failed = sum(step.failed for step in steps)
    return Diagnosis(
        steps=tuple(steps),
        measured=oracle.measured,
        optimal=oracle.optimal,
        nearest=oracle.nearest,
        first_mistake=oracle.first_mistake,
        dead_at=oracle.dead_at,
        moves=watch.moves,
        fewest_moves=oracle.fewest_moves,
        blocked=watch.blocked,
        failed=failed,
        wrong_dones=watch.wrong_dones,
        most_visits=watch.most_visits,
        failure=classify(record, dead_at=oracle.dead_at, failed=failed, most_visits=watch.most_visits),
        mismatch=mismatch,
    )


def classify(
    record: EpisodeRecord, *, dead_at: int | None = None, failed: int | None = None, most_visits: int = 0
) -> FailureClass:
    """What an episode was lost to, by its record and what is known besides.

    Args:
        record: the episode.
        dead_at: the step that left no plan, if there was one.
        failed: actions without effect; by default those that the events name.
        most_visits: how often one place was entered with nothing changed.
    """
    by_its_end = _by_its_end(record.end_reason)
    if by_its_end in _SAYS_ALL:
        return by_its_end
    if dead_at is not None:
        return FailureClass.DEAD_END
    if by_its_end == FailureClass.LOST:
        return by_its_end
    if failed is None:
        failed = sum(is_blocked(event) for event in record.events)
    if record.steps > 0 and failed >= BUMPING_SHARE * record.steps:
        return FailureClass.BUMPING
    if most_visits >= LOOP_VISITS:
        return FailureClass.LOOPING
    if by_its_end != FailureClass.PLAN_RAN_OUT and WRONG_DONE_EVENT in record.events:
        return FailureClass.WRONG_DONE
    return by_its_end


_SAYS_ALL = frozenset({FailureClass.NONE, FailureClass.UNSCORED, FailureClass.UNPARSABLE})


def _by_its_end(reason: EndReason) -> FailureClass:
    """What the end of an episode alone says; a new end reason has to find its place here."""
    match reason:
        case EndReason.SUCCESS:
            return FailureClass.NONE
        case EndReason.PROVIDER_ERROR | EndReason.ABORTED:
            return FailureClass.UNSCORED
        case EndReason.PARSE_FAILED:
            return FailureClass.UNPARSABLE
        case EndReason.FAILED:
            return FailureClass.LOST
        case EndReason.PLAN_EXHAUSTED:
            return FailureClass.PLAN_RAN_OUT
        case EndReason.STALLED:
            return FailureClass.STALLED
        case EndReason.TIMEOUT:
            return FailureClass.OUT_OF_STEPS
        case _:
            assert_never(reason)
