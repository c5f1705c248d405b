"""The half of the env that a language model meets: ``maze_gym.game.TextGame`` for PacmanArray."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from maze_gym.envs.pacman import text
from maze_gym.envs.pacman.rendering import compose
from maze_gym.envs.pacman.rendering.drawing import STRIP_ROWS
from maze_gym.envs.pacman.rules import Event
from maze_gym.game import Description, EpisodeSpec, Prompting, ReplyFormat
from mazegen.rendering.frames import FrameSize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.envs.pacman.rendering.drawing import Pose
    from maze_gym.envs.pacman.rules import Board, State
    from maze_gym.game import Wording

FEW_STEPS_LEFT = 20


class PacmanTextGame:
    """What ``PacmanArrayEnv`` says of its state; it holds nothing of its own."""

    reply_format = ReplyFormat.ACTION_TAG
    plan_format = ReplyFormat.ACTION_TAG

    if TYPE_CHECKING:  # the env's own, see there
        show_pellets: int
        max_shape: tuple[int, int]
        _start: State
        _limit: int

        @property
        def _state(self) -> State: ...

        @property
        def _steps(self) -> int: ...

        @property
        def _last(self) -> tuple[int, int, int] | None: ...

        @property
        def steps_left(self) -> int:
            """Steps until truncation."""

        def _playing(self) -> Board: ...

        def _pose(self) -> Pose: ...

        def action_masks(self) -> NDArray[np.bool_]:
            """Of the actions that move the player."""

    def describe(self, wording: Wording) -> Description:
        """The current state in words.

        Raises:
            ResetNeeded: there is no episode yet.
        """
        board, state = self._playing(), self._state
        places = text.Places(board.layout, wording.coordinates)
        hurry = ""
        if wording.prompting == Prompting.VERBOSE and self.steps_left <= FEW_STEPS_LEFT:
            hurry = f"\nOnly {self.steps_left} steps are left."
        texts = ("", hurry.strip(), "", "")
        if not wording.pictured:
            now = text.state_text(board, state, self._steps, places, show_pellets=self.show_pellets)
            texts = (text.level_text(board, places), now + hurry, places(state.player), self._result())
        return Description(
            text.rules_text(board.mind, wording),
            *texts,
            failed=self._last is not None and bool(self._last[1] & Event.BUMPED),
            legal=tuple(int(action) for action in np.flatnonzero(self.action_masks())),
            step=self._steps,
            steps_left=self.steps_left,
        )

    def _result(self) -> str:
        if self._last is None:
            return ""
        action, _, points = self._last
        return f"{text.action_text(action, points)}. {text.said(*self._last).message}"

    def picture(self, cell_px: int, shape: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """(height, width, 3) RGB of the current state, as ``rgb_array`` draws it.

        Raises:
            ResetNeeded: there is no episode yet.
            PictureError: the picture would be too large, or ``shape`` is too small for it.
        """
        size = FrameSize(cell_px=cell_px) if shape is None else FrameSize(box=shape)
        return compose(self._playing(), self._state, self._pose(), size)

    def picture_shape(self, cell_px: int) -> tuple[int, int]:
        """(height, width) for the largest board and the strip below it."""
        rows, cols = self.max_shape
        return (rows + STRIP_ROWS) * cell_px, cols * cell_px

    def snapshot(self) -> dict[str, Any]:
        """The whole state; cells as row and col, what is left to eat as a mask in hexadecimal."""
        board, state = self._playing(), self._state
        layout = board.layout
        row, col = layout.position(state.player)
        return {
            "row": row,
            "col": col,
            "ghosts": [list(layout.position(ghost)) for ghost in state.ghosts],
            "ghosts_spent": [index for index in range(len(state.ghosts)) if state.spent >> index & 1],
            "dots_left": state.pellets.bit_count(),
            "pellets": f"{state.pellets:x}",
            "power_timer": state.timer,
            "score": state.score,
            "phase": state.phase,
            "luck": state.luck,
        }

    def tags(self) -> dict[str, str | int]:
        """Size, and how many ghosts chase."""
        layout = self._playing().layout
        return {"rows": layout.rows, "cols": layout.cols, "ghosts": len(layout.ghosts)}

    def recipe(self) -> EpisodeSpec:
        """The layout, the ghosts' mind, and where and with which luck this episode began."""
        board = self._playing()
        layout = board.layout
        return EpisodeSpec(
            make={"layout": layout.to_rows(), "ghosts": asdict(board.mind), "max_steps": self._limit},
            reset={
                "luck": self._start.luck,
                "player": list(layout.position(layout.player)),
                "ghosts": [list(layout.position(ghost)) for ghost in layout.ghosts],
            },
        )
