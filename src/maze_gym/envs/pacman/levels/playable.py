"""A board made ready for an env: what never changes about it, and what play has found out so far.

Nothing in here knows a rule: ``rules.step`` says what an action leads to. But episodes begin again and again
on the same board, so what was worked out for a state once, its observation and info, is kept for the next
time that an episode comes the same way.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.observation import Planes, counters
from maze_gym.envs.pacman.rules import Event
from maze_gym.envs.pacman.text import BEGINNING, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maze_gym.envs.pacman.rules import Board, State

MAX_FIGURES = 4096  # that a board keeps, 1 KB each; more and it starts afresh
_ACTIONS = len(rules.Action)
_step, _POINTS_PER_REWARD = rules.step, rules.POINTS_PER_REWARD
_WON, _OVER = int(Event.WON), int(Event.DIED)  # events that end the game are the highest bits
# Of an ``info``, in this order, what changes from step to step.
_FILLED_IN = ("player", "ghosts", "dots_left", "score", "power_timer", "steps_left", "action_mask")


class Figures:
    """Where player and ghosts are, and all that this alone decides.

    Args:
        level: the board.
        player: the player's cell.
        ghosts: the cell of each ghost.

    Attributes:
        data: the bytes of the last three planes, with no ghost spent.
        place: (row, col) of the player.
        places: (row, col) of each ghost.
        mask: makes a fresh (4,) int8 action mask.
    """

    __slots__ = ("data", "mask", "place", "places")

    def __init__(self, level: PlayableBoard, player: int, ghosts: tuple[int, ...]) -> None:
        """Look everything up once."""
        positions = level.positions
        self.data = level.planes.of_figures(player, ghosts)
        self.place, self.places = positions[player], tuple([positions[ghost] for ghost in ghosts])
        self.mask = level.masks[player].copy


class Reports(dict["tuple[int, int, int] | None", dict[str, Any]]):
    """What a step alone says in an ``info``, with room for the rest; to be copied.

    The key of a step is ``(action, events, points)``, that of a reset is None.

    Args:
        level_id: name of the layout.
        level_hash: what the layout is, independent of its name.
    """

    def __init__(self, level_id: str, level_hash: str) -> None:
        """Begin with none; each is written when it is first asked for."""
        super().__init__()
        self._names = {"level_id": level_id, "level_hash": level_hash}

    def __missing__(self, key: tuple[int, int, int] | None) -> dict[str, Any]:
        names, event, message = ((), None, BEGINNING) if key is None else said(*key)
        self[key] = {
            **self._names,
            "events": names,
            "event": event,
            "message": message,
            "bumped": Event.BUMPED.name in names,
            **dict.fromkeys(_FILLED_IN),
        }
        return self[key]


class CachedState:
    """A state as an episode came to it, made ready to be told, and where actions lead from it.

    Args:
        level: the board.
        limit: no episode has more steps.
        state: the state.
        steps: of the episode so far.
        last: (action, events, points) of the step that led here; None at the beginning of an episode.
        data: its planes but for player and ghosts, to become this moment's own; by default they are written.

    Attributes:
        level: as given, as the next four.
        limit, state, steps, last: see above.
        reward: what the step paid.
        terminated: whether it ended the game.
        truncated: whether it was the last one, but did not end the game.
        planes: makes a fresh (6, rows, cols) uint8 array.
        timer: makes a fresh (1,) int32 array of the steps of power left.
        score: the same of the points so far.
        clock: the same of the steps.
        mask: makes a fresh (4,) int8 action mask.
        report: the ``info`` but for the arrays and dicts in it; to be copied.
        final: the metrics of an episode that ends here, to be copied; None where it goes on.
        following: per action the moment that it leads to, where that was kept.
    """

    __slots__ = (
        "_data", "clock", "final", "following", "last", "level", "limit", "mask", "planes", "report",
        "reward", "score", "state", "steps", "terminated", "timer", "truncated",
    )  # fmt: skip
    state: State
    steps: int

    def __init__(
        self,
        level: PlayableBoard,
        limit: int,
        state: State,
        steps: int = 0,
        last: tuple[int, int, int] | None = None,
        data: bytearray | None = None,
    ) -> None:
        """Lay out what will be asked for each time that somebody comes here."""
        self.level, self.limit = level, limit
        self._data = level.planes.of_pellets(state.pellets) if data is None else data
        self.planes = np.ndarray(level.planes.shape, np.uint8, self._data).copy
        self.following: list[CachedState | None] = [None] * _ACTIONS
        self._become(state, steps, last)

    def after(self, action: int) -> CachedState:
        """The moment that an action leads to, by the rules, to be kept."""
        before = self.state
        state, events, points = _step(self.level.board, before, action)
        data = self._data.copy()
        if state.pellets != before.pellets:
            data[self.level.pellet_at[state.player]] = 0  # only where the player is
        return CachedState(self.level, self.limit, state, self.steps + 1, (action, events, points), data)

    def go_on(self, action: int) -> None:
        """Become the moment that an action leads to: nothing is kept, and nothing made that would be."""
        before = self.state
        state, events, points = _step(self.level.board, before, action)
        if state.pellets != before.pellets:
            self._data[self.level.pellet_at[state.player]] = 0
        self._become(state, self.steps + 1, (action, events, points))

    def go_on_from(self, other: CachedState, action: int) -> None:
        """Become the moment that an action leads to from another one of the same board."""
        self._data[:] = other._data
        self.state, self.steps = other.state, other.steps
        self.go_on(action)

    def begin(self, state: State) -> None:
        """Become the first moment of an episode."""
        self._data[:] = self.level.first_data
        self._become(state, 0, None)

    def _become(self, state: State, steps: int, last: tuple[int, int, int] | None) -> None:
        """Everything but what is left to eat on the planes."""
        level, data = self.level, self._data
        player, ghosts, pellets, timer, spent, score, _, _ = state
        self.state, self.steps, self.last = state, steps, last
        if last is None:
            self.reward, self.terminated = 0.0, False
        else:
            _, events, points = last
            self.reward, self.terminated = points / _POINTS_PER_REWARD, events >= _OVER
        self.truncated = steps >= self.limit and not self.terminated
        figures = level.figures(player, ghosts)
        data[level.figures_at] = figures.data
        if spent:
            level.planes.spend(data, ghosts, spent)
        self.timer, self.score, self.clock = counters[timer], counters[score], counters[steps]
        self.mask = figures.mask
        self.report = report = level.reports[last].copy()
        report["player"] = figures.place
        report["ghosts"] = figures.places
        report["dots_left"] = pellets.bit_count()
        report["score"] = score
        report["power_timer"] = timer
        report["steps_left"] = self.limit - steps
        self.final = None
        if self.terminated or self.truncated:
            self.final = metrics = self.metrics()
            report["metrics"] = None
            report["is_success"] = metrics["win"] > 0

    def metrics(self) -> dict[str, float]:
        """``win``, ``score`` and ``survival`` of the episode so far; see the env."""
        level, state = self.level, self.state
        won = self.last is not None and self.last[1] & _WON > 0
        eaten = 1 - state.pellets.bit_count() / level.pellets
        return {"win": float(won), "score": state.score / level.max_score, "survival": eaten}

    def __reduce__(self) -> tuple[Callable[..., CachedState], tuple[object, ...]]:
        """Travel light: where actions lead is worked out again where it is needed."""
        return CachedState, (self.level, self.limit, self.state, self.steps, self.last)


class PlayableBoard:
    """One board with its look-up tables and what was found out about it; use ``playable``, which keeps it.

    Args:
        board: the board.
        shape: (rows, cols) that the planes are padded to.

    Attributes:
        planes: where its planes are kept; ``figures_at`` and ``pellet_at`` are of it.
        positions: (row, col) of each cell.
        masks: per cell (4,) int8, 1 for each action that moves the player from there; do not write to it.
        reports: the beginnings of every ``info``.
        first_data: the planes of the first state but for player and ghosts; do not write to it.
        max_score: the most points that the board can bring.
        pellets: how much there is to eat at the start.
    """

    def __init__(self, board: Board, shape: tuple[int, int]) -> None:
        """Look everything up once."""
        layout = board.layout
        self.board = board
        self.shape = shape
        self.planes = planes = Planes(board, shape)
        self.figures_at, self.pellet_at = planes.figures, planes.pellet
        self.positions = tuple(layout.position(cell) for cell in range(layout.cells))
        self.masks: tuple[NDArray[np.int8], ...] = tuple(
            np.array([moves[cell] != cell for moves in board.moves], np.int8) for cell in range(layout.cells)
        )
        self.reports = Reports(layout.level_id, layout.content_hash)
        self.max_score = rules.max_score(layout)
        self.pellets = layout.pellets.bit_count()
        self.first_data = planes.of_pellets(layout.pellets)
        self._figures: dict[tuple[int, tuple[int, ...]], Figures] = {}

    def first(self, limit: int, luck: int = 0) -> CachedState:
        """The first moment of an episode of so many steps at most, apart from all others."""
        return CachedState(self, limit, self.board.start._replace(luck=luck), data=self.first_data.copy())

    def figures(self, player: int, ghosts: tuple[int, ...]) -> Figures:
        """What is known of figures in these cells."""
        known = self._figures.get((player, ghosts))
        if known is None:
            if len(self._figures) >= MAX_FIGURES:
                self._figures.clear()
            known = self._figures[player, ghosts] = Figures(self, player, ghosts)
        return known

    def __reduce__(self) -> tuple[Callable[..., PlayableBoard], tuple[Board, tuple[int, int]]]:
        """A copy is the same one, for nothing in it ever changes but what is remembered."""
        return playable, (self.board, self.shape)


@lru_cache(maxsize=256)
def playable(board: Board, shape: tuple[int, int]) -> PlayableBoard:
    """A board made ready; kept for boards used last."""
    return PlayableBoard(board, shape)
