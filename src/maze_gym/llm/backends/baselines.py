"""Chats without a model: optimal actions, random ones, and a mixture. They bound what a model can do."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any, assert_never, cast

import numpy as np

from maze_gym.errors import InvalidArgument
from maze_gym.game import World
from maze_gym.llm import formats, positions
from maze_gym.llm.chat import Reply
from maze_gym.llm.config import Querying
from maze_gym.llm.prompts import at_turn, grammar_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import gymnasium as gym

    from maze_gym.game import Route, TextGame
    from maze_gym.llm.chat import Messages
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.llm.parsing import Grammar

SUBGOAL_ACTIONS = 4  # that the oracle names for one sub-goal
LONGEST_RANDOM_PLAN = 8
NO_WAY = "No sequence of actions leads to the goal any more."


def actions_named(querying: Querying) -> int | None:
    """How many actions the oracle names in one reply; None for all that are left."""
    match querying:
        case Querying.STEP:
            return 1
        case Querying.SUBGOAL:
            return SUBGOAL_ACTIONS
        case Querying.FULL_TRAJECTORY:
            return None
        case _:
            assert_never(querying)


class OracleChat:
    """Speaks the optimal action, sub-goal or plan in the asked format, from wherever the agent stands.

    Args:
        game: a world that also knows its optimal actions.
        config: what it will be asked for.

    Raises:
        InvalidArgument: the world does not know its optimal actions.
    """

    name = "oracle-chat"

    def __init__(self, game: TextGame, config: ExperimentConfig) -> None:
        """Look over the world's shoulder."""
        if not isinstance(game, World):
            msg = (
                f"the oracle needs a world with the methods of maze_gym.game.World, got {type(game).__name__}"
            )
            raise InvalidArgument(msg)
        self.settings: Mapping[str, Any] = {}
        self._game: TextGame = game
        self._world: World = game
        self._config, self._grammar = config, grammar_for(config, game)
        self._length = actions_named(config.querying)

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""

    def __call__(self, messages: Messages) -> Reply:
        """Speak the beginning of a shortest plan; the messages are not read."""
        del messages
        plan = self._plan()
        if not plan:
            return Reply(NO_WAY)
        grammar = _now(self._config, self._grammar, self._game)
        return Reply(formats.speak(plan, grammar, f"the next step is {grammar.action_names[plan[0]]}"))

    def _plan(self) -> list[int]:
        """A shortest plan, or as much of it as is asked for; found on a copy of the world."""
        action = self._world.optimal_action()
        if action is None or self._length == 1:
            return [] if action is None else [action]
        world = copy.deepcopy(self._world)
        env = cast("gym.Env[Any, int]", world)
        plan: list[int] = []
        while action is not None and (self._length is None or len(plan) < self._length):
            plan.append(action)
            *_, terminated, truncated, _ = env.step(action)
            action = None if terminated or truncated else world.optimal_action()
        return plan


class RandomChat:
    """Speaks uniformly random actions in the asked format: the floor for a model that keeps to it.

    Where the actions that have an effect are listed, a reply begins with one of these.

    Args:
        game: the world.
        config: what it will be asked for.
    """

    name = "random-chat"

    def __init__(self, game: TextGame, config: ExperimentConfig) -> None:
        """Draw from fresh entropy until ``reset`` seeds it."""
        self.settings: Mapping[str, Any] = {}
        self._game = game
        self._config, self._grammar = config, grammar_for(config, game)
        self._generator = np.random.default_rng()

    def reset(self, seed: int | None = None) -> None:
        """Seed the generator anew if a seed is given, else go on drawing."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)

    def __call__(self, messages: Messages) -> Reply:
        """Speak; the messages are not read."""
        del messages
        grammar = _now(self._config, self._grammar, self._game)
        count = int(self._generator.integers(1, LONGEST_RANDOM_PLAN + 1)) if grammar.several else 1
        if grammar.route is not None:
            first = [int(self._generator.choice(grammar.legal))] if grammar.legal else []
            return Reply(formats.speak(self._walk(grammar.route, count, first), grammar))
        actions = self._generator.integers(len(grammar.action_names), size=count).tolist()
        if self._config.show_legal_actions and (legal := self._game.describe(self._config.wording).legal):
            actions[0] = int(self._generator.choice(legal))
        return Reply(formats.speak(actions, grammar, "anywhere"))

    def _walk(self, route: Route, count: int, first: Sequence[int] = ()) -> list[int]:
        """Random actions that stay on the board: a position beyond it would be no answer."""
        actions = [*first]
        while len(actions) < count:
            action = int(self._generator.integers(len(route.steps)))
            position = positions.along([*actions, action], route)[-1]
            if route.shape is None or all(
                0 <= at < size for at, size in zip(position, route.shape, strict=True)
            ):
                actions.append(action)
        return actions


class NoisyChat:
    """Speaks like the oracle, but now and then one random action that has an effect.

    So it comes off the best way, and what the solver would answer there teaches to find back.

    Args:
        game: a world that also knows its optimal actions.
        config: what it will be asked for.
        noise: the probability of a random reply, from 0 to 1.

    Raises:
        InvalidArgument: the noise is out of range, or the world does not know its optimal actions.
    """

    def __init__(self, game: TextGame, config: ExperimentConfig, noise: float) -> None:
        """Draw from fresh entropy until ``reset`` seeds it."""
        self.name = f"noisy:{checked_noise(noise):g}"
        self.settings: Mapping[str, Any] = {"noise": noise}
        self._oracle, self._noise = OracleChat(game, config), noise
        self._game, self._config, self._grammar = game, config, grammar_for(config, game)
        self._generator = np.random.default_rng()

    def reset(self, seed: int | None = None) -> None:
        """Seed the generator anew if a seed is given, else go on drawing."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)

    def __call__(self, messages: Messages) -> Reply:
        """Speak; the messages are not read."""
        now = self._game.describe(self._config.wording)
        if self._generator.random() >= self._noise or not now.legal:
            return self._oracle(messages)
        action = int(self._generator.choice(now.legal))
        return Reply(formats.speak([action], at_turn(self._config, self._grammar, now), "anywhere"))


def checked_noise(noise: float | str) -> float:
    """A share of replies, as a number.

    Raises:
        InvalidArgument: it is none from 0 to 1.
    """
    try:
        share = float(noise)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        msg = f"noise must be a share from 0 to 1, as in noisy:0.2, got {noise!r}"
        raise InvalidArgument(msg)
    return share


def _now(config: ExperimentConfig, grammar: Grammar, game: TextGame) -> Grammar:
    """The grammar of this turn; the world is asked for it only where positions are spoken."""
    return grammar if grammar.route is None else at_turn(config, grammar, game.describe(config.wording))
