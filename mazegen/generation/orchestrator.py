"""From a spec and a seed to a proved ``Maze``.

Everything random happens in one compiled call (``making.make``), from a stream derived from the spec
and the seed; what is left here is to put names to its numbers.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from mazegen.core.declared import notation
from mazegen.core.maze import Maze
from mazegen.core.parts import KEY_COLORS, Door, Facing, Gate, Key, Position, Rules, Switch, Validation
from mazegen.core.randomness import MAX_SEED, stream
from mazegen.core.rules import DOOR, GATE, KEY, SWITCH, WALL, Action
from mazegen.errors import GenerationFailed
from mazegen.generation.spec import (
    DenseMaze,
    MultiRoute,
    SequentialChain,
    SideVault,
    Topology,
    WindingCorridor,
    check_int,
)

if TYPE_CHECKING:
    from mazegen.generation.making import CompiledSpec, MadeBoard
    from mazegen.generation.spec import MazeGenSpec
    from mazegen.search.kernels import Layout
    from mazegen.search.proving import Survey

MAX_ATTEMPTS = 200
MAX_STATES = 2_000_000  # of one search; past it a spec is too large to be proved
_NO_LIMIT = 1 << 40
_ACTION_NAMES = tuple(action.name for action in Action)
_SIDES = {"any": 0, "left": 1, "right": 2}
_FIRST_FACING = Facing.NORTH
_FIELDS = tuple(each.name for each in dataclasses.fields(Maze))
_DEFAULTS = {each.name: each.default for each in dataclasses.fields(Maze)}


def generate(spec: MazeGenSpec, seed: int | None = None, *, max_attempts: int = MAX_ATTEMPTS) -> Maze:
    """Make the maze that belongs to a spec and a seed, with its proof.

    Args:
        spec: what to make.
        seed: which one, from 0 to 2**64 - 1; ``spec.seed`` when None.
        max_attempts: layouts to try at most, 1 or more.

    Raises:
        GenerationFailed: no attempt passed every check; counts the reasons. ``ImpossibleSpec``, at once,
            where counting shows that there cannot be such a maze.
        ValueError: ``seed`` or ``max_attempts`` is no integer, or out of range.

    >>> from mazegen import MazeGenSpec, Topology, generate
    >>> spec = MazeGenSpec(Topology.SIDE_VAULT, "k", rows=9, cols=9)
    >>> maze = generate(spec, seed=7)
    >>> len(maze.keys), len(maze.doors), generate(spec, seed=7) == maze
    (1, 1, True)
    """
    return generate_proved(spec, seed, max_attempts=max_attempts).maze


class Proved(NamedTuple):
    """A maze fresh from the generator, with the search that proved it.

    Attributes:
        maze: the maze.
        layout: its board as it was searched, the same as ``subject.as_subject(maze).layout``.
        found: what the search of the whole board said.
    """

    maze: Maze
    layout: Layout
    found: Survey


def generate_proved(
    spec: MazeGenSpec, seed: int | None = None, *, max_attempts: int = MAX_ATTEMPTS
) -> Proved:
    """``generate``, for those who would otherwise search the board again; raises as it does."""
    from mazegen.generation.making import REASONS, MadeBoard, make
    from mazegen.generation.spec_options import in_short

    seed = spec.seed if seed is None else _checked("seed", seed, 0, MAX_SEED)
    max_attempts = _checked("max_attempts", max_attempts, 1, _NO_LIMIT)
    prepared = _prepare(spec)
    made = make(prepared.recipe, stream("maze", seed), max_attempts)
    if not isinstance(made, MadeBoard):
        failed = {REASONS[index]: int(count) for index, count in enumerate(made) if count}
        raise GenerationFailed(in_short(spec), failed)
    return Proved(_as_maze(spec, seed, prepared, made), made.layout, made.found)


def _checked(name: str, value: int, low: int, high: int) -> int:
    """An argument of ``generate`` as a plain integer, which an integer of NumPy becomes."""
    if isinstance(value, np.integer):
        value = int(value)
    check_int("generate", name, value, low, high)
    return value


class _Prepared(NamedTuple):
    """What all mazes of one spec share."""

    recipe: CompiledSpec
    spec_json: tuple[str, str]  # before and behind the seed
    description: str


@functools.lru_cache(maxsize=1024)
def _prepare(spec: MazeGenSpec) -> _Prepared:
    """Turn a spec into numbers and text, once; refuse what cannot be.

    Raises:
        ImpossibleSpec: there cannot be such a maze.
    """
    from mazegen.generation.feasibility import check_possible
    from mazegen.generation.making import CompiledSpec
    from mazegen.generation.placement import KEY_STEP, SWITCH_STEP

    check_possible(spec)
    wrong = spec.distractors
    first, second, third, spur_length, side = _parameters(spec)
    shortest, longest = spec.optimal_actions or (1, _NO_LIMIT)
    recipe = CompiledSpec(
        topology=list(Topology).index(spec.topology),
        rows=spec.rows,
        cols=spec.cols,
        first=first,
        second=second,
        third=third,
        spur_length=spur_length,
        side=side,
        chain=np.array([KEY_STEP if step == "k" else SWITCH_STEP for step in spec.steps], np.uint8),
        distractors=np.array([*(getattr(wrong, name) for name in wrong.COUNTS), wrong.traps], np.int64),
        rooms=wrong.dead_end_rooms + wrong.decoy_chains,
        one_shot=spec.one_shot,
        chain_colors=spec.chain_colors,
        shortest=shortest,
        longest=longest,
        states=MAX_STATES,
    )
    before, _, behind = json.dumps(spec.to_dict() | {"seed": "?"}, sort_keys=True).partition('"?"')
    words = str(spec.topology).replace("_", " ")
    description = f"A {words} of {spec.rows} x {spec.cols} cells, logic chain {spec.chain}"
    if wrong.count:
        counted = (
            f"{getattr(wrong, name)} {name.replace('_', ' ')}"
            for name in wrong.COUNTS
            if getattr(wrong, name)
        )
        description += f", distractors: {', '.join(counted)}" + (", traps" if wrong.traps else "")
    return _Prepared(recipe, (before, behind), description + ".")


def _parameters(spec: MazeGenSpec) -> tuple[int, int, int, int, int]:
    """Parameters of the topology as ``making.CompiledSpec`` has them: three numbers, spur length, side."""
    params = spec.params
    if isinstance(params, WindingCorridor):
        return params.turns, params.max_straight, 0, params.spur_length, 0
    if isinstance(params, MultiRoute):
        return params.routes, round(1000 * params.wander), 0, 0, 0
    if isinstance(params, SideVault):
        return 0, 0, 0, params.vault_depth, _SIDES[params.vault_side]
    if isinstance(params, SequentialChain):
        rooms = params.rooms if params.rooms is not None else max(2, len(spec.steps) + 1)
        return rooms, params.room_size, 0, 0, 0
    dense = cast("DenseMaze", params)
    return dense.loops, round(1000 * dense.coverage), round(1000 * dense.branching), 0, 0


@functools.lru_cache(maxsize=64)
def _positions(rows: int, cols: int) -> tuple[Position, ...]:
    """The position of every cell of a board; shared by all mazes of a size."""
    return tuple(Position(row, col) for row in range(rows) for col in range(cols))


class _Ids(NamedTuple):
    """What the mechanisms are called: first those of the chain, in order, then the distractors."""

    keys: list[str]
    doors: list[str]
    switches: list[str]
    gates: list[str]


def _as_maze(spec: MazeGenSpec, seed: int, prepared: _Prepared, board: MadeBoard) -> Maze:
    at = _positions(spec.rows, spec.cols)
    codes = board.codes
    cell_of = {codes_at: cell for cell, codes_at in enumerate(codes.tolist()) if KEY <= codes_at < WALL}
    key_colors, door_colors = board.colors.tolist()
    wrong, switches = spec.distractors, spec.steps.count("s")
    doors = spec.steps.count("k") + wrong.decoy_chains
    ids = _Ids(
        _color_ids("k", key_colors[: doors + wrong.wrong_keys]),
        _color_ids("D", door_colors[:doors]),
        [f"s{index + 1}" for index in range(switches + wrong.wrong_switches)],
        [f"g{index + 1}" for index in range(switches + wrong.traps)],
    )
    return _unchecked(
        rows=spec.rows,
        cols=spec.cols,
        walls=(codes == WALL).tobytes(),
        start=at[board.start],
        goal=at[board.goal],
        start_facing=_FIRST_FACING,
        keys=tuple(
            Key(each, at[cell_of[KEY + index]], KEY_COLORS[key_colors[index]])
            for index, each in enumerate(ids.keys)
        ),
        doors=tuple(
            Door(each, at[cell_of[DOOR + index]], KEY_COLORS[door_colors[index]])
            for index, each in enumerate(ids.doors)
        ),
        switches=tuple(
            _switch(spec, index, each, at[cell_of[SWITCH + index]], ids.gates)
            for index, each in enumerate(ids.switches)
        ),
        gates=tuple(
            Gate(each, at[cell_of[GATE + index]], initially_open=index >= switches)
            for index, each in enumerate(ids.gates)
        ),
        rules=Rules(key_consumption=spec.consumes_keys),
        level_id=f"{spec.name}-{seed}",
        description=prepared.description,
        seed=seed,
        difficulty_tier=spec.tier,
        metadata_json=_metadata(spec, seed, prepared, ids),
        validation=_proof(spec, board, at, ids),
    )


def _proof(spec: MazeGenSpec, board: MadeBoard, at: tuple[Position, ...], ids: _Ids) -> Validation:
    said = {KEY + index: f"pickup:{each}" for index, each in enumerate(ids.keys)}
    said |= {DOOR + index: f"open:{each}" for index, each in enumerate(ids.doors)}
    said |= {SWITCH + index: f"toggle:{each}" for index, each in enumerate(ids.switches)}
    said |= {GATE + index: f"cross:{each}" for index, each in enumerate(ids.gates)}
    return Validation(
        is_valid=True,
        optimal_cost=int(board.moves),
        optimal_path=tuple([at[cell] for cell in board.path.tolist()]),
        interactions=tuple([said[code] for code in board.touched.tolist()]),
        optimal_actions=tuple([_ACTION_NAMES[action] for action in board.plan.tolist()]),
        necessity=_necessity(spec, board, ids),
    )


def _unchecked(**fields: object) -> Maze:
    """A maze without the checks of ``Maze.__post_init__``, which take as long as the search.

    They are for what comes from outside; a test holds thousands of mazes made here against them.
    """
    maze = object.__new__(Maze)
    for each in _FIELDS:
        object.__setattr__(maze, each, fields.get(each, _DEFAULTS.get(each)))
    return maze


def _switch(spec: MazeGenSpec, index: int, name: str, position: Position, gate_ids: list[str]) -> Switch:
    if index < spec.steps.count("s"):
        return Switch(name, position, (gate_ids[index],), kind="one_shot" if spec.one_shot else "toggle")
    if spec.distractors.traps:
        return Switch(name, position, (gate_ids[-1],), kind="one_shot")
    return Switch(name, position)


def _color_ids(prefix: str, colors: list[int]) -> list[str]:
    """Ids such as kR and DB; the second one of a colour is kR2."""
    ids = []
    for index, color in enumerate(colors):
        again = colors[:index].count(color)
        ids.append(f"{prefix}{KEY_COLORS[color][0].upper()}{again + 1 if again else ''}")
    return ids


def _necessity(spec: MazeGenSpec, draft: MadeBoard, ids: _Ids) -> tuple[tuple[str, bool], ...]:
    """What ``Subject.need`` says: the chain is proved, and a shortest plan leaves the distractors alone.

    The gate of a trap is the one thing among these that it may lead through.
    """
    keys, switches = spec.steps.count("k"), spec.steps.count("s")
    trap_is_needed = bool(spec.distractors.traps) and _has_to_be_passed(draft, GATE + switches)
    return tuple(
        [(each, index < keys) for names in (ids.keys, ids.doors) for index, each in enumerate(names)]
        + [
            (each, index < switches or (names is ids.gates and trap_is_needed))
            for names in (ids.switches, ids.gates)
            for index, each in enumerate(names)
        ]
    )


def _has_to_be_passed(draft: MadeBoard, code: int) -> bool:
    """Whether there is no plan as good with this gate walled up."""
    from mazegen.search.proving import Start, ablate
    from mazegen.search.step_proofs import changed

    walled = ablate(changed(draft.layout, code, WALL), Start(draft.start, 0, 0, 0, 0), MAX_STATES)
    return not 0 < walled.optimum <= draft.optimum


def _metadata(spec: MazeGenSpec, seed: int, prepared: _Prepared, ids: _Ids) -> str:
    """Canonical JSON of the chain, the distractors and the spec; written out, as it is made so often."""
    key_ids, door_ids, switch_ids, _ = ids
    members, keys, switches = [], spec.steps.count("k"), spec.steps.count("s")
    if spec.steps:
        key, switch, sequence, steps = 0, 0, [], []
        for step, kind in enumerate(spec.steps, start=1):
            if kind == "k":
                opener, blocker, word, key = key_ids[key], door_ids[key], "key-door", key + 1
            else:
                opener, blocker, word, switch = (
                    switch_ids[switch],
                    f"g{switch + 1}",
                    "switch-gate",
                    switch + 1,
                )
            sequence.append(
                f'{{"element": "{opener}", "step": {step}, "type": "{word}", "unlocks": "{blocker}"}}'
            )
            steps.append((opener, blocker))
        chain = f'"depth": {len(steps)}, "notation": "{notation(steps)}", "sequence": [{", ".join(sequence)}]'
        members.append(f'"dependency_chain": {{{chain}}}')
    wrong = spec.distractors
    if wrong.count:
        trap = "trap_switch" if wrong.traps else "inactive_switch"
        found = [f'{{"element_id": "{each}", "type": "decoy_key"}}' for each in key_ids[keys : len(door_ids)]]
        found += [f'{{"element_id": "{each}", "type": "decoy_door"}}' for each in door_ids[keys:]]
        found += [
            f'{{"element_id": "{each}", "type": "wrong_color_key"}}' for each in key_ids[len(door_ids) :]
        ]
        found += [f'{{"element_id": "{each}", "type": "{trap}"}}' for each in switch_ids[switches:]]
        found += [f'{{"element_id": "g{switches + 1}", "type": "trap_gate"}}'] * wrong.traps
        found += ['{"type": "dead_end_room"}'] * wrong.dead_end_rooms
        members.append(f'"distractors": [{", ".join(found)}]')
    before, behind = prepared.spec_json
    members.append(f'"spec": {before}{seed}{behind}')
    return f"{{{', '.join(members)}}}"
