"""The loops that are compiled. They call ``rules.apply``, the same source that plays a single env.

Importing this module imports numba, so the rest of the package imports it where it is used. Under
``NUMBA_DISABLE_JIT=1`` every function here is plain Python. What is compiled is cached on disk;
``_forget_stale_code`` drops the cache when the sources change, because numba itself looks only at
the file of the function it compiles and would keep an old copy of the rules.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit

from mazegen import rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

F = TypeVar("F", bound="Callable[..., object]")

ACTIONS = len(rules.Action)
FINISH = -2  # "successor" of an action that ends the episode with success
MOVE_FORWARD = int(rules.Action.MOVE_FORWARD)
DONE_EVENT = int(rules.Event.DONE)
UNKNOWN = -1
# Up to this many (pose, masks) pairs the table of seen states has a slot for each: no collisions,
# no growth. 2**20 slots are 4 MiB.
DENSE_BITS = 20
FIRST_CAPACITY = 1 << 12
_HASH_POSE, _HASH_MASKS = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F  # odd 64-bit constants that mix well


def compiled(function: F) -> F:
    """Compile a function of scalars and arrays; typed, because numba's decorator is not."""
    return cast("F", njit(cache=True, nogil=True)(function))


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
    pose: NDArray[np.int32]  # (size,) cell * 4 + facing
    masks: NDArray[np.int64]  # (size,) taken | opened << keys | on << (keys + doors)
    parent: NDArray[np.int32]  # (size,) node it was first reached from
    via: NDArray[np.int8]  # (size,) action it was first reached by
    successors: NDArray[np.int32]  # (size, 6) node or FINISH; filled only for a whole graph
    last: int  # node of the first success, or UNKNOWN
    last_action: int  # the action that succeeds there
    table: NDArray[np.int32]  # hash table: node + 1, or 0 for an empty slot
    dense: bool  # whether the table has a slot for each possible state


@compiled
def slot_of(pose: int, masks: int, dense: bool, size: int, cells: int) -> int:  # noqa: FBT001
    """Where the search for a state begins in a table of ``size`` slots (a power of two)."""
    if dense:
        return masks * (cells * 4) + pose
    mixed = np.uint64(masks) * np.uint64(_HASH_MASKS) + np.uint64(pose) * np.uint64(_HASH_POSE)
    return np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(size - 1))  # type: ignore[return-value]  # numba types the scalars


