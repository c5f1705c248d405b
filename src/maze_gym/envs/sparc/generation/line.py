"""The line that a generated puzzle is built around: its two ends and its way between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from maze_gym.envs.sparc.rules.puzzle import STEPS

if TYPE_CHECKING:
    from maze_gym.envs.sparc.generation.random_stream import RandomStream
    from maze_gym.envs.sparc.rules.puzzle import Path, Position

EndPlace: TypeAlias = Literal["corner", "side", "edge"]
END_PLACES: tuple[EndPlace, ...] = get_args(EndPlace)
# How often the public puzzles begin or end there, in per cent.
_PLACE_WEIGHTS: dict[EndPlace, int] = {"corner": 28, "side": 27, "edge": 45}


def places(height: int, width: int, place: EndPlace) -> list[Position]:
    """Positions of the border where a line may begin or end: corner nodes, other nodes, or edges."""
    rows, cols = 2 * height, 2 * width
    border = [
        (row, col)
        for row in range(rows + 1)
        for col in range(cols + 1)
        if row in {0, rows} or col in {0, cols}
    ]
    if place == "edge":
        return [(row, col) for row, col in border if row % 2 or col % 2]
    corners = {(0, 0), (0, cols), (rows, 0), (rows, cols)}
    nodes = [(row, col) for row, col in border if not (row % 2 or col % 2)]
    return [each for each in nodes if (each in corners) == (place == "corner")]


def draw_ends(
    dice: RandomStream, height: int, width: int, allowed: tuple[EndPlace, ...]
) -> tuple[Position, Position]:
    """Two different places, each of a kind that is drawn first."""
    kinds = [kind for kind in allowed if places(height, width, kind)]
    drawn = []
    for _ in range(2):
        kind = dice.weighted(kinds, [_PLACE_WEIGHTS[kind] for kind in kinds])
        free = [each for each in places(height, width, kind) if each not in drawn]
        drawn.append(
            dice.choice(free or [each for each in places(height, width, "edge") if each not in drawn])
        )
    return drawn[0], drawn[1]


def draw_line(
    dice: RandomStream, height: int, width: int, start: Position, end: Position, least: int
) -> Path | None:
    """A random line that never runs into a dead end.

    Args:
        dice: draws each move among those from which the end can still be reached.
        height: rule cells from top to bottom.
        width: rule cells from left to right.
        start: where it begins.
        end: where it ends.
        least: nodes that it must visit; the end is not entered before if another way is open.

    Returns:
        Its positions; None if it had to end too early.
    """
    path = [start]
    visited = {start}
    nodes = 0
    while path[-1] != end:
        here = path[-1]
        nodes += not (here[0] % 2 or here[1] % 2)
        options = [each for each in _around(here, height, width) if each not in visited]
        onward = [each for each in options if each != end and _leads_to(each, end, visited, height, width)]
        if end in options and (nodes >= least or not onward):
            if nodes < least:
                return None
            onward = [*onward, end]
        if not onward:
            return None
        path.append(dice.choice(onward))
        visited.add(path[-1])
    return tuple(path)


def _around(here: Position, height: int, width: int) -> list[Position]:
    """The positions beside one that a line can enter, gaps aside."""
    row, col = here
    return [
        (row + down, col + right)
        for down, right in STEPS
        if 0 <= row + down <= 2 * height
        and 0 <= col + right <= 2 * width
        and not ((row + down) % 2 and (col + right) % 2)
    ]


def _leads_to(first: Position, end: Position, visited: set[Position], height: int, width: int) -> bool:
    """Whether the end can be reached from a position over ground that was not visited."""
    seen = {first}
    stack = [first]
    while stack:
        here = stack.pop()
        if here == end:
            return True
        for there in _around(here, height, width):
            if there not in seen and there not in visited:
                seen.add(there)
                stack.append(there)
    return False
