"""The window of human play: keys in, pictures out."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from maze_gym.errors import NotWritten
from maze_gym.play.bindings import COMMANDS, action_bindings
from maze_gym.play.screen import BOARD_PX, draw_screen
from mazegen.core.file_errors import why
from mazegen.core.whole_file import write_whole
from mazegen.rendering import png
from mazegen.rendering.canvas import as_surface, open_display

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pygame
    from numpy.typing import NDArray

    from maze_gym.play.page import Page
    from maze_gym.play.session import PlaySession

_IDLE_MS = 250  # how often the window looks up when nothing happens
_REPEAT_MS = (350, 90)  # a key that is held acts again after the first time, then every second time
_GLIDE_MS = 90  # from cell to cell: with a key that is held one movement runs into the next
_GLIDE_FPS = 60
_GLIDE_STRIDE = 0.34  # of the way at most from one picture to the next, however slow the machine is


class PlayApp:
    """Plays a session in a window until it is closed.

    Args:
        session: what is played.
        screenshots: folder for screenshots; the current one by default.

    Attributes:
        is_running: False once the person has left.
    """

    def __init__(self, session: PlaySession, *, screenshots: str | os.PathLike[str] = ".") -> None:
        """Bind the keys; the window opens with ``run``."""
        self.session = session
        self.screenshots = Path(screenshots)
        self.is_running = True
        self._commands = self._bind()

    def run(self) -> None:
        """Open the window and play; returns when it is closed.

        Raises:
            NoDisplay: there is no screen.
            NotWritten: the episode that was left unfinished could not be recorded, and no window is left to
                say so.
        """
        page = self._page()
        window = open_display((page.height, page.width), "maze_gym")
        import pygame

        pygame.key.set_repeat(*_REPEAT_MS)
        try:
            while self.is_running:
                window.blit(page.surface, (0, 0))
                pygame.display.flip()
                events = [pygame.event.wait(_IDLE_MS), *pygame.event.get()]
                changed = sum(self.handle(event) for event in events) > 0  # each of them: no short cut
                if changed and self.is_running:
                    if self.session.is_gliding:
                        self._glide(page, window)
                    page = self._page()
        finally:
            trouble = self.session.leave()
            pygame.display.quit()
        if trouble:
            raise NotWritten(trouble)

    def _glide(self, page: Page, window: pygame.Surface) -> None:
        """Show the last action as a movement; whatever the person does next ends it."""
        import pygame

        clock = pygame.time.Clock()
        fraction = 0.0
        while not pygame.event.peek((pygame.KEYDOWN, pygame.QUIT)):
            fraction = next_fraction(fraction, clock.tick(_GLIDE_FPS))
            if fraction >= 1:
                break
            page.picture(as_surface(self.session.frame_between(fraction)), 0, 0, BOARD_PX, BOARD_PX)
            window.blit(page.surface, (0, 0))
            pygame.display.flip()
        self.session.arrive()

    def handle(self, event: pygame.event.Event) -> bool:
        """Do what an event asks for; return whether the picture may have changed."""
        import pygame

        if event.type == pygame.QUIT:
            self.is_running = False
        elif event.type == pygame.KEYDOWN and self.is_running:
            command = self._commands.get(pygame.key.name(event.key))
            if command is None:
                return False
            command()
        else:
            return event.type == pygame.WINDOWEXPOSED
        return True

    def screenshot(self) -> None:
        """Save what the window shows as a PNG."""
        import pygame

        page = self._page()
        data = pygame.image.tobytes(page.surface, "RGB")
        name = re.sub(r"[^\w-]+", "-", self.session.title).strip("-") or "level"
        try:
            path = save_numbered(self.screenshots, name, _pixels(data, page.height, page.width))
            self.session.message = f"Saved {path.name}."
        except OSError as error:
            self.session.message = f"Cannot save a screenshot: {why(error)}."

    def _page(self) -> Page:
        record = self.session.record
        return draw_screen(
            self.session, recording_to=None if record is None else Path(os.fspath(record)).name
        )

    def _bind(self) -> dict[str, Callable[[], None]]:
        session = self.session
        does: dict[str, Callable[[], None]] = {
            "hint": session.ask,
            "undo": session.undo,
            "restart": session.restart,
            "next level": session.move_on,
            "previous level": lambda: session.move_on(-1),
            "screenshot": self.screenshot,
            "quit": self._quit,
        }
        bound = {key: does[name] for name, keys in COMMANDS.items() for key in keys}
        for index, binding in enumerate(action_bindings(session.action_names)):
            for key in binding.keys:
                bound[key] = lambda index=index: session.act(index)  # type: ignore[misc]  # mypy cannot infer a default
        return bound

    def _quit(self) -> None:
        self.is_running = False


def next_fraction(fraction: float, elapsed_ms: float) -> float:
    """How far a movement has come after so much time; no further than a stride, so that it is seen."""
    return fraction + min(elapsed_ms / _GLIDE_MS, _GLIDE_STRIDE)


def save_numbered(folder: Path, name: str, frame: NDArray[np.uint8]) -> Path:
    """Write a PNG under the first free name of ``name-1.png``, ``name-2.png``, ...

    Raises:
        OSError: the folder does not exist or cannot be written to.
    """
    number = 1
    while True:
        path = folder / f"{name}-{number}.png"
        try:
            path.open("xb").close()
        except FileExistsError:
            number += 1
            continue
        try:
            write_whole(path, png.encode(frame))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path


def _pixels(data: bytes, height: int, width: int) -> NDArray[np.uint8]:
    import numpy as np

    return np.frombuffer(data, np.uint8).reshape(height, width, 3)
