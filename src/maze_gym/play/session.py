"""A person's way through levels: act, undo, restart, next, hint; no window in here.

Everything goes through ``env.reset`` and ``env.step`` of whatever stack of wrappers was given. Undo
plays the episode again without its last action, so it needs nothing from an env but determinism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import run_episode
from maze_gym.evaluation.plan import episode_seed
from maze_gym.game import Animated, World
from maze_gym.play.recording import ReplayedPerson, append_record
from mazegen.core.file_errors import why
from mazegen.errors import SearchLimitExceeded

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.game import Level
    from maze_gym.policies.base import AnyEnv


class PlaySession:
    """One person, one env, a row of levels.

    Args:
        env: any env with a ``Discrete`` action space and ``render_mode="rgb_array"``, wrapped or not.
        levels: what to play; without any, each level is the env's own choice under another seed.
        seed: of the run; a policy that is evaluated with the same seed gets the same episodes.
        record: file that each episode is appended to, one JSON line, as for any policy.

    Attributes:
        actions: what was done in this episode, undone actions not among them.
        message: the last thing that happened, one sentence.
        hint: what the oracle would do, until the next action.

    Raises:
        InvalidArgument: the env cannot be drawn or its actions cannot be put on keys.
    """

    def __init__(
        self,
        env: AnyEnv,
        levels: Sequence[Level] = (),
        *,
        seed: int = 0,
        record: str | os.PathLike[str] | None = None,
    ) -> None:
        """Check the env and begin with the first level."""
        if env.unwrapped.render_mode != "rgb_array":
            msg = (
                "play needs a world that draws itself as arrays of colours (rgb_array), "
                f"and this one is set to draw {env.unwrapped.render_mode or 'nothing'}"
            )
            raise InvalidArgument(msg)
        if not isinstance(env.action_space, spaces.Discrete):
            msg = f"play needs a Discrete action space, got {env.action_space}"
            raise InvalidArgument(msg)
        self.env = env
        self.levels = tuple(levels)
        self.seed = seed
        self.record = record
        count, first = int(env.action_space.n), int(env.action_space.start)
        names = getattr(env.unwrapped, "action_names", ())
        if len(names) != count:
            names = tuple(f"ACTION_{number}" for number in range(first, first + count))
        self.action_names: tuple[str, ...] = tuple(names)
        self._first_action = first
        self.index = 0
        self._begin()

    def _begin(self, message: str = "") -> None:
        self.actions: list[int] = []
        self.hint = ""
        self._helped: set[str] = set()
        self._is_recorded = False
        self._replay(())
        self.message = message or str(self._first_info.get("message", "")) or "Off you go."

    def _replay(self, actions: Sequence[int]) -> None:
        _, info = self.env.reset(seed=self.episode_seed, options=self._options())
        self._first_info: Mapping[str, Any] = info
        self.info: Mapping[str, Any] = info
        self.reward = 0.0
        self.is_over = self.is_won = False
        for action in actions:
            self._step(action)
        self._before: Any = None  # nothing moves but by ``act``

    def _step(self, action: int) -> None:
        _, reward, terminated, truncated, info = self.env.step(self._first_action + action)
        self.info = info
        self.reward = float(reward)
        self.is_over = bool(terminated or truncated)
        self.is_won = bool(info.get("is_success", False))

    @property
    def level(self) -> Level | None:
        """The level that is played; None where the env chose one itself."""
        return self.levels[self.index % len(self.levels)] if self.levels else None

    @property
    def episode_seed(self) -> int:
        """Seed of this episode's reset: the same as that of any policy in a run with this seed."""
        return episode_seed(self.seed, self.index)

    @property
    def title(self) -> str:
        """What the level is called."""
        return str(self._first_info.get("level_id", "")) or f"seed {self.episode_seed}"

    @property
    def steps(self) -> int:
        """Actions taken in this episode."""
        return len(self.actions)

    @property
    def optimum(self) -> int | None:
        """Length of a shortest plan from the start, if the world knows."""
        found = self._first_info.get("optimal_actions")
        return None if found is None else int(found)

    @property
    def steps_left(self) -> int | None:
        """Steps until truncation, if the world knows."""
        left = self.info.get("steps_left")
        return None if left is None else int(left)

    def act(self, action: int) -> None:
        """Take one action, by its place among ``action_names``."""
        self.hint = ""
        if self.is_over:
            self.message = "The episode is over: next level or restart."
            return
        world = self.env.unwrapped
        before = world.sight() if isinstance(world, Animated) else None
        self._step(action)
        self._before = before
        self.actions.append(action)
        self.message = str(self.info.get("message", "")) or self.action_names[action]
        if self.is_over and not self.is_won:
            self.message = f"{self.message} The episode is over."
        if self.is_over:
            self.message = self._write_record() or self.message

    def undo(self) -> None:
        """Take the last action back."""
        self.hint = ""
        if not self.actions:
            self.message = "There is nothing to undo."
        elif self._is_recorded:
            self.message = "This episode is over and recorded: restart to play it again."
        else:
            self._helped.add("undo")
            self.actions.pop()
            self._replay(self.actions)
            self.message = "Undone."

    def restart(self) -> None:
        """Begin the same level again."""
        self._begin(self.leave())

    def move_on(self, by: int = 1) -> None:
        """Go to another level, the next by default; after the last comes the first."""
        trouble = self.leave()
        count = len(self.levels)
        self.index = (self.index + by) % count if count else max(0, self.index + by)
        self._begin(trouble)

    def ask(self) -> None:
        """Ask the oracle for the next action."""
        world = self.env.unwrapped
        if self.is_over:
            self.message = "The episode is over: next level or restart."
        elif not isinstance(world, World):
            self.message = "This world has no oracle to ask."
        else:
            try:
                best = world.optimal_action()
            except SearchLimitExceeded:
                self.message = "This level is too large for the oracle."
                return
            self._helped.add("hint")
            if best is None:
                self.hint = "no way to the goal from here: undo or restart"
            else:
                self.hint = self.action_names[int(best) - self._first_action].lower().replace("_", " ")

    def frame(self) -> np.typing.NDArray[np.uint8]:
        """(height, width, 3) RGB of the world as it stands, whatever wrappers lie around it.

        A world that shows people more than agents has an ``explained_frame`` for them.
        """
        world = self.env.unwrapped
        frame = np.asarray(getattr(world, "explained_frame", world.render)())
        return np.ascontiguousarray(frame[..., :3], np.uint8)

    @property
    def is_gliding(self) -> bool:
        """Whether the last action can be shown as a movement."""
        return self._before is not None

    def frame_between(self, fraction: float) -> np.typing.NDArray[np.uint8]:
        """The frame on the way from before the last action (0) to now (1)."""
        world = self.env.unwrapped
        if self._before is None or not isinstance(world, Animated):
            return self.frame()
        return world.draw_between(self._before, fraction)

    def arrive(self) -> None:
        """Nothing moves any more."""
        self._before = None

    @property
    def explains(self) -> bool:
        """Whether the frame shows what went wrong, so that nothing should cover it."""
        return self.is_over and not self.is_won and hasattr(self.env.unwrapped, "explained_frame")

    def leave(self) -> str:
        """Record an episode that was begun and not finished as aborted, which is unscored.

        Returns:
            Why it could not be recorded, one sentence; empty if all is well.
        """
        return self._write_record() if self.actions and not self.is_over else ""

    def _options(self) -> dict[str, Any] | None:
        return None if self.level is None else dict(self.level.options)

    def _write_record(self) -> str:
        """Append this episode to the file, once; why that failed, for a disk that is full ends no game."""
        if self.record is None or self._is_recorded:
            return ""
        record = self.as_record()
        try:
            append_record(record, self.record)
        except OSError as error:
            return f"Not recorded: {why(error)}."
        self._is_recorded = True
        return ""

    def as_record(self) -> EpisodeRecord:
        """This episode as the record of any policy: played once more by the one step loop.

        The policy is called ``human``; with ``+hint`` or ``+undo`` where those were used, so that a
        table does not mix them with unaided play.
        """
        name = "+".join(["human", *sorted(self._helped)])
        person = ReplayedPerson(name, [self._first_action + action for action in self.actions])
        return run_episode(self.env, person, seed=self.episode_seed, options=self._options())
