"""The eight rotations and reflections of a maze, and its colours renamed: same puzzle, new look.

Every transformation keeps the maze playable with the same optimum, and carries its proof along: the
witness plan of a mirrored maze turns left where the original turned right.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from mazegen.core.maze import Maze, View, canonical_form
from mazegen.core.parts import KEY_COLORS, Facing, Position
from mazegen.core.rules import Action

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mazegen.core.parts import Door, Gate, Key, Switch

    M = TypeVar("M", Key, Door, Switch, Gate)

_MIRRORED_TURN = {
    Action.TURN_LEFT.name: Action.TURN_RIGHT.name,
    Action.TURN_RIGHT.name: Action.TURN_LEFT.name,
}


class Symmetry(NamedTuple):
    """One of the eight symmetries of a rectangle of cells: transpose first, then flip."""

    transposed: bool = False
    rows_flipped: bool = False
    cols_flipped: bool = False

    @property
    def is_reflection(self) -> bool:
        """Whether left and right change places."""
        return (self.transposed + self.rows_flipped + self.cols_flipped) % 2 == 1


IDENTITY = Symmetry()
SYMMETRIES = tuple(
    Symmetry(transposed, rows_flipped, cols_flipped)
    for transposed in (False, True)
    for rows_flipped in (False, True)
    for cols_flipped in (False, True)
)
QUARTER_TURNS = (  # clockwise
    IDENTITY,
    Symmetry(transposed=True, cols_flipped=True),
    Symmetry(rows_flipped=True, cols_flipped=True),
    Symmetry(transposed=True, rows_flipped=True),
)


def transpose(maze: Maze) -> Maze:
    """Exchange rows and columns."""
    return transform(maze, Symmetry(transposed=True))


def rotate(maze: Maze, quarter_turns: int = 1) -> Maze:
    """Turn clockwise by quarter turns; negative ones turn the other way."""
    return transform(maze, QUARTER_TURNS[quarter_turns % 4])


def mirror(maze: Maze) -> Maze:
    """Exchange left and right."""
    return transform(maze, Symmetry(cols_flipped=True))


def transform(maze: Maze, symmetry: Symmetry) -> Maze:
    """Apply one symmetry to the board, the agent's first facing and the proof.

    Free-form metadata is kept as it is, whatever coordinates it may hold.
    """
    view = seen_through(maze, symmetry)

    def move(position: Position) -> Position:
        return Position(*view.place(position))

    def moved(things: tuple[M, ...]) -> tuple[M, ...]:
        return tuple(replace(thing, position=move(thing.position)) for thing in things)

    validation = maze.validation
    if validation is not None:
        plan = validation.optimal_actions
        if symmetry.is_reflection:
            plan = tuple(_MIRRORED_TURN.get(action, action) for action in plan)
        path = tuple(move(position) for position in validation.optimal_path)
        validation = replace(validation, optimal_path=path, optimal_actions=plan)
    return replace(
        maze,
        rows=view.rows,
        cols=view.cols,
        walls=view.walls,
        start=move(maze.start),
        goal=move(maze.goal),
        start_facing=view.start_facing,
        keys=moved(maze.keys),
        doors=moved(maze.doors),
        switches=moved(maze.switches),
        gates=moved(maze.gates),
        validation=validation,
    )


def recolour(maze: Maze, colors: Mapping[str, str]) -> Maze:
    """Rename the colours of keys and doors; colours that are not named stay.

    Raises:
        ValueError: two colours of this maze would become one, which would change the puzzle.
        MazeFormatError: a new colour is not one that keys come in.
    """
    used = sorted({key.color for key in maze.keys} | {door.color for door in maze.doors})
    renamed = [colors.get(color, color) for color in used]
    if len(set(renamed)) < len(used):
        pairs = ", ".join(f"{old} -> {new}" for old, new in zip(used, renamed, strict=True))
        msg = f"colours must stay different from each other, got {pairs}"
        raise ValueError(msg)
    return replace(
        maze,
        keys=tuple(replace(key, color=colors.get(key.color, key.color)) for key in maze.keys),
        doors=tuple(replace(door, color=colors.get(door.color, door.color)) for door in maze.doors),
    )


def seen_through(maze: Maze, symmetry: Symmetry) -> View:
    """How a maze lies after a symmetry."""
    rows, cols = (maze.cols, maze.rows) if symmetry.transposed else (maze.rows, maze.cols)

    def place(position: Position) -> tuple[int, int]:
        row, col = int(position.row), int(position.col)
        if symmetry.transposed:
            row, col = col, row
        row = rows - 1 - row if symmetry.rows_flipped else row
        return row, cols - 1 - col if symmetry.cols_flipped else col

    return View(rows, cols, _walls(maze, symmetry), _facing(maze.start_facing, symmetry), place)


def symmetry_hash(maze: Maze) -> str:
    """SHA-256 (hex) shared by exactly the eight rotations and reflections of a maze.

    It is the content hash of the one whose board, and then canonical form, sorts first; the walls alone
    nearly always decide.
    """
    return hashlib.sha256(min(canonical_form(maze, view) for view in _first_views(maze))).hexdigest()


def layout_hash(maze: Maze) -> str:
    """SHA-256 (hex) of the puzzle: shared by all that are turned, mirrored or recoloured only.

    Not of the walls alone: the same ones with another start, goal or mechanism have another hash.

    Where the agent looks first does not matter either. Generated mazes all begin facing north, so that a
    turned board is another maze by two turns at most, and for an agent that learns it is the same one.
    """
    colored: list[Key | Door] = [*maze.keys, *maze.doors]
    forms = []
    for view in _first_views(maze):
        in_order = [color for _, color in sorted((view.place(each.position), each.color) for each in colored)]
        names = dict(zip(dict.fromkeys(in_order), KEY_COLORS, strict=False))
        forms.append(canonical_form(maze, view._replace(start_facing=Facing.NORTH, colors=names)))
    return hashlib.sha256(min(forms)).hexdigest()


def _first_views(maze: Maze) -> list[View]:
    """How a maze lies after those symmetries whose board sorts first."""
    fewest_rows = min(maze.rows, maze.cols)
    boards = {
        each: _walls(maze, each)
        for each in SYMMETRIES
        if fewest_rows == (maze.cols if each.transposed else maze.rows)
    }
    first = min(boards.values())
    return [seen_through(maze, each) for each, board in boards.items() if board == first]


def _walls(maze: Maze, symmetry: Symmetry) -> bytes:
    walls = np.frombuffer(maze.walls, np.uint8).reshape(maze.rows, maze.cols)
    if symmetry.transposed:
        walls = walls.T
    if symmetry.rows_flipped:
        walls = walls[::-1]
    if symmetry.cols_flipped:
        walls = walls[:, ::-1]
    return walls.tobytes()


def _facing(facing: Facing, symmetry: Symmetry) -> Facing:
    south, east = ((-1, 0), (0, 1), (1, 0), (0, -1))[facing]
    if symmetry.transposed:
        south, east = east, south
    south = -south if symmetry.rows_flipped else south
    east = -east if symmetry.cols_flipped else east
    return Facing({(-1, 0): 0, (0, 1): 1, (1, 0): 2, (0, -1): 3}[south, east])


__all__ = [
    "IDENTITY",
    "QUARTER_TURNS",
    "SYMMETRIES",
    "Symmetry",
    "layout_hash",
    "mirror",
    "recolour",
    "rotate",
    "seen_through",
    "symmetry_hash",
    "transform",
    "transpose",
]
