"""The loops that are compiled. They call ``rules.apply``, the same source that plays a single env.

Importing this module imports numba, so the rest of the package imports it where it is used. Under
``NUMBA_DISABLE_JIT=1`` every function here is plain Python.
"""

# Inside compiled code int, np.int64 and np.uint8 mix freely; the stubs of numpy cannot know that.
# mypy: disable-error-code="arg-type, assignment, return-value"

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mazegen.core import rules
from mazegen.core.compiling import compiled, inner
from mazegen.core.rules import ACTIONS, DONE_EVENT, MOVE_FORWARD

if TYPE_CHECKING:
    from numpy.typing import NDArray

FINISH = -2  # "successor" of an action that ends the episode with success
MOVE_COST = 1 << 32  # a cell move outweighs any number of turns: costs order by (moves, other actions)
UNKNOWN = -1
NO_PAUSE = 1 << 40  # nodes in a slice: more than there can be
POSE, MASKS, PARENT, VIA = range(4)  # columns of the nodes of a graph
# Up to this many (pose, masks) pairs the table of seen states has a slot for each: no collisions,
# no growth. 2**20 slots are 4 MiB.
DENSE_BITS = 20
FIRST_CAPACITY = 1 << 10  # small enough that the allocator keeps it: fresh pages cost more than the search
# Small enough never to overflow 64 bits: masks stay below 2**60, poses below 2**16.
_HASH_PRIME, _HASH_MASKS, _HASH_POSE = 2_147_483_629, 1_540_483, 2_654_435


apply = compiled(rules.apply)


class Layout(NamedTuple):
    """A ``rules.Board`` as arrays and scalars, plus how its states pack into integers."""

    codes: NDArray[np.uint8]  # (cells,)
    link: NDArray[np.int64]  # (rules.CODES,)
    trait: NDArray[np.int64]  # (rules.CODES,)
    strides: NDArray[np.int64]  # (4,)
    arrival: bool
    keys: int  # bits of the key mask
    doors: int  # bits of the door mask
    switches: int  # bits of the switch mask


class Graph(NamedTuple):
    """Every state that was reached, in breadth-first order; node 0 is the start."""

    size: int  # number of states, or UNKNOWN if there were more than allowed
    nodes: NDArray[np.int64]  # (>= size, 4) columns POSE, MASKS, PARENT, VIA
    successors: NDArray[np.int32]  # (>= size, 6) node or FINISH; filled only for a whole graph
    last: int  # node of the first success, or UNKNOWN
    last_action: int  # the action that succeeds there
    table: NDArray[np.int32]  # hash table: node + 1, or 0 for an empty slot
    dense: bool  # whether the table has a slot for each possible state
    expanded: int  # how many nodes have their successors; fewer than ``size`` while the search is under way


@compiled
def slot_of(pose: int, masks: int, dense: bool, slots: int, cells: int) -> int:  # noqa: FBT001
    """Where the search for a state begins in a table of ``slots`` slots (a power of two)."""
    if dense:
        return masks * (cells * 4) + pose
    mixed = masks % _HASH_PRIME * _HASH_MASKS + pose * _HASH_POSE
    return (mixed ^ (mixed >> 16)) & (slots - 1)


@compiled
def explore(
    layout: Layout,
    start: tuple[int, int, int],
    limit: int,
    whole: bool,  # noqa: FBT001 - compiled functions take no keywords
) -> Graph:
    """Breadth-first search over (cell, facing, taken, opened, on), in one go.

    Whoever may have to hold many states uses ``searching.explore``, which hears Ctrl-C.

    Args:
        layout: the board.
        start: pose, masks, and how many bits index all possible states (chooses the table).
        limit: the most states to hold.
        whole: visit every reachable state and record all successors; else stop at the first success.
    """
    graph = explore_first(layout, start, limit, whole, NO_PAUSE)
    size, nodes, successors, last, last_action, table, dense, expanded = graph
    return Graph(
        size if size <= limit else UNKNOWN, nodes, successors, last, last_action, table, dense, expanded
    )


