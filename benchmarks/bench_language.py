"""What a turn of a language model costs without the model: words, messages, picture, parsing, the step.

One episode is played with replies from a list, so that nothing but this package is measured. Rounds of
the modes alternate and each figure is the best round. Run: ``python benchmarks/bench_language.py``.
"""

from __future__ import annotations

import time
from itertools import cycle
from typing import TYPE_CHECKING

import gymnasium as gym

import maze_gym  # noqa: F401 - registers the ids
from maze_gym.game import Prompting
from maze_gym.llm.config import ExperimentConfig, Observe
from maze_gym.llm.parsing import Grammar, parse
from maze_gym.policies.llm import LLMPolicy
from mazegen import codec
from mazegen.rendering import picture

if TYPE_CHECKING:
    from maze_gym.llm.messages import Message

ROUNDS = 6
TURNS = 60  # of a round
GOALS_MS = {Observe.TEXT: 1.0, Observe.TEXT_IMAGE: 5.0, Observe.IMAGE_FIRST: 5.0}

# 16 x 16 with two key-door pairs and one switch-gate pair.
LARGE = picture.parse(
    """
    ################
    #>....#....#...#
    #..r..#....#...#
    #.....#..b.#...#
    #.....R....B...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#...#
    #.....#....#.0.#
    #.....#....#...#
    #.....#....##=##
    #.....#....#...#
    #.....#....#..*#
    ################
    """,
    level_id="16 x 16, two keys, one switch",
)
REPLY = "The way ahead is free, so I go on.\n\nFINAL_OUTPUT: {}"


def turn_ms(config: ExperimentConfig) -> float:
    """Milliseconds of one turn: everything but the model."""
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(LARGE), max_steps=10 * TURNS)
    replies = cycle(
        [REPLY.format(name) for name in ("MOVE_FORWARD", "TURN_RIGHT", "TURN_RIGHT", "TURN_LEFT")]
    )

    def chat(messages: tuple[Message, ...]) -> str:
        del messages
        return next(replies)

    policy = LLMPolicy(chat, config, env=env)
    observation, info = env.reset(seed=0)
    policy.reset(0)
    begin = time.perf_counter()
    for _ in range(TURNS):
        observation, _, _, _, info = env.step(policy.act(observation, info))
    return 1_000 * (time.perf_counter() - begin) / TURNS


def measure_turns() -> None:
    """Print the overhead of a turn in each mode beside its goal."""
    configs = {
        f"{prompting}, {observation}": ExperimentConfig(prompting, observation, "last3")
        for prompting in (Prompting.MINIMAL, Prompting.VERBOSE)
        for observation in Observe
    }
    best = dict.fromkeys(configs, float("inf"))
    for _ in range(ROUNDS):
        for name, config in configs.items():
            best[name] = min(best[name], turn_ms(config))
    print(f"{LARGE.level_id}, pictures of 32 px a cell, last3")
    for name, config in configs.items():
        print(f"{name:28}{best[name]:>9.3f} ms a turn   (goal under {GOALS_MS[config.observation]:.0f} ms)")


def measure_parsing() -> None:
    """Print how fast a short and a very long reply are read."""
    env = gym.make("MazeNLU-v0")
    grammar = Grammar(env.get_wrapper_attr("reply_format"), env.get_wrapper_attr("action_names"))
    for name, reply in (
        ("short reply", REPLY.format("DONE")),
        ("megabyte", "word " * 200_000 + "\n" + REPLY),
    ):
        best = float("inf")
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            parse(reply, grammar)
            best = min(best, time.perf_counter() - begin)
        print(f"{'parsing a ' + name:28}{1_000 * best:>9.3f} ms")


if __name__ == "__main__":
    measure_turns()
    measure_parsing()
