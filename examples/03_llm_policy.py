"""A language model plays a maze: a scripted one by default, any other by flag.

python examples/03_llm_policy.py --model openai:MODEL       (OPENAI_API_KEY, OPENAI_BASE_URL)
python examples/03_llm_policy.py --model local:smollm2      (in this process, offline)
"""

import argparse

import gymnasium as gym

from maze_gym import Message, build_runner
from mazegen.rendering import picture

MAZE = picture.parse("""
    #######
    #S.r.R#
    #####.#
    #*....#
    #######
""")
REPLIES = iter(
    ["SUB_GOAL: take the red key\nACTIONS: TURN_RIGHT, MOVE_FORWARD, MOVE_FORWARD, PICKUP",
     "SUB_GOAL: go through the red door\nACTIONS: MOVE_FORWARD, MOVE_FORWARD, TURN_RIGHT, MOVE_FORWARD",
     "I think the goal is in the west now.",  # no answer in it: asked again, never guessed at
     "SUB_GOAL: reach the goal\nACTIONS: MOVE_FORWARD, TURN_RIGHT" + ", MOVE_FORWARD" * 4]
)  # fmt: skip


def scripted(messages: tuple[Message, ...]) -> str:
    """Any function from messages to text is a model; this one knows its lines by heart."""
    del messages
    return next(REPLIES)


def main() -> None:
    """Play one episode and show what was said and done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="openai:MODEL, hf:MODEL, local:smollm2, ...; scripted without it")
    options = parser.parse_args()

    env = gym.make("MazeNLU-v0", maze=MAZE, max_steps=40)
    runner = build_runner({"prompting": "standard", "querying": "subgoal"}, env, options.model or scripted)
    record = runner.run(seed=0)
    for query in record.queries:
        print(f"> {query['reply']!r}")
    print(" ".join(step["action"] for step in record.steps))
    said, end = record.totals, record.episode
    print(f"{end.end_reason}: {end.steps} steps, the optimum is {end.optimal_actions}")
    print(f"{said['queries']} queries, {said['parse_failures']} of the replies without a readable answer")


if __name__ == "__main__":
    main()
