"""The runs behind docs/reinforcement-learning.md: trains them, prints the tables, draws the plots.

    python tools/learning_curves.py --out RUNS                  # all; finished runs are kept
    python tools/learning_curves.py --out RUNS --only key-door  # runs whose names begin so
    python tools/learning_curves.py --out RUNS --draw           # tables and plots of what is there

Needs the extras ``rl`` and ``plot``. Times are of one torch thread.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from maze_gym.evaluation.analysis.metrics import wilson_interval
from maze_gym.training.config import Algorithm, TrainConfig
from maze_gym.training.levels import held_out_seeds, test_envs
from maze_gym.training.run import CONFIG, PROGRESS, Progress, train

IMAGES = Path(__file__).parents[1] / "docs" / "images"
TARGET = 0.95
NAVIGATION, KEY_DOOR = "MazeNLU-Navigation-9x9-v0", "MazeNLU-KeyDoor-9x9-v0"
SEEDS = (0, 1, 2)
CHAINS = ("ks", "kk")
LEVELS = (1, 10, 100, 1_000, None)
GAP_STEPS = {"planner": 131_072, "view": 1_048_576}
TEST = 400  # held-out levels; the half-width of an interval is then at most 5 points
VIEW = {"looks": 2, "width": 128}
SPARSE_TEST = 200
WALKS = 1_000
ALGORITHMS: tuple[Algorithm, ...] = ("maskable-ppo", "ppo")


class Trial(NamedTuple):
    """A world and a network, trained with and without masks, and with and without shaped rewards.

    Attributes:
        env_id: of the world.
        what: the network, and what else is not as ``TrainConfig`` has it, in words.
        steps: of each run.
        settings: fields of ``TrainConfig``.
        seeds: of each kind, "ALGORITHM-sparse" or "ALGORITHM-shaped", how many are run.
    """

    env_id: str
    what: str
    steps: int
    settings: dict[str, Any]
    seeds: dict[str, int]


SMALL = {"envs": 64, "batch_size": 1024, "epochs": 10}  # five times the gradient steps
KINDS = {
    f"{algorithm}-{reward}": (algorithm, shaping)
    for algorithm in ALGORITHMS
    for reward, shaping in (("sparse", 0.0), ("shaped", 0.05))
}
MASKED_SPARSE = next(iter(KINDS))
FIVE_SPARSE = {kind: 5 if kind.endswith("sparse") else 3 for kind in KINDS}
ONE_EACH = dict.fromkeys(KINDS, 1)
SPARSE = {
    "navigation-9": Trial(NAVIGATION, "planner", 131_072, {}, FIVE_SPARSE),
    "small-navigation-9": Trial(
        NAVIGATION, "planner, small batches", 131_072, SMALL, {MASKED_SPARSE: 5, "ppo-sparse": 5}
    ),
    "view-navigation-9": Trial(
        NAVIGATION,
        "view",
        262_144,
        {"network": "view", "network_kwargs": VIEW},
        {MASKED_SPARSE: 1, "maskable-ppo-shaped": 1},
    ),
    "navigation-13": Trial(
        "MazeNLU-Navigation-13x13-v0", "planner", 262_144, {}, ONE_EACH | {MASKED_SPARSE: 3}
    ),
    "key-door-9": Trial(KEY_DOOR, "planner", 327_680, {}, ONE_EACH | {MASKED_SPARSE: 3}),
}


def results() -> dict[str, TrainConfig]:
    """The runs of the table of results, by name."""
    runs = {}
    for name, env_id, part in (("navigation", NAVIGATION, 32_768), ("key-door", KEY_DOOR, 81_920)):
        for seed in SEEDS:
            runs[f"{name}-{seed}"] = TrainConfig(
                env_id=env_id, seed=seed, steps=4 * part, eval_every=part, eval_episodes=TEST
            )
    for chain in CHAINS:
        spec = {"topology": "dense_maze", "chain": chain, "rows": 9, "cols": 9}
        runs[f"chain-{chain}-0"] = TrainConfig(
            env_kwargs={"spec": spec},
            network_kwargs={"channels": 16},
            steps=655_360,
            eval_every=131_072,
            eval_episodes=TEST,
        )
    return runs


def gap() -> dict[str, TrainConfig]:
    """The runs of the generalisation gap, by name."""
    return {
        f"gap-{network}-{levels or 'unlimited'}": TrainConfig(
            env_id=NAVIGATION,
            num_levels=levels,
            network=network,
            network_kwargs=VIEW if network == "view" else {},
            steps=steps,
            eval_every=steps,
            eval_episodes=TEST,
        )
        for network, steps in GAP_STEPS.items()
        for levels in LEVELS
    }


def sparse() -> dict[str, TrainConfig]:
    """The runs that try masks and shaped rewards, by name."""
    runs = {}
    for name, trial in SPARSE.items():
        for kind, seeds in trial.seeds.items():
            algorithm, shaping = KINDS[kind]
            for seed in range(seeds):
                runs[f"sparse-{name}-{kind}-{seed}"] = TrainConfig(
                    env_id=trial.env_id,
                    seed=seed,
                    algorithm=algorithm,
                    shaping=shaping,
                    steps=trial.steps,
                    eval_every=trial.steps,
                    eval_episodes=SPARSE_TEST,
                    **trial.settings,
                )
    return runs


def play(name: str, config: TrainConfig, out: Path) -> None:
    """Train a run unless it is finished."""
    lines = progress(out / name)
    if lines and lines[-1]["steps"] >= config.steps:
        return

    def show(now: Progress) -> None:
        print(
            f"{name:>20} {now.steps:>9,} steps {now.cpu_s:6.1f} s CPU {now.wall_s:6.1f} s wall  "
            f"greedy {now.greedy.rate:.3f}  sampled {now.sampled.rate:.3f}",
            flush=True,
        )

    resume = (out / name / CONFIG).exists()  # also one that was stopped before its first test
    train(config, out / name, resume=resume, on_progress=show)


def progress(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run, none where there is no run yet."""
    path = folder / PROGRESS
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


