"""Figures on their way from one cell to the next, for people who watch; no rule and no agent knows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.envs.pacman.rendering.drawing import FADING_STEPS, Pose, looks
from maze_gym.envs.pacman.rendering.tiles import Ghost, Look, rank

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules import Board, State

_ARRIVED = 0.5  # of the way, at which what lies on a cell is eaten
_BEATS = 4  # of mouth and flashing on one way


class Sight(NamedTuple):
    """All that a picture of a game depends on."""

    board: Board
    state: State
    pose: Pose


class Placed(NamedTuple):
    """A figure in the picture.

    Attributes:
        row: of its top edge, in cells.
        col: of its left edge, in cells.
        scale: its side, in cells; below 1 where figures share a cell.
        look: the figure alone.
    """

    row: float
    col: float
    scale: float
    look: Look


def placed(sight: Sight) -> tuple[Placed, ...]:
    """Every ghost by its number, then the player, where the picture shows them."""
    board, state, _ = sight
    seen = looks(*sight)
    figures: dict[int, Placed] = {}
    for cell in {*state.ghosts, state.player}:
        row, col = board.layout.position(cell)
        look = seen[cell]
        alone = [(ghost.number, Look(ghosts=(ghost,))) for ghost in look.ghosts]
        if look.facing >= 0:
            alone.append((len(state.ghosts), Look(facing=look.facing, open_mouth=look.open_mouth)))
        side = rank(len(alone))
        for place, (number, figure) in enumerate(alone):
            down, right = divmod(place, side)
            figures[number] = Placed(row + down / side, col + right / side, 1 / side, figure)
    return tuple(figures[number] for number in sorted(figures))


def between(before: Sight, after: Sight, fraction: float) -> tuple[Placed, ...]:
    """The figures of a step that is under way; 0 is where they were, 1 where they are.

    On the way the player chews, ghosts flash when power is about to end, and a ghost that was eaten, which
    goes home at once, is hollow.
    """
    way = fraction * fraction * (3 - 2 * fraction)  # slowly away and slowly there
    beat = int(fraction * _BEATS) % 2
    moving = []
    for number, (old, new) in enumerate(zip(placed(before), placed(after), strict=True)):
        look = new.look
        if 0 < fraction < 1:
            if look.facing >= 0:
                look = look._replace(open_mouth=not beat)
            else:
                old_mood, new_mood = (each.look.ghosts[0] for each in (old, new))
                shown = _on_the_way(before, after, number) or (old_mood if fraction < _ARRIVED else new_mood)
                if 0 < after.state.timer <= FADING_STEPS and shown.mood in {"scared", "fading"}:
                    shown = shown._replace(mood="scared" if beat else "fading")
                look = Look(ghosts=(shown,))
        elif fraction <= 0:
            look = old.look
        row, col, scale = (start + way * (end - start) for start, end in zip(old[:3], new[:3], strict=True))
        moving.append(Placed(row, col, scale, look))
    return tuple(moving)


def lying(before: Sight, after: Sight, fraction: float) -> int:
    """Mask of the pellets to be seen: what is eaten in this step is there for half of the way."""
    return (before if fraction < _ARRIVED else after).state.pellets


def lonely(board: Board, pellets: int) -> list[Look]:
    """Every cell of a board with nobody on it."""
    return looks(board, board.start._replace(player=-1, ghosts=(), pellets=pellets), Pose())


def _on_the_way(before: Sight, after: Sight, number: int) -> Ghost | None:
    """How a ghost looks that was eaten in this step; None for all others."""
    layout = before.board.layout
    row, col = layout.position(before.state.ghosts[number])
    to_row, to_col = layout.position(after.state.ghosts[number])
    return Ghost(number, "spent") if abs(to_row - row) + abs(to_col - col) > 1 else None
