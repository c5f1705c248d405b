"""PacmanArray in words: pure functions, in the form that the README of pacman-array shows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules import Action, Event
from maze_gym.game import Coordinates, Prompting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maze_gym.envs.pacman.rules import Board, State
    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
    from maze_gym.envs.pacman.rules.layout import Layout
    from maze_gym.game import Wording

BEGINNING = "The game begins."
LEGEND = "Legend: E=Empty, W=Wall, .=Pellet, O=PowerPellet, P=Pacman, G=Ghost"
_DASHES = 12  # and three a column: the line under the header is 42 long for ten columns
# What events pay besides that of eating ghosts, which can be several.
_PAID = {Event.DOT: rules.DOT_POINTS, Event.POWER: rules.POWER_POINTS, Event.WON: rules.WIN_POINTS}
_WAYS = {action: action.name.lower() for action in Action}
_AXES = {
    Coordinates.ROW_COL: "(row, column)",
    Coordinates.ROW_COL_1: "(row, column)",
    Coordinates.X_Y: "(x, y)",
}


class Said(NamedTuple):
    """What a step is called.

    Attributes:
        names: of its events.
        event: the same in one word, as records keep it.
        message: one true sentence or more.
    """

    names: tuple[str, ...]
    event: str
    message: str


@cache
def said(action: int, events: int, points: int) -> Said:
    """What there is to say of a step; which ghosts were paid for follows from what the rules paid.

    Args:
        action: what was tried.
        events: bits of ``Event``.
        points: by which the score grew.
    """
    names = tuple(str(event.name) for event in Event if events & event)
    way = _WAYS[Action(action)]
    first = f"You cannot move {way}: the way is blocked." if events & Event.BUMPED else f"You move {way}."
    parts = [first]
    for_ghosts = points - sum(paid for event, paid in _PAID.items() if events & event)
    ghosts = for_ghosts // rules.GHOST_POINTS
    eaten = "a ghost" if ghosts == 1 else f"{ghosts} ghosts"
    for event, words in (
        (Event.DOT, f"You eat a pellet: {rules.DOT_POINTS} points."),
        (Event.POWER, f"You eat a power pellet: {rules.POWER_POINTS} points, and you can eat ghosts now."),
        (Event.GHOST, f"You eat {eaten}: {for_ghosts} points."),
        (Event.AGAIN, "You eat a ghost again: no points until the next power pellet."),
        (Event.DIED, "A ghost has caught you: the game is lost."),
        (Event.WON, f"Nothing is left to eat: you have won, {rules.WIN_POINTS} points."),
    ):
        if events & event:
            parts.append(words)
    return Said(names, "+".join(names) or "MOVED", " ".join(parts))


class Places:
    """How a text names cells."""

    def __init__(self, layout: Layout, coordinates: Coordinates = Coordinates.ROW_COL) -> None:
        """Name the cells of a layout."""
        self._layout = layout
        self._coordinates = coordinates
        self.axes = _AXES[coordinates]
        self.first = int(coordinates == Coordinates.ROW_COL_1)

    def __call__(self, cell: int) -> str:
        """One cell, as in ``(3, 4)``."""
        row, col = self._layout.position(cell)
        if self._coordinates == Coordinates.X_Y:
            row, col = col, row
        return f"({row + self.first}, {col + self.first})"

    def all(self, cells: Iterable[int]) -> str:
        """Several, separated by commas."""
        return ", ".join(map(self, cells))


def board_text(board: Board, state: State, places: Places) -> str:
    """The numbered array. Of things on one cell the first of P, G, O and ``.`` is shown."""
    layout = board.layout
    first = places.first
    header = "Row/Col:" + "".join(f"{col + first:3d}" for col in range(layout.cols))
    lines = [
        f"2D Array Representation ({layout.rows}x{layout.cols}):",
        LEGEND,
        "",
        header,
        "-" * (_DASHES + 3 * layout.cols),
    ]
    for row in range(layout.rows):
        symbols = (symbol(board, state, row * layout.cols + col) for col in range(layout.cols))
        lines.append(f"Row {row + first:2d}:" + "".join(f"{each:>3}" for each in symbols))
    return "\n".join(lines)


def symbol(board: Board, state: State, cell: int) -> str:
    """What the array shows in a cell."""
    if cell == state.player:
        return "P"
    if cell in state.ghosts:
        return "G"
    if state.pellets >> cell & 1:
        return "O" if board.power >> cell & 1 else "."
    return "W" if board.layout.walls >> cell & 1 else "E"


def state_text(
    board: Board, state: State, steps: int, places: Places | None = None, *, show_pellets: int = 0
) -> str:
    """Array, score, power, and where everyone is.

    Args:
        board: the board.
        state: the state.
        steps: actions taken.
        places: how cells are named; by default (row, column) counted from 0.
        show_pellets: how many pellets are listed with their coordinates, power pellets first, then
            row by row; ``...`` stands for the rest, and 0 leaves the line out.
    """
    places = places or Places(board.layout)
    lines = [
        board_text(board, state, places),
        "",
        # The README shows one "Reward" beside two totals; it is read as a total too.
        f"Score: {state.score} | Reward: {state.score / rules.POINTS_PER_REWARD:.2f} | Steps: {steps}",
        f"Dots Remaining: {state.pellets.bit_count()}",
        f"Powered Up: {state.timer > 0} | Power Timer: {state.timer}",
        f"Pacman Coordinates {places.axes}: {places(state.player)}",
        f"Ghost Coordinates {places.axes}: {places.all(state.ghosts)}",
    ]
    if show_pellets:
        lines.append(f"Pellet Coordinates {places.axes}: {_pellets(board, state, places, show_pellets)}")
    return "\n".join(lines)


def _pellets(board: Board, state: State, places: Places, most: int) -> str:
    left = [cell for cell in range(board.layout.cells) if state.pellets >> cell & 1]
    left.sort(key=lambda cell: not board.power >> cell & 1)  # stable: row by row within each kind
    shown = places.all(left[:most])
    return f"{shown}, ..." if len(left) > most else shown or "none"


def action_text(action: int, points: int) -> str:
    """The first line of an answer to an action, as in ``Action: 2 (LEFT) - Reward: 0.10``."""
    return f"Action: {action} ({Action(action).name}) - Reward: {points / rules.POINTS_PER_REWARD:.2f}"


def level_text(board: Board, places: Places) -> str:
    """The board as it was at the start, in a sentence or two."""
    layout = board.layout
    counted = "from 1" if places.first else "from 0"
    pellets, power, ghosts = layout.pellets.bit_count(), layout.power.bit_count(), len(layout.ghosts)
    return (
        f"The board has {layout.rows} rows and {layout.cols} columns, {_several(pellets, 'pellet')} (of "
        f"which {_several(power, 'power pellet')}) and {_several(ghosts, 'ghost')}. Cells are named "
        f"{places.axes}, counted {counted} from the top-left corner. You start at {places(layout.player)}, "
        f"the {'ghost' if ghosts == 1 else 'ghosts'} at {places.all(layout.ghosts)}."
    )


def _several(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def rules_text(mind: GhostBehaviour, wording: Wording) -> str:
    """The task, and as much about how things work as ``wording.prompting`` asks for."""
    parts = ["You are Pacman on a grid. Eat all pellets and power pellets; do not touch a ghost."]
    if wording.prompting != Prompting.MINIMAL:
        parts.append(_standard_rules(mind))
    if wording.prompting == Prompting.VERBOSE:
        parts.append(_DETAILS)
    if wording.pictured:
        parts.append(_PICTURED)
    return "\n\n".join(parts)


def _standard_rules(mind: GhostBehaviour) -> str:
    return f"""\
