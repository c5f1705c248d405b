"""What one cell of a Pacman picture looks like: a ``Look`` to shapes in the unit square.

A ``Look`` is everything that the picture of a cell depends on, so equal looks share one painted tile. Colour
is never the only cue: every ghost bears its number, a ghost that can be eaten has a zigzag mouth, one that
pays nothing is hollow, a power pellet is larger and ringed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mazegen.rendering.canvas.scene import Circle, Line, Polygon, Rectangle, Text, moved

if TYPE_CHECKING:
    from mazegen.rendering.canvas.scene import Shape

FLOOR = "#10141f"
WALL, WALL_EDGE = "#24386e", "#5f86ea"
PELLET, POWER, POWER_RING = "#ffd9a8", "#fff3d6", "#ff9f43"
PLAYER, PLAYER_EDGE = "#ffd93b", "#8a6a00"
INK, EYE = "#10141f", "#ffffff"
# Lightness differs as well as hue; beyond the arcade's four for boards with more ghosts.
GHOSTS = ("#ef3b3b", "#ffb0de", "#35d6e6", "#ff9d2e", "#6fd36a", "#b48cf2", "#c9ced8", "#c58f5c")
SCARED, SCARED_FACE = "#2f4be0", "#ffe9c9"
FADING, FADING_FACE = "#f4f6ff", "#d2232a"  # power is about to end

# Neighbours of a cell, in the order of the bits of ``Look.joined``.
AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
_HEM = 0.84  # row at which a ghost ends
_TEETH = 3


class Ghost(NamedTuple):
    """How a ghost looks.

    Attributes:
        number: which one it is.
        mood: ``"hunting"``, ``"scared"``, ``"fading"`` (scared, not for long) or ``"spent"``.
        gaze: row and column direction of its eyes, each -1, 0 or 1.
    """

    number: int
    mood: str = "hunting"
    gaze: tuple[int, int] = (0, 0)


class Look(NamedTuple):
    """Everything that the picture of a cell depends on.

    Attributes:
        joined: for a wall, bits of the walls around it as in ``AROUND``; -1 for floor.
        pellet: 0 nothing, 1 a pellet, 2 a power pellet.
        facing: where the player looks, as an ``Action``; -1 where it is not here.
        open_mouth: how the player's mouth is.
        ghosts: who is here.
    """

    joined: int = -1
    pellet: int = 0
    facing: int = -1
    open_mouth: bool = True
    ghosts: tuple[Ghost, ...] = ()


def shapes(look: Look) -> list[Shape]:
    """The cell in the unit square, back to front; the background is ``FLOOR``."""
    drawn: list[Shape] = [Rectangle(0, 0, 1, 1, FLOOR)]
    if look.joined >= 0:
        return [*drawn, *_wall(look.joined, 0.06, WALL_EDGE), *_wall(look.joined, 0.13, WALL)]
    figures = [_ghost(ghost) for ghost in look.ghosts]
    if look.facing >= 0:
        figures.append(_player(look.facing, open_mouth=look.open_mouth))
    if not figures:
        drawn += _pellet(look.pellet)
    side = rank(len(figures))
    for place, figure in enumerate(figures):
        row, col = divmod(place, side)
        drawn += [moved(shape, row / side, col / side, 1 / side) for shape in figure]
    return drawn


def rank(figures: int) -> int:
    """How many figures stand side by side where so many share a cell."""
    return 1 if figures <= 1 else 2 if figures <= 4 else 3  # noqa: PLR2004 - two by two


def _wall(joined: int, inset: float, fill: str) -> list[Shape]:
    """A rounded block that grows together with the walls around it."""
    is_wall = {step: bool(joined >> bit & 1) for bit, step in enumerate(AROUND)}
    inner = 1 - 2 * inset
    drawn: list[Shape] = [Rectangle(inset, inset, inner, inner, fill, corner=0.16)]
    start = {-1: 0.0, 0: inset, 1: 0.5}
    length = {-1: 0.5, 0: inner, 1: 0.5}
    for step, there in is_wall.items():
        row, col = step
        if not there or (row and col and not (is_wall[row, 0] and is_wall[0, col])):
            continue
        drawn.append(Rectangle(start[row], start[col], length[row], length[col], fill))
    return drawn


def _pellet(kind: int) -> list[Shape]:
    if kind == 1:
        return [Circle(0.5, 0.5, 0.09, PELLET)]
    if kind:
        return [Circle(0.5, 0.5, 0.27, FLOOR, POWER_RING, 0.05), Circle(0.5, 0.5, 0.18, POWER)]
    return []


def _player(facing: int, *, open_mouth: bool) -> list[Shape]:
    """A disc with a wedge cut out; ``Action`` order up, down, left, right."""
    row, col = ((-1, 0), (1, 0), (0, -1), (0, 1))[facing]
    gape = 0.3 if open_mouth else 0.1
    reach = 0.45
    lips = tuple(
        (0.5 + row * reach + side * col * gape, 0.5 + col * reach + side * row * gape) for side in (-1, 1)
    )
    # The eye is above the mouth, or beside it where the mouth points up or down.
    eye = (0.5 - 0.2 * abs(col) + 0.02 * row, 0.5 - 0.2 * abs(row) + 0.04 * col)
    return [
        Circle(0.5, 0.5, 0.4, PLAYER, PLAYER_EDGE, 0.03),
        Polygon(((0.5 - 0.1 * row, 0.5 - 0.1 * col), *lips), FLOOR),
        Circle(*eye, 0.055, INK),
    ]


def _ghost(ghost: Ghost) -> list[Shape]:
    body, face = {
        "hunting": (GHOSTS[ghost.number], INK),
        "scared": (SCARED, SCARED_FACE),
        "fading": (FADING, FADING_FACE),
        "spent": (GHOSTS[ghost.number], GHOSTS[ghost.number]),
    }[ghost.mood]
    drawn = _sheet(0.0, body)
    if ghost.mood == "spent":
        drawn += _sheet(0.07, FLOOR)
    if ghost.mood in ("hunting", "spent"):
        drawn += _eyes(ghost.gaze)
    else:
        drawn += [Circle(0.36, 0.39, 0.05, face), Circle(0.36, 0.61, 0.05, face)]
        zigzag = tuple((0.69 + 0.05 * (-1) ** tooth, 0.3 + 0.08 * tooth) for tooth in range(6))
        drawn.append(Line(zigzag, face, 0.04))
    at = 0.65 if ghost.mood in ("hunting", "spent") else 0.51
    drawn.append(Text(at, 0.5, str(ghost.number), 0.2 if at > 0.6 else 0.15, face))  # noqa: PLR2004 - see above
    return drawn


def _sheet(inset: float, fill: str) -> list[Shape]:
    """A ghost's body: a dome, straight sides, a wavy hem."""
    left, right, low = 0.14 + inset, 0.86 - inset, _HEM - inset
    radius = (right - left) / 2
    width = (right - left) / _TEETH
    hem: list[tuple[float, float]] = []
    for tooth in range(_TEETH):
        hem += [(low + 0.06, left + tooth * width), (low + 0.06, left + (tooth + 0.6) * width)]
        hem.append((low - 0.06, left + (tooth + 0.8) * width))
    hem[-1] = (low + 0.06, right)
    return [
        Circle(0.09 + inset + radius, 0.5, radius, fill),
        Polygon(((0.09 + inset + radius, right), (0.09 + inset + radius, left), *hem), fill),
    ]


def _eyes(gaze: tuple[int, int]) -> list[Shape]:
    row, col = gaze
    drawn: list[Shape] = []
    for middle in (0.36, 0.64):
        drawn.append(Circle(0.39, middle, 0.11, EYE))
        drawn.append(Circle(0.39 + 0.045 * row, middle + 0.045 * col, 0.06, "#1a2b8f"))
    return drawn
