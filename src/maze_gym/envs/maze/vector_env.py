"""GridWorldVectorEnv: many mazes in one compiled step."""

from __future__ import annotations

from copy import copy as copy_of
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode

from maze_gym.envs.batched import BatchedEnv, checked_count, objects
from maze_gym.envs.maze import text
from maze_gym.envs.maze.arguments import checked_finish, fitting, padded_shape, positive
from maze_gym.envs.maze.env import RESET_OPTIONS, SUCCESS_REWARD, GridWorldEnv
from maze_gym.envs.maze.levels import load_maze
from maze_gym.envs.maze.levels.sources import level_source
from maze_gym.envs.maze.observation import observation_space
from maze_gym.envs.maze.observation.egocentric import VIEW, eye_for, seen_from_within
from maze_gym.envs.maze.rendering import MazeRenderer
from maze_gym.envs.maze.vector.maze_batch import MazeBatch, Outputs
from maze_gym.envs.maze.vector.pool import NO_PLAN, LevelQueue, MazePool
from mazegen.core.rules import Action, State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maze_gym.envs.batched import Arrays
    from maze_gym.envs.maze.levels import MazeSource
    from mazegen.core.maze import Maze
    from mazegen.core.rules import Finish
    from mazegen.generation.spec import MazeGenSpec

_SAID = ("event", "message", "blocker", "level_hash", "level_id")


