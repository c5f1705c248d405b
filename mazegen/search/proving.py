"""The searches behind every claim about a maze: compiled, exact, over the full state.

All of them are ``kernels.explore`` on a board or on a board with one thing changed, so a claim is a
statement about ``rules.apply`` and about nothing else. Importing this module imports numba.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.interruptible import honestly, shielded
from mazegen.core.rules import ACTIONS, FREE, GATE, MOVE_FORWARD, WALL, Action
from mazegen.search import kernels, searching
from mazegen.search.kernels import (
    FINISH,
    MASKS,
    PARENT,
    POSE,
    UNKNOWN,
    VIA,
    Graph,
    Layout,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    PlainSurvey: TypeAlias = tuple[int, int, int, int, int, NDArray[np.uint8], NDArray[np.uint8], int]
    PlainAblation: TypeAlias = tuple[int, int, int, int, int, int]

MANY_PLANS = 1 << 30  # where counting shortest plans stops
_TURN_LEFT = int(Action.TURN_LEFT)
LIMIT = -3  # in place of an optimum: the search would have had to hold too many states


class Start(NamedTuple):
    """Where a search begins."""

    cell: int
    facing: int
    taken: int
    opened: int
    on: int


class Survey(NamedTuple):
    """What the search of the whole board says.

    Attributes:
        optimum: fewest actions to success, UNKNOWN if there is no way, LIMIT if it was given up.
        states: number of reachable states.
        dead_states: how many of them have no way to the goal any more.
        plans: number of shortest plans up to ``MANY_PLANS``; about-turns over left or right are one.
        moves: fewest cell moves to success.
        plan: (optimum,) a shortest plan.
        walk: a plan with the fewest moves, and among those the fewest actions.
        branching: mean number of different states that one action leads to, times 1000.
    """

    optimum: int
    states: int
    dead_states: int
    plans: int
    moves: int
    plan: NDArray[np.uint8]
    walk: NDArray[np.uint8]
    branching: int


class Ablation(NamedTuple):
    """What the search of a changed board says.

    Attributes:
        optimum: fewest actions to success, UNKNOWN if there is no way, LIMIT if it was given up.
        states: number of states searched; all of them where there is no way.
        taken: mask of the keys picked up in any of them.
        opened: mask of the doors open in any of them.
        on: mask of the switches on in any of them.
        crossed: mask of the gates whose cell was entered in any of them.
    """

    optimum: int
    states: int
    taken: int
    opened: int
    on: int
    crossed: int


@compiled
def strides_of(cols: int) -> NDArray[np.int64]:
    """What to add to a cell index to look north, east, south, west (4,)."""
    return np.array([-cols, 1, cols, -1], np.int64)


@compiled
def packed(layout: Layout, start: Start) -> tuple[int, int, int]:
    """A start as ``kernels.explore`` takes it."""
    masks = start.taken | start.opened << layout.keys | start.on << (layout.keys + layout.doors)
    bits, poses = 0, layout.codes.shape[0] * 4 - 1
    while poses > 0:
        bits, poses = bits + 1, poses >> 1
    bits += layout.keys + layout.doors + layout.switches
    return start.cell * 4 + start.facing, masks, bits


@compiled
def plan_to(origins: NDArray[np.integer[Any]], node: int, last_action: int) -> NDArray[np.uint8]:
    """The actions that lead to a node, and the last one that succeeds there.

    ``origins`` rows are (parent, action), the parent of the first node being UNKNOWN.
    """
    length, back = 1, node
    while origins[back, 0] != UNKNOWN:
        length, back = length + 1, origins[back, 0]
    plan = np.empty(length, np.uint8)
    plan[length - 1] = last_action
    for index in range(length - 2, -1, -1):
        plan[index] = origins[node, 1]
        node = origins[node, 0]
    return plan


def survey(layout: Layout, start: Start, limit: int) -> Survey:
    """Search the whole board; see ``Survey``. A large one is searched in slices, see ``searching``."""
    found = Survey(*honestly(survey_at_once, layout, start, min(limit, searching.AT_ONCE)))
    if found.optimum != LIMIT or limit <= searching.AT_ONCE:
        return found
    graph = searching.explore(layout, packed(layout, start), limit, whole=True)
    if UNKNOWN in (graph.size, graph.last):
        return Survey(*shielded(_no_way, graph))
    plan, plans, branching = shielded(_shortest, graph)
    dead = int(np.count_nonzero(searching.remaining_actions(graph) == UNKNOWN))
    moves, walk = _moves_of(plan), plan
    if not shielded(_has_fewest_moves, graph, plan):
        moves, last, last_action, origins = searching.fewest_moves(graph)
        walk = shielded(plan_to, origins, last, last_action)
    return Survey(len(plan), graph.size, dead, plans, moves, plan, walk, branching)


@compiled
def survey_at_once(layout: Layout, start: Start, limit: int) -> PlainSurvey:
    """``survey`` in one compiled call; the fields of a ``Survey``."""
    whole = limit > 0  # not the constant: the compiler would make a second copy of the search for it
    graph = kernels.explore(layout, packed(layout, start), limit, whole)
    if UNKNOWN in (graph.size, graph.last):
        return _no_way(graph)
    plan, plans, branching = _shortest(graph)
    distance = kernels.remaining_actions(graph.successors, graph.size)
    dead = 0
    for node in range(graph.size):
        dead += distance[node] == UNKNOWN
    moves, walk = _moves_of(plan), plan
    if not _has_fewest_moves(graph, plan):
        better = kernels.fewest_moves(graph)
        moves, walk = better[0], plan_to(better[3], better[1], better[2])
    return plan.shape[0], graph.size, dead, plans, moves, plan, walk, branching


@compiled
def _no_way(graph: Graph) -> PlainSurvey:
    """What is said of a board that was too large, or whose goal cannot be reached."""
    nothing = np.empty(0, np.uint8)
    if graph.size == UNKNOWN:
        return LIMIT, 0, 0, 0, UNKNOWN, nothing, nothing, 0
    return UNKNOWN, graph.size, graph.size, 0, UNKNOWN, nothing, nothing, _branching(graph)


@compiled
def _shortest(graph: Graph) -> tuple[NDArray[np.uint8], int, int]:
    """A shortest plan, how many there are, and the branching; see ``Survey``."""
    plan = plan_to(graph.nodes[:, PARENT : VIA + 1], graph.last, graph.last_action)
    return plan, _count_plans(graph, plan.shape[0]), _branching(graph)


@compiled
def _moves_of(plan: NDArray[np.uint8]) -> int:
    """Cell moves of a plan that succeeds: none of its moves is blocked."""
    moves = 0
    for action in plan:
        moves += action == MOVE_FORWARD
    return moves


@compiled
def _has_fewest_moves(graph: Graph, plan: NDArray[np.uint8]) -> bool:
    """Whether no plan has fewer cell moves than this shortest one, which usually has the fewest as well.

    It is a search that counts moves alone: levels of states, free actions within a level.
    """
    plan_moves = _moves_of(plan)
    size, nodes, successors = graph.size, graph.nodes, graph.successors
    seen = np.zeros(size, np.bool_)
    level, following = np.empty(size, np.int64), np.empty(size, np.int64)
    level[0], seen[0] = 0, True
    tail, moves = 1, 0
    while tail > 0 and moves < plan_moves:
        head, ahead = 0, 0
        while head < tail:
            node = level[head]
            head += 1
            for action in range(ACTIONS):
                after = successors[node, action]
                if after == FINISH:
                    if moves + (action == MOVE_FORWARD) < plan_moves:
                        return False
                elif not seen[after] and nodes[after, POSE] >> 2 == nodes[node, POSE] >> 2:
                    seen[after] = True
                    level[tail], tail = after, tail + 1
        for index in range(tail):
            node = level[index]
            after = successors[node, MOVE_FORWARD]
            if after >= 0 and not seen[after]:
                seen[after] = True
                following[ahead], ahead = after, ahead + 1
        level, following, tail = following, level, ahead
        moves += 1
    return True


@inner
def _branching(graph: Graph) -> int:
    """Mean number of different other states that one action leads to, times 1000."""
    edges = 0
    for node in range(graph.size):
        for action in range(ACTIONS):
            edges += graph.successors[node, action] != node
    return edges * 1000 // graph.size


@inner
def _count_plans(graph: Graph, optimum: int) -> int:
    """Number of shortest plans, up to ``MANY_PLANS``; of the two about-turns only one counts.

    Nodes stand in order of their distance. Ways that end with a left turn are counted apart, so that
    a second left turn can be left out: two right turns do the same in as many actions.
    """
    size = graph.size
    steps = np.zeros(size, np.int64)
    after_left, after_other = np.zeros(size, np.int64), np.zeros(size, np.int64)
    after_other[0] = 1
    total = 0
    for node in range(size):
        if node > 0:
            steps[node] = steps[graph.nodes[node, PARENT]] + 1
        if steps[node] >= optimum:
            break
        ways = after_left[node] + after_other[node]
        for action in range(ACTIONS):
            after = graph.successors[node, action]
            if after == FINISH:
                if steps[node] + 1 == optimum:
                    total = min(MANY_PLANS, total + ways)
            elif after > node and steps[graph.nodes[after, PARENT]] == steps[node]:
                if action == _TURN_LEFT:
                    after_left[after] = min(MANY_PLANS, after_left[after] + after_other[node])
                else:
                    after_other[after] = min(MANY_PLANS, after_other[after] + ways)
    return total


def ablate(layout: Layout, start: Start, limit: int) -> Ablation:
    """Search a board up to the first success, or all of it where there is none; see ``Ablation``.

    A large one is searched in slices, see ``searching``.
    """
    found = Ablation(*honestly(_ablate, layout, start, min(limit, searching.AT_ONCE)))
    if found.optimum != LIMIT or limit <= searching.AT_ONCE:
        return found
    graph = searching.explore(layout, packed(layout, start), limit, whole=False)
    return Ablation(*shielded(_seen, layout, graph))


@compiled
def _ablate(layout: Layout, start: Start, limit: int) -> PlainAblation:
    optimum, states, taken, opened, on, crossed = ablate_at_once(layout, start, limit)
    return optimum, states, taken, opened, on, crossed


@inner
def ablate_at_once(layout: Layout, start: Start, limit: int) -> Ablation:
    """``ablate`` in one compiled call."""
    whole = limit <= 0  # not the constant, see ``survey_at_once``
    optimum, states, taken, opened, on, crossed = _seen(
        layout, kernels.explore(layout, packed(layout, start), limit, whole)
    )
    return Ablation(optimum, states, taken, opened, on, crossed)


@compiled
def _seen(layout: Layout, graph: Graph) -> PlainAblation:
    """What a search came to: the fields of an ``Ablation``."""
    if graph.size == UNKNOWN:
        return LIMIT, 0, 0, 0, 0, 0
    union, crossed = 0, 0
    for node in range(graph.size):
        union |= graph.nodes[node, MASKS]
        code = np.int64(layout.codes[graph.nodes[node, POSE] >> 2])
        if GATE <= code < WALL:
            crossed |= 1 << (code - GATE)
    taken = union & ((1 << layout.keys) - 1)
    opened = (union >> layout.keys) & ((1 << layout.doors) - 1)
    on = union >> (layout.keys + layout.doors)
    optimum, node = UNKNOWN, graph.last
    if node != UNKNOWN:
        optimum = 1
        while graph.nodes[node, PARENT] != UNKNOWN:
            optimum, node = optimum + 1, graph.nodes[node, PARENT]
    return optimum, graph.size, taken, opened, on, crossed


@compiled
def fill_dead_ends(codes: NDArray[np.uint8], cols: int, start: int) -> None:
    """Wall up, again and again, every free cell with at most one way out; never the start."""
    changed = True
    while changed:
        changed = False
        for cell in range(cols, codes.shape[0] - cols):
            if codes[cell] == FREE and cell != start:
                ways = 0
                for beside in (cell - cols, cell + 1, cell + cols, cell - 1):
                    ways += codes[beside] != WALL
                if ways <= 1:
                    codes[cell] = WALL
                    changed = True


@compiled
def replay(
    layout: Layout, start: Start, plan: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Play a plan; the cells it walks over, and the codes of what it interacts with, in order.

    A key is picked up, a switch toggled, a door opened and a gate walked through.
    """
    path = np.empty(plan.shape[0] + 1, np.int64)
    codes = np.empty(plan.shape[0], np.int64)
    cell, facing, taken, opened, on = start
    path[0] = cell
    length, count = 1, 0
    for action in plan:
        here, ahead_cell = np.int64(layout.codes[cell]), cell + layout.strides[facing]
        ahead = np.int64(layout.codes[ahead_cell])
        moved, facing, taken2, opened2, on2, _ = kernels.apply(
            np.int64(action), facing, here, ahead, layout.link[ahead], layout.trait[ahead], layout.arrival,
            taken, opened, on,
        )  # fmt: skip
        if taken2 != taken:
            codes[count], count = here, count + 1
        elif on2 != on or opened2 != opened or (moved and GATE <= ahead < WALL):
            codes[count], count = ahead, count + 1
        taken, opened, on = taken2, opened2, on2
        if moved:
            cell = ahead_cell
            path[length], length = cell, length + 1
    return path[:length], codes[:count]
