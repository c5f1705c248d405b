"""Hypothesis strategies for mazes of every shape and kind, and for what can be done in them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hypothesis import strategies as st

from mazegen.core import rules
from mazegen.core.maze import (
    KEY_COLORS,
    PALETTE,
    Door,
    Facing,
    Gate,
    Key,
    Maze,
    Position,
    Rules,
    Switch,
    Validation,
)
from mazegen.core.rules import Action, Board, Event, State, compile_board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mazegen.core.maze import Mechanism

Kind = Literal["key", "door", "switch", "gate"]
ALL_KINDS: tuple[Kind, ...] = ("key", "door", "switch", "gate")

# Printable in Python's sense, which is what an id has to be: no control, format or surrogate
# characters and no separators other than the space.
PRINTABLE = st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"), include_characters=" "
).filter(str.isprintable)
names = st.text(PRINTABLE, min_size=1, max_size=12)
facings = st.sampled_from(Facing)
key_colors = st.sampled_from(KEY_COLORS)
paints = st.none() | st.sampled_from(PALETTE)
actions = st.sampled_from(Action)


class Play(NamedTuple):
    """A maze in the middle of an episode."""

    maze: Maze
    board: Board
    state: State


def choices(max_size: int = 120) -> st.SearchStrategy[bytes]:
    """What ``actions_of`` makes actions of; the length is drawn first, for lists are mostly short."""
    return st.integers(0, max_size).flatmap(lambda size: st.binary(min_size=size, max_size=size))


def action_sequences(max_size: int = 120) -> st.SearchStrategy[list[Action]]:
    """Actions whatever the board, two in five of them steps forward."""
    options = (*Action, *[Action.MOVE_FORWARD] * 4)
    return choices(max_size).map(lambda chosen: [options[choice % len(options)] for choice in chosen])


@st.composite
def sizes(draw: st.DrawFn, max_rows: int = 7, max_cols: int = 8) -> tuple[int, int]:
    """Rows and columns: boxes of any proportion, corridors along either axis."""
    shape = draw(st.sampled_from(("box", "corridor", "upright corridor", "box")))
    # One free cell cannot hold both start and goal, so a board has at least two.
    rows = 3 if shape == "corridor" else draw(st.sampled_from(range(4, max_rows + 1)))
    cols = 3 if shape == "upright corridor" else draw(st.sampled_from(range(4, max_cols + 1)))
    return rows, cols


@st.composite
def mazes(
    draw: st.DrawFn,
    *,
    max_rows: int = 7,
    max_cols: int = 8,
    max_mechanisms: int = 6,
    kinds: tuple[Kind, ...] = ALL_KINDS,
    key_consumption: bool | None = None,
    any_names: bool = False,
) -> Maze:
    """A maze, solvable or not, with any mixture of mechanisms, linked and set in every way."""
    rows, cols = draw(sizes(max_rows, max_cols))
    inner = [Position(row, col) for row in range(1, rows - 1) for col in range(1, cols - 1)]
    most = min(max_mechanisms, len(inner) - 2)
    # Biased to many: a maze without anything to do is rarely the one that breaks.
    count = min(most, draw(st.sampled_from((0, 1, 2, 3, *[max_mechanisms] * 6))))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=count, max_size=count))
    places: list[Position] = draw(st.permutations(inner))[: count + 2]
    start, goal, *cells = places
    on_mechanism = draw(st.booleans())
    if cells and on_mechanism:
        start = cells[0]  # a mechanism may lie under the agent's feet
    # Two masks must agree on a wall, so that a quarter of the cells are walls and most boards connect.
    dense = st.integers(0, 2 ** len(inner) - 1)
    solid = draw(dense) & draw(dense)
    walls = bytearray(b"\1" * (rows * cols))
    for index, position in enumerate(inner):
        if not solid >> index & 1 or position in places:
            walls[position.row * cols + position.col] = 0
    mechanisms = draw(_mechanisms(tuple(chosen), tuple(cells), any_names=any_names))
    ids = [mechanism.id for mechanism in mechanisms]
    hidden = draw(st.lists(st.sampled_from(ids), unique=True)) if ids else []
    consumed = draw(st.booleans()) if key_consumption is None else key_consumption
    return Maze(
        rows,
        cols,
        bytes(walls),
        start,
        goal,
        draw(facings),
        keys=tuple(m for m in mechanisms if isinstance(m, Key)),
        doors=tuple(m for m in mechanisms if isinstance(m, Door)),
        switches=tuple(m for m in mechanisms if isinstance(m, Switch)),
        gates=tuple(m for m in mechanisms if isinstance(m, Gate)),
        rules=Rules(
            key_consumption=consumed,
            hidden_mechanisms=tuple(hidden),
            observability=draw(st.sampled_from(("full", "view_cone", "fog_of_war"))),
            view_size=draw(st.sampled_from((3, 5, 7))),
        ),
    )


@st.composite
def _mechanisms(
    draw: st.DrawFn, kinds: tuple[Kind, ...], cells: tuple[Position, ...], *, any_names: bool
) -> list[Mechanism]:
    ids = [f"{kind[0]}{index}" for index, kind in enumerate(kinds)]
    if any_names:
        ids = draw(st.lists(names, unique=True, min_size=len(ids), max_size=len(ids)))
    few_colors = st.sampled_from(draw(st.lists(key_colors, unique=True, min_size=1, max_size=2)))
    gates = [name for name, kind in zip(ids, kinds, strict=True) if kind == "gate"]
    controls: st.SearchStrategy[tuple[str, ...]] = st.just(())
    if gates:
        controls = st.lists(st.sampled_from(gates), unique=True).map(tuple)
    made: list[Mechanism] = []
    for name, kind, cell in zip(ids, kinds, cells, strict=True):
        flag = draw(st.booleans()) if kind != "key" else False
        if kind == "key":
            made.append(Key(name, cell, draw(few_colors)))
        elif kind == "door":
            made.append(Door(name, cell, draw(few_colors), flag))
        elif kind == "switch":
            sort: Literal["toggle", "one_shot"] = draw(st.sampled_from(("toggle", "one_shot")))
            made.append(Switch(name, cell, draw(controls), sort, flag, draw(paints)))
        else:
            made.append(Gate(name, cell, flag, draw(paints)))
    return made


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(PRINTABLE, max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def validations(draw: st.DrawFn, maze: Maze) -> Validation:
    """A proof of the right shape (not of the right content)."""
    inside = st.builds(Position, st.integers(0, maze.rows - 1), st.integers(0, maze.cols - 1))
    flags = st.tuples(st.sampled_from([m.id for m in maze.mechanisms] or ["none"]), st.booleans())
    return Validation(
        is_valid=draw(st.booleans()),
        reasons=tuple(draw(st.lists(names, max_size=2))),
        optimal_cost=draw(st.none() | st.integers(0, 500)),
        optimal_path=tuple(draw(st.lists(inside, max_size=4))),
        interactions=tuple(draw(st.lists(names, max_size=2))),
        optimal_actions=tuple(action.name for action in draw(st.lists(actions, max_size=4))),
        necessity=tuple(draw(st.lists(flags, max_size=3, unique_by=lambda flag: flag[0]))),
    )


@st.composite
def documented_mazes(draw: st.DrawFn) -> Maze:
    """A maze with everything that a file can say about it."""
    maze = draw(mazes(any_names=True))
    about = st.text(PRINTABLE | st.sampled_from("\n\t"), max_size=30)
    return replace(
        maze,
        level_id=draw(names),
        max_steps=draw(st.none() | st.integers(1, 1_000_000)),
        description=draw(about),
        seed=draw(st.none() | st.integers(0, 2**64 - 1)),
        difficulty_tier=draw(st.none() | st.integers(1, 100)),
        metadata_json=json.dumps(draw(st.dictionaries(names, json_values, max_size=3)), sort_keys=True),
        validation=draw(st.none() | validations(maze)),
    )


@st.composite
def plays(
    draw: st.DrawFn, maze_strategy: st.SearchStrategy[Maze] | None = None, finish: rules.Finish = "arrival"
) -> Play:
    """A maze and a state that play has led to; the episode has not ended on the way."""
    maze = draw(mazes() if maze_strategy is None else maze_strategy)
    board = compile_board(maze, finish)
    *_, state = history(board, draw(choices()))
    return Play(maze, board, state)


def actions_of(board: Board, chosen: bytes) -> list[Action]:
    """A lively episode: at each step any action, but rather one that takes, toggles or moves something.

    It ends with the first success, which it does not strive for.
    """
    state, played = board.start, []
    for choice in chosen:
        events = {action: rules.step(board, state, action).event for action in Action}
        lively = [action for action in (Action.PICKUP, Action.TOGGLE) if events[action] != Event.NOTHING]
        moving = [Action.MOVE_FORWARD] if events[Action.MOVE_FORWARD] == Event.MOVED else []
        options = (*Action, *lively * 6, *moving * 6)
        played.append(options[choice % len(options)])
        state, event, _ = rules.step(board, state, played[-1])
        if event == Event.DONE:
            break
    return played


def history(board: Board, chosen: bytes) -> Iterator[State]:
    """The states that an episode leads through, the start first, up to its success."""
    state = board.start
    yield state
    for action in actions_of(board, chosen):
        outcome = rules.step(board, state, action)
        if outcome.event == Event.DONE:
            return
        state = outcome.state
        yield state
