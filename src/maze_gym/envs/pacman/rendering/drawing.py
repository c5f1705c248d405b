"""Board + State -> Scene: the one picture of a game of Pacman."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rendering.tiles import AROUND, FLOOR, PLAYER, Ghost, Look, shapes
from mazegen.rendering.canvas.scene import Rectangle, Scene, Text, moved

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules import Board, State
    from maze_gym.envs.pacman.rules.layout import Layout
    from mazegen.rendering.canvas.scene import Shape

STRIP_ROWS = 1  # below the board: score, power, what is left
FADING_STEPS = 5  # of power, in which ghosts flash
_FULL_WIDTH = 10  # columns for which the strip's letters are as large as they can be
_STRIP, _TEXT, _SOFT, _OFF = "#1b2233", "#eef2fb", "#8f9cb8", "#33405c"


class Pose(NamedTuple):
    """What the picture shows of the player besides its cell; no part of the state.

    Attributes:
        facing: where its last action pointed.
        open_mouth: every other step, so that it chews.
    """

    facing: int = int(rules.Action.LEFT)
    open_mouth: bool = True


def scene(board: Board, state: State, pose: Pose) -> Scene:
    """The whole picture: the board and the strip below it."""
    layout = board.layout
    drawn: list[Shape] = []
    for cell, look in enumerate(looks(board, state, pose)):
        row, col = layout.position(cell)
        drawn += [moved(shape, row, col) for shape in shapes(look)]
    drawn += [moved(shape, layout.rows, 0) for shape in strip(gauge(board, state))]
    return Scene(layout.rows + STRIP_ROWS, layout.cols, FLOOR, tuple(drawn))


def looks(board: Board, state: State, pose: Pose) -> list[Look]:
    """What each cell looks like, row by row."""
    layout = board.layout
    drawn = []
    for cell in range(layout.cells):
        if layout.walls >> cell & 1:
            drawn.append(Look(joined=_joined(layout, cell)))
            continue
        left = state.pellets >> cell & 1
        here = cell == state.player
        ghosts = tuple(_ghost(layout, state, number) for number, at in enumerate(state.ghosts) if at == cell)
        drawn.append(
            Look(
                pellet=0 if here or ghosts else left * (2 if board.power >> cell & 1 else 1),
                facing=pose.facing if here else -1,
                open_mouth=pose.open_mouth if here else True,
                ghosts=ghosts,
            )
        )
    return drawn


def _ghost(layout: Layout, state: State, number: int) -> Ghost:
    row, col = layout.position(state.ghosts[number])
    to_row, to_col = layout.position(state.player)
    gaze = _sign(to_row - row), _sign(to_col - col)
    if not state.timer:
        return Ghost(number, "hunting", gaze)
    if state.spent >> number & 1:
        return Ghost(number, "spent", gaze)
    return Ghost(number, "fading" if state.timer <= FADING_STEPS and state.timer % 2 else "scared")


def _joined(layout: Layout, cell: int) -> int:
    row, col = layout.position(cell)
    bits = 0
    for bit, (down, right) in enumerate(AROUND):
        beside = (row + down, col + right)
        if 0 <= beside[0] < layout.rows and 0 <= beside[1] < layout.cols:
            bits |= (layout.walls >> beside[0] * layout.cols + beside[1] & 1) << bit
    return bits


class Gauge(NamedTuple):
    """What the strip shows.

    Attributes:
        cols: width of the picture in cells.
        score: points.
        left: pellets and power pellets.
        timer: steps of power.
    """

    cols: int
    score: int
    left: int
    timer: int


def gauge(board: Board, state: State) -> Gauge:
    """What the strip shows of a state."""
    return Gauge(board.layout.cols, state.score, state.pellets.bit_count(), state.timer)


def strip(shown: Gauge) -> list[Shape]:
    """One row of cells: the score, a bar of the steps of power, and what is left to eat."""
    cols = shown.cols
    scale = min(1.0, cols / _FULL_WIDTH)
    size = 0.27 * scale
    drawn: list[Shape] = [
        Rectangle(0, 0, STRIP_ROWS, cols, FLOOR),
        Rectangle(0.1, 0.1, 0.8, cols - 0.2, _STRIP, corner=0.12),
        Text(0.5, 0.3 * scale, "SCORE", size * 0.7, _SOFT, anchor="left"),
        Text(0.5, 1.35 * scale, str(shown.score), size, _TEXT, anchor="left"),
        Text(0.5, cols - 0.3 * scale, f"{shown.left} LEFT", size, _TEXT, anchor="right"),
    ]
    width = 0.21 * scale
    first = cols / 2 - width * rules.POWER_STEPS / 2 + 0.3 * scale
    drawn.append(Text(0.5, first - 0.12 * scale, "POWER", size * 0.7, _SOFT, anchor="right"))
    for place in range(rules.POWER_STEPS):
        is_on = place < shown.timer
        height = 0.42 if is_on else 0.2
        fill = PLAYER if is_on else _OFF
        drawn.append(
            Rectangle(0.5 - height / 2, first + place * width, height, width * 0.7, fill, corner=0.03)
        )
    drawn.append(Text(0.5, first + 15.6 * width, str(shown.timer), size, _TEXT, anchor="left"))
    return drawn


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
