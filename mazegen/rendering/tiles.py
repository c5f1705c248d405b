"""What one cell of a maze picture looks like: a ``Look`` to shapes in the unit square.

A ``Look`` is everything that the picture of a cell depends on, so equal looks share one painted
tile. Colour is never the only cue: keys and doors carry the first letter of their colour, switches
and gates the number of the gate; locked is a full block, open is hollow; a toggle's knob changes
side and its track fills; the goal is a flag; the agent is an arrow.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mazegen.rendering.canvas.scene import GLYPH_WIDTH, Circle, Line, Polygon, Rectangle, Text, moved

if TYPE_CHECKING:
    from mazegen.rendering.canvas.scene import Shape

# Distinct for the common kinds of colour blindness in lightness as well as in hue, and each still
# what a person (or a model) calls by its name.
PAINT = {
    "red": "#cf2233",
    "blue": "#1f63d0",
    "green": "#1e9950",
    "yellow": "#f4cf1f",
    "purple": "#8a3ab9",
    "orange": "#f2820d",
    "white": "#ffffff",
    "grey": "#9aa1ad",
    "black": "#22262e",
}
INK = "#1b1f27"
PAPER = "#ffffff"
FLOOR, GRID = "#f8f5ee", "#ded8cb"
WALL, WALL_GRID = "#474f5f", "#3a4150"
START_TINT, GOAL_TINT = "#d5e5f5", "#d8efcd"
STRIP, STRIP_EDGE = "#e6e9ee", "#b7bdc8"
STEEL = "#5b6473"
LIT = "#12a594"
AGENT, AGENT_EDGE = "#e11d8f", "#3d0426"
PATH, TRAIL = "#2f7fd6", "#e3cfa6"

LINE = 0.03  # thickness of the grid
NO_AGENT = -1
_FULL = 0.5  # height of the letter on a key or a door: 5 px where a cell has 10


class Thing(Enum):
    """What a tile shows."""

    FLOOR = "floor"
    WALL = "wall"
    GOAL = "goal"
    KEY = "key"
    DOOR = "door"
    SWITCH = "switch"
    BUTTON = "button"  # a switch that only turns on
    GATE = "gate"
    STRIP = "strip"  # of the inventory
    MARK = "mark"  # a row or column number


class Look(NamedTuple):
    """Everything that the picture of one cell depends on.

    Attributes:
        thing: what is there.
        color: a name from ``PAINT``, or "".
        label: letters on it: first letter of its colour, number of the gate, how many keys are held.
        active: whether the door or gate is open, the switch is on.
        start: whether it is the start cell.
        facing: of the agent on it, 0..3, or ``NO_AGENT``.
        path: which sides the optimal path leaves by: bit 0 north, 1 east, 2 south, 3 west.
        trail: the same for the agent's own way.
    """

    thing: Thing
    color: str = ""
    label: str = ""
    active: bool = False
    start: bool = False
    facing: int = NO_AGENT
    path: int = 0
    trail: int = 0


def ground(look: Look) -> tuple[Shape, ...]:
    """The floor or wall of a tile; covers the whole unit square."""
    if look.thing is Thing.WALL:
        return _slab(WALL_GRID, WALL)
    if look.thing is Thing.MARK:
        return (Rectangle(0, 0, 1, 1, PAPER),)
    if look.thing is Thing.STRIP or (look.thing is Thing.KEY and look.active):
        return (Rectangle(0, 0, 1, 1, STRIP), Rectangle(0, 0, 2 * LINE, 1, STRIP_EDGE))
    if look.thing is Thing.GOAL:
        return _slab(GRID, GOAL_TINT)
    return _slab(GRID, START_TINT if look.start else FLOOR)


def figure(look: Look) -> tuple[Shape, ...]:
    """What stands on the ground of a tile, stays inside the unit square, and covers from back to front."""
    shapes: list[Shape] = []
    if look.trail:
        shapes += _way(look.trail, TRAIL, 0.3)
    if look.path:
        shapes += _way(look.path, PATH, 0.1)
    thing = _thing(look)
    if look.facing == NO_AGENT:
        return (*shapes, *thing)
    shapes += _agent(look.facing)
    if thing:  # what the agent stands on is shown small, in the free corner beside its nose
        row, col = ((0.02, 0.56), (0.56, 0.56), (0.56, 0.02), (0.02, 0.02))[look.facing]
        shapes.append(Circle(row + 0.21, col + 0.21, 0.22, FLOOR))
        shapes += [moved(shape, row, col, 0.42) for shape in thing]
    return tuple(shapes)


def letters(text: str, color: str, row: float, col: float, size: float, width: float) -> Text:
    """Text whose capitals are ``size`` high, smaller if it would be wider than ``width``."""
    room = width / (GLYPH_WIDTH * max(len(text), 1))
    return Text(row, col, text, min(size, room), color)


def ink_on(fill: str) -> str:
    """Black or white, whichever reads better on a colour (WCAG contrast)."""
    light = luminance(fill)
    return PAPER if 1.05 / (light + 0.05) >= (light + 0.05) / (luminance(INK) + 0.05) else INK


def luminance(color: str) -> float:
    """Relative luminance of ``"#rrggbb"``, 0 (black) to 1 (white), as WCAG 2 defines it."""
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]  # noqa: PLR2004 - sRGB
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _slab(edge: str, fill: str) -> tuple[Shape, ...]:
    return (Rectangle(0, 0, 1, 1, edge), Rectangle(LINE, LINE, 1 - 2 * LINE, 1 - 2 * LINE, fill))


def _way(sides: int, color: str, width: float) -> list[Shape]:
    """From the middle to each side in ``sides``: neighbouring tiles join to one line."""
    half = width / 2
    boxes = (
        (0.0, 0.5 - half, 0.5 + half, width),
        (0.5 - half, 0.5 - half, width, 0.5 + half),
        (0.5 - half, 0.5 - half, 0.5 + half, width),
        (0.5 - half, 0.0, width, 0.5 + half),
    )
    shapes: list[Shape] = [Rectangle(*box, color) for bit, box in enumerate(boxes) if sides >> bit & 1]
    return [*shapes, Circle(0.5, 0.5, half, color)]


def _thing(look: Look) -> tuple[Shape, ...]:
    draw = {
        Thing.GOAL: _goal,
        Thing.KEY: _key,
        Thing.DOOR: _door,
        Thing.SWITCH: _switch,
        Thing.BUTTON: _switch,
        Thing.GATE: _gate,
        Thing.MARK: _mark,
        Thing.STRIP: _mark,
    }.get(look.thing)
    if draw is not None:
        return draw(look)
    return (letters("S", STEEL, 0.5, 0.5, 0.44, 0.8),) if look.start else ()


def _goal(look: Look) -> tuple[Shape, ...]:
    """A chequered flag."""
    del look
    left, top, side = 0.29, 0.13, 0.16
    squares: list[Shape] = [Rectangle(top, left, 3 * side, 4 * side, PAPER, INK, 0.04)]
    squares += [
        Rectangle(top + row * side, left + col * side, side, side, INK)
        for row in range(3)
        for col in range(4)
        if (row + col) % 2 == 0
    ]
    return (Line(((0.14, 0.23), (0.9, 0.23)), INK, 0.09), *squares)


def _key(look: Look) -> tuple[Shape, ...]:
    """A key lying level: a disc with the letter of its colour, and a bit."""
    fill = PAINT[look.color]
    shaft = (
        Rectangle(0.43, 0.6, 0.14, 0.36, INK),
        Rectangle(0.5, 0.87, 0.24, 0.09, INK),
        Rectangle(0.5, 0.72, 0.18, 0.09, INK),
    )
    bow = Circle(0.5, 0.375, 0.335, fill, INK, 0.05)
    letter = letters(look.color[0].upper(), ink_on(fill), 0.5, 0.375, 0.44, 0.6)
    if look.active and look.label:  # in the inventory, more than one of its colour
        count = letters(look.label, INK, 0.22, 0.84, 0.24, 0.32)
        return (*shaft, bow, letter, count)
    return (*shaft, bow, letter)


def _door(look: Look) -> tuple[Shape, ...]:
    """Locked: a full block with its letter and a keyhole. Open: an empty frame, the leaf at its side."""
    fill = PAINT[look.color]
    name = look.color[0].upper()
    if look.active:
        return (
            Rectangle(0.05, 0.06, 0.08, 0.88, fill),
            Rectangle(0.87, 0.06, 0.08, 0.88, fill),
            Rectangle(0.05, 0.87, 0.9, 0.08, fill),
            Polygon(((0.05, 0.05), (0.16, 0.3), (0.84, 0.3), (0.95, 0.05)), fill, INK, 0.03),
            letters(name, INK, 0.5, 0.6, 0.34, 0.5),
        )
    ink = ink_on(fill)
    return (
        Rectangle(0.06, 0.06, 0.88, 0.88, fill, INK, 0.07, 0.04),
        letters(name, ink, 0.5, 0.4, _FULL, 0.5),
        Circle(0.44, 0.77, 0.075, ink),
        Polygon(((0.44, 0.77), (0.64, 0.84), (0.64, 0.7)), ink),
    )


def _switch(look: Look) -> tuple[Shape, ...]:
    """Above, a knob at the left (off) or right (on) of its track; below, the gates it controls.

    A switch that only turns on is a push button instead, seen from the side: up, or pressed down.
    """
    base = PAINT[look.color] if look.color else PAPER
    label = letters(look.label, INK, 0.71, 0.5, 0.44, 0.9)
    if look.thing is Thing.BUTTON:
        plate = Rectangle(0.33, 0.14, 0.1, 0.72, INK, corner=0.03)
        if look.active:
            return (Rectangle(0.25, 0.3, 0.1, 0.4, LIT, INK, 0.04), plate, label)
        return (Rectangle(0.07, 0.27, 0.34, 0.46, base, INK, 0.06, 0.1), plate, label)
    if look.active:
        return (Rectangle(0.08, 0.1, 0.34, 0.8, LIT, INK, 0.06, 0.17), Circle(0.25, 0.69, 0.15, PAPER), label)
    track = Rectangle(0.08, 0.1, 0.34, 0.8, base, INK, 0.06, 0.17)
    return (track, Circle(0.25, 0.31, 0.15, INK if base != PAINT["black"] else PAPER), label)


def _gate(look: Look) -> tuple[Shape, ...]:
    """Closed: bars from top to bottom. Open: the bars are drawn up, the way is free."""
    fill = PAINT[look.color] if look.color else STEEL
    posts = (Rectangle(0.03, 0.03, 0.94, 0.1, INK), Rectangle(0.03, 0.87, 0.94, 0.1, INK))
    places = (0.2, 0.4, 0.6, 0.8)
    if look.active:
        stubs = [Rectangle(0.03, col - 0.05, 0.2, 0.1, fill) for col in places]
        return (*stubs, *posts, letters(look.label, INK, 0.59, 0.5, 0.44, 0.66))
    bars = [Rectangle(0.05, col - 0.055, 0.9, 0.11, fill) for col in places]
    plate = Rectangle(0.24, 0.2, 0.52, 0.6, PAPER, INK, 0.05, 0.08)
    return (
        Rectangle(0.03, 0.03, 0.94, 0.94, STRIP_EDGE),
        *bars,
        Rectangle(0.03, 0.03, 0.1, 0.94, INK),
        Rectangle(0.87, 0.03, 0.1, 0.94, INK),
        *posts,
        plate,
        letters(look.label, INK, 0.5, 0.5, 0.46, 0.5),
    )


def _mark(look: Look) -> tuple[Shape, ...]:
    return (letters(look.label, STEEL, 0.5, 0.5, 0.36, 0.84),) if look.label else ()


def _agent(facing: int) -> list[Shape]:
    """An arrowhead that points where the agent looks."""
    points: tuple[tuple[float, float], ...] = ((0.1, 0.5), (0.86, 0.84), (0.68, 0.5), (0.86, 0.16))
    for _ in range(facing):  # a quarter turn to the right: (row, col) -> (col, 1 - row)
        points = tuple((col, 1 - row) for row, col in points)
    return [Polygon(points, AGENT, AGENT_EDGE, 0.06)]
