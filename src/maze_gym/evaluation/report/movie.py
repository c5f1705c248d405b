"""An episode as a moving picture: GIF by Pillow (in the extra ``plot``), MP4 by moviepy (``video``)."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.analysis.diagnosis import GameWorld, Reviewer
from maze_gym.extras import require
from maze_gym.game import EpisodeSpec
from mazegen.core.whole_file import whole_file, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from maze_gym.evaluation.result import EpisodeResult
    from maze_gym.evaluation.storage.run_reading import Run

FORMATS = ("gif", "mp4")
FPS = 8
_BOX = struct.Struct(">I4sQ")  # of MP4: length, kind, and the length of a longer one
_LEAST_BOX = 8
LAST_S = 1.5  # seconds that the last picture stays


def frames(run: Run, outcome: EpisodeResult, cell_px: int = 32) -> list[NDArray[np.uint8]]:
    """The pictures of an episode: at the start and after each step.

    Raises:
        InvalidArgument: the run does not hold the level, or the episode does not replay as recorded.
    """
    level = run.levels.get(outcome.level)
    if level is None:
        msg = f"{run.path} does not hold the level of episode {outcome.index} of {outcome.episode.policy}"
        raise InvalidArgument(msg)
    found: list[NDArray[np.uint8]] = []

    def see(world: GameWorld) -> None:
        found.append(world.picture(cell_px))

    reviewer = Reviewer(measure=False)
    try:
        review = reviewer.review(
            outcome.episode, EpisodeSpec(level.recipe["make"], level.recipe["reset"]), see
        )
    finally:
        reviewer.close()
    if review.mismatch:
        msg = f"the episode does not replay as recorded: {review.mismatch}"
        raise InvalidArgument(msg)
    return found


def find_episode(run: Run, policy: str | None, index: int) -> EpisodeResult:
    """The episode of a policy with a number; of the only policy where none is named.

    Raises:
        InvalidArgument: there is none; the message says what there is.
    """
    name = policy if policy is not None or len(run.policies) > 1 else run.policies[0]
    if name is None:
        msg = f"name a policy; {run.path} has {', '.join(run.policies)}"
        raise InvalidArgument(msg)
    for outcome in run.episodes:
        if outcome.key == (name, index):
            return outcome
    numbers = [outcome.index for outcome in run.episodes if outcome.episode.policy == name]
    has = f"its episodes are {min(numbers)} to {max(numbers)}" if numbers else "it has played none"
    msg = f"{run.path} has no episode {index} of {name!r}: {has}; policies: {', '.join(run.policies)}"
    raise InvalidArgument(msg)


def save_movie(pictures: list[NDArray[np.uint8]], path: Path, fps: float = FPS) -> None:
    """Write a GIF or an MP4, as the ending of the path says.

    Args:
        pictures: (height, width, 3) RGB each, all of one size.
        path: ends in ``.gif`` or ``.mp4``.
        fps: pictures a second.

    Raises:
        InvalidArgument: another ending.
        MissingExtra: the library that writes it is not installed.
        NotWritten: the disk did not take it; a film that was there is as it was.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        msg = f"a movie ends in {' or '.join(FORMATS)}, got {path.name!r}"
        raise InvalidArgument(msg)
    if kind == "gif":
        _save_gif(pictures, path, fps)
    else:
        _save_mp4(pictures, path, fps)


def _save_gif(pictures: list[NDArray[np.uint8]], path: Path, fps: float) -> None:
    image = require("PIL.Image", "plot")
    images = [image.fromarray(picture) for picture in pictures]
    durations = [round(1000 / fps)] * (len(images) - 1) + [round(1000 * LAST_S)]
    data = io.BytesIO()
    images[0].save(data, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0)
    write_whole(path, data.getvalue())


def _save_mp4(pictures: list[NDArray[np.uint8]], path: Path, fps: float) -> None:
    moviepy = require("moviepy", "video")
    even = [picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2] for picture in pictures]
    even += [even[-1]] * round(LAST_S * fps)
    clip = moviepy.ImageSequenceClip(even, fps=fps)
    with whole_file(path) as unfinished:
        clip.write_videofile(str(unfinished), logger=None, audio=False)
        if b"moov" not in _boxes(unfinished):  # moviepy does not say whether ffmpeg came to the end
            msg = "the encoder did not come to the end; is the disk full?"
            raise OSError(msg)


def _boxes(path: Path) -> list[bytes]:
    """The kinds of the parts that an MP4 is made of, as far as they are there whole."""
    found: list[bytes] = []
    size, place = path.stat().st_size, 0
    with path.open("rb") as file:
        while len(head := file.read(_BOX.size)) == _BOX.size:
            length, kind, longer = _BOX.unpack(head)
            place += max(longer if length == 1 else length, _LEAST_BOX)
            if place > size:
                break
            found.append(kind)
            file.seek(place)
    return found
