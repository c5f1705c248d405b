"""Put a trained run into the package as the policy ``ppo``, and play what its card says.

    python tools/ship_baseline.py RUNS/chain-ks-0

Plays 100 held-out levels of each kind through the one episode loop.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym

import maze_gym  # noqa: F401 - registers the ids
from maze_gym import suites
from maze_gym.evaluation import run_episode, summarise
from maze_gym.evaluation.plan import episode_seed
from maze_gym.policies import make_policy, sb3
from maze_gym.training.levels import HELD_OUT_FROM

if TYPE_CHECKING:
    from maze_gym.evaluation.analysis.metrics import Summary

SHIPPED = Path(sb3.__file__).parent / "shipped" / sb3.SHIPPED["ppo"]
EPISODES = 100
KINDS: dict[str, dict[str, Any]] = {
    "MazeNLU-Navigation-9x9-v0": {},
    "MazeNLU-KeyDoor-9x9-v0": {},
    "MazeNLU-SwitchGate-9x9-v0": {},
    "MazeNLU-KeyDoor-13x13-v0": {},
    "MazeNLU-Chain-13x13-v0": {},
    **{f"MazeNLU-v0, tier {tier}": {"tier": tier} for tier in (1, 2, 3, 4, 5)},
    **{
        f"MazeNLU-v0, chain {c}, 9x9": {"spec": {"topology": "dense_maze", "chain": c, "rows": 9, "cols": 9}}
        for c in ("ks", "sk", "kk", "ss")
    },
}


def score(name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Success on held-out levels of a kind."""
    env: Any = gym.make(name.partition(",")[0], start_level=HELD_OUT_FROM, **kwargs)
    policy = make_policy("ppo", env)
    found = summarise(
        "ppo", [run_episode(env, policy, seed=episode_seed(1, index)) for index in range(EPISODES)]
    )
    return _told(name, found)


def score_suite(name: str) -> dict[str, Any]:
    """Success on a bundled suite, whose levels training has not seen either."""
    env: Any = gym.make("MazeNLU-v0", suite=name)
    policy = make_policy("ppo", env)
    mazes = suites.load(name)
    return _told(
        f"suite {name}",
        summarise("ppo", [run_episode(env, policy, seed=0, options={"maze": maze}) for maze in mazes]),
    )


def _told(name: str, found: Summary) -> dict[str, Any]:
    low, high = found.interval or (0.0, 1.0)
    print(f"{name:>32}: {found.successes}/{found.episodes} ({low:.1%} - {high:.1%})", flush=True)
    return {
        "levels": name,
        "successes": found.successes,
        "episodes": found.episodes,
        "interval": [round(low, 4), round(high, 4)],
        "steps_over_optimal": None
        if found.steps_over_optimal is None
        else round(found.steps_over_optimal, 3),
    }


def main() -> None:
    """Copy, play, write the card."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="folder that maze-gym train wrote")
    run: Path = parser.parse_args().run
    SHIPPED.mkdir(parents=True, exist_ok=True)
    for file in (sb3.WEIGHTS, sb3.DESCRIPTION):
        shutil.copyfile(run / file, SHIPPED / file)
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    last = json.loads((run / "progress.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    scores = [score(name, kwargs) for name, kwargs in KINDS.items()]
    scores += [score_suite(name) for name in ("starter", "core")]
    card = {
        "what": "PPO with a planner network on MazeNLU; plays boards of every size, greedily",
        "training": config | {"steps_taken": last["steps"], "cpu_s": round(last["cpu_s"])},
        "scores": scores,
        "limits": (
            "The search over the board is built into the network; what is worth reaching, what bars the "
            "way and when to pick up and toggle was learned, with rewards shaped by exact search. Success "
            "is within each level's own step limit. It has no memory."
        ),
    }
    (SHIPPED / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
