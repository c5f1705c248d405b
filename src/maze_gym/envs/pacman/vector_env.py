"""PacmanVectorEnv: many games in one compiled step."""

from __future__ import annotations

from copy import copy as copy_of
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode

from maze_gym.envs.arguments import whole
from maze_gym.envs.batched import BatchedEnv, checked_count, objects
from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.env import RESET_OPTIONS, PacmanArrayEnv
from maze_gym.envs.pacman.observation import Plane
from maze_gym.envs.pacman.rendering import PacmanRenderer
from maze_gym.envs.pacman.rendering.drawing import Pose
from maze_gym.envs.pacman.rules import Action, Event, State
from maze_gym.envs.pacman.rules.layout import MAX_GHOSTS
from maze_gym.envs.pacman.text import BEGINNING, said
from maze_gym.envs.pacman.vector import batch
from maze_gym.envs.pacman.vector.pool import BoardPool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maze_gym.envs.batched import Arrays

_SAID = ("events", "event", "message", "player", "ghosts", "level_id", "level_hash")


class _Outputs(NamedTuple):
    """Arrays that a step writes."""

    rewards: NDArray[np.float64]  # (envs,), as all without a shape
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    events: NDArray[np.int8]  # bits of ``Event``, -1 before the first action
    timers: NDArray[np.int32]  # (envs, 1), as the next two
    scores: NDArray[np.int32]
    steps: NDArray[np.int32]
    masks: NDArray[np.int8]  # (envs, 4)
    steps_left: NDArray[np.int64]
    dots_left: NDArray[np.int64]
    planes: NDArray[np.uint8]  # (envs, 6, rows, cols)


