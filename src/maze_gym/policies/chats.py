"""Language models as policies, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.game import text_game
from maze_gym.llm.backends import make_chat
from maze_gym.policies.llm import LLMPolicy
from maze_gym.policies.sb3 import is_trained_name

if TYPE_CHECKING:
    from maze_gym.llm.backends.server import Service
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.policies.base import AnyEnv

# Policies that have the names of search policies speak under names of their own.
CHAT_POLICIES = {"random-chat": "random", "oracle-chat": "oracle"}


def is_chat_name(name: str) -> bool:
    """Whether a name is of the form ``KIND:WHICH``, as models have; trained policies are none."""
    return ":" in name and not is_trained_name(name)


def make_chat_policy(
    name: str,
    env: AnyEnv,
    seed: int | None = None,
    config: ExperimentConfig | None = None,
    service: Service | None = None,
) -> LLMPolicy:
    """The policy of a model.

    Raises:
        InvalidArgument: there is no such model, or the world says nothing in words.
        MissingExtra: it needs a package that is not installed.
    """
    chat = make_chat(CHAT_POLICIES.get(name, name), text_game(env), config, service)
    chat.reset(seed)
    return LLMPolicy(chat, config, env=env, name=name)


def random_chat(env: AnyEnv, seed: int | None = None) -> LLMPolicy:
    """Speaks random actions in the asked format: the floor for a model that keeps to it."""
    return make_chat_policy("random-chat", env, seed)


def oracle_chat(env: AnyEnv, seed: int | None = None) -> LLMPolicy:
    """Speaks optimal actions in the asked format: shows that a prompt can be answered."""
    return make_chat_policy("oracle-chat", env, seed)
