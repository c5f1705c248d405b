"""The rules of SpatialGym as a prompt tells them, and a worked example of our own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from maze_gym.envs.sparc import text
from maze_gym.envs.sparc.rules.constraints import REGION_RULE, RULES
from maze_gym.envs.sparc.rules.puzzle import Color, Kind, Puzzle, Symbol
from maze_gym.envs.sparc.search.plans import actions_along
from maze_gym.game import Coordinates, Example, Prompting

if TYPE_CHECKING:
    from maze_gym.game import Wording

TASK = "Draw a line on a board, from its start to its end, so that every rule on the board is obeyed."
_TRIANGLES, _DOTTED = (1, 3), (2, 2)
EXAMPLE = Puzzle(
    "worked example",
    height=2,
    width=2,
    start=(4, 0),
    end=(0, 4),
    gaps=((1, 0),),
    dots=(_DOTTED,),
    symbols=(
        ((1, 1), Symbol(Kind.SQUARE, Color.RED)),
        (_TRIANGLES, Symbol(Kind.TRIANGLE, Color.WHITE, count=2)),
        ((3, 1), Symbol(Kind.POLYOMINO, Color.YELLOW, shape=19)),
        ((3, 3), Symbol(Kind.SQUARE, Color.BLUE)),
    ),
    shapes=((19, ((0, 0), (0, 1), (1, 0))),),
)
EXAMPLE_LINE = ((4, 0), (4, 1), (4, 2), (3, 2), (2, 2), (2, 3), (2, 4), (1, 4), (0, 4))


def rules_text(wording: Wording, *, backtracking: bool) -> str:
    """The task, and as much about how things work as ``wording.prompting`` asks for."""
    parts = [TASK]
    if wording.prompting != Prompting.MINIMAL:
        parts.append(_moves(wording.coordinates, backtracking=backtracking))
        parts.append("\n".join(["Rules:", *(f"- {sentence}" for _, sentence in RULES), f"- {REGION_RULE}"]))
    if wording.prompting == Prompting.VERBOSE:
        parts.append(_details(backtracking=backtracking))
    if wording.pictured:
        parts.append(_PICTURED)
        parts.append(_positions(text.Places(wording.coordinates)))
    return "\n\n".join(parts)


def _moves(coordinates: Coordinates, *, backtracking: bool) -> str:
    row, column = ("y", "x") if coordinates == Coordinates.X_Y else ("row", "column")
    back = (
        "A move back onto the position before takes the last move back; what lay there is there again."
        if backtracking
        else "A move cannot be taken back."
    )
    return (
        "The board consists of rule cells and of the lanes around and between them. Each action moves the "
        f"head of the line to a neighbouring position: RIGHT to {column} + 1, UP to {row} - 1, LEFT to "
        f"{column} - 1, DOWN to {row} + 1. From one corner of a rule cell to the next are two moves, with "
        f"the edge between them. {back}"
    )


def _positions(places: text.Places) -> str:
    return (
        f"Positions are {places.axes}, counted from {places.first} from the top-left corner of the board; "
        "the corners of rule cells and the edges between them count alike."
    )


def _details(*, backtracking: bool) -> str:
    end = (
        "- The line is judged when it arrives at the end, and not before; then the task is over."
        if backtracking
        else "- The line is judged when it arrives at the end, and not before; then the task is over. It is "
        "over too, and failed, when the line can move no more."
    )
    return f"""\
Details:
- An action that is not possible changes nothing and costs a step.
{end}
- Start and end can lie on an edge; such an edge counts as touched by the line.
- An empty rule cell has no rule of its own, but is part of its region: polyominoes have to cover it too.
- Squares do not mind other symbols in their region, and only stars mind how many symbols have a colour."""


_PICTURED = (
    "The picture shows the board from above. The dark lanes are where the line can go. The large disc is "
    "the start, the short stub that leaves the board is the end. The bright line is what has been drawn; its "
    "head is ringed. A lane that is interrupted is a gap, a dark hexagon on a lane is a dot. In the rule "
    "cells: a rounded square is a square, an eight-pointed star a star, small triangles are triangles, "
    "filled blocks are a polyomino, hollow blocks a ylop. The letter in a corner of a rule cell is the first "
    "of its symbol's colour (K for black)."
)


@cache
def worked_example(coordinates: Coordinates) -> Example:
    """A small board with its solution, and why it is one."""
    places = text.Places(coordinates)
    why = (
        f"The line passes through the dot at {places(_DOTTED)} and touches two edges of the rule cell "
        f"{places(_TRIANGLES)} with its two triangles. It cuts off the rule cell {places((3, 3))} with the "
        "blue square; the other three rule cells are a region with the red square as its only square, and "
        f"the shape fills them exactly. It does not enter the gap at {places((1, 0))}."
    )
    board = text.board_text(EXAMPLE.tokens, places)
    line = f"A solution, as positions {places.axes}: {places.all(EXAMPLE_LINE)}"
    parts = [text.level_text(EXAMPLE, places), board, line, why]
    return Example("\n".join(parts), actions_along(EXAMPLE_LINE), EXAMPLE.start)
