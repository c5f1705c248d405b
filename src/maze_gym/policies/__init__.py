"""Policies: random, greedy, oracle, language models; all of them act through the one episode loop."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.llm.backends import check_chat_name
from maze_gym.policies.base import Policy, world_behind
from maze_gym.policies.chats import CHAT_POLICIES, is_chat_name, make_chat_policy, oracle_chat, random_chat
from maze_gym.policies.greedy import GreedyPolicy
from maze_gym.policies.oracle import OraclePolicy
from maze_gym.policies.random import RandomPolicy
from maze_gym.policies.sb3 import SHIPPED, TrainedPolicy, check_trained_name, is_trained_name, trained_policy
from maze_gym.policies.search import SearchPolicy

if TYPE_CHECKING:
    from collections.abc import Callable

    from maze_gym.llm.backends.server import Service
    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.policies.base import AnyEnv

__all__ = [
    "POLICIES",
    "GreedyPolicy",
    "OraclePolicy",
    "Policy",
    "RandomPolicy",
    "SearchPolicy",
    "TrainedPolicy",
    "make_policy",
    "world_behind",
]

POLICIES: dict[str, Callable[[AnyEnv, int | None], Policy]] = {
    "random": RandomPolicy,
    "greedy": GreedyPolicy,
    "search": SearchPolicy,
    "oracle": OraclePolicy,
    "random-chat": random_chat,
    "oracle-chat": oracle_chat,
}


def make_policy(
    name: str,
    env: AnyEnv,
    seed: int | None = None,
    *,
    config: ExperimentConfig | None = None,
    service: Service | None = None,
) -> Policy:
    """Make a policy by its name.

    Args:
        name: one of ``POLICIES``; a trained policy: ``ppo``, ``sb3:DIR``; or a model: ``openai:MODEL``,
            ``scripted:FILE``, and so on.
        env: the env it will play.
        seed: fixes its randomness; None takes fresh entropy.
        config: what a language model is told; other policies need none.
        service: how the server of a language model is used.

    Raises:
        InvalidArgument: there is no such policy; a close name is suggested.
    """
    check_policy_name(name)
    if is_trained_name(name):
        return trained_policy(name, env, seed)
    if name in CHAT_POLICIES or is_chat_name(name):
        return make_chat_policy(name, env, seed, config, service)
    return POLICIES[name](env, seed)


def check_policy_name(name: str) -> None:
    """Raise ``InvalidArgument`` unless a policy has this name."""
    if is_trained_name(name):
        check_trained_name(name)
    elif is_chat_name(name):
        check_chat_name(name)
    elif name not in POLICIES:
        close = difflib.get_close_matches(name, [*POLICIES, *SHIPPED], n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        msg = f"no policy {name!r}; there are: {', '.join([*POLICIES, *SHIPPED])}{hint}"
        raise InvalidArgument(msg)
