"""The half of the env that a language model meets: ``maze_gym.game.TextGame`` for MazeNLU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maze_gym.envs.maze.rendering import STRIP_ROWS
from maze_gym.envs.maze.text import words
from maze_gym.game import Description, EpisodeSpec, Prompting, ReplyFormat
from mazegen import codec
from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, Facing
from mazegen.core.rules import Event
from mazegen.rendering.frames import FrameComposer, FrameSize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.envs.maze.levels.playable import PlayableMaze
    from maze_gym.game import Wording
    from mazegen.core.rules import Board, Finish, State

_TAGS_OF_SPEC = ("topology", "chain", "tier")
_WITHOUT_EFFECT = frozenset({Event.BLOCKED.name, Event.NOTHING.name, Event.WRONG_DONE.name})


class MazeTextGame:
    """What ``GridWorldEnv`` says of its state; it holds nothing but a composer of pictures."""

    reply_format = ReplyFormat.FINAL_OUTPUT
    plan_format = ReplyFormat.ACTIONS

    if TYPE_CHECKING:  # the env's own, see there
        finish: Finish
        _board: Board
        _start: State
        _state: State
        _steps: int
        _limit: int
        _told: tuple[str | None, str, str | None]  # event, message and blocker of the last action
        max_shape: tuple[int, int]

        @property
        def steps_left(self) -> int:
            """Steps until truncation."""

        def _playing(self) -> PlayableMaze: ...

    _composer: FrameComposer | None = None
    _composer_size: FrameSize | None = None

    def describe(self, wording: Wording) -> Description:
        """The current state in words.

        Raises:
            ResetNeeded: there is no episode yet.
        """
        level = self._playing()
        maze, board, state = level.maze, self._board, self._state
        hurry = words.hurry_text(self.steps_left, self._steps)
        if wording.pictured:
            texts = ("", hurry if wording.prompting == Prompting.VERBOSE else "", "", "")
        else:
            now = words.state_text(maze, board, state, wording)
            texts = (
                words.level_text(maze, board, self._start, wording),
                f"{now}\n{hurry}" if hurry and wording.prompting == Prompting.VERBOSE else now,
                words.pose_text(maze, state, wording),
                "" if self._told[0] is None else self._told[1],
            )
        return Description(
            words.rules_text(board, wording, key_consumption=maze.rules.key_consumption),
            *texts,
            failed=self._told[0] in _WITHOUT_EFFECT,
            legal=tuple(int(action) for action in np.flatnonzero(level.action_mask(state))),
            step=self._steps,
            steps_left=self.steps_left,
        )

    def picture(self, cell_px: int, shape: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """(height, width, 3) RGB of the current state, drawn as in the dataset's pictures.

        Raises:
            ResetNeeded: there is no episode yet.
            PictureError: the picture would be too large, or ``shape`` is too small for it.
        """
        level = self._playing()
        size = FrameSize(cell_px=cell_px) if shape is None else FrameSize(box=shape)
        composer, kept = self._composer, self._composer_size
        if composer is None or composer.drawing.board is not self._board or kept != size:
            composer = self._composer = FrameComposer(level.maze, self._board, size)
            self._composer_size = size
        return composer.frame(self._state)

    def picture_shape(self, cell_px: int) -> tuple[int, int]:
        """(height, width) for the largest board and the inventory below it, as for ``rgb_array``."""
        rows, cols = self.max_shape
        return (rows + STRIP_ROWS) * cell_px, cols * cell_px

    def snapshot(self) -> dict[str, Any]:
        """Pose, keys held and the state of every mechanism, by name; cells as row and col."""
        maze, board, state = self._playing().maze, self._board, self._state
        row, col = maze.position(state.cell)
        held = zip(KEY_COLORS, rules.keys_held(board, state), strict=True)
        gates = [gate.id for index, gate in enumerate(maze.gates) if rules.is_gate_open(board, state, index)]
        return {
            "row": row,
            "col": col,
            "facing": Facing(state.facing).name,
            "keys_held": {color: count for color, count in held if count},
            "keys_taken": [key.id for index, key in enumerate(maze.keys) if state.taken >> index & 1],
            "doors_open": [door.id for index, door in enumerate(maze.doors) if state.opened >> index & 1],
            "switches_on": [each.id for index, each in enumerate(maze.switches) if state.on >> index & 1],
            "gates_open": gates,
        }

    def tags(self) -> dict[str, str | int]:
        """Size, number of mechanisms of each kind, and of a generated maze topology, chain and tier."""
        maze = self._playing().maze
        found: dict[str, str | int] = {
            "rows": maze.rows,
            "cols": maze.cols,
            "keys": len(maze.keys),
            "doors": len(maze.doors),
            "switches": len(maze.switches),
            "gates": len(maze.gates),
        }
        spec = maze.metadata.get("spec")
        if isinstance(spec, dict):
            found |= {name: spec[name] for name in _TAGS_OF_SPEC if isinstance(spec.get(name), str | int)}
        return found

    def recipe(self) -> EpisodeSpec:
        """The maze itself, its rules of ending, and where this episode began."""
        maze = self._playing().maze
        row, col = maze.position(self._start.cell)
        return EpisodeSpec(
            make={"maze": codec.to_dict(maze), "finish": self.finish, "max_steps": self._limit},
            reset={"start": [row, col], "facing": Facing(self._start.facing).name},
        )