Rules:
- UP moves you to row - 1, DOWN to row + 1, LEFT to column - 1, RIGHT to column + 1. Walls and the edge \
of the board block the way.
- A pellet brings {rules.DOT_POINTS} points, a power pellet {rules.POWER_POINTS}.
- A power pellet gives you power for {rules.POWER_STEPS} steps. With power you eat the ghosts that you \
touch, for {rules.GHOST_POINTS} points each, and they go back to where they started.
- A ghost that touches you while you have no power ends the game.
- {_mind_text(mind)}
- When nothing is left to eat you have won: {rules.WIN_POINTS} points."""


def _mind_text(mind: GhostBehaviour) -> str:
    if mind.chase == "path":
        chase = "After each of your moves every ghost takes a shortest way around walls towards you."
    else:
        chase = (
            "After each of your moves every ghost moves to a cell that has a smaller Manhattan distance to "
            "you, and stays where walls leave none."
        )
    ties = (
        " Between equally good moves it chooses at random."
        if mind.random_ties
        else " Of equally good moves it takes the first of LEFT, RIGHT, UP, DOWN."
    )
    flee = " While you have power the ghosts run from you." if mind.flee else ""
    scatter = (
        f" In turns, ghosts head for the corners for {rules.SCATTER_STEPS} steps and chase you for "
        f"{rules.CHASE_STEPS}."
        if mind.scatter
        else ""
    )
    return chase + ties + flee + scatter


_DETAILS = f"""\
Details:
- In each step you move and eat first; you meet the ghosts on your new cell; then they move, and meet you \
where you are. You cannot swap places with a ghost.
- The pellet on the cell where you start is eaten only when you come back to it.
- An action that is blocked costs a step, and the ghosts move.
- A power pellet works from the step in which you eat it, and for the {rules.POWER_STEPS} steps after \
it; the power timer counts the steps to come. Another one starts the count anew.
- A ghost pays once per power pellet. Eaten again before the next one it goes back for nothing.
- Several ghosts can share a cell, and they can stand on pellets without eating them.
- If you meet a ghost without power on the last pellet, the game is lost."""
_PICTURED = (
    "The picture shows the board from above, the first row at the top. Blue blocks are walls, small dots "
    "pellets, large ringed dots power pellets. The yellow disc with a mouth is you; the mouth points where "
    "you last moved. "
    "The figures with a wavy hem are ghosts, each with a number. While you have power they are blue or "
    "white, with a zigzag mouth; a hollow one pays nothing until the next power pellet. The strip at the "
    "bottom shows the score, what is left to eat, and the steps of power that are left."
)
