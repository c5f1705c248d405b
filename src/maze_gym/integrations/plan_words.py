"""What the solver would do, put into words: reasoning that leads from a state to the next action."""

from __future__ import annotations

import copy
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import gymnasium as gym

from maze_gym.errors import InvalidArgument
from maze_gym.game import text_game
from maze_gym.llm.prompts import at_turn, grammar_for
from maze_gym.policies.base import world_behind
from maze_gym.registration import world_of

if TYPE_CHECKING:
    from maze_gym.evaluation.transcript import Transcript
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.llm.parsing import Grammar
    from maze_gym.policies.base import AnyEnv

PARTS_TOLD = 6  # of a plan, each the same action some times over; the rest is counted


class Move(NamedTuple):
    """One action of a plan, and what the world says comes of it."""

    action: int
    result: str


def plan_from_here(env: AnyEnv, longest: int | None = None) -> list[Move]:
    """The solver's plan from the current state, found on a copy; empty where there is none.

    Args:
        env: a world of this suite.
        longest: no more moves than these are wanted; a single one is not tried out, so it has no result.

    Raises:
        InvalidArgument: the env is not a world of this suite.
    """
    action = world_behind(env).optimal_action()
    if action is None or longest == 1:
        return [] if action is None else [Move(action, "")]
    ahead = copy.deepcopy(env.unwrapped)
    world = world_behind(ahead)
    plan: list[Move] = []
    info: dict[str, object] = {}
    while action is not None and len(plan) != longest:
        *_, terminated, truncated, info = ahead.step(action)
        plan.append(Move(action, str(info.get("message", ""))))
        action = None if terminated or truncated else world.optimal_action()
    is_whole = action is None
    return plan if info.get("is_success") or not is_whole else []


class Plans(NamedTuple):
    """The solver beside an episode.

    Attributes:
        names: the words for the actions.
        plans: before each action; empty where there is no way to win.
        grammars: in which an answer is spoken at each of these moments.
        is_shortest: whether no plan is shorter, and that is known.
    """

    names: tuple[str, ...]
    plans: list[list[Move]]
    grammars: list[Grammar]
    is_shortest: bool


def plans_along(record: Transcript, config: ExperimentConfig, longest: int | None = None) -> Plans:
    """What the solver would have done at each step of an episode, and how it would say so.

    A plan is searched anew only where the episode left it.

    Args:
        record: the episode.
        config: how it was put into words.
        longest: no more moves of a plan than these are wanted.

    Raises:
        InvalidArgument: the record names a world that does not exist.
    """
    env: AnyEnv = gym.make(
        world_of(record.episode.env_id).id, disable_env_checker=True, **record.recipe["make"]
    )
    try:
        env.reset(options=dict(record.recipe["reset"]))
        game = text_game(env)
        spoken = grammar_for(config, game)
        plan: list[Move] = []
        plans: list[list[Move]] = []
        grammars: list[Grammar] = []
        for action in record.episode.actions:
            if longest is not None or not plan:
                plan = plan_from_here(env, longest)
            plans.append(plan)
            grammars.append(at_turn(config, spoken, game.describe(config.wording)))
            plan = plan[1:] if plan and plan[0].action == action else []
            env.step(action)
        return Plans(game.action_names, plans, grammars, record.episode.optimal_actions is not None)
    finally:
        env.close()


def in_words(plan: list[Move], names: tuple[str, ...], *, is_shortest: bool) -> str:
    """A plan as one would think it aloud; it names no answer in any reply format.

    Args:
        plan: at least one move.
        names: the words for the actions.
        is_shortest: whether no plan is shorter, and that is known.

    Raises:
        InvalidArgument: the plan is empty.
    """
    if not plan:
        msg = "there is no plan to put into words"
        raise InvalidArgument(msg)
    parts = [list(same) for _, same in groupby(plan, key=lambda move: move.action)]
    told = [_part(names[part[0].action], part) for part in parts[:PARTS_TOLD]]
    left = sum(map(len, parts[PARTS_TOLD:]))
    kind = "A shortest plan from here" if is_shortest else "A plan from here that wins"
    rest = f"\n- and {_counted(left)} more." if left else ""
    steps = "\n".join(f"- {line}" for line in told)
    return (
        f"{kind} takes {_counted(len(plan))}:\n{steps}{rest}\nSo the next action is {names[plan[0].action]}."
    )


def _part(name: str, moves: list[Move]) -> str:
    times = f", {len(moves)} times" if len(moves) > 1 else ""
    results = [result for result, _ in groupby(move.result for move in moves) if result]
    return f"{name}{times}. {results[-1]}" if results else f"{name}{times}."


def _counted(actions: int) -> str:
    return f"{actions} action{'s' if actions != 1 else ''}"
