"""SpatialGymEnv: the Gymnasium face of the line puzzles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import gymnasium as gym
from gymnasium import spaces

from maze_gym.envs.actions import checked_action, reset_needed
from maze_gym.envs.arguments import checked_render_mode
from maze_gym.envs.sparc import rules, text
from maze_gym.envs.sparc.arguments import checked_limit, limit_of, padded_frame
from maze_gym.envs.sparc.levels import as_puzzle, puzzle_source
from maze_gym.envs.sparc.levels.playable import CHOICES, FRESH_MASKS, MASKS, playable
from maze_gym.envs.sparc.observation import Frame, Observation, counter, frame_of, legend, observation_space
from maze_gym.envs.sparc.rendering import SpatialRenderer
from maze_gym.envs.sparc.rules import Action, Event, State
from maze_gym.envs.sparc.rules.reports import broken_rules, end_reason, handed_out, report_on, wrong_positions
from maze_gym.envs.sparc.search import plans
from maze_gym.envs.sparc.text.text_game import SpatialTextGame
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from maze_gym.envs.sparc.generation.generator import PuzzleSpec
    from maze_gym.envs.sparc.levels import PuzzleSource, PuzzlesSource
    from maze_gym.envs.sparc.levels.playable import PlayablePuzzle
    from maze_gym.envs.sparc.rules.constraints import RuleReport
    from maze_gym.envs.sparc.rules.puzzle import Position, Puzzle

RESET_OPTIONS = ("puzzle",)
_ACTIONS = len(Action)
_OVER = frozenset({Event.SOLVED, Event.FAILED, Event.DEAD_END})
_BLOCKED, _UNDONE, _SOLVED = Event.BLOCKED, Event.UNDONE, Event.SOLVED
_NAMES = {event: event.name for event in Event}


class SpatialGymEnv(SpatialTextGame, gym.Env[Observation, int]):
    """Draw a line from start to end that obeys every rule on the board.

    ## Description
    The line runs along the lanes around the rule cells, one position a step, and never crosses itself. When
    it arrives at the end it is judged by the rules on the board: gaps, dots, squares, stars, triangles,
    polyominoes and ylops. `maze_gym.envs.sparc.rules.constraints` says what they are.

    ## Action space
    `Discrete(4)`: RIGHT, UP, LEFT, DOWN. A move that is not possible changes nothing and costs a step. With
    `backtracking` a move back onto the position before takes the last move back.

    ## Observation space
    A `Dict` of fresh arrays; `legend()` names their numbers.

    * `planes` (7, rows, cols) uint8: kind, colour, number (of triangles, or 1 + index into `shapes`),
      visited, head, start, end. 13 x 13 unless a board is larger or `max_shape` says otherwise; smaller
      boards are padded.
    * `shapes` (9, 4, 4) uint8: the shapes of polyominoes and ylops, larger where a puzzle needs it.
    * `steps_left` (1,) int32.

    ## Rewards
    1.0 for a finished line that obeys every rule, else 0.0; nothing else is paid.

    ## Starting state
    A puzzle of the bundled suite, drawn by the env's generator. `reset(options={"puzzle": ...})` chooses one:
    a `Puzzle`, the object of a record, or the id of one of this env's puzzles.

    ## Episode end
    `terminated` when the line is finished, right or wrong, and when it is stuck; `truncated` after
    `max_steps`.

    ## Info
    `event`, `message`, `path` ((row, col) pairs, the head last), `legal_actions`, `action_mask` (int8),
    `steps_left`, `level` (difficulty, 1 to 5), `level_id` and the same as `puzzle_id`, `level_hash`,
    `optimal_actions` (moves of the shortest stored solution). The last one also holds `is_success`,
    `end_reason` (of `maze_gym.ending.EndReason`), `rule_report` (what each rule says of a finished line,
    plain JSON data), `stored_match` (whether the line is one of the stored solutions) and `metrics`:
    `solved`, `reached_end`, `steps`, `undone` and `difficulty`. What is not known of a puzzle, or of a
    line that is not finished, is left out.

    ## Source
    The README of `spatial-gym-env`; puzzles as in SPaRC, of our own making.

    Args:
        puzzle: one puzzle: a `Puzzle` or the object of a record.
        puzzles: several: a suite's name, a JSONL file, `"lkaesberg/SPaRC"`, or a list.
        spec: generate a new puzzle each episode: a `PuzzleSpec` or the object of its JSON.
        tier: generate puzzles of this level: the same as `spec={"level": tier}`.
        difficulty: keep only puzzles of these levels, for example `[1]`; not with `spec`.
        num_levels: draw from only so many generated puzzles; by default from 2**31.
        start_level: number of the first of them, so that training and evaluation can be kept apart.
        backtracking: whether the last move can be taken back.
        max_steps: step limit, taken as it is even where a puzzle needs more; `"board"` for two steps a
            position of the lanes. By default 100, as in the paper; on boards of more than 13 x 13, whose
            lines may be longer, as for `"board"` where that is more.
        max_shape: (rows, cols) of the array that observations are padded to.
        render_mode: None, `"ansi"` (text), `"rgb_array"` (frames) or `"human"` (a window).
        render_size: pixels of a frame, (height, width) or one number for both.
        cell_px: pixels a rule cell of the largest board, in place of `render_size`; 64 by default.

    Raises:
        InvalidArgument: an argument is of the wrong kind or out of range.
        PuzzleError: a puzzle cannot be.
        LevelsNotFound: there is nothing of that name or difficulty.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - gymnasium's own type
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 8,
    }
    action_names = tuple(action.name for action in Action)

    def __init__(  # noqa: PLR0913 - keyword-only, each documented above
        self,
        *,
        puzzle: PuzzleSource | None = None,
        puzzles: PuzzlesSource | None = None,
        spec: PuzzleSpec | Mapping[str, object] | None = None,
        tier: int | None = None,
        difficulty: int | Sequence[int] | None = None,
        num_levels: int | None = None,
        start_level: int = 0,
        backtracking: bool = False,
        max_steps: int | Literal["board"] | None = None,
        max_shape: tuple[int, int] | None = None,
        render_mode: str | None = None,
        render_size: int | tuple[int, int] | None = None,
        cell_px: int | None = None,
    ) -> None:
        """Load the puzzles and fix the spaces."""
        if not isinstance(backtracking, bool):
            msg = f"backtracking must be True or False, got {backtracking!r}"
            raise InvalidArgument(msg)
        self.source = puzzle_source(
            puzzle=puzzle,
            puzzles=puzzles,
            spec=spec,
            tier=tier,
            difficulty=difficulty,
            num_levels=num_levels,
            start_level=start_level,
        )
        self.backtracking = backtracking
        self.max_steps = checked_limit(max_steps)
        self.frame = padded_frame(max_shape, self.source.frame, Frame())
        self.metadata = dict(self.metadata)  # vector envs of old Gymnasium versions write into it
        self.render_mode = checked_render_mode(render_mode, self.metadata["render_modes"])
        self.observation_space: spaces.Dict = observation_space(  # type: ignore[assignment]  # a Dict space yields plain dicts
            self.frame, limit_of(self.max_steps, self.frame.rows, self.frame.cols)
        )
        self.action_space: spaces.Discrete = spaces.Discrete(_ACTIONS)  # type: ignore[assignment]  # yields np.int64, which step takes
        self._level: PlayablePuzzle | None = None
        self._ended = False
        self._renderer = SpatialRenderer(
            (self.frame.rows, self.frame.cols),
            render_size=render_size,
            cell_px=cell_px,
            fps=self.metadata["render_fps"],
        )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; see the class for ``options``.

        Raises:
            InvalidArgument: an option is unknown, or the puzzle is or does not fit.
            PuzzleError: the puzzle cannot be.
        """
        super().reset(seed=seed)
        options = options or {}
        unknown = sorted(set(options) - set(RESET_OPTIONS))
        if unknown:
            msg = f"unknown reset option {unknown[0]!r}; there are: {', '.join(RESET_OPTIONS)}"
            raise InvalidArgument(msg)
        puzzle = self._choose(options.get("puzzle"))
        level = self._level = playable(puzzle, self.frame)
        self._state = rules.initial_state(puzzle)
        self._limit = limit_of(self.max_steps, puzzle.rows, puzzle.cols)
        self._steps = self._undone = 0
        self._ended = False
        self._wrong: frozenset[Position] = frozenset()  # where a finished line breaks a rule, for people
        self._told: tuple[Event | None, str] = (None, text.BEGINNING)
        self._planes = level.first_planes()
        self._possible = rules.legal_bits(puzzle, self._state, backtracking=self.backtracking)
        self._advice: dict[State, int] = {}  # what to do in the states along the last plan
        if self.render_mode == "human":
            self._renderer.window.reopen()
            self.render()
        return self._observed(level)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make one move: an int, a NumPy integer or a 0-d integer array from 0 to 3.

        Raises:
            InvalidAction: the action is anything else.
            ResetNeeded: there is no episode, or it has ended.
        """
        level = self._level
        if level is None or self._ended:
            raise reset_needed(ended=level is not None)
        if type(action) is not int or not 0 <= action < _ACTIONS:
            action = checked_action(action, Action)
        puzzle, before = level.puzzle, self._state
        after, event = rules.step(puzzle, before, action, backtracking=self.backtracking)
        self._steps += 1
        if event is not _BLOCKED:
            self._state = after
            self._planes.update(before.path, after.path)
            self._possible = rules.legal_bits(puzzle, after, backtracking=self.backtracking)
            self._undone += event is _UNDONE
        terminated = event in _OVER
        truncated = not terminated and self._steps >= self._limit
        report = report_on(puzzle, after.path, event) if terminated else None
        broken = () if report is None else broken_rules(report)
        self._told = (event, text.said(puzzle, before, action, event, broken))
        observation, info = self._observed(level)
        if terminated or truncated:
            self._ended = True
            self._wrong = frozenset() if report is None else wrong_positions(report)
            info |= self._outcome(level, event, report)
        if self.render_mode == "human":
            self.render()
        return observation, float(event is _SOLVED), terminated, truncated, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The current state: text for ``"ansi"``, a fresh frame for ``"rgb_array"``, None otherwise.

        Under ``"human"`` the window shows every step by itself, and in the end what was wrong.

        Raises:
            ResetNeeded: there is no episode yet.
            PictureError: the picture would be too large; the message says what to make the env with.
            NoDisplay: ``"human"``, and there is no screen to open a window on.
        """
        puzzle = self._playing()
        if self.render_mode == "rgb_array":
            return self._renderer.frame(puzzle, self._state.path)
        if self.render_mode == "human":
            self._renderer.show(puzzle, self._state.path, self._wrong)
        if self.render_mode != "ansi":
            return None
        now = text.state_text(puzzle, self._state, CHOICES[self._possible], text.Places())
        return f"{self._told[1]}\n\n{now}"

    def explained_frame(self) -> NDArray[np.uint8]:
        """The frame of ``"rgb_array"`` for people: what a finished line has broken is marked."""
        return self._renderer.frame(self._playing(), self._state.path, self._wrong)

    def close(self) -> None:
        """Close the window if there is one; safe to call again."""
        self._renderer.close()
        super().close()

    @property
    def state(self) -> State:
        """The full state of this episode, as the rules know it."""
        self._playing()
        return self._state

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle of this episode."""
        return self._playing()

    @property
    def steps_left(self) -> int:
        """Steps until truncation."""
        self._playing()
        return self._limit - self._steps

    def action_masks(self) -> NDArray[np.bool_]:
        """(4,) the current action mask as booleans, under the name that sb3-contrib asks for."""
        self._playing()
        return MASKS[self._possible].astype(bool)

    def legend(self) -> dict[str, dict[int, str]]:
        """What each number of the observation, and each action, means."""
        return legend()

    def metrics(self) -> dict[str, float]:
        """``solved``, ``reached_end``, ``steps`` and ``undone`` of this episode so far.

        And ``difficulty``, the level of the puzzle from 1 to 5, where it has one.
        """
        puzzle = self._playing()
        measured = {
            "solved": float(self._told[0] is _SOLVED),
            "reached_end": float(self._state.path[-1] == puzzle.end),
            "steps": float(self._steps),
            "undone": float(self._undone),
        }
        return measured if puzzle.level is None else measured | {"difficulty": float(puzzle.level)}

    def optimal_action(self) -> int | None:
        """An action that begins a shortest plan from here, undoing included where it is allowed; else None.

        A plan is kept for as long as the line goes along with it.

        Raises:
            SearchLimitExceeded: the board is too large to know.
        """
        puzzle = self._playing()
        if self._state not in self._advice:
            plan = self._plan()
            if plan is None:
                return None
            state, self._advice = self._state, {}
            for action in plan:
                self._advice[state] = action
                state = rules.step(puzzle, state, action, backtracking=self.backtracking).state
        return self._advice[self._state]

    def remaining_actions(self) -> int | None:
        """Actions of a shortest plan from here, 0 when solved; None if no solution can be reached.

        Raises:
            SearchLimitExceeded: the board is too large to know.
        """
        plan = self._plan()
        if self._told[0] == Event.SOLVED:
            return 0
        return None if plan is None else len(plan)

    def fewest_moves(self) -> int | None:
        """Moves of a shortest solution; None if there is no solution.

        Raises:
            SearchLimitExceeded: the board is too large to know.
        """
        puzzle = self._playing()
        plan = plans.shortest_plan(puzzle, (puzzle.start,), backtracking=False)
        return None if plan is None else len(plan)

    def greedy_action(self) -> int:
        """Walk a shortest way to the end, whatever the symbols ask for."""
        return plans.careless_action(self._playing(), self._state.path, backtracking=self.backtracking)

    def progress_signature(self) -> Hashable:
        """The line: a state is its line."""
        self._playing()
        return self._state

    def _playing(self) -> Puzzle:
        if self._level is None:
            raise reset_needed()
        return self._level.puzzle

    def _plan(self) -> tuple[int, ...] | None:
        return plans.shortest_plan(self._playing(), self._state.path, backtracking=self.backtracking)

    def _choose(self, wanted: object) -> Puzzle:
        """The puzzle that the option names, else one of this env's, drawn with its own generator."""
        if wanted is None:
            count = self.source.count
            return self.source.puzzle(int(self.np_random.integers(count)) if count > 1 else 0)
        puzzle = self.source.named(wanted) if isinstance(wanted, str) else as_puzzle(wanted)  # type: ignore[arg-type]  # it checks
        needed = frame_of(puzzle)
        if not self.frame.holds(needed):
            msg = (
                f"puzzle {puzzle.puzzle_id!r} needs a {needed} but this env has a {self.frame}; make it with "
                "puzzles=[...] that include it"
            )
            raise InvalidArgument(msg)
        return puzzle

    def _outcome(self, level: PlayablePuzzle, event: Event, report: RuleReport | None) -> dict[str, Any]:
        """What the last info of an episode holds besides."""
        solved = event is _SOLVED
        reason = end_reason(event)
        outcome = {"is_success": solved, "end_reason": str(reason), "metrics": self.metrics()}
        if report is not None:
            outcome["rule_report"] = handed_out(report)
        if level.solutions:
            outcome["stored_match"] = self._state.path in level.solutions
        return outcome

    def _observed(self, level: PlayablePuzzle) -> tuple[Observation, dict[str, Any]]:
        """Observation and info of now, every array and dict in them fresh."""
        choices = self._possible
        left = self._limit - self._steps
        event, message = self._told
        observation: Observation = {
            "planes": self._planes.copy(),
            "shapes": level.fresh_shapes(),
            "steps_left": counter(left)(),
        }
        return observation, level.facts | {
            "event": None if event is None else _NAMES[event],
            "message": message,
            "path": self._state.path,
            "legal_actions": CHOICES[choices],
            "action_mask": FRESH_MASKS[choices](),
            "steps_left": left,
        }
