"""What to generate: topology, logic chain, distractors, size; and the tiers that specs are drawn from.

A spec is frozen, checks itself, and survives JSON. Every field shows in the mazes; a test measures
each of them on the output.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from mazegen.core.bounded_files import json_of
from mazegen.core.parts import KEY_COLORS, MAX_PER_KIND, MAX_SIDE
from mazegen.core.randomness import MAX_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping

MIN_SIDE = 5  # a ring around two rooms and the wall between them
MAX_ACTIONS = 1_000_000  # of a target range for the optimal length
NO_CHAIN = "none"
CHAIN_ALIASES = {"": NO_CHAIN, "kd": "k", "sg": "s", "key_door": "k", "switch_gate": "s"}
VaultSide = Literal["any", "left", "right"]


class Topology(StrEnum):
    """The backbone of a maze."""

    WINDING_CORRIDOR = "winding_corridor"
    MULTI_ROUTE = "multi_route"
    SIDE_VAULT = "side_vault"
    SEQUENTIAL_CHAIN = "sequential_chain"
    DENSE_MAZE = "dense_maze"


def check_int(owner: str, name: str, value: object, low: int, high: int) -> None:
    """Raise ValueError unless the value is a plain integer of this range, both ends included."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        msg = f"{owner}.{name} must be an integer from {low} to {high}, got {value!r}"
        raise ValueError(msg)


