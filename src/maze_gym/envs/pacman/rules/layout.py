"""What a Pacman board is: walls, pellets, power pellets and starts, written as text.

One character a cell; blanks between them are ignored:

====  ===========================================
``W``   wall
``.``   pellet
``O``   power pellet
``E``   empty floor
``P``   the player's start, with a pellet under it
``p``   the player's start on empty floor
``G``   a ghost's start, with a pellet under it
``g``   a ghost's start on empty floor
====  ===========================================

Ghosts are numbered in reading order. Cells are numbered row by row from the top-left corner.
"""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass

from maze_gym.errors import InvalidArgument

MAX_SIDE = 16  # the tables of where ghosts go grow with the fourth power of a side
MAX_GHOSTS = 8
_WALL, _DOT, _POWER, _EMPTY = "W", ".", "O", "E"
_STARTS = {"P": _DOT, "p": _EMPTY, "G": _DOT, "g": _EMPTY}  # what lies under a start
_SYMBOLS = "".join((_WALL, _DOT, _POWER, _EMPTY, *_STARTS))


class LayoutError(InvalidArgument):
    """A layout that cannot be played; the message names row and column, counted from 0."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A board as it is before the first move; bit n of a mask is cell n.

    Attributes:
        level_id: its name in tables.
        rows: 1 to ``MAX_SIDE``.
        cols: 1 to ``MAX_SIDE``.
        walls: mask of walls. The edge of the board needs none: nobody can leave it.
        dots: mask of pellets.
        power: mask of power pellets.
        player: cell where the player starts; what lies there is not eaten until it is entered.
        ghosts: cell where each ghost starts and to which it returns when it is eaten.

    Raises:
        LayoutError: the board cannot be played.
    """

    level_id: str
    rows: int
    cols: int
    walls: int
    dots: int
    power: int
    player: int
    ghosts: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse boards that nobody can win."""
        if not (1 <= self.rows <= MAX_SIDE and 1 <= self.cols <= MAX_SIDE):
            msg = f"a side must have from 1 to {MAX_SIDE} cells, got {self.rows} rows and {self.cols} columns"
            raise LayoutError(msg)
        _check_pellets(self)
        _check_starts(self)
        reachable = self.reachable(self.player)
        lost = (self.dots | self.power) & ~reachable
        if lost:
            cell = _lowest(lost)
            kind = "power pellet" if self.power >> cell & 1 else "pellet"
            msg = f"the {kind} at {self.where(cell)} cannot be reached from {self.where(self.player)}"
            raise LayoutError(msg)

    @property
    def cells(self) -> int:
        """How many cells there are, walls among them."""
        return self.rows * self.cols

    @property
    def pellets(self) -> int:
        """Mask of everything that has to be eaten."""
        return self.dots | self.power

    @property
    def content_hash(self) -> str:
        """SHA-256 of the board without its name, as hexadecimal digits."""
        return hashlib.sha256("\n".join(self.to_rows()).encode()).hexdigest()

    def position(self, cell: int) -> tuple[int, int]:
        """(row, col) of a cell."""
        return divmod(cell, self.cols)

    def where(self, cell: int) -> str:
        """A cell as error messages name it."""
        row, col = self.position(cell)
        return f"row {row}, column {col}"

    def neighbours(self, cell: int) -> tuple[int, int, int, int]:
        """The cells above, below, to the left and to the right; the cell itself where that is no floor."""
        row, col = divmod(cell, self.cols)
        around = (
            cell - self.cols if row > 0 else cell,
            cell + self.cols if row < self.rows - 1 else cell,
            cell - 1 if col > 0 else cell,
            cell + 1 if col < self.cols - 1 else cell,
        )
        up, down, left, right = (cell if self.walls >> beside & 1 else beside for beside in around)
        return up, down, left, right

    def reachable(self, start: int) -> int:
        """Mask of the cells that can be walked to."""
        seen = 1 << start
        queue = deque((start,))
        while queue:
            for beside in self.neighbours(queue.popleft()):
                if not seen >> beside & 1:
                    seen |= 1 << beside
                    queue.append(beside)
        return seen

    def to_rows(self) -> list[str]:
        """The board as text, one string a row; ``parse`` reads it back."""
        symbols = [self._symbol(cell) for cell in range(self.cells)]
        return ["".join(symbols[first : first + self.cols]) for first in range(0, self.cells, self.cols)]

    def _symbol(self, cell: int) -> str:
        if cell == self.player:
            return "P" if self.dots >> cell & 1 else "p"
        if cell in self.ghosts:
            return "G" if self.dots >> cell & 1 else "g"
        if self.walls >> cell & 1:
            return _WALL
        if self.power >> cell & 1:
            return _POWER
        return _DOT if self.dots >> cell & 1 else _EMPTY


def _check_pellets(layout: Layout) -> None:
    for kind, mask in (("pellet", layout.dots), ("power pellet", layout.power), ("wall", layout.walls)):
        if mask < 0 or mask >> layout.cells:
            msg = f"there is a {kind} outside of the {layout.rows} x {layout.cols} board"
            raise LayoutError(msg)
    if not layout.pellets:
        msg = "there is nothing to eat: a board needs at least one pellet"
        raise LayoutError(msg)
    for kind, mask in (("pellet", layout.dots), ("power pellet", layout.power)):
        if mask & layout.walls:
            msg = f"the {kind} at {layout.where(_lowest(mask & layout.walls))} is in a wall"
            raise LayoutError(msg)
    if layout.dots & layout.power:
        msg = f"a pellet and a power pellet share {layout.where(_lowest(layout.dots & layout.power))}"
        raise LayoutError(msg)


def _check_starts(layout: Layout) -> None:
    if not 1 <= len(layout.ghosts) <= MAX_GHOSTS:
        msg = f"a board needs from 1 to {MAX_GHOSTS} ghosts, got {len(layout.ghosts)}"
        raise LayoutError(msg)
    starts = [("the player", layout.player)]
    starts += [(f"ghost {number}", cell) for number, cell in enumerate(layout.ghosts)]
    taken: dict[int, str] = {}
    for name, cell in starts:
        if not 0 <= cell < layout.cells:
            msg = f"{name} starts at {layout.where(cell)}, off the {layout.rows} x {layout.cols} board"
            raise LayoutError(msg)
        if layout.walls >> cell & 1:
            msg = f"{name} starts in the wall at {layout.where(cell)}"
            raise LayoutError(msg)
        if layout.power >> cell & 1:
            msg = f"{name} starts on the power pellet at {layout.where(cell)}; text has no symbol for both"
            raise LayoutError(msg)
        if cell in taken:
            msg = f"{name} starts on top of {taken[cell]} at {layout.where(cell)}"
            raise LayoutError(msg)
        taken[cell] = name


def parse(text: str | list[str] | tuple[str, ...], level_id: str = "layout") -> Layout:
    """Read a board; see the top of this module for the symbols.

    Args:
        text: lines in one string, or one string a row.
        level_id: its name.

    Raises:
        LayoutError: a symbol is unknown, rows differ in length, there is not one player, or the board
            cannot be played.
    """
    lines = text.splitlines() if isinstance(text, str) else list(text)
    rows = ["".join(line.split()) for line in lines if line.strip()]
    if not rows:
        msg = "the layout is empty"
        raise LayoutError(msg)
    cols = len(rows[0])
    masks = dict.fromkeys((_WALL, _DOT, _POWER, _EMPTY), 0)
    players: list[tuple[int, int]] = []
    ghosts: list[int] = []
    for row, line in enumerate(rows):
        if len(line) != cols:
            msg = f"row {row} has {len(line)} columns, row 0 has {cols}; all rows must be equally long"
            raise LayoutError(msg)
        for col, symbol in enumerate(line):
            if symbol not in _SYMBOLS:
                msg = f"unknown symbol {symbol!r} at row {row}, column {col}; there are: {' '.join(_SYMBOLS)}"
                raise LayoutError(msg)
            cell = row * cols + col
            masks[_STARTS.get(symbol, symbol)] |= 1 << cell
            if symbol in "Pp":
                players.append((row, col))
            elif symbol in "Gg":
                ghosts.append(cell)
    if len(players) != 1:
        places = ", ".join(f"row {row}, column {col}" for row, col in players) or "none"
        msg = f"a board needs exactly one player (P or p), got {len(players)}: {places}"
        raise LayoutError(msg)
    (row, col) = players[0]
    return Layout(
        level_id=level_id,
        rows=len(rows),
        cols=cols,
        walls=masks[_WALL],
        dots=masks[_DOT],
        power=masks[_POWER],
        player=row * cols + col,
        ghosts=tuple(ghosts),
    )


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


# The board of the sample interaction in the README of pacman-array. "Dots Remaining: 84" is every cell that
# is no wall, starts included; the four coordinates listed first are the power pellets.
CLASSIC = parse(
    """
    O . . . G G . . . O
    . . . . . . . . . .
    . . W W . . W W . .
    . . W W . . W W . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . W W . . W W . .
    . . W W . . W W . .
    . . . . . . . . . .
    O . . . P G . . . O
    """,
    level_id="classic",
)
