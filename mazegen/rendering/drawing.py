"""The one picture of a maze: ``Maze`` + ``State`` to looks, and looks to a ``Scene``.

Dataset files, ``rgb_array``, the window and what a model sees are all this picture. It is a grid of
tiles: the board, below it the inventory strip and, if asked for, row and column numbers around the
top and the left. What a thing's state means comes from ``rules``: codes, bits and ``is_gate_open``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mazegen.core import rules
from mazegen.core.parts import KEY_COLORS, Facing, Position
from mazegen.rendering.canvas.scene import Rectangle, Scene, Shape, moved
from mazegen.rendering.tiles import PAPER, Look, Thing, figure, ground

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mazegen.core.maze import Maze
    from mazegen.core.rules import Board, State

_NUMBERED = re.compile(r"[a-z]*([1-9][0-9]?)")
_MAX_LABELS = 3  # gates named on one switch; the rest is "+"


@dataclass(frozen=True, slots=True)
class Style:
    """What the picture holds besides the board.

    Attributes:
        orientation: row numbers at the left and column numbers at the top.
        inventory: the strip with the keys that are held.
    """

    orientation: bool = False
    inventory: bool = True


DEFAULT_STYLE = Style()


class Drawing:
    """One maze, ready to be drawn in any of its states.

    Args:
        maze: what to draw.
        board: ``rules.compile_board(maze)``, if there is one already.
        style: what the picture holds besides the board.

    Attributes:
        rows: height of the picture in cells.
        cols: width of the picture in cells.
        strip_rows: rows of the inventory, below the board.
        top: rows above the board.
        left: columns left of the board.
    """

    def __init__(self, maze: Maze, board: Board | None = None, style: Style = DEFAULT_STYLE) -> None:
        """Work out what does not change in an episode."""
        self.maze = maze
        self.board = rules.compile_board(maze) if board is None else board
        self.style = style
        self.top = self.left = int(style.orientation)
        self.cols = self.left + maze.cols
        slots = 1 + len({key.color for key in maze.keys})  # the word, then a place for each colour
        self.strip_rows = -(-slots // self.cols) if style.inventory else 0
        self.rows = self.top + maze.rows + self.strip_rows
        self.gate_labels = gate_labels(maze)
        self._switch_labels = tuple(
            switch_label([self.gate_labels[gate] for gate in _controlled(maze, switch.controls)])
            for switch in maze.switches
        )

    def look(self, state: State, cell: int) -> Look:
        """What the board shows at a row-major cell index."""
        facing = state.facing if cell == state.cell else -1
        start = cell == self.board.start.cell
        code = self.board.codes[cell]
        maze = self.maze
        if rules.KEY <= code < rules.SWITCH:
            index = code - rules.KEY
            if not state.taken >> index & 1:
                return Look(Thing.KEY, maze.keys[index].color, start=start, facing=facing)
        elif rules.SWITCH <= code < rules.DOOR:
            index = code - rules.SWITCH
            switch = maze.switches[index]
            thing = Thing.BUTTON if switch.kind == "one_shot" else Thing.SWITCH
            is_on = bool(state.on >> index & 1)
            return Look(thing, switch.color or "", self._switch_labels[index], is_on, start, facing)
        elif rules.DOOR <= code < rules.GATE:
            index = code - rules.DOOR
            is_open = bool(state.opened >> index & 1)
            return Look(Thing.DOOR, maze.doors[index].color, "", is_open, start, facing)
        elif rules.GATE <= code < rules.WALL:
            index = code - rules.GATE
            is_open = rules.is_gate_open(self.board, state, index)
            label = self.gate_labels[maze.gates[index].id]
            return Look(Thing.GATE, maze.gates[index].color or "", label, is_open, start, facing)
        elif code == rules.WALL:
            return Look(Thing.WALL)
        elif code == rules.GOAL:
            return Look(Thing.GOAL, facing=facing)
        return Look(Thing.FLOOR, start=start, facing=facing)

    def looks(self, state: State) -> list[list[Look]]:
        """Every tile of the picture, row by row: ``rows`` lists of ``cols``."""
        maze = self.maze
        grid = [
            [self.look(state, row * maze.cols + col) for col in range(maze.cols)] for row in range(maze.rows)
        ]
        if self.style.orientation:
            grid = [[Look(Thing.MARK, label=str(row)), *line] for row, line in enumerate(grid)]
            columns = [Look(Thing.MARK, label=str(col)) for col in range(maze.cols)]
            grid.insert(0, [Look(Thing.MARK), *columns])
        strip = self.strip(state)
        return grid + [strip[start : start + self.cols] for start in range(0, len(strip), self.cols)]

    def strip(self, state: State) -> list[Look]:
        """The tiles of the inventory, left to right: the keys held, in the order of ``KEY_COLORS``."""
        if not self.strip_rows:
            return []
        held = [
            Look(Thing.KEY, color, str(count) if count > 1 else "", active=True)
            for color, count in zip(KEY_COLORS, rules.keys_held(self.board, state), strict=True)
            if count
        ]
        tiles = [Look(Thing.STRIP, label="KEYS"), *held]
        return tiles + [Look(Thing.STRIP)] * (self.strip_rows * self.cols - len(tiles))

    def scene(
        self,
        state: State,
        *,
        path: Sequence[Position] = (),
        trail: Sequence[Position] = (),
    ) -> Scene:
        """The whole picture.

        Args:
            state: what to draw.
            path: cells of a solution to lay over the floor. For people: never for an agent.
            trail: cells visited so far. For people as well.
        """
        grid = self.looks(state)
        on_path, on_trail = exits(path), exits(trail)
        for position in {**on_path, **on_trail}:
            line, place = grid[position.row + self.top], position.col + self.left
            line[place] = line[place]._replace(path=on_path.get(position, 0), trail=on_trail.get(position, 0))
        return scene_of(grid)


def draw(maze: Maze, state: State | None = None, style: Style = DEFAULT_STYLE) -> Scene:
    """The picture of a maze, at its start by default."""
    drawing = Drawing(maze, style=style)
    return drawing.scene(drawing.board.start if state is None else state)


def scene_of(grid: Sequence[Sequence[Look]]) -> Scene:
    """A grid of tiles as one scene: all the ground first, then what stands on it."""
    tiles = [(row, col, look) for row, line in enumerate(grid) for col, look in enumerate(line)]
    grounds = [(shape, row, col) for row, col, look in tiles for shape in ground(look)]
    # No two grounds overlap but those of one tile, so sorting by colour keeps the picture and lets
    # a painter take thousands of cells in a few strokes.
    below = sorted(grounds, key=lambda item: not _is_whole(item[0]))
    figures = [moved(shape, row, col) for row, col, look in tiles for shape in figure(look)]
    shapes = (*(moved(shape, row, col) for shape, row, col in below), *figures)
    return Scene(len(grid), len(grid[0]), PAPER, shapes)


def exits(positions: Iterable[Position]) -> dict[Position, int]:
    """Per cell of a walk, the sides it leaves or enters by: bit 0 north, 1 east, 2 south, 3 west."""
    steps = {(-1, 0): Facing.NORTH, (0, 1): Facing.EAST, (1, 0): Facing.SOUTH, (0, -1): Facing.WEST}
    sides: dict[Position, int] = {}
    before: Position | None = None
    for position in positions:
        sides.setdefault(position, 0)
        if before is not None and before != position:
            facing = steps[(position.row - before.row, position.col - before.col)]
            sides[before] |= 1 << facing
            sides[position] |= 1 << (facing + 2) % 4
        before = position
    return sides


def gate_labels(maze: Maze) -> dict[str, str]:
    """What is written on each gate: the number in its id where all ids have one, else its place."""
    numbers = [_NUMBERED.fullmatch(gate.id) for gate in maze.gates]
    found = [match.group(1) for match in numbers if match]
    if len(set(found)) == len(maze.gates):
        return {gate.id: number for gate, number in zip(maze.gates, found, strict=True)}
    return {gate.id: str(place) for place, gate in enumerate(maze.gates, 1)}


def switch_label(gates: Sequence[str]) -> str:
    """What is written on a switch: the gates it controls, "-" for none."""
    shown = " ".join(gates[:_MAX_LABELS])
    return f"{shown}+" if len(gates) > _MAX_LABELS else shown or "-"


def _controlled(maze: Maze, controls: Iterable[str]) -> list[str]:
    wanted = set(controls)
    return [gate.id for gate in maze.gates if gate.id in wanted]


def _is_whole(shape: Shape) -> bool:
    return isinstance(shape, Rectangle) and shape.height == 1 and shape.width == 1
