"""A bounded search that wins: its plan is the witness that a board can be won within its limit.

Beam search over ``rules.step``: of all states that are reached after the same number of steps the most
promising are kept. It is complete in nothing and optimal in nothing: a plan that it finds does win, but a
shorter one may exist, and where it finds none there may be one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules.ghost_paths import path_distances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.envs.pacman.rules import Board, State
    from maze_gym.envs.pacman.rules.layout import Layout

BEAM_WIDTHS = (24, 96, 384)  # tried in turn: most boards fall to the narrow beam
MAX_TRIES = 2_000_000  # half a minute; a game of 200 steps takes a quarter of them at most
_ACTIONS = tuple(int(action) for action in rules.Action)
_WON = int(rules.Event.WON)  # plain: on the hot path
# What a state is worth; found by trying, see ``benchmarks/bench_pacman.py`` for what comes of it.
_PELLET_COST = 4.0  # per pellet left
_NEAREST_COST = 1.0  # per step to the nearest pellet
_LONELY_COST = 1.5  # per pellet left without a pellet beside it: a way back that has to be paid for later
_DANGER = (0.0, 6.0, 3.0)  # by steps to the nearest ghost, while there is no power


class WinningPlan(NamedTuple):
    """What a search came to.

    Attributes:
        actions: from the state that was asked about.
        states: the states that they lead to, in order; as many as there are actions.
        wins: whether the last of them wins; else the plan merely survives and eats as long as was found.
    """

    actions: tuple[int, ...]
    states: tuple[State, ...]
    wins: bool

    def advice(self, start: State) -> dict[State, int]:
        """What to do in the state that was asked about, and in those that the plan leads to."""
        return dict(zip((start, *self.states), self.actions, strict=False))


class _Node(NamedTuple):
    state: State
    parent: _Node | None
    action: int


def find_plan(
    board: Board,
    start: State,
    max_steps: int,
    widths: Sequence[int] = BEAM_WIDTHS,
    max_tries: int = MAX_TRIES,
) -> WinningPlan:
    """The first winning plan that a beam finds; the longest survivor's where none does.

    Args:
        board: the board.
        start: a state of a game that is not over.
        max_steps: actions that are left.
        widths: numbers of states kept at each depth, tried in turn.
        max_tries: actions tried in all; then the best plan so far has to do.
    """
    value = _Value(board)
    best: WinningPlan | None = None
    left = [max_tries]
    for width in widths:
        found = _beam(board, start, max_steps, width, value, left)
        if found.wins:
            return found
        if best is None or _merit(found) > _merit(best):
            best = found
    return best or WinningPlan((), (), wins=False)


def _merit(plan: WinningPlan) -> tuple[int, int]:
    """How long a plan survives, then how much it eats."""
    return len(plan.actions), -plan.states[-1].pellets.bit_count() if plan.states else 0


def _beam(
    board: Board, start: State, max_steps: int, width: int, value: _Value, left: list[int]
) -> WinningPlan:
    """One beam; ``left[0]`` counts down the actions that may still be tried."""
    beam = [_Node(start, None, 0)]
    last = beam[0]
    for _ in range(max_steps):
        reached: dict[tuple[object, ...], tuple[float, _Node]] = {}
        for node in beam:
            for action in _ACTIONS:
                state, events, _ = rules.step(board, node.state, action)
                if events & _WON:
                    return _plan(_Node(state, node, action), wins=True)
                if not events & rules.OVER:
                    key = (state.player, state.ghosts, state.pellets, state.timer, state.phase, state.luck)
                    if key not in reached:
                        reached[key] = (value(state), _Node(state, node, action))
        left[0] -= len(beam) * len(_ACTIONS)
        if not reached or left[0] <= 0:
            break
        ranked = sorted(reached.values(), key=lambda entry: entry[0])  # stable: no chance in it
        beam = [node for _, node in ranked[:width]]
        last = beam[0]
    return _plan(last, wins=False)


def _plan(node: _Node, *, wins: bool) -> WinningPlan:
    nodes = []
    while node.parent is not None:
        nodes.append(node)
        node = node.parent
    nodes.reverse()
    return WinningPlan(tuple(each.action for each in nodes), tuple(each.state for each in nodes), wins)


class _Value:
    """How far a state is from being won, roughly; lower is better."""

    def __init__(self, board: Board) -> None:
        layout = board.layout
        self._distances = [path_distances(layout, cell) for cell in range(layout.cells)]
        self._rings = [_rings(layout, distances) for distances in self._distances]
        self._shifts = _shifts(layout)

    def __call__(self, state: State) -> float:
        player, ghosts, pellets, timer = state[:4]
        rings = self._rings[player]
        nearest = 1
        while nearest < len(rings) and not rings[nearest] & pellets:
            nearest += 1
        cost = _PELLET_COST * pellets.bit_count() + _NEAREST_COST * nearest
        cost += _LONELY_COST * self._lonely(pellets).bit_count()
        if not timer:
            distances = self._distances[player]
            closest = min(distances[ghost] for ghost in ghosts)
            if closest < len(_DANGER):
                cost += _DANGER[closest]
        return cost

    def _lonely(self, pellets: int) -> int:
        """Mask of the pellets without another one above, below, left or right."""
        cols, not_first, not_last = self._shifts
        beside = pellets >> cols | pellets << cols
        beside |= (pellets & not_first) >> 1 | (pellets & not_last) << 1
        return pellets & ~beside


def _rings(layout: Layout, distances: list[int]) -> tuple[int, ...]:
    """By number of steps, the mask of cells that are so many away."""
    rings = [0] * layout.cells
    for cell, distance in enumerate(distances):
        if distance < layout.cells:
            rings[distance] |= 1 << cell
    while rings and not rings[-1]:
        rings.pop()
    return tuple(rings)


def _shifts(layout: Layout) -> tuple[int, int, int]:
    """Columns, and the masks of cells that are not in the first and not in the last column."""
    first = sum(1 << row * layout.cols for row in range(layout.rows))
    everything = (1 << layout.cells) - 1
    return layout.cols, everything & ~first, everything & ~(first << layout.cols - 1)