class GridWorldVectorEnv(BatchedEnv):
    """Many mazes in one compiled step; each env behaves as a `GridWorldEnv` of the same arguments and seed.

    `gym.make_vec("MazeNLU-v0", num_envs=N)` makes it. Observations, rewards, ends and infos are those of
    `gymnasium.vector.SyncVectorEnv` over as many single envs, in every autoreset mode.

    ## Observation, action, reward, episode end
    See `GridWorldEnv`; arrays have one row an env.

    ## Info
    `action_mask` (envs, 6), `steps_left` and `optimal_actions`, each with its mask `_key`; the event as a
    number, `event_code` (`mazegen.core.rules.Event`; -1 at the beginning); `is_success` in a step that ends
    an episode. In `SAME_STEP` the last step of an episode is in `final_obs` and `final_info`. What a single
    env says in words (`event`, `message`, `blocker`, `level_hash`, `level_id`) is there with
    `full_infos=True`, which costs more than everything else.

    ## Levels
    Up to 16,384 levels (a suite, a list, or `num_levels` generated ones) are kept ready, each made when it is
    first drawn. Where there are more, each episode's level is generated anew, so give `num_levels` for speed.

    Args:
        num_envs: how many.
        autoreset_mode: `"NextStep"`, `"SameStep"` or `"Disabled"`, or a member of `AutoresetMode`. With the
            last, reset ended envs by `reset(options={"reset_mask": ...})`.
        copy: hand out fresh arrays. With False, two sets of arrays take turns: what a step returns holds good
            until the step after the next one writes over it.
        full_infos: whether infos say in words what happened.
        view_size: observe what lies before the agent, as `maze_gym.wrappers.EgocentricView` does, and not the
            whole board.
        see_through_walls: see there.
        max_episode_steps: no episode is longer, whatever `max_steps` and the levels say.
        maze: and the following arguments, see `GridWorldEnv`.
        mazes: see there.
        suite: see there.
        spec: see there.
        tier: see there.
        num_levels: see there.
        start_level: see there.
        max_steps: see there.
        finish: see there.
        max_shape: see there.
        render_mode: None or `"rgb_array"`, a frame of each env.
        render_size: see there.
        cell_px: see there.
        orientation: see there.

    Raises:
        InvalidArgument: an argument is of the wrong kind or out of range.
        MazeFormatError: a level is not a maze that this package plays.
    """

    action_names = GridWorldEnv.action_names
    reset_options = RESET_OPTIONS

    def __init__(  # noqa: PLR0913 - keyword-only, each documented above
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        full_infos: bool = False,
        view_size: int | None = None,
        see_through_walls: bool = False,
        max_episode_steps: int | None = None,
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
        """Load the levels, fix the spaces and make room for everything."""
        count = checked_count(num_envs)
        source = level_source(
            maze=maze, mazes=mazes, suite=suite, spec=spec, tier=tier,
            num_levels=num_levels, start_level=start_level,
        )  # fmt: skip
        self.finish: Finish = checked_finish(finish)
        self.max_shape = padded_shape(max_shape, source.largest)
        self.eye = eye_for(view_size, see_through_walls=see_through_walls)
        space = observation_space(self.max_shape)
        super().__init__(
            count, autoreset_mode=autoreset_mode, copy=copy, full_infos=full_infos, render_mode=render_mode,
            observation=space if self.eye is None else seen_from_within(space, self.eye),
            action=Discrete(len(Action)),
        )  # fmt: skip
        pool = MazePool(
            self.finish, self.max_shape, max_steps=positive(max_steps, "max_steps"),
            max_episode_steps=positive(max_episode_steps, "max_episode_steps"),
            size=LevelQueue.slots_needed(source, count),
        )  # fmt: skip
        batch = MazeBatch(count, source, pool, success=SUCCESS_REWARD, alternates=not copy, eye=self.eye)
        self._batch, self.over, self.seeds = batch, batch.over, batch.queue.seeds
        first = MazeRenderer(
            self.max_shape, render_size=render_size, cell_px=cell_px, orientation=orientation
        )
        self._renderers = [first]  # one an env as soon as there is something to show

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on from a pickle or a copy, in which a part of an array has become an array of its own."""
        self.__dict__.update(state)
        self.over = self._batch.over

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A fresh (height, width, 3) RGB frame of each env; None without a render mode.

        Raises:
            ResetNeeded: there is no episode yet.
            PictureError: a picture would be too large; the message says what to make the envs with.
        """
        if self.render_mode is None:
            return None
        self._require_episode()
        missing = self.num_envs - len(self._renderers)
        self._renderers += [copy_of(self._renderers[0]) for _ in range(missing)]
        levels = [self._batch.level(env) for env in range(self.num_envs)]
        return tuple(
            renderer.frame(level.maze, level.board, self.state(env))
            for env, (renderer, level) in enumerate(zip(self._renderers, levels, strict=True))
        )

    def maze(self, env: int) -> Maze:
        """The maze that an env plays."""
        self._require_episode()
        return self._batch.level(env).maze

    def state(self, env: int) -> State:
        """The full state of an env, as the rules and the solver know it."""
        self._require_episode()
        return self._batch.state(env)

    def action_masks(self) -> NDArray[np.bool_]:
        """(envs, 6) the current action masks as booleans, under the name that sb3-contrib asks for."""
        self._require_episode()
        return self._batch.now.masks.astype(np.bool_)

    @property
    def _now(self) -> Outputs:
        return self._batch.now

    def _reset_envs(
        self, envs: NDArray[np.int64], seeds: Sequence[int | None], options: Mapping[str, Any]
    ) -> None:
        others = dict(options)
        source = others.pop("maze", None)
        maze = None if source is None else fitting(load_maze(source), self.max_shape)
        for env in envs.tolist():
            new = seeds[env]
            if new is not None:
                self._batch.queue.seed(env, new)
        self._batch.reset(envs, maze, others)

    def _play(self, actions: NDArray[np.int64], due: int) -> int:
        return self._batch.step(actions, due)

    def _begin(self, envs: NDArray[np.int64]) -> None:
        self._batch.begin(envs)
        self._batch.look(envs)

    def _seen(self) -> Arrays:
        now = self._batch.now
        if self.eye is not None:
            return {"facing": now.facings, "inventory": now.inventories, VIEW: now.views}
        return {
            "facing": now.facings,
            "grid": now.boards,
            "inventory": now.inventories,
            "position": now.positions,
        }

    def _observation(self) -> Arrays:
        seen = self._seen()
        if self.copies:  # the others are fresh already
            seen["inventory"] = seen["inventory"].copy()
            if self.eye is None:
                seen["grid"] = seen["grid"].copy()
        return seen

    def _of_one(self, observation: Arrays) -> Arrays:
        return observation | {"facing": int(observation["facing"])}

    def _numbers(self) -> dict[str, Any]:
        now, every = self._batch.now, self._mask_of_all
        infos = {
            "action_mask": now.masks,
            "_action_mask": every(),
            "steps_left": now.steps_left,
            "_steps_left": every(),
            "event_code": now.events,
            "_event_code": every(),
        }
        if not self._batch.pool.has_unsolvable:
            infos["optimal_actions"] = self._batch.optima
            infos["_optimal_actions"] = every()
        elif (known := (optima := self._batch.optima) != NO_PLAN).any():
            infos["optimal_actions"], infos["_optimal_actions"] = np.where(known, optima, 0), known
        return infos

    def _words(self, before: Sequence[Any], actions: NDArray[np.int64]) -> dict[str, Any]:
        rows = []
        for env, state in enumerate(before):
            level = self._batch.level(env)
            told = (None, text.BEGINNING, None) if state is None else level.tell(state, int(actions[env]))
            rows.append((*told, level.content_hash, level.maze.level_id))
        words = {key: objects([row[column] for row in rows]) for column, key in enumerate(_SAID)}
        return words | {f"_{key}": self._mask_of_all() for key in _SAID}

    def _end_infos(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        return {"is_success": self._batch.now.terminated.copy(), "_is_success": ended}

    def _state_before(self, env: int) -> State:
        return self._batch.state(env)
