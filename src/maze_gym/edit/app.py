"""The window of the level editor: mouse and keys in, pictures out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.edit.screen import TOOL_KEYS, draw_screen
from maze_gym.errors import MazeError, MazeGymError
from mazegen.core.maze import KEY_COLORS, Position
from mazegen.rendering.canvas import open_display

if TYPE_CHECKING:
    from collections.abc import Callable

    import pygame

    from maze_gym.edit.editor import Editor
    from maze_gym.play.page import Page

_IDLE_MS = 150  # the verdict is looked for when nobody has done anything for so long
_LEFT, _RIGHT = 1, 3  # mouse buttons
_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class EditorApp:
    """Edits a maze in a window until it is closed.

    Args:
        editor: what is edited.

    Attributes:
        is_running: False once the person has left.
        cursor: the framed cell; follows the mouse and the arrow keys.
    """

    def __init__(self, editor: Editor) -> None:
        """Bind the keys; the window opens with ``run``."""
        self.editor = editor
        self.is_running = True
        self.cursor: Position = editor.maze.start
        self._warned = False  # that leaving would lose changes
        self._dragging = 0  # the mouse button that is held
        self._view = draw_screen(editor, self.cursor)[1]
        self._keys = self._bind()

    def run(self) -> None:
        """Open the window and edit; returns when it is closed.

        Raises:
            NoDisplay: there is no screen.
        """
        page = self.draw()
        window = self._open(page)
        import pygame

        try:
            while self.is_running:
                if not pygame.display.get_init():  # playing the maze closed the window
                    window = self._open(page)
                window.blit(page.surface, (0, 0))
                pygame.display.flip()
                events = [pygame.event.wait(_IDLE_MS), *pygame.event.get()]
                changed = sum(self.handle(event) for event in events) > 0  # each of them: no short cut
                if events[0].type == pygame.NOEVENT and self.editor.verdict is None:
                    self.editor.judge()
                    changed = True
                if changed and self.is_running:
                    page = self.draw()
        finally:
            pygame.display.quit()

    def handle(self, event: pygame.event.Event) -> bool:
        """Do what an event asks for; return whether the picture may have changed."""
        import pygame

        if event.type == pygame.QUIT:
            self.leave()
        elif event.type == pygame.KEYDOWN:
            return self._press(pygame.key.name(event.key), held=bool(event.mod & pygame.KMOD_CTRL))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button in (_LEFT, _RIGHT):
            self._dragging = event.button
            return self._point(event.pos, use=True, dragged=False)
        elif event.type == pygame.MOUSEBUTTONUP:
            self._dragging = 0
            return False
        elif event.type == pygame.MOUSEMOTION:
            return self._point(event.pos, use=bool(self._dragging), dragged=True)
        else:
            return event.type == pygame.WINDOWEXPOSED
        return True

    def draw(self) -> Page:
        """The window as it should look now."""
        maze = self.editor.maze
        self.cursor = Position(min(self.cursor.row, maze.rows - 1), min(self.cursor.col, maze.cols - 1))
        page, self._view = draw_screen(self.editor, self.cursor)
        return page

    def leave(self) -> None:
        """Quit; with unsaved changes only when asked a second time."""
        if self.editor.is_saved or self._warned:
            self.is_running = False
            return
        self._warned = True
        self.editor.message = "No: not saved. Ctrl+S saves; quit once more to leave all the same."

    def play(self) -> None:
        """Play the maze as it is now; the editor comes back afterwards, or says why it cannot be played."""
        try:
            self._play()
        except (MazeError, MazeGymError) as error:  # what is not saved yet must not be lost with the window
            self.editor.message = f"No: {error}."
        else:
            self.editor.message = "Back from playing."

    def _play(self) -> None:
        import gymnasium as gym

        from maze_gym.envs.maze.levels.playable import MAX_STEPS_PER_OPTIMAL
        from maze_gym.play import PlayApp, PlaySession

        maze = self.editor.maze
        # The editor's proof skips what nothing listens to; the env's own search may not find a plan to go by.
        length = self.editor.judge().optimum or len(maze.walls)
        limit = maze.max_steps or MAX_STEPS_PER_OPTIMAL * length
        env = gym.make("MazeNLU-v0", maze=maze, max_steps=limit, render_mode="rgb_array", render_size=720)
        try:
            PlayApp(PlaySession(env)).run()
        finally:
            env.close()

    def _open(self, page: Page) -> pygame.Surface:
        return open_display((page.height, page.width), f"maze_gym editor: {self.editor.path.name}")

    def _press(self, key: str, *, held: bool) -> bool:
        if held:
            resizing: dict[str, Callable[[], None]] = {
                "right": lambda: self.editor.resize("cols", 1),
                "left": lambda: self.editor.resize("cols", -1),
                "down": lambda: self.editor.resize("rows", 1),
                "up": lambda: self.editor.resize("rows", -1),
                "z": self.editor.undo,
                "y": self.editor.redo,
                "s": self.editor.save,
            }
            command = resizing.get(key)
        else:
            command = self._keys.get(key)
        if command is None:
            return False
        if command != self.leave:
            self._warned = False
        command()
        return True

    def _point(self, pixel: tuple[int, int], *, use: bool, dragged: bool) -> bool:
        """Move the cursor to the cell under the mouse, and use the tool there once."""
        maze = self.editor.maze
        at = self._view.cell_at(pixel[1], pixel[0])
        if not (0 <= at.row < maze.rows and 0 <= at.col < maze.cols):
            return False
        if dragged and at == self.cursor:
            return False
        came_from, self.cursor = self.cursor, at
        if use:
            self._warned = False
            for cell in _line(came_from, at) if dragged else [at]:
                self.editor.use(cell, erase=self._dragging == _RIGHT, dragged=dragged)
        return True

    def _bind(self) -> dict[str, Callable[[], None]]:
        editor = self.editor
        bound: dict[str, Callable[[], None]] = {
            "space": lambda: editor.use(self.cursor),
            "return": lambda: editor.use(self.cursor),
            "delete": lambda: editor.use(self.cursor, erase=True),
            "r": editor.turn_start,
            "c": editor.change_key_rule,
            "u": editor.undo,
            "p": self.play,
            "q": self.leave,
            "escape": self.leave,
        }
        for tool, key in TOOL_KEYS.items():
            bound[key] = lambda tool=tool: editor.choose(tool)  # type: ignore[misc]  # mypy cannot infer a default
        for place, color in enumerate(KEY_COLORS, 1):
            bound[str(place)] = lambda color=color: editor.choose_color(color)  # type: ignore[misc]  # as above
        for key, step in _STEPS.items():
            bound[key] = lambda step=step: self._walk(*step)  # type: ignore[misc]  # as above
        return bound

    def _walk(self, rows: int, cols: int) -> None:
        maze = self.editor.maze
        row, col = self.cursor.row + rows, self.cursor.col + cols
        self.cursor = Position(min(max(row, 0), maze.rows - 1), min(max(col, 0), maze.cols - 1))


def _line(start: Position, end: Position) -> list[Position]:
    """The cells from one to another without the first: a quick hand skips none of them."""
    rows, cols = end.row - start.row, end.col - start.col
    steps = max(abs(rows), abs(cols))
    return [
        Position(start.row + round(rows * step / steps), start.col + round(cols * step / steps))
        for step in range(1, steps + 1)
    ]
