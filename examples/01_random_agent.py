"""A random agent in any world of the suite.

python examples/01_random_agent.py --env PacmanArray-v0 --episodes 5
"""

import argparse

import gymnasium as gym

import maze_gym  # noqa: F401 - registers the worlds


def main() -> None:
    """Play some episodes and say how they ended."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--env", default="MazeNLU-v0", help="a Gymnasium id; `maze-gym list` names them all")
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    env = gym.make(options.env)
    env.action_space.seed(options.seed)
    for episode in range(options.episodes):
        # Only the first reset is seeded: the others draw on, so each episode is another one.
        _, info = env.reset(seed=options.seed if episode == 0 else None)
        over, total, steps = False, 0.0, 0
        while not over:
            action = env.action_space.sample(info["action_mask"])  # only actions that change something
            _, reward, terminated, truncated, info = env.step(action)
            over, total, steps = terminated or truncated, total + float(reward), steps + 1
        verdict = "solved" if info["is_success"] else "not solved"
        print(f"{info['level_id']}: {verdict}, {steps} steps, reward {total:.2f}")
    env.close()


if __name__ == "__main__":
    main()
