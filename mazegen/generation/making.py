"""From a compiled spec to a proved draft: layout, chain, distractors, proof, and again if need be.

The work is in a handful of compiled calls for each attempt. They are separate calls: when they were one,
it took about three times as long to compile and saved a tenth of the running time. Importing this module
imports numba.
"""

# Compiled functions take arrays and numbers; bundles of arrays are counted at every use.
# ruff: noqa: PLR0913, PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mazegen.core.compiling import compiled, inner
from mazegen.core.interruptible import honestly
from mazegen.core.maze import KEY_COLORS, MAX_PER_KIND
from mazegen.core.rules import CODES, DOOR, FREE, GATE, GOAL, KEY, SWITCH, WALL
from mazegen.generation.carving import NOTHING, shuffle
from mazegen.generation.distractors import LONGEST_ROOM, place_distractors
from mazegen.generation.placement import KEY_STEP, dig_spur, place_chain, reaches_all, trace_route
from mazegen.generation.topologies import (
    dense_maze,
    multi_route,
    sequential_chain,
    side_vault,
    winding_corridor,
)
from mazegen.search import proving
from mazegen.search.kernels import UNKNOWN, Layout
from mazegen.search.proving import Start, Survey, replay, strides_of, survey
from mazegen.search.searching import AT_ONCE
from mazegen.search.step_proofs import Later, proves_large_step, proves_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    PlainLayout: TypeAlias = tuple[
        NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], int, int, NDArray[np.int64]
    ]

REASONS = (  # why an attempt failed; the number is the index
    "the layout does not fit the board",
    "floor behind the goal",
    "no room for the chain",
    "no room for the distractors",
    "no way to the goal",
    "more states than the proof may hold",
    "the optimum is shorter than asked",
    "the optimum is longer than asked",
    "a dead state without traps",
    "a trap without effect",
    "a distractor on the shortest plan",
    "a key or switch is not needed",
    "a door or gate can be bypassed",
    "a step can be taken too early",
    "a door or gate is not in the way",
)
(
    NO_LAYOUT, BEHIND_GOAL, NO_CHAIN_ROOM, NO_DISTRACTOR_ROOM, UNSOLVABLE, TOO_MANY_STATES, TOO_SHORT,
    TOO_LONG, DEAD_STATE, IDLE_TRAP, TEMPTED, IDLE_OPENER, BYPASS, DISORDER, IDLE_BLOCKER,
) = range(len(REASONS))  # fmt: skip
ACCEPTED = -1
_STEP_REASONS = (ACCEPTED, TOO_MANY_STATES, IDLE_OPENER, BYPASS, DISORDER, IDLE_BLOCKER)  # by FAULT_...
WINDING_CORRIDOR, MULTI_ROUTE, SIDE_VAULT, SEQUENTIAL_CHAIN, DENSE_MAZE = range(5)


class CompiledSpec(NamedTuple):
    """A spec as numbers.

    Attributes:
        topology: one of the five numbers above.
        rows: height in cells.
        cols: width in cells.
        first: the topology's first parameter (turns, routes, -, rooms, loops).
        second: its second one (max_straight, wander in 1/1000, -, room_size, coverage in 1/1000).
        third: its third one (branching in 1/1000).
        spur_length: cells of a spur or vault; 0 for none.
        side: of a spur: ``carving.ANY_SIDE``, ``LEFT`` or ``RIGHT``.
        chain: (steps,) KEY_STEP or SWITCH_STEP.
        distractors: (5,) wrong keys, wrong switches, dead-end rooms, decoy chains, traps.
        rooms: dead-end rooms and decoys' branches, to be dug.
        one_shot: whether the switches of the chain only turn on.
        chain_colors: key colours the chain may use.
        shortest: least number of actions of the optimum.
        longest: largest one.
        states: the most states a search may hold.
    """

    topology: int
    rows: int
    cols: int
    first: int
    second: int
    third: int
    spur_length: int
    side: int
    chain: NDArray[np.uint8]
    distractors: NDArray[np.int64]
    rooms: int
    one_shot: bool
    chain_colors: int
    shortest: int
    longest: int
    states: int