class PacmanVectorEnv(BatchedEnv):
    """Many games in one compiled step; each env behaves as a `PacmanArrayEnv` of the same arguments and seed.

    `gym.make_vec("PacmanArray-v0", num_envs=N)` makes it. Observations, rewards, ends and infos are those of
    `gymnasium.vector.SyncVectorEnv` over as many single envs, in every autoreset mode.

    ## Observation, action, reward, episode end
    See `PacmanArrayEnv`; arrays have one row an env.

    ## Info
    `action_mask` (envs, 4), `steps_left`, `dots_left`, `score`, `power_timer`, `bumped`, each with its mask
    `_key`; the events as a number, `event_code` (bits of `Event`; -1 at the beginning); `is_success` and
    `metrics` in a step that ends an episode. In `SAME_STEP` the last step of an episode is in `final_obs` and
    `final_info`. What a single env says in words or pairs (`events`, `event`, `message`, `player`, `ghosts`,
    `level_id`, `level_hash`) is there with `full_infos=True`, which costs more than everything else.

    Args:
        num_envs: how many.
        autoreset_mode: `"NextStep"`, `"SameStep"` or `"Disabled"`, or a member of `AutoresetMode`. With the
            last, reset ended envs by `reset(options={"reset_mask": ...})`.
        copy: hand out fresh arrays. With False, two sets of arrays take turns: what a step returns holds good
            until the step after the next one writes over it.
        full_infos: whether infos say in words what happened.
        max_episode_steps: no episode is longer, whatever `max_steps` says. As with Gymnasium's `TimeLimit`
            the boards are those of an env without it: generated ones are winnable within `max_steps`.
        render_mode: None or `"rgb_array"`, a frame of each env.
        kwargs: the other arguments of `PacmanArrayEnv`.

    Raises:
        InvalidArgument: an argument is of the wrong kind or out of range.
        LayoutError: a board cannot be played.
    """

    action_names = PacmanArrayEnv.action_names
    reset_options = RESET_OPTIONS

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        full_infos: bool = False,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - those of the single env, which checks them
    ) -> None:
        """Load the boards, fix the spaces and make room for everything."""
        count = checked_count(num_envs)
        # It checks arguments and options, and draws boards, for all; it is never played.
        self._single = single = PacmanArrayEnv(**kwargs)
        super().__init__(
            count,
            autoreset_mode=autoreset_mode,
            copy=copy,
            full_infos=full_infos,
            render_mode=render_mode,
            observation=single.observation_space,
            action=single.action_space,
        )
        self._limit = single.max_steps
        if max_episode_steps is not None:
            self._limit = min(self._limit, whole(max_episode_steps, "max_episode_steps", 1))
        self.max_shape = single.max_shape
        self.seeds = [None] * count
        self._generators: list[np.random.Generator | None] = [None] * count
        self._pool = BoardPool(self.max_shape, count)
        self.over, self._everyone = np.zeros(count, np.int64), np.arange(count)
        self._slots, self._upcoming = np.full(count, -1, np.int64), np.zeros(count, np.int64)
        self._lucks, self._upcoming_lucks = np.zeros(count, np.int64), np.zeros(count, np.int64)
        # Whether options chose what is up next, and so not the draw.
        self._strayed = np.zeros(count, np.bool_)
        self._fleet = np.zeros((count, batch.COLUMNS), np.int32)
        self._ghosts = np.zeros((count, MAX_GHOSTS), np.int16)
        self._planes = np.zeros((count, len(Plane) * self.max_shape[0] * self.max_shape[1]), np.uint8)
        self._actions = np.zeros(count, np.int64)  # the last ones, for pictures
        self._written = self._other = self._outputs()
        if not copy:
            self._other = self._outputs()
        sizes = {"render_size": kwargs.get("render_size"), "cell_px": kwargs.get("cell_px")}
        self._renderers = [PacmanRenderer(self.max_shape, **sizes, fps=self.metadata["render_fps"])]

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
        frames = []
        for env, renderer in enumerate(self._renderers):
            steps = int(self._fleet[env, batch.STEPS])
            facing = int(self._actions[env]) if steps > 0 else int(Action.LEFT)
            board = self._pool.level(int(self._slots[env])).board
            frames.append(renderer.frame(board, self.state(env), Pose(facing, steps % 2 == 0)))
        return tuple(frames)

    def state(self, env: int) -> State:
        """The full state of an env, as the rules and the search know it."""
        self._require_episode()
        board = self._pool.level(int(self._slots[env])).board
        layout = board.layout
        cells = {self._pool.place(board, cell): cell for cell in range(layout.cells)}
        size = self.max_shape[0] * self.max_shape[1]
        planes = self._planes[env]
        eaten = planes[Plane.DOT * size :][:size] | planes[Plane.POWER * size :][:size]
        pellets = sum(1 << cells[place] for place in np.flatnonzero(eaten).tolist())
        row = self._fleet[env].tolist()
        return State(
            cells[row[batch.PLAYER]],
            tuple(cells[place] for place in self._ghosts[env, : len(board.homes)].tolist()),
            pellets,
            row[batch.TIMER],
            row[batch.SPENT],
            row[batch.SCORE],
            row[batch.PHASE],
            int(self._lucks[env]) & rules.LUCK_MASK,
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """(envs, 4) the current action masks as booleans, under the name that sb3-contrib asks for."""
        self._require_episode()
        return self._written.masks.astype(np.bool_)

    @property
    def _now(self) -> _Outputs:
        return self._written

    def _outputs(self) -> _Outputs:
        envs = self.num_envs
        return _Outputs(
            np.empty(envs, np.float64),
            np.empty(envs, np.bool_),
            np.empty(envs, np.bool_),
            np.empty(envs, np.int8),
            np.empty((envs, 1), np.int32),
            np.empty((envs, 1), np.int32),
            np.empty((envs, 1), np.int32),
            np.empty((envs, len(Action)), np.int8),
            np.empty(envs, np.int64),
            np.empty(envs, np.int64),
            np.empty((envs, len(Plane), *self.max_shape), np.uint8),
        )

    def _turn(self) -> None:
        """Another set of arrays is written to."""
        if self.copies:
            self._written = self._outputs()
        else:
            self._written, self._other = self._other, self._written

    def _reset_envs(
        self, envs: NDArray[np.int64], seeds: Sequence[int | None], options: Mapping[str, Any]
    ) -> None:
        for env in envs.tolist():
            new = seeds[env]
            if new is not None:
                self._generators[env], self.seeds[env] = seeding.np_random(new)
        self._draw(envs, options)
        self._turn()
        self._restart(envs, 0)
        self._look(self._everyone)

    def _play(self, actions: NDArray[np.int64], due: int) -> int:
        self._turn()
        if due:
            again = self.over[:due].copy()
            self._draw(again, {})
            self._restart(again, batch.BEGINNING)
        pool, now = self._pool, self._written
        self._actions = actions.copy() if self.render_mode else actions
        arguments: tuple[Any, ...] = (
            actions, self._limit, pool.tables, self._fleet, self._ghosts, self._lucks, self._slots, self.over,
            self._planes, *now[:4],
        )  # fmt: skip
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba sets it from the environment
            with np.errstate(over="ignore"):  # luck wraps around, in compiled code silently
                ends = batch.play(*arguments)
        else:
            ends = batch.play(*arguments)
        self._look(self._everyone)
        return ends

    def _begin(self, envs: NDArray[np.int64]) -> None:
        self._draw(envs, {})
        self._restart(envs, 0)
        self._look(envs)

    def _draw(self, envs: NDArray[np.int64], options: Mapping[str, Any]) -> None:
        """Choose boards and lucks for these envs, each with its own generator, as a single env does."""
        is_known = self._slots[0] >= 0 and not self._strayed[envs].any()
        if not self._single.source.draws and not options and is_known:
            return  # the same board and luck as ever
        single, in_use = self._single, set(np.delete(self._slots, envs).tolist())
        chosen = []
        for env in envs.tolist():
            generator = self._generators[env]
            if generator is None:
                generator, self.seeds[env] = seeding.np_random()
                self._generators[env] = generator
            single.np_random = generator
            board, luck, _ = single._choose(options) if options else single._draw()  # noqa: SLF001 - it draws for all
            if luck is None:
                luck = int(generator.integers(rules.LUCK_VALUES)) if board.mind.random_ties else 0
            chosen.append((env, board, luck))
        for env, board, luck in chosen:
            slot = self._pool.slot(board, in_use)
            in_use.add(slot)
            self._upcoming[env], self._upcoming_lucks[env] = slot, luck
        self._strayed[envs] = bool(options)

    def _restart(self, envs: NDArray[np.int64], steps: int) -> None:
        pool = self._pool
        batch.restart(
            envs, len(envs), steps, pool.starts, pool.tables, pool.first_planes, self._fleet, self._ghosts,
            self._lucks, self._slots, self._upcoming, self._upcoming_lucks, self._planes,
        )  # fmt: skip
        self._written.events[envs] = batch.NO_EVENT

    def _look(self, envs: NDArray[np.int64]) -> None:
        now = self._written
        batch.observe(
            envs, len(envs), self._limit, self._pool.tables, self._fleet, self._slots, now.timers[:, 0],
            now.scores[:, 0], now.steps[:, 0], now.masks, now.steps_left, now.dots_left,
        )  # fmt: skip
        np.copyto(now.planes.reshape(self._planes.shape), self._planes)

    def _seen(self) -> Arrays:
        now = self._written
        return {"planes": now.planes, "power_timer": now.timers, "score": now.scores, "steps": now.steps}

    def _observation(self) -> Arrays:
        return self._seen()

    def _of_one(self, observation: Arrays) -> Arrays:
        return observation

    def _numbers(self) -> dict[str, Any]:
        now = self._written
        infos = {
            "action_mask": now.masks,
            "steps_left": now.steps_left,
            "dots_left": now.dots_left,
            "score": now.scores[:, 0].astype(np.int64),
            "power_timer": now.timers[:, 0].astype(np.int64),
            "bumped": (now.events & Event.BUMPED > 0) & (now.events != batch.NO_EVENT),
            "event_code": now.events,
        }
        return infos | {f"_{key}": self._mask_of_all() for key in infos}

    def _words(self, before: Sequence[Any], actions: NDArray[np.int64]) -> dict[str, Any]:
        rows = []
        for env, played in enumerate(before):
            level = self._pool.level(int(self._slots[env]))
            told: tuple[object, ...] = ((), None, BEGINNING)
            if played is not None:
                points = round(self._written.rewards[env] * rules.POINTS_PER_REWARD)
                told = said(int(actions[env]), int(self._written.events[env]), points)
            player = divmod(int(self._fleet[env, batch.PLAYER]), self.max_shape[1])
            ghosts = self._ghosts[env, : len(level.board.homes)].tolist()
            places = tuple(divmod(ghost, self.max_shape[1]) for ghost in ghosts)
            layout = level.board.layout
            rows.append((*told, player, places, layout.level_id, layout.content_hash))
        words = {key: objects([row[column] for row in rows]) for column, key in enumerate(_SAID)}
        return words | {f"_{key}": self._mask_of_all() for key in _SAID}

    def _end_infos(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        now = self._written
        won = ended & (now.events & Event.WON > 0)
        most, pellets = (column.take(self._slots) for column in self._pool.totals.T)
        metrics = {
            "win": won.astype(np.float64),
            "score": ended * (now.scores[:, 0] / most),
            "survival": ended * (1 - now.dots_left / pellets),
        }
        nested: dict[str, Any] = metrics | {f"_{name}": ended.copy() for name in metrics}
        return {
            "is_success": won,
            "_is_success": ended,
            "metrics": nested,
            "_metrics": ended.copy(),
        }

    def _state_before(self, env: int) -> bool:
        del env
        return True  # the events say all that there is to say
