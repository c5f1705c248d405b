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
from typing import Any

import numpy as np

from maze_gym.evaluation.analysis.metrics import wilson_interval
from maze_gym.training.config import TrainConfig
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
        for name, config in (results() | gap()).items():
            if name.startswith(arguments.only):
                play(name, config, arguments.out)
    for group, table, draw in (("results", result_table, draw_results), ("gap", gap_table, draw_gap)):
        sys.stdout.write("\n".join(table(arguments.out)) + "\n\n")
        draw(arguments.out, arguments.images / f"learning-{group}.png")


if __name__ == "__main__":
    main()