def _check_share(owner: str, name: str, value: object, low: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= 1:
        msg = f"{owner}.{name} must be a number from {low} to 1, got {value!r}"
        raise ValueError(msg)


def _check_bool(owner: str, name: str, value: object) -> None:
    if not isinstance(value, bool):
        msg = f"{owner}.{name} must be true or false, got {value!r}"
        raise ValueError(msg)  # noqa: TRY004 - every fault of a spec is a ValueError


@dataclass(frozen=True, slots=True)
class WindingCorridor:
    """One corridor from start to goal that turns exactly ``turns`` times.

    Attributes:
        turns: turns of the corridor.
        max_straight: longest straight piece, in steps between neighbouring rooms (two cells each).
        spur_length: cells of the side branch at whose end each key or switch of the chain lies; 0 puts
            them on the corridor itself. Without a chain it changes nothing, and is allowed all the same:
            tier 1 draws it, and files in use say it.
    """

    turns: int = 6
    max_straight: int = 3
    spur_length: int = 0

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_int("winding_corridor", "turns", self.turns, 0, MAX_SIDE)
        check_int("winding_corridor", "max_straight", self.max_straight, 1, MAX_SIDE)
        check_int("winding_corridor", "spur_length", self.spur_length, 0, MAX_SIDE)


@dataclass(frozen=True, slots=True)
class MultiRoute:
    """Several routes side by side between two trunks; blockers stand behind the place where they meet.

    Attributes:
        routes: number of routes, none of which shares a cell with another between the trunks.
        wander: how often a route changes lanes, from 0 (straight) to 1 (at every chance).
    """

    routes: int = 2
    wander: float = 0.7

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_int("multi_route", "routes", self.routes, 1, MAX_SIDE)
        _check_share("multi_route", "wander", self.wander, 0)


@dataclass(frozen=True, slots=True)
class SideVault:
    """A main route with a vault off it for every key and switch; one empty vault without a chain.

    Attributes:
        vault_depth: cells from the main route to the end of a vault.
        vault_side: on which hand of somebody walking to the goal a vault opens.
    """

    vault_depth: int = 3
    vault_side: VaultSide = "any"

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_int("side_vault", "vault_depth", self.vault_depth, 1, MAX_SIDE)
        if self.vault_side not in get_args(VaultSide):
            msg = f"side_vault.vault_side must be any, left or right, got {self.vault_side!r}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class SequentialChain:
    """Rooms in a row, each joined to the next by one passage.

    Attributes:
        rooms: number of rooms; None is one more than the chain has steps, and at least two.
        room_size: largest side of a room in cells.
    """

    rooms: int | None = None
    room_size: int = 3

    def __post_init__(self) -> None:
        """Check the ranges."""
        if self.rooms is not None:
            check_int("sequential_chain", "rooms", self.rooms, 2, MAX_SIDE)
        check_int("sequential_chain", "room_size", self.room_size, 1, MAX_SIDE)


@dataclass(frozen=True, slots=True)
class DenseMaze:
    """A maze of passages one cell wide that fills the board.

    Attributes:
        loops: passages beyond a tree; 0 makes a perfect maze.
        coverage: share of the board's rooms that belong to the maze, apart from what is kept free
            for dead-end rooms and decoy chains.
        branching: how often a passage begins anywhere in the maze and not where the last one ended:
            0 gives long corridors, 1 many short dead ends.
    """

    loops: int = 0
    coverage: float = 1.0
    branching: float = 0.1

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_int("dense_maze", "loops", self.loops, 0, MAX_SIDE * MAX_SIDE)
        _check_share("dense_maze", "coverage", self.coverage, 0.1)
        _check_share("dense_maze", "branching", self.branching, 0)


Params = WindingCorridor | MultiRoute | SideVault | SequentialChain | DenseMaze
PARAMS: dict[Topology, type[Params]] = {
    Topology.WINDING_CORRIDOR: WindingCorridor,
    Topology.MULTI_ROUTE: MultiRoute,
    Topology.SIDE_VAULT: SideVault,
    Topology.SEQUENTIAL_CHAIN: SequentialChain,
    Topology.DENSE_MAZE: DenseMaze,
}


@dataclass(frozen=True, slots=True)
class Distractors:
    """What is on the board and not needed.

    Attributes:
        wrong_keys: keys whose colour no door wants.
        wrong_switches: switches that control nothing (with ``traps``: that shut the way for good).
        dead_end_rooms: side branches that lead nowhere.
        decoy_chains: a key and the door it opens, with nothing behind it.
        traps: every wrong switch, once turned on, shuts an open gate on the way to the goal and
            cannot be turned off; only with it can a maze become unsolvable.
    """

    wrong_keys: int = 0
    wrong_switches: int = 0
    dead_end_rooms: int = 0
    decoy_chains: int = 0
    traps: bool = False

    COUNTS: ClassVar[tuple[str, ...]] = ("wrong_keys", "wrong_switches", "dead_end_rooms", "decoy_chains")

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in self.COUNTS:
            check_int("distractors", name, getattr(self, name), 0, MAX_PER_KIND)
        _check_bool("distractors", "traps", self.traps)
        if self.traps and not self.wrong_switches:
            msg = "distractors.traps needs wrong_switches of 1 or more: they are what springs the trap"
            raise ValueError(msg)

    @property
    def count(self) -> int:
        """How many there are, of all kinds."""
        return self.wrong_keys + self.wrong_switches + self.dead_end_rooms + self.decoy_chains


def normal_chain(chain: object) -> str:
    """The chain as a string of ``k`` and ``s``, or ``none``; takes the short names of older specs.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(chain, str):
        chain = CHAIN_ALIASES.get(chain, chain)
        if chain == NO_CHAIN or set(chain) <= {"k", "s"}:
            return chain
    msg = f"chain must be 'none' or a string of k (key-door) and s (switch-gate) such as 'ksk', got {chain!r}"
    raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class MazeGenSpec:
    """What one maze should be; ``orchestrator.generate`` makes it.

    Attributes:
        topology: the backbone.
        chain: ``none`` or a string of ``k`` (a key and its door) and ``s`` (a switch and its gate);
            what step i needs can be reached only behind what step i-1 opened.
        rows: height in cells, ring included.
        cols: width in cells, ring included.
        distractors: what is there and not needed.
        params: of the topology; its defaults when None.
        one_shot: whether the switches of the chain only turn on, instead of toggling.
        optimal_actions: the range that the length of a shortest plan must fall in, or None.
        tier: the difficulty tier the spec was drawn from, or None.
        seed: what ``generate`` uses when it is given none.

    Raises:
        ValueError: a field breaks a rule; the message names field, rule and value.
    """

    topology: Topology
    chain: str = NO_CHAIN
    rows: int = 12
    cols: int = 12
    distractors: Distractors = field(default_factory=Distractors)
    params: Params | None = None
    one_shot: bool = False
    optimal_actions: tuple[int, int] | None = None
    tier: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Fill in the defaults and check every rule."""
        names = [str(each) for each in Topology]
        if self.topology not in names:
            msg = f"topology must be one of {', '.join(names)}, got {self.topology!r}"
            raise ValueError(msg)
        object.__setattr__(self, "topology", Topology(self.topology))
        object.__setattr__(self, "chain", normal_chain(self.chain))
        check_int("spec", "rows", self.rows, MIN_SIDE, MAX_SIDE)
        check_int("spec", "cols", self.cols, MIN_SIDE, MAX_SIDE)
        check_int("spec", "seed", self.seed, 0, MAX_SEED)
        _check_bool("spec", "one_shot", self.one_shot)
        if self.tier is not None:
            check_int("spec", "tier", self.tier, 1, 100)
        if not isinstance(self.distractors, Distractors):
            msg = (
                f"spec.distractors must be Distractors(...), got {self.distractors!r}; from_dict takes dicts"
            )
            raise ValueError(msg)  # noqa: TRY004 - every fault of a spec is a ValueError
        wanted = PARAMS[self.topology]
        if self.params is None:
            object.__setattr__(self, "params", wanted())
        elif not isinstance(self.params, wanted):
            msg = f"params of {self.topology} must be {wanted.__name__}, got {type(self.params).__name__}"
            raise ValueError(msg)
        self._check_range()
        self._check_counts()

    def _check_range(self) -> None:
        if self.optimal_actions is None:
            return
        try:
            low, high = self.optimal_actions
        except (TypeError, ValueError) as error:
            msg = f"spec.optimal_actions must be two integers, least and most, got {self.optimal_actions!r}"
            raise ValueError(msg) from error
        check_int("spec", "optimal_actions[0]", low, 1, MAX_ACTIONS)
        check_int("spec", "optimal_actions[1]", high, low, MAX_ACTIONS)
        object.__setattr__(self, "optimal_actions", (low, high))

    def _check_counts(self) -> None:
        wrong = self.distractors
        keys, switches = self.steps.count("k"), self.steps.count("s")
        for kind, count in (
            ("keys", keys + wrong.wrong_keys + wrong.decoy_chains),
            ("switches", switches + wrong.wrong_switches),
            ("gates", switches + wrong.traps),
        ):
            if count > MAX_PER_KIND:
                msg = f"a maze holds at most {MAX_PER_KIND} {kind}; chain and distractors have {count}"
                raise ValueError(msg)
        if self.one_shot and not switches:
            msg = f"one_shot needs a chain with a switch in it, got {self.chain!r}"
            raise ValueError(msg)
        rooms, needed = getattr(self.params, "rooms", None), len(self.steps) + 1
        if rooms is not None and rooms < needed:
            msg = f"sequential_chain.rooms must be at least {needed} for chain {self.chain!r}, got {rooms}"
            raise ValueError(msg)

    @property
    def steps(self) -> str:
        """The chain as a string of ``k`` and ``s``; empty for none."""
        return "" if self.chain == NO_CHAIN else self.chain

    @property
    def consumes_keys(self) -> bool:
        """Whether each key opens one door only: needed when colours must serve twice in a chain."""
        return self.steps.count("k") > self.chain_colors

    @property
    def chain_colors(self) -> int:
        """Key colours that the chain may use; wrong keys and decoys need one each of their own."""
        return len(KEY_COLORS) - (self.distractors.wrong_keys > 0) - (self.distractors.decoy_chains > 0)

    @property
    def name(self) -> str:
        """Short name for tables and level ids: topology, chain, and distractors if there are any."""
        count = self.distractors.count
        return f"{self.topology}-{self.chain}" + (f"-d{count}" if count else "")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; ``from_dict`` reads them back."""
        return {
            "topology": str(self.topology),
            "chain": self.chain,
            "rows": self.rows,
            "cols": self.cols,
            "distractors": _as_dict(self.distractors),
            "params": _as_dict(self.params),
            "one_shot": self.one_shot,
            "optimal_actions": None if self.optimal_actions is None else list(self.optimal_actions),
            "tier": self.tier,
            "seed": self.seed,
        }

    def to_json(self) -> str:
        """One line of JSON with sorted keys."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MazeGenSpec:
        """Read what ``to_dict`` wrote; fields that are missing have their defaults.

        Raises:
            ValueError: a field is unknown or breaks a rule.
        """
        fields = _known_fields(cls, values, "spec")
        if "topology" not in fields:
            msg = f"spec.topology is missing; use one of {', '.join(Topology)}"
            raise ValueError(msg)
        wrong = fields.pop("distractors", {})
        params = fields.pop("params", None)
        if params is not None and fields["topology"] in list(Topology):
            kind = PARAMS[Topology(fields["topology"])]
            fields["params"] = kind(**_known_fields(kind, params, "params"))
        return cls(distractors=Distractors(**_known_fields(Distractors, wrong, "distractors")), **fields)

    @classmethod
    def from_json(cls, text: str) -> MazeGenSpec:
        """Read JSON text; raises as ``from_dict`` does."""
        return cls.from_dict(json_of(text, "a spec"))


def _as_dict(flat: Params | Distractors | None) -> dict[str, Any]:
    """The fields of a record that holds plain values; ``dataclasses.asdict`` copies ten times as long."""
    names = type(flat).__dataclass_fields__ if flat is not None else ()
    return {name: getattr(flat, name) for name in names if name != "COUNTS"}


def _known_fields(kind: type, values: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """A copy of ``values``, which may only hold fields of the dataclass ``kind``."""
    if not hasattr(values, "keys"):
        msg = f"{owner} must be an object with named fields, got {values!r}"
        raise ValueError(msg)
    known = [each.name for each in dataclasses.fields(kind)]
    for name in values:
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
            msg = f"{owner} has no field {name!r}; {hint}"
            raise ValueError(msg)
    return dict(values)