def result_table(out: Path) -> list[str]:
    """Markdown: for each run its end, and when it first reached the target greedily."""
    table = [
        "| run | steps | CPU s | held-out, greedy | 95 % interval | held-out, sampled | 95 % greedy after |",
        "|---|---|---|---|---|---|---|",
    ]
    pooled: dict[str, list[int]] = {}
    for name in results():
        lines = progress(out / name)
        if not lines:
            continue
        last = lines[-1]
        greedy, sampled = last["greedy"], last["sampled"]
        first = next((line for line in lines if line["greedy"]["rate"] >= TARGET), None)
        when = "not" if first is None else f"{first['steps']:,} steps, {first['cpu_s']:.0f} s CPU"
        low, high = greedy["interval"]
        table.append(
            f"| {name} | {last['steps']:,} | {last['cpu_s']:.0f} | "
            f"{greedy['successes']}/{greedy['episodes']} | "
            f"{low:.1%} - {high:.1%} | {sampled['successes']}/{sampled['episodes']} | {when} |"
        )
        counts = pooled.setdefault(name.rpartition("-")[0], [0, 0])
        counts[0] += greedy["successes"]
        counts[1] += greedy["episodes"]
    for name, (successes, episodes) in pooled.items():
        low, high = wilson_interval(successes, episodes) or (0.0, 1.0)
        table.append(f"| **{name}, all seeds** | | | {successes}/{episodes} | {low:.1%} - {high:.1%} | | |")
    return table


def gap_table(out: Path) -> list[str]:
    """Markdown: success in training and on held-out levels, by network and number of training levels."""
    table = [
        "| network | training levels | training | held-out, greedy | held-out, sampled | CPU s |",
        "|---|---|---|---|---|---|",
    ]
    for name, config in gap().items():
        lines = progress(out / name)
        if lines and lines[-1]["steps"]:
            last = lines[-1]
            table.append(
                f"| {config.network} | {config.num_levels or 'unlimited'} | "
                f"{last['training_success'] or 0:.0%} | "
                f"{last['greedy']['rate']:.1%} | {last['sampled']['rate']:.1%} | {last['cpu_s']:.0f} |"
            )
    return table


def sparse_table(out: Path) -> list[str]:
    """Markdown: a line for each kind of run, how many of its seeds reached the target, and its interval."""
    table = [
        "| world | network | algorithm | reward | steps | learned | 95 % | greedy % | sampled % | CPU s |",
        f"|{'---|' * 10}",
    ]
    for name, trial in SPARSE.items():
        world = trial.env_id.removeprefix("MazeNLU-").removesuffix("-v0")
        for kind, seeds in trial.seeds.items():
            found = [progress(out / f"sparse-{name}-{kind}-{seed}") for seed in range(seeds)]
            ends = [lines[-1] for lines in found if lines and lines[-1]["steps"]]
            if ends:
                algorithm, _, reward = kind.rpartition("-")
                row = (world, trial.what, algorithm, reward, f"{trial.steps:,}", *_by_seed(ends))
                table.append(f"| {' | '.join(row)} |")
    return table


def _by_seed(ends: list[dict[str, Any]]) -> tuple[str, ...]:
    """The last columns of ``sparse_table``."""
    greedy, sampled = ([end[how]["rate"] for end in ends] for how in ("greedy", "sampled"))
    reached = sum(rate >= TARGET for rate in greedy)  # seeds differ far more than levels do
    low, high = wilson_interval(reached, len(ends)) or (0.0, 1.0)
    seconds = sum(end["cpu_s"] for end in ends) / len(ends)
    rates = (", ".join(f"{100 * rate:.0f}" for rate in each) for each in (greedy, sampled))
    return f"{reached}/{len(ends)}", f"{low:.0%} - {high:.0%}", *rates, f"{seconds:.0f}"


