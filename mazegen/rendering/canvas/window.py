"""A window that shows frames: for people, and the only thing here that needs a display."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from mazegen.rendering.canvas.errors import NoDisplay
from mazegen.rendering.canvas.requirements import require

if TYPE_CHECKING:
    import numpy as np
    import pygame
    from numpy.typing import NDArray

# What SDL falls back to where there is no screen: fine when asked for, a surprise otherwise.
_HEADLESS_DRIVERS: Final = ("dummy", "offscreen", "evdev")


def open_display(size: tuple[int, int], title: str) -> pygame.Surface:
    """Open the window, or give the open one a new size; starts video and fonts, no sound.

    Args:
        size: (height, width) in pixels.
        title: what its bar says.

    Raises:
        NoDisplay: there is no screen; says what to use instead.
        MissingPainter: pygame is not installed.
    """
    require("pygame")
    import pygame

    asked = os.environ.get("SDL_VIDEODRIVER", "")
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    if not asked and sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        raise NoDisplay(_advice("neither DISPLAY nor WAYLAND_DISPLAY is set"))
    try:
        pygame.display.init()
        pygame.font.init()
        surface = pygame.display.set_mode((size[1], size[0]))
    except pygame.error as error:
        pygame.display.quit()
        raise NoDisplay(_advice(str(error))) from error
    if not asked and pygame.display.get_driver() in _HEADLESS_DRIVERS:
        pygame.display.quit()
        raise NoDisplay(_advice("SDL found no screen"))
    pygame.display.set_caption(title)
    return surface


def as_surface(frame: NDArray[np.uint8]) -> pygame.Surface:
    """A frame, (height, width, 3) RGB, as a surface; needs no display."""
    import pygame

    return pygame.image.frombytes(frame.tobytes(), (frame.shape[1], frame.shape[0]), "RGB")


class Window:
    """Shows one frame after the other at a steady rate and keeps answering the system.

    Args:
        title: what its bar says.
        fps: frames a second; ``show`` waits as long as that takes. 0 for no wait.

    Attributes:
        was_closed: whether the person closed it; then it stays closed until ``reopen``.
    """

    def __init__(self, title: str, fps: float) -> None:
        """Open nothing yet: that happens with the first frame."""
        self.title, self.fps = title, fps
        self.was_closed = False
        self._surface: pygame.Surface | None = None
        self._clock: pygame.time.Clock | None = None

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Show a frame, (height, width, 3) RGB; nothing happens once the person has closed the window.

        Raises:
            NoDisplay: there is no screen.
        """
        if self.was_closed:
            return
        height, width, _ = frame.shape
        if self._surface is None or self._surface.get_size() != (width, height):
            self._surface = open_display((height, width), self.title)
        import pygame

        self._surface.blit(as_surface(frame), (0, 0))
        pygame.display.flip()
        self._wait()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.was_closed = True
            self.close()

    def reopen(self) -> None:
        """Let the next frame open the window again after the person closed it."""
        self.was_closed = False

    def close(self) -> None:
        """Close the window if it is open; safe to call again."""
        if self._surface is not None:
            import pygame

            self._surface = self._clock = None
            pygame.display.quit()

    def __getstate__(self) -> dict[str, object]:
        """Travel without the window itself: no pygame object can be pickled or copied."""
        return self.__dict__ | {"_surface": None, "_clock": None}

    def _wait(self) -> None:
        import pygame

        if self._clock is None:
            self._clock = pygame.time.Clock()
        if self.fps > 0:
            self._clock.tick(self.fps)


def _advice(why: str) -> str:
    return (
        f"no display to open a window on ({why}); set DISPLAY to a screen, or over ssh connect with -X; "
        "pictures as arrays and files need no display"
    )
