"""The object that a maze file holds to ``Maze``, or one error with everything that is wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from mazegen.codec.checked_json import Reader, check_depth, refuse, shown
from mazegen.core.actions import Action
from mazegen.core.maze import Maze
from mazegen.core.parts import (
    KEY_COLORS,
    MAX_DESCRIPTION,
    MAX_METADATA,
    MAX_SEED,
    MAX_SIDE,
    MAX_STEPS,
    MAX_TEXT,
    MAX_TIER,
    MIN_SIDE,
    PALETTE,
    Door,
    Facing,
    Gate,
    Key,
    Observability,
    Position,
    Rules,
    Switch,
    SwitchKind,
    Validation,
)
from mazegen.core.well_formed import find_problems
from mazegen.errors import MazeFormatError, Problem, UnsupportedMechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORMAT_VERSION = "3.0"
READABLE_VERSIONS = ("0.1", "1.0", "1.1", "2.0", FORMAT_VERSION)
RESERVED_SLOTS = ("blocks", "teleporters", "hazards")
_PROVENANCE = ("dependency_chain", "distractors")  # of older files; kept in the metadata

T = TypeVar("T")


@dataclass
class UnfinishedMaze:
    """The board of a maze as far as a reader could make it out; what could not be read at all is None."""

    rows: int
    cols: int
    walls: bytes
    start: Position | None
    goal: Position | None
    start_facing: Facing
    keys: list[Key | None]
    doors: list[Door | None]
    switches: list[Switch | None]
    gates: list[Gate | None]
    rules: Rules


class MazeReader:
    """One reading of one payload."""

    def __init__(self, source: str) -> None:
        """Start a reading; ``source`` names the payload in messages."""
        self.source = source
        self.json = Reader()
        self.unsupported: list[Problem] = []

    def read(self, payload: object) -> Maze:
        """The whole maze, or one error with everything that is wrong."""
        json_ = self.json
        optional = (
            "version", "task_id", "seed", "difficulty_tier", "description", "max_steps", "mechanisms",
            "rules", "goal", "metadata", "validation", *_PROVENANCE,
        )  # fmt: skip
        if not isinstance(payload, dict):
            refuse(self.source, f"a maze file holds an object, got {shown(payload)}")
        top = json_.members(payload, "$", ("maze",), optional)
        version = top.get("version", FORMAT_VERSION)
        if version not in READABLE_VERSIONS:
            known = ", ".join(READABLE_VERSIONS)
            json_.fail("$.version", f"unknown version {shown(version)}; this package reads {known}")
        draft = self._draft(top)
        fields = self._about(top)
        validation = self._validation(top.get("validation"))
        self._goal_kind(top.get("goal"), draft)
        if draft is not None:
            json_.problems += [_in_the_file(problem) for problem in find_problems(draft)]
        self._raise_if_wrong()
        whole = cast("UnfinishedMaze", draft)
        return Maze(
            rows=whole.rows,
            cols=whole.cols,
            walls=whole.walls,
            start=cast("Position", whole.start),
            goal=cast("Position", whole.goal),
            start_facing=whole.start_facing,
            keys=tuple(cast("list[Key]", whole.keys)),
            doors=tuple(cast("list[Door]", whole.doors)),
            switches=tuple(cast("list[Switch]", whole.switches)),
            gates=tuple(cast("list[Gate]", whole.gates)),
            rules=whole.rules,
            validation=validation,
            **fields,
        )

    def _raise_if_wrong(self) -> None:
        if self.json.problems:
            raise MazeFormatError(self.json.problems + self.unsupported, self.source)
        if self.unsupported:
            raise UnsupportedMechanism(self.unsupported, self.source)

    def _about(self, top: Mapping[str, Any]) -> dict[str, Any]:
        json_ = self.json
        bounds = {"seed": (0, MAX_SEED), "difficulty_tier": (1, MAX_TIER), "max_steps": (1, MAX_STEPS)}
        fields: dict[str, Any] = {
            name: json_.integer(top[name], f"$.{name}", *limits)
            for name, limits in bounds.items()
            if top.get(name) is not None
        }
        if "task_id" in top:
            fields["level_id"] = json_.text(top["task_id"], "$.task_id", MAX_TEXT)
        if "description" in top:
            fields["description"] = json_.text(
                top["description"], "$.description", MAX_DESCRIPTION, multiline=True
            )
        metadata = top.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            json_.fail("$.metadata", f"must be an object, got {shown(metadata)}")
            metadata = None
        kept = dict(metadata or {}) | {name: top[name] for name in _PROVENANCE if name in top}
        check_depth({"metadata": kept}, self.source)  # provenance sinks one level when it is written
        try:
            json.dumps(kept, ensure_ascii=False).encode()  # a lone surrogate fits into no file
            fields["metadata_json"] = json.dumps(kept, sort_keys=True, allow_nan=False)
        except (TypeError, ValueError) as error:
            json_.fail("$.metadata", f"must be plain JSON: {error}")
        else:
            if len(fields["metadata_json"]) > MAX_METADATA:
                json_.fail("$.metadata", f"must be at most {MAX_METADATA // 2**20} MiB of JSON")
        return fields

    def _draft(self, top: Mapping[str, Any]) -> UnfinishedMaze | None:
        json_ = self.json
        board = {}
        if "maze" in top:
            board = json_.members(
                top["maze"], "$.maze", ("dimensions", "start", "goal"), ("walls", "start_facing", "floor")
            )
        size = self._pair(
            board.get("dimensions", [MIN_SIDE, MIN_SIDE]), "$.maze.dimensions", (MIN_SIDE, MAX_SIDE)
        )
        start = self._position(board.get("start"), "$.maze.start") if "start" in board else None
        goal = self._position(board.get("goal"), "$.maze.goal") if "goal" in board else None
        facing = json_.choice(board.get("start_facing", "NORTH"), "$.maze.start_facing", Facing.__members__)
        mechanisms = self._mechanisms(top.get("mechanisms", {}))
        rules = self._rules(top.get("rules", {}))
        if size is None or "dimensions" not in board:
            return None
        cols, rows = size
        return UnfinishedMaze(
            rows, cols, self._walls(board.get("walls", []), rows, cols), start, goal,
            Facing[facing or "NORTH"], *mechanisms, rules,
        )  # fmt: skip

    def _walls(self, value: object, rows: int, cols: int) -> bytes:
        walls = bytearray(rows * cols)
        walls[:cols] = walls[-cols:] = b"\1" * cols
        walls[::cols] = walls[cols - 1 :: cols] = b"\1" * rows
        for index, pair in enumerate(self.json.items(value, "$.maze.walls")):
            position = self._position(pair, f"$.maze.walls[{index}]")
            if position is not None:
                if position.row < rows and position.col < cols:
                    walls[position.row * cols + position.col] = 1
                else:
                    self.json.fail(
                        f"$.maze.walls[{index}]", f"{position} is outside the {rows} x {cols} board"
                    )
        return bytes(walls)

    def _pair(self, value: object, path: str, limits: tuple[int, int]) -> tuple[int, int] | None:
        if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004 - a pair is two
            self.json.fail(path, f"must be a pair of integers, got {shown(value)}")
            return None
        first = self.json.integer(value[0], f"{path}[0]", *limits)
        second = self.json.integer(value[1], f"{path}[1]", *limits)
        return None if first is None or second is None else (first, second)

    def _position(self, value: object, path: str) -> Position | None:
        pair = self._pair(value, path, (0, MAX_SIDE - 1))
        return None if pair is None else Position(row=pair[1], col=pair[0])

    def _mechanisms(
        self, value: object
    ) -> tuple[list[Key | None], list[Door | None], list[Switch | None], list[Gate | None]]:
        path = "$.mechanisms"
        slots = self.json.members(value, path, (), ("keys", "doors", "switches", "gates", *RESERVED_SLOTS))
        for slot in RESERVED_SLOTS:
            if self.json.items(slots.get(slot, []), f"{path}.{slot}"):
                self.unsupported.append(Problem(f"{path}.{slot}", f"{slot} are reserved and not built yet"))
        return (
            self._each(slots.get("keys", []), f"{path}.keys", self._key),
            self._each(slots.get("doors", []), f"{path}.doors", self._door),
            self._each(slots.get("switches", []), f"{path}.switches", self._switch),
            self._each(slots.get("gates", []), f"{path}.gates", self._gate),
        )

    def _each(self, value: object, path: str, read: Callable[[object, str], T | None]) -> list[T | None]:
        return [read(item, f"{path}[{index}]") for index, item in enumerate(self.json.items(value, path))]

    def _named(
        self, value: object, path: str, required: tuple[str, ...], optional: tuple[str, ...]
    ) -> tuple[str | None, Position | None, dict[str, Any]]:
        """Id and position of one mechanism, None where they cannot be read, and all its fields."""
        fields = self.json.members(value, path, ("id", "position", *required), optional)
        name = self.json.text(fields["id"], f"{path}.id", MAX_TEXT) if "id" in fields else None
        position = self._position(fields["position"], f"{path}.position") if "position" in fields else None
        return name, position, fields

    def _key_color(self, fields: Mapping[str, Any], path: str, name: str) -> str | None:
        return self.json.choice(fields[name], f"{path}.{name}", KEY_COLORS) if name in fields else None

    def _key(self, value: object, path: str) -> Key | None:
        name, position, fields = self._named(value, path, ("color",), ())
        color = self._key_color(fields, path, "color")
        return None if name is None or position is None or color is None else Key(name, position, color)

    def _door(self, value: object, path: str) -> Door | None:
        name, position, fields = self._named(value, path, ("requires_key",), ("color", "initial_state"))
        color = self._key_color(fields, path, "requires_key")
        painted = fields.get("color", color)
        if color is not None and painted != color:
            self.json.fail(f"{path}.color", f"is {shown(painted)} but the door requires a {color} key")
        state = self._state(fields, path, "locked", "open")
        if name is None or position is None or color is None:
            return None
        return Door(name, position, color, initially_open=state == "open")

    def _switch(self, value: object, path: str) -> Switch | None:
        name, position, fields = self._named(
            value, path, ("controls",), ("color", "switch_type", "initial_state")
        )
        controls = [
            self.json.text(gate, f"{path}.controls[{index}]", MAX_TEXT)
            for index, gate in enumerate(self.json.items(fields.get("controls", []), f"{path}.controls"))
        ]
        kind = self.json.choice(
            fields.get("switch_type", "toggle"), f"{path}.switch_type", (*get_args(SwitchKind), "hold")
        )
        if kind == "hold":
            self.unsupported.append(Problem(f"{path}.switch_type", "hold switches are not built yet"))
        state, color = self._state(fields, path, "off", "on"), self._paint(fields, path)
        if name is None or position is None:
            return None
        return Switch(
            name,
            position,
            tuple(gate for gate in controls if gate is not None),
            kind="one_shot" if kind == "one_shot" else "toggle",
            initially_on=state == "on",
            color=color,
        )

    def _gate(self, value: object, path: str) -> Gate | None:
        name, position, fields = self._named(value, path, (), ("color", "initial_state"))
        state, color = self._state(fields, path, "closed", "open"), self._paint(fields, path)
        if name is None or position is None:
            return None
        return Gate(name, position, initially_open=state == "open", color=color)

    def _state(self, fields: Mapping[str, Any], path: str, default: str, other: str) -> str | None:
        return self.json.choice(
            fields.get("initial_state", default), f"{path}.initial_state", (default, other)
        )

    def _paint(self, fields: Mapping[str, Any], path: str) -> str | None:
        color = fields.get("color")
        return None if color is None else self.json.choice(color, f"{path}.color", PALETTE)

    def _rules(self, value: object) -> Rules:
        path = "$.rules"
        known = ("key_consumption", "switch_type", "hidden_mechanisms", "observability", "view_size")
        fields = self.json.members(value, path, (), known)
        consumed = self.json.boolean(fields.get("key_consumption", False), f"{path}.key_consumption")
        self.json.choice(fields.get("switch_type", "toggle"), f"{path}.switch_type", ("toggle",))
        hidden = [
            self.json.text(name, f"{path}.hidden_mechanisms[{index}]", MAX_TEXT)
            for index, name in enumerate(
                self.json.items(fields.get("hidden_mechanisms", []), f"{path}.hidden_mechanisms")
            )
        ]
        sight = self.json.choice(
            fields.get("observability", "full"), f"{path}.observability", get_args(Observability)
        )
        view = self.json.integer(fields.get("view_size", 7), f"{path}.view_size", MIN_SIDE, MAX_SIDE)
        if view is not None and view % 2 == 0:
            self.json.fail(f"{path}.view_size", f"must be odd, so that the agent has a middle; got {view}")
        return Rules(
            key_consumption=bool(consumed),
            hidden_mechanisms=tuple(name for name in hidden if name is not None),
            observability=cast("Observability", sight or "full"),
            view_size=view or MIN_SIDE,
        )

    def _goal_kind(self, value: object, unfinished: UnfinishedMaze | None) -> None:
        if value is None:
            return
        fields = self.json.members(value, "$.goal", ("type",), ("target", "auxiliary_conditions"))
        kind = self.json.text(fields["type"], "$.goal.type", MAX_TEXT) if "type" in fields else None
        if kind not in (None, "reach_position"):
            self.unsupported.append(
                Problem("$.goal.type", f"only 'reach_position' is built, got {shown(kind)}")
            )
        elif fields.get("target") is not None:
            target = self._position(fields["target"], "$.goal.target")
            if target is not None and unfinished is not None and unfinished.goal not in (None, target):
                self.json.fail("$.goal.target", f"is {target} but $.maze.goal is {unfinished.goal}")
        if self.json.items(fields.get("auxiliary_conditions", []), "$.goal.auxiliary_conditions"):
            self.unsupported.append(Problem("$.goal.auxiliary_conditions", "are not built yet"))

    def _validation(self, value: object) -> Validation | None:
        if value is None:
            return None
        path = "$.validation"
        known = ("reasons", "optimal_cost", "optimal_path", "interactions", "optimal_actions", "necessity")
        fields = self.json.members(value, path, ("is_valid",), known)
        valid = self.json.boolean(fields.get("is_valid", False), f"{path}.is_valid")
        cost = fields.get("optimal_cost")
        if cost is not None:
            cost = self.json.integer(cost, f"{path}.optimal_cost", 0, MAX_STEPS)
        necessity = fields.get("necessity", {})
        if not isinstance(necessity, dict):
            self.json.fail(f"{path}.necessity", f"must be an object, got {shown(necessity)}")
            necessity = {}
        needed = {
            name: self.json.boolean(flag, f"{path}.necessity.{name}")
            for name, flag in necessity.items()
            if self.json.text(name, f"{path}.necessity", MAX_TEXT) is not None
        }
        return Validation(
            is_valid=bool(valid),
            reasons=self._texts(fields, path, "reasons"),
            optimal_cost=cost,
            optimal_path=tuple(
                position
                for index, pair in enumerate(self._list(fields, path, "optimal_path"))
                if (position := self._position(pair, f"{path}.optimal_path[{index}]")) is not None
            ),
            interactions=self._texts(fields, path, "interactions"),
            optimal_actions=tuple(
                name
                for index, word in enumerate(self._list(fields, path, "optimal_actions"))
                if (name := self.json.choice(word, f"{path}.optimal_actions[{index}]", Action.__members__))
            ),
            necessity=tuple((name, bool(flag)) for name, flag in needed.items()),
        )

    def _list(self, fields: Mapping[str, Any], path: str, name: str) -> list[Any]:
        return self.json.items(fields.get(name, []), f"{path}.{name}")

    def _texts(self, fields: Mapping[str, Any], path: str, name: str) -> tuple[str, ...]:
        words = [
            self.json.text(word, f"{path}.{name}[{index}]", MAX_DESCRIPTION, multiline=True)
            for index, word in enumerate(self._list(fields, path, name))
        ]
        return tuple(word for word in words if word is not None)


def _in_the_file(problem: Problem) -> Problem:
    """Turn a field name of ``Maze`` into the JSON path where a file holds it."""
    field = problem.path.partition("[")[0].partition(".")[0]
    if field in ("keys", "doors", "switches", "gates"):
        return Problem(f"$.mechanisms.{problem.path}", problem.message)
    if field in ("start", "goal", "walls"):
        return Problem(f"$.maze.{problem.path}", problem.message)
    return Problem(f"$.{problem.path}", problem.message)