@compiled
def explore(
    layout: Layout, start: tuple[int, int, int], limit: int, whole: bool  # noqa: FBT001
) -> Graph:
    """Breadth-first search over (cell, facing, taken, opened, on).

    Args:
        layout: the board.
        start: pose, masks, and how many bits index all possible states (chooses the table).
        limit: the most states to hold.
        whole: visit every reachable state and record all successors; else stop at the first success.
    """
    cells = layout.codes.shape[0]
    keys, doors = layout.keys, layout.doors
    key_bits, door_bits = (1 << keys) - 1, (1 << doors) - 1
    switch_bits = (1 << layout.switches) - 1
    codes, link, trait, strides, arrival = (
        layout.codes, layout.link, layout.trait, layout.strides, layout.arrival,
    )  # fmt: skip
    pose0, masks0, index_bits = start
    dense = index_bits <= DENSE_BITS
    slots = 1 << index_bits if dense else FIRST_CAPACITY * 4
    table = np.zeros(slots, np.int32)
    capacity = FIRST_CAPACITY
    pose, masks = np.empty(capacity, np.int32), np.empty(capacity, np.int64)
    parent, via = np.empty(capacity, np.int32), np.empty(capacity, np.int8)
    successors = np.empty((capacity if whole else 1, ACTIONS), np.int32)
    pose[0], masks[0], parent[0], via[0] = pose0, masks0, UNKNOWN, UNKNOWN
    table[slot_of(pose0, masks0, dense, slots, cells)] = 1
    size, node = 1, 0
    last, last_action = UNKNOWN, UNKNOWN
    while node < size:
        if size + ACTIONS > capacity:
            capacity *= 2
            pose, masks = _grown(pose, capacity), _grown(masks, capacity)
            parent, via = _grown(parent, capacity), _grown(via, capacity)
            if whole:
                wider = np.empty((capacity, ACTIONS), np.int32)
                wider[:node] = successors[:node]
                successors = wider
        if not dense and size * 2 > slots:
            slots *= 4
            table = np.zeros(slots, np.int32)
            for known in range(size):
                slot = slot_of(pose[known], masks[known], dense, slots, cells)
                while table[slot] != 0:
                    slot = (slot + 1) & (slots - 1)
                table[slot] = known + 1
        old_pose, old_masks = np.int64(pose[node]), masks[node]
        cell, facing = old_pose >> 2, old_pose & 3
        taken = old_masks & key_bits
        opened = (old_masks >> keys) & door_bits
        on = (old_masks >> (keys + doors)) & switch_bits
        here = np.int64(codes[cell])
        cell_ahead = cell + strides[facing]
        ahead = np.int64(codes[cell_ahead])
        link_ahead, trait_ahead = link[ahead], trait[ahead]
        for action in range(ACTIONS):
            moved, facing2, taken2, opened2, on2, event = apply(
                action, facing, here, ahead, link_ahead, trait_ahead, arrival, taken, opened, on
            )
            if event == DONE_EVENT:
                if last == UNKNOWN:
                    last, last_action = node, action
                if whole:
                    successors[node, action] = FINISH
                continue
            new_pose = (cell_ahead if moved else cell) * 4 + facing2
            new_masks = taken2 | opened2 << keys | on2 << (keys + doors)
            slot = slot_of(new_pose, new_masks, dense, slots, cells)
            known = np.int64(table[slot]) - 1
            while known >= 0 and (pose[known] != new_pose or masks[known] != new_masks):
                slot = (slot + 1) & (slots - 1)
                known = np.int64(table[slot]) - 1
            if known < 0:
                known = size
                table[slot] = size + 1
                pose[size], masks[size], parent[size], via[size] = new_pose, new_masks, node, action
                size += 1
            if whole:
                successors[node, action] = known
        if size > limit:
            return Graph(UNKNOWN, pose, masks, parent, via, successors, last, last_action, table, dense)
        if last != UNKNOWN and not whole:
            break
        node += 1
    return Graph(size, pose, masks, parent, via, successors, last, last_action, table, dense)


@compiled
def _grown(array: NDArray[np.int64], capacity: int) -> NDArray[np.int64]:
    wider = np.empty(capacity, array.dtype)
    wider[: array.shape[0]] = array
    return wider


@compiled
def find(graph: Graph, pose: int, masks: int, cells: int) -> int:
    """Node of a state in a graph, or UNKNOWN."""
    slots = graph.table.shape[0]
    slot = slot_of(pose, masks, graph.dense, slots, cells)
    known = np.int64(graph.table[slot]) - 1
    while known >= 0 and (graph.pose[known] != pose or graph.masks[known] != masks):
        slot = (slot + 1) & (slots - 1)
        known = np.int64(graph.table[slot]) - 1
    return known


