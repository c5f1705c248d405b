"""Frames a second: ours against matplotlib, pygame read back each frame, and MiniGrid, in one run.

``python benchmarks/bench_rendering.py`` prints a table; ``--json`` prints the same for machines. Times are
CPU seconds of this process; ratios are what carries over to another machine.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, NamedTuple

from mazegen.core.rules import compile_board, step
from mazegen.rendering import canvas, picture, png
from mazegen.rendering.canvas import as_surface
from mazegen.rendering.drawing import Drawing
from mazegen.rendering.frames import FrameComposer, FrameSize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mazegen.core.rules import State

SIDE_PX = 512
SECONDS = 0.2  # of one measurement, after warming up
REPEATS = 5  # of which the best counts: the rest is what the neighbours do
MAZE = picture.parse(
    "\n".join(  # noqa: FLY002 - twelve rows are clearer than one string
        (
            "############",
            "#S...#.....#",
            "#.##.#.###.#",
            "#.#r...#.#.#",
            "#.####.#...#",
            "#....#.###.#",
            "#.##.R...#.#",
            "#.#..###.#.#",
            "#.#0.#...#.#",
            "#.####.###.#",
            "#......=..*#",
            "############",
        )
    ),
    level_id="bench",
)


class Row(NamedTuple):
    """One contestant.

    Attributes:
        name: what was measured.
        per_second: how often it was done in a CPU second.
        note: what to know about it.
    """

    name: str
    per_second: float
    note: str = ""


def walk(steps: int = 2000) -> list[State]:
    """States of a long random walk, most of them with a moved agent."""
    import numpy as np

    board = compile_board(MAZE)
    actions = np.random.default_rng((0, 0)).choice([0, 1, 2, 2, 2, 2, 3, 4], steps)
    states = [board.start]
    for action in actions:
        states.append(step(board, states[-1], int(action)).state)
    return states


def rate(work: Callable[[int], object], warm_up: int) -> float:
    """Calls a CPU second, the best of several measurements; the call gets its own number."""
    for number in range(warm_up):
        work(number)
    number, best = 0, 0.0
    for _ in range(REPEATS):
        first, begin = number, time.process_time()
        while time.process_time() - begin < SECONDS:
            for _ in range(4):
                work(number)
                number += 1
        best = max(best, (number - first) / (time.process_time() - begin))
    return best


def measure() -> list[Row]:
    """All contestants that are installed."""
    states = walk()
    board = compile_board(MAZE)
    composer = FrameComposer(MAZE, board, FrameSize(box=(SIDE_PX, SIDE_PX)))
    drawing = Drawing(MAZE, board)
    cell_px = composer.cell_px
    size = len(states)
    rows = [
        Row(
            "rgb_array, fresh frame",
            rate(lambda n: composer.frame(states[n % size]), size),
            "512 px, 12 x 12",
        ),
        Row("frame as PNG", rate(lambda n: png.encode(composer.frame(states[n % size])), 20)),
        Row(
            "whole scene by pygame", rate(lambda n: canvas.paint(drawing.scene(states[n % size]), cell_px), 2)
        ),
        Row(
            "surface made and read back",
            rate(lambda n: read_back(composer, states[n % size]), 20),
            "the usual way",
        ),
    ]
    try:
        canvas.require("matplotlib")
    except canvas.MissingPainter as error:
        rows.append(Row("whole scene by matplotlib", 0.0, str(error)))
    else:
        rows.append(
            Row(
                "whole scene by matplotlib",
                rate(lambda n: canvas.paint_with_matplotlib(drawing.scene(states[n % size]), cell_px), 1),
            )
        )
    return [*rows, *minigrid()]


def read_back(composer: FrameComposer, state: State) -> object:
    """What a renderer does that draws on a surface and hands out arrays."""
    import pygame

    surface = as_surface(composer.frame(state))
    return pygame.surfarray.array3d(surface).transpose(1, 0, 2).copy()


def minigrid() -> list[Row]:
    """MiniGrid's own ``render()`` of a room of the same size, if it is installed."""
    try:
        import gymnasium as gym
        import minigrid
    except ImportError:
        return [Row("MiniGrid render()", 0.0, "not installed: pip install 'maze-gym[bench]'")]
    del minigrid  # importing it registers its ids
    env = gym.make("MiniGrid-Empty-16x16-v0", render_mode="rgb_array")
    env.reset(seed=0)

    def frame(number: int) -> object:
        if number % 200 == 0:
            env.reset(seed=0)
        env.step((0, 1, 2, 2)[number % 4])
        return env.render()

    side = int(env.render().shape[0])  # type: ignore[union-attr]  # frames, in this mode
    return [Row("MiniGrid render()", rate(frame, 20), f"{side} px, 16 x 16, steps included")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Frames a second, side by side.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args(arguments).json
    rows = measure()
    if as_json:
        print(json.dumps([row._asdict() for row in rows]))
        return
    ours = rows[0].per_second
    print(f"{'':28}{'a second':>10}{'ms each':>10}{'ours is':>10}")
    for row in rows:
        speed = f"{row.per_second:>10,.0f}{1000 / row.per_second:>10.3f}" if row.per_second else f"{'-':>20}"
        ratio = f"{ours / row.per_second:>9,.1f}x" if row.per_second else f"{'':>10}"
        print(f"{row.name:28}{speed}{ratio}  {row.note}")


if __name__ == "__main__":
    main()