def random_table() -> list[str]:
    """Markdown: how many of a thousand held-out levels a random walk reaches the goal of."""
    table = ["| world | random actions | those that have an effect |", "|---|---|---|"]
    for env_id in dict.fromkeys(trial.env_id for trial in SPARSE.values()):
        config = TrainConfig(env_id=env_id, eval_episodes=WALKS)
        found = (random_walk(config, masked=masked) for masked in (False, True))
        table.append(f"| {env_id} | {' | '.join(f'{won}/{WALKS}' for won in found)} |")
    return table


def random_walk(config: TrainConfig, *, masked: bool) -> int:
    """In how many of the held-out levels random actions reach the goal before the step limit."""
    envs, generator = test_envs(config), np.random.default_rng(0)
    _, infos = envs.reset(seed=held_out_seeds(config))  # type: ignore[arg-type]  # vector envs take lists
    playing, won = np.ones(config.eval_episodes, np.bool_), 0
    while playing.any():
        drawn = generator.random(infos["action_mask"].shape)
        allowed = infos["action_mask"] if masked else np.ones_like(drawn)
        _, _, terminated, truncated, infos = envs.step((drawn * allowed).argmax(axis=1))
        won += int((playing & terminated).sum())
        playing &= ~(terminated | truncated)
    envs.close()
    return won


def draw_results(out: Path, image: Path) -> None:
    """Held-out success over steps, a line a run with its intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, names in zip(axes, (("navigation", "key-door"), ("chain-ks", "chain-kk")), strict=True):
        for color, name in enumerate(names):
            for run in (each for each in results() if each.rpartition("-")[0] == name):
                lines = progress(out / run)
                steps = [line["steps"] / 1000 for line in lines]
                rates = [line["greedy"]["rate"] for line in lines]
                bands = np.array([line["greedy"]["interval"] for line in lines]).reshape(-1, 2)
                axis.plot(steps, rates, color=f"C{color}", label=name if run.endswith("-0") else None)
                axis.fill_between(steps, bands[:, 0], bands[:, 1], color=f"C{color}", alpha=0.15, linewidth=0)
        axis.axhline(TARGET, color="grey", linewidth=0.8, linestyle=":")
        axis.set(xlabel="thousands of env steps", ylim=(0, 1.02))
        axis.legend(loc="lower right")
    axes[0].set(ylabel="success on held-out levels, greedy")
    figure.savefig(image, dpi=110)


def draw_gap(out: Path, image: Path) -> None:
    """Success on training and on held-out levels over the number of training levels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    axes = figure.subplots(1, len(GAP_STEPS), sharey=True)
    axes[0].set(ylabel="success")
    for axis, network in zip(axes, GAP_STEPS, strict=True):
        runs = {name: config for name, config in gap().items() if config.network == network}
        found = [
            (config.num_levels, progress(out / name)[-1])
            for name, config in runs.items()
            if progress(out / name)
        ]
        axis.set(title=f"{network}, {GAP_STEPS[network]:,} steps", xlabel="training levels", ylim=(0, 1.02))
        if not found:
            axis.text(0.5, 0.5, "not trained yet", ha="center", transform=axis.transAxes)
            continue
        places = range(len(found))
        bands = np.array([line["greedy"]["interval"] for _, line in found]).reshape(-1, 2)
        rates = np.array([line["greedy"]["rate"] for _, line in found])
        axis.plot(
            places,
            [line["training_success"] or 0 for _, line in found],
            "o--",
            label="training, last 100 episodes",
        )
        axis.errorbar(
            places, rates, np.abs(bands - rates[:, None]).T, fmt="o-", capsize=3, label="held-out, greedy"
        )
        axis.plot(places, [line["sampled"]["rate"] for _, line in found], "s:", label="held-out, sampled")
        axis.set_xticks(list(places), [f"{levels:,}" if levels else "unlimited" for levels, _ in found])
        axis.legend(loc="lower right", fontsize="small")
    figure.savefig(image, dpi=110)


def main() -> None:
    """Train what is missing, then report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs")
    parser.add_argument("--only", default="", help="train the runs alone whose names begin so")
    parser.add_argument("--draw", action="store_true", help="train nothing")
    parser.add_argument("--images", type=Path, default=IMAGES, help="where the plots go")
    arguments = parser.parse_args()
    if not arguments.draw:
        for name, config in (sparse() | results() | gap()).items():
            if name.startswith(arguments.only):
                play(name, config, arguments.out)
    for lines in (sparse_table(arguments.out), random_table()):
        sys.stdout.write("\n".join(lines) + "\n\n")
    for group, table, draw in (("results", result_table, draw_results), ("gap", gap_table, draw_gap)):
        sys.stdout.write("\n".join(table(arguments.out)) + "\n\n")
        draw(arguments.out, arguments.images / f"learning-{group}.png")


if __name__ == "__main__":
    main()
