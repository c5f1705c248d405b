"""Pictures in tiles are the pictures of the world, to the pixel."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.evaluation.report.frames import ATLAS_COLUMNS, Atlas, Film
from maze_gym.game import text_game

from ...levels import ALL_KINDS, TRAP

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Shown:
    """A world that is nothing but a picture."""

    def __init__(self, frame: NDArray[np.uint8]) -> None:
        self.frame = frame

    def picture(self, cell_px: int, shape: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        del cell_px, shape
        return self.frame


def put_together(atlas: Atlas, film: Film, sheet: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """What a page draws."""
    side = atlas.cell_px
    frames = []
    for tiles in film.pictures():
        frame = np.zeros((film.rows * side, film.cols * side, 3), np.uint8)
        for place, number in enumerate(tiles):
            row, col = divmod(place, film.cols)
            top, left = (each * side for each in divmod(number, ATLAS_COLUMNS))
            frame[row * side : (row + 1) * side, col * side : (col + 1) * side] = sheet[
                top : top + side, left : left + side
            ]
        frames.append(frame)
    return frames


def decoded(data: bytes) -> NDArray[np.uint8]:
    import pygame

    surface = pygame.image.load(io.BytesIO(data), "atlas.png")
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).transpose(1, 0, 2))


@pytest.mark.parametrize(
    ("env_id", "arguments"),
    [
        ("MazeNLU-v0", {"maze": ALL_KINDS}),
        ("MazeNLU-v0", {"maze": TRAP}),
        ("PacmanArray-v0", {}),
        ("SpatialGym-v0", {}),
        ("MazeNLU-v0", {"spec": {"topology": "dense_maze", "rows": 128, "cols": 20}}),
    ],
    ids=["all kinds", "trap", "pacman", "spatial", "too large for usual tiles"],
)
@pytest.mark.parametrize("cell_px", [16, 32])
def test_a_page_shows_what_the_world_draws(env_id: str, arguments: dict[str, Any], cell_px: int) -> None:
    env = gym.make(env_id, **arguments)
    env.reset(seed=1)
    env.action_space.seed(1)
    world = text_game(env)
    atlas = Atlas(cell_px)
    film = Film(atlas)
    film.see(world)
    truth = [world.picture(film.cell_px)]
    for _ in range(30):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        film.see(world)
        truth.append(world.picture(film.cell_px))
        if terminated or truncated:
            break
    shown = put_together(atlas, film, decoded(atlas.png()))
    assert len(shown) == len(truth)
    assert film.cell_px % cell_px == 0 or cell_px % film.cell_px == 0
    for frame, picture in zip(shown, truth, strict=True):
        assert np.array_equal(frame[: picture.shape[0], : picture.shape[1]], picture)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32), st.sampled_from([8, 16]))
def test_pictures_of_any_size_come_back(height: int, width: int, seed: int, side: int) -> None:
    generator = np.random.default_rng(seed)
    frames = [generator.integers(0, 3, (height, width, 3), np.uint8) for _ in range(3)]
    frames.insert(1, frames[0].copy())
    frames[3] = frames[2].copy()
    frames[3][-1, -1] += 1
    atlas = Atlas(side)
    film = Film(atlas)
    for frame in frames:
        film.see(Shown(frame))  # type: ignore[arg-type]  # nothing else is asked of it
    assert film.changes[0] == []
    assert len(film.changes[2]) == 2
    shown = put_together(atlas, film, decoded(atlas.png()))
    for each, frame in zip(shown, frames, strict=True):
        assert np.array_equal(each[:height, :width], frame)


def test_equal_tiles_are_kept_once_across_films() -> None:
    atlas = Atlas(8)
    for _ in range(3):
        Film(atlas).see(Shown(np.zeros((64, 64, 3), np.uint8)))  # type: ignore[arg-type]  # see above
    assert len(atlas) == 1


@pytest.mark.parametrize("cell_px", [0, 7, 12])
def test_tiles_are_whole_words(cell_px: int) -> None:
    with pytest.raises(ValueError, match="a positive multiple of 8"):
        Atlas(cell_px)