@compiled
def explore_first(
    layout: Layout,
    start: tuple[int, int, int],
    limit: int,
    whole: bool,  # noqa: FBT001 - compiled functions take no keywords
    slice_nodes: int,
) -> Graph:
    """The first slice of ``explore``: it expands ``slice_nodes`` nodes at most, see ``explore_on``."""
    return explore_on(layout, _begin(layout, start, whole), limit, whole, slice_nodes)


@inner
def _begin(layout: Layout, start: tuple[int, int, int], whole: bool) -> Graph:  # noqa: FBT001
    """The graph of the start alone."""
    cells = layout.codes.shape[0]
    dense = start[2] <= DENSE_BITS
    slots = 1 << start[2] if dense else FIRST_CAPACITY * 4
    table = np.zeros(slots, np.int32)
    nodes = np.empty((FIRST_CAPACITY, 4), np.int64)
    successors = np.empty((FIRST_CAPACITY if whole else 1, ACTIONS), np.int32)
    nodes[0, POSE], nodes[0, MASKS], nodes[0, PARENT], nodes[0, VIA] = start[0], start[1], UNKNOWN, UNKNOWN
    table[slot_of(start[0], start[1], dense, slots, cells)] = 1
    # Not plain constants: the compiler would make one more copy of what they are handed to.
    node, size, last, last_action = np.int64(0), np.int64(1), np.int64(UNKNOWN), np.int64(UNKNOWN)
    return Graph(size, nodes, successors, last, last_action, table, dense, node)


