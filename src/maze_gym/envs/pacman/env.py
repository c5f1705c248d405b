"""PacmanArrayEnv: the Gymnasium face of the Pacman rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from maze_gym.envs.actions import checked_action, reset_needed
from maze_gym.envs.arguments import checked_render_mode, padded_shape, whole
from maze_gym.envs.pacman import rules, text
from maze_gym.envs.pacman.arguments import check_fits, luck_of, with_starts
from maze_gym.envs.pacman.generation.generator import PacmanSpec, ghost_mind
from maze_gym.envs.pacman.levels import LayoutSource, Start, board_source, load_layout
from maze_gym.envs.pacman.levels.playable import playable
from maze_gym.envs.pacman.observation import Observation, legend, observation_space
from maze_gym.envs.pacman.rendering import PacmanGlide, PacmanRenderer
from maze_gym.envs.pacman.rendering.drawing import Pose
from maze_gym.envs.pacman.rules import Action, Board, State
from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.search import find_plan
from maze_gym.envs.pacman.search.greedy import hungry_action
from maze_gym.envs.pacman.text.text_game import PacmanTextGame
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from maze_gym.envs.pacman.levels.playable import CachedState

RESET_OPTIONS = ("layout", "player", "ghosts", "luck")
_ACTIONS = len(Action)
MAX_REMEMBERED = 4000  # moments of earlier episodes that an env keeps, 2 KB each
RENEWED_AFTER = 10 * MAX_REMEMBERED  # episodes that left the known ground: what is known may be out of date


class PacmanArrayEnv(PacmanTextGame, PacmanGlide, gym.Env[Observation, int]):
    """Eat everything on a small grid while ghosts chase you; with power you can eat them.

    ## Description
    The player moves by one cell, eats what lies there, and then every ghost moves towards it. A ghost that
    meets a player without power ends the game; one that meets a player with power is eaten and goes back to
    its start. The game is won when nothing is left to eat. `maze_gym.envs.pacman.rules` says in which order
    things happen.

    ## Action space
    `Discrete(4)`: UP, DOWN, LEFT, RIGHT. A move into a wall or over the edge leaves the player where it is,
    costs a step, and the ghosts move.

    ## Observation space
    A `Dict` of fresh arrays; `legend()` names the planes.

    * `planes` (6, rows, cols) uint8: wall, dot, power, ghosts (how many), spent (how many of them pay nothing
      until the next power pellet), player. Boards smaller than `max_shape` are padded with wall.
    * `power_timer` (1,) int32: coming steps in which ghosts can be eaten, 0 to 15: a ghost that is met in the
      next step is eaten exactly where this is not 0. `score` (1,), `steps` (1,) int32.

    ## Rewards
    Points / 100: pellet 0.1, power pellet 0.5, ghost 2.0 (once per ghost and power pellet), win 10.0; nothing
    for a step and nothing for death.

    ## Starting state
    The classic board; with several boards one drawn by the env's generator.
    `reset(options={"layout": ..., "player": (row, col), "ghosts": [(row, col), ...], "luck": ...})` chooses
    each. `luck` decides the ties of ghosts that decide them at random.

    ## Episode end
    `terminated` by a win or by death, `truncated` after `max_steps`. The last `info` holds `is_success`.

    ## Info
    `events` (their names), `event` (the same in one word), `message`, `bumped`, `player` and `ghosts` ((row,
    col) pairs), `dots_left` (pellets and power pellets), `score`, `power_timer`, `steps_left`, `level_id`,
    `level_hash` (of the layout), `action_mask` (int8; 1 for each action that moves the player; the others are
    the only way to wait). The last one also holds `is_success` and `metrics`: `win` (0 or 1), `score` (points
    over the most that this board can bring, 4,400 on the classic one, so that no farming saturates it) and
    `survival` (what was eaten over what there was to eat). `optimal_actions` is absent: nobody knows it.

    ## Source
    The README of `pacman-array`; see `maze_gym.envs.pacman.rules`.

    Args:
        layout: one board: `"classic"`, rows of text, a `Layout` or a path.
        layouts: several of those.
        spec: generate a new board each episode: a `PacmanSpec` or the object of its JSON.
        num_levels: draw from only so many generated boards; by default from 2**31.
        start_level: number of the first of them, so that training and evaluation can be kept apart.
        ghosts: how they think on fixed boards: a `GhostBehaviour` or the object of its JSON.
        max_steps: step limit; by default 200, and with `spec` its own. One below the spec's takes its place,
            so that every generated board is proved to be winnable within the limit.
        max_shape: (rows, cols) that observations are padded to; by default the largest board's.
        show_pellets: how many pellets a text lists with their coordinates.
        render_mode: None, `"ansi"` (text), `"rgb_array"` (frames) or `"human"` (a window).
        render_size: pixels of a frame, (height, width) or one number for both.
        cell_px: pixels a cell of the largest board, in place of `render_size`; 32 by default.

    Raises:
        InvalidArgument: an argument is of the wrong kind or out of range.
        LayoutError: a board cannot be played.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - gymnasium's own type
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 8,
    }
    action_names = tuple(action.name for action in Action)

    def __init__(  # noqa: PLR0913 - keyword-only, each documented above
        self,
        *,
        layout: LayoutSource | None = None,
        layouts: Sequence[LayoutSource] | None = None,
        spec: PacmanSpec | Mapping[str, object] | None = None,
        num_levels: int | None = None,
        start_level: int = 0,
        ghosts: GhostBehaviour | Mapping[str, object] | None = None,
        max_steps: int | None = None,
        max_shape: tuple[int, int] | None = None,
        show_pellets: int = 0,
        render_mode: str | None = None,
        render_size: int | tuple[int, int] | None = None,
        cell_px: int | None = None,
    ) -> None:
        """Load the boards and fix the spaces."""
        self.mind = GhostBehaviour() if ghosts is None else ghost_mind(ghosts)
        limit = None if max_steps is None else whole(max_steps, "max_steps", 1)
        self.source = board_source(
            layout=layout,
            layouts=layouts,
            spec=spec,
            num_levels=num_levels,
            start_level=start_level,
            mind=self.mind,
            max_steps=limit,
        )
        self.max_steps = self._limit = self.source.max_steps if limit is None else limit
        self.show_pellets = whole(show_pellets, "show_pellets", 0)
        self.metadata = dict(self.metadata)  # vector envs of old Gymnasium versions write into it
        self.render_mode = checked_render_mode(render_mode, self.metadata["render_modes"])
        self.max_shape = padded_shape(max_shape, self.source.largest)
        self.observation_space: spaces.Dict = observation_space(  # type: ignore[assignment]  # a Dict space yields plain dicts
            self.max_shape, self.source.max_score, self.max_steps
        )
        self.action_space: spaces.Discrete = spaces.Discrete(_ACTIONS)  # type: ignore[assignment]  # yields np.int64, which step takes
        self._board: Board | None = None
        self._ended = True  # until the first reset
        self._moment: CachedState  # from the first reset on
        self._always: CachedState | None = (
            None  # ``_first``, once it is known that resets that choose nothing begin there
        )
        self._explorers = 0
        self._renderer = PacmanRenderer(
            self.max_shape, render_size=render_size, cell_px=cell_px, fps=self.metadata["render_fps"]
        )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; see the class for ``options``.

        Raises:
            InvalidArgument: an option is unknown or out of range.
            LayoutError: the board cannot be played.
        """
        if seed is not None:
            super().reset(seed=seed)
        if options or self._always is None:
            self._begin(options)
        else:
            self._moment = self._always
        self._advice = self._opening  # of the search: what to do in the states along its plan
        self._ended = self._is_exploring = False
        if self.render_mode == "human":
            self._renderer.window.reopen()
            self.render()
        return self._tell(self._moment)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Advance by one action: an int, a NumPy integer or a 0-d integer array from 0 to 3.

        Raises:
            InvalidAction: the action is anything else.
            ResetNeeded: there is no episode, or it has ended.
        """
        if self._ended:
            raise reset_needed(ended=self._board is not None)
        if type(action) is not int or not 0 <= action < _ACTIONS:
            action = checked_action(action, Action)
        here = self._moment
        self._moment = there = here.following[action] or self._explore(here, action)
        info = there.report.copy()  # as in ``_tell``, without the call, which would be a twentieth of a step
        info["action_mask"] = there.mask()
        if there.final is not None:
            self._ended = True
            info["metrics"] = there.final.copy()
        if self.render_mode == "human":
            self.render()
        observation: Observation = {
            "planes": there.planes(),
            "power_timer": there.timer(),
            "score": there.score(),
            "steps": there.clock(),
        }
        return observation, there.reward, there.terminated, there.truncated, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The current state: text for ``"ansi"``, a fresh frame for ``"rgb_array"``, None otherwise.

        Under ``"human"`` the window shows every step by itself.

        Raises:
            ResetNeeded: there is no episode yet.
            PictureError: the picture would be too large; the message says what to make the env with.
            NoDisplay: ``"human"``, and there is no screen to open a window on.
        """
        board = self._playing()
        if self.render_mode == "rgb_array":
            return self._renderer.frame(board, self._state, self._pose())
        if self.render_mode == "human":
            self._renderer.show(board, self._state, self._pose())
        if self.render_mode != "ansi":
            return None
        now = text.state_text(board, self._state, self._steps, show_pellets=self.show_pellets)
        if self._last is None:
            return now
        action, _, points = self._last
        return f"{text.action_text(action, points)}\n\n{now}"

    def close(self) -> None:
        """Close the window if there is one; safe to call again."""
        self._renderer.close()
        super().close()

    @property
    def _state(self) -> State:
        return self._moment.state

    @property
    def _steps(self) -> int:
        return self._moment.steps

    @property
    def _last(self) -> tuple[int, int, int] | None:
        """Action, events and points of the last step."""
        return self._moment.last

    @property
    def state(self) -> State:
        """The full state of this episode, as the rules and the search know it."""
        self._playing()
        return self._state

    @property
    def player_state(self) -> tuple[int, int]:
        """The part of the state that only the player changes: its cell, and what is left to eat."""
        self._playing()
        return self._state.player, self._state.pellets

    @property
    def board(self) -> Board:
        """The board of this episode."""
        return self._playing()

    @property
    def steps_left(self) -> int:
        """Steps until truncation."""
        self._playing()
        return self._limit - self._steps

    def action_masks(self) -> NDArray[np.bool_]:
        """(4,) the current action mask as booleans, under the name that sb3-contrib asks for."""
        self._playing()
        return self._moment.mask().astype(np.bool_)

    def legend(self) -> dict[str, dict[int, str]]:
        """What each plane of the observation, and each action, means."""
        return legend()

    def metrics(self) -> dict[str, float]:
        """``win``, ``score`` and ``survival`` of this episode so far, each from 0 to 1; see the class.

        The fourth metric of the README, format adherence, is a matter of replies and not of the game.
        """
        self._playing()
        return self._moment.metrics()

    def search_action(self) -> int:
        """The next action of a plan by bounded search; what a hungry walker does where it found none.

        A plan is kept for as long as the game goes along with it.
        """
        board, state = self._playing(), self._state
        if state not in self._advice:
            self._advice = find_plan(board, state, self.steps_left).advice(state)
        return self._advice.get(state, self.greedy_action())

    def optimal_action(self) -> int | None:
        """The action of the search: of a plan that wins where it found one, but not proved to be shortest.

        No exact search of this game is known to us, so this is the best there is for hints and for
        ``oracle``, and for the same reason ``info`` has no ``optimal_actions``.
        """
        return self.search_action()

    def greedy_action(self) -> int:
        """Go for the nearest pellet without dying on the next step."""
        return hungry_action(self._playing(), self._state)

    def progress_signature(self) -> Hashable:
        """Cell and pellets: what ghosts do is no progress."""
        return self.player_state

    def _playing(self) -> Board:
        if self._board is None:
            raise reset_needed()
        return self._board

    def _pose(self) -> Pose:
        facing = Action.LEFT if self._last is None else self._last[0]
        return Pose(int(facing), self._steps % 2 == 0)

    def _draw(self) -> Start:
        """One of this env's boards, drawn with its own generator."""
        source = self.source
        return source.start(int(self.np_random.integers(source.count)) if source.count > 1 else 0)

    def _begin(self, options: Mapping[str, Any] | None) -> None:
        """Choose a board and luck, and go to the first moment."""
        board, luck, witness = self._choose(options) if options else self._draw()
        if luck is None:
            luck = int(self.np_random.integers(rules.LUCK_VALUES)) if board.mind.random_ties else 0
        comes_again = not options and not self.source.draws
        if board is not self._board or self._explorers >= RENEWED_AFTER:
            level = playable(board, self.max_shape)
            self._board, self._explorers = board, 0
            self._first = level.first(self._limit, luck if comes_again else 0)
            self._free = level.first(self._limit)
        if luck == self._first.state.luck:
            self._moment = self._first
        else:  # no two episodes are alike
            self._free.begin(board.start._replace(luck=luck))
            self._moment = self._free
        self._start = self._moment.state
        is_short = witness is not None and len(witness.actions) <= self._limit
        self._opening = witness.advice(self._start) if witness is not None and is_short else {}
        self._always = self._first if comes_again and self._moment is self._first else None

    def _choose(self, options: Mapping[str, Any]) -> Start:
        """The board, starts and luck that the options name; what they do not name is drawn."""
        unknown = sorted(set(options) - set(RESET_OPTIONS))
        if unknown:
            msg = f"unknown reset option {unknown[0]!r}; there are: {', '.join(RESET_OPTIONS)}"
            raise InvalidArgument(msg)
        if options.get("layout") is not None:
            layout = load_layout(options["layout"])
            check_fits(layout, self.max_shape, self.source.max_score)
            chosen = Start(rules.compile_board(layout, self.mind))
        else:
            chosen = self._draw()
        if options.get("player") is not None or options.get("ghosts") is not None:
            layout = with_starts(chosen.board.layout, options)
            check_fits(layout, self.max_shape, self.source.max_score)
            chosen = Start(rules.compile_board(layout, chosen.board.mind), chosen.luck)
        luck = luck_of(options["luck"]) if "luck" in options else chosen.luck
        return chosen if luck == chosen.luck else Start(chosen.board, luck)  # a witness is one of its luck

    def _explore(self, here: CachedState, action: int) -> CachedState:
        """Take an action that no episode has taken in this moment, as far as is known.

        An episode adds its first such step to the known ground and no more: what is played often is soon
        known, and what is played once costs no memory.
        """
        if here is self._free:
            here.go_on(action)
            return here
        if not self._is_exploring:
            self._is_exploring = True
            self._explorers += 1
            if self._explorers >= RENEWED_AFTER:
                self._always = None
            if self._explorers <= MAX_REMEMBERED:
                here.following[action] = there = here.after(action)
                return there
        self._free.go_on_from(here, action)
        return self._free

    def _tell(self, moment: CachedState) -> tuple[Observation, dict[str, Any]]:
        """Observation and info of now, every array and dict in them fresh."""
        info = moment.report.copy()
        info["action_mask"] = moment.mask()
        return {
            "planes": moment.planes(),
            "power_timer": moment.timer(),
            "score": moment.score(),
            "steps": moment.clock(),
        }, info
