"""The egocentric view: what lies ahead, and nothing that is hidden."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.maze.env import GridWorldEnv
from maze_gym.envs.maze.observation import UNSEEN, Object, encode
from maze_gym.envs.maze.observation.egocentric import LARGEST_VIEW, Eye
from maze_gym.errors import InvalidArgument
from mazegen.rendering import picture

from .....strategies import Play, plays

sizes = st.sampled_from((3, 5, 7, 9))


def turned(grid: np.ndarray, row: int, col: int, facing: int, size: int) -> np.ndarray:
    """The same window by another way: pad with wall, turn the whole board, cut it out."""
    padded = np.zeros((grid.shape[0] + 2 * size, grid.shape[1] + 2 * size, 3), np.uint8)
    padded[:, :, 0] = Object.WALL
    padded[size:-size, size:-size] = grid
    marks = np.zeros(padded.shape[:2], np.bool_)
    marks[row + size, col + size] = True
    # A turn to the right of the agent is a turn to the left of the board.
    board, marks = np.rot90(padded, facing), np.rot90(marks, facing)
    (there_row, there_col), half = np.argwhere(marks)[0], size // 2
    return board[there_row - size + 1 : there_row + 1, there_col - half : there_col + half + 1]


def hides(cell: np.ndarray) -> bool:
    """Whether a cell of the view hides what is behind it."""
    thing, _, state = cell.tolist()
    return thing == Object.WALL or (thing in (Object.DOOR, Object.GATE) and state == 1)


def seen_cells(window: np.ndarray) -> set[tuple[int, int]]:
    """Which cells are seen: the rule in sets, row by row from the agent."""
    size = len(window)
    reached = {size // 2}
    seen: set[tuple[int, int]] = set()
    for row in range(size - 1, -1, -1):
        clear = {col for col in range(size) if not hides(window[row, col])}
        if row == size - 1:
            clear.add(size // 2)
        while True:
            beside = {col + side for col in reached & clear for side in (-1, 1)} & set(range(size))
            if beside <= reached:
                break
            reached |= beside
        seen |= {(row, col) for col in reached}
        reached = {col + side for col in reached & clear for side in (-1, 0, 1)} & set(range(size))
    return seen


def of(play: Play) -> tuple[np.ndarray, int, int, int]:
    """Grid and pose of a maze in the middle of an episode."""
    maze, board, state = play
    grid = encode(maze, board, state, (maze.rows, maze.cols))
    return grid, *divmod(state.cell, maze.cols), state.facing


@given(play=plays(), size=sizes)
def test_seen_through_everything_it_is_the_turned_board(play: Play, size: int) -> None:
    grid, row, col, facing = of(play)
    view = Eye(size, see_through_walls=True).view(grid, row, col, facing)
    assert np.array_equal(view, turned(grid, row, col, facing, size))


@given(play=plays(), size=sizes)
def test_what_is_hidden_is_unseen_and_the_rest_is_as_it_is(play: Play, size: int) -> None:
    grid, row, col, facing = of(play)
    window = turned(grid, row, col, facing, size)
    view = Eye(size).view(grid, row, col, facing)
    seen = seen_cells(window)
    for place in np.ndindex(size, size):
        expected = window[place].tolist() if place in seen else [UNSEEN, 0, 0]
        assert view[place].tolist() == expected, place


@given(play=plays(), facing=st.integers(0, 3))
def test_turning_the_world_with_the_agent_changes_nothing(play: Play, facing: int) -> None:
    grid, row, col, _ = of(play)
    marks = np.zeros(grid.shape[:2], np.bool_)
    marks[row, col] = True
    again_row, again_col = np.argwhere(np.rot90(marks, facing))[0].tolist()
    turned_grid = np.ascontiguousarray(np.rot90(grid, facing))
    eye = Eye(5)
    assert np.array_equal(eye.view(grid, row, col, facing), eye.view(turned_grid, again_row, again_col, 0))


def view_of(text: str, size: int = 5, *, through: bool = False) -> list[str]:
    """The objects of a first view, a digit each."""
    env = GridWorldEnv(maze=picture.parse(text), max_steps=9)
    env.reset()
    view = env.egocentric_view(size, see_through_walls=through)
    return ["".join(map(str, row)) for row in view[:, :, 0].tolist()]


ROOMS = """
    #######
    #..*..#
    #.....#
    ###R###
    #..r..#
    #..^..#
    #######
"""


def test_a_locked_door_hides_the_room_behind_it() -> None:
    assert view_of(ROOMS) == ["77777", "77777", "11411", "00300", "00000"]


def test_an_open_door_shows_the_room_behind_it() -> None:
    env = GridWorldEnv(maze=picture.parse(ROOMS), max_steps=20)
    env.reset()
    for action in (2, 3, 2):  # forward onto the key, take it, into the door
        env.step(action)
    rows = ["".join(map(str, row)) for row in env.egocentric_view(5)[:, :, 0].tolist()]
    assert rows == ["77777", "11111", "00200", "00000", "71417"]


def test_walls_may_be_made_of_glass() -> None:
    assert view_of(ROOMS, through=True) == ["00200", "00000", "11411", "00300", "00000"]


def test_views_lie_in_their_space_and_are_fresh() -> None:
    env = GridWorldEnv()
    env.reset(seed=1)
    for size in (3, 7, LARGEST_VIEW):
        space = env.egocentric_space(size)
        assert isinstance(space, spaces.Box)
        assert int(space.high[0, 0, 0]) == UNSEEN == len(Object)
        first, second = env.egocentric_view(size), env.egocentric_view(size)
        assert first in space
        assert not np.shares_memory(first, second)


@pytest.mark.parametrize("size", [0, 1, 2, 4, -3, 33, 7.0, "7", None, True])
def test_view_sizes_out_of_range_are_refused(size: object) -> None:
    with pytest.raises(InvalidArgument, match="an odd number from 3 to 31"):
        Eye(size)  # type: ignore[arg-type]  # that is what is tested