@compiled
def explore_on(
    layout: Layout,
    graph: Graph,
    limit: int,
    whole: bool,  # noqa: FBT001 - compiled functions take no keywords
    slice_nodes: int,
) -> Graph:
    """Go on with a search for ``slice_nodes`` nodes at most; the graph that it is given is used up.

    Unlike that of ``explore`` its size may be larger than the limit: then the search is over.
    """
    size, nodes, successors, last, last_action, table, dense, node = graph
    cells, slots, behind = layout.codes.shape[0], table.shape[0], node + slice_nodes
    while node < size <= limit and node < behind and (whole or last == UNKNOWN):
        if size + ACTIONS > nodes.shape[0]:
            nodes = _doubled(nodes)
            if whole:
                successors = _doubled(successors)
        if not dense and size * 2 > slots:
            slots *= 4
            table = _rehashed(nodes, size, slots, cells)
        room = min(limit, nodes.shape[0] - ACTIONS)
        room = room if dense else min(room, slots // 2)
        progress = (node, size, last, last_action, behind)
        node, size, last, last_action = _expand(
            layout, room, whole, nodes, successors, table, dense, progress
        )
    return Graph(size, nodes, successors, last, last_action, table, dense, node)


@compiled
def _expand(  # noqa: PLR0917 - a flat loop needs all of them
    layout: Layout,
    room: int,
    whole: bool,  # noqa: FBT001 - compiled functions take no keywords
    nodes: NDArray[np.int64],
    successors: NDArray[np.int32],
    table: NDArray[np.int32],
    dense: bool,  # noqa: FBT001
    progress: tuple[int, int, int, int, int],
) -> tuple[int, int, int, int]:
    """Go on with a search until it is done, holds more than ``room`` states or has to pause.

    The loop is flat and stays apart from the one that makes room: an array that may be exchanged for
    a larger one is reference-counted at every use, and that doubles the time.

    Returns:
        ``(node, size, last, last_action)`` as in ``progress``: the next node to expand, the number of
        states, and the node and action of the first success. Behind them in ``progress``: where to pause.
    """
    cells, keys, shift = layout.codes.shape[0], layout.keys, layout.keys + layout.doors
    key_bits, door_bits = (1 << keys) - 1, (1 << layout.doors) - 1
    codes, link, trait, strides = layout.codes, layout.link, layout.trait, layout.strides
    arrival, slots = layout.arrival, table.shape[0]
    node, size, last, last_action, behind = progress
    while node < size <= room and node < behind and (whole or last == UNKNOWN):
        cell, facing, masks = nodes[node, POSE] >> 2, nodes[node, POSE] & 3, nodes[node, MASKS]
        taken, opened, on = masks & key_bits, (masks >> keys) & door_bits, masks >> shift
        cell_ahead = cell + strides[facing]
        here, ahead = np.int64(codes[cell]), np.int64(codes[cell_ahead])
        link_ahead, trait_ahead = link[ahead], trait[ahead]
        for action in range(ACTIONS):
            moved, facing2, taken2, opened2, on2, event = apply(
                action, facing, here, ahead, link_ahead, trait_ahead, arrival, taken, opened, on
            )
            after = FINISH
            if event == DONE_EVENT:
                if last == UNKNOWN:
                    last, last_action = node, action
            else:
                pose2 = (cell_ahead if moved else cell) * 4 + facing2
                masks2 = taken2 | opened2 << keys | on2 << shift
                slot = slot_of(pose2, masks2, dense, slots, cells)
                after = np.int64(table[slot]) - 1
                while after >= 0 and (nodes[after, POSE] != pose2 or nodes[after, MASKS] != masks2):
                    slot = (slot + 1) & (slots - 1)
                    after = np.int64(table[slot]) - 1
                if after < 0:
                    after, size = size, size + 1
                    nodes[after, POSE], nodes[after, MASKS] = pose2, masks2
                    nodes[after, PARENT], nodes[after, VIA] = node, action
                    table[slot] = size
            if whole:
                successors[node, action] = after
        node += 1
    return node, size, last, last_action


@compiled
def _doubled(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    wider = np.empty((rows.shape[0] * 2, rows.shape[1]), rows.dtype)
    for row in range(rows.shape[0]):  # assigning a slice would compile the text of its error message, 2 s
        for column in range(rows.shape[1]):
            wider[row, column] = rows[row, column]
    return wider


@compiled
def _rehashed(nodes: NDArray[np.int64], size: int, slots: int, cells: int) -> NDArray[np.int32]:
    table = np.zeros(slots, np.int32)
    for node in range(size):
        slot = slot_of(nodes[node, POSE], nodes[node, MASKS], False, slots, cells)  # noqa: FBT003
        while table[slot] != 0:
            slot = (slot + 1) & (slots - 1)
        table[slot] = node + 1
    return table


@compiled
def find(graph: Graph, pose: int, masks: int, cells: int) -> int:
    """Node of a state in a graph, or UNKNOWN."""
    slots, nodes = graph.table.shape[0], graph.nodes
    slot = slot_of(pose, masks, graph.dense, slots, cells)
    node = np.int64(graph.table[slot]) - 1
    while node >= 0 and (nodes[node, POSE] != pose or nodes[node, MASKS] != masks):
        slot = (slot + 1) & (slots - 1)
        node = np.int64(graph.table[slot]) - 1
    return node


@compiled
def remaining_actions(successors: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """Fewest actions from each node to success, UNKNOWN where success has become impossible.

    Walks the graph backwards, breadth first, from the nodes with a finishing action.
    """
    first, edges = predecessors(successors, size)
    return distances_from(successors, size, first, edges)


@compiled
def distances_from(
    successors: NDArray[np.int32], size: int, first: NDArray[np.int64], edges: NDArray[np.int32]
) -> NDArray[np.int32]:
    """``remaining_actions``, given the ``predecessors``."""
    distance = np.full(size, UNKNOWN, np.int32)
    queue = np.empty(size, np.int32)
    head, tail = 0, 0
    for node in range(size):
        for action in range(ACTIONS):
            if successors[node, action] == FINISH and distance[node] == UNKNOWN:
                distance[node] = 1
                queue[tail] = node
                tail += 1
    while head < tail:
        node = queue[head]
        head += 1
        for edge in range(first[node], first[node + 1]):
            before = edges[edge]
            if distance[before] == UNKNOWN:
                distance[before] = distance[node] + 1
                queue[tail] = before
                tail += 1
    return distance


@compiled
def predecessors(successors: NDArray[np.int32], size: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Edges reversed: those that lead to node n come from ``edges[first[n] : first[n + 1]]``."""
    first = np.zeros(size + 2, np.int64)
    for node in range(size):
        for action in range(ACTIONS):
            if successors[node, action] >= 0:
                first[successors[node, action] + 2] += 1
    for node in range(2, size + 2):
        first[node] += first[node - 1]
    edges = np.empty(first[size + 1], np.int32)
    for node in range(size):
        for action in range(ACTIONS):
            after = successors[node, action]
            if after >= 0:
                edges[first[after + 1]] = node
                first[after + 1] += 1
    return first, edges


@compiled
def fewest_moves(graph: Graph) -> tuple[int, int, int, NDArray[np.int32]]:
    """The walk with the fewest cell moves, and among those one with the fewest actions: Dijkstra.

    Returns:
        ``(moves, last node, last action, origins)``; moves is UNKNOWN if the goal cannot be reached.
        ``origins`` is (size, 2): the node and action that each node is reached by, UNKNOWN for the start.
    """
    walks = walk_on(graph, first_walk(graph), NO_PAUSE)
    return (
        walks.best // MOVE_COST if walks.last != UNKNOWN else UNKNOWN,
        walks.last,
        walks.last_action,
        walks.origins,
    )


class Walks(NamedTuple):
    """How far ``fewest_moves`` is."""

    origins: NDArray[np.int32]  # (size, 2) the node and action that each node is reached by
    cost: NDArray[np.int64]  # (size,) of the cheapest walk to each node
    best: int  # cost of the cheapest success
    last: int  # node of it
    last_action: int
    heap: NDArray[np.int64]  # (entries, 2) cost and node, in the order of a heap; none are left at the end


@compiled
def first_walk(graph: Graph) -> Walks:
    """The walk that stays at the start, for ``walk_on``."""
    origins = np.full((graph.size, 2), UNKNOWN, np.int32)
    cost = np.full(graph.size, np.iinfo(np.int64).max, np.int64)
    cost[0] = 0
    nowhere = np.int64(UNKNOWN)  # not a plain constant, see ``begin``
    return Walks(origins, cost, np.iinfo(np.int64).max, nowhere, nowhere, np.zeros((1, 2), np.int64))


@compiled
def walk_on(graph: Graph, walks: Walks, slice_nodes: int) -> Walks:
    """Go on with ``fewest_moves``, for ``slice_nodes`` nodes at most; what it is given is used up."""
    nodes, successors = graph.nodes, graph.successors
    origins, cost, best, last, last_action, waiting = walks
    heap = [(waiting[entry, 0], waiting[entry, 1]) for entry in range(waiting.shape[0])]
    left = slice_nodes
    while heap and left > 0:
        left -= 1
        reached, node = heapq.heappop(heap)
        if reached >= best:
            heap.clear()
            break
        if reached > cost[node]:
            continue
        for action in range(ACTIONS):
            after = np.int64(successors[node, action])
            if after == FINISH:
                total = reached + (MOVE_COST if action == MOVE_FORWARD else 1)
                if total < best:
                    best, last, last_action = total, node, action
            else:
                moved = nodes[after, POSE] >> 2 != nodes[node, POSE] >> 2
                total = reached + (MOVE_COST if moved else 1)
                if total < cost[after]:
                    cost[after] = total
                    origins[after, 0], origins[after, 1] = node, action
                    heapq.heappush(heap, (total, after))
    waiting = np.empty((len(heap), 2), np.int64)
    for entry in range(len(heap)):
        waiting[entry, 0], waiting[entry, 1] = heap[entry]
    return Walks(origins, cost, best, last, last_action, waiting)


@compiled
def rollout(
    layout: Layout, start: tuple[int, int, int, int, int], actions: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Play fixed actions; (steps, 6): cell, facing, taken, opened, on, event after each.

    Success does not stop it: the test that compares it with ``rules.step`` wants every transition.
    """
    cell, facing, taken, opened, on = start
    record = np.empty((actions.shape[0], 6), np.int64)
    for index in range(actions.shape[0]):
        ahead_cell = cell + layout.strides[facing]
        ahead = np.int64(layout.codes[ahead_cell])
        moved, facing, taken, opened, on, event = apply(
            np.int64(actions[index]), facing, np.int64(layout.codes[cell]), ahead, layout.link[ahead],
            layout.trait[ahead], layout.arrival, taken, opened, on,
        )  # fmt: skip
        if moved:
            cell = ahead_cell
        record[index, 0], record[index, 1], record[index, 2] = cell, facing, taken
        record[index, 3], record[index, 4], record[index, 5] = opened, on, event
    return record