@compiled
def remaining_actions(successors: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """Fewest actions from each node to success, UNKNOWN where success has become impossible.

    Walks the graph backwards, breadth first, from the nodes with a finishing action.
    """
    first = np.zeros(size + 2, np.int64)  # predecessors of node n: edges[first[n] : first[n + 1]]
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
    distance = np.full(size, UNKNOWN, np.int32)
    queue = np.empty(size, np.int32)
    tail = 0
    for node in range(size):
        for action in range(ACTIONS):
            if successors[node, action] == FINISH and distance[node] == UNKNOWN:
                distance[node] = 1
                queue[tail] = node
                tail += 1
    head = 0
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
def fewest_moves(
    graph: Graph,
) -> tuple[int, int, int, NDArray[np.int32], NDArray[np.int8]]:
    """The walk with the fewest cell moves, and among those the fewest actions.

    Dijkstra on (moves, actions). A move costs a level; within a level nodes are taken in order of
    actions from two queues that are both sorted by construction: those that a move brought here and
    those that a free action brought here.

    Returns:
        ``(moves, last node, last action, parent per node, action per node)``, moves UNKNOWN if the
        goal cannot be reached.
    """
    size, pose = graph.size, graph.pose
    settled = np.zeros(size, np.bool_)
    parent, via = np.full(size, UNKNOWN, np.int32), np.full(size, UNKNOWN, np.int8)
    room = size * ACTIONS + 1
    seeds, seed_from, seed_via, seed_steps = _queue(room)
    free, free_from, free_via, free_steps = _queue(room)
    fresh, fresh_from, fresh_via, fresh_steps = _queue(room)
    seeds[0], seed_from[0], seed_via[0], seed_steps[0] = 0, UNKNOWN, UNKNOWN, 0
    seed_tail, moves = 1, 0
    best_node, best_action, best_steps = UNKNOWN, UNKNOWN, 0
    finish_node, finish_steps, have_finish = UNKNOWN, 0, False
    while seed_tail > 0 or have_finish:
        seed_head, free_head, free_tail, fresh_tail = 0, 0, 0, 0
        best_node = UNKNOWN
        if have_finish:  # a move of the level before reached the goal
            best_node, best_action, best_steps = finish_node, MOVE_FORWARD, finish_steps
        have_finish = False
        while seed_head < seed_tail or free_head < free_tail:
            if free_head == free_tail or (
                seed_head < seed_tail and seed_steps[seed_head] <= free_steps[free_head]
            ):
                node, origin, action, steps = (
                    seeds[seed_head], seed_from[seed_head], seed_via[seed_head], seed_steps[seed_head],
                )  # fmt: skip
                seed_head += 1
            else:
                node, origin, action, steps = (
                    free[free_head], free_from[free_head], free_via[free_head], free_steps[free_head],
                )  # fmt: skip
                free_head += 1
            if settled[node]:
                continue
            settled[node] = True
            parent[node], via[node] = origin, action
            for action2 in range(ACTIONS):
                after = graph.successors[node, action2]
                if after == FINISH:
                    if action2 != MOVE_FORWARD:
                        if best_node == UNKNOWN or steps + 1 < best_steps:
                            best_node, best_action, best_steps = node, action2, steps + 1
                    elif not have_finish:
                        have_finish, finish_node, finish_steps = True, node, steps + 1
                elif not settled[after]:
                    if pose[after] >> 2 != pose[node] >> 2:
                        fresh[fresh_tail], fresh_from[fresh_tail] = after, node
                        fresh_via[fresh_tail], fresh_steps[fresh_tail] = action2, steps + 1
                        fresh_tail += 1
                    else:
                        free[free_tail], free_from[free_tail] = after, node
                        free_via[free_tail], free_steps[free_tail] = action2, steps + 1
                        free_tail += 1
        if best_node != UNKNOWN:
            return moves, best_node, best_action, parent, via
        seeds, fresh = fresh, seeds
        seed_from, fresh_from = fresh_from, seed_from
        seed_via, fresh_via = fresh_via, seed_via
        seed_steps, fresh_steps = fresh_steps, seed_steps
        seed_tail = fresh_tail
        moves += 1
    return UNKNOWN, UNKNOWN, UNKNOWN, parent, via


@compiled
def _queue(
    room: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8], NDArray[np.int32]]:
    return np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int8), np.empty(room, np.int32)


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


def _forget_stale_code() -> None:
    """Drop numba's cached code if any source it was made from has changed since."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for name in ("rules.py", "kernels.py"):
        digest.update((here / name).read_bytes())
    # Without the compiler (NUMBA_DISABLE_JIT=1) these are plain functions that have no cache.
    dispatchers = [function for function in (apply, explore) if hasattr(function, "stats")]
    for folder in {Path(dispatcher.stats.cache_path) for dispatcher in dispatchers}:
        stamp = folder / "mazegen-kernels.sha256"
        with contextlib.suppress(OSError):  # a read-only installation: its files never change either
            if not stamp.exists() or stamp.read_text() != digest.hexdigest():
                for index in folder.glob("*.nbi"):
                    if index.name.startswith(("rules.", "kernels.")):
                        index.unlink(missing_ok=True)
                folder.mkdir(parents=True, exist_ok=True)
                stamp.write_text(digest.hexdigest())


_forget_stale_code()
