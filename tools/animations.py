"""Make the animated pictures of the docs: the best player of each world at play, and all worlds side by side.

``python tools/animations.py`` writes docs/images/*.gif; look at them before they are committed. Needs Pillow,
which the extra ``plot`` brings.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from PIL import Image

import maze_gym  # noqa: F401 - registers the worlds
from maze_gym.policies import make_policy
from maze_gym.registration import WORLDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Frame = NDArray[np.uint8]  # (height, width, 3)

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIDE_PX = 288  # of each world's picture
MAX_FRAMES = 120
HOLD_FRAMES = 8  # the last picture stays for so long
FRAME_MS = 120
GAP_PX = 16
SHOWN: dict[str, dict[str, Any]] = {  # what is played where the default level shows little
    "MazeNLU-v0": {"spec": {"topology": "dense_maze", "chain": "ks", "rows": 11, "cols": 11, "seed": 5}},
}


def play(world_id: str) -> list[Frame]:
    """Frames of an episode of the best player there is: the oracle, or search where no optimum is known."""
    env: Any = gym.make(world_id, render_mode="rgb_array", render_size=SIDE_PX, **SHOWN.get(world_id, {}))
    observation, info = env.reset(seed=0)
    policy = make_policy("search" if env.unwrapped.optimal_action() is None else "oracle", env, 0)
    policy.reset(0)
    frames, over = [env.render()], False
    while not over and len(frames) < MAX_FRAMES:
        observation, _, terminated, truncated, info = env.step(policy.act(observation, info))
        over = terminated or truncated
        frames.append(env.render())
    env.close()
    return frames + [frames[-1]] * HOLD_FRAMES


def side_by_side(films: list[list[Frame]]) -> list[Frame]:
    """One film of several, each begun again when it ends."""
    length = max(map(len, films))
    gap = np.full((SIDE_PX, GAP_PX, 3), 255, np.uint8)
    pages = []
    for index in range(length):
        parts = [part for film in films for part in (film[index % len(film)], gap)][:-1]
        pages.append(np.concatenate(parts, axis=1))
    return pages


def gif(frames: list[Frame]) -> bytes:
    """An animated GIF that repeats for ever, with one palette for all frames."""
    sample = np.concatenate(frames[:: max(1, len(frames) // 4)])
    palette = Image.fromarray(sample).quantize(64, dither=Image.Dither.NONE)
    pages = [Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    file = io.BytesIO()
    pages[0].save(
        file, "GIF", save_all=True, append_images=pages[1:], duration=FRAME_MS, loop=0, optimize=True
    )
    return file.getvalue()


def main() -> None:
    """Write them all."""
    films = {world.id: play(world.id) for world in WORLDS}
    films["worlds"] = side_by_side(list(films.values()))
    for name, film in films.items():
        data = gif(film)
        (IMAGES / f"{name}.gif").write_bytes(data)
        print(f"{name}.gif: {len(film)} frames, {len(data) / 1024:.0f} kB")


if __name__ == "__main__":
    main()
