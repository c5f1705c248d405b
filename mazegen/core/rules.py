"""The rules of the maze: one transition function for env, solver, validator and text alike.

``apply`` is the heart: a plain function of scalars that runs as it stands in a single env and is
compiled, from this very source, inside the loops of ``kernels.py``. Its callers do the
look-ups: what lies here, what lies ahead, and the two tables that say what a thing is linked to.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

from mazegen.core.actions import Action as Action  # noqa: PLC0414 - part of the rules for everyone else
from mazegen.core.parts import KEY_COLORS, MAX_PER_KIND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mazegen.core.maze import Maze

Finish = Literal["arrival", "done_action"]


class Event(IntEnum):
    """What came of an action."""

    TURNED = 0
    MOVED = 1
    BLOCKED = 2
    PICKUP = 3
    TOGGLED = 4
    NOTHING = 5
    DONE = 6
    WRONG_DONE = 7


# What a cell holds, as one small code. Passable things come first, so that "is there anything to
# check?" is one comparison; the n-th key is KEY + n, and so on.
FREE = 0
GOAL = 1
KEY = 2
SWITCH = KEY + MAX_PER_KIND
DOOR = SWITCH + MAX_PER_KIND
GATE = DOOR + MAX_PER_KIND
WALL = GATE + MAX_PER_KIND
CODES = WALL + 1

# Plain ints for compiled code and the hot function: to look up `Action.X` takes longer than a global.
ACTIONS = len(Action)
MOVE_FORWARD = int(Action.MOVE_FORWARD)
DONE_EVENT = int(Event.DONE)
_TURN_RIGHT = int(Action.TURN_RIGHT)
_PICKUP, _TOGGLE = int(Action.PICKUP), int(Action.TOGGLE)
_TURNED, _MOVED, _BLOCKED = int(Event.TURNED), int(Event.MOVED), int(Event.BLOCKED)
_PICKED_UP, _TOGGLED, _NOTHING = int(Event.PICKUP), int(Event.TOGGLED), int(Event.NOTHING)
_WRONG_DONE = int(Event.WRONG_DONE)


def apply(  # noqa: PLR0913, PLR0917, C901, PLR0912 - scalars only: this is what makes it compile to a few ns
    action: int,
    facing: int,
    here: int,
    ahead: int,
    link: int,
    trait: int,
    arrival: bool,  # noqa: FBT001 - positional like its neighbours, for the compiler
    taken: int,
    opened: int,
    on: int,
) -> tuple[bool, int, int, int, int, int]:
    """Advance by one action; a wall, a locked door without its key and a closed gate block.

    Args:
        action: an ``Action``.
        facing: 0..3, north, east, south, west.
        here: code of the agent's own cell.
        ahead: code of the faced cell.
        link: of the thing ahead. Door: mask of the keys that fit. Gate: mask of its switches.
        trait: of the thing ahead. Door: mask of the doors that use up the same keys (0 where keys
            are kept). Gate: 1 if it is open while all its switches are off. Switch: 1 if it only
            turns on.
        arrival: whether walking onto the goal ends the episode.
        taken: mask of the keys picked up so far.
        opened: mask of the doors that are open.
        on: mask of the switches that are on.

    Returns:
        ``(moved, facing, taken, opened, on, event)``; ``moved`` says that the agent is now on the
        cell that was ahead.
    """
    moved = False
    event = _NOTHING
    if action == MOVE_FORWARD:
        if ahead < DOOR:
            moved = True
        elif ahead < GATE:
            lock = 1 << (ahead - DOOR)
            if opened & lock:
                moved = True
            else:
                keys, used = taken & link, opened & trait
                while keys and used:  # strike out one key for each door it was used up on
                    keys, used = keys & (keys - 1), used & (used - 1)
                if keys:
                    moved = True
                    opened |= lock
        elif ahead < WALL:
            moved = (on & link != 0) != (trait != 0)
        if not moved:
            event = _BLOCKED
        elif arrival and ahead == GOAL:
            event = DONE_EVENT
        else:
            event = _MOVED
    elif action <= _TURN_RIGHT:
        facing = (facing + 3 + 2 * action) & 3
        event = _TURNED
    elif action == _PICKUP:
        if KEY <= here < SWITCH and not (taken >> (here - KEY)) & 1:
            taken |= 1 << (here - KEY)
            event = _PICKED_UP
    elif action == _TOGGLE:
        if SWITCH <= ahead < DOOR and not (trait and (on >> (ahead - SWITCH)) & 1):
            on ^= 1 << (ahead - SWITCH)
            event = _TOGGLED
    else:
        event = DONE_EVENT if here == GOAL else _WRONG_DONE
    return moved, facing, taken, opened, on, event


class State(NamedTuple):
    """All that can change in an episode; what is held and which gates are open follows from it.

    Attributes:
        cell: row-major index of the agent's cell.
        facing: 0..3, north, east, south, west.
        taken: bit i is set once key i was picked up.
        opened: bit i is set while door i is open.
        on: bit i is set while switch i is on.
    """

    cell: int
    facing: int
    taken: int
    opened: int
    on: int


class Board(NamedTuple):
    """A maze compiled for play: look-up tables of plain ints; immutable and shared.

    Attributes:
        cols: cells in a row.
        codes: (cells,) what each cell holds.
        link: (CODES,) see ``apply``.
        trait: (CODES,) see ``apply``.
        strides: (4,) what to add to a cell index to look north, east, south, west.
        arrival: whether walking onto the goal ends the episode.
        start: the state at the beginning.
        color_keys: per key colour, the mask of keys of that colour.
        color_locks: per key colour, the mask of doors that use up a key of that colour.
    """

    cols: int
    codes: tuple[int, ...]
    link: tuple[int, ...]
    trait: tuple[int, ...]
    strides: tuple[int, int, int, int]
    arrival: bool
    start: State
    color_keys: tuple[int, ...]
    color_locks: tuple[int, ...]


# Builds a NamedTuple in half of the time that its own constructor takes; used once per step.
_new = tuple.__new__


class Outcome(NamedTuple):
    """What a step led to; ``blocker`` is the code of what stood in the way, 0 for nothing."""

    state: State
    event: int
    blocker: int


def step(board: Board, state: State, action: int) -> Outcome:
    """Advance one state by one action. Pure; ``action`` must be 0..5 (the env checks)."""
    cell, facing, taken, opened, on = state
    codes = board.codes
    ahead_cell = cell + board.strides[facing]
    ahead = codes[ahead_cell]
    moved, facing, taken, opened, on, event = apply(
        action, facing, codes[cell], ahead, board.link[ahead], board.trait[ahead], board.arrival,
        taken, opened, on,
    )  # fmt: skip
    after = _new(State, (ahead_cell if moved else cell, facing, taken, opened, on))
    return _new(Outcome, (after, event, ahead if event == _BLOCKED else FREE))


def can_enter(board: Board, state: State, code: int) -> bool:
    """Whether walking into a thing with this code would succeed in this state."""
    link, trait = board.link[code], board.trait[code]
    return apply(MOVE_FORWARD, 0, FREE, code, link, trait, board.arrival, *state[2:])[0]


def is_gate_open(board: Board, state: State, gate: int) -> bool:
    """Whether the gate with this index is open."""
    return can_enter(board, state, GATE + gate)


def keys_held(board: Board, state: State) -> tuple[int, ...]:
    """Number of keys held per colour, in the order of ``KEY_COLORS``; used-up keys do not count."""
    return tuple(
        (state.taken & keys).bit_count() - (state.opened & locks).bit_count()
        for keys, locks in zip(board.color_keys, board.color_locks, strict=True)
    )


def link_things(  # noqa: PLR0917 - called by position, for the compiler
    link: list[int],
    trait: list[int],
    key_colors: Sequence[int],
    door_colors: Sequence[int],
    uses_keys_up: Sequence[bool],
    gate_switches: Sequence[int],
    is_open_when_off: Sequence[bool],
    is_one_shot: Sequence[bool],
) -> None:
    """Fill in what each thing is linked to; runs as it stands on lists, and compiled on arrays.

    Args:
        link: (CODES,) see ``apply``; receives those of doors and gates, and holds zeros.
        trait: (CODES,) see ``apply``; receives those of doors, gates and switches, and holds zeros.
        key_colors: a number for the colour of each key.
        door_colors: the same for each door.
        uses_keys_up: for each door, whether it uses up a key.
        gate_switches: for each gate, the mask of its switches.
        is_open_when_off: for each gate, whether it is open while all its switches are off.
        is_one_shot: for each switch, whether it only turns on.
    """
    for door in range(len(door_colors)):
        for key in range(len(key_colors)):
            if key_colors[key] == door_colors[door]:
                link[DOOR + door] |= 1 << key
        for other in range(len(door_colors)):
            if uses_keys_up[other] and door_colors[other] == door_colors[door]:
                trait[DOOR + door] |= 1 << other
    for gate in range(len(gate_switches)):
        link[GATE + gate] = gate_switches[gate]
        trait[GATE + gate] = int(is_open_when_off[gate])
    for switch in range(len(is_one_shot)):
        trait[SWITCH + switch] = int(is_one_shot[switch])


def compile_board(maze: Maze, finish: Finish = "arrival") -> Board:
    r"""Turn a maze into look-up tables.

    Args:
        maze: the maze to play.
        finish: ``arrival`` ends an episode when the agent walks onto the goal, ``done_action`` only
            when it says DONE there.

    Raises:
        ValueError: ``finish`` is neither.

    >>> from mazegen import Action, Event, compile_board, parse, step
    >>> board = compile_board(parse("#####\n#>.*#\n#####"))
    >>> outcome = step(board, board.start, Action.MOVE_FORWARD)
    >>> outcome.state.cell, Event(outcome.event).name
    (7, 'MOVED')
    """
    if finish not in ("arrival", "done_action"):
        msg = f"finish must be 'arrival' or 'done_action', got {finish!r}"
        raise ValueError(msg)
    codes = [WALL if wall else FREE for wall in maze.walls]
    codes[maze.cell(maze.goal)] = GOAL
    link, trait = [0] * CODES, [0] * CODES
    for base, kind in ((KEY, "keys"), (SWITCH, "switches"), (DOOR, "doors"), (GATE, "gates")):
        for index, mechanism in enumerate(getattr(maze, kind)):
            codes[maze.cell(mechanism.position)] = base + index
    color_keys = _mask_per_color([key.color for key in maze.keys])
    locks = [None if door.initially_open else door.color for door in maze.doors]
    color_locks = _mask_per_color(locks if maze.rules.key_consumption else [])
    initially_on = _mask([switch.initially_on for switch in maze.switches])
    switches_of = [_mask([gate.id in switch.controls for switch in maze.switches]) for gate in maze.gates]
    link_things(
        link,
        trait,
        [KEY_COLORS.index(key.color) for key in maze.keys],
        [KEY_COLORS.index(door.color) for door in maze.doors],
        [maze.rules.key_consumption and not door.initially_open for door in maze.doors],
        switches_of,
        # The file gives the state at the start; what the rules need is the state with all switches off.
        [
            gate.initially_open != (initially_on & switches != 0)
            for gate, switches in zip(maze.gates, switches_of, strict=True)
        ],
        [switch.kind == "one_shot" for switch in maze.switches],
    )
    opened = _mask([door.initially_open for door in maze.doors])
    start = State(maze.cell(maze.start), int(maze.start_facing), 0, opened, initially_on)
    return Board(
        cols=maze.cols,
        codes=tuple(codes),
        link=tuple(link),
        trait=tuple(trait),
        strides=(-maze.cols, 1, maze.cols, -1),
        arrival=finish == "arrival",
        start=start,
        color_keys=color_keys,
        color_locks=color_locks,
    )


def _mask(flags: list[bool]) -> int:
    return sum(1 << index for index, flag in enumerate(flags) if flag)


def _mask_per_color(colors: list[str | None] | list[str]) -> tuple[int, ...]:
    return tuple(_mask([color == each for color in colors]) for each in KEY_COLORS)
