"""GridWorldEnv: the Gymnasium face of the maze rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from maze_gym.envs.actions import checked_action, reset_needed
from maze_gym.envs.arguments import checked_render_mode
from maze_gym.envs.maze import text
from maze_gym.envs.maze.arguments import (
    checked_finish,
    checked_options,
    fitting,
    padded_shape,
    positive,
)
from maze_gym.envs.maze.levels import MazeSource, load_maze
from maze_gym.envs.maze.levels.playable import PlayableMaze
from maze_gym.envs.maze.levels.sources import level_source
from maze_gym.envs.maze.observation import (
    Observation,
    legend,
    mechanism_cells,
    observation_space,
)
from maze_gym.envs.maze.observation.egocentric import SEEN_FROM_ABOVE, Eye
from maze_gym.envs.maze.rendering import MazeRenderer
from maze_gym.envs.maze.search.greedy import straight_line_action
from maze_gym.envs.maze.text.text_game import MazeTextGame
from mazegen.core import rules
from mazegen.core.rules import Action, Event, Finish, State

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from mazegen.core.maze import Maze
    from mazegen.generation.spec import MazeGenSpec
    from mazegen.search.solver import DistanceField

MAX_LEVELS_KEPT = 256  # levels kept ready for play
SUCCESS_REWARD = 1.0
RESET_OPTIONS = ("maze", "start", "facing")
_ACTIONS = len(Action)
_DONE = int(Event.DONE)  # plain: compared on every step


class GridWorldEnv(MazeTextGame, gym.Env[Observation, int]):
    """A grid maze of keys and doors, switches and gates, seen from above.

    ## Description
    The agent stands on a cell and faces a direction. It picks up keys from its own cell, opens a
    door by walking into it while it holds a key of that colour, and toggles the switch that it
    faces; a gate flips whenever "any of its switches is on" flips. Reaching the goal ends the
    episode.

    ## Action space
    `Discrete(6)`: TURN_LEFT, TURN_RIGHT, MOVE_FORWARD, PICKUP, TOGGLE, DONE. Every action costs one
    step, one that is blocked or does nothing too.

    ## Observation space
    A `Dict` of fresh arrays; `legend()` says what the numbers mean.

    * `grid` (rows, cols, 3) uint8: object, colour and state of each cell; mazes smaller than
      `max_shape` are padded with wall below and to the right.
    * `position`: row and column of the agent. `facing`: 0..3, north, east, south, west.
    * `inventory` (6,) uint8: keys held per colour.

    ## Rewards
    1 for success, 0 otherwise.

    ## Starting state
    The level's start cell and facing; with several levels, one drawn by the env's generator.
    `reset(options={"maze": ..., "start": (row, col), "facing": "EAST"})` chooses each.

    ## Episode end
    `terminated` on success: arriving at the goal, or with `finish="done_action"` saying DONE there.
    `truncated` after `max_steps`. The last `info` holds `is_success`.

    ## Info
    `event`, `message`, `blocker` (what stood in the way: an id, "wall" or None), `action_mask` (int8;
    1 for each action that changes the state), `level_hash`, `level_id`, `optimal_actions` (of this
    level from this start; absent if it has no solution), `steps_left`.

    ## Source
    Rules and file format: `mazegen.core.rules` and `mazegen.codec`.

    Args:
        maze: one level: a `Maze`, the object of a maze file, or a path.
        mazes: several: a folder, the name of a bundled suite, or a list of the above.
        suite: the name of a bundled suite.
        spec: generate a new level each episode: a `MazeGenSpec` or the object of its JSON.
        tier: generate a new level each episode from the specs of a difficulty tier, 1 to 5.
        num_levels: draw from only so many generated levels; by default from 2**31.
        start_level: number of the first of them, so that training and evaluation can be kept apart.
        max_steps: step limit; by default the level's own, else 4 times the optimum.
        finish: `"arrival"` or `"done_action"`.
        max_shape: (rows, cols) that observations are padded to; by default the largest level's.
        render_mode: None, `"ansi"` (text), `"rgb_array"` (frames) or `"human"` (a window).
        render_size: pixels of a frame, (height, width) or one number for both.
        cell_px: pixels a cell of the largest board, in place of `render_size`; 32 by default.
        orientation: whether frames carry row and column numbers.

    Raises:
        InvalidArgument: an argument is of the wrong kind or out of range.
        MazeFormatError: a level is not a maze that this package plays.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - gymnasium's own type
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 8,
    }
    action_names = tuple(action.name for action in Action)
    seen_from_above = SEEN_FROM_ABOVE

    def __init__(  # noqa: PLR0913 - keyword-only, each documented above
        self,
        *,
        maze: MazeSource | None = None,
        mazes: MazeSource | Sequence[MazeSource] | None = None,
        suite: str | None = None,
        spec: MazeGenSpec | Mapping[str, object] | None = None,
        tier: int | None = None,
        num_levels: int | None = None,
        start_level: int = 0,
        max_steps: int | None = None,
        finish: Finish = "arrival",
        max_shape: tuple[int, int] | None = None,
        render_mode: str | None = None,
        render_size: int | tuple[int, int] | None = None,
        cell_px: int | None = None,
        orientation: bool = False,
    ) -> None:
        """Load the levels and fix the spaces."""
        self.finish: Finish = checked_finish(finish)
        self.source = level_source(
            maze=maze,
            mazes=mazes,
            suite=suite,
            spec=spec,
            tier=tier,
            num_levels=num_levels,
            start_level=start_level,
        )
        self.max_steps = positive(max_steps, "max_steps")
        self.metadata = dict(self.metadata)  # vector envs of old Gymnasium versions write into it
        self.render_mode = checked_render_mode(render_mode, self.metadata["render_modes"])
        self.max_shape = padded_shape(max_shape, self.source.largest)
        self.observation_space: spaces.Dict = observation_space(self.max_shape)  # type: ignore[assignment]  # a Dict space yields plain dicts
        self.action_space: spaces.Discrete = spaces.Discrete(_ACTIONS)  # type: ignore[assignment]  # yields np.int64, which step takes
        self._levels: dict[int, PlayableMaze] = {}  # by number in self.source, the oldest first
        self._level: PlayableMaze | None = None
        self._ended = False
        self._renderer = MazeRenderer(
            self.max_shape,
            render_size=render_size,
            cell_px=cell_px,
            orientation=orientation,
            fps=self.metadata["render_fps"],
        )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; see the class for ``options``.

        Raises:
            InvalidArgument: an option is unknown or out of range, or the level cannot be solved and
                no step limit says how long to try.
        """
        super().reset(seed=seed)
        options = checked_options(options, RESET_OPTIONS)
        level = self._choose(options.get("maze"))
        start = level.start(options)
        optimal = level.optimal_actions(start)
        limit = level.step_limit(start, self.max_steps)
        self._level, self._board, self._start, self._state = level, level.board, start, start
        self._steps, self._limit, self._ended = 0, limit, False
        self._situation = level.situation(start)
        self._grid = level.first_grid.copy()
        self._inventory = self._keys_held(start)
        self._fixed_info: dict[str, Any] = {"level_hash": level.content_hash, "level_id": level.maze.level_id}
        if optimal is not None:
            self._fixed_info["optimal_actions"] = optimal
        first = self._info((None, text.BEGINNING, None))
        if self.render_mode == "human":
            self._renderer.window.reopen()
            self.render()
        return self._observation(), first

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Advance by one action: an int, a NumPy integer or a 0-d integer array from 0 to 5.

        Raises:
            InvalidAction: the action is anything else.
            ResetNeeded: there is no episode, or it has ended.
        """
        level = self._level
        if level is None or self._ended:
            raise reset_needed(ended=level is not None)
        if type(action) is not int or not 0 <= action < _ACTIONS:
            action = checked_action(action, Action)
        before, situation = self._state, self._situation
        after, event, _ = situation.outcomes[action]
        told = situation.told[action] or level.tell(before, action)
        self._state, self._situation = after, level.situation(after)
        self._steps += 1
        if after[2:] != before[2:]:  # a key was taken, a door opened or a switch toggled
            self._redraw(after)
        terminated = event == _DONE
        truncated = not terminated and self._steps >= self._limit
        info = self._info(told)
        if terminated or truncated:
            self._ended = True
            info["is_success"] = terminated
        if self.render_mode == "human":
            self.render()
        return self._observation(), SUCCESS_REWARD if terminated else 0.0, terminated, truncated, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The current state: text for ``"ansi"``, a fresh frame for ``"rgb_array"``, None otherwise.

        Under ``"human"`` the window shows every step by itself; once it was closed, it stays closed
        until the next reset and the episode goes on unseen.

        Raises:
            ResetNeeded: there is no episode yet.
            PictureError: the picture would be too large; the message says what to make the env with.
            NoDisplay: ``"human"``, and there is no screen to open a window on.
        """
        if self._level is None:
            raise reset_needed()
        maze, board, state = self._level.maze, self._board, self._state
        if self.render_mode == "rgb_array":
            return self._renderer.frame(maze, board, state)
        if self.render_mode == "human":
            self._renderer.show(maze, board, state)
        if self.render_mode != "ansi":
            return None
        return text.render_ansi(maze, board, state, self._steps, self._limit, self._told[1])

    def close(self) -> None:
        """Close the window if there is one; safe to call again."""
        self._renderer.close()
        super().close()

    @property
    def maze(self) -> Maze:
        """The maze of this episode."""
        return self._playing().maze

    @property
    def state(self) -> State:
        """The full state of this episode, as the rules and the solver know it."""
        self._playing()
        return self._state

    @property
    def steps_left(self) -> int:
        """Steps until truncation."""
        self._playing()
        return self._limit - self._steps

    def action_masks(self) -> NDArray[np.bool_]:
        """(6,) the current action mask as booleans, under the name that sb3-contrib asks for."""
        return self._playing().action_mask(self._state).astype(np.bool_)

    def legend(self) -> dict[str, dict[int, str]]:
        """What each number of the observation, and each action, means."""
        return legend()

    def egocentric_space(self, view_size: int, *, see_through_walls: bool = False) -> spaces.Box:
        """The space of ``egocentric_view``."""
        return Eye(view_size, see_through_walls=see_through_walls).space

    def egocentric_view(self, view_size: int, *, see_through_walls: bool = False) -> NDArray[np.uint8]:
        """What the agent sees from where it stands, a fresh array; see ``egocentric.Eye``."""
        self._playing()
        (row, col), facing = self._situation.position, self._state.facing
        return Eye(view_size, see_through_walls=see_through_walls).view(self._grid, row, col, facing)

    def distances(self) -> DistanceField:
        """Remaining optimal actions from every state that this episode can reach (searched once)."""
        return self._playing().distances(self._start)

    def optimal_action(self) -> int | None:
        """An action that begins a shortest plan from here; None in a dead state."""
        best = self.distances().best_actions(self._state)
        return int(best[0]) if best else None

    def remaining_actions(self) -> int | None:
        """Fewest actions to success, 0 after it; None in a dead state.

        Raises:
            SearchLimitExceeded: too many states can be reached.
        """
        if self._ended and self._told[0] == Event.DONE.name:
            return 0
        return self.distances().distance(self._state)

    def fewest_moves(self) -> int | None:
        """Fewest cell moves of any plan from the start of this episode; turns, keys and switches are free.

        Raises:
            SearchLimitExceeded: too many states can be reached.
        """
        return self._playing().fewest_moves(self._start)

    def greedy_action(self) -> int:
        """Walk straight towards the goal, using keys and switches that lie in the way."""
        return straight_line_action(self._playing().board, self.maze, self._state)

    def progress_signature(self) -> Hashable:
        """Cell and mechanisms; merely turning is no progress."""
        state = self.state
        return state._replace(facing=0)

    def _playing(self) -> PlayableMaze:
        if self._level is None:
            raise reset_needed()
        return self._level

    def _choose(self, source: MazeSource | None) -> PlayableMaze:
        """The level that the options name, else one of this env's, drawn with its own generator."""
        if source is not None:
            maze = fitting(load_maze(source), self.max_shape)
            if self._level is not None and self._level.maze is maze:
                return self._level
            return PlayableMaze(maze, self.finish, self.max_shape)
        number = int(self.np_random.integers(self.source.count)) if self.source.count > 1 else 0
        if number not in self._levels:
            if len(self._levels) >= MAX_LEVELS_KEPT:
                self._levels.pop(next(iter(self._levels)))
            self._levels[number] = PlayableMaze(
                self.source.level(number), self.finish, self.max_shape, is_fresh=self.source.is_generated
            )
        return self._levels[number]

    def _keys_held(self, state: State) -> NDArray[np.uint8]:
        return np.array(rules.keys_held(self._board, state), np.uint8)

    def _redraw(self, state: State) -> None:
        for position, triple in mechanism_cells(self._playing().looks, self._board, state):
            self._grid[position.row, position.col] = triple
        self._inventory = self._keys_held(state)

    def _observation(self) -> Observation:
        return {
            "grid": self._grid.copy(),
            "position": self._situation.position.copy(),
            "facing": self._state[1],
            "inventory": self._inventory.copy(),
        }

    def _info(self, told: tuple[str | None, str, str | None]) -> dict[str, Any]:
        info = self._fixed_info.copy()
        info["event"], info["message"], info["blocker"] = self._told = told
        info["action_mask"] = self._situation.mask.copy()
        info["steps_left"] = self._limit - self._steps
        return info
