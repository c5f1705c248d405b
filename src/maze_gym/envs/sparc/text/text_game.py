"""The half of the env that a language model meets: ``maze_gym.game.TextGame`` for SpatialGym."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maze_gym.envs.sparc import text
from maze_gym.envs.sparc.levels.playable import CHOICES
from maze_gym.envs.sparc.levels.record import to_record
from maze_gym.envs.sparc.rendering import compose, picture_shape
from maze_gym.envs.sparc.rules import Event
from maze_gym.envs.sparc.rules.puzzle import STEPS
from maze_gym.envs.sparc.text.rules_text import rules_text, worked_example
from maze_gym.game import Description, EpisodeSpec, Prompting, ReplyFormat, Route
from mazegen.rendering.frames import FrameSize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from maze_gym.envs.sparc.observation import Frame
    from maze_gym.envs.sparc.rules import State
    from maze_gym.envs.sparc.rules.puzzle import Puzzle
    from maze_gym.game import Wording

FEW_STEPS_LEFT = 20


class SpatialTextGame:
    """What ``SpatialGymEnv`` says of its state; it holds nothing of its own."""

    reply_format = ReplyFormat.FINAL
    plan_format = ReplyFormat.COORDINATES
    action_steps = STEPS

    if TYPE_CHECKING:  # the env's own, see there
        backtracking: bool
        frame: Frame
        _state: State
        _steps: int
        _limit: int
        _possible: int
        _told: tuple[Event | None, str]

        @property
        def steps_left(self) -> int:
            """Steps until truncation."""

        def _playing(self) -> Puzzle: ...

    def describe(self, wording: Wording) -> Description:
        """The current state in words.

        Raises:
            ResetNeeded: there is no episode yet.
        """
        puzzle, state = self._playing(), self._state
        possible = CHOICES[self._possible]
        places = text.Places(wording.coordinates)
        is_verbose = wording.prompting == Prompting.VERBOSE
        hurry = ""
        if is_verbose and self.steps_left <= FEW_STEPS_LEFT:
            hurry = f"Only {self.steps_left} steps are left."
        texts = ("", hurry, "", "")
        if not wording.pictured:
            now = [text.state_text(puzzle, state, possible, places)]
            now += [text.surroundings_text(puzzle, state, places)] * is_verbose + [hurry] * bool(hurry)
            event, message = self._told
            texts = (
                text.level_text(puzzle, places),
                "\n".join(now),
                places(state.path[-1]),
                "" if event is None else message,
            )
        tells = wording.prompting != Prompting.MINIMAL and not wording.pictured
        return Description(
            rules_text(wording, backtracking=self.backtracking),
            *texts,
            failed=self._told[0] == Event.BLOCKED,
            legal=possible,
            step=self._steps,
            steps_left=self.steps_left,
            route=Route(STEPS, state.path[-1], (puzzle.rows, puzzle.cols)),
            example=worked_example(wording.coordinates) if tells else None,
        )

    def picture(self, cell_px: int, shape: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """(height, width, 3) RGB of the current state, as ``rgb_array`` draws it.

        Raises:
            ResetNeeded: there is no episode yet.
            PictureError: the picture would be too large, or ``shape`` is too small for it.
        """
        size = FrameSize(cell_px=cell_px) if shape is None else FrameSize(box=shape)
        return compose(self._playing(), self._state.path, size)

    def picture_shape(self, cell_px: int) -> tuple[int, int]:
        """(height, width) for the largest board."""
        rows, cols = picture_shape(self.frame.rows, self.frame.cols)
        return rows * cell_px, cols * cell_px

    def snapshot(self) -> dict[str, Any]:
        """The whole state: where the line has been, as row and col, its head apart."""
        self._playing()
        row, col = self._state.path[-1]
        return {"row": row, "col": col, "path": [list(position) for position in self._state.path]}

    def tags(self) -> dict[str, str | int]:
        """Size in rule cells, symbols, kinds of rules, and difficulty where it is known."""
        puzzle = self._playing()
        kinds = {symbol.kind for _, symbol in puzzle.symbols}
        found: dict[str, str | int] = {
            "rows": puzzle.height,
            "cols": puzzle.width,
            "symbols": len(puzzle.symbols),
            "rules": len(kinds) + bool(puzzle.gaps) + bool(puzzle.dots),
        }
        return found if puzzle.level is None else found | {"difficulty": puzzle.level}

    def recipe(self) -> EpisodeSpec:
        """The puzzle itself and how it is played."""
        puzzle = self._playing()
        make = {"puzzle": to_record(puzzle), "backtracking": self.backtracking, "max_steps": self._limit}
        return EpisodeSpec(make=make, reset={})
