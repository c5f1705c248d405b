"""What a person sees while editing: the board with its coordinates, tools, colours and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.edit import changes
from maze_gym.edit.editor import Tool
from maze_gym.play.page import BAD, CARD, GOOD, INK, LARGE, SMALL, SOFT, Page, line_height
from mazegen.core.maze import KEY_COLORS, Position
from mazegen.rendering.canvas import as_surface
from mazegen.rendering.drawing import Style
from mazegen.rendering.frames import FrameComposer, FrameSize
from mazegen.rendering.tiles import PAINT

if TYPE_CHECKING:
    from maze_gym.edit.editor import Editor

BOARD_PX = 760
PANEL_PX = 340
MARGIN_PX = 16
_COLUMN = BOARD_PX + MARGIN_PX
_WIDTH = PANEL_PX - 2 * MARGIN_PX
_CURSOR, _SELECTED = "#1f63d0", "#e11d8f"

TOOL_KEYS = {
    Tool.WALL: "w",
    Tool.FLOOR: "x",
    Tool.START: "s",
    Tool.GOAL: "g",
    Tool.KEY: "k",
    Tool.DOOR: "d",
    Tool.SWITCH: "t",
    Tool.GATE: "a",
    Tool.LINK: "l",
    Tool.FLIP: "f",
    Tool.KIND: "o",
}
COMMANDS = (
    ("Space", "use the tool on the framed cell"),
    ("R", "turn the start"),
    ("C", "keys are kept / used up"),
    ("Ctrl+arrows", "size of the board"),
    ("Ctrl+Z / Y", "undo / redo"),
    ("P", "play it"),
    ("Ctrl+S", "save"),
    ("Q", "quit"),
)


class BoardView(NamedTuple):
    """Where the board lies in the window.

    Attributes:
        top: of cell (0, 0), in pixels.
        left: of cell (0, 0), in pixels.
        cell_px: pixels a cell.
    """

    top: int
    left: int
    cell_px: int

    def cell_at(self, row_px: int, col_px: int) -> Position:
        """The cell under a pixel; may lie outside the board."""
        return Position((row_px - self.top) // self.cell_px, (col_px - self.left) // self.cell_px)


def draw_screen(editor: Editor, cursor: Position) -> tuple[Page, BoardView]:
    """The whole window as a page of 760 x 1100 pixels, and where the board lies in it."""
    page = Page(BOARD_PX, BOARD_PX + PANEL_PX)
    size, style = FrameSize(box=(BOARD_PX, BOARD_PX)), Style(orientation=True, inventory=False)
    composer = FrameComposer(editor.maze, size=size, style=style)
    page.picture(as_surface(composer.frame(composer.drawing.board.start)), 0, 0, BOARD_PX, BOARD_PX)
    view = BoardView(*composer.origin, composer.cell_px)
    if editor.selected is not None:
        _frame(page, view, editor.selected.position, _SELECTED)
    _frame(page, view, cursor, _CURSOR)
    row = _heading(page, editor)
    row = _verdict(page, editor, row)
    row = _message(page, editor, cursor, row)
    row = _tools(page, editor, row)
    for keys, meaning in COMMANDS:
        row = page.key(row, _COLUMN, keys, meaning)
    return page, view


def _frame(page: Page, view: BoardView, at: Position, color: str) -> None:
    import pygame

    box = pygame.Rect(
        view.left + at.col * view.cell_px, view.top + at.row * view.cell_px, view.cell_px, view.cell_px
    )
    pygame.draw.rect(page.surface, color, box, width=max(2, view.cell_px // 14))


def _heading(page: Page, editor: Editor) -> int:
    name = editor.path.name if len(editor.path.name) <= 24 else f"…{editor.path.name[-23:]}"  # noqa: PLR2004 - fits
    row = page.text(MARGIN_PX, _COLUMN, name, size=LARGE)
    maze = editor.maze
    keys = "a door uses its key up" if maze.rules.key_consumption else "keys are kept"
    state = "saved" if editor.is_saved else "not saved"
    return page.text(row, _COLUMN, f"{maze.rows} x {maze.cols}, {keys}, {state}", size=SMALL, color=SOFT) + 6


def _verdict(page: Page, editor: Editor, row: int) -> int:
    page.box(row, _COLUMN, 88, _WIDTH)
    left, width = _COLUMN + 10, _WIDTH - 20
    verdict = editor.verdict
    if verdict is None:
        page.text(row + 8, left, "Checking ...", color=SOFT)
        return row + 88 + 6
    if verdict.is_solvable:
        below = page.text(row + 6, left, f"Solvable in {verdict.optimum} actions", color=GOOD)
        if verdict.unnecessary:
            words, color = f"Not needed: {', '.join(verdict.unnecessary)}", BAD
        elif editor.maze.mechanisms:
            words, color = "Every mechanism is needed", GOOD
        else:
            words, color = "No mechanisms", SOFT
        below = page.paragraph(below, left, words, width, size=SMALL, color=color)
    elif verdict.is_solvable is None:
        below = page.text(row + 6, left, "Too large to be proved", color=SOFT)
    else:
        below = page.text(row + 6, left, "It cannot be solved", color=BAD)
    remarks = "; ".join(verdict.remarks)
    lines = (row + 86 - below) // line_height(SMALL)
    for line in page.wrap(remarks, width, SMALL)[:lines]:
        below = page.text(below, left, line, size=SMALL, color=SOFT)
    return row + 88 + 6


def _message(page: Page, editor: Editor, cursor: Position, row: int) -> int:
    page.box(row, _COLUMN, 84, _WIDTH)
    left, width = _COLUMN + 10, _WIDTH - 20
    refused = editor.message.startswith("No: ")
    below = page.paragraph(row + 6, left, editor.message, width, color=BAD if refused else INK)
    words = changes.describe(editor.maze, cursor)
    page.paragraph(max(below, row + 84 - line_height(SMALL) * 2), left, words, width, size=SMALL, color=SOFT)
    return row + 84 + 8


def _tools(page: Page, editor: Editor, row: int) -> int:
    half = _WIDTH // 2
    tools = list(Tool)
    short, long = tools[:8], tools[8:]  # the last ones have long names
    for place, tool in enumerate(short):
        column = _COLUMN + half * (place % 2)
        below = page.key(row, column, TOOL_KEYS[tool].upper(), tool.value, chosen=tool is editor.tool)
        row = below if place % 2 else row
    for tool in long:
        row = page.key(row, _COLUMN, TOOL_KEYS[tool].upper(), tool.value, chosen=tool is editor.tool)
    for place, color in enumerate(KEY_COLORS):
        chosen = color == editor.color
        page.box(row, _COLUMN + place * 50, 26, 44, fill=PAINT[color], edge=INK if chosen else CARD)
        label = f"{place + 1} {color[0].upper()}"
        dark = color in ("yellow", "orange", "green")
        page.text(row + 4, _COLUMN + place * 50 + 10, label, size=SMALL, color=INK if dark else CARD)
        if chosen:
            page.box(row + 28, _COLUMN + place * 50 + 10, 4, 24, fill=INK, edge=INK)
    return row + 26 + 12


__all__ = ["COMMANDS", "TOOL_KEYS", "BoardView", "draw_screen"]