class Draft(NamedTuple):
    """A proved board.

    Attributes:
        codes: (cells,) what each cell holds.
        start: cell.
        goal: cell.
        colors: (2, MAX_PER_KIND) colour of each key, and of each door, as an index of ``KEY_COLORS``.
        optimum: fewest actions.
        moves: fewest cell moves.
        plan: (optimum,) a shortest plan.
        path: (moves + 1,) cells of a walk with the fewest moves.
        touched: (interactions,) codes of what that walk interacts with.
        layout: the board as it was searched.
        found: what the search of the whole board said.
    """

    codes: NDArray[np.uint8]
    start: int
    goal: int
    colors: NDArray[np.int64]
    optimum: int
    moves: int
    plan: NDArray[np.uint8]
    path: NDArray[np.int64]
    touched: NDArray[np.int64]
    layout: Layout
    found: Survey


def carve_layout(recipe: CompiledSpec, floor: NDArray[np.uint8], rng: NDArray[np.int64]) -> tuple[int, int]:
    """Carve the backbone; cells of start and goal, or NOTHING twice."""
    cols, first, second = recipe.cols, recipe.first, recipe.second
    if recipe.topology == WINDING_CORRIDOR:
        return winding_corridor.carve(floor, cols, rng, first, second)
    if recipe.topology == MULTI_ROUTE:
        blockers = len(recipe.chain) + int(recipe.distractors[4])  # a trap's gate is one more
        return multi_route.carve(floor, cols, rng, first, second, blockers)
    if recipe.topology == SIDE_VAULT:
        return side_vault.carve(floor, cols, rng)
    if recipe.topology == SEQUENTIAL_CHAIN:
        return sequential_chain.carve(floor, cols, rng, first, second)
    return dense_maze.carve(floor, cols, rng, first, second, recipe.third, recipe.rooms)


@compiled
def furnish(
    floor: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    ends: tuple[int, int],
    chain: NDArray[np.uint8],
    spur: tuple[int, int, bool],
    counts: NDArray[np.int64],
    codes: NDArray[np.uint8],
    rooms: NDArray[np.int64],
) -> int:
    """Place the chain and the distractors; ACCEPTED or the reason why not.

    Args:
        floor: (cells,) changed where something is dug.
        cols: width of the board.
        rng: (4,) stream.
        ends: cells of start and goal.
        chain: (steps,) KEY_STEP or SWITCH_STEP.
        spur: length and side of the spurs, and whether one is dug if there is no chain.
        counts: (5,) of the distractors, see ``place_distractors``.
        codes: (cells,) receives what each cell holds.
        rooms: see ``place_distractors``.
    """
    codes[:] = FREE
    route = trace_route(floor, cols, ends[0], ends[1])
    last = route.path.shape[0] - 1
    if last < 1 or not reaches_all(route):
        return BEHIND_GOAL
    if not place_chain(floor, cols, rng, route, codes, chain, spur[0], spur[1]):
        return NO_CHAIN_ROOM
    if spur[2] and chain.shape[0] == 0:
        vault = dig_spur(floor, cols, rng, route, codes, np.int64(0), last, spur[0], spur[1])
        if vault == NOTHING:
            return NO_CHAIN_ROOM
    used = steps_of(chain)
    if not place_distractors(floor, cols, rng, route, codes, ends[1], counts, used, rooms):
        return NO_DISTRACTOR_ROOM
    for cell in range(floor.shape[0]):
        if floor[cell] == 0:
            codes[cell] = WALL
    codes[ends[1]] = GOAL
    return ACCEPTED


@inner
def steps_of(chain: NDArray[np.uint8]) -> tuple[int, int]:
    """How many steps of a chain are keys and how many switches."""
    keys = 0
    for step in chain:
        keys += step == KEY_STEP
    return keys, chain.shape[0] - keys


