"""A run's progress as a picture."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import numpy as np

from maze_gym.extras import require
from mazegen.core.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

WIDTH_IN, HEIGHT_IN, DPI = 7.0, 4.0, 110


def draw_curves(progress: Path, image: Path) -> None:
    """Draw success over steps, with 95 % intervals, from a run's ``progress.jsonl``.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    require("matplotlib", "plot")
    from matplotlib.figure import Figure

    lines = [json.loads(line) for line in progress.read_text(encoding="utf-8").splitlines()]
    steps = [line["steps"] for line in lines]
    figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), layout="constrained")
    axes = figure.subplots()
    for key, label in (("greedy", "tested, most likely action"), ("sampled", "tested, sampled")):
        bands = np.array([line[key]["interval"] for line in lines]).reshape(-1, 2)
        (curve,) = axes.plot(steps, [line[key]["rate"] for line in lines], "o-", markersize=3, label=label)
        axes.fill_between(steps, bands[:, 0], bands[:, 1], color=curve.get_color(), alpha=0.15, linewidth=0)
    trained = [
        (line["steps"], line["training_success"]) for line in lines if line["training_success"] is not None
    ]
    if trained:
        axes.plot(*zip(*trained, strict=True), "--", color="grey", label="training, last 100 episodes")
    axes.set(xlabel="env steps", ylabel="success", ylim=(0, 1.02))
    axes.legend(loc="lower right")
    data = io.BytesIO()
    figure.savefig(data, format=image.suffix.removeprefix("."), dpi=DPI)
    write_whole(image, data.getvalue())
