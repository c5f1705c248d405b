"""The searches behind every claim about a maze: compiled, exact, over the full state.

All of them are ``kernels.explore`` on a board or on a board with one thing changed, so a claim is a
statement about ``rules.apply`` and about nothing else. Importing this module imports numba.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# ruff: noqa: PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.rules import ACTIONS, DOOR, FREE, GATE, MOVE_FORWARD, WALL, Action
from mazegen.search import kernels
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

MANY_PLANS = 1 << 30  # where counting shortest plans stops
_TURN_LEFT = int(Action.TURN_LEFT)
FAULT_LIMIT, FAULT_OPENER, FAULT_BYPASS, FAULT_ORDER, FAULT_BLOCKER = 1, 2, 3, 4, 5
LIMIT = -3  # in place of an optimum: the search would have had to hold too many states


class Start(NamedTuple):
    """Where a search begins."""

    cell: int
    facing: int
    taken: int
    opened: int
    on: int


class Later(NamedTuple):
    """Masks of what belongs to the steps of a chain after a given one."""

    taken: int
    opened: int
    on: int
    crossed: int


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


@inner
def packed(layout: Layout, start: Start) -> tuple[int, int, int]:
    """A start as ``kernels.explore`` takes it."""
    masks = start.taken | start.opened << layout.keys | start.on << (layout.keys + layout.doors)
    bits, poses = 0, layout.codes.shape[0] * 4 - 1
    while poses > 0:
        bits, poses = bits + 1, poses >> 1
    bits += layout.keys + layout.doors + layout.switches
    return start.cell * 4 + start.facing, masks, bits


@inner
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


@compiled
def survey(layout: Layout, start: Start, limit: int) -> Survey:
    """Search the whole board; see ``Survey``."""
    nothing = np.empty(0, np.uint8)
    whole = limit > 0  # not the constant: the compiler would make a second copy of the search for it
    graph = kernels.explore(layout, packed(layout, start), limit, whole)
    if graph.size == UNKNOWN:
        return Survey(LIMIT, 0, 0, 0, UNKNOWN, nothing, nothing, 0)
    branching = _branching(graph)
    if graph.last == UNKNOWN:
        return Survey(UNKNOWN, graph.size, graph.size, 0, UNKNOWN, nothing, nothing, branching)
    plan = plan_to(graph.nodes[:, PARENT : VIA + 1], graph.last, graph.last_action)
    distance = kernels.remaining_actions(graph.successors, graph.size)
    dead = 0
    for node in range(graph.size):
        dead += distance[node] == UNKNOWN
    plans = _count_plans(graph, plan.shape[0])
    moves, walk = fewest_moves(graph, plan)
    return Survey(plan.shape[0], graph.size, dead, plans, moves, plan, walk, branching)


@inner
def fewest_moves(graph: Graph, plan: NDArray[np.uint8]) -> tuple[int, NDArray[np.uint8]]:
    """Fewest cell moves to success, and a plan with so few and, among those, the fewest actions.

    A shortest plan usually has the fewest moves as well, and then it is the answer. Whether it has
    is a search that counts moves alone: levels of states, free actions within a level.
    """
    plan_moves = 0
    for action in plan:
        plan_moves += action == MOVE_FORWARD
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
                        better = kernels.fewest_moves(graph)
                        return better[0], plan_to(better[3], better[1], better[2])
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
    return plan_moves, plan


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


@inner
def with_code(layout: Layout, old: int, new: int) -> Layout:
    """The same board with another thing in the place of one thing."""
    codes = layout.codes.copy()
    for cell in range(codes.shape[0]):
        if codes[cell] == old:
            codes[cell] = new
    return Layout(
        codes, layout.link, layout.trait, layout.strides, layout.arrival, layout.keys, layout.doors,
        layout.switches,
    )  # fmt: skip


@compiled
def ablate(layout: Layout, start: Start, limit: int) -> Ablation:
    """Search a board up to the first success, or all of it where there is none; see ``Ablation``."""
    whole = limit <= 0  # not the constant, see ``survey``
    graph = kernels.explore(layout, packed(layout, start), limit, whole)
    if graph.size == UNKNOWN:
        return Ablation(LIMIT, 0, 0, 0, 0, 0)
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
    return Ablation(optimum, graph.size, taken, opened, on, crossed)


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


@inner
def proves_step(
    layout: Layout, start: Start, optimum: int, limit: int, opener: int, blocker: int, later: Later
) -> int:
    """Whether one step of a chain is needed and in its place: 0, or the ``FAULT_...`` that says why not.

    Args:
        layout: the board.
        start: where the episode begins.
        optimum: fewest actions on the board as it is.
        limit: the most states a search may hold.
        opener: code of the key or the switch.
        blocker: code of the door or the gate.
        later: what belongs to later steps; none of it may be touched while this one is undone.
    """
    without = ablate(with_code(layout, opener, FREE), start, limit)
    if without.optimum == LIMIT:
        return FAULT_LIMIT
    if without.optimum != UNKNOWN:
        return FAULT_OPENER
    passed = without.opened >> (blocker - DOOR) if blocker < GATE else without.crossed >> (blocker - GATE)
    if passed & 1:
        return FAULT_BYPASS
    early = without.taken & later.taken | without.opened & later.opened | without.on & later.on
    if early or without.crossed & later.crossed:
        return FAULT_ORDER
    freed = ablate(with_code(layout, blocker, FREE), start, limit)
    if freed.optimum == LIMIT:
        return FAULT_LIMIT
    return 0 if freed.optimum < optimum else FAULT_BLOCKER