@inner
def paint(
    chain: NDArray[np.uint8], counts: NDArray[np.int64], chain_colors: int, rng: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Colours (2, MAX_PER_KIND) of keys and doors: chain, decoys and wrong keys never share one.

    Within each of the three, colours are used again when there are more things than colours.
    """
    hues = np.arange(len(KEY_COLORS))
    shuffle(rng, hues, hues.shape[0])
    colors = np.zeros((2, MAX_PER_KIND), np.int64)
    keys, _ = steps_of(chain)
    for key in range(keys):
        colors[0, key] = colors[1, key] = hues[key % chain_colors]
    wrong, decoys = counts[0], counts[3]
    first = min(keys, chain_colors)
    free = hues.shape[0] - first - (1 if wrong > 0 else 0)
    for decoy in range(decoys):
        colors[0, keys + decoy] = colors[1, keys + decoy] = hues[first + decoy % free]
    first += min(decoys, free)
    for key in range(wrong):
        colors[0, keys + decoys + key] = hues[first + key % (hues.shape[0] - first)]
    return colors


def as_layout(
    codes: NDArray[np.uint8],
    cols: int,
    rng: NDArray[np.int64],
    chain: NDArray[np.uint8],
    counts: NDArray[np.int64],
    one_shot: bool,  # noqa: FBT001 - as of what it calls
    chain_colors: int,
) -> tuple[Layout, NDArray[np.int64]]:
    """Colour a board and make it ready for the search; the board, and the colours of ``paint``."""
    live, link, trait, keys, switches, colors = _as_arrays(codes, rng, chain, counts, one_shot, chain_colors)
    return Layout(live, link, trait, strides_of(cols), True, keys, keys, switches), colors  # noqa: FBT003 - of a record


@compiled
def _as_arrays(
    codes: NDArray[np.uint8],
    rng: NDArray[np.int64],
    chain: NDArray[np.uint8],
    counts: NDArray[np.int64],
    one_shot: bool,  # noqa: FBT001 - compiled functions take no keywords
    chain_colors: int,
) -> PlainLayout:
    """What changes of ``as_layout``: codes, links, traits, keys and doors, switches, and colours.

    A test holds it against ``rules.compile_board`` of the finished maze. Keys and switches that are
    in no door's and no gate's mask change nothing but their own bit, so they are left out: what can
    be reached otherwise stays the same.
    """
    colors = paint(chain, counts, chain_colors, rng)
    keys, switches = steps_of(chain)
    wrong_switches, traps = counts[1], counts[4]
    link, trait = np.zeros(CODES, np.int64), np.zeros(CODES, np.int64)
    doors = keys + counts[3]
    for door in range(doors):
        for other in range(doors):
            if colors[1, door] == colors[0, other]:
                link[DOOR + door] |= 1 << other
                if keys > chain_colors:  # colours serve twice, so keys are used up
                    trait[DOOR + door] |= 1 << other
    for gate in range(switches):
        link[GATE + gate] = 1 << gate
        trait[SWITCH + gate] = 1 if one_shot else 0
    live_switches = switches
    if traps > 0:
        live_switches += wrong_switches
        link[GATE + switches] = ((1 << wrong_switches) - 1) << switches
        trait[GATE + switches] = 1
        for switch in range(switches, live_switches):
            trait[SWITCH + switch] = 1
    live = codes.copy()
    for cell in range(codes.shape[0]):
        if KEY + doors <= codes[cell] < SWITCH or SWITCH + live_switches <= codes[cell] < DOOR:
            live[cell] = FREE
    return live, link, trait, doors, live_switches, colors


@compiled
def step_at(chain: NDArray[np.uint8], index: int) -> tuple[int, int, int, int]:
    """Codes of what opens and is opened in a step of a chain, and masks of the keys and switches after it."""
    keys, switches = steps_of(chain)
    key, switch = steps_of(chain[: index + 1])
    if chain[index] == KEY_STEP:
        opener, blocker = KEY + key - 1, DOOR + key - 1
    else:
        opener, blocker = SWITCH + switch - 1, GATE + switch - 1
    doors_left = ((1 << keys) - 1) >> key << key
    gates_left = ((1 << switches) - 1) >> switch << switch
    return opener, blocker, doors_left, gates_left


@compiled
def judge_chain_at_once(
    layout: Layout, start: Start, optimum: int, chain: NDArray[np.uint8], limit: int
) -> int:
    """``judge_chain`` in one compiled call."""
    for index in range(chain.shape[0]):
        opener, blocker, doors_left, gates_left = step_at(chain, index)
        later = Later(doors_left, doors_left, gates_left, gates_left)
        fault = proves_step(layout, start, optimum, limit, opener, blocker, later)
        if fault > 0:
            return _STEP_REASONS[fault]
    return ACCEPTED


def judge_chain(layout: Layout, start: Start, optimum: int, chain: NDArray[np.uint8], limit: int) -> int:
    """ACCEPTED if every step of the chain is needed and in its place, or the reason why not."""
    reason = judge_chain_at_once(layout, start, optimum, chain, min(limit, AT_ONCE))
    if reason != TOO_MANY_STATES or limit <= AT_ONCE:
        return reason
    for index in range(len(chain)):
        opener, blocker, doors_left, gates_left = step_at(chain, index)
        later = Later(doors_left, doors_left, gates_left, gates_left)
        fault = proves_large_step(layout, start, optimum, limit, opener, blocker, later)
        if fault > 0:
            return _STEP_REASONS[fault]
    return ACCEPTED


@compiled
def keeps_clear(
    path: NDArray[np.int64], touched: NDArray[np.int64], rooms: NDArray[np.int64], chain: NDArray[np.uint8]
) -> bool:
    """Whether a shortest plan, given by its cells and what it touches, leaves every distractor alone.

    Then the board without them has the same optimum: taking them away only takes ways away, and this
    plan is still there.
    """
    keys, switches = steps_of(chain)
    for code in touched:
        if KEY + keys <= code < SWITCH or SWITCH + switches <= code < DOOR or DOOR + keys <= code < GATE:
            return False
    for room in range(rooms.shape[0]):
        for place in range(rooms.shape[1]):
            if rooms[room, place] != NOTHING:
                for visited in path:
                    if visited == rooms[room, place]:
                        return False
    return True


def refuse_survey(recipe: CompiledSpec, found: Survey) -> int:
    """ACCEPTED if what the search of the whole board says is what was asked for, or the reason."""
    trapped = bool(recipe.distractors[4])
    for fault, reason in (
        (found.optimum == proving.LIMIT, TOO_MANY_STATES),
        (found.optimum == UNKNOWN, UNSOLVABLE),
        (found.optimum < recipe.shortest, TOO_SHORT),
        (found.optimum > recipe.longest, TOO_LONG),
        (found.dead_states > 0 and not trapped, DEAD_STATE),
        (found.dead_states == 0 and trapped, IDLE_TRAP),
    ):
        if fault:
            return reason
    return ACCEPTED


def make(recipe: CompiledSpec, rng: NDArray[np.int64], attempts: int) -> Draft | NDArray[np.int64]:
    """Make drafts until one is proved; if no attempt is, how many failed for each of ``REASONS``."""
    return honestly(_make, recipe, rng, attempts)


def _make(recipe: CompiledSpec, rng: NDArray[np.int64], attempts: int) -> Draft | NDArray[np.int64]:
    cells, cols, chain, counts = recipe.rows * recipe.cols, recipe.cols, recipe.chain, recipe.distractors
    codes, rooms = np.empty(cells, np.uint8), np.empty((recipe.rooms, LONGEST_ROOM), np.int64)
    spur = (recipe.spur_length, recipe.side, recipe.topology == SIDE_VAULT)
    failures = np.zeros(len(REASONS), np.int64)
    for _ in range(attempts):
        floor = np.zeros(cells, np.uint8)
        ends = carve_layout(recipe, floor, rng)
        if ends[0] == NOTHING:
            failures[NO_LAYOUT] += 1
            continue
        reason = furnish(floor, cols, rng, ends, chain, spur, counts, codes, rooms)
        if reason == ACCEPTED:
            layout, colors = as_layout(codes, cols, rng, chain, counts, recipe.one_shot, recipe.chain_colors)
            start = Start(ends[0], 0, 0, 0, 0)
            found = survey(layout, start, recipe.states)
            reason = refuse_survey(recipe, found)
            if reason == ACCEPTED and len(chain):
                reason = judge_chain(layout, start, found.optimum, chain, recipe.states)
            if reason == ACCEPTED:
                path, touched = replay(layout, start, found.walk)
                if keeps_clear(*replay(layout, start, found.plan), rooms, chain):
                    proof = (found.optimum, found.moves, found.plan, path, touched, layout, found)
                    return Draft(codes, *ends, colors, *proof)
                reason = TEMPTED
        failures[reason] += 1
    return failures
